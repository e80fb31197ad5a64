internal import HeadwayLaunch
internal import HeadwayRun
internal import HeadwayTerminal
internal import HeadwayText

/// The words about services: they have no progress, but a state.
extension ScreenRenderer {
  /// The state of a service, in the order in which states are listed.
  private enum ServiceState: String, CaseIterable {
    case ready, starting, restarting, waiting, ending
  }

  /// Whether all services that are left are being ended.
  private var isEndingServices: Bool {
    services.areLeftAlone && (run.ending != nil || !description.servicesStay)
  }

  /// The state of a service that runs or waits to be started again.
  private func serviceState(_ service: RunState.Task) -> ServiceState {
    if isEndingServices || service.phase == .overdue { return .ending }
    if service.isReady { return .ready }
    if case .backingOff = service.phase { return .restarting }
    return service.attempts > 1 ? .restarting : .starting
  }

  // MARK: The header

  /// The row of a run in which only services are left: their states in place of a percentage, a bar and a remaining time.
  func serviceHeaderRow(_ columns: RegionColumns, at now: Duration) -> Row {
    let name = TaskOutputText.line(description.name)
    let hasColumn = columns.barWidth > 0
    let nameRoom = hasColumn ? columns.nameWidth + 2 : Self.shortName - 1
    var row = Row()
    row.append(TextWidth.truncated(name, to: nameRoom, ellipsis: style.marks.ellipsis), .bold)
    if hasColumn { row.pad(to: columns.nameWidth + 4) } else { row.append(" ") }
    append(serviceHeaderFacts(room: columns.width - row.columns, at: now), to: &row)
    return row
  }

  /// As many facts about the services as there is room for.
  private func serviceHeaderFacts(room: Int, at now: Duration) -> [StyledText] {
    let count = description.services.count
    let states = stateCounts
    let number = counted(count, "service")
    let list = states.map { "\($0.count) \($0.state.rawValue)" }.joined(separator: ", ")
    let words =
      states.isEmpty ? number : "\(number): \(count == 1 ? states[0].state.rawValue : list)"
    let isReady = states.allSatisfy { $0.state == .ready }
    let long = (text: words, textStyle: isReady ? TextStyle.good : .plain)
    let short = (text: list.isEmpty ? number : list, textStyle: long.textStyle)
    let elapsed = (text: DurationText.whole(now), textStyle: TextStyle.dim)
    var next: [StyledText] = []
    if run.isPaused {
      next = [(pausedWords.short, .warning)]
    } else if run.ending == nil, description.servicesStay, description.interruptEndsRun {
      next = [("Ctrl-C ends \(count == 1 ? "it" : "them")", .dim)]
    }
    let bad = badCounts
    return fitting(
      [
        [long] + bad + [elapsed] + next, [long] + bad + next, [long] + next, [short] + next,
        [short],
      ], in: room)
  }

  /// How many services are in which state, without those that have ended; empty if there are too many to tell.
  private var stateCounts: [(state: ServiceState, count: Int)] {
    guard run.activeCount == run.active.count else { return [] }
    var counts: [ServiceState: Int] = [:]
    for active in run.active where description.services.contains(active.id) {
      counts[serviceState(active.state), default: 0] += 1
    }
    let waiting = description.services.count - services.ended - counts.values.reduce(0, +)
    if waiting > 0 { counts[.waiting] = waiting }
    return ServiceState.allCases.compactMap { state in counts[state].map { (state, $0) } }
  }

  // MARK: The rows

  /// The state of a service, for how long it has been in it, and what comes next.
  func serviceFacts(
    _ active: RunSnapshot.ActiveTask, _ forecast: RunForecast.Task?, at now: Duration
  ) -> [StyledText] {
    let state = serviceState(active.state)
    let attempt = active.state.attempts > 1 ? "attempt \(active.state.attempts)" : nil
    switch state {
    case .ready:
      let since = readySince[active.id.index] ?? active.state.latestStart
      let words = "ready for \(DurationText.whole(now - since))"
      return [(words, .good)] + (attempt.map { [($0, .dim)] } ?? [])
    case .ending: return [("ending\(style.marks.ellipsis)", .warning)]
    case .starting, .restarting, .waiting: break
    }
    if case .backingOff(let until) = active.state.phase {
      let next = "restarting, attempt \(active.state.attempts + 1)"
      let delay = DurationText.coming(max(until - now, .zero))
      return [("\(next) in \(delay)", .warning)]
    }
    let words = ([state.rawValue] + (attempt.map { [$0] } ?? [])).joined(separator: ", ")
    let elapsed = DurationText.whole(now - active.state.latestStart)
    let note = runningNote(active, forecast?.remaining?.median, at: now)
    return [(words, .active), (elapsed, .dim)] + (note.map { [$0] } ?? [])
  }
}
