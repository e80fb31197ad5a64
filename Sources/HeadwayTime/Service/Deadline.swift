internal import HeadwayLock

/// Runs a closure with a time limit, and cancels it when the time limit passes.
///
/// ```swift
/// let page = try await withDeadline(in: .seconds(5)) {
///   try await download(url)
/// }
/// ```
///
/// - If the closure returns a value, this function returns it, even after the deadline.
/// - If the closure throws an error before the deadline, or if the caller is cancelled, the error is rethrown.
/// - If the closure throws any error after the deadline has cancelled it, this function throws ``DeadlineExceeded`` with that
///   error as its ``DeadlineExceeded/underlying``. Libraries have errors of their own for a cancellation, such as `URLError`.
///
/// The limit counts from the call, however late the closure begins, such as on a busy actor.
///
/// This function always waits for the closure to end, so a closure that does not respond to cancellation can exceed the
/// limit. For a function that blocks and cannot be cancelled, use a ``TimeoutRunner``. The cancellation handlers of the
/// closure run on the thread of the timers, so a handler that blocks delays all deadlines. Of nested deadlines the
/// earliest one applies, because it also cancels the inner closures.
///
/// The closure runs on the caller's actor and may use values that are not `Sendable`. It runs in a child task, so
/// cancelling it does not cancel the caller. The child has the caller's priority, task-local values and executor, and
/// is cancelled with the caller.
///
/// The names follow Swift Evolution proposal SE-0526, which is not part of Swift 6.3. There, the error of the closure is
/// rethrown unchanged, and its `CancellationError` has the deadline as its reason. In Swift 6.3 no error has a reason, so
/// ``DeadlineExceeded`` contains it.
///
/// - Parameters:
///   - limit: The time that the closure may take. If it is zero or less, the closure starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock, `ContinuousClock` by default.
///   - isolation: The actor to run on; the caller's by default.
///   - body: The work.
/// - Returns: The value that the closure returns.
/// - Throws: ``DeadlineExceeded``, or the error that the closure throws.
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
    if isExpired && !Task.isCancelled {
      throw DeadlineExceeded(limit: limit, underlying: error)
    }
    throw error
  case nil: preconditionFailure("The body has ended without a result.")
  }
}

/// Runs a closure for at most a certain time, and cancels it then: `withDeadline(in:)` with fewer words.
///
/// ```swift
/// let page = try await withDeadline(.seconds(5)) { try await download("index.html") }
/// ```
///
/// - Parameters:
///   - limit: The time that the closure may take. If it is zero or less, the closure starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock, `ContinuousClock` by default.
///   - isolation: The actor to run on; the caller's by default.
///   - body: The work.
/// - Returns: The value that the closure returns.
/// - Throws: ``DeadlineExceeded``, or the error that the closure throws.
/// - Complexity: O(1).
@inlinable
public func withDeadline<C: Clock, Result>(
  _ limit: Duration, tolerance: Duration? = nil, clock: C = ContinuousClock(),
  isolation: isolated (any Actor)? = #isolation, body: () async throws -> Result
) async throws -> Result where C.Duration == Duration {
  try await withDeadline(
    in: limit, tolerance: tolerance, clock: clock, isolation: isolation, body: body)
}

/// Runs a closure until an instant of a clock, and cancels it at that instant.
///
/// Except for the deadline this is `withDeadline(in:)`. Pass one instant to several calls to let them share a deadline.
///
/// - Parameters:
///   - deadline: The instant. If it has passed, the closure starts cancelled.
///   - tolerance: How much later the cancellation may come; none by default.
///   - clock: The clock of the instant, `ContinuousClock` by default.
///   - isolation: The actor to run on; the caller's by default.
///   - body: The work.
/// - Returns: The value that the closure returns.
/// - Throws: ``DeadlineExceeded``, or the error that the closure throws.
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

/// Returns the timer service of a clock, or creates one for this call.
@inlinable
func timers<C: Clock>(of clock: C) -> TimerService where C.Duration == Duration {
  // Resolved at compile time when the clock is known.
  if C.self == ContinuousClock.self { return .continuous }
  if C.self == SuspendingClock.self { return .suspending }
  return ownTimers(of: clock)
}

/// Returns the timer service of a clock that is not one of the machine's.
@usableFromInline
func ownTimers<C: Clock>(of clock: C) -> TimerService where C.Duration == Duration {
  if let clock = clock as? any TimerClock { return clock.timers }
  return TimerService(source: ClockWakeSource(clock), tick: .microseconds(1), shards: 1)
}

/// Runs a closure in a child task, and cancels the child at a deadline.
///
/// - Parameters:
///   - limit: The time that the closure may take.
///   - tolerance: How much later the cancellation may come.
///   - timers: The timer service.
///   - isolation: The actor to run on.
///   - body: The work.
/// - Returns: Whether the deadline passed before the closure ended.
@usableFromInline
func runUntilDeadline(
  _ limit: Duration, tolerance: Duration?, timers: TimerService,
  isolation: isolated (any Actor)?, body: () async -> Void
) async -> Bool {
  // The child may begin much later.
  let deadline = timers.core.moment(after: limit)
  // The child ends before this function returns, and runs on this actor while it waits.
  nonisolated(unsafe) let body = body
  let call = ChildTask()
  async let end: Void = unsafe run(
    call, deadline, tolerance: tolerance ?? .zero, timers: timers, isolation: isolation, body: body)
  await end
  return call.wasCancelled
}

/// The body of the child task.
private func run(
  _ call: ChildTask, _ deadline: UInt64, tolerance: Duration, timers: TimerService,
  isolation: isolated (any Actor)?, body: () async -> Void
) async {
  call.begin()
  guard timers.core.nanoseconds < deadline else {
    call.cancel()
    await body()
    return
  }
  let timer = timers.core.schedule(
    TimerAction { call.cancel() }, atMoment: deadline, tolerance: tolerance)
  await body()
  // A timer that is cancelled in time does not fire. Any other may be firing now.
  if !timer.cancel() {
    while !call.end() { await Task.yield() }
  }
}
