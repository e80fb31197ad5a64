internal import CSpawn
internal import HeadwayLibc
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayText
internal import HeadwayTime

/// The connections of a run to its workers.
///
/// Each of its places has a connection, which goes through these stages:
///
/// ```
///   waiting ─▶ connecting ─▶ beginning ─▶ ready ─▶ unreachable ─▶ waiting, to connect again
///      ▲            │            │          │                        or over
///      └────────────┴────────────┘          └─▶ over: the run has ended there
/// ```
///
/// Machines have to be ready before the run begins; workers in the jobs of a cluster join it when their job starts. Not
/// thread safe: it belongs to the run loop, whose thread has to start the programs.
final class WorkerConnections {
  enum Stage {
    /// Nothing is under way until ``Connection/moment``.
    case waiting
    /// The program was started, or the job is being submitted, waits or has connected, and its worker has not said anything.
    case connecting
    /// The worker was told about the run.
    case beginning
    /// It takes part in the run.
    case ready
    /// The connection has ended, and its attempts may be alive.
    case unreachable
    /// It is not used any more.
    case over
  }

  struct Connection {
    let place: WorkerPlace
    /// What the task needs for which its job was submitted, nil if its worker carries out one task after the other.
    var needs: Resources?
    var stage = Stage.waiting
    /// When the stage ends by itself, nil if it does not.
    var moment: Duration? = .zero
    var link: WorkerLink?
    /// The end of what came from standard error.
    var errors: [UInt8] = []
    /// What came before the greeting.
    var noise: [UInt8] = []
    /// What has come since, until the run begins.
    var stream = MessageStream()
    /// The number of its job, if it was submitted with `sbatch`.
    var job: Int?
    /// What its machine says that it has.
    var has = Resources()
    /// The name of its node in a cluster, nil outside of one.
    var host: String?
    /// The number of its worker in the executor, nil before it is ready.
    var worker: Int?
    /// The number of a worker that cannot be reached, and whose attempts the next worker there ends.
    var former: Int?
    /// Whether its program was started before.
    var wasOpened = false
    /// Whether its machine got this program.
    var wasCopied = false
    /// Whether its worker has said that nothing is left there, so that its program ends by itself.
    var hasSaidEnd = false
    /// How often in a row it could not be used.
    var failures = 0
    /// Whether the poller waits for room.
    var isWaitingForRoom = false
  }

  /// The most bytes that a login shell may print before the worker begins.
  static let mostNoise = 1 << 16
  /// The token of the first connection in a poller.
  static let firstToken = UInt64.max - 1_000_000
  /// The token of its standard error.
  static let firstErrorToken = firstToken + 500_000
  /// The token of the end of its program.
  static let firstExitToken = firstToken + 700_000
  /// The most bytes of standard error that are kept.
  static let mostErrors = 4_096
  /// The delay before the first attempt to connect again; it doubles with each one that fails.
  private static let firstDelay = Duration.seconds(2)
  private static let mostDelay = Duration.seconds(60)
  /// How often in a row a place may fail before it is given up, after about six minutes.
  private static let mostFailures = 10
  /// How long a worker that has connected over TCP may take to greet.
  static let greetingTimeout = Duration.seconds(60)
  /// How long it may take to copy this program to a machine.
  static let copyTimeout = Duration.seconds(600)
  /// How long programs have to end after the run, before they are killed.
  static let endTimeout = Duration.seconds(5)
  /// The lowest of the tokens of jobs whose workers connect over TCP.
  static let firstSubmissionToken = firstToken + 100_000
  /// How often it is looked whether the worker of a job has said its last words, once it is not connected any more.
  private static let lastWordsInterval = Duration.seconds(1)
  /// The token of the answer about the queue of the cluster.
  static let queueToken = firstToken - 1
  /// The highest token of what programs elsewhere report.
  private static let lastReportToken = firstToken - 2
  /// The lowest token of programs that copy files.
  private static let firstCopyToken = lastReportToken - 200_000
  /// The most warnings about connections.
  private static let mostWarnings = 20

  var connections: [Connection] = []
  /// The links whose place is used no more or again, and whose process has not ended.
  var retired: [WorkerLink] = []
  /// What was wrong with connections, a line each.
  var warnings: [String] = []
  /// The executor of the run.
  let executor: WorkerExecutor
  let setup: WorkerSetup
  let environment: EnvironmentBlock
  let spawner: Spawner
  var poller: Poller
  var queue: SlurmQueue
  /// The cluster, nil if none takes part.
  let cluster: SlurmJobs?
  /// The jobs for single tasks, nil if there are none.
  var taskJobs: TaskJobs?
  /// The jobs whose workers connect over TCP, nil if there are none.
  var submitted: SubmittedJobs?
  /// What programs on other machines report.
  var reports = ReportForwarder(lastToken: lastReportToken)
  /// The files that are copied to machines with another file system.
  var copies: FileCopies
  /// Which workers wait in the queue of the cluster, nil if none do or nothing is known.
  var waiting: RunEvent.WorkersWaiting?

  var hasEnded = false

  /// The number of attempts that may run at once when all workers take part.
  private(set) var places = 0

  /// Connects to places, and waits until each that does not queue is prepared for the run.
  ///
  /// - Parameters:
  ///   - places: The places.
  ///   - cluster: The cluster whose jobs take part, nil for none.
  ///   - submitted: Where the workers of its jobs connect over TCP, nil if they do not.
  ///   - setup: What their workers have to know.
  ///   - run: The name of the run.
  ///   - environment: The environment of this program, for the programs that connect.
  /// - Throws: `RunnerError.worker` if one of them cannot take part.
  init(
    _ places: [WorkerPlace], cluster: SlurmJobs?, submitted: SubmittedJobs? = nil,
    _ setup: WorkerSetup, run: String,
    environment: EnvironmentBlock
  ) throws(RunnerError) {
    hw_block_signals()
    self.setup = setup
    self.environment = environment
    spawner = try Spawner(environment: environment)
    executor = WorkerExecutor(patience: setup.patience)
    self.cluster = cluster
    self.submitted = submitted
    taskJobs = (cluster?.dedicatedMachines).map { TaskJobs(most: $0.most) }
    executor.dedicatedMachines = cluster?.dedicatedMachines
    queue = SlurmQueue(run: run)
    copies = FileCopies(firstToken: Self.firstCopyToken, patience: setup.patience)
    poller = try Poller.opened()
    guard submitted?.watch(in: poller) ?? true else {
      throw .system("cannot wait for workers", errno)
    }
    connections = (places + (cluster?.workers ?? [])).map { Connection(place: $0) }
    for index in connections.indices {
      open(index)
      if connections[index].stage == .waiting { throw failure(of: index) }
    }
    submitJobs()
    while let index = connections.firstIndex(where: {
      $0.place.timeout != nil && $0.stage != .ready
    }) {
      if connections[index].stage == .waiting { throw failure(of: index) }
      let wait = nextMoment.map { max($0 - MonotonicTime.continuous, .zero) }
      for event in poller.wait(for: wait) { _ = receive(event.token) }
      advance()
      // Those that are ready have leases.
      send()
    }
    let places = connections.reduce(taskJobs?.most ?? 0) { $0 + ($1.place.places ?? $1.has.cpus) }
    // Of what many machines claim, as many tasks run as a person may ask for.
    self.places = min(places, RunLimits.concurrency)
    updateExpectation()
    _ = askQueue(at: MonotonicTime.continuous)
  }

  // If something else fails before the run.
  deinit { end() }

  /// What attempts may take of a place: what the user says, or else its machine.
  func resources(of index: Int) -> Resources {
    if let cluster, let needs = connections[index].needs {
      return cluster.has(forTaskThatNeeds: needs)
    }
    let (place, has) = (connections[index].place, connections[index].has)
    return Resources(
      cpus: place.places ?? has.cpus, memory: place.offer?.memory ?? has.memory,
      gpus: place.offer?.gpus ?? has.gpus, labels: place.offer?.labels ?? [])
  }

  /// What the machines of the run have that are for all tasks.
  var sharedMachines: [Resources] { machines.map(\.has).dropLast(taskJobs == nil ? 0 : 1) }

  /// What the machines of the run have, with their names; in a queue, what they say themselves may be anything.
  ///
  /// The jobs for single tasks are one entry, the last one.
  var machines: [(name: String, has: Resources)] {
    let own = (cluster?.dedicatedMachines).map { [("a Slurm job", $0.largest)] }
    return connections.indices.filter { !connections[$0].place.isForServices }.map { index in
      let place = connections[index].place
      var has = resources(of: index)
      if place.timeout == nil {
        has.memory = place.offer?.memory ?? .max
        has.gpus = place.offer?.gpus ?? .max
      }
      return (place.name, has)
    } + (own ?? [])
  }

  /// What to say about workers that may wait in a queue, nil if there are none.
  var queueLine: String? {
    if let taskJobs {
      return "each task gets a Slurm job of its own, at most \(taskJobs.most) at once"
    }
    let jobs = connections.filter { $0.place.timeout == nil }
    guard let first = jobs.first, let last = jobs.last else { return nil }
    let names = jobs.count > 1 ? "\(first.place.host) to \(last.place.host)" : first.place.host
    return
      "submitted \(counted(jobs.count, "Slurm job")), \(names)"
  }

  /// Why a place cannot be used, before the run.
  private func failure(of index: Int) -> RunnerError {
    .worker(connections[index].place.name, lastWords(index))
  }

  /// Lets the poller of the run wait for the workers.
  ///
  /// - Returns: Whether there was room.
  func begin(in poller: Poller) -> Bool {
    for connection in connections {
      guard let link = connection.link else { continue }
      if link.socket >= 0 { self.poller.remove(link.socket) }
      if link.errors >= 0 { self.poller.remove(link.errors) }
      if link.exit >= 0 { self.poller.remove(link.exit) }
    }
    submitted?.unwatch(in: self.poller)
    self.poller = poller
    return (submitted?.watch(in: poller) ?? true) && connections.indices.allSatisfy { watch($0) }
  }

  /// Lets the poller wait for what a connection brings.
  func watch(_ index: Int) -> Bool {
    connections[index].link?.watchExit()
    guard let link = connections[index].link else { return true }
    let number = UInt64(index)
    connections[index].isWaitingForRoom = !link.pending.isEmpty
    return
      (link.socket < 0
      || poller.add(
        link.socket, token: Self.firstToken + number,
        interest: link.pending.isEmpty ? .read : [.read, .write]))
      && (link.errors < 0 || poller.add(link.errors, token: Self.firstErrorToken + number))
      && (link.exit < 0 || poller.add(link.exit, token: Self.firstExitToken + number))
  }

  /// Whether a token of the poller is that of a connection.
  func isToken(_ token: UInt64) -> Bool {
    let count = UInt64(WorkerHost.mostPlaces)
    return token == Self.queueToken || reports.contains(token: token)
      || submitted?.contains(token: token) ?? false || copies.contains(token: token)
      || (Self.firstToken..<Self.firstToken + count) ~= token
      || (Self.firstErrorToken..<Self.firstErrorToken + count) ~= token
      || (Self.firstExitToken..<Self.firstExitToken + count) ~= token
  }

  /// When ``advance()`` has to be called at the latest, nil if it need not be.
  var nextMoment: Duration? {
    earliest(
      earliest(
        earliest(executor.nextLoss, queue.moment), earliest(taskJobs?.moment, submitted?.moment)),
      connections.lazy.compactMap(\.moment).min())
  }

  /// Handles what is due: leases that have ended, workers that do not answer, and connections to try again.
  ///
  /// - Returns: What the run loop has to know of it.
  @discardableResult
  func advance() -> [HostEvent] {
    let now = MonotonicTime.continuous
    var events: [HostEvent] = []
    for worker in executor.overdue(at: now) {
      executor.lose(worker)
      events.append(.exits)
      if let index = connections.firstIndex(where: { $0.former == worker }) {
        connections[index].former = nil
      }
      guard let index = connections.firstIndex(where: { $0.worker == worker }) else { continue }
      if connections[index].stage == .ready { warn(index, "does not answer") }
      retry(index)
    }
    for index in connections.indices {
      guard let moment = connections[index].moment, moment <= now else { continue }
      switch connections[index].stage {
      case .waiting: open(index)
      case .connecting, .beginning:
        connections[index].errors = Array("it does not answer".utf8)
        fail(index)
      case .unreachable where connections[index].job != nil:
        connections[index].moment = now + Self.lastWordsInterval
        if readErrors(index) { events.append(.exits) }
      case .unreachable:
        // Its last words did not come, so a new worker there looks.
        connections[index].former = connections[index].worker
        connections[index].worker = nil
        retire(index)
        open(index)
      case .ready, .over: connections[index].moment = nil
      }
    }
    reap()
    updateTaskJobs(at: now)
    submitJobs()
    if askQueue(at: now) { events.append(.exits) }
    if updateExpectation() { events.append(.exits) }
    return events
  }

  /// Starts to copy what the executor asks for, and tells it what was copied.
  private func copyFiles() {
    for attempt in executor.takeWithdrawals() { copies.withdraw(attempt) }
    for (worker, copy) in executor.takeCopies() {
      guard let index = connections.firstIndex(where: { $0.worker == worker }) else { continue }
      copies.add(copy, place: index)
    }
    for result in copies.advance(spawner, in: poller) { executor.copied(result) }
  }

  /// Notes whether workers may still come.
  ///
  /// - Returns: Whether that has changed.
  @discardableResult
  func updateExpectation() -> Bool {
    let expects =
      !executor.isEnding
      && connections.contains {
        $0.needs == nil && $0.stage != .ready && $0.stage != .over
      }
    defer { executor.expectsWorkers = expects }
    return expects != executor.expectsWorkers
  }

  // MARK: - Stages

  /// Starts the program of a place.
  func open(_ index: Int) {
    guard !executor.isEnding else {
      connections[index].stage = .over
      connections[index].moment = nil
      return
    }
    let place = connections[index].place
    connections[index].errors = []
    connections[index].noise = []
    connections[index].stream = MessageStream()
    if let options = place.submission {
      connections[index].job = submitted?.add(options)
      connections[index].stage = .connecting
      connections[index].moment = nil
      return
    }
    do throws(StartError) {
      connections[index].link = try WorkerLink(
        connections[index].wasOpened ? place.argumentsAgain ?? place.arguments : place.arguments,
        spawner)
    } catch {
      connections[index].errors = Array(error.reason.utf8)
      return fail(index)
    }
    connections[index].wasOpened = true
    connections[index].wasCopied = false
    connections[index].stage = .connecting
    connections[index].moment = place.timeout.map { MonotonicTime.continuous + $0 }
    if !watch(index) {
      connections[index].errors = Array("cannot wait for it: \(errorDescription(errno))".utf8)
      fail(index)
    }
  }

  /// Closes a connection, whose program is asked to end unless it is about to.
  func retire(_ index: Int, endsByItself: Bool = false) {
    if let job = connections[index].job.take() { submitted?.remove(job, isOver: endsByItself) }
    guard var link = connections[index].link.take() else { return }
    if link.socket >= 0 { poller.remove(link.socket) }
    if link.errors >= 0 { poller.remove(link.errors) }
    if link.exit >= 0 { poller.remove(link.exit) }
    link.closeStreams()
    if !endsByItself { link.end(SIGTERM) }
    if !link.reap() { retired.append(link) }
  }

  /// Notes that a place could not be used.
  func fail(_ index: Int) {
    if connections[index].needs != nil { return failJob(index) }
    connections[index].failures += 1
    if connections[index].failures == 1 { warn(index, "cannot be used: \(lastWords(index))") }
    retire(index)
    let failures = connections[index].failures
    guard failures < Self.mostFailures, !executor.isEnding else {
      if !executor.isEnding { warn(index, "was given up after \(failures) attempts to connect") }
      connections[index].stage = .over
      connections[index].moment = nil
      return
    }
    let delay = min(Self.firstDelay * (1 << min(failures - 1, 10)), Self.mostDelay)
    connections[index].stage = .waiting
    connections[index].moment = MonotonicTime.continuous + delay
  }

  /// Notes that a job for a single task could not be used; if the task still waits for one, another job is submitted.
  private func failJob(_ index: Int) {
    let wasGivenUp = taskJobs?.isGivenUp
    if taskJobs?.noteFailure(at: MonotonicTime.continuous) == true {
      warn(index, "cannot be used: \(lastWords(index))")
    }
    if taskJobs?.isGivenUp != wasGivenUp {
      executor.dedicatedMachines = nil
      warn(index, "is the last one that is submitted, because none could be used for minutes")
    }
    retire(index)
    connections[index].stage = .over
    connections[index].moment = nil
  }

  /// Connects to a place again whose worker has ended.
  func retry(_ index: Int) {
    let isJobOfTask = connections[index].needs != nil
    // A job that was cancelled would not look like one that has done its work.
    retire(index, endsByItself: isJobOfTask && connections[index].hasSaidEnd)
    if let worker = connections[index].worker { reports.closeAll(of: worker, in: poller) }
    connections[index].worker = nil
    let isOver = executor.isEnding || isJobOfTask
    connections[index].stage = isOver ? .over : .waiting
    // A program of this machine need not be waited for, and services are not handed back.
    let delay = connections[index].place.isForServices ? .zero : Self.firstDelay
    connections[index].moment = isOver ? nil : MonotonicTime.continuous + delay
  }

  /// Handles the end of a connection.
  ///
  /// - Parameters:
  ///   - index: The connection.
  ///   - problem: What was wrong with the messages of the worker, nil if it ended by itself.
  func lose(_ index: Int, _ problem: String? = nil) {
    guard let worker = connections[index].worker, connections[index].stage == .ready else {
      return fail(index)
    }
    if let socket = connections[index].link?.socket { poller.remove(socket) }
    connections[index].link?.disconnect()
    if executor.hasEnded(worker) { return retry(index) }
    connections[index].stage = .unreachable
    if connections[index].place.isOneMachine, !executor.isEnding {
      connections[index].moment = MonotonicTime.continuous + Self.firstDelay
    }
    if connections[index].job != nil { connections[index].moment = MonotonicTime.continuous }
    executor.disconnect(worker)
    reports.closeAll(of: worker, in: poller)
    readErrors(index)
    warn(
      index,
      problem.map { "was given up, because it says what no worker says: \($0)" }
        ?? "is not connected any more (\(lastWords(index)))")
    // Nothing was under way, or its last words say that nothing is left.
    if connections[index].stage == .unreachable, executor.hasEnded(worker) { retry(index) }
  }

  /// Adds a warning about a place.
  func warn(_ index: Int, _ words: String) {
    guard warnings.count < Self.mostWarnings else { return }
    warnings.append("\(connections[index].place.name) \(words)")
  }

  // MARK: - What arrives

  /// Sends what waits for the workers, as much as there is room for, and copies files.
  func send() {
    copyFiles()
    for index in connections.indices {
      guard let worker = connections[index].worker, connections[index].stage == .ready else {
        continue
      }
      let bytes = executor.takePending(for: worker)
      if !bytes.isEmpty { send(bytes, to: index) }
    }
  }

  func send(_ bytes: [UInt8], to index: Int) {
    connections[index].link?.send(bytes)
    guard let link = connections[index].link, link.socket >= 0,
      link.pending.isEmpty == connections[index].isWaitingForRoom
    else { return }
    connections[index].isWaitingForRoom.toggle()
    _ = poller.change(
      link.socket, token: Self.firstToken + UInt64(index),
      interest: connections[index].isWaitingForRoom ? [.read, .write] : .read)
  }
}
