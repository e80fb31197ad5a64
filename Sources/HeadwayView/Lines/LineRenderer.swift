internal import HeadwayRun
package import HeadwayTerminal
internal import HeadwayText

/// Shows a run in plain lines, for logs, pipes and screen readers: one when a task starts, one when it ends.
///
/// Lines never change. During silences it prints progress lines at constant intervals, so that a service that watches
/// the output does not assume that a long task hangs.
package struct LineRenderer: RunRenderer {
  private let description: RunDescription
  private let style: TerminalStyle
  private let formatter: EventFormatter
  private var run = RunSnapshot()
  /// When the next progress line is due, since the run began.
  private var nextSign = Self.firstSilence

  /// The silence before the first progress line.
  package static let firstSilence = Duration.seconds(30)
  /// The interval between two progress lines while nothing else is printed.
  package static let silence = Duration.seconds(60)
  /// The maximum number of tasks that a progress line names.
  private static let namedTasks = 5

  /// Creates the renderer of a run that has not begun.
  package init(_ description: RunDescription, style: TerminalStyle) {
    self.description = description
    self.style = style
    formatter = EventFormatter(description: description, style: style)
  }

  /// Prints the lines of the events.
  package mutating func update(_ update: RunUpdate, into output: inout [UInt8]) {
    run = update.snapshot
    for event in update.events {
      if case .taskEnded(let task, let outcome, _, _) = event.event.kind {
        // How many tasks were done earlier was said before the run.
        if description.isUnneeded(task, outcome) || outcome == .skipped(.doneEarlier) { continue }
        formatter.printEnd(event, into: &output)
      } else {
        let rows = rows(event)
        if rows.isEmpty { continue }
        formatter.print(rows, into: &output)
      }
      nextSign = event.event.time + Self.firstSilence
    }
  }

  /// Prints a progress line after a silence.
  package mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
    guard now >= nextSign, run.activeCount > 0, run.result == nil else { return }
    nextSign = now + Self.silence
    let late = run.forecast?.late
    let named = run.active.prefix(Self.namedTasks).map { active in
      let name = formatter.words.name(active.id)
      let elapsed = DurationText.whole(now - active.state.firstStart)
      guard let late, late.task == active.id else { return "\(name) (\(elapsed))" }
      return "\(name) (\(elapsed), usually \(DurationText.coming(late.usual)))"
    }
    let more = run.activeCount - named.count
    let rest = more > 0 ? " and \(more) more" : ""
    let done = "\(run.counts.ended) of \(run.taskCount) done"
    let list = named.joined(separator: ", ")
    // Services that stay until the run is ended have no remaining time.
    let left =
      description.servicesStay
      ? ""
      : run.forecast.map { ", \(RemainingText.long($0.shown, dash: style.dash))" } ?? ""
    let row = Row("still running: \(list)\(rest)\(style.marks.ellipsis) \(done)\(left)")
    formatter.print([row], into: &output)
  }

  /// The time of the next progress line.
  package func nextFrame(after now: Duration) -> Duration? {
    run.activeCount == 0 || run.result != nil ? nil : nextSign
  }

  private func rows(_ shown: RunUpdate.Event) -> [Row] {
    switch shown.event.kind {
    case .runStarted, .runProceeding, .queueEmptied, .taskAdded, .taskReportedAgain, .forecast,
      .taskPlaced,
      .taskEnded:
      return []
    case .taskExtended(let task, let duration):
      return [formatter.sentence(task, "requested \(DurationText.chosen(duration)) more")]
    case .workersWaiting(let workers): return formatter.waiting(workers, at: shown.event.time)
    case .runPaused: return [Row("paused: no further task is started", .warning)]
    case .runResumed: return [Row("resumed", .plain)]
    case .runHeld(let task): return formatter.held(by: task)
    case .missed(let count, _): return [Row("\(count) events were lost", .warning)]
    case .taskStarted(let task, let attempt):
      return [formatter.sentence(task, "started" + (attempt > 1 ? ", attempt \(attempt)" : ""))]
    case .taskReady(let task, _, let time):
      return [formatter.sentence(task, "ready after \(DurationText.measured(time))", .good)]
    case .taskOverdue(let task, _, let limit):
      let limit = DurationText.chosen(limit)
      let words =
        description.services.contains(task)
        ? "is not ready after \(limit) and is being ended"
        : "exceeded its limit of \(limit) and is being ended"
      return [formatter.sentence(task, words, .warning)]
    case .taskRetrying(let task, let attempt, let delay, let cause):
      let rest = ", attempt \(attempt) \(DurationText.delay(delay))"
      return [
        formatter.sentence(task, formatter.words.mishap(cause, of: task), .warning, then: rest)
      ]
    case .runEnding(let reason): return [ending(reason)]
    case .runEnded:
      guard let result = run.result else { return [] }
      let table = ResultTable(
        description: description, style: style, columns: nil, predicted: run.forecast?.predicted)
      return [Row()] + table.rows(result)
    }
  }

  /// The line that says why the run ends before its last task.
  private func ending(_ reason: RunEvent.EndReason) -> Row {
    switch reason {
    case .failure: Row("stopping: no further task is started after a failure", .warning)
    case .cancelled: formatter.cancelling
    case .cancelledImmediately: Row("ending everything immediately", .warning)
    case .deadline(let limit):
      Row("stopping: the run exceeded its deadline of \(DurationText.chosen(limit))", .warning)
    }
  }
}
