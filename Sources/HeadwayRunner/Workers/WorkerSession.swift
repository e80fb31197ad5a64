internal import HeadwayLibc
internal import HeadwayRelay
internal import HeadwayRun

/// The worker's side of a connection: carries out requests with an executor, and reports what becomes of the attempts.
///
/// The bytes for the runner are collected in `pending`; whoever owns the connection takes and sends them, and says in `unsent`
/// how many it still has. While more than `highWater` bytes wait, no output is read, so that a task that writes faster than the
/// connection carries waits in its pipe. Not thread safe.
struct WorkerSession {
  /// What is known of an attempt.
  private struct Entry {
    let attempt: Attempt
    /// Whether the host waits for its output.
    var isWatched = false
    var isOutputOver = false
    /// Whether its own process has ended.
    var hasExited = false
    /// Whether the runner has asked for its end.
    var isSignalled = false
    /// Its result, and when it is reported to the runner; nil once it was.
    var held: (exit: AttemptExit, until: Duration)?
    /// The processes that are left, as the runner knows them.
    var left: [String] = []
  }

  /// How long it is not reported that an attempt was ended by a signal that its runner has not sent: whoever ends this worker, such as
  /// Slurm, may have sent it to all processes at once, and then the attempt has not failed, but is lost.
  private static let doubt = Duration.milliseconds(500)
  /// The same for a failure that need not come from a signal, in a job of Slurm.
  private static let shortDoubt = Duration.milliseconds(100)
  /// How long attempts that nobody follows may take to end before they are killed.
  private static let grace = Duration.seconds(5)
  /// How long attempts that are being killed are waited for.
  private static let killTimeout = Duration.seconds(5)
  /// The bytes that wait to be sent above which no output is read.
  static let highWater = 1 << 20
  /// The most bytes of one message about output.
  private static let pieceSize = 1 << 16

  private let executor: any Executor
  /// Whether a cluster may end all its processes at once.
  private let isInJob: Bool
  /// The attempts, by the task's index.
  private var entries: [Int: Entry] = [:]
  /// Whether the run is over, and what is left of it is being ended.
  private var isEnding = false
  /// Since when its attempts are being ended because nobody follows them, and since when they are being killed.
  private var abandoned: (since: Duration, killed: Duration?)?
  /// The processes without an attempt that are being ended.
  private var strayEnding: StrayEnding?
  /// The bytes for the runner that nobody has taken.
  var pending: [UInt8] = []
  /// The number of bytes that were taken and not sent.
  var unsent = 0

  /// The socket on this machine to which programs report their progress, nil if there is none.
  var progressSocket: String?
  /// The pipes through which programs report as those written in Zig do, nil if there are none.
  var progressPipes: ProgressPipes?

  /// How long the session may go on.
  private var lease: WorkerLease

  /// Creates a session without attempts.
  ///
  /// - Parameters:
  ///   - executor: Carries out the attempts.
  ///   - lease: How long the session may go on.
  ///   - isInJob: Whether a cluster may end all its processes at once.
  init(executor: any Executor, lease: WorkerLease, isInJob: Bool = false) {
    self.executor = executor
    self.lease = lease
    self.isInJob = isInJob
  }

  /// When the session may go on until, unless its runner answers.
  var leaseEnd: Duration { lease.end }

  /// When ``turn(at:)`` has to be called at the latest, nil if only an event or ``isLingering`` asks for it.
  var nextMoment: Duration? {
    guard abandoned == nil, !hasEnded else { return nil }
    return earliest(
      min(lease.nextHeartbeat, lease.end), entries.values.lazy.compactMap(\.held?.until).min())
  }

  /// Whether ``turn(at:)`` has to be called again soon: processes are left of attempts whose own process has ended.
  var isLingering: Bool {
    isEnding || abandoned != nil || entries.values.contains { !$0.left.isEmpty }
  }

  /// Whether the run is over and all that was left of it has ended.
  private(set) var hasEnded = false

  /// Whether attempts were left that could not be killed.
  private(set) var hasLeftSome = false

  /// The attempts that were not released.
  var attempts: [Attempt] { entries.values.map(\.attempt).sorted { $0.task < $1.task } }

  /// Whether an attempt runs, or has left processes that run.
  var isAlive: Bool { entries.values.contains { !$0.hasExited || !$0.left.isEmpty } }

  /// Carries out a request; one about an attempt that is not under way has no effect.
  ///
  /// - Throws: `MessageError` if a task is started that has an attempt under way.
  mutating func receive(_ request: WorkerRequest) throws(MessageError) {
    guard abandoned == nil else { return }
    switch request {
    case .start(let attempt, let command): try start(attempt, command)
    case .signal(let attempt, let signal):
      guard isUnderWay(attempt) else { return }
      if signal == .terminate || signal == .kill { entries[attempt.task.index]?.isSignalled = true }
      executor.signal(attempt, signal)
    case .release(let attempt, let keepsProcesses):
      guard isUnderWay(attempt) else { return }
      executor.release(attempt, keepsProcesses: keepsProcesses)
      entries[attempt.task.index] = nil
      progressPipes?.close(attempt.task.index)
    case .check(let number): reply(.checked(number))
    case .heartbeat(let number): renew(by: number)
    // For the socket to which programs report.
    case .forward, .close: break
    case .end: isEnding = true
    case .begin: throw MessageError(description: "a run begins twice")
    }
  }

  /// Renews the lease, by the answer to a heartbeat.
  mutating func renew(by number: Int) { if abandoned == nil { lease.renew(by: number) } }

  /// Ends the session without its runner: asks all attempts to end, kills those that have not after a while, and forgets those that
  /// cannot be killed.
  ///
  /// - Parameter now: The time, from any beginning.
  mutating func abandon(at now: Duration) {
    guard abandoned == nil, !hasEnded else { return }
    abandoned = (now, nil)
    // Nobody shows it any more.
    for index in entries.keys { progressPipes?.close(index) }
    for attempt in attempts {
      executor.signal(attempt, .terminate)
      // A stopped process cannot respond.
      executor.signal(attempt, .resume)
    }
    endAbandoned(at: now)
  }

  /// Goes on with the end of attempts that nobody follows.
  private mutating func endAbandoned(at now: Duration) {
    guard let (since, killed) = abandoned, !isEnding, !hasEnded else { return }
    if isAlive, now - (killed ?? now) <= Self.killTimeout {
      guard now - since > Self.grace else { return }
      for attempt in attempts { executor.signal(attempt, .kill) }
      abandoned = (since, killed ?? now)
      return
    }
    hasLeftSome = isAlive
    for attempt in attempts { executor.release(attempt, keepsProcesses: false) }
    entries = [:]
    isEnding = true
  }

  /// Ends the processes that belong to no attempt, once there are no attempts.
  private mutating func endStrays(at now: Duration) {
    guard isEnding, !hasEnded, entries.isEmpty else { return }
    if strayEnding == nil { strayEnding = StrayEnding(executor.strays(), executor, at: now) }
    if let strayEnding,
      !strayEnding.isOver(with: executor.strays(), executor, isUrgent: false, at: now)
    {
      return
    }
    isEnding = false
    hasEnded = true
    reply(.ended(strays: strayEnding?.names ?? []))
  }

  private func isUnderWay(_ attempt: Attempt) -> Bool {
    entries[attempt.task.index]?.attempt == attempt
  }

  private mutating func start(
    _ attempt: Attempt, _ command: WorkerCommand
  ) throws(MessageError) {
    guard entries[attempt.task.index] == nil else {
      throw MessageError(
        description: "task \(attempt.task.index) was started while an attempt at it is under way")
    }
    var request = AttemptRequest(
      arguments: command.arguments,
      variables: zip(command.names, command.values).compactMap { name, value in
        guard name == RunWork.Variable.progress else { return (name, value) }
        // Its socket is on the machine of the runner.
        return progressSocket.flatMap { ParentShare(value)?.moved(to: $0) }.map { (name, $0) }
      },
      directory: command.directory)
    request.gpus = command.gpus
    request.folders = command.folders
    if command.hasProgressPipe, let pipe = progressPipes?.open(for: attempt) {
      request.progressPipe = pipe
      request.variables.append((RunWork.Variable.zig, RunWork.Variable.zigDescriptor))
    }
    // Then only the attempt has it, so that its end is that of the attempt.
    defer { if let pipe = request.progressPipe { close(pipe) } }
    do throws(StartError) {
      try executor.start(attempt, request)
    } catch {
      return reply(.notStarted(attempt, reason: error.reason))
    }
    entries[attempt.task.index] = Entry(
      attempt: attempt, isWatched: executor.watchOutput(of: attempt))
  }

  /// Whether output may be read.
  var hasRoom: Bool { abandoned != nil || pending.count + unsent < Self.highWater }

  /// Sends output of a task that can be read.
  mutating func readOutput(of task: TaskID) {
    if hasRoom { read(task.index, reads: OutputReads.perTurn) }
  }

  /// Sends what programs have reported, if a token of the poller belongs to one of them.
  ///
  /// - Returns: Whether it does.
  mutating func readProgress(_ token: UInt64) -> Bool {
    guard progressPipes?.contains(token: token) == true else { return false }
    if hasRoom { progressPipes?.handle(token, &pending) }
    return true
  }

  /// Looks after all attempts: sends which have ended, and what is left of those.
  ///
  /// Call it after processes have ended, and every few milliseconds while ``isLingering``.
  ///
  /// - Parameter now: The time, from any beginning.
  mutating func turn(at now: Duration) {
    for (index, entry) in entries where !entry.isWatched && !entry.isOutputOver {
      entries[index]?.isWatched = executor.watchOutput(of: entry.attempt)
    }
    for (index, entry) in entries where entry.hasExited && !entry.left.isEmpty {
      if hasRoom { read(index, reads: OutputReads.perTurn) }
      look(at: index)
    }
    while let exit = executor.nextExit() {
      let index = exit.attempt.task.index
      guard isUnderWay(exit.attempt) else { continue }
      // All that it has written comes before its end.
      read(index, reads: OutputReads.atEnd)
      let left = self.left(of: exit.attempt)
      entries[index]?.hasExited = true
      entries[index]?.left = left
      if let doubt = doubt(about: exit.result), entries[index]?.isSignalled == false {
        entries[index]?.held = (exit, now + doubt)
      } else {
        reply(.exited(exit.attempt, exit.result, left: left, usage: exit.usage))
      }
    }
    for (index, entry) in entries {
      guard let (exit, until) = entry.held, until <= now || entry.isSignalled else { continue }
      entries[index]?.held = nil
      reply(.exited(entry.attempt, exit.result, left: entry.left, usage: exit.usage))
    }
    endAbandoned(at: now)
    endStrays(at: now)
    if !hasEnded, abandoned == nil, let number = lease.heartbeat(at: now) {
      reply(.heartbeat(number))
    }
  }

  /// How long it is not reported that an attempt has ended this way, nil if it is reported at once.
  ///
  /// A shell whose command was ended by a signal ends with 128 and the number of the signal, and a program such as make with any code.
  private func doubt(about result: Outcome) -> Duration? {
    guard case .failed(let failure) = result else { return nil }
    switch failure.cause {
    case .signalled(let number) where Self.ends(number): return Self.doubt
    case .exited(let code) where Self.ends(code - 128): return Self.doubt
    case .exited where isInJob: return Self.shortDoubt
    default: return nil
    }
  }

  /// Whether a signal is one that ends processes from outside.
  private static func ends(_ signal: Int) -> Bool {
    [SIGTERM, SIGKILL, SIGHUP, SIGINT].contains(Int32(truncatingIfNeeded: signal))
  }

  /// Reports what is left of an attempt, if that has changed.
  private mutating func look(at index: Int) {
    guard let entry = entries[index] else { return }
    let left = left(of: entry.attempt)
    guard left != entry.left else { return }
    if left.isEmpty { read(index, reads: OutputReads.atEnd) }
    entries[index]?.left = left
    if entry.held == nil { reply(.left(entry.attempt, left)) }
  }

  private func left(of attempt: Attempt) -> [String] {
    guard executor.hasLeftovers(attempt) else { return [] }
    let names = executor.leftovers(of: attempt)
    // It may end between the two questions; then the next look finds nothing.
    return names.isEmpty ? ["a process"] : names
  }

  /// Sends output of an attempt.
  private mutating func read(_ index: Int, reads: Int) {
    guard let entry = entries[index], !entry.isOutputOver else { return }
    var output: [UInt8] = []
    let isOver = unsafe executor.readOutput(of: entry.attempt, reads: reads) { bytes in
      unsafe output += bytes
    }
    var rest = output[...]
    while !rest.isEmpty {
      reply(.output(entry.attempt, Array(rest.prefix(Self.pieceSize))))
      rest = rest.dropFirst(Self.pieceSize)
    }
    if isOver {
      entries[index]?.isOutputOver = true
      reply(.outputEnded(entry.attempt))
    }
  }

  private mutating func reply(_ reply: WorkerReply) {
    // What is ended without its runner has not ended by itself, so the runner is told only that nothing is left.
    if abandoned != nil, !reply.isEnd { return }
    reply.write(to: &pending)
  }
}

extension WorkerReply {
  /// Whether it says that nothing of the run is left.
  fileprivate var isEnd: Bool {
    if case .ended = self { true } else { false }
  }
}
