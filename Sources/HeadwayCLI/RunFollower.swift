internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayTime
internal import HeadwayView

/// Reads the events of a run on a thread of its own and passes them to a console: from the stream of a run that this process has
/// started, or from the journal.
///
/// A run does not wait for a slow view: the stream then says so, and the rest is read from the journal.
final class RunFollower: Sendable {
  /// What has become of the run.
  enum End: Sendable {
    /// It goes on, or has not begun.
    case goesOn
    case ended(RunState)
    case died(RunState)
    case unreadable(RunnerError)
  }

  /// A run that has begun.
  struct Begun: Sendable {
    /// What was asked for; without its tasks once the run is shown, because they are large and nobody needs them any more.
    fileprivate(set) var header: RunHeader
    /// The path of the state folder.
    let stateFolder: String
  }

  private struct State: Sendable {
    var begun: Begun?
    var console: RunConsole?
    var end = End.goesOn
    var isPaused = false
    var said: [String] = []
    /// Whether nothing more is read.
    var isOver = false
    /// Whether nobody reads any more what is shown.
    var hasLostReader = false
    var stopping = Stopping.no
  }

  /// Whether the reading is to end.
  private enum Stopping { case no, onceRead, now }

  /// How often is checked whether the run is alive, in case that it dies.
  private static let checkInterval = Duration.milliseconds(500)
  /// The age of events that are not the newest any more.
  private static let longestDelay = Duration.seconds(1)

  /// The size of a header from which on its reading leaves much free memory.
  private static let largeHeader = 1 << 18

  private let state = Guarded(State())
  private let connection: RunConnection?
  /// Called, on the thread, when the run has begun, and when the reading has ended.
  private let onNews: @Sendable () -> Void
  /// Set when the reading may begin to show something, or ends.
  private let isShown = WaitableEvent()
  /// Set when the thread has ended.
  private let ended = WaitableEvent()
  /// Set when the thread of ``keepReceiving(_:)`` has ended.
  private let received = WaitableEvent()

  /// Follows a run that this process has started.
  ///
  /// - Parameters:
  ///   - connection: The connection to the run.
  ///   - onNews: Called, on another thread, when the run has begun, and when nothing more is read.
  init(_ connection: RunConnection, onNews: @escaping @Sendable () -> Void) {
    self.connection = connection
    self.onNews = onNews
  }

  /// Follows a run that has a journal.
  ///
  /// - Parameters:
  ///   - begun: The run.
  ///   - onEnd: Called, on another thread, when nothing more is read.
  init(_ begun: Begun, onEnd: @escaping @Sendable () -> Void) {
    connection = nil
    onNews = onEnd
    state.withLock { $0.begun = begun }
  }

  /// The run, nil before it has begun.
  var begun: Begun? { state.withLock { $0.begun } }

  /// What has become of the run so far.
  var end: End { state.withLock { $0.end } }

  /// Whether nothing more is read.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Whether the run is paused.
  var isPaused: Bool { state.withLock { $0.isPaused } }

  /// The lines for people that the run has sent; they are printed at the end.
  var said: [String] { state.withLock { $0.said } }

  /// Whether nobody reads any more what is shown.
  var hasLostReader: Bool { state.withLock { $0.hasLostReader } }

  /// Begins to read.
  ///
  /// - Parameter output: What is written to, if the reading is to end when its reader is gone; nil if it goes on.
  func start(leavingWith output: Int32? = nil) {
    let error = SystemThread.start(named: "headway-follow", blocksSignals: true) {
      self.follow(output)
      self.state.withLock { $0.isOver = true }
      self.ended.set()
      self.onNews()
    }
    if error != 0 {
      state.withLock {
        $0.end = .unreadable(.system("cannot follow the run", error))
        $0.isOver = true
      }
      ended.set()
      onNews()
    }
  }

  /// Shows the run, which has begun, from now on.
  func show(on console: RunConsole) {
    state.withLock { $0.console = console }
    isShown.set()
  }

  /// Ends the reading at once, and waits for that.
  func stop() { end(.now) }

  /// Waits until all is read of a run that has ended.
  ///
  /// - Parameter limit: The longest wait, nil for no limit: the disk may not answer.
  func finish(within limit: Duration?) { end(.onceRead, within: limit) }

  private func end(_ stopping: Stopping, within limit: Duration? = nil) {
    state.withLock { $0.stopping = stopping }
    isShown.set()
    ended.wait(for: limit)
  }

  // MARK: - On the thread

  private func follow(_ output: Int32?) {
    do {
      var reader: JournalReader?
      var isBehind = false
      if let connection { isBehind = try followStream(connection, &reader) }
      guard let begun else { return }
      if case .ended = end { return }
      let rest = reader ?? JournalReader(begun.header, collectsRecords: false)
      guard let console = waitForConsole() else { return }
      try followJournal(rest, console, output)
      // What the run says at its end comes with the end of the stream.
      if isBehind { received.wait(for: Self.checkInterval) }
    } catch let error as StateError {
      state.withLock { $0.end = .unreadable(.state(error)) }
    } catch let error as MessageError {
      // Both ends are the same program.
      preconditionFailure("a message from the runner cannot be read: \(error)")
    } catch {
      preconditionFailure("a run is not followed because of: \(error)")
    }
  }

  /// Follows the stream of a run.
  ///
  /// - Returns: Whether this view is too slow for it.
  private func followStream(
    _ connection: RunConnection, _ reader: inout JournalReader?
  ) throws -> Bool {
    /// Whether the messages before were large.
    var wasLarge = false
    while let messages = try connection.receive() {
      if wasLarge { releaseFreeMemory() }
      wasLarge = false
      for message in messages {
        switch message {
        case .begun(let run, let folder, let bytes):
          let header = try RunHeader(bytes, of: run)
          reader = JournalReader(header, collectsRecords: false)
          state.withLock { $0.begun = Begun(header: header, stateFolder: folder) }
          onNews()
          if waitForConsole() == nil { return false }
          wasLarge = bytes.count > Self.largeHeader
        case .events(let lines, let time):
          guard let console = state.withLock({ $0.console }),
            let events = try reader?.append(lines), let reader
          else { return false }
          let age = max(MonotonicTime.now - time, .zero)
          show(events, reader, console, age: age, hasMore: age > Self.longestDelay)
        case .behind:
          keepReceiving(connection)
          return true
        default: handle(message, connection)
        }
      }
    }
    return false
  }

  /// Handles a message that is not about events: a line for people, or an answer.
  private func handle(_ message: RunMessage, _ connection: RunConnection) {
    switch message {
    case .said(let line): state.withLock { $0.said.append(line) }
    case .answered(let number, let refusal): connection.pass(number, refusal: refusal)
    case .begun, .events, .behind: break
    }
  }

  /// Keeps handling answers and lines for people on another thread, while this one reads the journal.
  private func keepReceiving(_ connection: RunConnection) {
    _ = SystemThread.start(named: "headway-stream", blocksSignals: true) {
      while let messages = try? connection.receive() {
        for message in messages { self.handle(message, connection) }
      }
      self.received.set()
    }
  }

  /// Waits until there is a console.
  ///
  /// - Returns: The console, nil if the reading is to end.
  private func waitForConsole() -> RunConsole? {
    while true {
      let (console, stopping) = state.withLock { state in
        if state.console != nil { state.begun?.header.tasks = [] }
        return (state.console, state.stopping)
      }
      if console != nil || stopping != .no { return console }
      isShown.wait(for: nil)
      isShown.clear()
    }
  }

  /// Shows events that a reader has read.
  private func show(
    _ events: [RunEvent], _ reader: JournalReader, _ console: RunConsole, age: Duration,
    hasMore: Bool
  ) {
    let run = reader.state
    console.receive(events, run, reader.forecast, age: age, hasMore: hasMore)
    state.withLock {
      $0.isPaused = run.isPaused
      if run.total != nil { $0.end = .ended(run) }
    }
  }

  private func followJournal(
    _ reader: JournalReader, _ console: RunConsole, _ output: Int32?
  ) throws(StateError) {
    guard let begun else { return }
    guard let folder = try RunFolder.named(begun.header.run, in: begun.stateFolder) else {
      return die(reader)
    }
    var journal = try JournalFollower(folder, begun.header, reader)
    let watch = folder.watch()
    while true {
      let stopping = state.withLock { $0.stopping }
      if stopping == .now { return }
      switch try journal.next() {
      case .events(let events):
        show(events, journal.reader, console, age: folder.age, hasMore: journal.hasMore)
        if case .ended = end { return }
        continue
      case .died: return die(journal.reader)
      case .nothing: break
      }
      if stopping == .onceRead { return die(journal.reader) }
      if let output, !Self.hasReader(output) {
        return state.withLock { $0.hasLostReader = true }
      }
      if watch?.wait(for: Self.checkInterval) == true { continue }
      if watch == nil { _ = WaitableEvent().wait(for: .milliseconds(100)) }
      journal.checkProcess()
    }
  }

  /// Whether somebody may read what is written, which is not so for a pipe whose other end is closed.
  private static func hasReader(_ output: Int32) -> Bool {
    var wait = pollfd(fd: output, events: 0, revents: 0)
    return unsafe poll(&wait, 1, 0) <= 0 || wait.revents & Int16(POLLERR) == 0
  }

  /// The run has died: its tasks under way are lost.
  private func die(_ reader: JournalReader) {
    var reader = reader
    reader.loseActiveTasks()
    let last = reader.state
    state.withLock { $0.end = .died(last) }
  }
}

extension RunFolder {
  /// How long ago the journal was written.
  fileprivate var age: Duration {
    .milliseconds(min(max(currentMilliseconds() - (lastWritten ?? 0), 0), 60_000))
  }
}
