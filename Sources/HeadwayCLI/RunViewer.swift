internal import HeadwayConsole
internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal

/// The process of `headway run` that the shell sees: it shows the run that the runner carries out, and passes on what the user wants.
///
/// What signals do is a table in `docs/running.md`.
struct RunViewer {
  /// How long Ctrl-Z waits until the tasks are stopped.
  private static let pauseTimeout = Duration.seconds(2)

  private let process: ViewerProcess
  private let connection: RunConnection
  private let options: RunView.Options
  /// Whether the run begins in the background.
  private let isDetached: Bool
  private let follower: RunFollower
  /// Set when there is something to do beside signals.
  private let news: WaitableEvent
  /// Whether the user has left the run by a key.
  private let hasLeft = Shared(false)

  /// A value that two threads share.
  private final class Shared: Sendable {
    let value: Guarded<Bool>

    init(_ value: Bool) { self.value = Guarded(value) }
  }

  /// Creates the viewer of a run.
  ///
  /// - Parameters:
  ///   - process: This process.
  ///   - stream: The stream from the runner.
  ///   - options: How the run is shown.
  ///   - isDetached: Whether the run begins in the background.
  init(_ process: ViewerProcess, stream: Int32, _ options: RunView.Options, isDetached: Bool) {
    self.process = process
    connection = RunConnection(socket: stream, headerLimit: RunHeader.maxBytes)
    self.options = options
    self.isDetached = isDetached
    let news = WaitableEvent()
    self.news = news
    follower = RunFollower(connection, onNews: news.set)
  }

  /// Shows the run until it ends or the user leaves it.
  func run() throws -> ExitCode {
    var code = ExitCode.unavailable
    try process.onViewThread { code = Tool.reportingErrors { try show() } }
    return code
  }

  private func show() throws -> ExitCode {
    follower.start()
    var view: RunView?
    var isAskedToEnd = false
    var isOver = false
    while true {
      wait()
      if view == nil, let begun = follower.begun {
        if isDetached {
          process.leave()
          try printOutput(begun.header.run)
          return .success
        }
        view = try begin(begun)
      }
      if hasLeft.value.withLock({ $0 }) { return leave(view) }
      for event in process.takeEvents() {
        switch event {
        case .stop(let isFromTerminal): stop(view, isFromTerminal: isFromTerminal)
        case .continued: view?.resume()
        case .endRequest: isAskedToEnd = true
        case .hangup: return leave(view)
        case .ended: isOver = true
        }
      }
      // A short run may have ended before anything of it was read.
      if isOver, view != nil || follower.isOver { return try end(view, isAskedToEnd: isAskedToEnd) }
    }
  }

  /// Waits for a signal or news.
  private func wait() {
    var entries = [
      pollfd(fd: process.signals, events: Int16(POLLIN), revents: 0),
      pollfd(fd: news.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    _ = unsafe poll(&entries, 2, -1)
    news.clear()
  }

  /// Begins to show the run.
  private func begin(_ begun: RunFollower.Begun) throws -> RunView {
    let (hasLeft, news) = (hasLeft, news)
    let view = try RunView(
      begun.header, in: begun.stateFolder, options, terminal: process.terminal,
      remote: RunRemote(connection),
      onLeave: {
        hasLeft.value.withLock { $0 = true }
        news.set()
      })
    follower.show(on: view.console)
    return view
  }

  /// Leaves the run, which goes on in the background.
  private func leave(_ view: RunView?) -> ExitCode {
    process.leave()
    view?.finish(within: RunView.endTimeout)
    if let view, canWrite(STDERR_FILENO) { printMessage(RunView.farewell(view.run)) }
    return .success
  }

  /// Stops the tasks and this process until it is continued.
  private func stop(_ view: RunView?, isFromTerminal: Bool) {
    // A run that is paused stays so.
    let pauses = !follower.isPaused
    if pauses {
      let isDone = WaitableEvent()
      connection.ask(.pause) { _ in isDone.set() }
      // A run that has not begun does so first.
      if view != nil { isDone.wait(for: Self.pauseTimeout) }
    }
    view?.suspend()
    TerminalGuard.stopProcess(isFromTerminal: isFromTerminal)
    view?.resume()
    if pauses { connection.ask(.unpause) { _ in } }
  }

  /// Shows how the run has ended, and ends as it has.
  private func end(_ view: RunView?, isAskedToEnd: Bool) throws -> ExitCode {
    if process.startError != 0 {
      throw RunnerError.system("cannot start the run", process.startError)
    }
    follower.finish()
    // From here on a signal ends the program, even if the terminal accepts no output. If a signal has ended the run, a copy of
    // it may still come and must not cut off the output; then the output has a time limit instead.
    if !isAskedToEnd { process.releaseSignals() }
    view?.finish(within: isAskedToEnd ? RunView.endTimeout : nil)
    let problems = view?.problems ?? []
    if !isAskedToEnd || canWrite(STDERR_FILENO) {
      for line in follower.said + process.deathWords + problems { printMessage(line) }
    }
    if case .unreadable(let error) = follower.end { throw error }
    let code = ExitCode(rawValue: process.end()) ?? .unavailable
    return code == .success && !problems.isEmpty ? .unavailable : code
  }
}
