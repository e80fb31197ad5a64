public import HeadwayRun

/// What a forecast knows before the run: the tasks, their dependencies and the pools.
///
/// Tasks and pools are identified by their indices, from 0.
public struct ForecastInput: Hashable, Sendable {
  /// A task.
  public struct Task: Hashable, Sendable {
    /// Its name, by which history knows it.
    public var name: String
    /// Its kind; tasks of one kind resemble each other.
    public var kind: String
    /// The pool that bounds how many run beside it.
    public var pool: Int?
    /// Which of several ready tasks starts first: those with the highest.
    public var priority: Int
    /// How long somebody who should know expects it to take; used where history has not seen the task.
    public var hint: Duration?

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

  /// The tasks, by place.
  public var tasks: [Task]
  /// What waits for what; edges to places that do not exist are left out, and those of a cycle never run.
  public var edges: [TaskGraph.Edge]
  /// How many tasks of each pool run at a time; less than 1 counts as 1.
  public var poolLimits: [Int]

  /// Creates a graph.
  public init(tasks: [Task] = [], edges: [TaskGraph.Edge] = [], poolLimits: [Int] = []) {
    self.tasks = tasks
    self.edges = edges
    self.poolLimits = poolLimits
  }
}
