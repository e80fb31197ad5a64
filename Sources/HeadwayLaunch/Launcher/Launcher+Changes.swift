// Adding and removing tasks while a run goes on.

internal import HeadwayProgress
public import HeadwayRun

/// Why a task could not be added to a run.
@nonexhaustive
public enum LaunchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The run has ended.
  case hasEnded
  /// A task of that name has not ended.
  case duplicateName(String)
  /// The task was to wait for one that the run does not have.
  case unknownTask(String)
  /// The task was to run in a pool that the run does not have.
  case unknownPool(String)

  /// The error in words.
  public var description: String {
    switch self {
    case .hasEnded: "the run has ended: begin another one with a launcher of its own"
    case .duplicateName(let name):
      "a task '\(name)' has not ended yet: add it under another name, or afterwards"
    case .unknownTask(let name): "there is no task '\(name)' to wait for: add that one first"
    case .unknownPool(let name): "task '\(name)' names a pool that the graph does not have"
    }
  }
}

extension Launcher {
  /// Adds a task to the run, before it begins or while it goes on; where a worker is free it starts at once.
  ///
  /// A task that needs one which has failed is skipped, as if it had been there before. In a run that is ending it is
  /// not started, unless it always runs.
  ///
  /// - Parameters:
  ///   - name: Its name, which no other task has that has not ended.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: How it is treated.
  ///   - body: What it does.
  /// - Returns: The task in this run.
  /// - Throws: ``LaunchError``; nothing has changed then.
  /// - Complexity: O(tasks that it waits for) amortized.
  @discardableResult
  public func add(
    _ name: String, after dependencies: [TaskID] = [], settings: TaskSettings = TaskSettings(),
    _ body: TaskBody
  ) throws(LaunchError) -> TaskID {
    let added = change { state, now -> Swift.Result<TaskID, LaunchError> in
      state.add(name, after: dependencies, TaskRule(settings), body, at: now)
    }
    let id = try added.get()
    root.addToTotal(1)
    return id
  }

  /// Adds a task with an asynchronous function, like the form that takes a body.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: How it is treated.
  ///   - body: What it does. What it throws is the reason of its failure.
  /// - Returns: The task in this run.
  /// - Throws: ``LaunchError``.
  @discardableResult
  public func add(
    _ name: String, after dependencies: [TaskID] = [], settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext) async throws -> Void
  ) throws(LaunchError) -> TaskID {
    try add(name, after: dependencies, settings: settings, .asynchronous(body))
  }

  /// Adds a task of a type of its own, like the form that takes a body.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - dependencies: The tasks that it waits for.
  ///   - settings: How it is treated.
  /// - Returns: The task in this run.
  /// - Throws: ``LaunchError``.
  @discardableResult
  public func add(
    _ task: some LaunchTask, after dependencies: [TaskID] = [],
    settings: TaskSettings = TaskSettings()
  ) throws(LaunchError) -> TaskID {
    try add(task.name, after: dependencies, settings: settings, task.body)
  }

  /// Removes a task: one that has not started never will, one that runs is cancelled.
  ///
  /// Tasks that need it are skipped, with it as the reason.
  ///
  /// - Parameter task: The task.
  /// - Returns: Whether there was something to remove: a task of this run that has not ended.
  /// - Complexity: O(tasks that need it).
  @discardableResult
  public func remove(_ task: TaskID) -> Bool {
    change { state, now in
      guard task.index >= 0, task.index < state.core.count else { return false }
      return state.core.remove(task.index, at: now)
    }
  }

  /// Removes the task of a name that has not ended.
  ///
  /// - Parameter name: The name.
  /// - Returns: Whether there was one.
  /// - Complexity: O(1), after the first call for the run O(tasks).
  @discardableResult
  public func remove(named name: String) -> Bool {
    change { state, now in
      guard let index = state.index(of: name) else { return false }
      return state.core.remove(index, at: now)
    }
  }

  /// Removes all tasks that have not started; those that run go on.
  ///
  /// The task of its own that a queue was made with is put in again, as the first.
  ///
  /// - Returns: How many were removed.
  /// - Complexity: O(tasks).
  @discardableResult
  public func removeAll() -> Int {
    let (removed, added) = change { state, now in state.removeAll(at: now) }
    if added > 0 { root.addToTotal(added) }
    return removed
  }

  /// Goes on with the next task after a failure at which the run was held, see ``FailurePolicy/hold``.
  ///
  /// - Returns: Whether the run was held.
  @discardableResult
  public func proceed() -> Bool { change { state, now in state.core.proceed(at: now) } }

  /// Goes on after a failure, if it is the one that holds the run.
  func proceed(after task: TaskID) {
    change { state, now in
      if state.core.heldBy == task { _ = state.core.proceed(at: now) }
    }
  }

  /// Ends the run after a failure, if it is the one that holds it.
  func end(after task: TaskID) {
    change { state, now in
      if state.core.heldBy == task { state.core.end(because: .failure(task), at: now) }
    }
  }

  /// Ends a queue when what was added has ended; nothing can be added any more.
  public func close() {
    change { state, now in
      begin(&state)
      state.core.close(at: now)
    }
  }
}

extension Launcher.State {
  /// The task of a name that has not ended.
  mutating func index(of name: String) -> Int? {
    if nameTable == nil {
      var table = NameTable(capacity: core.count)
      for index in 0..<core.count { _ = table.add(index, in: core.names) }
      self.nameTable = table
    }
    guard let index = nameTable?.index(of: name, in: core.names),
      core.entries[index].phase != .ended
    else { return nil }
    return index
  }

  /// Adds a task.
  mutating func add(
    _ name: String, after dependencies: [TaskID], _ rule: TaskRule, _ body: TaskBody, at now: Int64
  ) -> Result<TaskID, LaunchError> {
    if end != nil || core.isFinished && core.hasBegun { return .failure(.hasEnded) }
    if index(of: name) != nil { return .failure(.duplicateName(name)) }
    for task in dependencies where task.index < 0 || task.index >= core.count {
      return .failure(.unknownTask(task.name.isEmpty ? "number \(task.index)" : task.name))
    }
    if rule.poolIndex >= core.room.count { return .failure(.unknownPool(name)) }
    bodies.append(body)
    running.append(nil)
    let index = core.add(
      name, rule, after: dependencies.map(\.index), isReady: core.hasBegun, at: now)
    _ = nameTable?.add(index, in: core.names)
    return .success(core.id(index))
  }

  /// Removes what has not started, and puts the queue's own task in again.
  ///
  /// - Returns: How many tasks were removed, and how many were added.
  mutating func removeAll(at now: Int64) -> (removed: Int, added: Int) {
    var removed = 0
    core.isChanging = true
    defer {
      core.isChanging = false
      if removed > 0 { core.emitIfOver(at: now) }
    }
    for index in 0..<core.count {
      switch core.entries[index].phase {
      case .waiting, .ready, .backingOff: removed += core.remove(index, at: now) ? 1 : 0
      case .handedOut, .running, .ending, .killing, .settling, .ended: break
      }
    }
    guard let own, end == nil, case .success = add(own.name, after: [], own.rule, own.body, at: now)
    else { return (removed, 0) }
    return (removed, 1)
  }
}
