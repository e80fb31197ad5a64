internal import HeadwayRun
internal import HeadwayState

// Every text of an event but the names of tasks, which are those of the plan.

extension RunEvent {
  /// The event without secrets.
  func masked(by mask: SecretMask) -> RunEvent {
    let kind: Kind
    switch self.kind {
    case .taskPlaced(let task, let host): kind = .taskPlaced(task, host: mask.masked(host))
    case .workersWaiting(let waiting):
      kind = .workersWaiting(
        WorkersWaiting(
          count: waiting.count, reason: mask.masked(waiting.reason), start: waiting.start,
          advice: waiting.advice.map { mask.masked($0) }, places: waiting.places))
    case .taskRetrying(let task, let attempt, let delay, let outcome):
      kind = .taskRetrying(
        task, attempt: attempt, delay: delay, because: outcome.masked(by: mask))
    case .taskEnded(let task, let outcome, let attempts, let ran):
      kind = .taskEnded(task, outcome.masked(by: mask), attempts: attempts, ran: ran)
    case .forecast(var forecast):
      for index in forecast.tasks.indices {
        forecast.tasks[index].detail = forecast.tasks[index].detail.map { mask.masked($0) }
      }
      kind = .forecast(forecast)
    case .runStarted, .taskStarted, .taskReady, .taskOverdue, .taskAdded, .taskExtended,
      .taskReportedAgain, .runEnding, .runPaused, .runResumed, .runHeld, .runProceeding,
      .queueEmptied, .missed, .runEnded:
      return self
    }
    return RunEvent(time: time, kind: kind, usage: usage)
  }
}

extension Outcome {
  /// The outcome without secrets in its reason.
  fileprivate func masked(by mask: SecretMask) -> Outcome {
    guard case .failed(let failure) = self else { return self }
    switch failure.cause {
    case .notStarted(let reason): return .failed(.notStarted(reason: mask.masked(reason)))
    case .threw(let reason): return .failed(.threw(mask.masked(reason)))
    case .exited, .signalled: return self
    }
  }
}
