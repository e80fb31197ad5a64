internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTime

/// `headway worker`: carries out the attempts of a run on this machine, for a runner at the other end of a connection.
///
/// ```
///   runner ── ssh ── standard input ──▶ WorkerStream ─▶ WorkerSession ─▶ LocalExecutor ─▶ processes
///                    standard output ◀───────────────────────┘
/// ```
///
/// When the connection ends, so do the attempts. One thread does all of it, and waits only for the poller.
package final class WorkerLoop {
  /// The tokens of the poller that are no task's.
  private enum Token {
    static let signals = UInt64.max
    static let supervisor = UInt64.max - 1
    static let input = UInt64.max - 2
    static let output = UInt64.max - 3
  }

  /// How often the worker looks at what its tasks have left.
  private static let lookInterval = Duration.milliseconds(20)
  /// How long attempts may take to end after the connection has, before they are killed.
  private static let grace = Duration.seconds(5)
  /// How long attempts that are being killed are waited for.
  private static let killTimeout = Duration.seconds(5)
  private static let readSize = 1 << 16

  private let supervisor: Supervisor
  private let poller: Poller
  private let input: Int32
  private let output: Int32
  private var stream = WorkerStream()
  /// The session, once a run has begun.
  private var session: WorkerSession?
  /// The bytes for the runner that are not those of the session.
  private var pending: [UInt8] = []
  /// Whether the poller waits for room in the output.
  private var isWaitingForRoom = false
  /// Whether the connection works in both directions.
  private var isConnected = true
  /// What was wrong with the messages of the runner, nil if nothing was.
  private(set) package var problem: String?

  /// Creates a worker.
  ///
  /// - Parameters:
  ///   - supervisor: The other process.
  ///   - input: The descriptor from which the runner's messages come.
  ///   - output: The descriptor to which those for the runner are written.
  /// - Throws: `RunnerError.system` if the system refuses something.
  package init(_ supervisor: Supervisor, input: Int32, output: Int32) throws(RunnerError) {
    self.supervisor = supervisor
    self.input = input
    self.output = output
    poller = try Poller.opened()
    _ = fcntl(output, F_SETFL, fcntl(output, F_GETFL) | O_NONBLOCK)
    guard poller.add(supervisor.signals, token: Token.signals),
      poller.add(supervisor.pipe, token: Token.supervisor), poller.add(input, token: Token.input)
    else { throw .system("cannot wait for events", errno) }
    supervisor.begin()
  }

  /// Works until the run is over or the connection has ended, and nothing of the run is left.
  package func run() {
    WorkerGreeting(cores: Processors.count).write(to: &pending)
    send()
    while isConnected, session?.hasEnded != true || hasPending { turn() }
    endAttempts()
  }

  private var hasPending: Bool { !pending.isEmpty || session?.pending.isEmpty == false }

  /// Waits once, and handles what has happened.
  ///
  /// - Parameter limit: The maximum time to wait, nil for no limit.
  private func turn(for limit: Duration? = nil) {
    supervisor.takeTurn()
    var timeout = session?.isLingering == true ? Self.lookInterval : limit
    if isConnected, session?.hasRoom == false {
      waitForRoom(for: timeout)
      timeout = .zero
    }
    for event in poller.wait(for: timeout) {
      switch event.token {
      case Token.signals:
        // The attempts did not end by themselves, so the runner is told nothing and takes them for lost.
        if supervisor.takeSignals().contains(where: {
          [SIGINT, SIGTERM, SIGHUP].contains($0.number)
        }) {
          isConnected = false
        }
      case Token.supervisor: supervisor.exitAfterItsDeath {}
      case Token.input: receive()
      case Token.output: break
      default: session?.readOutput(of: TaskID(Int(event.token)))
      }
    }
    session?.turn(at: MonotonicTime.now)
    send()
  }

  /// Waits for everything but output of tasks, which cannot be sent and would wake the loop again and again.
  private func waitForRoom(for limit: Duration?) {
    var watched = [
      pollfd(fd: output, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: supervisor.signals, events: Int16(POLLIN), revents: 0),
      pollfd(fd: supervisor.pipe, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = limit.map { Int32(clamping: $0.components.seconds * 1_000) + 20 } ?? -1
    _ = unsafe poll(&watched, nfds_t(watched.count), milliseconds)
  }

  /// Reads what has arrived, and carries it out.
  private func receive() {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, count in
      repeat {
        count = unsafe read(input, buffer.baseAddress, buffer.count)
      } while count < 0 && errno == EINTR
      count = max(count, 0)
    }
    guard !bytes.isEmpty else {
      isConnected = false
      return
    }
    stream.append(bytes[...])
    do throws(WorkerMessageError) {
      while let message = try stream.next() {
        let request = try WorkerRequest(message)
        if session != nil {
          try session?.receive(request)
        } else if case .begin(let setup) = request {
          begin(setup)
        } else {
          throw WorkerMessageError(description: "the first request does not begin a run")
        }
      }
    } catch {
      problem = error.description
      isConnected = false
    }
  }

  /// Prepares for a run.
  private func begin(_ setup: WorkerSetup) {
    do throws(RunnerError) {
      try enterFolder(setup.folder)
      let environment = EnvironmentBlock(without: RunWork.Variable.zig)
      environment.set("PWD", currentFolder())
      for (name, value) in zip(setup.names, setup.values) { environment.set(name, value) }
      session = WorkerSession(
        executor: try LocalExecutor(
          environment: environment, identity: setup.identity, taskCount: setup.taskCount,
          poller: poller))
      WorkerReply.begun.write(to: &pending)
    } catch {
      WorkerReply.refused(reason: error.message).write(to: &pending)
    }
  }

  /// Sends what waits, as much as there is room for.
  private func send() {
    if let waiting = session?.pending, !waiting.isEmpty {
      pending += waiting
      session?.pending = []
    }
    // What nobody reads is not kept.
    if !isConnected { pending = [] }
    var sent = 0
    while isConnected, sent < pending.count {
      let count = unsafe pending.withUnsafeBytes { bytes in
        unsafe write(output, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent)
      }
      if count > 0 {
        sent += count
      } else if count < 0, errno == EAGAIN {
        break
      } else if count < 0, errno != EINTR {
        isConnected = false
      }
    }
    pending.removeFirst(sent)
    let needsRoom = isConnected && !pending.isEmpty
    guard needsRoom != isWaitingForRoom else { return }
    isWaitingForRoom = needsRoom
    if needsRoom {
      _ = poller.add(output, token: Token.output, interest: .write)
    } else {
      poller.remove(output)
    }
  }

  /// Ends what is left of the attempts, because nobody follows them any more.
  private func endAttempts() {
    pending = []
    poller.remove(input)
    guard let session, !session.hasEnded else { return }
    let begin = MonotonicTime.now
    var killed: Duration?
    for attempt in session.attempts {
      try? self.session?.receive(.signal(attempt, .terminate))
      try? self.session?.receive(.signal(attempt, .resume))
    }
    while self.session?.isAlive == true {
      turn(for: Self.lookInterval)
      let now = MonotonicTime.now
      if now - begin > Self.grace {
        for attempt in session.attempts { try? self.session?.receive(.signal(attempt, .kill)) }
        if now - (killed ?? now) > Self.killTimeout { break }
        killed = killed ?? now
      }
    }
    for attempt in session.attempts {
      try? self.session?.receive(.release(attempt, keepsProcesses: false))
    }
    try? self.session?.receive(.end)
    while self.session?.hasEnded == false { turn(for: Self.lookInterval) }
  }
}
