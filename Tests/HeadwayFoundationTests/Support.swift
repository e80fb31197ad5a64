import Dispatch
import HeadwayLock
import HeadwayProgress

/// Keeps nodes alive.
final class RetainedNodes: Sendable {
  private let nodes = Guarded<[ProgressNode]>([])

  init() {}

  func keep(_ node: ProgressNode) { nodes.withLock { $0.append(node) } }
}

/// The events of callbacks in order.
final class CallRecorder: Sendable {
  private let notes = Guarded<[String]>([])

  init() {}

  func add(_ note: String) { notes.withLock { $0.append(note) } }

  var all: [String] { notes.withLock { $0 } }
}

/// An access function that counts its calls.
final class CountingAccess: Sendable {
  /// The number of accesses.
  private let entries = Guarded(0)

  init() {}

  func enter(_ body: () -> Void) {
    entries.withLock { entries in
      entries += 1
      body()
    }
  }

  /// The number of accesses.
  var count: Int { entries.withLock { $0 } }
}

/// An access function that records nested calls, which would deadlock with a lock.
final class NestingCounter: Sendable {
  /// The current and the largest depth.
  private let depth = Guarded((now: 0, most: 0))

  init() {}

  @Sendable func take(_ body: () -> Void) {
    depth.withLock { depth in
      depth.now += 1
      depth.most = max(depth.most, depth.now)
    }
    body()
    depth.withLock { $0.now -= 1 }
  }

  /// The largest depth.
  var deepest: Int { depth.withLock { $0.most } }
}

/// Calls a function when it is deallocated.
final class DeinitCallback: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}

/// An executor on a queue that can be detected.
final class MarkedQueue: SerialExecutor {
  private static let mark = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "marked")

  init() { queue.setSpecific(key: Self.mark, value: true) }

  /// Whether the current code runs on such a queue.
  static var isHere: Bool { DispatchQueue.getSpecific(key: mark) == true }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure keeps this executor until the job has run.
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// An actor whose executor can be detected.
actor MarkedActor {
  private let queue = MarkedQueue()

  // The actor keeps its queue as long as it lives.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe queue.asUnownedSerialExecutor()
  }
}
