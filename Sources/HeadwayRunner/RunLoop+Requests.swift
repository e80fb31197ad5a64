internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRun

/// What other programs ask of single tasks.
extension RunLoop {
  /// Carries out the requests about tasks, and answers them.
  func followTaskRequests() {
    for request in control.takeRequests() {
      let tasks = work.plan.tasks.indices.filter {
        work.plan.tasks[$0].name == request.task || work.plan.tasks[$0].base == request.task
      }.map { TaskID($0) }
      guard !tasks.isEmpty else {
        request.answer("there is no task '\(request.task)' in this run")
        continue
      }
      switch request.action {
      case .cancel: request.answer(cancel(tasks))
      }
    }
  }

  /// Cancels tasks.
  ///
  /// - Returns: Why none of them was cancelled, nil if one was.
  private func cancel(_ tasks: [TaskID]) -> String? {
    var isDone = false
    for task in tasks where core.cancel(task, at: clock.now) { isDone = true }
    if isDone { return nil }
    let name = work.plan.tasks[tasks[0].index].name
    let words = core.outcome(of: tasks[0])?.kind.words ?? "ended"
    return "'\(name)' has ended: \(words)"
  }
}
