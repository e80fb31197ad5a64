// Adding and removing tasks during a run.

internal import HeadwayProgress
public import HeadwayRun

/// Why a task could not be added to a run.
///
/// ```swift
/// do throws(LaunchError) {
///   try launcher.add("index the files") { _ in }
/// } catch {
///   show("\(error)")  // the run has ended
/// }
/// ```
@nonexhaustive
public enum LaunchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The run has ended.
  case hasEnded
  /// A task with that name has not ended.
  case duplicateName(String)
  /// The task depends on one that the run does not have.
  case unknownTask(String)
  /// The task uses a pool that the run does not have.
  case unknownPool(String)

  /// A message with advice.
  public var description: String {
    switch self {
    case .hasEnded: "the run has ended: create another launcher"
    case .duplicateName(let name):
      "a task '\(name)' has not ended yet: use another name, or wait for its end"
    case .unknownTask(let name): "unknown task '\(name)': add it first"
    case .unknownPool(let name): "task '\(name)' uses a pool that the graph does not have"
    }
  }
}

extension Launcher {
  /// Adds a task to the run, before it begins or during it; it starts at once if it is ready and a worker is free.
  ///
  /// A task whose dependency has failed is skipped. If the run is ending, the task is not started unless it always
  /// runs.
  ///
  /// - Parameters:
  ///   - name: The name, which must differ from those of all tasks that have not ended.
  ///   - dependencies: The tasks that it depends on.
  ///   - settings: The settings of the task.
  ///   - body: The work.
  /// - Returns: The task in this run.
  /// - Throws: ``LaunchError``; nothing has changed then.
  /// - Complexity: O(tasks that it waits for) amortized.
  @discardableResult
  public func add(
    _ name: String, after dependencies: [TaskID] = [], settings: TaskSettings = TaskSettings(),
    _ body: TaskBody
  ) throws(LaunchError) -> TaskID {
    // Before the task can end, or the progress would be complete for a moment.
    root.addToTotal(1)
    let added = change { state, now -> Swift.Result<TaskID, LaunchError> in
      state.add(name, after: dependencies, settings, body, at: now)
    }
    if case .failure = added { root.takeFromTotal(1) }
    return try added.get()
  }

  /// Adds a task with an asynchronous function.
  ///
  /// - Parameters:
  ///   - name: The name, which must differ from those of all tasks that have not ended.
  ///   - dependencies: The tasks that it depends on.
  ///   - settings: The settings of the task.
  ///   - body: The function; an error that it throws is the reason of the failure.
  /// - Returns: The task in this run.
  /// - Throws: ``LaunchError``.
  @discardableResult
  public func add(
    _ name: String, after dependencies: [TaskID] = [], settings: TaskSettings = TaskSettings(),
    _ body: @escaping @Sendable (LaunchContext) async throws -> Void
  ) throws(LaunchError) -> TaskID {
    try add(name, after: dependencies, settings: settings, .asynchronous(body))
  }

  /// Adds a task that is a value of its own type.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - dependencies: The tasks that it depends on.
  ///   - settings: The settings of the task.
  /// - Returns: The task in this run.
  /// - Throws: ``LaunchError``.
  @discardableResult
  public func add(
    _ task: some LaunchTask, after dependencies: [TaskID] = [],
    settings: TaskSettings = TaskSettings()
  ) throws(LaunchError) -> TaskID {
    try add(task.name, after: dependencies, settings: settings, task.body)
  }

  /// Removes a task: if it has not started it is not started, and if it is running it is cancelled.
  ///
  /// Tasks that depend on it are skipped, with it as the reason.
  ///
  /// - Parameter task: The task.
  /// - Returns: Whether the task was in this run and had not ended.
  /// - Complexity: O(tasks that need it).
  @discardableResult
  public func remove(_ task: TaskID) -> Bool {
    change { state, now in
      guard task.index >= 0, task.index < state.core.count else { return false }
      return state.core.remove(task.index, at: now)
    }
  }

  /// Removes the task with a name that has not ended.
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

  /// Removes all tasks that have not started; running tasks continue.
  ///
  /// The own task of a queue stays, as the first one. If it has ended, it is added again.
  ///
  /// - Returns: The number of removed tasks.
  /// - Complexity: O(tasks).
  @discardableResult
  public func removeAll() -> Int {
    // For the queue's own task, before it can end.
    root.addToTotal(1)
    let (removed, added) = change { state, now in state.removeAll(at: now) }
    root.takeFromTotal(1 - added)
    return removed
  }

  /// Continues after a failure that holds the run; see `FailurePolicy.hold`.
  ///
  /// - Returns: Whether the run was held.
  @discardableResult
  public func proceed() -> Bool { change { state, now in state.core.proceed(at: now) } }

  /// Continues after a failure, if it is the one that holds the run.
  func proceed(after task: TaskID) {
    change { state, now in
      if state.core.heldBy == task { _ = state.core.proceed(at: now) }
    }
  }

  /// Ends the run after a failure, if it is the one that holds the run.
  func end(after task: TaskID) {
    change { state, now in
      if state.core.heldBy == task { state.core.end(because: .failure(task), at: now) }
    }
  }

  /// Closes a queue, and starts it if it has not begun: the run ends as soon as all tasks have ended.
  ///
  /// Until then tasks can still be added, such as by those that run.
  public func close() {
    change { state, now in
      begin(&state)
      state.core.close(at: now)
    }
  }
}

extension Launcher.State {
  /// The task with a name that has not ended.
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

  mutating func add(
    _ name: String, after dependencies: [TaskID], _ settings: TaskSettings, _ body: TaskBody,
    at now: Int64
  ) -> Result<TaskID, LaunchError> {
    if end != nil || core.isFinished && core.hasBegun { return .failure(.hasEnded) }
    if index(of: name) != nil { return .failure(.duplicateName(name)) }
    for task in dependencies where task.index < 0 || task.index >= core.count {
      return .failure(.unknownTask(task.name.isEmpty ? "number \(task.index)" : task.name))
    }
    if let pool = settings.pool, pool.index + 1 >= core.room.count {
      return .failure(.unknownPool(name))
    }
    bodies.append(body)
    running.append(nil)
    let index = core.add(
      name, settings, after: dependencies.map(\.index), isReady: core.hasBegun, at: now)
    _ = nameTable?.add(index, in: core.names)
    return .success(core.id(index))
  }

  /// Removes tasks that have not started, except the queue's own one, which is added again if it has ended.
  ///
  /// - Returns: The numbers of removed and added tasks.
  mutating func removeAll(at now: Int64) -> (removed: Int, added: Int) {
    var removed = 0
    core.isChanging = true
    defer {
      core.isChanging = false
      if removed > 0 { core.emitIfOver(at: now) }
    }
    for index in 0..<core.count where index != own?.index {
      switch core.entries[index].phase {
      case .waiting, .ready, .backingOff: removed += core.remove(index, at: now) ? 1 : 0
      case .handedOut, .running, .ending, .killing, .settling, .serving, .ended: break
      }
    }
    guard let own, end == nil, core.entries[own.index].phase == .ended,
      case .success(let task) = add(own.name, after: [], own.settings, own.body, at: now)
    else { return (removed, 0) }
    self.own?.index = task.index
    return (removed, 1)
  }
}
