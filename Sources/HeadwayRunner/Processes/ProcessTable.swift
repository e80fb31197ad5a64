internal import CSpawn
internal import Glibc
internal import HeadwayLaunch
internal import HeadwayRun

/// The attempts that are under way as processes: starts, reads, ends and reaps them.
///
/// It decides nothing: `LaunchCore` says what starts and what ends, the table says what came of it. Not
/// thread safe: it belongs to the run loop.
struct ProcessTable: ~Copyable {
  /// How long ending by force is repeated until a task is given up.
  private static let forcePatience = Duration.seconds(5)
  /// The least time between two rounds of force.
  static let forceInterval = Duration.milliseconds(20)
  /// The reads of one task's output until the others get their turn.
  private static let readsInTurn = 4
  /// The reads of the output of a task that has ended; more than a pipe holds, and not without end.
  private static let lastReads = 64

  /// How long a task runs before its output is listened to; a shorter one is read once, at its end.
  ///
  /// A task that fills its pipe sooner waits that long, once.
  private static let youth = Duration.milliseconds(20)

  /// What starts processes.
  private let spawner: Spawner
  /// What tells that output can be read; the token is the place of the task.
  private let poller: Poller
  /// The attempts, by place of the task.
  private var active: [Int: TaskProcess] = [:]
  /// The processes that were started and not reaped.
  private var leaders: [pid_t: TaskID] = [:]
  /// Every process group that an attempt has.
  private var groups: [pid_t: TaskID] = [:]
  /// The attempts whose output is not listened to yet, with the time from which on it is, in that order.
  private var young: [(id: TaskID, pid: pid_t, until: Duration)] = []
  /// The attempts whose own process has ended, but not what it left behind.
  private var lingering: Set<Int> = []
  /// The time of the leftovers that still write.
  private var patience = WritersPatience()
  /// When force was last used.
  private var lastForce = Duration.zero
  /// The attempts that are being ended by force.
  private var forced: Set<Int> = []
  /// The tasks whose left processes live on.
  private var detached: Set<TaskID> = []
  /// What lost its parent.
  private var orphans: Orphans
  /// The tasks whose log is not whole, with the error that broke it.
  private(set) var brokenLogs: [(id: TaskID, error: Int32)] = []

  /// Creates a table with no process.
  ///
  /// - Parameters:
  ///   - environment: The environment that every task gets.
  ///   - identity: What `HEADWAY_TASK` begins with in this run.
  ///   - poller: What tells that output can be read; the token is the place of the task.
  /// - Throws: `RunnerError.system` when the machine refuses what is needed.
  init(environment: EnvironmentBlock, identity: String, poller: Poller) throws(RunnerError) {
    spawner = try Spawner(environment: environment)
    self.poller = poller
    orphans = Orphans(identity: identity)
  }

  /// When `forceAgain(at:)` has something to do, nil while it has not.
  var nextForce: Duration? { forced.isEmpty ? nil : lastForce + Self.forceInterval }

  /// When `listen(at:)` has something to do, nil while it has not.
  var nextListening: Duration? { young.first?.until }

  /// When `reap()` has to be called although no process has ended, nil while it has not.
  var nextLook: Duration? { patience.next }
}

// MARK: - Starting and reading

extension ProcessTable {
  /// Starts an attempt.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - request: What is to be started; its output is set here.
  ///   - log: The task's log.
  ///   - isDetached: Whether what it leaves behind may live on.
  ///   - now: The time since the run began.
  /// - Returns: Nil, or why it could not be started.
  mutating func start(
    _ id: TaskID, _ request: Spawner.Request, log: consuming TaskLog, isDetached: Bool,
    at now: Duration
  ) -> StartError? {
    var log = log
    var request = request
    var readEnd: Int32 = -1
    var writeEnd: Int32 = -1
    if isDetached {
      // What outlives us must not write into a pipe that nobody reads.
      request.output = log.descriptor()
      if request.output < 0 { return StartError(logOf: request, code: log.failure) }
    } else {
      let error = unsafe hw_pipe(&readEnd, &writeEnd)
      if error != 0 { return StartError(request, stage: HW_STAGE_FORK, code: error) }
      request.output = writeEnd
    }
    defer { if writeEnd >= 0 { close(writeEnd) } }
    do {
      let pid = try spawner.start(request)
      if readEnd >= 0 { young.append((id, pid, now + Self.youth)) }
      active[id.index] = TaskProcess(
        id: id, pid: pid, output: readEnd, isDetached: isDetached, log: log)
      leaders[pid] = id
      groups[pid] = id
      if isDetached { detached.insert(id) }
      return nil
    } catch {
      if readEnd >= 0 { close(readEnd) }
      log.remark(error.reason)
      log.close()
      return error
    }
  }

  /// Listens to the output of tasks that have run for a while.
  ///
  /// - Parameter now: The time since the run began.
  mutating func listen(at now: Duration) {
    while let first = young.first, first.until <= now || active[first.id.index]?.pid != first.pid {
      young.removeFirst()
      guard let process = active[first.id.index], process.pid == first.pid else { continue }
      guard !poller.add(process.output, token: UInt64(first.id.index)) else { continue }
      // The machine has no room for it now; the next look may find some.
      young.append((first.id, first.pid, now + Self.youth))
    }
  }

  /// Reads what a task has written.
  mutating func readOutput(of id: TaskID) {
    active[id.index]?.drain(reads: Self.readsInTurn)
    // A task that closed its output would be readable for ever.
    if let process = active[id.index], process.isAtEnd { poller.remove(process.output) }
  }
}

// MARK: - Ending and reaping

extension ProcessTable {
  /// Asks an attempt to end.
  mutating func terminate(_ id: TaskID) {
    guard let process = active[id.index] else { return }
    let orphaned = orphansOf(id)
    orphans.claim(process.signal(SIGTERM, orphans: orphaned), for: id)
    // A stopped process cannot follow.
    process.signal(SIGCONT, orphans: orphaned)
    active[id.index]?.ending = .asked
    patience.forget(id.index)
  }

  /// Ends an attempt by force.
  mutating func kill(_ id: TaskID, at now: Duration) {
    guard let process = active[id.index] else { return }
    orphans.claim(process.signal(SIGKILL, orphans: orphansOf(id)), for: id)
    active[id.index]?.ending = .forced(since: now)
    patience.forget(id.index)
    forced.insert(id.index)
  }

  /// Stops every process of every attempt, or lets them go on.
  mutating func signalAll(_ number: Int32) {
    for process in active.values { process.signal(number, orphans: orphansOf(process.id)) }
  }

  /// Reaps what has ended.
  ///
  /// - Returns: The tasks of which something ended; ask `look(at:)` how they stand.
  mutating func reap() -> [TaskID] {
    var code: Int32 = 0
    var signal: Int32 = 0
    var changed: Set<Int> = lingering.union(forced)
    while true {
      let pid = unsafe hw_reap(&code, &signal)
      guard pid > 0 else { break }
      guard let id = leaders.removeValue(forKey: pid) else { continue }
      active[id.index]?.result =
        code == 0
        ? .succeeded
        : .failed(code > 0 ? .exited(code: Int(code)) : .signalled(number: Int(signal)))
      changed.insert(id.index)
    }
    return changed.sorted().map { TaskID($0) }
  }

  /// How an attempt stands.
  enum Standing {
    /// Its process runs.
    case running
    /// Its process has ended as told and left others behind, which nobody has asked to end.
    case left(Outcome)
    /// Its process has ended, and what it left behind is being ended.
    case ending
    /// It is over as told, and nothing is left.
    case over(Outcome)
  }

  /// Looks how an attempt stands; one that is over is forgotten.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - now: The time since the run began.
  /// - Returns: How it stands.
  mutating func look(at id: TaskID, at now: Duration) -> Standing {
    active[id.index]?.drain(reads: Self.lastReads)
    guard let process = active[id.index], let result = process.result else { return .running }
    let orphaned = orphansOf(id)
    let livesOn = process.isDetached && process.ending == .none
    if livesOn || (!process.hasGroup && orphaned.isEmpty) {
      forget(id)
      return .over(result)
    }
    lingering.insert(id.index)
    if process.ending != .none { return .ending }
    if !process.isAtEnd && patience.allows(id.index, at: now) { return .running }
    patience.forget(id.index)
    let names = leftBehind(process, orphaned).map { "\(processName($0)) (\($0))" }
    active[id.index]?.log.remark("left running, now ended: \(names.joined(separator: ", "))")
    return .left(result)
  }

  /// Repeats what ends attempts by force, and gives up those that do not end.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: The attempts given up: something of them cannot be ended.
  mutating func forceAgain(at now: Duration) -> [TaskID] {
    guard !forced.isEmpty, now - lastForce >= Self.forceInterval else { return [] }
    lastForce = now
    var givenUp: [TaskID] = []
    for place in forced.sorted() {
      guard let process = active[place], case .forced(let since) = process.ending else { continue }
      let orphaned = orphansOf(process.id)
      process.signal(SIGKILL, orphans: orphaned)
      guard now - since > Self.forcePatience else { continue }
      let names = leftBehind(process, orphaned).map { "\(processName($0)) (\($0))" }
      active[place]?.log.remark("could not be ended: \(names.joined(separator: ", "))")
      leaders[process.pid] = nil
      forget(process.id)
      givenUp.append(process.id)
    }
    return givenUp
  }

  /// The processes that live on although no task of the run owns them any more.
  ///
  /// Where a task of the run was detached, a process that names no task may be its daemon, and is none of
  /// them.
  ///
  /// - Returns: Their numbers; those of detached tasks are not among them.
  mutating func strays() -> [pid_t] {
    find().filter { orphan in
      switch orphan.owner {
      case .task(let id): !detached.contains(id)
      case .nobody: detached.isEmpty
      }
    }.map(\.pid)
  }

  /// Looks for orphans of all tasks.
  private mutating func find() -> [(pid: pid_t, owner: Orphans.Owner)] {
    orphans.find(besides: leaders) { groups[$0] }
  }

  /// The orphans of one task.
  private mutating func orphansOf(_ id: TaskID) -> [pid_t] {
    find().filter { $0.owner == .task(id) }.map(\.pid)
  }

  /// The processes of a task that are left.
  private func leftBehind(_ process: TaskProcess, _ orphaned: [pid_t]) -> [pid_t] {
    let inGroup = descendants(of: getpid()).filter { getpgid($0) == process.pid }
    return Set(inGroup + orphaned).sorted()
  }

  /// Closes what belongs to an attempt.
  private mutating func forget(_ id: TaskID) {
    guard var process = active.removeValue(forKey: id.index) else { return }
    process.drain(reads: Self.lastReads)
    // Nobody else has this end, so closing it also takes it out of the poller.
    if process.output >= 0 { close(process.output) }
    process.log.close()
    if process.log.failure != 0 { brokenLogs.append((id, process.log.failure)) }
    if !process.isDetached { groups[process.pid] = nil }
    orphans.release(id)
    lingering.remove(id.index)
    forced.remove(id.index)
    patience.forget(id.index)
  }
}
