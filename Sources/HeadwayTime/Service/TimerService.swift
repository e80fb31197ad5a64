internal import HeadwayLock

/// Timers on a clock, for any number of threads and tasks: one sleeping thread however many there are.
///
/// ```swift
/// let timers = TimerService.continuous
/// let token = timers.schedule(after: .seconds(30)) { connection.close() }
/// token.reschedule(after: .seconds(30))   // a sign of life
/// token.cancel()                          // true: it will not run
/// try await timers.sleep(for: .milliseconds(20))
/// ```
///
/// For a limit on a piece of asynchronous work use `withDeadline(in:)`, for one on a function that blocks
/// `TimeoutRunner`.
///
/// **Contract.** An action runs never before its time, and at most one tick after it when the machine is not
/// busy. It runs once, unless it is cancelled; a cancellation that comes while timers fire has exactly one
/// winner, and says who it was. Actions run one after the other, outside all locks: on the service's thread, on
/// another clock in the task that sleeps on it, on a virtual clock in whoever advances it. Let them be short
/// and hand longer work on. Scheduling and cancelling take one short lock and cost no
/// allocation beyond the action's own. All members are safe from any thread and inside actions.
///
/// **Design.** Eight timing wheels, each behind a lock of its own, so that threads seldom meet; the token knows
/// which. An empty one takes about 40 kB. The thread sleeps until the earliest deadline of all and is set anew only for an
/// earlier one, so a timer that is cancelled in time costs no system call. When it wakes, it takes what has
/// expired in batches and runs them with no lock held.
///
/// A service that is dropped or shut down runs nothing more: what is scheduled is released, who sleeps is
/// cancelled.
public final class TimerService: Sendable {
  /// The service of `ContinuousClock`, whose time goes on while the machine sleeps.
  ///
  /// It lives as long as the process.
  public static let continuous = TimerService(clock: ContinuousClock())
  /// The service of `SuspendingClock`, whose time stands still while the machine sleeps.
  ///
  /// It lives as long as the process.
  public static let suspending = TimerService(clock: SuspendingClock())

  /// The wheels and what wakes them; tokens and the thread hold it, not the service.
  let core: TimerCore

  /// Creates a service on a clock.
  ///
  /// - Parameters:
  ///   - clock: The clock, for example `ContinuousClock()`, or a virtual clock in tests. The machine's clocks
  ///     cost one thread, started with the first timer; any other a task that sleeps on it.
  ///   - tick: How exact the timers are: deadlines are rounded up to a whole number of these. At least a
  ///     nanosecond.
  public convenience init<C: Clock>(clock: C, tick: Duration = .milliseconds(1))
  where C.Duration == Duration {
    let alarm: any TimerAlarm =
      switch clock {
      case is ContinuousClock: SystemAlarm(isContinuous: true)
      case is SuspendingClock: SystemAlarm(isContinuous: false)
      case let clock as any AlarmClock: clock.makeAlarm()
      default: ClockAlarm(clock)
      }
    self.init(alarm: alarm, tick: tick, shards: TimerCore.shardCount)
  }

  /// Creates a service on an alarm.
  package init(alarm: any TimerAlarm, tick: Duration, shards: Int) {
    core = TimerCore(alarm: alarm, tick: max(1, tick.nanosecondsUp), shards: shards)
  }

  deinit { core.shutDown() }

  /// The number of timers that are scheduled, sleepers and deadlines among them.
  ///
  /// - Complexity: O(shards).
  public var count: Int { core.count }

  /// The present moment of the clock in nanoseconds since an origin of the service's own; it never goes back.
  package var nanoseconds: UInt64 { core.nanoseconds }

  /// Schedules an action.
  ///
  /// - Parameters:
  ///   - delay: How long to wait. Zero and less is at once, though never inside this call; what is too far
  ///     for the clock is never.
  ///   - tolerance: How much later it may run. The time is moved to a rounder one within it, where it may
  ///     meet others and save a wake-up.
  ///   - action: What to do, on the service's thread. It must not block.
  /// - Returns: What cancels or moves it. It may be dropped: the timer stays.
  /// - Complexity: O(1).
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration = .zero, _ action: @escaping @Sendable () -> Void
  ) -> TimerToken {
    core.schedule(.call(action), after: delay, tolerance: tolerance)
  }

  /// Sleeps without holding a thread.
  ///
  /// - Parameters:
  ///   - duration: How long. Zero and less is not at all.
  ///   - tolerance: How much longer it may be.
  /// - Throws: `CancellationError`, at once when the task is cancelled, or when the service is shut down.
  public func sleep(for duration: Duration, tolerance: Duration = .zero) async throws {
    try Task.checkCancellation()
    guard duration > .zero else { return }
    let sleeper = Sleeper()
    try await withTaskCancellationHandler {
      try unsafe await withUnsafeThrowingContinuation { continuation in
        unsafe sleeper.park(continuation)
        sleeper.keep(core.schedule(.wake(sleeper), after: duration, tolerance: tolerance))
      }
    } onCancel: {
      sleeper.end(.failure(CancellationError()))
    }
  }

  /// Ends the service: releases what is scheduled without running it, and cancels who sleeps.
  ///
  /// What is scheduled afterwards never runs, and its token says that it is not scheduled. The shared
  /// services cannot be shut down.
  ///
  /// - Returns: How many timers were still scheduled.
  /// - Complexity: O(timers).
  @discardableResult
  public func shutDown() -> Int {
    if self === Self.continuous || self === Self.suspending { return 0 }
    return core.shutDown()
  }
}

/// One timer of a service: what cancels and moves it.
///
/// Safe from any thread. It keeps neither the service nor the action.
public struct TimerToken: Sendable {
  /// The wheel that holds the timer; nil when it was refused because the service is shut down.
  let shard: TimerShard?
  /// The timer in the wheel.
  let handle: TimingWheel<TimerAction>.Handle

  /// Cancels the timer.
  ///
  /// - Returns: Whether it was still scheduled: then its action will not run, and has been released. If not,
  ///   it has run, is about to, was cancelled before, or the service was shut down.
  /// - Complexity: O(1).
  @discardableResult
  public func cancel() -> Bool { shard?.cancel(handle) ?? false }

  /// Moves the timer to a new time, counted from now.
  ///
  /// - Parameter delay: How long to wait from now; the tolerance it was scheduled with no longer counts.
  /// - Returns: Whether it was still scheduled; if not, nothing happens.
  /// - Complexity: O(1); to a later time one write under the lock.
  @discardableResult
  public func reschedule(after delay: Duration) -> Bool {
    shard?.reschedule(handle, after: delay) ?? false
  }

  /// Whether the timer is scheduled.
  ///
  /// - Complexity: O(1).
  public var isScheduled: Bool { shard?.isScheduled(handle) ?? false }
}

extension ContinuousClock: TimerClock {
  /// The service of the clock, the same for the whole process.
  public var timers: TimerService { .continuous }
}

extension SuspendingClock: TimerClock {
  /// The service of the clock, the same for the whole process.
  public var timers: TimerService { .suspending }
}

/// What happens when a timer fires.
enum TimerAction: Sendable {
  /// A function is called.
  case call(@Sendable () -> Void)
  /// A sleeping task goes on.
  case wake(Sleeper)

  /// Does it.
  func fire() {
    switch self {
    case .call(let action): action()
    case .wake(let sleeper): sleeper.end(.success(()))
    }
  }

  /// Tells that it will never happen.
  func drop() {
    switch self {
    case .call: break
    case .wake(let sleeper): sleeper.end(.failure(CancellationError()))
    }
  }
}

/// A task that sleeps in a service: its end comes once, from the timer or from a cancellation.
@safe
final class Sleeper: Sendable {
  /// Where the sleep stands.
  @unsafe
  private struct State: @unchecked Sendable {
    /// What continues the task, nil before it sleeps and after it was woken.
    var continuation: UnsafeContinuation<Void, any Error>?
    /// How the sleep ended, nil before.
    var end: Result<Void, any Error>?
    /// The timer.
    var token: TimerToken?
  }

  /// Where the sleep stands.
  private let state = unsafe Guarded(State())

  /// Notes what continues the task, or continues it if the sleep has ended before it began.
  func park(_ continuation: UnsafeContinuation<Void, any Error>) {
    let end = unsafe state.withLock { state in
      if unsafe state.end == nil { unsafe state.continuation = unsafe continuation }
      return unsafe state.end
    }
    if let end { unsafe continuation.resume(with: end) }
  }

  /// Notes the timer, or cancels it if the sleep has ended already.
  func keep(_ token: TimerToken) {
    let hasEnded = unsafe state.withLock { state in
      unsafe state.token = token
      return unsafe state.end != nil
    }
    if hasEnded { token.cancel() }
    if token.shard == nil { self.end(.failure(CancellationError())) }
  }

  /// Ends the sleep; only the first call does something.
  func end(_ end: Result<Void, any Error>) {
    let (continuation, token) = unsafe state.withLock { state in
      guard unsafe state.end == nil else {
        return unsafe (UnsafeContinuation<Void, any Error>?.none, TimerToken?.none)
      }
      unsafe state.end = end
      defer { unsafe state.continuation = nil }
      return unsafe (state.continuation, state.token)
    }
    if case .failure = end { token?.cancel() }
    if let continuation = unsafe continuation { unsafe continuation.resume(with: end) }
  }
}
