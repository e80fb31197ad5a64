public import HeadwayRun
internal import HeadwayTime

/// Names a pool of a graph by its place in it.
public struct PoolID: Hashable, Sendable {
  /// The index of the pool, from 0, in the order in which pools were added.
  public let index: Int

  /// Creates the identity of the pool at an index.
  public init(_ index: Int) { self.index = index }
}

/// How often a task is tried again after it failed or ran out of time.
public struct RetryPolicy: Hashable, Sendable {
  /// The number of attempts after the first one.
  public var limit: Int
  /// The pause before the second attempt; it doubles with each further one, up to `longestBackoff`.
  public var backoff: Duration

  /// The part of each pause that is left to chance, from 0 to 1, so that many that failed together come back apart.
  public var jitter: Double

  /// The longest pause between two attempts.
  public static let longestBackoff = Duration.seconds(300)

  /// A task that is tried once.
  public static let none = RetryPolicy(limit: 0, backoff: .zero)

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - limit: The number of attempts after the first one.
  ///   - backoff: The pause before the second attempt.
  ///   - jitter: The part of each pause that is left to chance, from 0 to 1.
  public init(limit: Int, backoff: Duration, jitter: Double = 0) {
    self.limit = limit
    self.backoff = backoff
    self.jitter = jitter
  }

  /// The pause before an attempt.
  ///
  /// - Parameter attempt: The attempt to come, from 2.
  /// - Returns: The backoff, doubled for each attempt after the second, at most `longestBackoff`.
  public func delay(before attempt: Int) -> Duration {
    var delay = backoff
    for _ in 2..<max(attempt, 2) where delay < Self.longestBackoff { delay *= 2 }
    return min(delay, max(backoff, Self.longestBackoff))
  }
}

/// How the engine treats one task.
public struct TaskSettings: Hashable, Sendable {
  /// The time that one attempt may take, nil for no limit.
  public var timeout: Duration?
  /// The time between asking a task to end and ending it by force.
  public var grace: Duration
  /// How often the task is tried again.
  public var retries: RetryPolicy
  /// The pool that bounds how many tasks of a kind run at once, beside the limit on workers.
  public var pool: PoolID?
  /// Whether the run may succeed although this task failed.
  public var isOptional: Bool
  /// Whether the task runs however the tasks before it ended, and after a cancel too.
  public var alwaysRuns: Bool
  /// Which of several ready tasks starts first: those with the highest; 0 unless said otherwise.
  public var priority: Int32
  /// What sort of task it is, empty where that is not known.
  ///
  /// A forecast takes tasks of one kind to resemble each other.
  public var kind: String

  /// Creates settings; the defaults are those of a task that says nothing.
  public init(
    timeout: Duration? = nil, grace: Duration = TaskDefaults.grace, retries: RetryPolicy = .none,
    pool: PoolID? = nil, isOptional: Bool = false, alwaysRuns: Bool = false,
    priority: Int32 = 0, kind: String = ""
  ) {
    self.timeout = timeout
    self.grace = grace
    self.retries = retries
    self.pool = pool
    self.isOptional = isOptional
    self.alwaysRuns = alwaysRuns
    self.priority = priority
    self.kind = kind
  }
}

/// How tasks are treated, in the numbers that the engine reckons with.
struct TaskRule: Sendable {
  /// The settings.
  let settings: TaskSettings
  /// The time that one attempt may take in nanoseconds, less than 0 for no limit.
  let timeout: Int64
  /// The index of the pool, 0 for none.
  let poolIndex: Int

  /// Reads settings.
  init(_ settings: TaskSettings) {
    self.settings = settings
    timeout = settings.timeout.map { Int64(clamping: $0.nanosecondsUp) } ?? -1
    poolIndex = settings.pool.map { $0.index + 1 } ?? 0
  }

  /// Which of several ready tasks starts first.
  var priority: Int32 { settings.priority }
  /// Whether the task runs however the tasks before it ended.
  var alwaysRuns: Bool { settings.alwaysRuns }
  /// Whether the run may succeed although the task failed.
  var isOptional: Bool { settings.isOptional }
}

/// Tasks, what each must wait for, and the pools that bound them.
///
/// A value without behaviour. Adding is O(1) amortized. Not checked here: cycles. A task on a cycle can never start;
/// who runs the graph refuses it.
///
/// ```swift
/// var graph = LaunchGraph()
/// let fetch = graph.add("fetch")
/// let unpack = graph.add("unpack")
/// graph.addDependency(of: unpack, on: fetch)
/// ```
public struct LaunchGraph: Sendable {
  /// The names of the tasks, by index.
  public private(set) var names: [String] = []
  /// The limits of the pools, by index.
  public private(set) var poolLimits: [Int] = []
  /// How tasks are treated, each way once.
  private(set) var rules: [TaskRule] = []
  /// The rule of each task, by index.
  private(set) var ruleIndices: [Int32] = []
  /// The names of tasks that are waited for, with the places of those that wait.
  private(set) var namedEdges: [(before: String, after: Int)] = []
  /// What the tasks do, by index; shorter where the last ones do nothing.
  private var bodies: [TaskBody] = []
  /// The rules by their settings.
  private var rulesBySettings: [TaskSettings: Int32] = [:]
  /// The dependencies, in the order in which they were added.
  public private(set) var edges: [TaskGraph.Edge] = []

  /// Creates an empty graph.
  public init() {}

  /// Makes room, so that adding as many tasks and edges does not move what is there.
  ///
  /// - Parameters:
  ///   - tasks: The number of tasks in all.
  ///   - edges: The number of edges in all.
  public mutating func reserveCapacity(tasks: Int, edges: Int = 0) {
    names.reserveCapacity(tasks)
    ruleIndices.reserveCapacity(tasks)
    bodies.reserveCapacity(tasks)
    self.edges.reserveCapacity(edges)
  }

  /// The number of tasks.
  public var count: Int { names.count }

  /// Adds a task.
  ///
  /// - Parameters:
  ///   - name: The name that events and surfaces show.
  ///   - settings: How the engine treats it.
  /// - Returns: Its identity in this graph.
  public mutating func add(_ name: String, settings: TaskSettings = TaskSettings()) -> TaskID {
    precondition(
      settings.pool.map { poolLimits.indices.contains($0.index) } ?? true,
      "task '\(name)' names a pool that this graph does not have")
    names.append(name)
    ruleIndices.append(rule(for: settings))
    return TaskID(names.count - 1, name: name)
  }

  /// Adds a task with what it does.
  ///
  /// - Parameters:
  ///   - name: The name that events and surfaces show.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: How it is treated.
  ///   - body: What it does.
  /// - Returns: Its identity in this graph.
  @discardableResult
  public mutating func add(
    _ name: String, after dependencies: [TaskID] = [], settings: TaskSettings = TaskSettings(),
    _ body: TaskBody
  ) -> TaskID {
    let id = add(name, settings: settings)
    while bodies.count < id.index { bodies.append(.nothing) }
    bodies.append(body)
    for task in dependencies { addDependency(of: id, on: task) }
    return id
  }

  /// Adds a task with an asynchronous function.
  ///
  /// - Parameters:
  ///   - name: The name that events and surfaces show.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: How it is treated.
  ///   - body: What it does. What it throws is the reason of its failure.
  /// - Returns: Its identity in this graph.
  @discardableResult
  public mutating func add(
    _ name: String, after dependencies: [TaskID] = [], settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext) async throws -> Void
  ) -> TaskID { add(name, after: dependencies, settings: settings, .asynchronous(body)) }

  /// Adds a task that waits for others by their names, which may be added later.
  ///
  /// - Parameters:
  ///   - name: The name that events and surfaces show.
  ///   - dependencies: The names of the tasks that it waits for.
  ///   - settings: How it is treated.
  ///   - body: What it does.
  /// - Returns: Its identity in this graph.
  @discardableResult
  public mutating func add(
    _ name: String, after dependencies: [String], settings: TaskSettings = TaskSettings(),
    _ body: TaskBody
  ) -> TaskID {
    let id = add(name, settings: settings, body)
    for name in dependencies { namedEdges.append((name, id.index)) }
    return id
  }

  /// Checks that the graph can be run: no name stands for two tasks, each that is waited for is there, and no tasks
  /// wait for each other in a circle.
  ///
  /// - Throws: ``GraphError``, the first that is found.
  /// - Complexity: O(tasks + edges).
  public func validate() throws(GraphError) {
    let graph = TaskGraph(taskCount: count, edges: try resolved().edges)
    if graph.topologicalOrder().count < count { throw cycleError(graph) }
  }

  /// The error for dependencies that have a cycle.
  func cycleError(_ graph: TaskGraph) -> GraphError {
    .cycle((graph.cycles().first ?? []).dropLast().map { id($0) })
  }

  /// The graph with the names of its edges looked up.
  func resolved() throws(GraphError) -> LaunchGraph {
    var table = NameTable(capacity: names.count)
    for index in names.indices {
      if let first = table.add(index, in: names) {
        throw .duplicateName(first: id(first), second: id(index))
      }
    }
    if namedEdges.isEmpty { return self }
    var graph = self
    graph.namedEdges = []
    for edge in namedEdges {
      guard let index = table.index(of: edge.before, in: names) else {
        throw .unknownTask(edge.before, neededBy: id(edge.after))
      }
      graph.addDependency(of: id(edge.after), on: id(index))
    }
    return graph
  }

  /// Names the task at an index.
  private func id(_ index: Int) -> TaskID { TaskID(index, name: names[index]) }

  /// Adds a task of a type of its own.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: How it is treated.
  /// - Returns: Its identity in this graph.
  @discardableResult
  public mutating func add(
    _ task: some LaunchTask, after dependencies: [TaskID] = [],
    settings: TaskSettings = TaskSettings()
  ) -> TaskID { add(task.name, after: dependencies, settings: settings, task.body) }

  /// What all tasks do.
  var allBodies: [TaskBody] {
    if bodies.count == names.count { return bodies }
    return bodies + Array(repeating: .nothing, count: names.count - bodies.count)
  }

  /// The index of the rule for settings, most often that of the task before.
  private mutating func rule(for settings: TaskSettings) -> Int32 {
    if let last = ruleIndices.last, rules[Int(last)].settings == settings { return last }
    if let index = rulesBySettings[settings] { return index }
    rules.append(TaskRule(settings))
    let index = Int32(rules.count - 1)
    rulesBySettings[settings] = index
    return index
  }

  /// Adds a pool.
  ///
  /// - Parameter limit: How many of its tasks may run at once; must be at least 1.
  /// - Returns: Its identity in this graph.
  public mutating func addPool(limit: Int) -> PoolID {
    precondition(limit >= 1, "a pool needs room for one task at least, not \(limit)")
    poolLimits.append(limit)
    return PoolID(poolLimits.count - 1)
  }

  /// Adds a dependency between two tasks of this graph.
  ///
  /// - Parameters:
  ///   - task: The task that waits.
  ///   - dependency: The task that it waits for.
  public mutating func addDependency(of task: TaskID, on dependency: TaskID) {
    precondition(
      names.indices.contains(task.index) && names.indices.contains(dependency.index),
      "tasks \(task.index) and \(dependency.index) are not both in this graph of \(count)")
    edges.append(TaskGraph.Edge(before: dependency.index, after: task.index))
  }

  /// The name of a task.
  public func name(of task: TaskID) -> String { names[task.index] }

  /// How a task is treated.
  public func settings(of task: TaskID) -> TaskSettings {
    rules[Int(ruleIndices[task.index])].settings
  }
}
