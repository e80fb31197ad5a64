package import HeadwayRun

/// The input of a forecast: the tasks of a run, their dependencies and the pools.
///
/// Tasks and pools are identified by their indices, from 0.
public struct ForecastInput: Hashable, Sendable {
  /// A task.
  public struct Task: Hashable, Sendable {
    /// The name, by which it is found in history.
    public var name: String
    /// The kind; tasks of one kind take similar times.
    public var kind: String
    /// The index of its pool, nil for none.
    public var pool: Int?
    /// The priority; ready tasks with a higher one start first.
    public var priority: Int
    /// The expected duration given by the user; used if the task is not in history.
    public var hint: Duration?
    /// Whether the task does nothing if neither its files nor a dependency have changed.
    public var mayBeUpToDate = false
    /// Whether the task only groups others; if it may be up to date, it is if these are.
    package var isGroup = false

    /// Creates a task.
    public init(
      name: String, kind: String = "", pool: Int? = nil, priority: Int = 0, hint: Duration? = nil
    ) {
      self.name = name
      self.kind = kind
      self.pool = pool
      self.priority = priority
      self.hint = hint
    }
  }

  /// The tasks.
  package var tasks: [Task]
  /// The dependencies; those of tasks that do not exist are ignored, and tasks on a cycle never run.
  package var edges: [TaskGraph.Edge]
  /// The number of tasks of each pool that run at once; less than 1 counts as 1.
  package var poolLimits: [Int]
  /// Which tasks read the files that others write, so that a change spreads to them; nil if only the dependencies are
  /// known.
  package var fileEdges: [TaskGraph.Edge]?

  /// Creates the input of a forecast.
  ///
  /// - Parameters:
  ///   - tasks: The tasks.
  ///   - edges: The dependencies; those of tasks that do not exist are ignored, and tasks on a cycle never run.
  ///   - poolLimits: The number of tasks of each pool that run at a time; less than 1 counts as 1.
  public init(
    tasks: [Task], edges: [(before: Int, after: Int)] = [], poolLimits: [Int] = []
  ) {
    self.init(
      tasks: tasks,
      edges: edges.compactMap { edge in
        tasks.indices.contains(edge.before) && tasks.indices.contains(edge.after)
          ? TaskGraph.Edge(before: edge.before, after: edge.after) : nil
      }, poolLimits: poolLimits)
  }

  package init(tasks: [Task], edges: [TaskGraph.Edge], poolLimits: [Int] = []) {
    self.tasks = tasks
    self.edges = edges
    self.poolLimits = poolLimits
  }
}
