package import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// What limits which tasks of a run start, beside its number of workers.
package struct StartLimits: Sendable {
  /// The pools of the run.
  package var pools: [TaskPool] = []
  /// The index of the pool of each task, by index; empty if no task has one.
  package var poolOf: [Int?] = []
  /// What each task needs of its machine, by index, nil where the plan does not say; empty if it says nothing.
  package var needs: [Resources?] = []
  /// The tasks that always run: they wait for the end of a service, and not only until it is ready.
  package var always: Set<TaskID> = []

  /// Creates no limits.
  package init() {}

  /// The index of the pool of a task, nil if it has none.
  func pool(of task: TaskID) -> Int? {
    guard poolOf.indices.contains(task.index), let pool = poolOf[task.index],
      pools.indices.contains(pool)
    else { return nil }
    return pool
  }
}

/// Why a task of a run that goes on has not started.
package enum WaitReason: Hashable, Sendable {
  /// Tasks that it comes after have not ended; those that are services have not been ready, unless it always runs.
  case tasks([TaskID])
  /// The run is paused.
  case paused
  /// The run is held until someone decides on this task, which has failed.
  case held(TaskID)
  /// As many tasks of its pool run as may.
  case pool(TaskPool)
  /// As many tasks run as may.
  case workers(Int)
  /// Machines have not started, for this reason.
  case machinesStarting(String)
  /// It starts once a machine has room for what it needs, or its files are being looked at.
  case machine(Resources)
  /// It starts next, its files are being looked at, or a machine is missing for it.
  case nothing
}

/// Finds out why tasks of a run have not started, from its state and what is known of its plan.
///
/// Only the run itself knows which machines have room and which files are being looked at; for such a task the reason is
/// ``WaitReason/machine(_:)`` or ``WaitReason/nothing``.
package struct WaitReasons {
  private let description: RunDescription
  private let state: RunState
  /// The number of tasks that have a worker.
  private var atWork = 0
  /// The number of them in each pool.
  private var inPool: [Int: Int] = [:]

  /// Looks at a run.
  ///
  /// - Parameters:
  ///   - description: Its names, dependencies and limits.
  ///   - state: The state of a run that goes on.
  /// - Complexity: O(tasks under way).
  package init(_ description: RunDescription, _ state: RunState) {
    self.description = description
    self.state = state
    for task in state.active {
      let known = state.tasks[task.index]
      // A service that has been ready has given its worker back for good, and a task between two attempts has none.
      guard !known.wasReady, known.phase == .running || known.phase == .overdue else { continue }
      atWork += 1
      if let pool = description.limits.pool(of: task) { inPool[pool, default: 0] += 1 }
    }
  }

  /// Why a task has not started.
  ///
  /// - Parameter task: The task.
  /// - Returns: The first reason that holds, in the order of the cases; nil if it has started.
  /// - Complexity: O(dependencies of the task).
  package func reason(of task: TaskID) -> WaitReason? {
    guard state.tasks[task.index].phase == .waiting else { return nil }
    let limits = description.limits
    let waitsForEnds = limits.always.contains(task)
    let open = description.dependencies(of: task).filter {
      state.outcome(of: $0) == nil && (waitsForEnds || !state.tasks[$0.index].wasReady)
    }
    if !open.isEmpty { return .tasks(open) }
    if state.isPaused { return .paused }
    if let failed = state.heldBy { return .held(failed) }
    if let pool = limits.pool(of: task), inPool[pool, default: 0] >= limits.pools[pool].limit {
      return .pool(limits.pools[pool])
    }
    if atWork >= state.workers, state.workers > 0 { return .workers(state.workers) }
    if let waiting = state.waiting, !description.services.contains(task) {
      return .machinesStarting(waiting.reason)
    }
    if limits.needs.indices.contains(task.index), let needs = limits.needs[task.index] {
      return .machine(needs)
    }
    return .nothing
  }

  /// A reason in a few words that are safe to show.
  package func words(_ reason: WaitReason) -> String {
    let text = OutcomeText(description: description)
    switch reason {
    case .tasks(let open):
      let names = open.prefix(Self.namedDependencies).map(text.name).joined(separator: ", ")
      let more = open.count - Self.namedDependencies
      return "waits for \(names)" + (more > 0 ? " and \(grouped(more)) more" : "")
    case .paused: return "the run is paused"
    case .held(let task): return "the run is held after the failure of \(text.name(task))"
    case .pool(let pool):
      return "waits for the pool \(TaskOutputText.line(pool.name)) (limit \(grouped(pool.limit)))"
    case .workers(let count): return "waits for its turn (\(grouped(count)) at once)"
    case .machinesStarting(let reason):
      return "waits for machines" + (reason.isEmpty ? "" : ": \(TaskOutputText.line(reason))")
    case .machine(let needs):
      return "ready to start, once a machine has room for \(needs.needWords)"
    case .nothing: return "ready to start"
    }
  }

  /// The number of tasks that are named of those for which another one waits.
  private static let namedDependencies = 3
}
