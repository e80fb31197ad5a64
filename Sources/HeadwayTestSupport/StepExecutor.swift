internal import HeadwayCollections
internal import HeadwayLock

/// A task executor that runs jobs only when it is asked to, on the calling thread.
///
/// A job is the part of a task between two suspension points. If all tasks of a test run on one `StepExecutor` and one
/// thread drives it, the test is deterministic:
///
/// ```swift
/// let executor = StepExecutor()
/// let task = Task(executorPreference: executor) { try await fetch() }
/// executor.drain()  // runs until the task waits for something
/// ```
///
/// Child tasks, and the actors that a task calls, use the executor of the task. A `Task { }` created inside does not:
/// pass it `executorPreference: StepExecutor.current`.
///
/// **Contract.** All members are safe from any thread, and jobs may be enqueued while others run. Jobs run in the
/// order in which they were enqueued, whatever their priority; with a seed they run in a random order that depends
/// only on the seed and on the order of enqueueing. Jobs of an executor that is not driven any more never run.
public final class StepExecutor: TaskExecutor {
  /// The executor of the current task inside ``withVirtualTime(seed:limit:_:)``, nil elsewhere.
  public static var current: StepExecutor? { taskLocal }

  @TaskLocal static var taskLocal: StepExecutor?

  private let jobs: Guarded<JobQueue>

  /// Creates an executor without jobs.
  ///
  /// - Parameter seed: The seed of the order in which ready jobs run; nil for the order of enqueueing.
  public init(seed: UInt64? = nil) { jobs = Guarded(JobQueue(seed: seed)) }

  /// The number of jobs that are ready to run.
  ///
  /// - Complexity: O(1).
  package var jobCount: Int { jobs.withLock { $0.count } }

  /// Adds a job; called by the Swift runtime.
  ///
  /// - Parameter job: The job to run later.
  /// - Complexity: O(1) amortized.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the next job on this thread.
  ///
  /// - Returns: Whether there was a job.
  /// - Complexity: O(1) amortized, plus the job.
  @discardableResult
  package func runNext() -> Bool {
    guard let job = jobs.withLock({ $0.removeNext() }) else { return false }
    // The unowned reference is valid, because the executor outlives this call.
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs jobs until none is ready, including those that become ready meanwhile.
  ///
  /// - Complexity: O(1) for each job, amortized, plus the jobs.
  public func drain() {
    while runNext() {}
  }
}

/// The ready jobs of an executor.
struct JobQueue {
  /// The jobs; the first `removedCount` of them have been removed.
  private var jobs: [UnownedJob] = []
  private var removedCount = 0
  /// The source of a random order; nil for the order of insertion.
  private var random: SplitMix64?

  init(seed: UInt64?) { random = seed.map(SplitMix64.init(seed:)) }

  /// The number of jobs.
  var count: Int { jobs.count - removedCount }

  /// Adds a job in amortized O(1).
  mutating func append(_ job: UnownedJob) { jobs.append(job) }

  /// Removes the next job in amortized O(1); returns nil if there is none.
  mutating func removeNext() -> UnownedJob? {
    guard removedCount < jobs.count else { return nil }
    if let bits = random?.next() {
      let offset = bits.multipliedFullWidth(by: UInt64(count)).high
      jobs.swapAt(removedCount, removedCount + Int(offset))
    }
    let job = jobs[removedCount]
    removedCount += 1
    if removedCount == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      removedCount = 0
    } else if removedCount >= 64 && removedCount * 2 >= jobs.count {
      jobs.removeFirst(removedCount)
      removedCount = 0
    }
    return job
  }
}
