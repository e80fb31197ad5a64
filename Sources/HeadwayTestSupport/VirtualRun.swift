internal import HeadwayLock

/// One run of a body on virtual time.
struct VirtualRun<Result: Sendable>: Sendable {
  /// What came out of a body, once it has ended.
  private final class Outcome: Sendable {
    /// The result.
    private let guarded = Guarded<Swift.Result<Result, any Error>?>(nil)

    /// Creates the outcome of a body that has not ended.
    init() {}

    /// The result, nil before the end.
    var result: Swift.Result<Result, any Error>? {
      get { guarded.withLock { $0 } }
      set { guarded.withLock { $0 = newValue } }
    }
  }

  /// The moments that a body has to end when it was given up.
  private static var grace: Int { 10_000 }

  /// The most moments that time may go on to.
  private let limit: Int
  /// The most jobs at one moment; a test that is no endless loop needs far fewer.
  private let jobLimit: Int
  /// What to run.
  private let body: @Sendable (VirtualClock) async throws -> Result
  /// The clock.
  private let clock = VirtualClock()
  /// What runs the tasks.
  private let executor: StepExecutor
  /// What came out.
  private let outcome = Outcome()

  /// Creates a run.
  ///
  /// - Parameters:
  ///   - seed: What the order of ready jobs is drawn from.
  ///   - limit: The most moments that time may go on to.
  ///   - jobLimit: The most jobs at one moment.
  ///   - body: What to run.
  init(
    seed: UInt64?, limit: Int, jobLimit: Int = 10_000_000,
    _ body: @escaping @Sendable (VirtualClock) async throws -> Result
  ) {
    executor = StepExecutor(seed: seed)
    self.limit = limit
    self.jobLimit = jobLimit
    self.body = body
  }

  /// Runs the body to its end.
  ///
  /// - Returns: What it returns.
  /// - Throws: What it throws, or why it was given up.
  func run() throws -> Result {
    let (clock, body, outcome) = (clock, body, outcome)
    let task = StepExecutor.$current.withValue(executor) {
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
      // Whether it ends now or not, it was given up.
      _ = try? drive(task, limit: Self.grace)
      throw error
    }
  }

  /// Lets tasks and time go on until the body has ended.
  ///
  /// - Parameters:
  ///   - task: The body's task.
  ///   - limit: The most moments to go on to.
  /// - Returns: What came out.
  /// - Throws: Why the body cannot end.
  private func drive(
    _ task: Task<Void, Never>, limit: Int
  ) throws(VirtualTimeError) -> Swift.Result<Result, any Error> {
    var moments = 0
    while true {
      var jobs = 0
      while jobs < jobLimit, executor.runNext() { jobs += 1 }
      if let result = outcome.result { return result }
      if jobs == jobLimit { throw .restless(at: clock.now, jobs: jobs) }
      if Task.isCancelled && !task.isCancelled {
        // The body's task is no child of the one that calls, and has to be told.
        task.cancel()
        continue
      }
      if moments >= limit { throw .endless(at: clock.now, moments: moments) }
      guard clock.step() else {
        throw .stuck(at: clock.now, sleepers: clock.sleeperCount)
      }
      moments += 1
    }
  }
}
