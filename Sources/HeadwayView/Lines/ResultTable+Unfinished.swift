internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// The rows of tasks that have no outcome yet.
extension ResultTable {
  /// The fields of a task without an outcome, nil after the end of a run, where there is none.
  func unfinished(
    _ task: TaskID, _ state: RunState, _ reasons: WaitReasons, _ columns: FieldColumns
  ) -> Fields? {
    let known = state.tasks[task.index]
    let isService = description.services.contains(task)
    var fields = Fields(
      mark: (" ", .dim), name: OutcomeText(description: description).name(task), state: "waiting",
      time: style.marks.none, usual: usual(task, columns), usage: usage(known, columns),
      attempts: attempts(known, columns), detail: "", log: "")
    switch stage {
    case .ended: return nil
    case .died: fields.state = "not run"
    case .running(let now):
      switch known.phase {
      case .waiting: fields.detail = reasons.reason(of: task).map(reasons.words) ?? ""
      case .running:
        fields.mark = (style.marks.running, .active)
        fields.state = !isService ? "running" : known.isReady ? "ready" : "starting"
      case .overdue:
        fields.mark = (style.marks.running, .warning)
        fields.state = "ending"
        fields.detail =
          description.timeout(of: task).map { "limit of \(DurationText.chosen($0))" } ?? ""
      case .backingOff(let until) where until <= now && state.heldBy != nil:
        fields.mark = (style.marks.failed, .bad)
        fields.state = "held"
        fields.detail = "has failed; retry or skip it"
      case .backingOff(let until):
        fields.mark = (style.marks.retrying, .warning)
        fields.state = isService ? "restarting" : "retrying"
        let delay = DurationText.coming(max(until - now, .zero))
        fields.detail = "attempt \(known.attempts + 1) in \(delay)"
      case .ended: break
      }
      guard known.phase != .waiting else { break }
      fields.time = DurationText.whole(now - known.firstStart)
      fields.log = log(task)
    }
    return fields
  }
}
