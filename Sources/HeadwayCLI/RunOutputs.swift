internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayView

/// What a run writes itself, with or without a view: events for programs, and failures to the file of messages if it began in
/// the background.
final class RunOutputs: RunListener {
  /// The events for programs, nil if nobody asks for them.
  private let events: EventStream?
  /// The failures, nil if there is a view.
  private let failures: RunConsole?
  private let supervisor: Supervisor
  /// Opens the file for what the run says without a view.
  private let openMessages: () -> Int32

  /// Creates what a run writes.
  ///
  /// - Parameters:
  ///   - header: What was asked for.
  ///   - runner: The run.
  ///   - supervisor: The other process.
  ///   - files: The files for programs.
  ///   - hasView: Whether there is a view that shows failures.
  init(
    _ header: RunHeader, _ runner: PlanRunner, _ supervisor: Supervisor, _ files: RunFiles,
    hasView: Bool
  ) {
    self.supervisor = supervisor
    openMessages = runner.openMessages
    let clock = runner.clock
    guard !hasView || files.events != nil else {
      (events, failures) = (nil, nil)
      return
    }
    let description = RunDescription(header, logs: runner.logs, screen: STDERR_FILENO)
    let logs = files.eventsHaveOutput ? runner.logs : nil
    events = files.events.map { file in
      EventStream(
        description, output: file, logs: logs.map { LogReader($0) }, growth: logs?.watch(),
        now: { clock.now })
    }
    var style = TerminalStyle(environment: environmentValue)
    style.color = false
    failures =
      hasView
      ? nil
      : RunConsole(
        description, mode: .quiet, style: style, output: STDERR_FILENO, now: { clock.now })
  }

  func show(_ new: [RunEvent], _ state: RunState, _ forecast: RunForecast?) {
    events?.show(new, state, forecast)
    failures?.show(new, state, forecast)
  }

  func viewHasLeft() { supervisor.leaveStreams(to: openMessages()) }

  /// Writes what is left.
  ///
  /// - Parameter isAskedToEnd: Whether slow readers are not waited for without limit.
  /// - Returns: A line for each reader that was not told everything.
  func finish(isAskedToEnd: Bool) -> [String] {
    let limit = isAskedToEnd ? RunView.endTimeout : nil
    failures?.finish(within: limit)
    events?.finish(within: limit)
    guard let code = events?.failure, code != 0 else { return [] }
    return [RunnerError.system("cannot write the events", code).message]
  }
}
