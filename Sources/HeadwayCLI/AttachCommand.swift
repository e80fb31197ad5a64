internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayView

/// `headway attach`: shows a run that goes on in another process, from its journal.
///
/// In a live view the run knows that it is watched, and forecasts more often; else what happens here changes nothing there but what
/// keys ask for.
struct AttachCommand {
  private let word: String?
  private let search: RunSearch
  private let options: RunView.Options

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.attach.options)
    word = try parsed.onlyWord("name one run, or none")
    search = try RunSearch(parsed)
    let mode = try RunCommand.mode(parsed)
    options = RunView.Options(mode: mode, output: try OutputArguments(parsed), outputMode: mode)
  }

  /// Shows the run until it ends or the user leaves.
  func run() throws -> ExitCode {
    // Before any thread is started, as the search does.
    let terminal = try TerminalGuard()
    let shown = try ForegroundSession.withSignals { session -> (RunHeader, Ending)? in
      guard let found = try search.find(word) else { return nil }
      let header = try found.folder.header()
      return (header, try show(found, header, terminal, session))
    }
    guard let (header, ending) = shown else {
      if word != nil { return search.notFound(word) }
      printMessage("no run goes on; headway runs lists those that have ended")
      return .unavailable
    }
    switch ending {
    case .left(let signal):
      if signal != SIGPIPE { printMessage(RunView.farewell(header.run)) }
      // By the signal, so that a calling shell sees why.
      if let signal { Supervisor.exit(signal: signal) }
      return .success
    case .ended(let state):
      let code = ExitCode(state) { header.tasks[$0].isOptional }
      return code == .success && state.ending == .cancelled ? .failure : code
    case .died(let state):
      printMessage(
        "the run has died; to go on with it: headway resume \(header.run)")
      return ExitCode(state) { header.tasks[$0].isOptional }
    }
  }

  /// How the watching ended.
  private enum Ending {
    /// The user has left, by a signal or by the key.
    case left(Int32?)
    /// The run has ended.
    case ended(RunState)
    /// The process of the run has died.
    case died(RunState)
  }

  private func show(
    _ found: FoundRun, _ header: RunHeader, _ terminal: TerminalGuard,
    _ session: ForegroundSession.Signals
  ) throws -> Ending {
    let hasLeft = Guarded(false)
    let view = try RunView(
      header, in: found.stateFolder, options, terminal: terminal,
      remote: RunRemote(run: header.run, process: header.process.number),
      onLeave: {
        hasLeft.withLock { $0 = true }
        session.end()
      })
    let follower = RunFollower(
      RunFollower.Begun(header: header, stateFolder: found.stateFolder), onEnd: session.end)
    follower.show(on: view.console)
    follower.start(leavingWith: view.screen)
    let signal = session.wait { view.stopProcess(isFromTerminal: true) }
    follower.stop()
    view.finish(within: signal == nil && !hasLeft.withLock { $0 } ? nil : RunView.endTimeout)
    switch follower.end {
    case .goesOn: return .left(follower.hasLostReader ? SIGPIPE : signal)
    case .ended(let state): return .ended(state)
    case .died(let state): return .died(state)
    case .unreadable(let error): throw error
    }
  }
}
