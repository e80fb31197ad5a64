internal import HeadwayTime

/// The core of a virtual clock: the time and everything that waits for it, without a lock and without side effects.
///
/// Its methods return the waiters to resume; the caller does so after it leaves the lock.
struct TimelineCore: ~Copyable {
  /// The continuation of a sleeping task, which is resumed with the end of its sleep.
  typealias Sleeper = CheckedContinuation<Result<Void, CancellationError>, Never>

  /// Something that waits for a tick.
  enum Waiter {
    /// A sleeping task.
    case task(Sleeper)
    /// A wake source, by its number.
    case source(Int)
  }

  /// A waiter in the wheel.
  struct Entry {
    let waiter: Waiter
    /// The number of waiters that were added before: the order of those that wait for the same tick.
    let order: UInt64
  }

  /// A handle of a waiter.
  typealias Handle = TimingWheel<Entry>.Handle

  /// A wake source.
  private struct Source {
    var handler: (@Sendable () -> Void)?
    /// The requested wake; nil or stale if there is none.
    var request: Handle?
    /// Whether the handler is running.
    var isRunning = false
    /// Whether the handler has to run again afterwards.
    var runsAgain = false
  }

  private var wheel = TimingWheel<Entry>()
  /// The number of waiters that were ever added.
  private var entryCount: UInt64 = 0
  /// The wake sources that have not been stopped.
  private var sources: [Int: Source] = [:]
  /// The number of wake sources that were ever added.
  private var sourceCount = 0
  /// The number of sleeping tasks.
  private(set) var sleeperCount = 0

  /// Creates a timeline without waiters, at tick zero.
  init() {}

  /// The current tick.
  var now: UInt64 { wheel.now }

  private mutating func add(_ waiter: Waiter, at tick: UInt64) -> Handle {
    entryCount += 1
    return wheel.schedule(Entry(waiter: waiter, order: entryCount), at: tick)
  }

  /// Advances to a tick and removes all who wait for it or an earlier one.
  private mutating func removeWaiters(at tick: UInt64) -> [Waiter] {
    var due: [Entry] = []
    wheel.advance(to: tick) { _, expired in due.append(expired.payload) }
    // The wheel does not order timers with the same deadline.
    due.sort { $0.order < $1.order }
    for entry in due {
      if case .task = entry.waiter { sleeperCount -= 1 }
    }
    return due.map(\.waiter)
  }

  /// Advances to the next tick that someone waits for, and removes all who wait for it.
  ///
  /// - Parameters:
  ///   - limit: The last tick to advance to, less than `UInt64.max`.
  ///   - advancesToLimit: Whether to advance to the limit if no one waits for it or an earlier tick.
  /// - Returns: The waiters in order; empty if no one waited.
  /// - Complexity: O(n log n) for n waiters that are removed, amortized.
  mutating func removeNext(upTo limit: UInt64, advancesToLimit: Bool) -> [Waiter] {
    while let tick = wheel.nextExpiry, tick <= limit {
      let due = removeWaiters(at: tick)
      if !due.isEmpty { return due }
    }
    return advancesToLimit ? removeWaiters(at: limit) : []
  }
}

// MARK: - Sleepers

extension TimelineCore {
  /// Adds a sleeping task.
  ///
  /// - Parameters:
  ///   - task: The continuation of the task.
  ///   - tick: The tick to sleep until.
  /// - Returns: The handle of the sleeper; nil if the tick has passed, and the caller has to resume the task.
  mutating func addSleeper(
    _ task: Sleeper, until tick: UInt64
  ) -> Handle? {
    guard tick > now else { return nil }
    sleeperCount += 1
    return add(.task(task), at: tick)
  }

  /// Removes a sleeping task before its time; returns nil if it was resumed already.
  mutating func removeSleeper(_ sleeper: Handle) -> Sleeper? {
    guard case .task(let task)? = wheel.cancel(sleeper)?.waiter else { return nil }
    sleeperCount -= 1
    return task
  }
}

// MARK: - Wake sources

extension TimelineCore {
  /// Adds a wake source and returns its number.
  mutating func addSource() -> Int {
    sourceCount += 1
    sources[sourceCount] = Source()
    return sourceCount
  }

  /// Sets the handler of a wake source.
  mutating func start(_ handler: @escaping @Sendable () -> Void, of source: Int) {
    sources[source]?.handler = handler
  }

  /// Requests a wake, unless an earlier one is requested or the source was stopped.
  mutating func requestWake(of source: Int, at tick: UInt64) {
    guard let known = sources[source] else { return }
    if let request = known.request, let earlier = wheel.deadline(of: request) {
      if tick < earlier { wheel.reschedule(request, to: tick) }
    } else {
      let request = add(.source(source), at: tick)
      sources[source]?.request = request
    }
  }

  /// Records that the handler of a wake source begins to run.
  ///
  /// - Parameter source: The number of the source.
  /// - Returns: The handler to call before `endWake`; nil if the source was stopped or never started, or if its handler
  ///   is running already and will run again.
  mutating func beginWake(of source: Int) -> (@Sendable () -> Void)? {
    guard let known = sources[source], let handler = known.handler else { return nil }
    if known.isRunning {
      sources[source]?.runsAgain = true
      return nil
    }
    sources[source]?.isRunning = true
    return handler
  }

  /// Records that the handler of a wake source has returned, and returns whether it has to run again.
  mutating func endWake(of source: Int) -> Bool {
    guard let known = sources[source] else { return false }
    sources[source]?.isRunning = known.runsAgain
    sources[source]?.runsAgain = false
    return known.runsAgain
  }

  /// Removes a wake source.
  mutating func stop(_ source: Int) {
    if let request = sources.removeValue(forKey: source)?.request { wheel.cancel(request) }
  }
}
