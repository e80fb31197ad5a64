public import HeadwayRun
internal import HeadwayTime

/// The identifier of a pool in a graph.
///
/// ```swift
/// var graph = LaunchGraph()
/// let downloads: PoolID = graph.addPool(limit: 2)
/// for name in ["a.zip", "b.zip", "c.zip"] {
///   graph.add(name, settings: TaskSettings(pool: downloads)) { _ in }
/// }
/// ```
public struct PoolID: Hashable, Sendable {
  /// The index of the pool, in the order in which pools were added.
  package let index: Int

  package init(_ index: Int) { self.index = index }
}

/// The retries of a task that failed or exceeded its time limit.
///
/// ```swift
/// var graph = LaunchGraph()
/// let retries = RetryPolicy(limit: 3, backoff: .milliseconds(200), jitter: 0.5)
/// graph.add("connect", settings: TaskSettings(retries: retries)) { _ in try connect() }
/// ```
public struct RetryPolicy: Hashable, Sendable {
  /// The number of attempts after the first one.
  public var limit: Int
  /// The delay before the second attempt; with each further one it grows by ``factor``, up to ``maximumDelay``.
  ///
  /// Less than zero counts as zero.
  public var backoff: Duration
  /// By how much each delay is longer than the one before, at least 1: 2 by default, 1 for a constant interval.
  public var factor: Double

  /// The random part of each delay, from 0 to 1, so that tasks that failed together are not retried together.
  public var jitter: Double

  /// The maximum to which delays grow, five minutes by default; a longer ``backoff`` is kept, and does not grow.
  public var maximumDelay: Duration

  /// No retries.
  public static let none = RetryPolicy(limit: 0, backoff: .zero)

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - limit: The number of attempts after the first one.
  ///   - backoff: The delay before the second attempt, which grows by `factor` with each further one; 1 second by default.
  ///   - jitter: The random part of each delay, from 0 to 1.
  ///   - factor: By how much each delay is longer than the one before, at least 1.
  ///   - maximumDelay: The maximum to which delays grow.
  public init(
    limit: Int, backoff: Duration = TaskDefaults.backoff, jitter: Double = 0, factor: Double = 2,
    maximumDelay: Duration = .seconds(300)
  ) {
    self.limit = limit
    self.backoff = backoff
    self.factor = factor
    self.jitter = jitter
    self.maximumDelay = maximumDelay
  }

  /// The delay before an attempt.
  ///
  /// - Parameter attempt: The number of the next attempt, from 2.
  /// - Returns: The backoff, multiplied by `factor` for each attempt after the second, at most `maximumDelay`.
  package func delay(before attempt: Int) -> Duration {
    var delay = max(backoff, .zero)
    guard factor > 1, delay > .zero else { return delay }
    let most = max(delay, maximumDelay)
    for _ in 2..<max(attempt, 2) {
      // Compared before the multiplication, whose result may exceed every duration.
      guard delay < most / factor else { return most }
      delay = delay * factor
    }
    return delay
  }
}

/// The settings of a task.
///
/// ```swift
/// var settings = TaskSettings(timeout: .seconds(10), grace: .seconds(1))
/// settings.isOptional = true  // the run succeeds without it
/// let task = graph.add("look for a new version", settings: settings) { _ in }
/// ```
public struct TaskSettings: Hashable, Sendable {
  /// The time limit of one attempt, nil for none.
  public var timeout: Duration?
  /// The time limit of the task with all its attempts and the delays between them, from the start of the first; nil for none.
  ///
  /// An attempt that is under way then is ended as at its own ``timeout``, and no further attempt starts. Services have none,
  /// because they stay.
  public var deadline: Duration?
  /// The delay before the first attempt, from the time at which the task could start; zero by default.
  ///
  /// The task needs no worker in the meantime, and other tasks do not wait for it.
  public var delay: Duration
  /// The time between asking a task to end and ending it by force.
  public var grace: Duration
  /// The retries after a failure.
  public var retries: RetryPolicy
  /// The pool that limits how many of its tasks run at once, in addition to the number of workers.
  public var pool: PoolID?
  /// Whether the run, and the tasks that depend on this one, go on if it fails.
  public var isOptional: Bool
  /// Whether the task runs however its dependencies ended, and even after the run was cancelled.
  ///
  /// It is skipped only if nothing that it comes after, directly or through others, was started.
  public var alwaysRuns: Bool
  /// The priority: ready tasks with a higher one start first; 0 by default.
  public var priority: Int32
  /// The kind of task, empty if it has none.
  ///
  /// A forecast assumes that tasks of one kind take similar times.
  public var kind: String
  /// What the task is to the run.
  package var role = TaskRole.task
  /// Whether nobody but a person may let it run again once an attempt has started and nobody knows how it ended.
  package var runsOnce = false
  /// What the task needs of the machine that runs it, nil for what every task has: one CPU.
  package var needs: Resources?
  /// Whether services stay for it: it does something, and is neither a service nor a clean-up.
  package var usesServices: Bool { role == .task && !alwaysRuns }

  /// Creates settings; the grace period is 5 seconds by default.
  public init(
    timeout: Duration? = nil, grace: Duration = TaskDefaults.grace, retries: RetryPolicy = .none,
    pool: PoolID? = nil, isOptional: Bool = false, alwaysRuns: Bool = false,
    priority: Int32 = 0, kind: String = "", deadline: Duration? = nil, delay: Duration = .zero
  ) {
    self.timeout = timeout
    self.deadline = deadline
    self.delay = delay
    self.grace = grace
    self.retries = retries
    self.pool = pool
    self.isOptional = isOptional
    self.alwaysRuns = alwaysRuns
    self.priority = priority
    self.kind = kind
  }
}

/// What a task is to its run.
package enum TaskRole: UInt8, Hashable, Sendable {
  /// It runs and ends.
  case task
  /// It only groups others.
  case group
  /// It stays alive while other tasks need it; they start when it is ready.
  case service
}

/// The settings of tasks that the engine needs often, in its units: a value without references, which is fast to copy.
struct TaskRule: Sendable {
  /// The time limit of one attempt in nanoseconds, less than 0 for none.
  let timeout: Int64
  /// The time limit of all attempts in nanoseconds, less than 0 for none.
  let deadline: Int64
  /// The delay before the first attempt in nanoseconds.
  let delay: Int64
  /// The time between the request to end and the end by force in nanoseconds.
  let grace: Int64
  /// How many further attempts follow failures.
  let retryLimit: Int
  /// The index of the pool plus 1, 0 for none.
  let poolIndex: Int
  /// The queue of ready tasks in which the task waits: `poolIndex`, or that of a pool and needs.
  fileprivate(set) var queue: Int
  /// Which of several ready tasks starts first.
  let priority: Int32
  /// What the task is to the run.
  let role: TaskRole
  /// Whether the task runs however the tasks before it ended.
  let alwaysRuns: Bool
  /// Whether the run may succeed although the task failed.
  let isOptional: Bool
  /// Whether an attempt that was lost is not followed by another one.
  let runsOnce: Bool
  /// Whether services stay up for it.
  let usesServices: Bool

  init(_ settings: TaskSettings) {
    timeout = settings.timeout.map { Int64(clamping: $0.nanosecondsUp) } ?? -1
    deadline =
      settings.role == .service
      ? -1 : settings.deadline.map { Int64(clamping: $0.nanosecondsUp) } ?? -1
    delay = Int64(clamping: settings.delay.nanosecondsUp)
    poolIndex = settings.pool.map { $0.index + 1 } ?? 0
    queue = poolIndex
    grace = Int64(clamping: settings.grace.nanosecondsUp)
    retryLimit = settings.retries.limit
    priority = settings.priority
    role = settings.role
    alwaysRuns = settings.alwaysRuns
    isOptional = settings.isOptional
    runsOnce = settings.runsOnce
    usesServices = settings.usesServices
  }
}

/// The rules of the tasks of a graph or run, without duplicates.
///
/// Not thread safe.
struct RuleTable: Sendable {
  /// The rules, in the order in which they were added.
  private(set) var all: [TaskRule] = []
  /// The settings of each rule.
  private(set) var settings: [TaskSettings] = []
  private var indices: [TaskSettings: Int32] = [:]
  /// The index that was looked up last.
  private var last: Int32 = 0

  @inline(__always)
  subscript(index: Int32) -> TaskRule { all[Int(index)] }

  /// Whether there are services.
  var hasServices: Bool { all.contains { $0.role == .service } }

  /// Gives each pool with each of the needs a queue of its own, if tasks have needs.
  ///
  /// - Parameter pools: The number of pools, including the one for tasks without a pool.
  /// - Returns: The pool and the needs of each queue, empty if no task has needs.
  mutating func assignQueues(pools: Int) -> [ReadyTasks.Queue] {
    guard settings.contains(where: { $0.needs != nil }) else { return [] }
    var queues = (0..<pools).map { ReadyTasks.Queue(pool: $0, needs: Resources()) }
    for index in all.indices {
      let queue = ReadyTasks.Queue(
        pool: all[index].poolIndex, needs: settings[index].needs ?? Resources())
      if let known = queues.firstIndex(of: queue) {
        all[index].queue = known
      } else {
        all[index].queue = queues.count
        queues.append(queue)
      }
    }
    return queues
  }

  /// The index of the rule for settings, most often that of the previous task; it is added if there is none.
  ///
  /// - Complexity: O(1) amortized.
  mutating func index(for settings: TaskSettings) -> Int32 {
    if Int(last) < all.count, self.settings[Int(last)] == settings { return last }
    last = Int32(all.count)
    if let index = indices[settings] {
      last = index
    } else {
      all.append(TaskRule(settings))
      self.settings.append(settings)
      indices[settings] = last
    }
    return last
  }
}

/// Tasks with their dependencies, and the pools that limit them.
///
/// Adding a task or a dependency takes amortized constant time. Cycles are not checked until a ``Launcher``
/// is created.
///
/// ```swift
/// var graph = LaunchGraph()
/// let fetch = graph.add("fetch")
/// let unpack = graph.add("unpack")
/// graph.addDependency(of: unpack, on: fetch)
/// ```
public struct LaunchGraph: Sendable {
  /// The names of the tasks.
  package private(set) var names: [String] = []
  /// The limits of the pools.
  package private(set) var poolLimits: [Int] = []
  /// The rules of the tasks, without duplicates.
  private(set) var rules = RuleTable()
  /// The index of each task's rule.
  private(set) var ruleIndices: [Int32] = []
  /// The dependencies that are given by name.
  private(set) var namedEdges: [(before: String, after: Int)] = []
  /// The bodies of the tasks; shorter if the last ones do nothing.
  private var bodies: [TaskBody] = []
  /// The dependencies, in the order in which they were added.
  package private(set) var edges: [TaskGraph.Edge] = []
  /// Whether tasks return something.
  var hasOutputs = false

  /// Creates an empty graph.
  public init() {}

  /// Reserves memory for tasks and dependencies.
  ///
  /// - Parameters:
  ///   - tasks: The total number of tasks.
  ///   - edges: The total number of dependencies.
  public mutating func reserveCapacity(tasks: Int, edges: Int = 0) {
    names.reserveCapacity(tasks)
    ruleIndices.reserveCapacity(tasks)
    bodies.reserveCapacity(tasks)
    self.edges.reserveCapacity(edges)
  }

  /// The number of tasks.
  public var count: Int { names.count }

  /// Whether some of its services stay until the run is ended, because no task needs them.
  ///
  /// - Complexity: O(1) without services, else O(tasks + edges) for each service.
  package var servicesStay: Bool {
    guard rules.hasServices else { return false }
    let graph = TaskGraph(taskCount: count, edges: edges)
    return ServiceUse(graph, count: count) { rules[ruleIndices[$0]] }?.stay ?? false
  }

  /// Adds a task.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: The settings of the task.
  ///   - body: The work; by default nothing, for a task that groups others.
  /// - Returns: The identifier in this graph.
  @discardableResult
  public mutating func add(
    _ name: String, after dependencies: [TaskID] = [], settings: TaskSettings = TaskSettings(),
    _ body: TaskBody = .nothing
  ) -> TaskID {
    precondition(
      settings.pool.map { poolLimits.indices.contains($0.index) } ?? true,
      "task '\(name)' uses a pool that this graph does not have")
    names.append(name)
    ruleIndices.append(rules.index(for: settings))
    let id = TaskID(names.count - 1, name: name)
    if !body.isNothing {
      while bodies.count < id.index { bodies.append(.nothing) }
      bodies.append(body)
    }
    for task in dependencies { addDependency(of: id, on: task) }
    return id
  }

  /// Adds a task with an asynchronous function.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The identifier in this graph.
  @discardableResult
  public mutating func add(
    _ name: String, after dependencies: [TaskID] = [], settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext) async throws -> Void
  ) -> TaskID { add(name, after: dependencies, settings: settings, .asynchronous(body)) }

  /// Adds a task whose dependencies are given by name; those tasks may be added later.
  @discardableResult
  mutating func add(
    _ name: String, after dependencies: [String], settings: TaskSettings = TaskSettings(),
    _ body: TaskBody
  ) -> TaskID {
    let id = add(name, settings: settings, body)
    for name in dependencies { namedEdges.append((name, id.index)) }
    return id
  }

  /// Checks that the graph can be run: names are unique, all dependencies exist, and there are no cycles.
  ///
  /// A ``Launcher`` checks the same when it is created.
  ///
  /// - Throws: `GraphError`, the first one that is found.
  /// - Complexity: O(tasks + edges).
  public func validate() throws(GraphError) {
    let graph = TaskGraph(taskCount: count, edges: try resolved().edges)
    if graph.topologicalOrder().count < count { throw cycleError(graph) }
  }

  /// The error for dependencies that have a cycle.
  func cycleError(_ graph: TaskGraph) -> GraphError {
    .cycle((graph.cycles().first ?? []).dropLast().map { id($0) })
  }

  /// The graph with its named dependencies resolved.
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

  private func id(_ index: Int) -> TaskID { TaskID(index, name: names[index]) }

  /// Adds a task that is a value of its own type.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: The settings of the task.
  /// - Returns: The identifier in this graph.
  @discardableResult
  public mutating func add(
    _ task: some LaunchTask, after dependencies: [TaskID] = [],
    settings: TaskSettings = TaskSettings()
  ) -> TaskID { add(task.name, after: dependencies, settings: settings, task.body) }

  /// The bodies of all tasks.
  var allBodies: [TaskBody] {
    if bodies.count == names.count { return bodies }
    return bodies + Array(repeating: .nothing, count: names.count - bodies.count)
  }

  /// Adds a pool.
  ///
  /// - Parameter limit: The number of its tasks that may run at once, at least 1.
  /// - Returns: The identifier in this graph.
  public mutating func addPool(limit: Int) -> PoolID {
    precondition(limit >= 1, "the limit of a pool must be at least 1, not \(limit)")
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

  /// The settings of a task.
  public func settings(of task: TaskID) -> TaskSettings {
    rules.settings[Int(ruleIndices[task.index])]
  }
}
