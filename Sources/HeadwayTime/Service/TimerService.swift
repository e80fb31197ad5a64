internal import HeadwayLock

/// Timers on a clock, for any number of threads and tasks, with a single sleeping thread.
///
/// ```swift
/// let timers = TimerService.continuous
/// let timer = timers.schedule(after: .seconds(30)) { connection.close() }
/// timer.reschedule(after: .seconds(30))   // the connection was used
/// timer.cancel()                          // true: the action will not run
/// try await timers.sleep(for: .milliseconds(20))
/// ```
///
/// To limit the time of asynchronous work, use `withDeadline(in:)`; for a function that blocks, use ``TimeoutRunner``.
///
/// **Contract.** An action never runs early, and at most one tick late if the machine is not busy. It runs once,
/// unless it is cancelled. If a cancellation races with the expiry, exactly one of them wins, and ``Handle/cancel()``
/// returns which. Actions run one after the other, outside all locks: on the thread of the service, for other clocks
/// in the task that sleeps on the clock, and for a virtual clock in the caller that advances it. Keep actions short,
/// and hand longer work to another thread or task. Scheduling and cancelling take one short lock and allocate nothing
/// beyond the closure itself. All members are safe from any thread and inside actions.
///
/// **Design.** A service has eight timing wheels, each behind its own lock, so that threads rarely contend; a handle
/// knows its wheel. An empty wheel takes about 40 kB. The thread sleeps until the earliest deadline of all wheels, and
/// only an earlier one changes that, so a timer that is cancelled in time costs no system call. When the thread wakes,
/// it removes expired timers in batches and runs them without holding a lock.
///
/// A service that is shut down or released runs no more actions: it releases all scheduled timers and cancels all
/// sleeping tasks.
public final class TimerService: Sendable {
  /// The service of `ContinuousClock`, which advances while the machine sleeps.
  ///
  /// It lives as long as the process.
  public static let continuous = TimerService(permanent: SystemWakeSource(isContinuous: true))
  /// The service of `SuspendingClock`, which stops while the machine sleeps.
  ///
  /// It lives as long as the process.
  public static let suspending = TimerService(permanent: SystemWakeSource(isContinuous: false))

  /// The wheels; handles and the thread retain these and not the service.
  let core: TimerCore

  /// Creates a service on a clock.
  ///
  /// - Parameters:
  ///   - clock: The clock, for example `ContinuousClock()`, or a virtual clock in tests. The clocks of the machine need
  ///     one thread, which starts with the first timer; any other clock needs a task that sleeps on it.
  ///   - tick: The resolution: deadlines are rounded up to a multiple of it. It is at least a nanosecond.
  public convenience init<C: Clock>(clock: C, tick: Duration = .milliseconds(1))
  where C.Duration == Duration {
    let source: any WakeSource =
      switch clock {
      case is ContinuousClock: SystemWakeSource(isContinuous: true)
      case is SuspendingClock: SystemWakeSource(isContinuous: false)
      case let clock as any WakeSourceClock: clock.makeWakeSource()
      default: ClockWakeSource(clock)
      }
    self.init(source: source, tick: tick, shards: TimerCore.shardCount)
  }

  /// Creates a service that a wake source drives.
  package init(source: any WakeSource, tick: Duration, shards: Int) {
    core = TimerCore(
      source: source, tick: max(1, tick.nanosecondsUp), shards: shards, isPermanent: false)
  }

  /// Creates a service that must never be released.
  private init(permanent source: SystemWakeSource) {
    core = TimerCore(
      source: source, tick: 1_000_000, shards: TimerCore.shardCount, isPermanent: true)
  }

  deinit { core.shutDown() }

  /// The number of scheduled timers, including sleeping tasks and deadlines.
  ///
  /// - Complexity: O(1).
  public var count: Int { core.count }

  /// The current time of the clock in nanoseconds since an origin of the service; it never goes back.
  package var nanoseconds: UInt64 { core.nanoseconds }

  /// Schedules an action.
  ///
  /// - Parameters:
  ///   - delay: The delay from now. An action with a delay of zero or less runs at once, but never inside this call. A
  ///     delay beyond the range of the clock never ends.
  ///   - tolerance: How much later the action may run. Its time is moved to a rounder one within the tolerance, where
  ///     it may coincide with others and save a wake-up.
  ///   - action: The action, which runs on the thread of the service and must not block.
  /// - Returns: A handle that cancels or reschedules the timer. The timer stays scheduled if you discard it.
  /// - Complexity: O(1).
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration = .zero,
    _ action: consuming @escaping @Sendable () -> Void
  ) -> Handle {
    core.schedule(TimerAction(call: consume action), after: delay, tolerance: tolerance)
  }

  /// Releases the memory that the scheduled timers do not need.
  ///
  /// A service keeps the memory of timers that have expired or were cancelled, for later ones. Call this method after an
  /// unusually large number of timers. A block of 1,024 timers is released when none of them is scheduled.
  ///
  /// - Complexity: O(n), where n is the largest number of timers since the last call. The service locks one of its eight
  ///   wheels after the other, about a millisecond for 100,000 timers.
  public func shrinkToFit() { core.shrinkToFit() }

  /// The number of bytes that the service has allocated for timers and keeps for later ones.
  package var memoryFootprint: Int { core.memoryFootprint }

  /// Suspends the current task without blocking a thread.
  ///
  /// - Parameters:
  ///   - duration: The time to sleep. Zero or less returns at once.
  ///   - tolerance: How much longer the sleep may take.
  /// - Throws: `CancellationError` if the task is cancelled or the service is shut down.
  public func sleep(
    for duration: Duration, tolerance: Duration = .zero
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    guard duration > .zero else { return }
    let sleeper = Sleeper()
    let end = await withTaskCancellationHandler {
      unsafe await withUnsafeContinuation { continuation in
        unsafe sleeper.park(continuation)
        let wake = Wake(sleeper)
        sleeper.attach(
          core.schedule(TimerAction { wake.fire() }, after: duration, tolerance: tolerance))
      }
    } onCancel: {
      sleeper.end(.failure(CancellationError()))
    }
    try end.get()
  }

  /// Shuts the service down: releases scheduled actions without running them, and cancels sleeping tasks.
  ///
  /// Later calls of `schedule` return a handle that is not scheduled. The shared services cannot be shut down.
  ///
  /// - Returns: The number of timers that were scheduled.
  /// - Complexity: O(timers).
  @discardableResult
  public func shutDown() -> Int {
    if self === Self.continuous || self === Self.suspending { return 0 }
    return core.shutDown()
  }
}

extension TimerService {
  /// A handle of a timer, which cancels or reschedules it.
  ///
  /// All members are safe from any thread. A handle retains neither the service nor the action.
  ///
  /// ```swift
  /// struct Autosave {
  ///   let timers: TimerService
  ///   let save: @Sendable () -> Void
  ///   var timer: TimerService.Handle?
  ///
  ///   mutating func keyWasPressed() {
  ///     if timer?.reschedule(after: .seconds(1)) == true { return }
  ///     timer = timers.schedule(after: .seconds(1), save)
  ///   }
  /// }
  /// ```
  @safe
  public struct Handle: Sendable {
    /// Keeps the wheel alive; nil for a wheel that lives as long as the process, which saves counting references.
    private let owner: TimerShard?
    /// The wheel of the timer, nil if the service was shut down when it was scheduled.
    // It is retained by `owner`, or never released.
    private let shard: Unmanaged<TimerShard>?
    /// The timer in the wheel.
    private let timer: TimingWheel<TimerAction>.Handle

    /// Creates the handle of a timer that a service refused because it was shut down.
    init() {
      owner = nil
      unsafe shard = nil
      timer = .none
    }

    /// Creates the handle of a timer.
    ///
    /// - Parameters:
    ///   - shard: The wheel.
    ///   - isRetained: Whether the handle keeps the wheel alive. If not, the wheel must never be released.
    ///   - timer: The timer in the wheel.
    @inline(__always)
    init(_ shard: TimerShard, isRetained: Bool, _ timer: TimingWheel<TimerAction>.Handle) {
      owner = isRetained ? shard : nil
      unsafe self.shard = unsafe .passUnretained(shard)
      self.timer = timer
    }

    /// Whether the service was shut down when the timer was scheduled.
    var wasRefused: Bool { unsafe shard == nil }

    /// Cancels the timer.
    ///
    /// - Returns: Whether the timer was still scheduled. If so, its action will not run and is released. If not, the
    ///   action has run, is about to run, or was cancelled before, or the service was shut down.
    /// - Complexity: O(1).
    @discardableResult
    public func cancel() -> Bool {
      guard let shard = unsafe shard else { return false }
      return unsafe shard._withUnsafeGuaranteedRef { $0.cancel(timer) }
    }

    /// Reschedules the timer.
    ///
    /// - Parameter delay: The new delay from now, without tolerance.
    /// - Returns: Whether the timer was still scheduled. If not, nothing changes.
    /// - Complexity: O(1); for a later time a single write under the lock.
    @discardableResult
    public func reschedule(after delay: Duration) -> Bool {
      guard let shard = unsafe shard else { return false }
      return unsafe shard._withUnsafeGuaranteedRef { $0.reschedule(timer, after: delay) }
    }

    /// Whether the timer is scheduled.
    ///
    /// - Complexity: O(1).
    public var isScheduled: Bool {
      guard let shard = unsafe shard else { return false }
      return unsafe shard._withUnsafeGuaranteedRef { $0.isScheduled(timer) }
    }
  }
}

extension ContinuousClock: TimerClock {
  /// The timer service of the clock, shared by the whole process.
  package var timers: TimerService { .continuous }
}

extension SuspendingClock: TimerClock {
  /// The timer service of the clock, shared by the whole process.
  package var timers: TimerService { .suspending }
}

/// The action of a timer; it is released without being called if the timer is cancelled or the service shut down.
///
/// A structure, because a closure as a generic payload would be wrapped in another one, which allocates.
struct TimerAction: Sendable {
  /// The function to call when the timer expires.
  let call: @Sendable () -> Void
}

/// A task that sleeps in a service and is resumed once: by its timer or by a cancellation.
@safe
final class Sleeper: Sendable {
  /// How a sleep ends.
  typealias End = Result<Void, CancellationError>

  @unsafe
  private struct State: @unchecked Sendable {
    /// The continuation of the task, nil before it sleeps and after it was resumed.
    var continuation: UnsafeContinuation<End, Never>?
    /// How the sleep ended, nil before.
    var end: End?
    var timer: TimerService.Handle?
  }

  private let state = unsafe Guarded(State())

  /// Stores the continuation, or resumes it if the sleep has already ended.
  func park(_ continuation: UnsafeContinuation<End, Never>) {
    let end = unsafe state.withLock { state in
      if unsafe state.end == nil { unsafe state.continuation = unsafe continuation }
      return unsafe state.end
    }
    if let end { unsafe continuation.resume(returning: end) }
  }

  /// Stores the timer, or cancels it if the sleep has already ended.
  func attach(_ timer: TimerService.Handle) {
    let hasEnded = unsafe state.withLock { state in
      unsafe state.timer = timer
      return unsafe state.end != nil
    }
    if hasEnded { timer.cancel() }
  }

  /// Ends the sleep; calls after the first have no effect.
  func end(_ end: End) {
    let (continuation, timer) = unsafe state.withLock { state in
      guard unsafe state.end == nil else {
        return unsafe (UnsafeContinuation<End, Never>?.none, TimerService.Handle?.none)
      }
      unsafe state.end = end
      defer { unsafe state.continuation = nil }
      return unsafe (state.continuation, state.timer)
    }
    if case .failure = end { timer?.cancel() }
    if let continuation = unsafe continuation { unsafe continuation.resume(returning: end) }
  }
}

/// The action of a sleeping task's timer: wakes the task, or cancels its sleep if the action is released instead.
final class Wake: Sendable {
  private let sleeper: Sleeper

  init(_ sleeper: Sleeper) { self.sleeper = sleeper }

  // Without effect after `fire`.
  deinit { sleeper.end(.failure(CancellationError())) }

  /// Wakes the task.
  func fire() { sleeper.end(.success(())) }
}
