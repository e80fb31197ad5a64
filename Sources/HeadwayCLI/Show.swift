internal import Glibc
internal import HeadwayLaunch
internal import HeadwayRunner
internal import HeadwayTerminal

/// A run as it is shown: the surface on its thread, and the terminal's mode while it is live.
final class Show {
  /// The surface.
  private let thread: SurfaceThread
  /// The mode of the keyboard, nil where no keys are read.
  private let mode: TerminalMode?
  /// The other process, which puts the terminal right should this one die.
  private let supervisor: Supervisor

  /// Begins to show a run.
  init(_ interface: RunCommand.Interface, name: String, runner: PlanRunner, supervisor: Supervisor)
  {
    self.supervisor = supervisor
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var style = TerminalStyle(environment: variable)
    style.colour = style.colour && isTerminal
    let logs = runner.logs
    let description = RunDescription(
      name: name, graph: runner.graph, forecaster: runner.forecaster,
      tail: { logs.tail($0, most: $1) }, logPath: { logs.shownPath($0) })
    let isLive = interface == .live && isTerminal
    let surface: any RunSurface =
      switch interface {
      case .live where isTerminal: LiveSurface(description, style: style, hidesCursor: true)
      // Without a terminal there is nothing that could be drawn again.
      case .live, .plain: PlainSurface(description, style: style)
      case .json: JSONSurface(description)
      case .quiet: QuietSurface(description, style: style)
      }
    mode = isLive ? TerminalMode(STDIN_FILENO) : nil
    let hasKeys = mode?.enter() ?? false
    supervisor.isTerminalChanged = isLive
    supervisor.showsTaskbar = isLive && style.showsTaskbar
    let (clock, control) = (runner.clock, runner.control)
    thread = SurfaceThread(
      surface, output: STDOUT_FILENO, keyboard: hasKeys ? STDIN_FILENO : nil,
      takesKey: { key in
        guard key == UInt8(ascii: " ") else { return false }
        control.togglePause()
        return true
      },
      now: { clock.now })
  }

  /// What the runner tells.
  var hooks: RunHooks {
    RunHooks(
      event: { self.thread.post($0) },
      suspend: {
        self.thread.suspend()
        self.mode?.restore()
      },
      resume: {
        self.mode?.enter()
        self.thread.resume()
      },
      restoreTerminal: {
        self.thread.suspend()
        self.mode?.restore()
      })
  }

  /// Shows what is left and puts the terminal right.
  func finish() {
    thread.finish()
    mode?.restore()
    supervisor.isTerminalChanged = false
  }
}
