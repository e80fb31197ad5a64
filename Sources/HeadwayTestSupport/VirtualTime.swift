/// Runs an asynchronous closure and its child tasks on virtual time, step by step on the calling thread.
///
/// Whenever no task can continue, the clock advances to the next instant that something waits for, until the closure
/// returns:
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
/// All runs of a closure with the same seed are identical. Without a seed, ready tasks run in the order in which they
/// became ready. A seed selects a random order instead, which finds code that depends on the order. This holds for
/// everything on virtual time, provided that the closure uses no other randomness, such as the system's random
/// numbers or the order of a `Set` or `Dictionary`.
///
/// **On virtual time** are the closure, its `async let`s and task groups, the actors that they call, sleeps and
/// timers on the clock, and `withDeadline` with that clock.
///
/// **Not on virtual time** are the main actor and every actor with an executor of its own; `Task { }` and
/// `Task.detached { }`, unless they get `executorPreference: StepExecutor.current`; threads, callbacks, and sleeps on
/// other clocks. If the closure waits for one of these and nothing else can continue, the run fails with
/// ``VirtualTimeError/stuck(at:sleepers:)``, because there is no way to know how long to wait. To test such code,
/// drive a ``VirtualClock`` and a ``StepExecutor`` by hand, and wait for the outside between two steps.
///
/// If the run fails, the closure is cancelled and has 10,000 more instants to end; if it ignores the cancellation, it
/// is abandoned. The closure is also cancelled if the calling task is.
///
/// - Parameters:
///   - seed: The seed of the order in which ready tasks run; nil for the order in which they became ready.
///   - limit: The maximum number of instants to advance to, which ends a loop that sleeps forever. How far apart the
///     instants are does not matter.
///   - body: The closure, which receives the clock.
/// - Returns: The value that the closure returns.
/// - Throws: The error that the closure throws, or ``VirtualTimeError``.
/// - Complexity: O(1) for each job and each sleep or timer that ends, amortized.
public func withVirtualTime<Result: Sendable>(
  seed: UInt64? = nil, limit: Int = 1_000_000,
  _ body: @escaping @Sendable (VirtualClock) async throws -> Result
) throws -> Result {
  try VirtualRun(seed: seed, limit: limit, body).run()
}

/// The reason why a run on virtual time failed.
///
/// ```swift
/// do {
///   try withVirtualTime { clock in try await clock.sleep(until: never) }
/// } catch let error as VirtualTimeError {
///   show("\(error)")  // says where the run is stuck and what to do
/// }
/// ```
@nonexhaustive
public enum VirtualTimeError: Error, Hashable, Sendable {
  /// No task could continue, and nothing waited for an instant that can be reached.
  ///
  /// The closure waits for something that is not on virtual time, or that never happens.
  ///
  /// - Parameters:
  ///   - now: The instant at which the run failed.
  ///   - sleepers: The number of tasks that slept until an instant that is never reached.
  case stuck(at: VirtualClock.Instant, sleepers: Int)
  /// The clock advanced to as many instants as the limit allows, and the closure had not returned.
  ///
  /// - Parameters:
  ///   - now: The instant at which the run failed.
  ///   - instants: The number of instants.
  case limitReached(at: VirtualClock.Instant, instants: Int)
  /// Tasks kept running at one instant, so that the clock could not advance.
  ///
  /// - Parameters:
  ///   - now: The instant.
  ///   - jobs: The number of jobs that ran at it.
  case livelock(at: VirtualClock.Instant, jobs: Int)
}

extension VirtualTimeError: CustomStringConvertible {
  /// A message that says what happened and what to do.
  public var description: String {
    switch self {
    case .stuck(let now, let sleepers):
      let sleeping =
        sleepers == 0
        ? "" : " \(sleepers) of its tasks sleep until an instant that is never reached."
      return """
        stuck after \(now): the closure has not returned, and none of its tasks can continue.\(sleeping) \
        It waits for something that never happens, or that is not on virtual time: the main actor, \
        an actor with an executor of its own, a sleep on another clock, \
        or a Task { } without executorPreference: StepExecutor.current.
        """
    case .limitReached(let now, let instants):
      return """
        limit reached after \(now): the clock has advanced \(instants) times, and the closure has not returned. \
        It may contain a loop that sleeps forever; end the loop, or pass a higher limit.
        """
    case .livelock(let now, let jobs):
      return """
        livelock at \(now): the tasks have run \(jobs) jobs, and the clock could not advance. \
        A task that waits by calling Task.yield() has to sleep on the clock instead.
        """
    }
  }
}
