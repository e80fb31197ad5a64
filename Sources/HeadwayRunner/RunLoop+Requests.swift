internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRun

/// What people and other programs ask of single tasks.
extension RunLoop {
  /// Carries out the requests about tasks, and answers them.
  func followTaskRequests() {
    for request in control.takeRequests() {
      let tasks = tasks(of: request)
      guard let first = tasks.first else {
        request.answer(
          request.task.map { "there is no task '\($0)' in this run" } ?? "the run is not held")
        continue
      }
      var isDone = false
      for task in tasks where carryOut(request.action, task) { isDone = true }
      request.answer(isDone ? nil : refusal(of: request.action, first))
    }
    control.isHeld = core.isHeld
  }

  /// The tasks that a request is about.
  private func tasks(of request: TaskRequest) -> [TaskID] {
    guard let name = request.task else { return core.undecidedTasks }
    return work.plan.tasks.indices.filter {
      work.plan.tasks[$0].name == name || work.plan.tasks[$0].base == name
    }.map { TaskID($0) }
  }

  /// Does something with a task.
  ///
  /// - Returns: Whether that was possible.
  private func carryOut(_ action: TaskRequest.Action, _ task: TaskID) -> Bool {
    switch action {
    case .cancel: core.cancel(task, at: clock.now)
    case .retry: core.retry(task, at: clock.now)
    case .skip: core.skip(task, at: clock.now)
    }
  }

  /// Why something was not done with a task.
  private func refusal(of action: TaskRequest.Action, _ task: TaskID) -> String {
    let name = "'\(work.plan.tasks[task.index].name)'"
    guard let outcome = core.outcome(of: task) else {
      if case .backingOff = state.tasks[task.index].phase {
        return "\(name) runs again already, once the run goes on"
      }
      return "\(name) has not failed"
    }
    let words = "\(name) has ended: \(outcome.kind.words)"
    guard action == .retry, outcome.isFailure else { return words }
    return core.holdsFailedTasks
      ? "\(words), and the run goes on without it"
      : "\(words); only a run with --on-failure hold can run it again"
  }
}
