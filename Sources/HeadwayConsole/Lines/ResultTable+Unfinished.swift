internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// The rows of tasks that have no outcome yet.
extension ResultTable {
  /// The fields of a task without an outcome, nil after the end of a run, where there is none.
  func unfinished(_ task: TaskID, _ state: RunState, _ columns: FieldColumns) -> Fields? {
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
      case .waiting:
        fields.detail = OutcomeText(description: description).words(
          description.waitReason(of: task, in: state))
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

extension OutcomeText {
  /// The number of tasks that are named of those for which another one waits.
  private static let namedDependencies = 3

  /// Why a task has not started, in a few words.
  func words(_ reason: WaitReason) -> String {
    switch reason {
    case .tasks(let open):
      let names = open.prefix(Self.namedDependencies).map(name).joined(separator: ", ")
      let more = open.count - Self.namedDependencies
      return "waits for \(names)" + (more > 0 ? " and \(grouped(more)) more" : "")
    case .paused: return "the run is paused"
    case .held: return "held"
    case .pool(let pool):
      let name = TaskOutputText.line(pool.name)
      return "waits for the pool \(name), in which \(Self.run(pool.limit))"
    case .workers(let count): return "waits for its turn: \(Self.run(count))"
    case .machine(let needs): return "waits for a machine with room for \(needs.needWords)"
    case .nothing: return "ready to start"
    }
  }

  private static func run(_ count: Int) -> String {
    count == 1 ? "1 task runs" : "\(grouped(count)) tasks run"
  }
}
