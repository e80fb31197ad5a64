internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayView

/// A run as it is shown by this process, which another one carries out: its console, and the keyboard while it is redrawn.
///
/// `headway run` and `headway attach` show runs by it; what it shows comes from a ``RunFollower``.
///
/// ```
///   stream or journal ── RunFollower ──┐
///   logs ──────────────────────────────┤
///                                      RunView ── terminal
///   publication of the run ────────────┘   │ keys
///   the run ◀── RunRemote ─────────────────┘
/// ```
final class RunView {
  /// How long readers may take for what is left after the end was asked for.
  static let endTimeout = Duration.seconds(2)

  /// What is shown.
  let console: RunConsole
  /// What it is shown on.
  let screen: Int32
  /// The name of the run.
  let run: String
  private let keyboard: RequestedKeyboard?
  private let terminal: TerminalGuard

  /// How a run is to be shown.
  struct Options {
    /// The requested way, nil for the one that fits.
    var mode: RunConsole.Mode?
    /// How the output of the tasks is shown.
    var output: OutputArguments
    /// The requested way as far as the output is concerned.
    var outputMode: RunConsole.Mode?
    /// Whether Ctrl-C ends the run, and not only the view.
    var interruptEndsRun = false
  }

  /// Begins to show a run, of which nothing is known yet but what was asked for.
  ///
  /// - Parameters:
  ///   - header: What was asked for.
  ///   - stateFolder: The path of the state folder.
  ///   - options: How it is shown.
  ///   - terminal: The terminal.
  ///   - remote: Asks the run for what keys say.
  ///   - onLeave: Called, on another thread, when the user leaves the run by a key.
  /// - Throws: `StateError` if the logs cannot be used.
  init(
    _ header: RunHeader, in stateFolder: String, _ options: Options, terminal: TerminalGuard,
    remote: RunRemote, onLeave: @escaping @Sendable () -> Void
  ) throws(StateError) {
    self.terminal = terminal
    run = header.run
    // A task without a command prints nothing, and what runs at the end belongs to no task.
    let printing = header.tasks.lazy.filter { !$0.command.isEmpty && $0.hook == nil }
    let output = options.output.options(
      for: options.outputMode, usual: header.output, printing: printing.count { _ in true },
      working: printing.count { !$0.isAlways && !$0.isService })
    let wanted = options.mode ?? Self.fitting(with: output)
    // Standard output belongs to the output of the tasks, or to events for programs.
    screen = wanted == .json ? STDOUT_FILENO : STDERR_FILENO
    let isTerminal = isTerminal(screen)
    var style = TerminalStyle(environment: environmentValue)
    style.color = style.color && isTerminal
    let isLive = wanted == .screen && isTerminal
    var description = RunDescription(
      header, logs: try RunLogs(of: header.record, in: stateFolder), output: output,
      screen: screen)
    description.interruptEndsRun = options.interruptEndsRun && isTerminal
    keyboard = isLive ? Self.keyboard(terminal) : nil
    keyboard?.enter()
    terminal.showsTaskbar = isLive && style.showsTaskbar
    console = RunConsole(
      description, forecaster: isLive ? header.forecaster(stateFolder: stateFolder) : nil,
      // Without a terminal nothing can be redrawn.
      mode: wanted == .screen && !isLive ? .lines : wanted, style: style, output: screen,
      keyboard: keyboard, remote: remote, onLeave: onLeave)
    if isLive { console.followPublication(of: header.run, process: header.process.number) }
  }

  /// The keyboard of a run.
  private static func keyboard(_ terminal: TerminalGuard) -> RequestedKeyboard {
    // The thread that draws changes the terminal, too: only while the view does not, which suspends the drawing first.
    nonisolated(unsafe) let changing = terminal
    return RequestedKeyboard(
      STDIN_FILENO, keys: RunConsole.keys, change: { unsafe changing.withChange($0) })
  }

  /// Leaves the terminal to another program, stops this one until it is continued, and draws again.
  func stopProcess(isFromTerminal: Bool) {
    console.suspend()
    restoreTerminal()
    TerminalGuard.stopProcess(isFromTerminal: isFromTerminal)
    resume()
  }

  /// Draws again, because this program was continued.
  func resume() {
    keyboard?.enter()
    console.resume()
  }

  /// Shows what is left and restores the terminal.
  ///
  /// - Parameter limit: The maximum time to wait for readers that are slow, nil to wait without limit.
  func finish(within limit: Duration? = nil) {
    console.finish(within: limit)
    terminal.showsTaskbar = false
    restoreTerminal()
  }

  /// Gives the keyboard back.
  func restoreTerminal() {
    keyboard?.restore()
    terminal.noteRestored()
  }

  /// A line for each reader that was not told everything; known once it is finished.
  var problems: [String] {
    var lines: [String] = []
    switch console.lostOutput {
    case 0: break
    case ETIMEDOUT:
      lines.append("nobody reads standard output: some of the tasks' output is in the logs only")
    case let code: lines.append(RunnerError.lostOutput(code).message)
    }
    let failure = console.failure
    if failure != 0 {
      lines.append(RunnerError.lostOutput(failure, isError: screen == STDERR_FILENO).message)
    }
    return lines
  }

  /// What is said to somebody who leaves a run.
  static func farewell(_ run: String) -> String {
    "the run goes on in the background; see it with: headway attach \(run)"
  }

  /// The way to show a run that fits standard error, if output of tasks goes to standard output.
  ///
  /// A region that is redrawn would be mixed with what `tee` or `grep` print to the same terminal.
  private static func fitting(with output: OutputOptions) -> RunConsole.Mode {
    let isTerminal = isTerminal(STDERR_FILENO)
    let interface = BarsInterface.fitting(isTerminal: isTerminal, environment: environmentValue)
    guard interface == .live else { return .lines }
    let isMixed =
      output.mode != .failed && isRead(pipe: STDOUT_FILENO, inForegroundOf: STDERR_FILENO)
    return isMixed ? .lines : .screen
  }
}
