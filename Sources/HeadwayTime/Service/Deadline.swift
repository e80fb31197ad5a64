internal import HeadwayLock

/// Runs a body with a time limit: when it has passed, the body is cancelled and waited for.
///
/// ```swift
/// let page = try await withDeadline(in: .seconds(5)) {
///   try await download(url)
/// }
/// ```
///
/// - If the body returns a value, that value is returned, even after the deadline.
/// - If it throws `CancellationError` because of the deadline, ``DeadlineExceeded`` is thrown. If the caller was cancelled as well, `CancellationError` is.
/// - Any other error of the body comes through unchanged.
///
/// The body is *waited for*: one that does not listen to cancellation makes the call as long as itself. Functions that block and cannot be
/// cancelled belong into a `TimeoutRunner`. Of nested deadlines the earlier counts: it cancels the inner body too.
///
/// The body runs on the caller's actor, begins at once on the caller's thread, and may use what is not `Sendable`. It is a task of its own, so that cancelling it does not cancel the
/// caller; it has the caller's priority and task-local values.
///
/// The names follow Swift Evolution proposal SE-0526. There the error carries the body's error and is thrown for whatever the body throws after
/// the deadline; here it stands for the cancellation alone, and an error that tells more is not hidden.
///
/// - Parameters:
///   - limit: How long the body may take, from now on the clock. Zero and less has passed already: the body starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock, `ContinuousClock` by default.
///   - isolation: The actor to run on: the caller's.
///   - body: What to do.
/// - Returns: What the body returns.
/// - Throws: ``DeadlineExceeded``, or what the body throws.
/// - Complexity: O(1): one timer, and one task that begins without a change of threads.
@inlinable
public func withDeadline<C: Clock, Result>(
  in limit: Duration, tolerance: Duration? = nil, clock: C = ContinuousClock(),
  isolation: isolated (any Actor)? = #isolation, body: () async throws -> Result
) async throws -> Result where C.Duration == Duration {
  var result: Swift.Result<Result, any Error>?
  let isExpired = await runUntilDeadline(
    limit, tolerance: tolerance, timers: timers(of: clock), isolation: isolation
  ) {
    do {
      result = .success(try await body())
    } catch {
      result = .failure(error)
    }
  }
  switch result {
  case .success(let value): return value
  case .failure(let error):
    if isExpired && error is CancellationError && !Task.isCancelled {
      throw DeadlineExceeded(limit: limit)
    }
    throw error
  case nil: preconditionFailure("a body has ended without a result")
  }
}

/// Runs a body until an instant of a clock: when it has come, the body is cancelled and waited for.
///
/// It is `withDeadline(in:)` with the instant in place of the time that is left until then; all that is said there holds. Pass one deadline down through
/// several calls to let them share it.
///
/// - Parameters:
///   - deadline: The instant by which the body has to be done. One that has passed starts the body cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock of the instant, `ContinuousClock` by default.
///   - isolation: The actor to run on: the caller's.
///   - body: What to do.
/// - Returns: What the body returns.
/// - Throws: ``DeadlineExceeded``, or what the body throws.
/// - Complexity: O(1).
@inlinable
public func withDeadline<C: Clock, Result>(
  _ deadline: C.Instant, tolerance: Duration? = nil, clock: C = ContinuousClock(),
  isolation: isolated (any Actor)? = #isolation, body: () async throws -> Result
) async throws -> Result where C.Duration == Duration {
  try await withDeadline(
    in: clock.now.duration(to: deadline), tolerance: tolerance, clock: clock, isolation: isolation,
    body: body)
}

/// The error of a body that was cancelled because its deadline had passed.
public struct DeadlineExceeded: Error, Hashable, Sendable, CustomStringConvertible {
  /// How long the body was allowed to take, from the call on.
  public let limit: Duration

  /// Creates the error.
  ///
  /// - Parameter limit: How long the body was allowed to take.
  public init(limit: Duration) { self.limit = limit }

  /// The error in words.
  public var description: String { "the deadline of \(limit) has passed" }
}

/// The timers of a clock: its own, or some made for this one call.
@inlinable
func timers<C: Clock>(of clock: C) -> TimerService where C.Duration == Duration {
  // Decided by the compiler where it knows the clock.
  if C.self == ContinuousClock.self { return .continuous }
  if C.self == SuspendingClock.self { return .suspending }
  return ownTimers(of: clock)
}

/// The timers of a clock that is not one of the machine.
@usableFromInline
func ownTimers<C: Clock>(of clock: C) -> TimerService where C.Duration == Duration {
  if let clock = clock as? any TimerClock { return clock.timers }
  return TimerService(alarm: ClockAlarm(clock), tick: .microseconds(1), shards: 1)
}

/// Runs a body in a task of its own until it ends, and cancels it at a deadline or with the caller.
///
/// - Parameters:
///   - limit: How long the body may take.
///   - tolerance: How much later the cancellation may come.
///   - timers: What fires.
///   - isolation: The actor to run on.
///   - body: What to do.
/// - Returns: Whether the deadline has passed before the body ended.
@usableFromInline
func runUntilDeadline(
  _ limit: Duration, tolerance: Duration?, timers: TimerService,
  isolation: isolated (any Actor)?, body: () async -> Void
) async -> Bool {
  nonisolated(unsafe) let body = body
  // The body is run by a task that has ended before this function returns, and on this actor.
  return unsafe await withoutActuallyEscaping(body) { body in
    let call = DeadlineCall(body)
    await withTaskCancellationHandler {
      let task = Task.immediate(executorPreference: preferredExecutor()) {
        // Named here, so that the task runs on this actor.
        _ = isolation
        let token = call.begin(limit, tolerance ?? .zero, timers)
        await call.body()
        token?.cancel()
        while !call.retire() { await Task.yield() }
      }
      await task.value
    } onCancel: {
      call.cancel(becauseExpired: false)
    }
    return call.isExpired
  }
}

/// The executor that the present task prefers, which a task of its own does not inherit; nil when it has no preference.
private func preferredExecutor() -> (any TaskExecutor)? {
  guard #available(macOS 26.4, *) else { return nil }
  // The task is the one that asks, so it is alive, and its executor with it.
  return unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor?.asTaskExecutor() }
}

/// One call of `withDeadline`: the body, its task while there is one, and why it was cancelled.
///
/// The task is named by an unsafe reference, which is good while the task runs. So a cancellation announces itself first and
/// signs off afterwards, and the task does not end before all have signed off.
@safe
private final class DeadlineCall: @unchecked Sendable {
  /// What cancellations and the end of the task agree on.
  @unsafe
  private struct State: @unchecked Sendable {
    /// The task, while it can be cancelled.
    var task: UnsafeCurrentTask?
    /// Whether the task has to be cancelled as soon as there is one.
    var isCancelled = false
    /// Whether the deadline has passed.
    var isExpired = false
    /// The cancellations that are on their way.
    var onTheirWay = 0
  }

  /// What to do; only the task calls it.
  let body: () async -> Void
  /// What cancellations and the end of the task agree on.
  private let state = unsafe Guarded(State())

  /// Creates a call.
  init(_ body: @escaping () async -> Void) { self.body = body }

  /// Whether the deadline has passed before the body ended.
  var isExpired: Bool { unsafe state.withLock { unsafe $0.isExpired } }

  /// Begins the task: makes it known to cancellations and sets the timer.
  ///
  /// - Parameters:
  ///   - limit: How long the body may take.
  ///   - tolerance: How much later the cancellation may come.
  ///   - timers: What fires.
  /// - Returns: The timer, nil when the deadline has passed already.
  func begin(_ limit: Duration, _ tolerance: Duration, _ timers: TimerService) -> TimerToken? {
    unsafe withUnsafeCurrentTask { task in
      let isCancelled = unsafe state.withLock { state in
        unsafe state.task = unsafe task
        return unsafe state.isCancelled
      }
      if isCancelled { unsafe task?.cancel() }
    }
    if limit > .zero {
      return timers.schedule(after: limit, tolerance: tolerance) { [self] in
        cancel(becauseExpired: true)
      }
    }
    cancel(becauseExpired: true)
    return nil
  }

  /// Cancels the task, or notes that it has to be.
  ///
  /// - Parameter becauseExpired: Whether the deadline has passed.
  func cancel(becauseExpired: Bool) {
    let task = unsafe state.withLock { state -> UnsafeCurrentTask? in
      unsafe state.isCancelled = true
      if becauseExpired { unsafe state.isExpired = true }
      if unsafe state.task != nil { unsafe state.onTheirWay += 1 }
      return unsafe state.task
    }
    guard let task = unsafe task else { return }
    // Outside the lock: this runs the body's own handlers.
    unsafe task.cancel()
    unsafe state.withLock { unsafe $0.onTheirWay -= 1 }
  }

  /// Takes the task out of reach of cancellations to come.
  ///
  /// - Returns: Whether none is on its way.
  func retire() -> Bool {
    unsafe state.withLock { state in
      unsafe state.task = nil
      return unsafe state.onTheirWay == 0
    }
  }
}
