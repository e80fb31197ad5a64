internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRun

/// Looking at the files of tasks before workers need to know whether they have changed.
extension RunLoop {
  /// Has the forecast wait until it is known what has changed.
  func beginLooking() {
    guard scan != nil else { return }
    emitter.setLooking(true, at: .zero)
    for index in work.plan.tasks.indices where resumption?.isForced(TaskID(index)) == true {
      if !work.plan.tasks[index].inputs.isEmpty {
        emitter.found(TaskID(index), changed: true, at: .zero)
      }
    }
  }

  /// Whether a look has shown that a task is up to date whose turn has come.
  func isUpToDate(_ task: TaskID) -> Bool {
    guard scan != nil else { return false }
    // What has happened since may have changed its files.
    fold(at: clock.now)
    guard scan?.isUpToDate(task) == true else { return false }
    resumption?.wasUpToDate(task)
    return true
  }

  /// Leaves a task to the check of its start.
  func leaveToCheck(_ task: TaskID) {
    scan?.leave(task)
    // Before the check, which would take over the look otherwise.
    withdrawLooks()
  }

  /// Withdraws the looks that are of no use any more.
  func withdrawLooks() {
    while let task = scan?.nextStale() { checker.cancel(task) }
  }

  /// Takes notice of what a look has found.
  func takeLook(_ task: TaskID, number: Int, isChanged: Bool) {
    guard scan?.answer(task, number: number, isChanged: isChanged) == true else { return }
    emitter.found(task, changed: isChanged, at: clock.now)
  }

  /// Ends the ready tasks that are up to date, and has the files of further tasks looked at.
  ///
  /// During a pause or a hold, no task ends.
  ///
  /// - Returns: Whether a task has ended, so that the engine may have new commands.
  func endUpToDate() -> Bool {
    guard scan != nil, !core.isPaused else { return false }
    fold(at: clock.now)
    var hasEnded = false
    while !core.isHeld, let task = scan?.nextUpToDate(isReady: { core.isReady($0) }) {
      resumption?.wasUpToDate(task)
      if core.endReady(task, result: .skipped(.upToDate), at: clock.now) { hasEnded = true }
      fold(at: clock.now)
      host.takeTurn()
    }
    withdrawLooks()
    while let next = scan?.next(isReady: { core.isReady($0) }) {
      guard let subject = work.subject(of: next.task) else { continue }
      checker.look(ContentsChecker.Look(task: next.task, subject: subject, number: next.number))
    }
    if scan?.isPassOver == true { emitter.setLooking(false, at: clock.now) }
    return hasEnded
  }
}
