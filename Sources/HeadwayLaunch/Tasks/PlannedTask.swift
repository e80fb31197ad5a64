public import HeadwayRun

/// A task with its place in a graph: what it waits for, and how it is treated.
///
/// Made from a ``LaunchTask`` by one of its modifiers, or directly:
///
/// ```swift
/// let graph = LaunchGraph {
///   PlannedTask("choose network") { context in try await chooseNetwork(context) }
///   PlannedTask("load data") { context in try await load(context.progress) }
///     .after("choose network")
///     .timeout(.seconds(10))
///   CheckVersion()
///     .after("choose network")
///     .optional()
/// }
/// ```
public struct PlannedTask: Sendable {
  /// The name, which must be the only one of its kind in a graph.
  public var name: String
  /// What it does.
  public var body: TaskBody
  /// The names of the tasks that it waits for.
  public var dependencies: [String] = []
  /// How it is treated.
  public var settings = TaskSettings()
  /// The name of its pool, nil for none.
  public var pool: String?

  /// Creates a task that does something.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - body: What it does.
  public init(_ name: String, _ body: TaskBody) {
    self.name = name
    self.body = body
  }

  /// Creates a task with an asynchronous function.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - body: What it does. What it throws is the reason of its failure.
  public init(_ name: String, _ body: @escaping @Sendable (LaunchContext) async throws -> Void) {
    self.init(name, .asynchronous(body))
  }

  /// The task, waiting for others as well.
  ///
  /// - Parameter names: The names of the tasks, which may stand anywhere in the graph.
  /// - Returns: The changed task.
  public func after(_ names: String...) -> PlannedTask { with { $0.dependencies += names } }

  /// The task with a limit on the time of one attempt.
  ///
  /// - Parameters:
  ///   - limit: The limit.
  ///   - grace: How long it may go on after it was cancelled; then the run goes on without it.
  /// - Returns: The changed task.
  public func timeout(_ limit: Duration, grace: Duration = TaskDefaults.grace) -> PlannedTask {
    with { ($0.settings.timeout, $0.settings.grace) = (limit, grace) }
  }

  /// The task, tried again when it fails or its time is up.
  ///
  /// - Parameters:
  ///   - limit: The number of attempts after the first one.
  ///   - backoff: The pause before the second attempt, which doubles with each further one.
  ///   - jitter: The part of each pause that is left to chance, from 0 to 1.
  /// - Returns: The changed task.
  public func retries(_ limit: Int, backoff: Duration = TaskDefaults.backoff, jitter: Double = 0)
    -> PlannedTask
  {
    with { $0.settings.retries = RetryPolicy(limit: limit, backoff: backoff, jitter: jitter) }
  }

  /// The task, without which the run succeeds too.
  ///
  /// - Returns: The changed task.
  public func optional() -> PlannedTask { with { $0.settings.isOptional = true } }

  /// The task, run however those before it ended, and after a cancel too.
  ///
  /// - Returns: The changed task.
  public func always() -> PlannedTask { with { $0.settings.alwaysRuns = true } }

  /// The task, started before ready ones of a lower priority.
  ///
  /// - Parameter priority: The priority; 0 unless said otherwise.
  /// - Returns: The changed task.
  public func priority(_ priority: Int32) -> PlannedTask {
    with { $0.settings.priority = priority }
  }

  /// The task in a pool of the graph, which bounds how many of its tasks run at once.
  ///
  /// - Parameter name: The name of the pool.
  /// - Returns: The changed task.
  public func pool(_ name: String) -> PlannedTask { with { $0.pool = name } }

  /// A changed copy.
  private func with(_ change: (inout PlannedTask) -> Void) -> PlannedTask {
    var copy = self
    change(&copy)
    return copy
  }
}

extension LaunchTask {
  /// The task with its place in a graph.
  public var planned: PlannedTask { PlannedTask(name, body) }

  /// The task, waiting for others; see ``PlannedTask/after(_:)``.
  public func after(_ names: String...) -> PlannedTask {
    var planned = planned
    planned.dependencies = names
    return planned
  }

  /// The task with a limit on its time; see ``PlannedTask/timeout(_:grace:)``.
  public func timeout(_ limit: Duration, grace: Duration = TaskDefaults.grace) -> PlannedTask {
    planned.timeout(limit, grace: grace)
  }

  /// The task, tried again; see ``PlannedTask/retries(_:backoff:jitter:)``.
  public func retries(_ limit: Int, backoff: Duration = TaskDefaults.backoff, jitter: Double = 0)
    -> PlannedTask
  {
    planned.retries(limit, backoff: backoff, jitter: jitter)
  }

  /// The task, without which the run succeeds too.
  public func optional() -> PlannedTask { planned.optional() }

  /// The task, run however those before it ended.
  public func always() -> PlannedTask { planned.always() }

  /// The task, started before ready ones of a lower priority; see ``PlannedTask/priority(_:)``.
  public func priority(_ priority: Int32) -> PlannedTask { planned.priority(priority) }

  /// The task in a pool of the graph; see ``PlannedTask/pool(_:)``.
  public func pool(_ name: String) -> PlannedTask { planned.pool(name) }
}

/// Builds a graph from the tasks that stand in a closure.
@resultBuilder
public enum LaunchGraphBuilder {
  /// A task with its place.
  public static func buildExpression(_ task: PlannedTask) -> [PlannedTask] { [task] }
  /// A task that waits for nothing.
  public static func buildExpression(_ task: some LaunchTask) -> [PlannedTask] { [task.planned] }
  /// Several tasks.
  public static func buildExpression(_ tasks: [PlannedTask]) -> [PlannedTask] { tasks }
  /// One after the other.
  public static func buildBlock(_ tasks: [PlannedTask]...) -> [PlannedTask] {
    tasks.flatMap(\.self)
  }
  /// Those of a loop.
  public static func buildArray(_ tasks: [[PlannedTask]]) -> [PlannedTask] { tasks.flatMap(\.self) }
  /// Those of a condition.
  public static func buildOptional(_ tasks: [PlannedTask]?) -> [PlannedTask] { tasks ?? [] }
  /// Those of a first branch.
  public static func buildEither(first tasks: [PlannedTask]) -> [PlannedTask] { tasks }
  /// Those of a second branch.
  public static func buildEither(second tasks: [PlannedTask]) -> [PlannedTask] { tasks }
}

extension LaunchGraph {
  /// Creates a graph of the tasks that stand in a closure, in any order.
  ///
  /// Names are looked up when the graph is run, or validated.
  ///
  /// - Parameters:
  ///   - pools: How many tasks of each pool may run at once. A pool that is not named here has room for one.
  ///   - tasks: The tasks.
  public init(
    pools: [String: Int] = [:], @LaunchGraphBuilder _ tasks: () -> [PlannedTask]
  ) {
    self.init()
    var poolsByName: [String: PoolID] = [:]
    for (name, limit) in pools.sorted(by: { $0.key < $1.key }) {
      poolsByName[name] = addPool(limit: max(limit, 1))
    }
    for task in tasks() {
      var settings = task.settings
      if let name = task.pool {
        let pool = poolsByName[name] ?? addPool(limit: 1)
        poolsByName[name] = pool
        settings.pool = pool
      }
      add(task.name, after: task.dependencies, settings: settings, task.body)
    }
  }
}
