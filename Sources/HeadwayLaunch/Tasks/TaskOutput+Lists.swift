public import HeadwayRun

/// Tasks that get the outputs of lists of tasks.
///
/// ```swift
/// let parts = files.map { file in graph.add("count \(file)") { try await count(file) } }
/// graph.add("sum", after: parts) { counts in counts.reduce(0, +) }
/// ```
extension LaunchGraph {
  /// Adds a task that gets the outputs of a list of tasks, in the order of the list.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for; the list may be empty.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task.
  @discardableResult
  @inlinable
  public mutating func add<Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: [TaskOutput<Input>], settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable ([Input]) async throws -> Output
  ) -> TaskOutput<Output> {
    addTask(
      name, after: inputs, settings: settings,
      .asynchronous { context in
        context.keep(StoredValue(try await body(try context.outputs(inputs))))
      })
  }

  /// Adds a task that gets its context and the outputs of a list of tasks.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for; the list may be empty.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task.
  @discardableResult
  @inlinable
  public mutating func add<Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: [TaskOutput<Input>], settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext, [Input]) async throws -> Output
  ) -> TaskOutput<Output> {
    addTask(
      name, after: inputs, settings: settings,
      .asynchronous { context in
        context.keep(StoredValue(try await body(context, try context.outputs(inputs))))
      })
  }

  /// Adds a task that gets the outputs of a list of tasks, and whose function may block, so that it runs on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for; the list may be empty.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task.
  @discardableResult
  @inlinable
  public mutating func addBlocking<Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: [TaskOutput<Input>], settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable ([Input]) throws -> Output
  ) -> TaskOutput<Output> {
    addTask(
      name, after: inputs, settings: settings,
      .blocking { context in
        context.keep(StoredValue(try body(try context.outputs(inputs))))
      })
  }

  /// Adds a task that gets its context and the outputs of a list of tasks, and whose function may block.
  ///
  /// - Parameters:
  ///   - name: The name that events and renderers show.
  ///   - inputs: The outputs of the tasks that it waits for; the list may be empty.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The output of the task.
  @discardableResult
  @inlinable
  public mutating func addBlocking<Input: Sendable, Output: Sendable>(
    _ name: String, after inputs: [TaskOutput<Input>], settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext, [Input]) throws -> Output
  ) -> TaskOutput<Output> {
    addTask(
      name, after: inputs, settings: settings,
      .blocking { context in
        context.keep(StoredValue(try body(context, try context.outputs(inputs))))
      })
  }
}

extension LaunchGraph {
  /// Adds a task that gets the outputs of a list of tasks.
  @inlinable
  mutating func addTask<Input, Output>(
    _ name: String, after inputs: [TaskOutput<Input>], settings: TaskSettings, _ body: TaskBody
  ) -> TaskOutput<Output> {
    let id = addTask(name, settings: settings, body)
    for input in inputs { addInput(of: id, input.task) }
    return TaskOutput(of: id)
  }
}

extension LaunchContext {
  /// The outputs of tasks that have ended.
  @inlinable
  func outputs<Value>(_ outputs: [TaskOutput<Value>]) throws(MissingOutput) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(outputs.count)
    for output in outputs { values.append(try self.output(output)) }
    return values
  }
}
