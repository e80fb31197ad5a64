/// Names a task of a graph by its place in it.
public struct TaskID: Hashable, Comparable, Sendable {
  /// The place of the task, from 0, in the order in which tasks were added.
  public let index: Int

  /// Creates the identity of the task at a place.
  public init(_ index: Int) { self.index = index }

  /// Orders tasks by their place.
  public static func < (left: TaskID, right: TaskID) -> Bool { left.index < right.index }
}

/// Names a pool of a graph by its place in it.
public struct PoolID: Hashable, Sendable {
  /// The place of the pool, from 0, in the order in which pools were added.
  public let index: Int

  /// Creates the identity of the pool at a place.
  public init(_ index: Int) { self.index = index }
}

/// How often a task is tried again after it failed or ran out of time.
public struct RetryPolicy: Hashable, Sendable {
  /// The number of attempts after the first one.
  public var limit: Int
  /// The pause before the second attempt; it doubles with each further one, up to `longestBackoff`.
  public var backoff: Duration

  /// The longest pause between two attempts.
  public static let longestBackoff = Duration.seconds(300)

  /// A task that is tried once.
  public static let none = RetryPolicy(limit: 0, backoff: .zero)

  /// Creates a policy.
  public init(limit: Int, backoff: Duration) {
    self.limit = limit
    self.backoff = backoff
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
  public var isAlways: Bool

  /// Creates settings; the defaults are those of a task that says nothing.
  public init(
    timeout: Duration? = nil, grace: Duration = .seconds(5), retries: RetryPolicy = .none,
    pool: PoolID? = nil, isOptional: Bool = false, isAlways: Bool = false
  ) {
    self.timeout = timeout
    self.grace = grace
    self.retries = retries
    self.pool = pool
    self.isOptional = isOptional
    self.isAlways = isAlways
  }
}

/// Tasks, what each must wait for, and the pools that bound them.
///
/// A value without behaviour: `LaunchCore` runs it. Adding is O(1) amortized. Not checked here: cycles. A
/// task on a cycle can never start; `LaunchCore` refuses such a graph.
///
/// ```swift
/// var graph = LaunchGraph()
/// let fetch = graph.add("fetch")
/// let unpack = graph.add("unpack")
/// graph.order(unpack, after: fetch)
/// ```
public struct LaunchGraph: Sendable {
  /// The names of the tasks, by place.
  public private(set) var names: [String] = []
  /// How each task is treated, by place.
  public private(set) var settings: [TaskSettings] = []
  /// The limits of the pools, by place.
  public private(set) var poolLimits: [Int] = []
  /// The pairs of a task and the one that must wait for it.
  public private(set) var edges: [(before: TaskID, after: TaskID)] = []

  /// Creates an empty graph.
  public init() {}

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
    self.settings.append(settings)
    return TaskID(names.count - 1)
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

  /// Makes one task wait for another.
  ///
  /// - Parameters:
  ///   - task: The task that waits; must be in this graph.
  ///   - earlier: The task it waits for; must be in this graph.
  public mutating func order(_ task: TaskID, after earlier: TaskID) {
    precondition(
      names.indices.contains(task.index) && names.indices.contains(earlier.index),
      "tasks \(task.index) and \(earlier.index) are not both in this graph of \(count)")
    edges.append((before: earlier, after: task))
  }

  /// The name of a task.
  public func name(of task: TaskID) -> String { names[task.index] }
}
