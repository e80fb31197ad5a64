internal import HeadwayLibc
internal import HeadwayRelay
internal import HeadwayRun

/// Carries out attempts on workers: an executor whose calls are requests, and whose answers are what has arrived.
///
/// The bytes for each worker are collected in its `pending`; whoever owns the connections sends them, and passes what arrives
/// to ``receive(_:from:)``. So an answer is never older than the last message, and may be older than the last request. Not
/// thread safe: it belongs to the run loop.
final class WorkerExecutor: Executor {
  /// A worker.
  struct Worker {
    /// The name of its machine.
    let host: String
    /// What attempts may take of it; one CPU is one place.
    let has: Resources
    var places: Int { has.cpus }
    /// What the one task that it is for needs, nil if it carries out one task after the other.
    let own: Resources?
    /// The attempt of that task, nil before it starts.
    var attempt: Attempt?
    /// Whether it was asked to end.
    var isAsked = false
    /// Whether attempts may start there.
    var isOpen: Bool { isReachable && !hasEnded && !isAsked }
    /// Whether its only attempt is over.
    var isUsed: Bool { attempt != nil && busy == 0 }
    /// How many more attempts may start there.
    var free: Int { isOpen ? places - busy : 0 }
    var busy = 0
    /// The number of the latest check that was sent, and of the latest one that was answered.
    var checks = (sent: 0, answered: 0)
    var stream = MessageStream()
    /// Whether it was asked something that it has not answered, to a check or to end.
    var owesAnswer: Bool { checks.answered < checks.sent || wasAskedToEnd }
    /// Whether it was asked to end, before the run does or with it.
    var wasAskedToEnd = false
    /// Since when it has been known to owe an answer, nil if it does not.
    var owesSince: Duration?
    /// When the latest of its heartbeats was answered, by the clock of this machine.
    var answered: Duration
    /// Whether there is a connection.
    var isReachable = true
    /// Whether nothing of the run is left there.
    var hasEnded = false
    /// Whether the files of tasks are copied there.
    var copiesFiles = false
    /// The bytes that were not sent.
    var pending: [UInt8] = []
  }

  /// What is known of an attempt.
  struct Entry {
    let attempt: Attempt
    let worker: Int
    /// What it has written and nobody has taken.
    var output: [UInt8] = []
    var isOutputOver = false
    /// Whether its own process has ended.
    var hasExited = false
    /// The processes that are left, in words; of an attempt that runs, itself.
    var left = ["its command"]
    /// What its own process has used, nil if that is unknown or it runs.
    var usage: ResourceUsage?
    /// The files to bring back once it has succeeded, nil for none.
    var files: TaskFiles?
    /// What waits for files that are being copied, nil if nothing does.
    var waiting: Waiting?
    /// Whether it was suspended while it waited.
    var isSuspended = false
    /// The check that follows the first signal to kill it, nil before.
    var killCheck: Int?
    /// Where what its programs report in Zig's protocol is written to, nil if they do not.
    var progress: ProgressRelay?
  }

  /// What follows once files have been copied.
  enum Waiting {
    /// The command is started.
    case start(WorkerCommand)
    /// The result is reported.
    case exit(Outcome)
    /// The result, of an attempt whose command has begun or not, is reported once the worker has answered a check: if it was lost
    /// meanwhile, so were the files.
    case answer(check: Int, Outcome, hasBegun: Bool)
  }

  /// The variables of attempts that are of use on this machine only.
  private static let local: Set = [RunWork.Variable.zig, NotificationSocket.variable]

  var workers: [Worker] = []
  /// The number of the worker on the machine of the run, which carries out its services; nil if there is none.
  var serviceWorker: Int?
  /// How long a worker may hear nothing.
  let patience: Duration
  /// Whether workers are expected, so that tasks wait for them when no other is left.
  var expectsWorkers = false
  /// The workers that are started for single tasks, nil if none are.
  var dedicatedMachines: DedicatedMachines?
  /// What the tasks need for which workers may be started, with their numbers, the first to start first; nil if nothing is to change.
  private(set) var wanted: [(needs: Resources, count: Int)]? = []
  /// Which workers have not started, nil if none wait; its time is that of the continuous clock.
  var waiting: RunEvent.WorkersWaiting?
  /// Whether ``end()`` was called.
  private(set) var isEnding = false
  /// The attempts, by the task's index.
  var entries: [Int: Entry] = [:]
  /// Where programs of the run report their progress, nil before one may.
  private(set) var progress: ParentShare?
  /// What has come from programs that report, in order, with the numbers of their workers.
  private var reports: [(worker: Int, WorkerReply)] = []
  /// The files to be copied, in order, with the numbers of their workers.
  var copies: [(worker: Int, FileCopies.Copy)] = []
  /// The attempts whose files need not be copied any more.
  var withdrawals: [Attempt] = []
  /// The ends that were not taken, in the order in which they came.
  var exits: [AttemptExit] = []
  private(set) var strayNames: [String] = []

  /// Creates an executor without workers.
  ///
  /// - Parameter patience: How long a worker may hear nothing.
  init(patience: Duration = WorkerLease.usualPatience) { self.patience = patience }

  /// The places of the workers, and for those that cannot be reached, the attempts that may be alive there.
  var places: Int? {
    // Of workers for single tasks there can always be another one.
    workers.indices.reduce(dedicatedMachines?.most ?? 0) { sum, index in
      let worker = workers[index]
      if worker.hasEnded || worker.own != nil || index == serviceWorker { return sum }
      return sum + (worker.isReachable ? worker.places : worker.busy)
    }
  }

  func expect(_ wanted: [(needs: Resources, count: Int)]?) { self.wanted = wanted }

  var machines: [(has: Resources, own: Resources?, isOpen: Bool)] {
    workers.map { ($0.has, $0.own, $0.isOpen && !$0.isUsed) }
  }

  /// Adds a worker.
  ///
  /// - Parameters:
  ///   - host: The name of its machine.
  ///   - has: What attempts may take of it; one CPU is one place.
  ///   - now: The time, after the run was begun there.
  ///   - copiesFiles: Whether the files of tasks are copied there.
  ///   - own: What the one task that it is for needs, nil if it carries out one task after the other.
  ///   - stream: What has come from it and was not read.
  /// - Returns: Its number.
  func addWorker(
    on host: String, _ has: Resources, at now: Duration, copiesFiles: Bool = false,
    own: Resources? = nil, stream: MessageStream = MessageStream()
  ) -> Int {
    workers.append(
      Worker(
        host: host, has: has, own: own, stream: stream, answered: now,
        copiesFiles: copiesFiles))
    if isEnding { askToEnd(workers.count - 1) }
    return workers.count - 1
  }

  /// Whether a worker has no attempt and may get one.
  func isIdle(_ worker: Int) -> Bool { workers[worker].isOpen && workers[worker].attempt == nil }

  /// Whether a worker was asked to end before the run does.
  func wasAsked(_ worker: Int) -> Bool { workers[worker].isAsked }

  /// Asks a worker to end.
  func endWorker(_ worker: Int) {
    guard workers[worker].isOpen else { return }
    workers[worker].isAsked = true
    askToEnd(worker)
  }

  /// Takes the bytes for a worker; one whose only attempt is over is asked to end.
  func takePending(for worker: Int) -> [UInt8] {
    if workers[worker].isUsed { endWorker(worker) }
    defer { workers[worker].pending = [] }
    return workers[worker].pending
  }

  /// Handles what has arrived from a worker.
  ///
  /// - Returns: The tasks with new output, and whether attempts may have ended or left less behind.
  /// - Throws: `MessageError` if the worker says what it must not say.
  func receive(
    _ bytes: ArraySlice<UInt8>, from worker: Int, at now: Duration
  ) throws(MessageError) -> (outputs: [TaskID], hasExits: Bool) {
    workers[worker].stream.append(bytes)
    var outputs: [TaskID] = []
    var hasExits = false
    while let message = try workers[worker].stream.next() {
      let reply = try WorkerReply(message)
      if case .checked(let number) = reply, number > workers[worker].checks.answered {
        workers[worker].checks.answered = min(number, workers[worker].checks.sent)
        workers[worker].owesSince = nil
        if takeAnswers(of: worker) { hasExits = true }
      }
      if case .heartbeat(let number) = reply, !isSilent(worker, at: now) {
        workers[worker].answered = now
        send(.heartbeat(number), to: worker)
      }
      if case .ended(let strays) = reply {
        strayNames += strays
        // If that was not asked for, the worker was ended from outside the run.
        hasExits = hasExits || !isEnding && !workers[worker].isAsked
        lose(worker)
        continue
      }
      if reply.isReport { reports.append((worker, reply)) }
      guard let attempt = reply.attempt else { continue }
      let index = attempt.task.index
      // About an attempt that was released, whose last messages were on their way.
      guard let entry = entries[index], entry.attempt == attempt else { continue }
      guard entry.worker == worker else {
        throw MessageError(
          description: "it speaks of task \(index), which another worker carries out")
      }
      switch reply {
      case .progress(_, let bytes):
        if entry.progress?.write(bytes) == false { entries[index]?.progress = nil }
      case .output(_, let bytes):
        entries[index]?.output += bytes
        outputs.append(attempt.task)
      case .outputEnded:
        entries[index]?.isOutputOver = true
        outputs.append(attempt.task)
      case .notStarted(_, let reason):
        end(attempt, .failed(.notStarted(reason: reason)), left: [])
        hasExits = true
      case .exited(_, let outcome, let left, let usage):
        entries[index]?.usage = usage
        if outcome == .succeeded, let files = entry.files, !files.outputs.isEmpty {
          entries[index]?.left = left
          entries[index]?.waiting = .exit(outcome)
          copies.append((worker, .init(attempt: attempt, isBack: true, patterns: files.outputs)))
          continue
        }
        end(attempt, outcome, left: left)
        hasExits = true
      case .left(_, let left):
        entries[index]?.left = left
        hasExits = true
      case .checked, .heartbeat, .ended, .begun, .refused, .connected, .forwarded, .disconnected:
        break
      }
    }
    return (outputs, hasExits)
  }

  /// Asks a worker for an answer.
  ///
  /// - Returns: The number of the answer.
  func sendCheck(to worker: Int) -> Int {
    workers[worker].checks.sent += 1
    let check = workers[worker].checks.sent
    send(.check(check), to: worker)
    return check
  }

  /// Reports the results that have waited for an answer of a worker.
  ///
  /// - Returns: Whether there were any.
  private func takeAnswers(of worker: Int) -> Bool {
    var hasExits = false
    for entry in entries.values where entry.worker == worker {
      guard case .answer(let check, let outcome, let hasBegun) = entry.waiting,
        check <= workers[worker].checks.answered
      else { continue }
      finish(entry, outcome, hasBegun: hasBegun)
      hasExits = true
    }
    return hasExits
  }

  /// Ends an attempt that waits for files; one whose command has not begun leaves nothing and writes nothing.
  func finish(_ entry: Entry, _ outcome: Outcome, hasBegun: Bool) {
    end(entry.attempt, outcome, left: hasBegun ? entry.left : [])
    if !hasBegun { entries[entry.attempt.task.index]?.isOutputOver = true }
  }

  /// Takes what has come from programs that report their progress.
  func takeReports() -> [(worker: Int, WorkerReply)] {
    if reports.isEmpty { return [] }
    defer { reports = [] }
    return reports
  }

  func end(_ attempt: Attempt, _ outcome: Outcome, left: [String]) {
    if left.isEmpty, case .failed(let failure) = outcome, failure.isStartFailure {
      entries[attempt.task.index]?.isOutputOver = true
    }
    entries[attempt.task.index]?.left = left
    entries[attempt.task.index]?.hasExited = true
    withdraw(attempt)
    exits.append(
      AttemptExit(
        attempt: attempt, result: outcome, usage: entries[attempt.task.index]?.usage))
  }

  func start(_ attempt: Attempt, _ request: AttemptRequest) throws(StartError) {
    guard request.outputFile == nil else {
      throw StartError(reason: "a task that leaves processes behind runs only on this machine")
    }
    // Another machine than the one that was chosen may not have what the task needs.
    let wanted = request.isService ? serviceWorker : request.machine ?? freest
    guard let worker = wanted, canStart(attempt, on: worker) else {
      throw StartError(
        reason: "no machine is left to run it", isLoss: expectsWorkers || dedicatedMachines != nil)
    }
    workers[worker].busy += 1
    if workers[worker].own != nil { workers[worker].attempt = attempt }
    entries[attempt.task.index] = Entry(attempt: attempt, worker: worker)
    entries[attempt.task.index]?.progress = request.progressPipe.flatMap { ProgressRelay(to: $0) }
    if progress == nil {
      progress = request.variables.first { $0.name == RunWork.Variable.progress }
        .flatMap { ParentShare($0.value) }
    }
    // What names descriptors and sockets of this machine means nothing there.
    let variables = request.variables.filter {
      !Self.local.contains($0.name)
        || worker == serviceWorker && $0.name == NotificationSocket.variable
    }
    var command = WorkerCommand(
      arguments: request.arguments, names: variables.map(\.name), values: variables.map(\.value),
      directory: request.directory, gpus: request.gpus)
    command.hasProgressPipe = entries[attempt.task.index]?.progress != nil
    if workers[worker].copiesFiles, let files = request.files {
      command.folders = files.outputFolders
      if let directory = request.directory, !directory.hasPrefix("/") {
        command.folders.append(directory)
      }
      entries[attempt.task.index]?.files = files
      if !files.inputs.isEmpty {
        entries[attempt.task.index]?.waiting = .start(command)
        copies.append((worker, .init(attempt: attempt, isBack: false, patterns: files.inputs)))
        return
      }
    }
    send(.start(attempt, command), to: worker)
  }

  func host(of attempt: Attempt) -> String? {
    entry(of: attempt).flatMap { $0.worker == serviceWorker ? nil : workers[$0.worker].host }
  }

  func canStart(on machine: Int?) -> Bool {
    machine.map { workers[$0].isOpen && !workers[$0].isUsed } ?? workers.contains { $0.free > 0 }
  }

  /// Whether an attempt can begin, or go on after its condition, on a machine.
  private func canStart(_ attempt: Attempt, on machine: Int) -> Bool {
    workers[machine].isOpen && (workers[machine].attempt ?? attempt) == attempt
  }

  /// The worker with the most free places, the first one of several; nil if there is no place.
  private var freest: Int? {
    var best: Int?
    for index in workers.indices where workers[index].free > (best.map { workers[$0].free } ?? 0) {
      best = index
    }
    return best
  }

  func signal(_ attempt: Attempt, _ signal: AttemptSignal) {
    guard let entry = entry(of: attempt) else { return }
    if let waiting = entry.waiting { return self.signal(entry, waiting, signal) }
    send(.signal(attempt, signal), to: entry.worker)
    guard signal == .kill, entry.killCheck == nil else { return }
    entries[attempt.task.index]?.killCheck = sendCheck(to: entry.worker)
  }

  /// Whether there are ends that were not taken.
  var hasExits: Bool { !exits.isEmpty }

  func nextExit() -> AttemptExit? {
    while !exits.isEmpty {
      let exit = exits.removeFirst()
      if entry(of: exit.attempt) != nil { return exit }
    }
    return nil
  }

  func watchOutput(of attempt: Attempt) -> Bool { true }

  func readOutput(
    of attempt: Attempt, reads: Int, _ take: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    guard let entry = entry(of: attempt) else { return true }
    if !entry.output.isEmpty {
      entries[attempt.task.index]?.output = []
      unsafe entry.output.withUnsafeBytes { unsafe take($0) }
    }
    return entry.isOutputOver
  }

  func hasLeftovers(_ attempt: Attempt) -> Bool { entry(of: attempt)?.left.isEmpty == false }

  func leftovers(of attempt: Attempt) -> [String] { entry(of: attempt)?.left ?? [] }

  /// Whether the worker has answered since the attempt was killed, so that the attempt is known to be stuck there.
  func mayGiveUp(_ attempt: Attempt) -> Bool {
    guard let entry = entry(of: attempt), let check = entry.killCheck else { return true }
    return workers[entry.worker].checks.answered >= check
  }

  func release(_ attempt: Attempt, keepsProcesses: Bool) {
    guard let entry = entry(of: attempt) else { return }
    withdraw(attempt)
    entries[attempt.task.index] = nil
    workers[entry.worker].busy -= 1
    send(.release(attempt, keepsProcesses: keepsProcesses), to: entry.worker)
  }

  func end() {
    isEnding = true
    for worker in workers.indices { askToEnd(worker) }
  }

  private func askToEnd(_ worker: Int) {
    workers[worker].wasAskedToEnd = true
    send(.end, to: worker)
  }

  var unanswered: [String] {
    workers.indices.filter { !workers[$0].hasEnded }.map {
      $0 == serviceWorker ? "the worker for services" : workers[$0].host
    }
  }

  /// Whether nothing of the run is left on a worker.
  func hasEnded(_ worker: Int) -> Bool { workers[worker].hasEnded }

  var hasEnded: Bool { workers.allSatisfy(\.hasEnded) }

  /// None: each worker ends what its tasks have left.
  func strays() -> [Stray] { [] }

  func signal(_ stray: Stray, _ signal: AttemptSignal) {}

  func entry(of attempt: Attempt) -> Entry? {
    guard let entry = entries[attempt.task.index], entry.attempt == attempt else { return nil }
    return entry
  }

  func send(_ request: WorkerRequest, to worker: Int) {
    if workers[worker].isReachable { request.write(to: &workers[worker].pending) }
  }
}

extension WorkerReply {
  /// The attempt that it is about, nil for none.
  fileprivate var attempt: Attempt? {
    switch self {
    case .notStarted(let attempt, reason: _), .output(let attempt, _), .outputEnded(let attempt),
      .progress(let attempt, _), .exited(let attempt, _, left: _, usage: _), .left(let attempt, _):
      attempt
    case .checked, .heartbeat, .ended, .begun, .refused, .connected, .forwarded, .disconnected: nil
    }
  }

  /// Whether it is about a program that reports its progress.
  fileprivate var isReport: Bool {
    switch self {
    case .connected, .forwarded, .disconnected: true
    default: false
    }
  }
}
