internal import HeadwayLock

/// One run of a closure on virtual time.
struct VirtualRun<Result: Sendable>: Sendable {
  /// The result of the closure.
  private final class Outcome: Sendable {
    private let guarded = Guarded<Swift.Result<Result, any Error>?>(nil)

    /// The result, nil until the closure ends.
    var result: Swift.Result<Result, any Error>? {
      get { guarded.withLock { $0 } }
      set { guarded.withLock { $0 = newValue } }
    }
  }

  /// The number of instants that a cancelled closure has to end.
  private static var gracePeriod: Int { 10_000 }

  /// The maximum number of instants to advance to.
  private let limit: Int
  /// The maximum number of jobs at one instant; only an endless loop needs more.
  private let jobLimit: Int
  private let body: @Sendable (VirtualClock) async throws -> Result
  private let clock = VirtualClock()
  private let executor: StepExecutor
  private let outcome = Outcome()

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - seed: The seed of the order in which ready jobs run.
  ///   - limit: The maximum number of instants to advance to.
  ///   - jobLimit: The maximum number of jobs at one instant.
  ///   - body: The closure.
  init(
    seed: UInt64?, limit: Int, jobLimit: Int = 10_000_000,
    _ body: @escaping @Sendable (VirtualClock) async throws -> Result
  ) {
    executor = StepExecutor(seed: seed)
    self.limit = limit
    self.jobLimit = jobLimit
    self.body = body
  }

  /// Runs the closure.
  ///
  /// - Returns: The value that it returns.
  /// - Throws: The error that it throws, or `VirtualTimeError`.
  func run() throws -> Result {
    let (clock, body, outcome) = (clock, body, outcome)
    let task = StepExecutor.$taskLocal.withValue(executor) {
      Task(executorPreference: executor) {
        do {
          outcome.result = .success(try await body(clock))
        } catch {
          outcome.result = .failure(error)
        }
      }
    }
    do {
      return try drive(task, limit: limit).get()
    } catch let error as VirtualTimeError where outcome.result == nil {
      task.cancel()
      // The run has failed even if the closure ends now.
      _ = try? drive(task, limit: Self.gracePeriod)
      throw error
    }
  }

  /// Runs jobs and advances the clock until the closure ends.
  ///
  /// - Parameters:
  ///   - task: The task of the closure.
  ///   - limit: The maximum number of instants to advance to.
  /// - Returns: The result of the closure.
  /// - Throws: The reason why the closure cannot end.
  private func drive(
    _ task: Task<Void, Never>, limit: Int
  ) throws(VirtualTimeError) -> Swift.Result<Result, any Error> {
    var instants = 0
    while true {
      var jobs = 0
      while jobs < jobLimit, executor.runNext() { jobs += 1 }
      if let result = outcome.result { return result }
      if jobs == jobLimit { throw .livelock(at: clock.now, jobs: jobs) }
      if Task.isCancelled && !task.isCancelled {
        // The closure's task is not a child of the calling task.
        task.cancel()
        continue
      }
      if instants >= limit { throw .limitReached(at: clock.now, instants: instants) }
      guard clock.step() else {
        throw .stuck(at: clock.now, sleepers: clock.sleeperCount)
      }
      instants += 1
    }
  }
}
