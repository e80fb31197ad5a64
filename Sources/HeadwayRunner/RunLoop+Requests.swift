internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayRun

/// What people and other programs ask of the run.
extension RunLoop {
  /// Carries out the requests, one after the other; each is answered after the update that shows what it has changed.
  func followRequests() {
    for entry in control.requests.take() {
      if let refusal = carryOut(entry.request) {
        entry.answer(refusal)
      } else {
        events.grant(entry, at: clock.now)
        carryOut()
      }
    }
    if control.hasViewLeft { noteViewHasLeft() }
    if control.takeWatcherChange() { events.noteWatchers(at: clock.now) }
  }

  /// Carries out a request.
  ///
  /// - Returns: Why it was not done, nil if it was.
  private func carryOut(_ request: RunRequest) -> String? {
    let now = clock.now
    switch request {
    case .pause:
      core.pause(at: now)
      return core.isPaused ? nil : "the run is ending"
    case .unpause:
      core.resume(at: now)
      return nil
    case .cancel:
      if endSignal == nil {
        end(.graceful, SIGINT)
      }
      publisher?.showCancelled()
      return nil
    case .cancelTask(let name):
      return carryOut(request, name) { core.cancel($0, at: now) }
    case .retry(let name):
      return carryOut(request, name) { core.retry($0, at: now) }
    case .skip(let name):
      return carryOut(request, name) { core.skip($0, at: now) }
    }
  }

  /// Carries out a request about tasks.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - name: The name of the task, nil for all on which someone has to decide.
  ///   - body: Does it with a task, and returns whether that was possible.
  /// - Returns: Why it was not done with any of them, nil if it was.
  private func carryOut(
    _ request: RunRequest, _ name: String?, _ body: (TaskID) -> Bool
  ) -> String? {
    let tasks = tasks(named: name)
    guard let first = tasks.first else {
      return name.map { "there is no task '\($0)' in this run" } ?? "the run is not held"
    }
    var isDone = false
    for task in tasks where body(task) { isDone = true }
    return isDone ? nil : refusal(of: request, first)
  }

  /// The tasks that a request is about.
  private func tasks(named name: String?) -> [TaskID] {
    guard let name else { return core.undecidedTasks }
    return work.plan.tasks.indices.filter {
      work.plan.tasks[$0].name == name || work.plan.tasks[$0].base == name
    }.map { TaskID($0) }
  }

  /// Why something was not done with a task.
  private func refusal(of request: RunRequest, _ task: TaskID) -> String {
    let name = "'\(work.plan.tasks[task.index].name)'"
    guard let outcome = core.outcome(of: task) else {
      if case .backingOff = events.state.tasks[task.index].phase {
        return "\(name) runs again already, once the run goes on"
      }
      return "\(name) has not failed"
    }
    let words = "\(name) has ended: \(outcome.kind.words)"
    guard case .retry = request, outcome.isFailure else { return words }
    return core.holdsFailedTasks
      ? "\(words), and the run goes on without it"
      : "\(words); only a run with --on-failure hold can run it again"
  }
}
