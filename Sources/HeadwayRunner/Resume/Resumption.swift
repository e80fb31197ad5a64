internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayState

/// What a run need not do again, because an earlier one has done it.
///
/// A task counts as done if it succeeded in the earlier run, its digest is the same, and nothing that it comes after runs
/// again: as in `make` and Snakemake, what is made again may differ, so everything behind it is made again, too. If a task
/// declares its inputs, their contents decide instead, as in any run.
///
/// ```
///   compile ✓ ──▶ test ✗ ──▶ package          test and package run
///   compile ✓ (changed) ──▶ lint ✓            both run
///   docs ✓                                    counts as done
/// ```
///
/// Whether something runs again is known when its turn comes: a task may have a condition, or be up to date. So a task ends
/// at once only if all tasks before it do; the others are asked for with ``isDone(_:)`` before they start.
///
/// A pure value.
struct Resumption: Sendable {
  /// What becomes of a task.
  enum Fate: Hashable, Sendable {
    /// It runs.
    case runs
    /// It was done, and counts as done if nothing before it runs again.
    case done
    /// It was done, and the contents of its inputs decide, as in any run.
    case checked
    /// It counts as done whatever runs before it.
    case settled
    /// It is never run again by itself, and its outcome is unknown.
    case unknown
  }

  /// Why a task that was done runs again.
  enum Change: Hashable, Sendable {
    /// Its command is another one.
    case command
    /// Its environment, directory or files are others.
    case surroundings
    /// A task that it comes after runs again.
    case after(TaskID)
  }

  /// The name of the run that goes on.
  let run: String
  /// What becomes of the tasks, by index.
  private(set) var fates: [Fate]
  /// The outcomes of the tasks that have ended before the run begins.
  private(set) var ended: [(task: TaskID, outcome: Outcome)] = []
  /// The tasks that were done and run again, with the reason.
  private(set) var changed: [(task: TaskID, why: Change)] = []
  /// The tasks that were under way when the earlier run died.
  private(set) var lost: [TaskID] = []
  /// The tasks that the earlier run did not have.
  private(set) var added: [TaskID] = []
  /// The names of tasks that the plan does not have any more.
  private(set) var removed: [String] = []
  /// The tasks with `once: true` that have changed and are not run again.
  private(set) var kept: [TaskID] = []
  /// The number of tasks with a command that probably count as done.
  private(set) var doneCount = 0
  /// The tasks that a person wants to run again.
  private let again: Set<Int>
  /// The tasks of the run.
  private let tasks: [RunHeader.Task]
  /// Whether each task was started in this run, in a way that may change what comes after it.
  private var started: [Bool]
  /// Whether each task has counted as done.
  private var counted: [Bool]
  /// Whether neither a task nor anything before it was started, as far as that was found out.
  private var isClean: [Bool]
  /// The services that are not those of the earlier run, so that what uses them runs again.
  private var newServices: Set<Int> = []

  /// Decides what need not be done again.
  ///
  /// - Parameters:
  ///   - header: The header of the run that begins.
  ///   - plan: Its plan.
  ///   - earlier: The earlier runs.
  /// - Complexity: O(tasks + dependencies) of all runs, and the same for each service.
  init(_ header: RunHeader, _ plan: Plan, _ earlier: EarlierRuns) {
    let known = EarlierTasks(earlier.runs)
    tasks = header.tasks
    run = earlier.runs[0].header.run
    fates = [Fate](repeating: .runs, count: tasks.count)
    started = [Bool](repeating: false, count: tasks.count)
    (counted, isClean) = (started, started)
    let names = tasks.map(\.name)
    again = Set(names.indices.filter { earlier.again.contains(names[$0]) })
    let graph = header.graph
    let order = graph.topologicalOrder().map { Int($0) }
    // The latest run in which each task was started; of a group or a service, in which something before it was.
    var latest = [Int](repeating: -1, count: tasks.count)
    for index in order {
      let task = tasks[index]
      let before = task.after.reduce(-1) { max($0, latest[$1]) }
      let past = known.tasks[task.name]
      latest[index] = task.digest.isEmpty || task.isService ? before : past?.started ?? before
      let isNew = past.map { $0.digest != task.digest } ?? !known.names.contains(task.name)
      if task.isService, isNew || again.contains(index) { newServices.insert(index) }
      fates[index] =
        earlier.done.contains(task.name)
        ? .settled
        : fate(index, past, isStale: before > past?.run ?? -1, plan.tasks[index])
    }
    describe(order, known, graph)
  }

  /// What becomes of a task for which a person has decided nothing but that it runs again.
  private mutating func fate(
    _ index: Int, _ past: EarlierTasks.Task?, isStale: Bool, _ planned: Plan.Task
  ) -> Fate {
    let task = tasks[index]
    guard let past, task.hook == nil, !task.isService, !again.contains(index) else { return .runs }
    switch past.fate {
    case .succeeded where task.isOnce:
      if past.digest != task.digest { kept.append(TaskID(index)) }
      return .settled
    case .ended where task.isOnce, .lost where task.isOnce: return .unknown
    case .lost:
      lost.append(TaskID(index))
      return .runs
    case .failed, .ended: return .runs
    case .succeeded: break
    }
    guard past.digest == task.digest else {
      let isSame = past.command == task.command
      changed.append((TaskID(index), isSame ? .surroundings : .command))
      return .runs
    }
    if !planned.inputs.isEmpty { return .checked }
    return isStale ? .runs : .done
  }

  /// Finds out which tasks end before the run begins, and what is to be said.
  private mutating func describe(_ order: [Int], _ known: EarlierTasks, _ graph: TaskGraph) {
    close(order, graph)
    // What probably runs again; a condition may be false.
    var runs = [Bool](repeating: false, count: tasks.count)
    for index in order {
      let cause = tasks[index].after.first { runs[$0] }
      switch fates[index] {
      case .runs where tasks[index].digest.isEmpty: runs[index] = cause != nil
      case .runs where tasks[index].isService && !newServices.contains(index):
        runs[index] = cause != nil
      case .runs: runs[index] = true
      case .done:
        guard let cause else { continue }
        runs[index] = true
        if !tasks[index].digest.isEmpty {
          changed.append((TaskID(index), .after(TaskID(cause))))
        }
      case .checked, .settled, .unknown: break
      }
    }
    changed.sort { $0.task < $1.task }
    doneCount = tasks.indices.count { index in
      !runs[index] && !tasks[index].digest.isEmpty
        && [.done, .checked, .settled].contains(fates[index])
    }
    for index in tasks.indices where !known.names.contains(tasks[index].name) {
      added.append(TaskID(index))
    }
    let names = Set(tasks.map(\.name))
    removed = known.names.filter { !names.contains($0) }.sorted()
  }

  /// Finds the tasks that end before the run begins: those that are done, with everything before them, and those whose outcome
  /// is unknown.
  private mutating func close(_ order: [Int], _ graph: TaskGraph) {
    var services = tasks.indices.filter { tasks[$0].isService }
    let users = services.isEmpty ? [:] : serviceUsers(graph)
    // At first no service seems to be needed; each that is needed may make others needed.
    var idle = Set(services).subtracting(newServices)
    var isClosed: [Bool]
    repeat {
      isClosed = [Bool](repeating: false, count: tasks.count)
      for index in order {
        let isReady = tasks[index].after.allSatisfy { isClosed[$0] }
        isClosed[index] =
          switch fates[index] {
          case .settled: true
          case .done: isReady
          case .runs: idle.contains(index) && isReady
          case .checked, .unknown: false
          }
      }
      let needed = services.filter { service in
        let users = users[service, default: []]
        // One that no task needs stays up until the run is ended.
        return users.isEmpty || !users.allSatisfy { isClosed[$0] }
      }
      idle.subtract(needed)
      services.removeAll(where: needed.contains)
      if needed.isEmpty { break }
    } while true
    for index in tasks.indices {
      if isClosed[index] {
        ended.append((TaskID(index), .skipped(.doneEarlier)))
        counted[index] = true
      } else if fates[index] == .unknown {
        ended.append((TaskID(index), .lost))
      }
    }
  }

  /// Whether a task needs services, if any comes before it.
  private func usesServices(_ index: Int) -> Bool {
    !tasks[index].isService && !tasks[index].isAlways && !tasks[index].digest.isEmpty
  }

  /// The tasks that need a service because they come after it, directly or through others.
  ///
  /// - Complexity: O(tasks + edges).
  private func users(of service: Int, _ graph: TaskGraph) -> [Int] {
    var isSeen = [Bool](repeating: false, count: tasks.count)
    var open = [service]
    var users: [Int] = []
    while let index = open.popLast() {
      for position in 0..<graph.dependentCount(of: index) {
        let next = graph.dependent(position, of: index)
        guard !isSeen[next], !tasks[next].isAlways else { continue }
        isSeen[next] = true
        if usesServices(next) { users.append(next) }
        open.append(next)
      }
    }
    return users
  }

  /// The tasks that need each service: for one that no task comes after, all but those that come before such a service.
  ///
  /// - Complexity: O(tasks + edges) for each service.
  private func serviceUsers(_ graph: TaskGraph) -> [Int: [Int]] {
    var all: [Int: [Int]] = [:]
    for service in tasks.indices where tasks[service].isService {
      all[service] = users(of: service, graph)
    }
    var open = all.filter(\.value.isEmpty).map(\.key)
    let general = open
    guard !general.isEmpty else { return all }
    var isPreparing = [Bool](repeating: false, count: tasks.count)
    while let index = open.popLast() {
      for before in tasks[index].after where !isPreparing[before] {
        isPreparing[before] = true
        open.append(before)
      }
    }
    let others = tasks.indices.filter { usesServices($0) && !isPreparing[$0] }
    for service in general { all[service] = others }
    return all
  }

  /// The number of tasks with a command.
  var commandCount: Int { tasks.count { !$0.digest.isEmpty } }

  /// The name of a task.
  func name(of task: TaskID) -> String { tasks[task.index].name }

  // MARK: During the run

  /// Records that a task was started, not counting its condition.
  mutating func began(_ task: TaskID) {
    // A service that is as before changes nothing for those that use it.
    if !tasks[task.index].isService || newServices.contains(task.index) {
      started[task.index] = true
    }
  }

  /// Whether a task counts as done now that its turn has come.
  ///
  /// - Complexity: O(tasks between it and those that are done).
  mutating func isDone(_ task: TaskID) -> Bool {
    guard fates[task.index] == .done, !followsStart(task.index) else { return false }
    counted[task.index] = true
    return true
  }

  /// Whether a task counts as done unless something before it is started.
  func mayBeDone(_ task: TaskID) -> Bool { fates[task.index] == .done }

  /// Records that a task is up to date.
  mutating func wasUpToDate(_ task: TaskID) { counted[task.index] = true }

  /// Whether the contents of a task's files do not matter, because a person wants it to run.
  func isForced(_ task: TaskID) -> Bool { again.contains(task.index) }

  /// Whether something that a task comes after was started in this run, with nothing between but tasks that did not run.
  private mutating func followsStart(_ task: Int) -> Bool {
    var open = tasks[task].after
    var seen: [Int] = []
    while let index = open.popLast() {
      if started[index] {
        for other in seen { isClean[other] = false }
        return true
      }
      if isClean[index] { continue }
      isClean[index] = true
      seen.append(index)
      // What has counted as done has nothing before it that matters.
      if !counted[index] { open += tasks[index].after }
    }
    return false
  }
}
