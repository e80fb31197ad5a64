package import HeadwayRun

/// What limits how many tasks of a run start, beside its number of workers.
package struct StartLimits: Sendable {
  /// The pools of the run.
  package var pools: [TaskPool] = []
  /// The index of the pool of each task, by index; empty if no task has one.
  package var poolOf: [Int?] = []
  /// What each task needs of its machine, by index; empty if no task needs anything.
  package var needs: [Resources?] = []

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
  /// Tasks that it comes after have not ended, and those that are services are not ready.
  case tasks([TaskID])
  /// The run is paused.
  case paused
  /// The run is held until someone decides on a task that has failed.
  case held
  /// As many tasks of its pool run as may.
  case pool(TaskPool)
  /// As many tasks run as may.
  case workers(Int)
  /// No machine has room for what it needs.
  case machine(Resources)
  /// Nothing: it starts next, or its files are being looked at.
  case nothing
}

extension RunDescription {
  /// Why a task has not started, in a few words that are safe to show.
  package func words(for reason: WaitReason) -> String {
    OutcomeText(description: self).words(reason)
  }

  /// Why a task has not started.
  ///
  /// - Parameters:
  ///   - task: A task that waits.
  ///   - state: The state of a run that goes on.
  /// - Returns: The first reason that holds, in the order of the cases.
  /// - Complexity: O(dependencies of the task + tasks under way).
  package func waitReason(of task: TaskID, in state: RunState) -> WaitReason {
    let open = dependencies(of: task).filter {
      state.outcome(of: $0) == nil && !state.tasks[$0.index].isReady
    }
    if !open.isEmpty { return .tasks(open) }
    if state.isPaused { return .paused }
    if state.heldBy != nil { return .held }
    // A service that is ready has given its worker back, and a task between two attempts has none.
    let atWork = state.active.filter { task in
      let known = state.tasks[task.index]
      return !known.isReady && (known.phase == .running || known.phase == .overdue)
    }
    if let pool = limits.pool(of: task),
      atWork.count(where: { limits.pool(of: $0) == pool }) >= limits.pools[pool].limit
    {
      return .pool(limits.pools[pool])
    }
    if atWork.count >= state.workers, state.workers > 0 { return .workers(state.workers) }
    guard !limits.needs.isEmpty, limits.needs.indices.contains(task.index), !atWork.isEmpty else {
      return .nothing
    }
    return .machine(limits.needs[task.index] ?? Resources())
  }
}
