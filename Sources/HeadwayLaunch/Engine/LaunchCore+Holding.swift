// Failed tasks on which a person decides.

package import HeadwayRun

extension LaunchCore {
  /// Lets a failed task wait for a decision, with which the run goes on.
  mutating func hold(_ index: Int, because outcome: Outcome, at now: Int64) {
    let next = Int(entries[index].attempt) + 1
    emit(.taskRetrying(id(index), attempt: next, delay: .zero, because: outcome), at: now)
    entries[index].phase = .backingOff
    lastOutcomes[TaskID(index)] = outcome
    undecided.append(index)
    guard heldBy == nil else { return }
    heldBy = id(index)
    emit(.runHeld(by: id(index)), at: now)
  }

  /// The failed tasks on which nobody has decided, in the order in which they failed.
  package var undecidedTasks: [TaskID] { undecided.map { TaskID($0) } }

  /// Lets a task run again that has failed, or waits for its next attempt.
  ///
  /// It starts once nobody has to decide on another task.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - now: The time since the run began.
  /// - Returns: Whether it waited for a decision or an attempt.
  package mutating func retry(_ id: TaskID, at now: Duration) -> Bool {
    guard entries[id.index].phase == .backingOff else { return false }
    disarm(id.index)
    makeReady(id.index)
    decide(id.index, at: nanoseconds(now))
    return true
  }

  /// Ends a task with its failure, so that the tasks are skipped that depend on it, and the others go on.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - now: The time since the run began.
  /// - Returns: Whether it waited for a decision.
  package mutating func skip(_ id: TaskID, at now: Duration) -> Bool {
    guard undecided.contains(id.index), let outcome = lastOutcomes[TaskID(id.index)] else {
      return false
    }
    // Before the end of the task, which may be that of the run.
    decide(id.index, at: nanoseconds(now))
    settle(id.index, outcome, at: nanoseconds(now))
    return true
  }

  /// Notes that a task needs no decision any more; after the last one, the run goes on.
  mutating func decide(_ index: Int, at now: Int64) {
    guard let position = undecided.firstIndex(of: index) else { return }
    undecided.remove(at: position)
    guard heldBy?.index == index else { return }
    heldBy = undecided.first.map { id($0) }
    // No events after the end.
    guard !isFinished else { return }
    emit(heldBy.map { .runHeld(by: $0) } ?? .runProceeding, at: now)
  }
}
