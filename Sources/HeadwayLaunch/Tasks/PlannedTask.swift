public import HeadwayRun

/// A task with its dependencies and settings, to be added to a graph.
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
public struct PlannedTask: PlannedTaskConvertible {
  /// The name, unique in the graph.
  var name: String
  /// The work.
  var body: TaskBody
  /// The names of the tasks that it waits for.
  var dependencies: [String] = []
  /// The settings.
  public var settings = TaskSettings()
  /// The name of its pool, nil for none.
  var pool: String?

  /// Creates a task.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - body: The work.
  public init(_ name: String, _ body: TaskBody) {
    self.name = name
    self.body = body
  }

  /// Creates a task with an asynchronous function.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - body: The function; an error that it throws is the reason of the failure.
  public init(_ name: String, _ body: @escaping @Sendable (LaunchContext) async throws -> Void) {
    self.init(name, .asynchronous(body))
  }

  /// The task itself.
  public var planned: PlannedTask { self }
}

/// What a graph is built from: a ``LaunchTask``, or a task with dependencies and settings.
///
/// Conform to it directly if a type of your own knows its form, dependencies or limits:
///
/// ```swift
/// struct OpenDatabase: PlannedTaskConvertible {
///   let path: String
///
///   var planned: PlannedTask {
///     PlannedTask("open \(path)", .blocking { _ in try open(path) }).retries(2)
///   }
/// }
/// ```
public protocol PlannedTaskConvertible: Sendable {
  /// The task with its dependencies and settings.
  var planned: PlannedTask { get }
}

extension PlannedTaskConvertible {
  /// Adds dependencies.
  ///
  /// - Parameter names: The names of the tasks, in any order in the graph.
  /// - Returns: The changed task.
  public func after(_ names: String...) -> PlannedTask { with { $0.dependencies += names } }

  /// Limits the time of one attempt.
  ///
  /// - Parameters:
  ///   - limit: The limit.
  ///   - grace: The time between cancelling the task and continuing the run without it; 5 seconds by default.
  /// - Returns: The changed task.
  public func timeout(_ limit: Duration, grace: Duration = TaskDefaults.grace) -> PlannedTask {
    with { ($0.settings.timeout, $0.settings.grace) = (limit, grace) }
  }

  /// Limits the time of the task with all its attempts and the delays between them.
  ///
  /// - Parameter limit: The limit, from the start of the first attempt.
  /// - Returns: The changed task.
  public func deadline(_ limit: Duration) -> PlannedTask { with { $0.settings.deadline = limit } }

  /// Delays the first attempt.
  ///
  /// - Parameter delay: The delay, from the time at which the task could start.
  /// - Returns: The changed task.
  public func delay(_ delay: Duration) -> PlannedTask { with { $0.settings.delay = delay } }

  /// Retries the task when it fails or exceeds its time limit.
  ///
  /// - Parameters:
  ///   - limit: The number of attempts after the first one.
  ///   - backoff: The delay before the second attempt, which doubles with each further one; 1 second by default.
  ///   - jitter: The random part of each delay, from 0 to 1.
  /// - Returns: The changed task.
  public func retries(_ limit: Int, backoff: Duration = TaskDefaults.backoff, jitter: Double = 0)
    -> PlannedTask
  {
    with { $0.settings.retries = RetryPolicy(limit: limit, backoff: backoff, jitter: jitter) }
  }

  /// Makes the task optional: the run, and the tasks that depend on this one, go on if it fails.
  ///
  /// - Returns: The changed task.
  public func optional() -> PlannedTask { with { $0.settings.isOptional = true } }

  /// Runs the task however its dependencies ended, and even after the run was cancelled.
  ///
  /// - Returns: The changed task.
  public func always() -> PlannedTask { with { $0.settings.alwaysRuns = true } }

  /// Starts the task before ready ones of a lower priority.
  ///
  /// - Parameter priority: The priority; 0 by default.
  /// - Returns: The changed task.
  public func priority(_ priority: Int32) -> PlannedTask {
    with { $0.settings.priority = priority }
  }

  /// Puts the task in a pool, which limits how many of its tasks run at once.
  ///
  /// - Parameter name: The name of the pool.
  /// - Returns: The changed task.
  public func pool(_ name: String) -> PlannedTask { with { $0.pool = name } }

  private func with(_ change: (inout PlannedTask) -> Void) -> PlannedTask {
    var copy = planned
    change(&copy)
    return copy
  }
}

/// Builds a graph from the tasks in a closure.
///
/// ```swift
/// @LaunchGraphBuilder func checks(_ names: [String]) -> [PlannedTask] {
///   for name in names {
///     PlannedTask(name) { _ in }.after("build")
///   }
/// }
/// let graph = LaunchGraph {
///   PlannedTask("build") { _ in }
///   checks(["lint", "test"])
/// }
/// ```
@resultBuilder
public enum LaunchGraphBuilder {
  /// A task.
  public static func buildExpression(_ task: some PlannedTaskConvertible) -> [PlannedTask] {
    [task.planned]
  }
  /// Tasks that a function or a collection returns.
  public static func buildExpression(_ tasks: [PlannedTask]) -> [PlannedTask] { tasks }
  /// The tasks of a block.
  public static func buildBlock(_ tasks: [PlannedTask]...) -> [PlannedTask] {
    tasks.flatMap(\.self)
  }
  /// The tasks of a loop.
  public static func buildArray(_ tasks: [[PlannedTask]]) -> [PlannedTask] { tasks.flatMap(\.self) }
  /// The tasks of an optional branch.
  public static func buildOptional(_ tasks: [PlannedTask]?) -> [PlannedTask] { tasks ?? [] }
  /// The tasks of a first branch.
  public static func buildEither(first tasks: [PlannedTask]) -> [PlannedTask] { tasks }
  /// The tasks of a second branch.
  public static func buildEither(second tasks: [PlannedTask]) -> [PlannedTask] { tasks }
}

extension LaunchGraph {
  /// Creates a graph of the tasks in a closure, in any order.
  ///
  /// Names are resolved when a ``Launcher`` is created.
  ///
  /// - Parameters:
  ///   - pools: The number of tasks of each pool that may run at once; 1 for pools that are not listed.
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
