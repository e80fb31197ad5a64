internal import HeadwayLaunch
public import HeadwayRun
internal import HeadwayText

/// Shows a run in plain lines, for logs, pipes and screen readers: one when a task starts, one when it ends.
///
/// No line is ever changed. After a silence there is a rare sign of life, at constant intervals, so that a
/// service that watches for output does not take a long task for a dead one.
public struct PlainSurface: RunSurface {
  /// The run.
  private let description: RunDescription
  /// How to show it.
  private let style: TerminalStyle
  /// The state of the run.
  private var state: RunState
  /// How long the run was to take, as it was told at its beginning.
  private var prediction = Prediction()
  /// The latest forecast that was told, and when.
  private var told: (time: Duration, forecast: RunForecast)?
  /// When the next sign of life is due, since the run began.
  private var nextSign = Self.firstSilence

  /// The silence before the first sign of life.
  public static let firstSilence = Duration.seconds(30)
  /// The time from one sign of life to the next while nothing else is said.
  public static let silence = Duration.seconds(60)
  /// The most tasks that a sign of life names.
  private static let namedTasks = 5

  /// Creates the surface of a run that has not begun.
  public init(_ description: RunDescription, style: TerminalStyle) {
    self.description = description
    self.style = style
    state = RunState(taskCount: description.graph.count)
  }

  /// Prints the line of the event, if it has one.
  public mutating func receive(_ event: RunEvent, into output: inout [UInt8]) {
    state.apply(event)
    prediction.receive(event)
    if case .forecast(let forecast) = event.kind { told = (event.time, forecast) }
    for row in rows(event) {
      print(row, into: &output)
      nextSign = event.time + Self.firstSilence
    }
  }

  /// Prints a sign of life when nothing was printed for long.
  public mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8]) {
    guard now >= nextSign, !state.active.isEmpty, state.total == nil else { return }
    nextSign = now + Self.silence
    let words = OutcomeText(graph: description.graph)
    let named = state.active.prefix(Self.namedTasks).map { task in
      let elapsed = DurationText.whole(now - state.tasks[task.index].firstStart)
      guard let late = told?.forecast.late, late.task == task else {
        return "\(words.name(task)) (\(elapsed))"
      }
      return "\(words.name(task)) (\(elapsed), usually \(DurationText.coming(late.usual)))"
    }
    let more = state.active.count - named.count
    let rest = more > 0 ? " and \(more) more" : ""
    let done = "\(state.counts.ended) of \(description.graph.count) done"
    let list = named.joined(separator: ", ")
    let left = told.map { ", \(RemainingText.long($0.forecast.shown, dash: style.dash))" } ?? ""
    print(
      Row("still running: \(list)\(rest)\(style.marks.ellipsis) \(done)\(left)"), into: &output)
  }

  /// The time of the next sign of life.
  public func nextFrame(after now: Duration) -> Duration? {
    state.active.isEmpty || state.total != nil ? nil : nextSign
  }

  /// Does nothing: printed lines stay.
  public mutating func withdraw(into output: inout [UInt8]) {}

  /// The lines of an event.
  private func rows(_ event: RunEvent) -> [Row] {
    let report = Report(description: description, style: style)
    switch event.kind {
    case .runStarted, .runProceeding, .queueEmptied, .taskAdded, .taskReportedAgain, .forecast:
      return []
    case .taskExtended(let task, let duration): return [report.extendedSentence(task, duration)]
    case .runPaused: return [Row("paused: no further task is started", .warning)]
    case .runResumed: return [Row("going on", .plain)]
    case .runHeld: return [Row("held after a failure: no further task is started", .warning)]
    case .missed(let count, _): return [Row("\(count) events were lost", .warning)]
    case .taskStarted(let task, let attempt):
      return [report.startedSentence(task, attempt: attempt)]
    case .taskOverdue(let task, _, let limit): return [report.overdueSentence(task, limit)]
    case .taskRetrying(let task, let attempt, let delay, let cause):
      return [report.retryingSentence(task, attempt, delay, cause)]
    case .taskEnded(let task, let outcome, _, _):
      let tail = outcome.isFailure ? report.tail(task, edge: "    ") : []
      return [report.endedSentence(task, outcome, state)] + tail
    case .runEnding(let reason): return [Self.ending(reason)]
    case .runEnded:
      let table = ResultTable(
        description: description, style: style, columns: nil, prediction: prediction)
      return [Row()] + table.rows(state)
    }
  }

  /// The line that says why the run ends before its last task.
  private static func ending(_ reason: RunEvent.EndReason) -> Row {
    switch reason {
    case .failure: Row("stopping: no further task is started after a failure", .warning)
    case .cancelled: Report.cancelling
    case .cancelledImmediately: Row("ending everything at once", .warning)
    case .deadline(let limit):
      Row("stopping: the run is over its limit of \(DurationText.chosen(limit))", .warning)
    }
  }

  /// Prints one line.
  private func print(_ row: Row, into output: inout [UInt8]) {
    var row = row
    row.cut(to: .max, ellipsis: "")
    row.encode(colour: style.colour, into: &output)
    output.append(UInt8(ascii: "\n"))
  }
}
