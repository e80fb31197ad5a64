internal import HeadwayLibc
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTime

/// `headway worker`: carries out the attempts of a run on this machine, for a runner at the other end of a connection.
///
/// ```
///   runner ── ssh ── standard input ──▶ MessageStream ─▶ WorkerSession ─▶ LocalExecutor ─▶ processes
///                    standard output ◀───────────────────────┘
/// ```
///
/// When the connection ends, or the runner has not renewed the lease, so do the attempts; if this process does not end them, its
/// supervisor does. One thread does all of it. It waits for the poller, and while its output is blocked, for room there.
package final class WorkerLoop {
  /// The version of the messages between a run and its workers.
  package static var messagesVersion: Int { WorkerGreeting.version }

  /// The tokens of the poller that are no task's.
  private enum Token {
    static let signals = UInt64.max
    static let supervisor = UInt64.max - 1
    static let input = UInt64.max - 2
    static let output = UInt64.max - 3
    static let lastOfReports = UInt64.max - 4
  }

  /// How often the worker looks at what its tasks have left.
  private static let lookInterval = Duration.milliseconds(20)
  /// How long the runner may take to begin a run.
  private static let greetingTimeout = Duration.seconds(600)
  /// How long it may take to connect to the run.
  private static let connectionTimeout = Duration.seconds(60)
  private static let readSize = 1 << 16

  private let supervisor: Supervisor
  private let poller: Poller
  private let input: Int32
  private let output: Int32
  /// The connection over TCP, nil if the standard streams are one.
  private var tunnels: TLSTunnels?
  private var stream = MessageStream()
  /// The session, once a run has begun.
  private var session: WorkerSession?
  /// The bytes for the runner that are not those of the session.
  private var pending: [UInt8] = []
  /// The folder with copies of files, nil if the one of the plan is used.
  private var folder: CopiedFolder?
  /// Where programs of tasks report their progress, nil before a run has begun or if they cannot.
  private var reports: ReportListener?
  /// Whether a signal has asked this process to end.
  private var isAskedToEnd = false
  /// Whether the poller waits for room in the output.
  private var isWaitingForRoom = false
  /// Whether the connection works in both directions.
  private var isConnected = true
  /// Whether a job of Slurm around it is that of the run, because it is on the same machine.
  private var isForServices = false
  /// Why the worker has given up its runner, nil if it has not.
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
    makeNonblocking(output)
    guard poller.add(supervisor.signals, token: Token.signals),
      poller.add(supervisor.pipe, token: Token.supervisor), poller.add(input, token: Token.input)
    else { throw .system("cannot wait for events", errno) }
    supervisor.begin()
  }

  /// Creates a worker that connects to its run over TCP.
  ///
  /// - Parameters:
  ///   - supervisor: The other process.
  ///   - path: The path of the file that says where to.
  ///   - name: Which job of the run the worker is in.
  /// - Throws: `RunnerError.connection` if it cannot connect, `RunnerError.system` if the system refuses something.
  package convenience init(
    _ supervisor: Supervisor, connectingBy path: String, as name: String
  ) throws(RunnerError) {
    let file = try ConnectionFile(reading: path)
    let (tunnels, socket) = try TLSTunnels.connected(
      to: file, as: name, within: Self.connectionTimeout)
    // Two descriptors, because the loop waits for each of them by itself.
    let output = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard output >= 0 else { throw .system("cannot use the connection", errno) }
    try self.init(supervisor, input: socket, output: output)
    self.tunnels = tunnels
  }

  /// Works until the run is over or the connection has ended, and nothing of the run is left.
  package func run() {
    // Until a run has begun, there is nothing to end, but nobody else would end a worker that was forgotten.
    supervisor.setLease(Self.greetingTimeout)
    let resources = Machine.resources(cpus: Processors.count)
    WorkerGreeting(
      cores: resources.cpus, memory: resources.memory, gpus: resources.gpus,
      host: SlurmJobs.ownNode ?? ""
    ).write(to: &pending)
    send()
    while isConnected, session.map({ !$0.hasEnded }) ?? !isAskedToEnd || hasPending { turn() }
    let endsInOrder = isConnected
    endAttempts()
    reports?.stop(in: poller)
    if session?.hasLeftSome != true { folder?.remove() }
    if let tunnels {
      close(input)
      close(output)
      tunnels.end()
    }
    // For a runner to which there is no connection any more but this.
    if session?.hasLeftSome != true { printLine(Supervisor.nothingLeft, to: STDERR_FILENO) }
    if !endsInOrder, !isForServices {
      supervisor.setLease(SlurmJobs.endOwnTimeout + WorkerLease.supervisorTime)
      SlurmJobs.endOwn()
    }
  }

  private func printLine(_ line: String, to descriptor: Int32) {
    _ = writeAll(descriptor, Array("\(line)\n".utf8))
  }

  private var hasPending: Bool { !pending.isEmpty || session?.pending.isEmpty == false }

  /// Waits once, and handles what has happened.
  private func turn() {
    supervisor.takeTurn()
    var timeout = session?.isLingering == true ? Self.lookInterval : nil
    if let moment = session?.nextMoment {
      timeout = earliest(timeout, max(moment - MonotonicTime.continuous, .zero))
    }
    if isConnected, session?.hasRoom == false {
      waitForRoom(for: timeout)
      timeout = .zero
    }
    for event in poller.wait(for: timeout) {
      switch event.token {
      case Token.signals:
        if supervisor.takeSignals().contains(where: {
          [SIGINT, SIGTERM, SIGHUP].contains($0)
        }) {
          isAskedToEnd = true
          session?.abandon(at: MonotonicTime.continuous)
        }
      case Token.supervisor:
        supervisor.exitAfterItsDeath { printLine("headway: \($0)", to: STDERR_FILENO) }
      case Token.input: receive()
      case Token.output: break
      case let token where reports?.contains(token: token) == true:
        if session?.hasRoom == true { reports?.handle(token, in: poller, &pending) }
      case let token where session?.readProgress(token) == true: break
      default: session?.readOutput(of: TaskID(Int(event.token)))
      }
    }
    let now = MonotonicTime.continuous
    session?.turn(at: now)
    if let session, isConnected {
      // What has arrived meanwhile was read above: an answer that is as old as the lease comes too late.
      if now >= session.leaseEnd {
        problem = "the runner has not answered for too long"
        isConnected = false
      } else {
        supervisor.setLease(session.leaseEnd - now + WorkerLease.supervisorTime)
      }
    }
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
    _ = unsafe poll(&watched, nfds_t(watched.count), PollTimeout.milliseconds(limit))
  }

  /// Reads what has arrived, and carries it out.
  private func receive() {
    let bytes: [UInt8]
    switch readSome(input, most: Self.readSize) {
    case .bytes(let some): bytes = some
    case .nothing: return
    case .end, .failed:
      isConnected = false
      return
    }
    stream.append(bytes[...])
    do throws(MessageError) {
      var requests: [WorkerRequest] = []
      while let message = try stream.next() { requests.append(try WorkerRequest(message)) }
      // First those that renew the lease, by which the others are judged.
      for case .heartbeat(let number) in requests { session?.renew(by: number) }
      let mayStart = !isHungUp && session.map { MonotonicTime.continuous < $0.leaseEnd } ?? true
      for request in requests {
        if case .start = request, !mayStart {
          // Nobody follows what would be started now, and a run that goes on must not wait for it.
          isConnected = false
          return
        }
        if session != nil {
          reports?.carryOut(request, in: poller, &pending)
          try session?.receive(request)
        } else if case .begin(let setup) = request {
          begin(setup)
        } else {
          throw MessageError(description: "the first request does not begin a run")
        }
      }
    } catch {
      problem = "the runner says what no runner says: \(error.description)"
      isConnected = false
    }
  }

  /// Whether the other end of the connection is closed, so that what can still be read is the last.
  private var isHungUp: Bool {
    var watched = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&watched, 1, 0) == 1 && Int32(watched.revents) & POLLHUP != 0
  }

  /// Prepares for a run.
  private func begin(_ setup: WorkerSetup) {
    isForServices = setup.isForServices
    do throws(RunnerError) {
      if setup.copiesFiles {
        let run = String(setup.identity.map { $0 == "/" ? "-" : $0 })
        folder = try CopiedFolder(below: setup.cache, run: run)
      }
      try enterFolder(folder?.path ?? setup.folder)
      let environment = EnvironmentBlock(without: RunWork.Variable.zig)
      environment.set("PWD", currentFolder())
      for (name, value) in zip(setup.names, setup.values) { environment.set(name, value) }
      guard EarlierWorkers(of: setup.earlier, besides: supervisor.processes).end() else {
        throw .state(.notResumable("before this one", "a worker of it cannot be ended"))
      }
      _ = try RunnerError.using { () throws(StateError) in
        try Leftovers(ofRunsElsewhere: setup.earlier).end("before this one")
      }
      session = WorkerSession(
        executor: try LocalExecutor(
          environment: environment, identity: setup.identity, taskCount: setup.taskCount,
          poller: poller),
        lease: WorkerLease(patience: setup.patience, from: MonotonicTime.continuous),
        isInJob: SlurmJobs.ownNode != nil && !isForServices)
      reports = ReportListener(in: poller, lastToken: Token.lastOfReports)
      session?.progressSocket = reports?.path
      session?.progressPipes = ProgressPipes(in: poller)
      WorkerReply.begun(folder: folder?.path).write(to: &pending)
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
    if case .failed = writeSome(output, &pending) { isConnected = false }
    session?.unsent = pending.count
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
    poller.remove(input)
    supervisor.setLease(WorkerLease.supervisorTime)
    session?.abandon(at: MonotonicTime.continuous)
    while session?.hasEnded == false { turn() }
  }
}
