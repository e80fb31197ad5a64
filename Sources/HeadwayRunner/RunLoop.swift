internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem

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
  let work: RunWork
  let executor: any Executor
  let host: any RunHost
  let clock: RunClock
  let control: RunControl
  /// Lets other programs see the run; nil if it is not published.
  let publisher: RunPublisher?
  /// Hears when the view that has started the run is gone.
  private let listener: any RunListener
  private var isInBackground = false
  /// What earlier runs have already done; nil if this run does not resume one.
  var resumption: Resumption?
  var core: LaunchCore
  var table: AttemptTable
  var files: FileChecks
  var events: EventPipeline
  /// Checks whether services are ready.
  let readiness: ReadinessChecks
  /// The tasks whose condition is true; it is not asked again for a further attempt.
  var conditionsMet: Set<TaskID> = []
  /// The tasks that may turn out to have nothing to do when they are ready, if a machine would be provided for each.
  var mayBeSkipped: [TaskID] = []
  /// The machines that have not started, as the executor last reported them.
  var waiting: RunEvent.WorkersWaiting?
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
    self.clock = clock
    self.listener = listener
    self.publisher = publisher
    self.control = control
    self.resumption = resumption
    if executor.dedicatedMachines != nil {
      mayBeSkipped = work.plan.tasks.indices.map { TaskID($0) }.filter { task in
        let planned = work.plan.tasks[task.index]
        return planned.condition?.value == false || planned.hook == .onFailure
          || resumption?.mayBeDone(task) == true
      }
    }
    events = EventPipeline(
      work, emitter, journal: journal, history: history, publisher: publisher, view: view,
      listener: listener)
    table = AttemptTable(executor: executor)
    readiness = ReadinessChecks(work)
    files = FileChecks(work, checker) { resumption?.isForced($0) == true }
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
      } + files.lines
  }

  /// Waits once, and handles what has happened.
  private func turn() {
    var mayHaveExits = false
    for event in host.wait(for: timeUntilNextMoment()) {
      switch event {
      case .exits: mayHaveExits = true
      case .output(let task): table.readOutput(of: task)
      case .answers: files.collectAnswers()
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
      earliest(earliest(core.nextDeadline, readiness.next), table.nextDeadline), events.next)
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
    events.updateIfDue(at: now, isUrgent: core.isFinished || clock.isStopped)
  }

  /// Folds the engine's events, and forecasts if a forecast is due.
  func fold(at now: Duration) {
    for var event in core.takeEvents() {
      event.usage = table.takeUsage(endingWith: event.kind)
      files.receive(event.kind)
      events.receive(event)
    }
    files.withdrawLooks()
    events.forecast(at: now)
  }

  /// Writes the start of an attempt to the disk, before the attempt starts.
  ///
  /// - Returns: 0, or the error because of which that cannot be done.
  func recordStart(at now: Duration) -> Int32 {
    fold(at: now)
    return events.update(at: now, isUrgent: clock.isStopped)
  }

  /// Goes on in the background, because the view that has started the run is gone.
  func noteViewHasLeft() {
    guard !isInBackground else { return }
    isInBackground = true
    listener.viewHasLeft()
  }
}
