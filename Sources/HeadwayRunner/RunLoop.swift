internal import HeadwayFiles
internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText

/// The loop of a run: waits until something happens or is due, reports it to the engine, and does what the engine
/// commands.
///
/// It owns no clock, no process and no thread. Everything that it needs of the machine comes through seams, so that
/// tests run it in memory and on virtual time:
///
/// | seam | of this machine | in tests |
/// |---|---|---|
/// | `Executor` | `LocalExecutor` | processes in memory |
/// | `RunHost` | `ProcessHost` | jumps to the next moment |
/// | `ContentsChecking` | `ContentsChecker` | answers late |
/// | `RunClock` | the monotonic clock | virtual time |
///
/// One thread runs all of it, so whatever blocks that thread delays everything else. These calls do:
///
/// - writing logs and the journal, and waiting for the disk if a task with `once` starts or ends;
/// - a readiness check: it connects to a port of this machine, which takes at most 20 ms for each of IPv4 and IPv6;
/// - copying this program to a host that has none: the file is read, and `sha256sum` is awaited, on this thread.
final class RunLoop {
  /// The minimum time between two updates of the journal and the listeners: events closer together than that share one.
  static let updateInterval = Duration.milliseconds(20)
  /// The maximum number of tasks that are named because files of theirs do not exist.
  private static let maxUnmatched = 10

  let work: RunWork
  let executor: any Executor
  let host: any RunHost
  let checker: any ContentsChecking
  let clock: RunClock
  /// Hears of the events of the run.
  let listener: any RunListener
  /// The stream to the view that has started the run; nil if there is none.
  private let view: ViewStream?
  let control: RunControl
  /// Lets other programs see the run; nil if it is not published.
  let publisher: RunPublisher?
  /// Writes the events down; nil if they are not kept.
  private let journal: Journal?
  /// Collects what is stored of the run; nil if it is not stored.
  private let history: RunHistory?
  /// Whether the view that has started the run is gone.
  var isInBackground = false
  /// What earlier runs have already done; nil if this run does not resume one.
  var resumption: Resumption?
  /// Whether some tasks run once, so that the disk has their starts and ends before anybody hears of them.
  private let hasOnce: Bool
  /// Whether the journal has to be on the disk before the next update is passed on.
  private var needsSync = false
  /// Folds the events and forecasts the run.
  var emitter: ForecastEmitter
  /// The events since the last update.
  private var pending: [RunEvent] = []
  /// Whether something has happened since the last update.
  var isUpdateDue = false
  /// The requests that were carried out since then.
  var granted: [RequestQueue.Entry] = []
  /// The earliest time of the next update.
  private var nextUpdate = Duration.zero
  var core: LaunchCore
  var table: AttemptTable
  /// The attempts that wait for the checker, by task.
  var checking: [TaskID: Attempt] = [:]
  /// The checker's answers that were not handled yet.
  var answers: [ContentsChecker.Answer] = []
  /// The tasks that succeeded although some of their patterns match no file, with what follows from that.
  var unmatched: [(task: TaskID, reason: String)] = []
  /// Which files are looked at before workers need to know; nil if no task may be up to date.
  var scan: UpToDateScan?
  /// Why tasks with inputs ran, if that was asked for.
  var explanations: [(task: TaskID, reason: String)] = []
  /// The state of the files of running tasks before they started.
  var checked: [TaskID: ContentsRecord.State] = [:]
  /// The tasks that have succeeded and whose files the checker reads.
  var keeping: Set<TaskID> = []
  /// The tasks whose condition is true; it is not asked again for a further attempt.
  var conditionsMet: Set<TaskID> = []
  /// The tasks that may turn out to have nothing to do when they are ready, if a machine would be provided for each.
  var mayBeSkipped: [TaskID] = []
  /// The machines that have not started, as the executor last reported them.
  var waiting: RunEvent.WorkersWaiting?
  /// Checks whether services are ready.
  let readiness: ReadinessChecks
  /// How long each service took to become ready.
  private(set) var readyAfter: [TaskID: Duration] = [:]
  /// The first signal that asked for the end, nil if none did.
  var endSignal: Int32?
  /// Whether a signal has asked for the end at once, so that nothing is waited for that another machine has to say.
  var endsAtOnce = false

  /// Creates a loop.
  ///
  /// - Parameters:
  ///   - core: The engine.
  ///   - work: The commands of the tasks.
  ///   - executor: Carries out attempts.
  ///   - host: Wakes the loop.
  ///   - checker: Finds out which tasks are up to date.
  ///   - clock: The time of the run.
  ///   - control: The user's requests.
  ///   - listener: Hears of the events of the run.
  ///   - view: The stream to the view that has started the run.
  ///   - publisher: Lets other programs see the run.
  ///   - journal: Writes the events down.
  ///   - history: Collects what is stored of the run.
  ///   - resumption: What earlier runs have already done.
  ///   - emitter: Folds the events and forecasts the run.
  init(
    core: consuming LaunchCore, work: RunWork, executor: any Executor, host: any RunHost,
    checker: any ContentsChecking, clock: RunClock, control: RunControl,
    listener: any RunListener, view: ViewStream? = nil, publisher: RunPublisher? = nil,
    journal: Journal?, history: RunHistory?,
    resumption: Resumption? = nil, emitter: ForecastEmitter
  ) {
    self.core = core
    self.work = work
    self.executor = executor
    self.host = host
    self.checker = checker
    self.clock = clock
    self.listener = listener
    self.view = view
    self.control = control
    self.publisher = publisher
    self.journal = journal
    self.history = history
    self.resumption = resumption
    hasOnce = work.plan.tasks.contains(where: \.isOnce)
    if executor.dedicatedMachines != nil {
      mayBeSkipped = work.plan.tasks.indices.map { TaskID($0) }.filter { task in
        let planned = work.plan.tasks[task.index]
        return planned.condition?.value == false || planned.hook == .onFailure
          || resumption?.mayBeDone(task) == true
      }
    }
    self.emitter = emitter
    table = AttemptTable(executor: executor)
    readiness = ReadinessChecks(work)
    if !work.isForced {
      scan = UpToDateScan(work.plan.tasks) { resumption?.isForced($0) != true }
    }
  }

  /// Runs until every task has an outcome.
  ///
  /// - Returns: Warnings for the user, each a line.
  func run() -> [String] {
    clock.restart()
    beginLooking()
    limitWorkers()
    core.begin(at: .zero, past: resumption?.ended ?? [])
    tellWaiting()
    // The first forecast comes before anything takes time, and the first task starts before it is passed on.
    fold(at: .zero)
    carryOut()
    while !core.isFinished {
      turn()
    }
    control.requests.close()
    // If all tasks were ended from outside, the run may end during a pause.
    clock.resume()
    let losses = work.state.losses
    // If logs were removed, the losses already say so.
    let brokenLogs = losses.isEmpty ? table.brokenLogs : []
    return endStrays() + losses
      + brokenLogs.filter { work.service(of: $0.task) == nil }.map { log in
        "the log of \(work.plan.tasks[log.task.index].name) is incomplete: \(errorDescription(log.error))"
      } + unmatchedWarnings
      + explanations.map { entry in
        "task '\(work.plan.tasks[entry.task.index].name)' ran: \(work.masked(entry.reason).sanitized)"
      }
  }

  /// A line for each task whose files did not all exist after it succeeded; only the first of many.
  private var unmatchedWarnings: [String] {
    let lines = unmatched.prefix(Self.maxUnmatched).map { entry in
      "task '\(work.plan.tasks[entry.task.index].name)' \(work.masked(entry.reason).sanitized)"
    }
    let rest = unmatched.count - lines.count
    return rest > 0
      ? lines + ["\(counted(rest, "more task")) will run again next time because of missing files"]
      : lines
  }

  /// Waits once, and handles what has happened.
  private func turn() {
    var mayHaveExits = false
    for event in host.wait(for: timeUntilNextMoment()) {
      switch event {
      case .exits: mayHaveExits = true
      case .output(let task): table.readOutput(of: task)
      case .answers: answers += checker.answers()
      case .request: followRequests()
      case .signal(let signal): receive(signal)
      }
    }
    let now = clock.now
    if mayHaveExits || table.isDrainOver(at: now) { takeExits(at: now) }
    table.watchOutputs(at: now)
    let givenUp = table.killAgain(at: now, endsAtOnce: endsAtOnce, afterEach: host.takeTurn)
    for (task, result) in givenUp {
      if let service = work.service(of: task) {
        readiness.commandIsOver(of: service, isReady: false, &core, at: now)
        continue
      }
      readiness.end(task, &table, at: now)
      core.attemptEnded(task, result: result, at: now)
    }
    if !clock.isStopped { readiness.check(&core, &table, at: now) }
    core.advance(to: now)
    carryOut()
  }

  /// The time until something is due, nil if only an event can wake the loop.
  private func timeUntilNextMoment() -> Duration? {
    // During a pause no deadline passes.
    if clock.isStopped { return nil }
    let next = earliest(
      earliest(earliest(core.nextDeadline, readiness.next), table.nextDeadline),
      earliest(emitter.next, isUpdateDue ? nextUpdate : nil))
    return next.map { max($0 - clock.now, .zero) }
  }

  /// Carries out the engine's commands, and emits its events.
  func carryOut() {
    if !core.isPaused, clock.isStopped {
      table.signalAll(.resume)
      clock.resume()
    }
    repeat {
      while let command = core.nextCommand() {
        switch command {
        case .start(let task, let number):
          start(Attempt(task: task, number: number))
          // Many tasks may start now, which takes a while.
          emit(at: clock.now)
        case .terminate(let task):
          readiness.end(task, &table, at: clock.now)
          if !drop(task) { table.terminate(task) }
        case .kill(let task):
          readiness.end(task, &table, at: clock.now)
          if !drop(task) { table.kill(task, at: clock.now) }
        }
        host.takeTurn()
      }
      // After the commands, so that a task that was just cancelled is not started.
    } while handleAnswers() || endUpToDate() || endSkipped()
    if core.isPaused, !clock.isStopped {
      clock.stop()
      table.signalAll(.suspend)
    }
    tellNeeds()
    emit(at: clock.now)
  }

  /// Folds the engine's events, and passes them on if an update is due.
  private func emit(at now: Duration) {
    fold(at: now)
    // A stopped clock reaches no later moment.
    if now >= nextUpdate || core.isFinished || clock.isStopped { update(at: now) }
  }

  /// Folds the engine's events, and forecasts if a forecast is due.
  func fold(at now: Duration) {
    var events = core.takeEvents()
    for index in events.indices {
      // Nothing behind this line sees a secret.
      if work.secrets != nil { events[index] = work.masked(events[index]) }
      events[index].usage = usage(endingWith: events[index].kind)
      let event = events[index]
      // A service that is started again keeps its first time.
      if case .taskReady(let task, _, let time) = event.kind {
        readyAfter[task] = readyAfter[task] ?? time
      }
      history?.collect(event, before: emitter.state)
      emitter.receive(event)
      scan?.receive(event.kind)
      if hasOnce, let task = event.kind.task, work.plan.tasks[task.index].isOnce {
        needsSync = true
      }
    }
    withdrawLooks()
    pending += events
    let forecast = emitter.forecast(at: now)
    if let forecast, forecast.isEvent {
      let event = RunEvent(time: now, kind: .forecast(forecast.forecast))
      history?.collect(event, before: emitter.state)
      pending.append(event)
    }
    if !events.isEmpty || forecast != nil { isUpdateDue = true }
  }

  /// What the attempt used that an event is the end of, nil if it is none, or that is unknown.
  private func usage(endingWith kind: RunEvent.Kind) -> ResourceUsage? {
    switch kind {
    case .taskEnded(let task, _, let attempts, _) where attempts > 0:
      table.takeUsage(of: Attempt(task: task, number: attempts))
    case .taskRetrying(let task, let next, _, _):
      table.takeUsage(of: Attempt(task: task, number: next - 1))
    default: nil
    }
  }

  /// Passes what has happened on: first to the journal, so that nothing is shown that is not kept, then to the listeners.
  func update(at now: Duration) {
    guard isUpdateDue else { return }
    isUpdateDue = false
    // The end of a pause is announced at once.
    nextUpdate = clock.isStopped ? now : now + Self.updateInterval
    let lines = journal?.write(pending) ?? []
    if needsSync {
      journal?.sync()
      needsSync = false
    }
    publisher?.update(pending, emitter.state, emitter.latest)
    if let view, !lines.isEmpty { view.send(lines: lines, areKept: journal?.failure == 0) }
    listener.show(pending, emitter.state, emitter.latest)
    pending.removeAll(keepingCapacity: true)
    for entry in granted { entry.answer(nil) }
    granted.removeAll()
  }

  /// Makes the next update due now.
  func hurryUpdate(at now: Duration) {
    isUpdateDue = true
    nextUpdate = min(nextUpdate, now)
  }

  /// Writes the start of an attempt to the disk, before the attempt starts.
  ///
  /// - Returns: 0, or the error because of which that cannot be done.
  func recordStart(at now: Duration) -> Int32 {
    fold(at: now)
    update(at: now)
    return journal?.failure ?? 0
  }

  var state: RunState { emitter.state }

  /// The predicted duration of the run, nil if unknown.
  var predicted: Duration? { emitter.latest?.predicted }
}
