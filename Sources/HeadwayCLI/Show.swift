internal import Glibc
internal import HeadwayConsole
internal import HeadwayLaunch
internal import HeadwayRun
internal import HeadwayRunner
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

  /// Begins to show a run.
  init(
    _ wanted: RunConsole.Mode, name: String, runner: PlanRunner, supervisor: Supervisor,
    files: RunFiles, output: OutputOptions, failureHooks: Set<TaskID>
  ) {
    self.supervisor = supervisor
    // Standard output belongs to the output of the tasks, or to events for programs.
    let screen = wanted == .json ? STDOUT_FILENO : STDERR_FILENO
    let isTerminal = isTerminal(screen)
    var style = TerminalStyle(environment: environmentValue)
    style.color = style.color && isTerminal
    isLive = wanted == .screen && isTerminal
    let (graph, logs) = (runner.graph, runner.logs)
    let tasks = (0..<graph.count).map { TaskID($0) }
    var description = RunDescription(
      name: name, names: graph.names, timeouts: tasks.map { graph.settings(of: $0).timeout },
      optional: tasks.map { graph.settings(of: $0).isOptional }, usual: runner.usual,
      tail: { logs.tail($0, most: $1) }, logPath: { logs.shownPath($0) })
    description.log = Self.reader(of: logs)
    description.shortLogPath = { logs.shortPath($0) }
    description.failureHooks = failureHooks
    description.services = Set(tasks.filter { graph.settings(of: $0).role == .service })
    description.serviceUsers = Set(tasks.filter { graph.settings(of: $0).usesServices })
    description.resumes = runner.resumes
    description.logSize = { logs.size(of: $0) }
    description.output = output
    if output.mode == .stream { description.logGrowth = Self.growth(of: logs) }
    if !isSameFile(STDOUT_FILENO, screen) { description.output.output = STDOUT_FILENO }
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
      filterKey: { key in
        guard key == UInt8(ascii: " ") else { return false }
        control.togglePause()
        return true
      },
      now: { clock.now })
    let wantsOutput = files.eventsHaveOutput
    events = files.events.map { file in
      EventStream(
        console, output: file, log: wantsOutput ? Self.reader(of: logs) : nil,
        growth: wantsOutput ? Self.growth(of: logs) : nil, now: { clock.now })
    }
  }

  /// Reads logs for one display.
  private static func reader(of logs: RunLogs) -> EventStream.Reader {
    let reader = LogReader(logs)
    return { reader.bytes(of: $0, from: $1, most: $2) }
  }

  /// Notifies one display when a log grows.
  private static func growth(of logs: RunLogs) -> LogGrowth? {
    guard let watch = logs.watch() else { return nil }
    return LogGrowth(descriptor: watch.descriptor) { watch.clear() }
  }

  /// The keyboard of a run.
  private static func keyboard(_ supervisor: Supervisor) -> RequestedKeyboard {
    // The thread that draws changes the terminal, too: only while the run does not, which suspends the drawing first.
    nonisolated(unsafe) let changing = supervisor
    return RequestedKeyboard(
      STDIN_FILENO, keys: ScreenRenderer.keys.union([UInt8(ascii: " ")]),
      change: { unsafe changing.withTerminalChange($0) })
  }

  /// The listeners of the run.
  var hooks: RunHooks {
    RunHooks(
      isWatched: isLive,
      update: {
        self.console.show($0, $1, $2)
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
        self.console.suspend()
        self.keyboard?.restore()
      })
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
