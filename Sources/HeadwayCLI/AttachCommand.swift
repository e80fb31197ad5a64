internal import HeadwayConsole
internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal

/// `headway attach`: shows a run that goes on in another process, from its journal.
///
/// ```
///   journal, logs ── JournalReader ──┐
///                                    RunConsole ── terminal
///   publication of the run ──────────┘    │ keys
///   the run ◀── RunRemote ────────────────┘
/// ```
///
/// In a live view the run knows that it is watched, and forecasts more often; else what happens here changes nothing there but what
/// keys ask for.
struct AttachCommand {
  /// The time for a slow terminal once the end was asked for.
  private static let finishTimeout = Duration.seconds(2)

  private let word: String?
  private let search: RunSearch
  private let mode: RunConsole.Mode
  private let output: OutputArguments

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.attach.options)
    word = try parsed.onlyWord("name one run, or none")
    search = try RunSearch(in: parsed.directory, stateFolder: parsed.options["--state"])
    mode = try RunCommand.mode(parsed) ?? RunCommand.fitting
    output = try OutputArguments(parsed)
  }

  /// Shows the run until it ends or the user leaves.
  func run() throws -> ExitCode {
    // From here on there are three processes, and this is the runner. Before, no thread may be started, as the search does.
    let supervisor = try Supervisor()
    var result: Result<(RunHeader, Ending)?, any Error> = .success(nil)
    try supervisor.onRunThread {
      supervisor.superviseTerminalOnly()
      result = Result {
        try ForegroundSession.withSignals { session in
          guard let found = try search.find(word) else { return nil }
          let header = try found.folder.header()
          return (header, try show(found, header, supervisor, session))
        }
      }
    }
    guard let (header, ending) = try result.get() else {
      if word != nil { return search.notFound(word) }
      printMessage("no run goes on; headway runs lists those that have ended")
      return .unavailable
    }
    switch ending {
    case .left(let signal):
      if signal != SIGPIPE { printMessage(Show.farewell(header.run)) }
      // By the signal, so that a calling shell sees why.
      if let signal { supervisor.exit(signal: signal) }
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
    _ found: FoundRun, _ header: RunHeader, _ supervisor: Supervisor,
    _ session: ForegroundSession.Signals
  ) throws -> Ending {
    let screen = mode == .json ? STDOUT_FILENO : STDERR_FILENO
    let isTerminal = isTerminal(screen)
    var style = TerminalStyle(environment: environmentValue)
    style.color = style.color && isTerminal
    let isLive = mode == .screen && isTerminal
    let printing = header.tasks.lazy.filter { !$0.command.isEmpty && $0.hook == nil }
    let description = RunDescription(
      header, logs: try RunLogs(of: header.record, in: found.stateFolder),
      output: output.options(
        for: mode, printing: printing.count { _ in true },
        working: printing.count { !$0.isAlways && !$0.isService }), screen: screen)
    let follower = JournalFollower(found.folder, header)
    let keyboard = isLive ? Show.keyboard(supervisor) : nil
    keyboard?.enter()
    let console = RunConsole(
      description, forecaster: header.forecaster(stateFolder: found.stateFolder),
      mode: mode == .screen && !isLive ? .lines : mode, style: style, output: screen,
      keyboard: keyboard,
      remote: RunRemote(run: header.run, process: header.process.number),
      onLeave: {
        follower.leave()
        session.end()
      })
    if isLive { console.followPublication(of: header.run, process: header.process.number) }
    follower.start(console, to: screen, onEnd: session.end)
    let signal = session.wait {
      console.suspend()
      keyboard?.restore()
      supervisor.terminalIsRestored()
      supervisor.stopSelf(isFromTerminal: true)
      keyboard?.enter()
      console.resume()
    }
    let end = follower.stop()
    console.finish(within: signal == nil && !follower.hasLeft ? nil : Self.finishTimeout)
    keyboard?.restore()
    supervisor.terminalIsRestored()
    switch end {
    case .goesOn: return .left(follower.hasLostReader ? SIGPIPE : signal)
    case .ended(let state): return .ended(state)
    case .died(let state): return .died(state)
    case .unreadable(let error): throw error
    }
  }
}

/// Follows the journal of a run on a thread of its own, and shows what it tells.
private final class JournalFollower: Sendable {
  /// What has become of the run.
  enum End: Sendable {
    case goesOn
    case ended(RunState)
    case died(RunState)
    case unreadable(RunnerError)
  }

  private struct State: Sendable {
    var end = End.goesOn
    var hasLeft = false
    /// Whether nobody reads any more what is shown.
    var hasLostReader = false
    var isStopping = false
  }

  /// How often is checked whether the run is alive, in case that it dies.
  private static let checkInterval = Duration.milliseconds(500)

  private let folder: RunFolder
  private let header: RunHeader
  private let state = Guarded(State())
  /// Set when the thread has ended.
  private let ended = WaitableEvent()

  init(_ folder: RunFolder, _ header: RunHeader) { (self.folder, self.header) = (folder, header) }

  /// Whether the user has left.
  var hasLeft: Bool { state.withLock { $0.hasLeft } }

  /// Whether nobody reads any more what is shown.
  var hasLostReader: Bool { state.withLock { $0.hasLostReader } }

  /// Notes that the user has left.
  func leave() { state.withLock { $0.hasLeft = true } }

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - console: Shows the run.
  ///   - output: What the console writes to; the reading ends when its reader is gone.
  ///   - onEnd: Called when the reading has ended.
  func start(_ console: RunConsole, to output: Int32, onEnd: @escaping @Sendable () -> Void) {
    let error = SystemThread.start(named: "headway-journal", blocksSignals: true) {
      self.follow(console, output)
      self.ended.set()
      onEnd()
    }
    if error != 0 {
      state.withLock { $0.end = .unreadable(.system("cannot follow the run", error)) }
      ended.set()
      onEnd()
    }
  }

  /// Ends the reading.
  ///
  /// - Returns: What has become of the run so far.
  func stop() -> End {
    state.withLock { $0.isStopping = true }
    ended.wait(for: nil)
    return state.withLock { $0.end }
  }

  private func follow(_ console: RunConsole, _ output: Int32) {
    var reader = JournalReader(header)
    let file: Int32
    do throws(StateError) {
      file = try folder.journal() ?? -1
    } catch {
      return state.withLock { $0.end = .unreadable(.state(error)) }
    }
    defer { if file >= 0 { close(file) } }
    let watch = folder.watch()
    // What is written until the process has died, is read.
    var mayGoOn = true
    while !state.withLock({ $0.isStopping }) {
      let bytes = file >= 0 ? RunFolder.next(file) : []
      if bytes.isEmpty {
        guard mayGoOn else { return finish(reader, console) }
        guard Self.hasReader(output) else {
          return state.withLock { $0.hasLostReader = true }
        }
        if watch?.wait(for: Self.checkInterval) == true { continue }
        if watch == nil { _ = WaitableEvent().wait(for: .milliseconds(100)) }
        mayGoOn = folder.isRunning(header) != false
        continue
      }
      do throws(StateError) {
        let events = try reader.append(bytes)
        console.receive(events, age: age, hasMore: bytes.count >= RunFolder.readSize)
        if reader.state.total != nil {
          let last = reader.state
          return state.withLock { $0.end = .ended(last) }
        }
      } catch {
        return state.withLock { $0.end = .unreadable(.state(error)) }
      }
    }
  }

  /// Whether somebody may read what is written, which is not so for a pipe whose other end is closed.
  private static func hasReader(_ output: Int32) -> Bool {
    var wait = pollfd(fd: output, events: 0, revents: 0)
    return unsafe poll(&wait, 1, 0) <= 0 || wait.revents & Int16(POLLERR) == 0
  }

  /// The run has died: its tasks under way are lost.
  private func finish(_ reader: JournalReader, _ console: RunConsole) {
    var reader = reader
    reader.loseActiveTasks()
    let last = reader.state
    state.withLock { $0.end = .died(last) }
  }

  /// How long ago the journal was written.
  private var age: Duration {
    let written = folder.lastWritten ?? 0
    return .milliseconds(min(max(currentMilliseconds() - written, 0), 60_000))
  }
}
