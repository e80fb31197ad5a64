internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayView

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
  private let hasLeft = Flag()
  /// Whether the run was asked to go on after Ctrl-Z, and has not answered.
  private let isResuming = Flag()

  /// A Boolean that threads share.
  private final class Flag: Sendable {
    private let value = Guarded(false)

    var isSet: Bool {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }
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
    /// The first signal that has asked for the end.
    var endSignal: Int32?
    var isOver = false
    var isLeft = false
    while true {
      if wait(for: news) { news.clear() }
      if view == nil, let begun = follower.begun {
        if isDetached {
          try printOutput(begun.header.run)
          process.leave()
          return .success
        }
        view = try begin(begun)
      }
      for event in process.takeEvents() {
        switch event {
        case .stop(let isFromTerminal): stop(view, isFromTerminal: isFromTerminal)
        case .continued: view?.resume()
        case .endRequest(let signal): endSignal = endSignal ?? signal
        case .hangup: isLeft = true
        case .ended:
          process.cleanUp()
          isOver = true
        }
      }
      if !isOver, isLeft || hasLeft.isSet { return leave(view) }
      // A short run may have ended before anything of it was read.
      if isOver, view != nil || follower.isOver {
        return try end(view, endSignal: endSignal)
      }
    }
  }

  /// Begins to show the run.
  private func begin(_ begun: RunFollower.Begun) throws -> RunView {
    let (hasLeft, news) = (hasLeft, news)
    let view = try RunView(
      begun.header, in: begun.stateFolder, options, terminal: process.terminal,
      remote: RunRemote(connection),
      onLeave: {
        hasLeft.isSet = true
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
    let pauses = isResuming.isSet || !follower.isPaused
    if pauses {
      let isDone = WaitableEvent()
      connection.ask(.pause) { _ in isDone.set() }
      // A run that has not begun does so first.
      if view != nil { isDone.wait(for: Self.pauseTimeout) }
    }
    if let view {
      view.stopProcess(isFromTerminal: isFromTerminal)
    } else {
      TerminalGuard.stopProcess(isFromTerminal: isFromTerminal)
    }
    guard pauses else { return }
    let isResuming = isResuming
    isResuming.isSet = true
    connection.ask(.unpause) { _ in isResuming.isSet = false }
  }

  /// Shows how the run has ended, and ends as it has.
  private func end(_ view: RunView?, endSignal: Int32?) throws -> ExitCode {
    if process.startError != 0 {
      throw RunnerError.system("cannot start the run", process.startError)
    }
    // Whoever has asked for the end does not wait for a reader that has stopped reading, nor for a disk.
    let isHurried = endSignal != nil || !process.hasEndedByItself
    follower.finish(within: isHurried ? RunView.endTimeout : nil)
    if let view, let signal = finish(view, isHurried: isHurried) { Supervisor.exit(signal: signal) }
    let problems = view?.problems ?? []
    if !isHurried || canWrite(STDERR_FILENO) {
      for line in follower.said + process.deathWords + problems { printMessage(line) }
    }
    if case .unreadable(let error) = follower.end { throw error }
    let code = ExitCode(rawValue: process.end()) ?? .unavailable
    guard code == .success, !problems.isEmpty else { return code }
    // The run had succeeded before the signal reached it, and what was not shown was not waited for because of the signal.
    if let endSignal { Supervisor.exit(signal: endSignal) }
    return .unavailable
  }

  /// Shows what is left, and restores the terminal.
  ///
  /// - Parameters:
  ///   - view: The view.
  ///   - isHurried: Whether slow readers have a time limit; otherwise, they have one from the next signal on.
  /// - Returns: A signal that has come meanwhile and ends this process, nil if there was none.
  private func finish(_ view: RunView, isHurried: Bool) -> Int32? {
    if isHurried {
      view.finish(within: RunView.endTimeout)
      return nil
    }
    let isDone = WaitableEvent()
    // Nothing else uses it meanwhile, unless the thread is left behind.
    nonisolated(unsafe) let finishing = view
    let error = SystemThread.start(named: "headway-finish", blocksSignals: true) {
      unsafe finishing.finish()
      isDone.set()
    }
    if error != 0 {
      view.finish(within: RunView.endTimeout)
      return nil
    }
    while true {
      if wait(for: isDone) { return nil }
      for event in process.takeEvents() {
        guard case .endRequest(let signal) = event else { continue }
        isDone.wait(for: RunView.endTimeout)
        view.restoreTerminal()
        return signal
      }
    }
  }

  /// Waits for a signal or an event.
  ///
  /// - Returns: Whether the event has come.
  private func wait(for event: WaitableEvent) -> Bool {
    var entries = [
      pollfd(fd: process.signals, events: Int16(POLLIN), revents: 0),
      pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    _ = unsafe poll(&entries, 2, -1)
    return entries[1].revents != 0
  }
}
