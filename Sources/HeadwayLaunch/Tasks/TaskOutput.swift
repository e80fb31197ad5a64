public import HeadwayRun

/// What a task returns, to be passed to the tasks that need it.
///
/// ```swift
/// var graph = LaunchGraph()
/// let settings: TaskOutput<Settings> = graph.add("read settings") { try await Settings.read() }
/// let database = graph.add("open database", after: settings) { try await Database.open($0.path) }
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
  /// Takes the value out of what is stored for the task; nil if that is the value itself.
  @usableFromInline let derived: (@Sendable (StoredOutput?) -> Value?)?

  /// Creates the output of a task.
  @inlinable
  init(
    of task: TaskID, derived: (@Sendable (StoredOutput?) -> Value?)? = nil
  ) {
    self.task = task
    self.derived = derived
  }

  /// Takes the value out of what is stored for the task; nil if it is missing or of another type.
  @inlinable
  func value(in stored: StoredOutput?) -> Value? {
    if let derived { return derived(stored) }
    return stored?.as(Value.self)?.value
  }

  /// The output, or nil if the task did not succeed; of a service, what it has passed to `ready`, however it ended.
  ///
  /// For tasks that also start when this one has failed: tasks that always run, and any task if this one is optional.
  public var ifSucceeded: TaskOutput<Value?> {
    TaskOutput<Value?>(of: task) { [self] in .some(value(in: $0)) }
  }

  /// A part of the output, or another form of it, for tasks that need no more.
  ///
  /// ```swift
  /// let path = settings.map(\.path)
  /// ```
  ///
  /// - Parameter transform: The function, which should be short: it is called for each attempt that gets the output, and whenever the
  ///   output is read from a result, on any thread.
  /// - Returns: What the function returns; it is missing where the output is.
  public func map<Part: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Part
  ) -> TaskOutput<Part> {
    TaskOutput<Part>(of: task) { [self] in value(in: $0).map(transform) }
  }
}

/// A task needs the output of one that did not succeed.
///
/// That can happen to a task that always runs, and to one that gets the output of an optional task. Pass
/// ``TaskOutput/ifSucceeded`` to such a task.
///
/// ```swift
/// let result = try await Launcher(graph).run()
/// if let missing = result["report"]?.error as? MissingOutput {
///   show("\(missing.task.name) has no output")  // build
/// }
/// ```
public struct MissingOutput: Error, Hashable, Sendable, CustomStringConvertible {
  /// The task that did not succeed.
  public let task: TaskID

  @usableFromInline
  init(task: TaskID) { self.task = task }

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
  @inlinable
  public mutating func add<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (repeat each Input) async throws -> Output
  ) -> TaskOutput<Output> {
    let id = addTask(
      name, settings: settings,
      .asynchronous { context in
        context.keep(StoredValue(try await body(repeat try context.output(each inputs))))
      })
    repeat addInput(of: id, (each inputs).task)
    return TaskOutput(of: id)
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
  @inlinable
  public mutating func add<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext, repeat each Input) async throws -> Output
  ) -> TaskOutput<Output> {
    let id = addTask(
      name, settings: settings,
      .asynchronous { context in
        context.keep(StoredValue(try await body(context, repeat try context.output(each inputs))))
      })
    repeat addInput(of: id, (each inputs).task)
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
  @inlinable
  public mutating func addBlocking<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (repeat each Input) throws -> Output
  ) -> TaskOutput<Output> {
    let id = addTask(
      name, settings: settings,
      .blocking { context in
        context.keep(StoredValue(try body(repeat try context.output(each inputs))))
      })
    repeat addInput(of: id, (each inputs).task)
    return TaskOutput(of: id)
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
  @inlinable
  public mutating func addBlocking<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext, repeat each Input) throws -> Output
  ) -> TaskOutput<Output> {
    let id = addTask(
      name, settings: settings,
      .blocking { context in
        context.keep(StoredValue(try body(context, repeat try context.output(each inputs))))
      })
    repeat addInput(of: id, (each inputs).task)
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
  @inlinable
  public mutating func addOptional<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (repeat each Input) async throws -> Output
  ) -> TaskOutput<Output?> {
    var settings = settings
    settings.isOptional = true
    return add(name, after: repeat each inputs, settings: settings, body).ifSucceeded
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
  @inlinable
  public mutating func addOptional<each Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: repeat TaskOutput<each Input>,
    settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext, repeat each Input) async throws -> Output
  ) -> TaskOutput<Output?> {
    var settings = settings
    settings.isOptional = true
    return add(name, after: repeat each inputs, settings: settings, body).ifSucceeded
  }

  /// Adds a task with an output; its inputs follow.
  @usableFromInline
  mutating func addTask(_ name: String, settings: TaskSettings, _ body: TaskBody) -> TaskID {
    hasOutputs = true
    return add(name, settings: settings, body)
  }

  /// Makes a task wait for one whose output it gets.
  @usableFromInline
  mutating func addInput(of task: TaskID, _ input: TaskID) {
    precondition(
      input.index < task.index && names[input.index] == input.name,
      "task '\(task.name)' gets the output of '\(input.name)', which is not in this graph")
    addDependency(of: task, on: input)
  }
}

extension LaunchContext {
  /// The output of a task that has ended.
  @inlinable
  func output<Value>(_ output: TaskOutput<Value>) throws(MissingOutput) -> Value {
    let stored = stored(output.task.index)
    if output.derived == nil, let stored = stored?.as(Value.self) { return stored.value }
    return try unusualOutput(output, in: stored)
  }

  /// The output of a task that has ended, if it is derived or missing.
  ///
  /// A function of its own, because generic code looks up the metadata of `Value?`.
  @inline(never)
  @usableFromInline
  func unusualOutput<Value>(
    _ output: TaskOutput<Value>, in stored: StoredOutput?
  ) throws(MissingOutput) -> Value {
    guard let value = output.value(in: stored) else { throw MissingOutput(task: output.task) }
    return value
  }

  /// What is stored for a task that has ended.
  @usableFromInline
  func stored(_ index: Int) -> StoredOutput? { running.launcher.outputs?[index] }

  /// Keeps what an attempt returns until its end is reported.
  @usableFromInline
  func keep(_ output: StoredOutput) { running.output = output }
}

extension LaunchResult {
  /// What a task has returned, nil if it did not succeed; of a service, what it has passed to `ready`.
  ///
  /// - Complexity: O(1).
  public subscript<Value>(output: TaskOutput<Value>) -> Value? {
    output.value(in: outputs?[output.task.index])
  }

  /// What an optional task has returned, nil if it did not succeed.
  ///
  /// - Complexity: O(1).
  public subscript<Value>(output: TaskOutput<Value?>) -> Value? {
    output.value(in: outputs?[output.task.index]) ?? nil
  }
}

/// What a task has returned, of any type.
///
/// `Sendable` is unchecked because it has a subclass, which is `Sendable`, too.
@usableFromInline
class StoredOutput: @unchecked Sendable {
  /// The type of the value.
  @usableFromInline final let type: Any.Type

  @inlinable
  init(of type: Any.Type) { self.type = type }

  /// The stored value if it has this very type.
  ///
  /// Cheaper than a cast, for which generic code would look up the metadata of the class.
  @inlinable
  @inline(__always)
  final func `as`<Value>(_ type: Value.Type) -> StoredValue<Value>? {
    self.type == type ? unsafe unsafeDowncast(self, to: StoredValue<Value>.self) : nil
  }
}

/// A value that a task has returned.
@usableFromInline
final class StoredValue<Value: Sendable>: StoredOutput, @unchecked Sendable {
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
    super.init(of: Value.self)
  }
}

/// What the tasks of a run have returned.
///
/// An output is stored under the lock of the launcher before any task that gets it is started under the same lock, and never
/// changes; so it is read without the lock.
@safe
final class TaskOutputs: @unchecked Sendable {
  private let stored: UnsafeMutableBufferPointer<StoredOutput?>

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
  subscript(index: Int) -> StoredOutput? {
    get { unsafe stored.indices.contains(index) ? stored[index] : nil }
    set { if unsafe stored.indices.contains(index) { unsafe stored[index] = newValue } }
  }
}
