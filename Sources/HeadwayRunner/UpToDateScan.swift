internal import HeadwayCollections
internal import HeadwayFiles
internal import HeadwayPlan
internal import HeadwayRun

/// Decides whose files are looked at before a worker asks for the task, and what a look proves.
///
/// At the beginning of a run, the files of all tasks with inputs are looked at once, in topological order and the cheapest
/// first, as ninja scans for what is dirty before it builds. What a look shows is
///
/// | the task | the look finds | that means |
/// |---|---|---|
/// | is ready | no change | it is up to date, and ends without a worker |
/// | is ready | a change | it will run; its files are checked again when it starts |
/// | waits | a change | it will probably run |
/// | waits | no change | it runs only if a task before it changes its files |
///
/// A look at a waiting task proves that it is up to date only if it becomes ready without any task before it having done
/// something. Otherwise its files are looked at again once it is ready. The same is true after a pause or a hold, when
/// people edit files.
///
/// A pure value; the run loop asks the questions and ends the tasks.
struct UpToDateScan: Sendable {
  /// What is known of the files of a task.
  private enum Look: UInt8 {
    /// Nothing, and nobody has asked.
    case none
    /// They are being looked at.
    case asked
    /// They are as they were after the last success.
    case unchanged
    /// They have changed, or a worker has the task, or it has ended: no look is of use.
    case over
  }

  private struct Entry {
    var look = Look.none
    /// Whether the task has inputs and has not been looked at, checked or ended.
    var isOpen = false
    /// Whether the task was ready when it was looked at.
    var wasReady = false
    /// Whether a task before it has done something.
    var followsWork = false
    /// The number of pauses and holds, and of their ends, before it was looked at.
    var epoch: Int32 = 0
    /// How often its files were looked at.
    var looks: Int32 = 0
  }

  /// What decides which of two tasks is looked at first.
  private struct Key: Comparable {
    /// How much there is to search, roughly.
    let cost: Int
    let index: Int

    static func < (left: Key, right: Key) -> Bool {
      (left.cost, left.index) < (right.cost, right.index)
    }
  }

  /// The maximum number of looks that are asked for at a time, so that the loop does not prepare thousands at once.
  private static let maxAsked = 32

  private let graph: TaskGraph
  /// What it costs to look at each task, nil for those that are not looked at.
  private let costs: [Int?]
  private var entries: [Entry]
  /// The tasks of the first pass whose predecessors are in it already.
  private var pass = Heap<Key>()
  /// The number of dependencies that the first pass has not reached, by task.
  private var waitsFor: [Int32]
  /// The tasks to look at again now that they are ready.
  private var again: [Int] = []
  /// The tasks of which something new is known.
  private var candidates: [Int] = []
  /// The looks that are of no use any more.
  private var stale: [Int] = []
  private var asked = 0
  private var open = 0
  private var epoch: Int32 = 0
  /// Whether no more files are looked at.
  private var isStopped = false

  /// Prepares to look at files; nil if no task may be up to date.
  ///
  /// - Parameters:
  ///   - tasks: The tasks of the run.
  ///   - isLookedAt: Whether a task may be up to date.
  /// - Complexity: O(tasks + dependencies).
  init?(_ tasks: [Plan.Task], where isLookedAt: (TaskID) -> Bool) {
    costs = tasks.indices.map { index in
      let task = tasks[index]
      guard task.command != nil, !task.inputs.isEmpty, isLookedAt(TaskID(index)) else { return nil }
      return Self.cost(task)
    }
    open = costs.count { $0 != nil }
    guard open > 0 else { return nil }
    entries = costs.map { Entry(look: $0 == nil ? .over : .none, isOpen: $0 != nil) }
    graph = tasks.graph
    waitsFor = graph.dependencyCounts
    for index in waitsFor.indices where waitsFor[index] == 0 { enter(index) }
  }

  /// How much there is to search for the patterns of a task: whole folders count for many files.
  private static func cost(_ task: Plan.Task) -> Int {
    (task.inputs + task.outputs).reduce(0) { sum, pattern in
      if pattern.contains("**") { return sum + 100 }
      return sum + (pattern.utf8.contains(where: \.isPatternCharacter) ? 10 : 1)
    }
  }

  private mutating func enter(_ index: Int) {
    pass.insert(Key(cost: costs[index] ?? 0, index: index))
  }

  /// Whether the first pass is over: each task was looked at, was checked or has ended.
  var isPassOver: Bool { open == 0 || isStopped }

  // MARK: Looks

  /// The task whose files are looked at next, nil if there is none or enough are asked for.
  ///
  /// - Parameter isReady: Whether a task has neither started nor has to wait for others.
  /// - Returns: The task and the number of the look at its files.
  mutating func next(isReady: (TaskID) -> Bool) -> (task: TaskID, number: Int)? {
    guard !isStopped, asked < Self.maxAsked else { return nil }
    while let index = again.popLast() ?? nextOfPass() {
      guard entries[index].look == .none else { continue }
      asked += 1
      entries[index].look = .asked
      entries[index].wasReady = isReady(TaskID(index))
      entries[index].epoch = epoch
      entries[index].looks += 1
      return (TaskID(index), Int(entries[index].looks))
    }
    return nil
  }

  private mutating func nextOfPass() -> Int? {
    guard let index = pass.popMin()?.index else { return nil }
    for position in 0..<graph.dependentCount(of: index) {
      let dependent = graph.dependent(position, of: index)
      waitsFor[dependent] -= 1
      if waitsFor[dependent] == 0 { enter(dependent) }
    }
    return index
  }

  /// Takes what a look has found.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - number: The number of the look at its files.
  ///   - isChanged: Whether they have changed.
  /// - Returns: Whether that is of use: the look was not withdrawn.
  mutating func answer(_ task: TaskID, number: Int, isChanged: Bool) -> Bool {
    let entry = entries[task.index]
    guard entry.look == .asked, entry.looks == number else { return false }
    asked -= 1
    close(task.index)
    entries[task.index].look = isChanged ? .over : .unchanged
    candidates.append(task.index)
    return true
  }

  /// Whether a ready task is known to be up to date.
  func isUpToDate(_ task: TaskID) -> Bool {
    entries[task.index].look == .unchanged && isValid(task.index)
  }

  /// Whether what a look at a ready task has found, or will find, is still true.
  private func isValid(_ index: Int) -> Bool {
    let entry = entries[index]
    return entry.epoch == epoch && (entry.wasReady || !entry.followsWork)
  }

  /// Leaves a task to the check of its start, which takes over a look that is under way and still of use.
  mutating func leave(_ task: TaskID) {
    if entries[task.index].look == .asked {
      asked -= 1
      if !isValid(task.index) { stale.append(task.index) }
    }
    entries[task.index].look = .over
  }

  /// Notes that a task was checked.
  mutating func wasChecked(_ task: TaskID) { close(task.index) }

  /// Ends the looking, as at the end of a run.
  mutating func stop() {
    guard !isStopped else { return }
    isStopped = true
    for index in entries.indices where entries[index].look == .asked { withdraw(index) }
  }

  private mutating func withdraw(_ index: Int) {
    asked -= 1
    stale.append(index)
    entries[index].look = .none
  }

  private mutating func close(_ index: Int) {
    guard entries[index].isOpen else { return }
    entries[index].isOpen = false
    open -= 1
  }

  // MARK: The run

  /// Takes notice of an event of the run.
  mutating func receive(_ event: RunEvent.Kind) {
    switch event {
    case .taskStarted(let task, _): spread(from: task.index)
    case .taskReady(let task, _, _): noteDependents(of: task.index)
    case .taskEnded(let task, let outcome, _, _):
      close(task.index)
      if entries[task.index].look == .asked { withdraw(task.index) }
      entries[task.index].look = .over
      // A condition, say, may have been decided long after the look.
      if !outcome.isSuccess { spread(from: task.index) }
      noteDependents(of: task.index)
    case .runPaused, .runResumed, .runHeld, .runProceeding:
      epoch += 1
      candidates += entries.indices.filter { entries[$0].look != .over }
    case .runEnding, .runEnded: stop()
    default: break
    }
  }

  private mutating func noteDependents(of index: Int) {
    for position in 0..<graph.dependentCount(of: index) {
      let dependent = graph.dependent(position, of: index)
      if entries[dependent].look != .over { candidates.append(dependent) }
    }
  }

  /// Notes that the files of all tasks after a task may change.
  private mutating func spread(from first: Int) {
    var stack = [first]
    while let index = stack.popLast() {
      for position in 0..<graph.dependentCount(of: index) {
        let dependent = graph.dependent(position, of: index)
        guard !entries[dependent].followsWork else { continue }
        entries[dependent].followsWork = true
        stack.append(dependent)
      }
    }
  }

  /// Takes the next task that is ready and up to date; those whose looks are not valid any more are looked at again.
  ///
  /// - Parameter isReady: Whether a task has neither started nor has to wait for others.
  /// - Returns: The task, nil if there is none.
  mutating func nextUpToDate(isReady: (TaskID) -> Bool) -> TaskID? {
    while let index = candidates.popLast() {
      guard isReady(TaskID(index)) else { continue }
      if isUpToDate(TaskID(index)) { return TaskID(index) }
      guard !isValid(index) else { continue }
      switch entries[index].look {
      case .asked: withdraw(index)
      case .unchanged: entries[index].look = .none
      case .none, .over: continue
      }
      again.append(index)
    }
    return nil
  }

  /// Takes the next task whose look is of no use any more.
  mutating func nextStale() -> TaskID? { stale.popLast().map { TaskID($0) } }
}
