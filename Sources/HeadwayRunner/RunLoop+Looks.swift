internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRun

/// Looking at the files of tasks before workers need to know whether they have changed.
extension RunLoop {
  /// Has the forecast wait until it is known what has changed.
  func beginLooking() {
    guard files.mayFindUpToDate else { return }
    events.setLooking(true, at: .zero)
    for index in work.plan.tasks.indices where resumption?.isForced(TaskID(index)) == true {
      if !work.plan.tasks[index].inputs.isEmpty {
        events.found(TaskID(index), changed: true, at: .zero)
      }
    }
  }

  /// Whether a look has shown that a task is up to date whose turn has come.
  func isUpToDate(_ task: TaskID) -> Bool {
    guard files.mayFindUpToDate else { return false }
    // What has happened since may have changed its files.
    fold(at: clock.now)
    guard files.isUpToDate(task) else { return false }
    resumption?.wasUpToDate(task)
    return true
  }

  /// Ends the ready tasks that are up to date, and has the files of further tasks looked at.
  ///
  /// During a pause or a hold, no task ends.
  ///
  /// - Returns: Whether a task has ended, so that the engine may have new commands.
  func endUpToDate() -> Bool {
    guard files.mayFindUpToDate, !core.isPaused else { return false }
    fold(at: clock.now)
    var hasEnded = false
    while !core.isHeld, let task = files.nextUpToDate(isReady: { core.isReady($0) }) {
      resumption?.wasUpToDate(task)
      if core.endReady(task, result: .skipped(.upToDate), at: clock.now) { hasEnded = true }
      fold(at: clock.now)
      host.takeTurn()
    }
    files.withdrawLooks()
    files.lookFurther { core.isReady($0) }
    if files.isPassOver { events.setLooking(false, at: clock.now) }
    return hasEnded
  }
}
