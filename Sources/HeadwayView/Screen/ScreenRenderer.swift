internal import HeadwayLaunch
package import HeadwayRun
package import HeadwayTerminal
internal import HeadwayText

/// Shows a run in a terminal: a region of a few rows at the bottom that is redrawn, and lines above it that stay.
///
/// It is never full screen, so everything can be scrolled to and copied. Nothing is drawn in the first 200 ms, unless the
/// range of the forecast begins above that, and at most ten frames a second after that. A frame in which nothing changed
/// writes nothing.
///
///     ✓ fetch        1.2s
///     ✗ lint         2.1s  exit 1
///       │ main.c:3: error: expected ';'
///       log: .headway/lint.log
///     release     ━━━━━━━━╸──────────   46%  5 of 11 · 1 failed · 14s · about 12s left
///     ▸ build     ━━━━━╸─────────────   12s  about 9s left
///     • test      ────━━━────────────  1m05s  limit in 8s
///       │ compiling core.swift
///
/// It receives the same forecasts as all other displays, and the bars glide between them. A pure value, not thread
/// safe.
package struct ScreenRenderer: RunRenderer {
  let description: RunDescription
  let style: TerminalStyle
  let formatter: EventFormatter
  /// The run at the last update.
  var run = RunSnapshot()
  /// The time of the forecast that the bars move by, nil before the first.
  var shownForecast: Duration?
  /// The size of the terminal at the last frame.
  var size = TerminalSize(columns: 80, rows: 24)
  /// The task whose output the user selected, nil to choose automatically.
  package private(set) var chosen: TaskID?
  /// What happens with what is typed.
  private(set) var keys = KeySession.Phase.off
  /// The output of the chosen task.
  var preview = OutputPreview()
  /// The columns of task names, if there is room.
  let longestName: Int
  /// The bar of the run.
  var header = ForecastBar()
  /// The bars of the running tasks, by index.
  var taskBars: [Int: ForecastBar] = [:]
  var cellBar: CellBar
  private var region: ScreenRegion
  private var taskbar: TaskbarProgress
  /// Rows that are printed above the region with the next frame.
  private var above: [Row] = []
  /// The terminal's rows that were printed above the region.
  private var printedRows = 0
  /// The tasks whose results were printed there, by index.
  private var lined: Set<Int> = []
  /// The number of tasks that had nothing to do.
  private(set) var unneeded = 0
  /// The services, and what of them has ended.
  private(set) var services: RunServices
  /// When the services that are ready got ready, by index.
  private(set) var readySince: [Int: Duration] = [:]
  private var lastFrame: Duration?
  /// Whether something happened since then.
  private var isStale = false

  /// The interval at which the size of the terminal is polled in a paused run.
  private static let pausedInterval = Duration.milliseconds(500)
  /// The maximum number of tasks of a run that all get a line when they succeed.
  package static let maximumLines = 100

  /// Creates the renderer of a run that has not begun.
  ///
  /// - Parameters:
  ///   - description: The run.
  ///   - style: What the terminal can show.
  ///   - hidesCursor: Whether the cursor is hidden; only if another process shows it again when this one is killed.
  package init(_ description: RunDescription, style: TerminalStyle, hidesCursor: Bool = false) {
    self.description = description
    self.style = style
    services = RunServices(description.services, users: description.serviceUsers)
    formatter = EventFormatter(description: description, style: style)
    region = ScreenRegion(style: style, hidesCursor: hidesCursor)
    cellBar = CellBar(.line, style: style)
    taskbar = TaskbarProgress(style: style)
    let widths = (description.names + [description.name]).map {
      TextWidth.columns(of: TaskOutputText.line($0))
    }
    longestName = min(widths.max() ?? 0, ResultTable.widestName)
  }

  // MARK: Events and frames

  /// Receives the changes of the run; lines are printed with the next frame, the result at once.
  package mutating func update(_ update: RunUpdate, into output: inout [UInt8]) {
    let wasOver = run.result != nil
    run = update.snapshot
    for event in update.events { receive(event) }
    guard let result = run.result, !wasOver else { return }
    let table = ResultTable(
      description: description, style: style, columns: size.columns,
      predicted: run.forecast?.predicted)
    above += end(of: table, result)
    withdraw(into: &output)
  }

  /// The table and the summary; tasks whose lines are still on the screen are not repeated.
  private func end(of table: ResultTable, _ result: RunState) -> [Row] {
    let short = table.rows(result, leavingOut: lined)
    let printed = printedRows + above.reduce(0) { $0 + $1.height(at: size.columns) }
    // With the blank row between them, and the row of the cursor.
    let fits = printed + 1 + short.count < size.rows
    let rows = fits ? short : table.rows(result)
    return printed > 0 ? [Row()] + rows : rows
  }

  private mutating func receive(_ shown: RunUpdate.Event) {
    switch shown.event.kind {
    // Another attempt starts with an empty bar.
    case .taskStarted(let task, _), .taskRetrying(let task, _, _, _), .taskEnded(let task, _, _, _):
      taskBars[task.index] = nil
    // The bar stops at this moment, not at the next frame.
    case .runEnding:
      header.show(run.forecast?.fraction ?? 0, rate: 0, at: shown.event.time / .seconds(1))
    case .forecast: return
    default: break
    }
    isStale = true
    switch shown.event.kind {
    case .taskReady(let task, _, _): readySince[task.index] = shown.event.time
    case .taskEnded(let task, let outcome, _, _):
      if description.isUnneeded(task, outcome) { unneeded += 1 }
      services.end(task)
    default: break
    }
    let rows = formatter.stamped(lines(shown))
    if case .taskEnded(let task, _, _, _) = shown.event.kind, !rows.isEmpty {
      lined.insert(task.index)
    }
    above += rows
  }

  /// Takes the waiting rows to print them.
  private mutating func takeAbove() -> [Row] {
    defer { above.removeAll() }
    printedRows += above.reduce(0) { $0 + $1.height(at: size.columns) }
    return above
  }

  /// Draws the region and prints the waiting lines above it.
  package mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
    self.size = TerminalSize(columns: max(size.columns, 1), rows: max(size.rows, 1))
    guard run.result == nil, now >= firstFrame, isDue(at: now) else { return }
    (lastFrame, isStale) = (now, false)
    let rows = regionRows(at: now)
    region.show(rows, above: takeAbove(), size: self.size, into: &output)
    taskbar.show(taskbarState(at: now), into: &output)
  }

  private func taskbarState(at now: Duration) -> TaskbarProgress.State {
    // Services alone have no progress.
    if services.areLeftAlone { return .none }
    let percent = percent(at: now)
    if run.isPaused { return .paused(percent) }
    return hasFailed ? .error(percent) : .value(percent)
  }

  /// The time of the next frame: soon while something moves or happened, never otherwise.
  package func nextFrame(after now: Duration) -> Duration? {
    guard run.result == nil, isStale || run.activeCount > 0 || run.isIdle else {
      return nil
    }
    // The clock is stopped, and only the size of the terminal may change.
    if run.isPaused {
      return isStale && now >= firstFrame ? now : now + Self.pausedInterval
    }
    return max(lastFrame.map { $0 + ScreenRegion.interval } ?? .zero, firstFrame)
  }

  /// Erases the region and prints the waiting lines; the next frame draws the region again.
  package mutating func withdraw(into output: inout [UInt8]) {
    region.withdraw(printing: takeAbove(), width: size.columns, into: &output)
    taskbar.show(.none, into: &output)
    (lastFrame, isStale) = (nil, true)
  }

  /// Erases the region for lines of tasks.
  package mutating func makeWay(for lines: Int, into output: inout [UInt8]) {
    region.withdraw(printing: takeAbove(), width: size.columns, into: &output)
    printedRows += lines
    (lastFrame, isStale) = (nil, true)
  }

  /// Erases the region for a moment.
  package mutating func erase(into output: inout [UInt8]) {
    region.withdraw(printing: [], width: size.columns, into: &output)
    (lastFrame, isStale) = (nil, true)
  }

  /// The time before which nothing is drawn, which is zero if the range of the forecast begins above the usual delay.
  private var firstFrame: Duration {
    let least = run.forecast?.remaining?.low ?? .zero
    return lastFrame != nil || least >= ScreenRegion.delay ? .zero : ScreenRegion.delay
  }

  private func isDue(at now: Duration) -> Bool {
    run.isPaused || lastFrame.map { now >= $0 + ScreenRegion.interval } ?? true
  }

  /// The lines of an event above the region.
  private func lines(_ shown: RunUpdate.Event) -> [Row] {
    let columns = max(size.columns - formatter.stampWidth, 1)
    let nameWidth = max(min(longestName, columns - EventFormatter.timeWidth), 1)
    switch shown.event.kind {
    case .taskRetrying(let task, let attempt, let delay, let cause):
      return formatter.retrying(
        task, attempt, delay, cause, nameWidth: nameWidth, columns: columns)
    // How many tasks were done earlier was said before the run.
    case .taskEnded(_, .skipped(.doneEarlier), _, _): return []
    case .taskEnded(let task, let outcome, let attempts, let ran):
      let rows = formatter.ended(
        task, outcome, attempts: attempts, ran: ran, nameWidth: nameWidth, columns: columns)
      if outcome.isFailure {
        return rows
          + formatter.tail(
            task, edge: "  \(style.marks.edge) ", isOnScreen: true, columns: columns)
      }
      let isWorthALine = attempts > 1 || description.names.count <= Self.maximumLines
      return outcome.isSuccess && isWorthALine ? rows : []
    case .runEnding(.cancelled): return [formatter.cancelling]
    // Why the others wait is in the header.
    case .workersWaiting(let workers):
      return workers.advice == nil ? [] : formatter.waiting(workers, at: shown.event.time)
    case .runHeld(let task) where description.run != nil:
      return formatter.tail(
        task, edge: "  \(style.marks.edge) ", isOnScreen: true, columns: columns)
    case .runStarted, .taskStarted, .taskPlaced, .taskReady, .taskOverdue, .runEnding, .runEnded,
      .taskAdded,
      .taskExtended,
      .taskReportedAgain, .runPaused, .runResumed, .runHeld, .runProceeding, .queueEmptied, .missed,
      .forecast:
      return []
    }
  }

  // MARK: Choosing a task

  /// The direction from the chosen task to another one.
  package enum Direction: Sendable {
    case next
    case previous
  }

  /// Shows the output of a task, or chooses one automatically.
  package mutating func choose(_ task: TaskID?) {
    (chosen, isStale) = (task, true)
  }

  /// Shows the output of the next or previous active task; the first follows the last.
  package mutating func choose(_ direction: Direction) {
    let active = run.active.map(\.id)
    guard !active.isEmpty else { return }
    let step = direction == .next ? 1 : active.count - 1
    let index = (preview.task ?? chosen).flatMap { active.firstIndex(of: $0) }
    choose(index.map { active[($0 + step) % active.count] } ?? active[0])
  }

  /// The keys that the renderer handles.
  static let keys = Set("\tnjpk123456789".utf8)

  /// Shows what happens with what is typed.
  package mutating func show(_ keys: KeySession.Phase) {
    guard keys != self.keys else { return }
    (self.keys, isStale) = (keys, true)
  }

  /// Handles a key: Tab, `n`, `j` for the next task; `p`, `k` for the previous one; a digit for the task in that row.
  package mutating func press(_ key: UInt8) {
    switch key {
    case 0x09, UInt8(ascii: "n"), UInt8(ascii: "j"): choose(.next)
    case UInt8(ascii: "p"), UInt8(ascii: "k"): choose(.previous)
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      let index = Int(key - UInt8(ascii: "1"))
      if index < run.active.count { choose(run.active[index].id) }
    default: break
    }
  }
}
