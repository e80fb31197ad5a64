public import HeadwayRun

/// What a task returns, to be passed to the tasks that need it.
///
/// ```swift
/// var graph = LaunchGraph()
/// let settings = graph.add("read the settings") { try await Settings.read() }
/// let database = graph.add("open the database", after: settings) { try await Database.open($0.path) }
/// let cache = graph.addOptional("warm the cache", after: database) { try await Cache(of: $0) }
/// graph.add("listen", after: database, cache) { database, cache in  // Database, Cache?
///   try await listen(database, cache)
/// }
/// ```
///
/// The compiler checks the types where the graph is written, and a task can only be passed to tasks that are added after it,
/// so these dependencies have no cycles.
public struct TaskOutput<Value: Sendable>: Sendable {
  /// The task that returns it.
  public let task: TaskID
  /// Takes the value out of what is stored for the task; nil if it is missing.
  let value: @Sendable ((any AnyObject & Sendable)?) -> Value?

  /// Creates the output of a task.
  init(of task: TaskID) {
    self.task = task
    value = { ($0 as? StoredOutput<Value>)?.value }
  }

  private init(task: TaskID, value: @escaping @Sendable ((any AnyObject & Sendable)?) -> Value?) {
    self.task = task
    self.value = value
  }

  /// The output, or nil if the task did not succeed; of a service, what it has passed to `ready`, however it ended.
  ///
  /// For tasks that also start when this one has failed: tasks that always run, and any task if this one is optional.
  public var ifSucceeded: TaskOutput<Value?> {
    let value = value
    return TaskOutput<Value?>(task: task) { .some(value($0)) }
  }
}

/// A task needs the output of one that did not succeed.
///
/// That can happen to a task that always runs, and to one that gets the output of an optional task. Pass
/// ``TaskOutput/ifSucceeded`` to such a task.
public struct MissingOutput: Error, Hashable, Sendable, CustomStringConvertible {
  /// The task that did not succeed.
  public let task: TaskID

  /// A message with advice.
  public var description: String {
    "task '\(task.name)' did not succeed, so it has no output: pass ifSucceeded of its output, which is nil then"
  }
}

extension LaunchGraph {
  /// Adds a task that gets the outputs of others, and returns one itself.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure. It is called once for each attempt, and
  ///     what the successful one returns is kept as long as the launcher and its result.
  /// - Returns: The output of the task.
  @discardableResult
  public mutating func add<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (repeat each Input) async throws -> Output
  ) -> TaskOutput<Output> {
    add(name, after: repeat each inputs, settings: settings) {
      (_: LaunchContext, values: repeat each Input) in try await body(repeat each values)
    }
  }

  /// Adds a task that gets its context and the outputs of others, and returns one itself.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task.
  @discardableResult
  public mutating func add<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext, repeat each Input) async throws -> Output
  ) -> TaskOutput<Output> {
    let id = addTask(
      name, after: repeat each inputs, settings: settings,
      .asynchronous { context in
        context.keep(try await body(context, repeat try context.output(each inputs)))
      })
    return TaskOutput(of: id)
  }

  /// Adds a task whose function may block, so that it runs on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task.
  @discardableResult
  public mutating func addBlocking<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (repeat each Input) throws -> Output
  ) -> TaskOutput<Output> {
    addBlocking(name, after: repeat each inputs, settings: settings) {
      (_: LaunchContext, values: repeat each Input) in try body(repeat each values)
    }
  }

  /// Adds a task whose function gets its context and may block, so that it runs on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task.
  @discardableResult
  public mutating func addBlocking<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext, repeat each Input) throws -> Output
  ) -> TaskOutput<Output> {
    let id = addTask(
      name, after: repeat each inputs, settings: settings,
      .blocking { context in
        context.keep(try body(context, repeat try context.output(each inputs)))
      })
    return TaskOutput(of: id)
  }

  /// Adds a task without which the run, and the tasks that get its output, go on if it fails.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for.
  ///   - settings: The settings of the task, which become optional.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task, nil if it did not succeed.
  @discardableResult
  public mutating func addOptional<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (repeat each Input) async throws -> Output
  ) -> TaskOutput<Output?> {
    addOptional(name, after: repeat each inputs, settings: settings) {
      (_: LaunchContext, values: repeat each Input) in try await body(repeat each values)
    }
  }

  /// Adds a task that gets its context, and without which the run and the tasks that get its output go on if it fails.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for.
  ///   - settings: The settings of the task, which become optional.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task, nil if it did not succeed.
  @discardableResult
  public mutating func addOptional<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext, repeat each Input) async throws -> Output
  ) -> TaskOutput<Output?> {
    var settings = settings
    settings.isOptional = true
    return add(name, after: repeat each inputs, settings: settings, body).ifSucceeded
  }

  /// Adds a task with an output.
  mutating func addTask<each Input: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>, settings: TaskSettings,
    _ body: TaskBody
  ) -> TaskID {
    var tasks: [TaskID] = []
    for input in repeat each inputs { tasks.append(input.task) }
    for task in tasks {
      precondition(
        names.indices.contains(task.index) && names[task.index] == task.name,
        "task '\(name)' gets the output of '\(task.name)', which is not in this graph")
    }
    hasOutputs = true
    return add(name, after: tasks, settings: settings, body)
  }
}

extension LaunchContext {
  /// The output of a task that has ended.
  func output<Value>(_ output: TaskOutput<Value>) throws(MissingOutput) -> Value {
    guard let value = output.value(running.launcher.outputs?[output.task.index]) else {
      throw MissingOutput(task: output.task)
    }
    return value
  }

  /// Keeps what an attempt returns until its end is reported.
  fileprivate func keep(_ value: some Sendable) { running.output = StoredOutput(value) }
}

extension LaunchResult {
  /// What a task has returned, nil if it did not succeed; of a service, what it has passed to `ready`.
  ///
  /// - Complexity: O(1).
  public subscript<Value>(output: TaskOutput<Value>) -> Value? {
    output.value(outputs?[output.task.index])
  }

  /// What an optional task has returned, nil if it did not succeed.
  ///
  /// - Complexity: O(1).
  public subscript<Value>(output: TaskOutput<Value?>) -> Value? {
    output.value(outputs?[output.task.index]) ?? nil
  }
}

/// A value that a task has returned.
final class StoredOutput<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// What the tasks of a run have returned.
///
/// An output is stored under the lock of the launcher before any task that gets it is started under the same lock, and never
/// changes; so it is read without the lock.
@safe
final class TaskOutputs: @unchecked Sendable {
  private let stored: UnsafeMutableBufferPointer<(any AnyObject & Sendable)?>

  /// Makes room for the outputs of some tasks.
  init(count: Int) {
    unsafe stored = .allocate(capacity: count)
    unsafe stored.initialize(repeating: nil)
  }

  deinit {
    unsafe stored.deinitialize()
    unsafe stored.deallocate()
  }

  /// The output of a task; nil if it has none, or was added to the run later.
  subscript(index: Int) -> (any AnyObject & Sendable)? {
    get { unsafe stored.indices.contains(index) ? stored[index] : nil }
    set { if unsafe stored.indices.contains(index) { unsafe stored[index] = newValue } }
  }
}
