/// Runs a body and all its child tasks on virtual time: alone on this thread, step by step, without
/// waiting for anything real.
///
/// When nobody can go on, time goes on to the next moment for which somebody waits on the clock,
/// until the body has ended:
///
/// ```swift
/// @Test(arguments: 0..<100 as Range<UInt64>)
/// func `The second attempt comes after the backoff`(seed: UInt64) throws {
///   let attempts = try withVirtualTime(seed: seed) { clock in
///     try await retried(backoff: .seconds(3_600), clock: clock)
///   }
///   #expect(attempts == 2)
/// }
/// ```
///
/// Every run of one body with one seed is the same run. Without a seed ready tasks run in the order
/// in which they became ready; each seed shuffles them in another way, and so finds what depends on
/// their order. That holds for what is on virtual time, and only for a body that asks nothing else
/// for chance: no system random numbers, no order of a `Set` or `Dictionary`.
///
/// **On virtual time** are the body, `async let` and task groups in it, the actors that they call,
/// sleeps and timers on the clock, and `withDeadline` with it.
///
/// **Outside** are the main actor and every actor with an executor of its own; `Task { }` and
/// `Task.detached { }`, unless they are given `executorPreference: StepExecutor.current`; threads,
/// callbacks, and sleeps on other clocks. A body that waits for them is stuck as soon as nothing
/// else can go on, because nobody can know how long to wait for them. Test what needs them with a
/// ``VirtualClock`` and a ``StepExecutor`` that you drive by hand, and wait between two steps for
/// what is outside.
///
/// A body that is given up is cancelled, and then has 10,000 moments to end; one that ignores that
/// is left behind. The body is also cancelled when the task that calls this function is.
///
/// - Parameters:
///   - seed: What the order of ready tasks is drawn from; nil for the order in which they became
///     ready.
///   - limit: The most moments that time may go on to, so that a loop that sleeps again and again
///     is found. How far those moments are apart does not matter.
///   - body: What to run. It is given the clock.
/// - Returns: What the body returns.
/// - Throws: What the body throws, or ``VirtualTimeError``.
/// - Complexity: O(1) for each job and each that wakes, amortized.
public func withVirtualTime<Result: Sendable>(
  seed: UInt64? = nil, limit: Int = 1_000_000,
  _ body: @escaping @Sendable (VirtualClock) async throws -> Result
) throws -> Result {
  try VirtualRun(seed: seed, limit: limit, body).run()
}

/// Why a body on virtual time was given up.
@nonexhaustive
public enum VirtualTimeError: Error, Hashable, Sendable {
  /// Nobody could go on, and nobody waited for a moment that comes.
  ///
  /// The body waits for what is not on virtual time, or for what never happens.
  ///
  /// - Parameters:
  ///   - now: When that was.
  ///   - sleepers: How many tasks slept until a moment that never comes.
  case stuck(at: VirtualClock.Instant, sleepers: Int)
  /// Time has gone on to as many moments as it may, and the body has not ended.
  ///
  /// - Parameters:
  ///   - now: When it was given up.
  ///   - moments: How many moments there were.
  case endless(at: VirtualClock.Instant, moments: Int)
  /// Tasks went on again and again at one moment, so that time could not go on.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - jobs: How many jobs ran at it.
  case restless(at: VirtualClock.Instant, jobs: Int)
}

extension VirtualTimeError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .stuck(let now, let sleepers):
      let forEver =
        sleepers == 0 ? "" : " \(sleepers) of its tasks sleep until a moment that never comes."
      return """
        stuck after \(now): the body has not ended, and none of its tasks can go on.\(forEver) \
        It waits for what never happens, or for what is not on virtual time: the main actor, \
        an actor with an executor of its own, a sleep on another clock, \
        or a Task { } without executorPreference: StepExecutor.current.
        """
    case .endless(let now, let moments):
      return """
        endless after \(now): time has gone on \(moments) times, and the body has not ended. \
        Something in it sleeps again and again: end that, or pass a higher limit.
        """
    case .restless(let now, let jobs):
      return """
        restless at \(now): the tasks have run \(jobs) jobs without letting time go on. \
        One that waits by Task.yield() has to sleep on the clock instead.
        """
    }
  }
}
