import Dispatch
import HeadwayLock
import HeadwayProgress

/// Keeps nodes alive until it is gone itself.
final class Kept: Sendable {
  /// The nodes.
  private let nodes = Guarded<[ProgressNode]>([])

  /// Keeps nothing yet.
  init() {}

  /// Keeps a node.
  func keep(_ node: ProgressNode) { nodes.withLock { $0.append(node) } }
}

/// What callbacks have noted, in their order.
final class Notes: Sendable {
  /// The notes.
  private let notes = Guarded<[String]>([])

  /// Nothing was noted yet.
  init() {}

  /// Notes something.
  func add(_ note: String) { notes.withLock { $0.append(note) } }

  /// What was noted.
  var all: [String] { notes.withLock { $0 } }
}

/// Lets one in at a time, and counts them.
final class Door: Sendable {
  /// How many came in.
  private let entries = Guarded(0)

  /// Nobody came in yet.
  init() {}

  /// Runs a body alone.
  func enter(_ body: () -> Void) {
    entries.withLock { entries in
      entries += 1
      body()
    }
  }

  /// How many came in.
  var count: Int { entries.withLock { $0 } }
}

/// Notes how deep those who take turns stand in each other, where a lock would have them wait for ever.
final class Turns: Sendable {
  /// How deep they stand now and stood at most.
  private let depth = Guarded((now: 0, most: 0))

  /// Nobody has a turn yet.
  init() {}

  /// Runs a body as a turn.
  @Sendable func take(_ body: () -> Void) {
    depth.withLock { depth in
      depth.now += 1
      depth.most = max(depth.most, depth.now)
    }
    body()
    depth.withLock { $0.now -= 1 }
  }

  /// How deep they stood at most.
  var deepest: Int { depth.withLock { $0.most } }
}

/// Calls a function when nobody holds it any more.
final class Farewell: Sendable {
  /// The function.
  private let body: @Sendable () -> Void

  /// Creates one that somebody holds.
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}

/// Runs the jobs of an actor on a queue of which they can tell that they are on it.
final class MarkedQueue: SerialExecutor {
  /// What the queue is marked with.
  private static let mark = DispatchSpecificKey<Bool>()
  /// The queue.
  private let queue = DispatchQueue(label: "marked")

  /// Creates a queue of its own.
  init() { queue.setSpecific(key: Self.mark, value: true) }

  /// Whether the code that asks runs on such a queue.
  static var isHere: Bool { DispatchQueue.getSpecific(key: mark) == true }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure keeps this executor until the job has run.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An actor of which code can tell that it runs on it.
actor MarkedPlace {
  /// Where it runs.
  private let queue = MarkedQueue()

  // The actor keeps its queue as long as it lives.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe queue.asUnownedSerialExecutor()
  }
}
