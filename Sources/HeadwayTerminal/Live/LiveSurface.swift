internal import HeadwayLaunch
public import HeadwayRun
internal import HeadwayText

/// Shows a run in a terminal: a few live rows at the bottom, and above them for good what has ended.
///
/// It is never full screen, so everything can be scrolled to and copied. Nothing is drawn in the first
/// `delay`, at most ten frames a second after it, and a frame in which nothing changed writes nothing.
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
/// A pure value; `SurfaceThread` drives it. Not thread safe.
public struct LiveSurface: RunSurface {
  /// The run.
  let description: RunDescription
  /// How to show it.
  let style: TerminalStyle
  /// The state of the run.
  var state: RunState
  /// Says how far the run is.
  var forecaster: RunForecaster
  /// What it said at the last frame.
  var told = RunForecast(fraction: 0)
  /// How long the run was to take, as it was told at its beginning.
  private var prediction = Prediction()
  /// The size of the terminal at the last frame.
  var size = ScreenSize(columns: 80, rows: 24)
  /// The task whose output a person wants to see, nil to let the surface choose.
  public private(set) var chosen: TaskID?
  /// The output of the chosen task, as far as it was read.
  var preview = OutputPreview()
  /// The columns that the names of tasks take, where there is room.
  let longestName: Int
  /// The bar of the run.
  var header = WorkBar()
  /// The bars of the running tasks, by place.
  var taskBars: [Int: WorkBar] = [:]
  /// Turns bars into cells.
  var cellBar: CellBar
  /// What is on the screen.
  private var region: LiveRegion
  /// What the task bar of the desktop was told.
  private var taskbar: TaskbarProgress
  /// Rows that wait for the next frame to be printed above the region.
  private var above: [Row] = []
  /// When the last frame was drawn.
  private var lastFrame: Duration?
  /// Whether something happened since then.
  private var isStale = false

  /// The time before anything is drawn: a short run is not worth a flicker.
  public static let delay = Duration.milliseconds(200)
  /// The least time from one frame to the next.
  public static let interval = Duration.milliseconds(100)
  /// The time from one look at a paused run's terminal to the next.
  private static let pausedInterval = Duration.milliseconds(500)
  /// The most rows of the region.
  public static let mostRows = 16
  /// The most tasks of a run that all get a line when they succeed.
  public static let mostLines = 100

  /// Creates the surface of a run that has not begun.
  ///
  /// - Parameters:
  ///   - description: The run.
  ///   - style: What the terminal can show.
  public init(_ description: RunDescription, style: TerminalStyle) {
    self.init(description, style: style, hidesCursor: false)
  }

  /// Creates the surface of a run that has not begun, with or without a cursor.
  ///
  /// - Parameters:
  ///   - description: The run.
  ///   - style: What the terminal can show.
  ///   - hidesCursor: Whether the cursor is hidden, for a program of which a part outlives the other and shows it again.
  package init(_ description: RunDescription, style: TerminalStyle, hidesCursor: Bool) {
    self.description = description
    self.style = style
    let names = description.graph.names
    forecaster = description.forecaster
    state = RunState(taskCount: names.count)
    region = LiveRegion(style: style, hidesCursor: hidesCursor)
    cellBar = CellBar(.line, style: style)
    taskbar = TaskbarProgress(style: style)
    let widths = (names + [description.name]).map {
      TextWidth.columns(of: TaskOutputText.line($0))
    }
    longestName = min(widths.max() ?? 0, ResultTable.widestName)
  }

  // MARK: Events and frames

  /// Takes the event in; what it has to say is printed with the next frame, the result at once.
  public mutating func receive(_ event: RunEvent, into output: inout [UInt8]) {
    state.apply(event)
    forecaster.receive(event)
    prediction.receive(event)
    switch event.kind {
    // Another attempt begins at the beginning.
    case .taskStarted(let task, _), .taskRetrying(let task, _, _, _), .taskEnded(let task, _, _, _):
      taskBars[task.index] = nil
    // It goes no further from this moment on, not from the next frame.
    case .runEnding: header.show(told.fraction, rate: 0, at: event.time.seconds)
    default: break
    }
    if case .forecast = event.kind { return }
    isStale = true
    above += lines(event)
    guard case .runEnded = event.kind else { return }
    let table = ResultTable(
      description: description, style: style, columns: size.columns, prediction: prediction)
    if !above.isEmpty { above.append(Row()) }
    above += table.rows(state)
    withdraw(into: &output)
  }

  /// Draws the region and prints what waits above it.
  public mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {
    self.size = ScreenSize(columns: max(size.columns, 1), rows: max(size.rows, 1))
    guard state.total == nil, now >= Self.delay, isDue(at: now) else { return }
    (lastFrame, isStale) = (now, false)
    let rows = regionRows(at: now)
    region.show(rows, above: above, size: self.size, into: &output)
    above.removeAll()
    taskbar.show(taskbarState(at: now), into: &output)
  }

  /// What the task bar is to be told.
  private func taskbarState(at now: Duration) -> TaskbarProgress.State {
    let percent = percent(at: now)
    if state.isPaused { return .paused(percent) }
    return hasFailed ? .error(percent) : .value(percent)
  }

  /// The time of the next frame: soon while something moves or happened, never otherwise.
  public func nextFrame(after now: Duration) -> Duration? {
    guard state.total == nil, isStale || !state.active.isEmpty else { return nil }
    // The time stands still, and only the size of the terminal may change.
    if state.isPaused { return isStale && now >= Self.delay ? now : now + Self.pausedInterval }
    return max(lastFrame.map { $0 + Self.interval } ?? Self.delay, Self.delay)
  }

  /// Takes the region away and prints what waited above it; the next frame draws it again.
  public mutating func withdraw(into output: inout [UInt8]) {
    region.withdraw(printing: above, width: size.columns, into: &output)
    taskbar.show(.none, into: &output)
    above.removeAll()
    (lastFrame, isStale) = (nil, true)
  }

  /// Whether the time for another frame has come.
  private func isDue(at now: Duration) -> Bool {
    state.isPaused || lastFrame.map { now >= $0 + Self.interval } ?? true
  }

  /// The rows that an event leaves above the region.
  private func lines(_ event: RunEvent) -> [Row] {
    let report = Report(description: description, style: style)
    let nameWidth = max(min(longestName, size.columns - Report.timeWidth), 1)
    switch event.kind {
    case .taskRetrying(let task, let attempt, let delay, let cause):
      return [report.retrying(task, attempt, delay, cause, nameWidth: nameWidth)]
    case .taskEnded(let task, let outcome, let attempts, _):
      let row = report.ended(task, outcome, state, nameWidth: nameWidth)
      if outcome.isFailure {
        return [row] + report.tail(task, edge: "  \(style.marks.edge) ")
      }
      let isWorthALine = attempts > 1 || description.graph.count <= Self.mostLines
      return outcome.isSuccess && isWorthALine ? [row] : []
    case .runEnding(.cancelled): return [Report.cancelling]
    case .runStarted, .taskStarted, .taskOverdue, .runEnding, .runEnded, .taskAdded, .taskExtended,
      .taskReportedAgain, .runPaused, .runResumed, .runHeld, .runProceeding, .queueEmptied, .missed,
      .forecast:
      return []
    }
  }

  // MARK: Choosing a task

  /// Which task to go to from the chosen one.
  public enum Direction: Sendable {
    /// The one after it.
    case next
    /// The one before it.
    case previous
  }

  /// Shows the output of a task, or of the one that the surface finds best.
  ///
  /// - Parameter task: The task; nil to let the surface choose.
  public mutating func choose(_ task: TaskID?) {
    (chosen, isStale) = (task, true)
  }

  /// Shows the output of the task beside the one shown, round and round.
  public mutating func choose(_ direction: Direction) {
    let running = state.active
    guard !running.isEmpty else { return }
    let step = direction == .next ? 1 : running.count - 1
    let place = (preview.task ?? chosen).flatMap { running.firstIndex(of: $0) }
    choose(place.map { running[($0 + step) % running.count] } ?? running[0])
  }

  /// Acts on a key: Tab, `n`, `j` next task; `p`, `k` previous one; a digit the task in that row.
  public mutating func press(_ key: UInt8) {
    switch key {
    case 0x09, UInt8(ascii: "n"), UInt8(ascii: "j"): choose(.next)
    case UInt8(ascii: "p"), UInt8(ascii: "k"): choose(.previous)
    case UInt8(ascii: "1")...UInt8(ascii: "9"):
      let place = Int(key - UInt8(ascii: "1"))
      if place < state.active.count { choose(state.active[place]) }
    default: break
    }
  }
}
