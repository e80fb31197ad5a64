internal import HeadwayLock

/// An executor that runs its jobs only when it is told to, on the thread that tells it.
///
/// A job is what a task does from one suspension to the next, or a step of the runtime's own. Where
/// all tasks of a test stand here and one thread runs them, nothing happens by chance:
///
/// ```swift
/// let executor = StepExecutor()
/// let task = Task(executorPreference: executor) { try await fetch() }
/// executor.drain()   // everything up to where the task waits for something
/// ```
///
/// Child tasks and the methods of actors follow their task; a `Task { }` that is made inside does
/// not: give it `executorPreference: StepExecutor.current`.
///
/// **Contract.** Safe from any thread: others may enqueue jobs while one runs them. Jobs run in the
/// order in which they came, whatever their priority; with a seed in an order that is drawn from
/// it, one that the order of their coming determines. An executor that is no longer told keeps its
/// jobs for ever.
public final class StepExecutor: TaskExecutor {
  /// The executor of the task that asks, when it runs inside ``withVirtualTime(seed:limit:_:)``;
  /// nil outside.
  @TaskLocal public static var current: StepExecutor?

  /// The jobs.
  private let jobs: Guarded<JobQueue>

  /// Creates an executor without jobs.
  ///
  /// - Parameter seed: What the order of ready jobs is drawn from: one seed, one order. Nil for the
  ///   order in which they came.
  public init(seed: UInt64? = nil) { jobs = Guarded(JobQueue(seed: seed)) }

  /// The number of jobs that are ready to run.
  ///
  /// - Complexity: O(1).
  public var jobCount: Int { jobs.withLock { $0.count } }

  /// Takes up a job; the runtime calls this when a task can go on.
  ///
  /// - Parameter job: What to run later.
  /// - Complexity: O(1) amortized.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the next job, on this thread.
  ///
  /// - Returns: Whether there was one.
  /// - Complexity: O(1) amortized, and what the job takes.
  @discardableResult
  public func runNext() -> Bool {
    guard let job = jobs.withLock({ $0.removeNext() }) else { return false }
    // The executor is alive as long as this call, which is all that the job asks of the reference.
    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }

  /// Runs jobs until none is ready, those too that become ready meanwhile.
  ///
  /// - Complexity: O(1) for each job, amortized, and what the jobs take.
  public func drain() {
    while runNext() {}
  }
}

/// The ready jobs of an executor, and which one is next.
struct JobQueue {
  /// The jobs, behind those that are gone.
  private var jobs: [UnownedJob] = []
  /// The number of jobs at the front that are gone.
  private var gone = 0
  /// What the order is drawn from; nil for the order of coming.
  private var dice: SeededDice?

  /// Creates an empty queue.
  init(seed: UInt64?) { dice = seed.map(SeededDice.init(seed:)) }

  /// The number of jobs.
  var count: Int { jobs.count - gone }

  /// Adds a job.
  ///
  /// - Complexity: O(1) amortized.
  mutating func append(_ job: UnownedJob) { jobs.append(job) }

  /// Takes the next job out.
  ///
  /// - Returns: The job, nil when there is none.
  /// - Complexity: O(1) amortized.
  mutating func removeNext() -> UnownedJob? {
    guard gone < jobs.count else { return nil }
    if dice != nil, let drawn = dice?.number(in: gone..<jobs.count) { jobs.swapAt(gone, drawn) }
    let job = jobs[gone]
    gone += 1
    if gone == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      gone = 0
    } else if gone >= 64 && gone * 2 >= jobs.count {
      jobs.removeFirst(gone)
      gone = 0
    }
    return job
  }
}

/// Random numbers that a seed determines, the same on every machine and with every version of
/// Swift.
///
/// The generator is SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number
/// generators*, 2014).
struct SeededDice {
  /// The state, which every draw moves on.
  private var state: UInt64

  /// Creates dice.
  init(seed: UInt64) { state = seed }

  /// Draws a number from a range that is not empty.
  ///
  /// - Complexity: O(1).
  mutating func number(in range: Range<Int>) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits &>> 27)) &* 0x94D0_49BB_1331_11EB
    bits ^= bits &>> 31
    return range.lowerBound + Int(bits.multipliedFullWidth(by: UInt64(range.count)).high)
  }
}
