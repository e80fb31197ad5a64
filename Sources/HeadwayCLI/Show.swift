internal import HeadwayConsole
internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal

/// A run on the console, and the mode of the terminal while it is redrawn.
final class Show {
  /// How long readers may take for what is left after the run was ended by a signal.
  static let endTimeout = Duration.seconds(2)

  private let console: RunConsole
  /// The events for programs, nil if nobody asks for them.
  private let events: EventStream?
  /// Whether the run is redrawn, so that it has to be forecast between its forecast events.
  private let isLive: Bool
  /// The keyboard, nil if no keys are read.
  private let keyboard: RequestedKeyboard?
  /// The other process, which restores the terminal if this one dies.
  private let supervisor: Supervisor
  /// The name of the run, for those who want to attach to it.
  private let run: String
  /// Opens the file for what the run says after it was detached.
  private let openMessages: () -> Int32
  /// Whether the run has left the terminal.
  private var isDetached = false

  /// Begins to show a run.
  init(
    _ wanted: RunConsole.Mode, _ header: RunHeader, runner: PlanRunner, supervisor: Supervisor,
    files: RunFiles, output: OutputOptions
  ) {
    self.supervisor = supervisor
    run = runner.run
    openMessages = runner.openMessages
    // Standard output belongs to the output of the tasks, or to events for programs.
    let screen = wanted == .json ? STDOUT_FILENO : STDERR_FILENO
    let isTerminal = isTerminal(screen)
    var style = TerminalStyle(environment: environmentValue)
    style.color = style.color && isTerminal
    isLive = wanted == .screen && isTerminal
    var description = RunDescription(header, logs: runner.logs, output: output, screen: screen)
    description.interruptEndsRun = isTerminal
    let console = description
    keyboard = isLive ? Self.keyboard(supervisor) : nil
    keyboard?.enter()
    supervisor.showsTaskbar = isLive && style.showsTaskbar
    let (clock, control) = (runner.clock, runner.control)
    self.console = RunConsole(
      // Without a terminal nothing can be redrawn.
      console, mode: wanted == .screen && !isLive ? .lines : wanted, style: style,
      output: screen,
      keyboard: keyboard, hidesCursor: true,
      remote: RunRemote(control.requests), onLeave: { control.requestDetach() },
      now: { clock.now })
    let logs = files.eventsHaveOutput ? runner.logs : nil
    events = files.events.map { file in
      EventStream(
        console, output: file, logs: logs.map { LogReader($0) }, growth: logs?.watch(),
        now: { clock.now })
    }
  }

  /// The keyboard of a run.
  static func keyboard(_ supervisor: Supervisor) -> RequestedKeyboard {
    // The thread that draws changes the terminal, too: only while the run does not, which suspends the drawing first.
    nonisolated(unsafe) let changing = supervisor
    return RequestedKeyboard(
      STDIN_FILENO, keys: RunConsole.keys,
      change: { unsafe changing.withTerminalChange($0) })
  }

  /// The listeners of the run.
  var hooks: RunHooks {
    RunHooks(
      isWatched: isLive,
      update: {
        if !self.isDetached { self.console.show($0, $1, $2) }
        self.events?.show($0, $1, $2)
      },
      suspend: {
        self.console.suspend()
        self.keyboard?.restore()
        // Another program may use the terminal until the run is continued.
        self.supervisor.terminalIsRestored()
      },
      resume: {
        self.keyboard?.enter()
        self.console.resume()
      },
      restoreTerminal: {
        if self.isDetached { return }
        self.console.suspend()
        self.keyboard?.restore()
      },
      detach: { self.detach() })
  }

  /// Leaves the terminal, because the run goes on in the background.
  private func detach() {
    isDetached = true
    console.finish(within: Self.endTimeout)
    keyboard?.restore()
    supervisor.showsTaskbar = false
    supervisor.terminalIsRestored()
    if canWrite(STDERR_FILENO) { printMessage(Self.farewell(run)) }
    let messages = openMessages()
    let error = supervisor.detach(errors: messages)
    if messages >= 0 { close(messages) }
    if error != 0 {
      printMessage(RunnerError.system("cannot leave the terminal", error).message)
    }
  }

  /// What is said to somebody who detaches from a run.
  static func farewell(_ run: String) -> String {
    "the run goes on in the background; see it with: headway attach \(run)"
  }

  /// Shows what is left and restores the terminal.
  ///
  /// - Parameter limit: The maximum time to wait for readers that are slow, nil to wait without limit.
  /// - Returns: The errno because of which something was not shown, 0 if there is none.
  @discardableResult
  func finish(within limit: Duration? = nil) -> Int32 {
    console.finish(within: limit)
    events?.finish(within: limit)
    keyboard?.restore()
    supervisor.terminalIsRestored()
    return console.failure
  }

  /// A line for each reader that was not told everything.
  var problems: [String] {
    let output = console.lostOutput
    let lost: [String]
    switch output {
    case 0: lost = []
    case ETIMEDOUT:
      lost = ["nobody reads standard output: some of the tasks' output is in the logs only"]
    default: lost = [RunnerError.lostOutput(output).message]
    }
    guard let code = events?.failure, code != 0 else { return lost }
    return lost + [RunnerError.system("cannot write the events", code).message]
  }
}
