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
/// - If it throws `CancellationError` because of the deadline, ``DeadlineExceeded`` is thrown. If the caller
///   was cancelled as well, `CancellationError` is.
/// - Any other error of the body comes through unchanged.
///
/// The body is *waited for*: one that does not listen to cancellation makes the call as long as itself.
/// Functions that block and cannot be cancelled belong into a `TimeoutRunner`. The body's cancellation handlers
/// run on the thread of the timers: a handler that blocks holds up all deadlines. Of nested deadlines the
/// earlier counts: it cancels the inner body too.
///
/// The body runs on the caller's actor and may use what is not `Sendable`. It is a child task of the caller,
/// so that cancelling it does not cancel the caller: it has the caller's priority, task-local values and
/// executor, and is cancelled with it.
///
/// The names follow Swift Evolution proposal SE-0526, accepted with modifications in July 2026 and not in Swift
/// 6.3. There the body's error comes through as it is, and a deadline shows as the reason of its
/// `CancellationError`. Swift 6.3 has no such reason, so ``DeadlineExceeded`` takes that error's place.
///
/// - Parameters:
///   - limit: How long the body may take, from now on the clock. Zero and less has passed already: the body
///     starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock, `ContinuousClock` by default.
///   - isolation: The actor to run on: the caller's.
///   - body: What to do.
/// - Returns: What the body returns.
/// - Throws: ``DeadlineExceeded``, or what the body throws.
/// - Complexity: O(1): one timer and one child task.
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
/// It is `withDeadline(in:)` with the instant in place of the time that is left until then; all that is said
/// there holds. Pass one deadline down through several calls to let them share it.
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
  /// How long the body was allowed to take, from the call on: for an instant, what was left until then.
  public let limit: Duration

  /// Creates the error.
  ///
  /// - Parameter limit: How long the body was allowed to take.
  public init(limit: Duration) { self.limit = limit }

  /// The error in words.
  public var description: String {
    limit > .zero
      ? "the deadline of \(limit) has passed" : "the deadline had passed before the body began"
  }
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
  // The child ends before this function returns, and runs on this actor while it waits.
  nonisolated(unsafe) let body = body
  let call = ChildTask()
  async let end: Void = unsafe run(
    call, limit, tolerance: tolerance ?? .zero, timers: timers, isolation: isolation, body: body)
  await end
  return call.wasCancelled
}

/// Runs a body as the child task of a call.
private func run(
  _ call: ChildTask, _ limit: Duration, tolerance: Duration, timers: TimerService,
  isolation: isolated (any Actor)?, body: () async -> Void
) async {
  call.begin()
  guard limit > .zero else {
    call.cancel()
    await body()
    return
  }
  let token = timers.schedule(after: limit, tolerance: tolerance) { call.cancel() }
  await body()
  // A timer that was cancelled in time will not fire; any other may be at it.
  if !token.cancel() {
    while !call.end() { await Task.yield() }
  }
}
