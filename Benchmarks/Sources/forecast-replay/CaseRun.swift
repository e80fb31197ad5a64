import HeadwayLaunch
import HeadwayRun

/// A run to simulate: its tasks, and what happens to them.
struct CaseRun: Sendable {
  /// Why a task works or not.
  enum Work: Sendable {
    /// It cannot be up to date.
    case always
    /// Its own files have changed.
    case changed
    /// A task before it changes its files.
    case follows
    /// Nothing has changed.
    case upToDate
  }

  /// A task.
  struct Task: Sendable {
    /// The name, by which the history knows it.
    var name: String
    /// The kind.
    var kind: String
    /// The indices of its dependencies, which come before it.
    var parents: [Int]
    /// The duration of the attempt that succeeds, in seconds.
    var seconds: Double
    /// The durations of the attempts before that, which fail.
    var failedAttempts: [Double] = []
    /// The duration after which it fails for good, nil if it does not.
    var failsAfter: Double?
    /// Whether it has something to do.
    var work = Work.always
    /// Whether it computes, so that it takes longer while processors are shared; otherwise it sleeps.
    var computes = false
    /// Whether it is in the pool.
    var isInPool = false
    /// Whether it is added once all its dependencies have ended; such tasks come after all others.
    var isAdded = false
  }

  /// The tasks.
  var tasks: [Task]
  /// The number of workers.
  var workers: Int
  /// How many tasks of the pool run at once, nil if there is no pool.
  var poolLimit: Int?
  /// The number of processors, nil if there are enough for all.
  var processors: Int?
  /// What happens after a failure.
  var policy = FailurePolicy.stop
  /// The late task, and how long it took when it was recorded.
  var late: (task: Int, recorded: Double)?

  /// The run as recorded.
  init(_ run: Trace.Run, workers: Int) {
    tasks = run.tasks.map {
      Task(name: $0.name, kind: $0.kind, parents: $0.parents, seconds: max(0, $0.seconds))
    }
    self.workers = workers
  }

  /// Lets half of the tasks compute, the same ones in each run, on two processors.
  mutating func shareProcessors() {
    processors = 2
    for index in tasks.indices {
      var randoms = Randoms("computes", tasks[index].name)
      tasks[index].computes = randoms.part() < 0.5
    }
  }

  /// The tasks that depend on each task.
  var children: [[Int]] {
    var children = Array(repeating: [Int](), count: tasks.count)
    for (index, task) in tasks.enumerated() {
      for parent in task.parents { children[parent].append(index) }
    }
    return children
  }

  /// The settings of a task.
  func settings(of index: Int, pool: PoolID?) -> TaskSettings {
    let task = tasks[index]
    let retries = RetryPolicy(limit: task.failedAttempts.count, backoff: Self.backoff)
    return TaskSettings(retries: retries, pool: task.isInPool ? pool : nil, kind: task.kind)
  }

  /// How long a look at the files of a task takes, in seconds: 0.2 ms with one small file, 4 ms with many headers.
  static let look = 0.001
  /// The delay before a second attempt, the default of plans.
  static let backoff = Duration.seconds(1)

  /// The tasks with which the run begins, as a graph.
  ///
  /// - Parameter body: The work of an attempt at a task.
  /// - Returns: The graph.
  func graph(
    _ body: @escaping @Sendable (_ index: Int, _ attempt: Int) async throws -> Void = { _, _ in }
  ) -> LaunchGraph {
    var graph = LaunchGraph()
    let pool = poolLimit.map { graph.addPool(limit: $0) }
    for (index, task) in tasks.enumerated() where !task.isAdded {
      graph.add(
        task.name, after: task.parents.map { TaskID($0) }, settings: settings(of: index, pool: pool)
      ) { context in try await body(index, context.attempt) }
    }
    return graph
  }
}
