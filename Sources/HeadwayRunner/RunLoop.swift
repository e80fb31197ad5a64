internal import Glibc
internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRun
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
/// One thread runs all of it. Nothing in it waits, except for writing logs and the history.
final class RunLoop {
  /// The minimum time between two updates of the history and the listeners: events closer together than that share one.
  static let updateInterval = Duration.milliseconds(20)
  /// How long processes without a task may take to end at the end of the run.
  private static let strayGrace = Duration.seconds(1)
  /// The maximum number of tasks that are named because files of theirs do not exist.
  private static let maxUnmatched = 10

  private let work: RunWork
  private let executor: any Executor
  private let host: any RunHost
  private let checker: any ContentsChecking
  private let clock: RunClock
  private let hooks: RunHooks
  private let control: RunControl
  /// Lets other programs see the run; nil if it is not published.
  private let publisher: RunPublisher?
  /// Stores the run; nil if it is not stored.
  private let history: RunHistory?
  /// Folds the events and forecasts the run.
  private var emitter: ForecastEmitter
  /// The events since the last update.
  private var pending: [RunEvent] = []
  /// Whether something has happened since the last update.
  private var isUpdateDue = false
  /// The earliest time of the next update.
  private var nextUpdate = Duration.zero
  private var core: LaunchCore
  private var table: AttemptTable
  /// The attempts that wait for the checker, by task.
  private var checking: [TaskID: Attempt] = [:]
  /// The checker's answers that were not handled yet.
  private var answers: [ContentsChecker.Answer] = []
  /// The tasks that succeeded although some of their patterns match no file, with what follows from that.
  private var unmatched: [(task: TaskID, reason: String)] = []
  /// Why tasks with inputs ran, if that was asked for.
  private var explanations: [(task: TaskID, reason: String)] = []
  /// The state of the files of running tasks before they started.
  private var checked: [TaskID: ContentsRecord.State] = [:]
  /// The tasks that have succeeded and whose files the checker reads.
  private var keeping: Set<TaskID> = []
  /// The tasks whose condition is true; it is not asked again for a further attempt.
  private var conditionsMet: Set<TaskID> = []
  /// Checks whether services are ready.
  private let readiness: ReadinessChecks
  /// How long the services that got ready took for that.
  private(set) var readyAfter: [TaskID: Duration] = [:]
  /// The number of interrupts that the terminal has sent to this process.
  private var typedInterrupts = 0
  /// The first signal that asked for the end, nil if none did.
  private(set) var endSignal: Int32?

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
  ///   - hooks: The listeners.
  ///   - publisher: Lets other programs see the run.
  ///   - history: Stores the run.
  ///   - emitter: Folds the events and forecasts the run.
  init(
    core: consuming LaunchCore, work: RunWork, executor: any Executor, host: any RunHost,
    checker: any ContentsChecking, clock: RunClock, control: RunControl, hooks: RunHooks,
    publisher: RunPublisher? = nil, history: RunHistory?, emitter: ForecastEmitter
  ) {
    self.core = core
    self.work = work
    self.executor = executor
    self.host = host
    self.checker = checker
    self.clock = clock
    self.hooks = hooks
    self.control = control
    self.publisher = publisher
    self.history = history
    self.emitter = emitter
    table = AttemptTable(executor: executor)
    readiness = ReadinessChecks(work)
  }

  /// Runs until every task has an outcome.
  ///
  /// - Returns: Warnings for the user, each a line.
  func run() -> [String] {
    clock.restart()
    core.begin(at: .zero)
    // The first forecast comes before anything takes time, and the first task starts before it is passed on.
    fold(at: .zero)
    carryOut()
    while !core.isFinished {
      turn()
    }
    // If all tasks were ended from outside, the run may end during a pause.
    clock.resume()
    let losses = work.state.losses
    // A log that was removed needs no line of its own.
    let brokenLogs = losses.isEmpty ? table.brokenLogs : []
    return endStrays() + losses
      + brokenLogs.filter { work.service(of: $0.task) == nil }.map { log in
        "the log of \(work.plan.tasks[log.task.index].name) is incomplete: \(errorDescription(log.error))"
      } + unmatchedWarnings
      + explanations.map { entry in
        "task '\(work.plan.tasks[entry.task.index].name)' ran: \(entry.reason.sanitized)"
      }
  }

  /// A line for each task whose files did not all exist after it succeeded; only the first of many.
  private var unmatchedWarnings: [String] {
    let lines = unmatched.prefix(Self.maxUnmatched).map { entry in
      "task '\(work.plan.tasks[entry.task.index].name)' \(entry.reason.sanitized)"
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
    for task in table.killAgain(at: now, afterEach: host.takeTurn) {
      if let service = work.service(of: task) {
        readiness.commandIsOver(of: service, isReady: false, &core, at: now)
        continue
      }
      readiness.end(task, &table, at: now)
      core.attemptEnded(task, result: .failed(.signalled(number: Int(SIGKILL))), at: now)
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
  private func carryOut() {
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
    } while handleAnswers()
    if core.isPaused, !clock.isStopped {
      clock.stop()
      table.signalAll(.suspend)
    }
    emit(at: clock.now)
  }

  /// Folds the engine's events, and passes them on if an update is due.
  private func emit(at now: Duration) {
    fold(at: now)
    // A stopped clock reaches no later moment.
    if now >= nextUpdate || core.isFinished || clock.isStopped { update(at: now) }
  }

  /// Folds the engine's events, and forecasts if a forecast is due.
  private func fold(at now: Duration) {
    let events = core.takeEvents()
    for event in events {
      // A service that is started again keeps its first time.
      if case .taskReady(let task, _, let time) = event.kind {
        readyAfter[task] = readyAfter[task] ?? time
      }
      history?.collect(event, before: emitter.state, readyAfter)
      emitter.receive(event)
    }
    pending += events
    let forecast = emitter.forecast(at: now)
    if let forecast, forecast.isEvent {
      let event = RunEvent(time: now, kind: .forecast(forecast.forecast))
      history?.collect(event, before: emitter.state, readyAfter)
      pending.append(event)
    }
    if !events.isEmpty || forecast != nil { isUpdateDue = true }
  }

  /// Passes what has happened on: first to the history, so that nothing is shown that is not stored, then to the listeners.
  private func update(at now: Duration) {
    guard isUpdateDue else { return }
    isUpdateDue = false
    // The end of a pause is announced at once.
    nextUpdate = clock.isStopped ? now : now + Self.updateInterval
    history?.write(emitter.state)
    publisher?.update(pending, emitter.state, emitter.latest)
    hooks.update(pending, emitter.state, publisher?.completed(emitter.latest) ?? emitter.latest)
    pending.removeAll(keepingCapacity: true)
  }

  var state: RunState { emitter.state }

  /// The predicted duration of the run, nil if unknown.
  var predicted: Duration? { emitter.latest?.predicted }
}

// MARK: - Tasks

extension RunLoop {
  /// Starts an attempt; the first one of a task with inputs only after its files were checked.
  private func start(_ attempt: Attempt) {
    if attempt.number == 1, let subject = work.subject(of: attempt.task) {
      checking[attempt.task] = attempt
      checker.ask(.check(attempt.task, subject))
    } else {
      launch(attempt)
    }
  }

  /// Starts the process of an attempt.
  private func launch(_ attempt: Attempt) {
    let task = attempt.task
    if shouldSkip(task) {
      return core.attemptEnded(task, result: .skipped(.condition), at: clock.now)
    }
    if !conditionsMet.contains(task), let request = work.conditionRequest(for: attempt) {
      return launchCondition(attempt, request)
    }
    guard var request = work.request(for: attempt) else {
      // A task without a command ends when its dependencies have ended.
      return core.attemptEnded(task, result: .succeeded, at: clock.now)
    }
    request.variables += followUp(task)
    if let variable = publisher?.variable(of: attempt) { request.variables.append(variable) }
    request.progressPipe = publisher?.progressPipe(of: attempt)
    // Then only the task has it, so that its end is that of the task.
    defer { if let pipe = request.progressPipe { close(pipe) } }
    let socket: NotificationSocket?
    do throws(StartError) {
      socket = try readiness.prepare(task)
    } catch {
      return core.attemptEnded(
        task, result: .failed(.notStarted(reason: error.reason)), at: clock.now)
    }
    if let socket { request.variables.append((NotificationSocket.variable, socket.path)) }
    if request.progressPipe != nil {
      request.variables.append((RunWork.Variable.zig, RunWork.Variable.zigDescriptor))
    }
    var log = work.log(of: task)
    if attempt.number > 1 { log.note("attempt \(attempt.number)") }
    let now = clock.now
    let isDetached = work.plan.tasks[task.index].isDetached
    let error: StartError?
    if table.isConditionOver(attempt) {
      error = table.startCommand(attempt, request, isDetached: isDetached, at: now)
      // The run may have been paused since.
      if error == nil, clock.isStopped { executor.signal(attempt, .suspend) }
    } else {
      core.attemptBegan(task, at: now)
      error = table.start(attempt, request, log: log, isDetached: isDetached, at: now)
    }
    if let error {
      let reason = work.masked(error.reason)
      core.attemptEnded(task, result: .failed(.notStarted(reason: reason)), at: clock.now)
    } else {
      readiness.begin(task, socket, &core, at: clock.now)
    }
  }

  /// Whether a comparison says that a task does not run, or it is `on_failure` and nothing has failed.
  private func shouldSkip(_ task: TaskID) -> Bool {
    let planned = work.plan.tasks[task.index]
    if planned.condition?.value == false { return true }
    return planned.hook == .onFailure && summary(before: task).failed.isEmpty
  }

  /// How everything before a task ended.
  private func summary(before task: TaskID) -> FollowUp {
    FollowUp(of: task.index, in: work.plan) { core.outcome(of: $0) }
  }

  /// The variables of a task that says how everything before it ended, empty for other tasks.
  private func followUp(_ task: TaskID) -> [(name: String, value: String)] {
    work.plan.tasks[task.index].isAlways ? summary(before: task).variables(work) : []
  }

  /// Starts the command that decides whether a task runs, as the first part of its attempt.
  private func launchCondition(_ attempt: Attempt, _ request: AttemptRequest) {
    var request = request
    request.variables += followUp(attempt.task)
    var log = work.log(of: attempt.task)
    if attempt.number > 1 { log.note("attempt \(attempt.number)") }
    let now = clock.now
    core.attemptBegan(attempt.task, at: now)
    let error = table.start(
      attempt, request, log: log, isDetached: false, isCondition: true, at: now)
    if let error {
      let reason = "its condition cannot be run: \(error.reason)"
      core.attemptEnded(attempt.task, result: .failed(.notStarted(reason: reason)), at: clock.now)
    }
  }

  /// Ends an attempt that still waits for the checker.
  ///
  /// - Returns: Whether it did.
  private func drop(_ task: TaskID) -> Bool {
    guard checking.removeValue(forKey: task) != nil else { return false }
    checker.cancel(task)
    core.attemptEnded(task, result: .skipped(.upToDate), at: clock.now)
    return true
  }

  /// Handles the checker's answers; during a pause, leaves them for its end.
  ///
  /// - Returns: Whether there were any, so that the engine may have new commands.
  private func handleAnswers() -> Bool {
    guard !core.isPaused, !answers.isEmpty else { return false }
    let arrived = answers
    answers = []
    for answer in arrived {
      switch answer {
      case .checked(let task, let isUpToDate, let state):
        guard let attempt = checking.removeValue(forKey: task) else { continue }
        if isUpToDate && !work.isForced {
          core.attemptEnded(task, result: .skipped(.upToDate), at: clock.now)
        } else {
          checked[task] = state
          if work.explains {
            explanations.append((task, work.isForced ? "forced" : state.reason ?? "not checked"))
          }
          launch(attempt)
        }
      case .kept(let task, let unmatched):
        guard keeping.remove(task) != nil else { continue }
        if !unmatched.isEmpty {
          var log = work.log(of: task)
          let reason =
            "will run again next time: no file matches \(unmatched.joined(separator: ", "))"
          log.note(reason)
          log.close()
          self.unmatched.append((task, reason))
        }
        core.attemptEnded(task, result: .succeeded, at: clock.now)
      }
    }
    return true
  }

  /// Reports ended attempts to the engine.
  private func takeExits(at now: Duration) {
    for task in table.exits() {
      let stage = table.advance(task, at: now)
      if let service = work.service(of: task) {
        readiness.commandReached(stage, of: service, &core, &table, at: now)
        continue
      }
      switch stage {
      case .running, .ending: break
      case .conditionMet(let attempt):
        conditionsMet.insert(task)
        launch(attempt)
      case .lingering(let result):
        readiness.end(task, &table, at: now)
        core.attemptLingers(task, result: result, at: now)
      case .over(let result):
        readiness.end(task, &table, at: now)
        finish(task, result, at: now)
      }
    }
  }

  /// Ends an attempt of which no process is left, after the state of its files was recorded.
  private func finish(_ task: TaskID, _ result: Outcome, at now: Duration) {
    if let state = checked[task], let subject = work.subject(of: task),
      core.attemptSucceeds(task, result: result)
    {
      checked[task] = nil
      keeping.insert(task)
      checker.ask(.keep(task, subject, checked: state))
    } else {
      core.attemptEnded(task, result: result, at: now)
    }
  }

  /// Ends processes that belong to no task any more.
  ///
  /// - Returns: A warning that names them; none if there are no such processes.
  private func endStrays() -> [String] {
    let strays = table.strays()
    guard !strays.isEmpty else { return [] }
    for stray in strays { executor.signal(stray, .terminate) }
    let begin = clock.now
    while !table.strays().isEmpty {
      // Strays that have ended have to be reaped.
      _ = table.exits()
      let time = clock.now - begin
      // A second signal that asks for the end does not wait.
      if time > Self.strayGrace || host.endRequests >= 2 {
        for stray in table.strays() { executor.signal(stray, .kill) }
      }
      if time > Self.strayGrace * 2 { break }
      _ = host.wait(for: AttemptTable.killInterval)
    }
    return [
      "ended processes that belong to no task: \(strays.map(\.name.sanitized).joined(separator: ", "))"
    ]
  }
}

// MARK: - Signals

extension RunLoop {
  private func receive(_ signal: ReceivedSignal) {
    switch signal.number {
    case SIGTSTP: stop(isFromTerminal: signal.isFromTerminal)
    case SIGCONT: hooks.resume()
    case SIGQUIT: end(.immediate, signal)
    default:
      // A key reaches this process twice, from the terminal and from the supervisor, and two presses may arrive as one
      // signal; so each way is counted. A signal that was sent to this process alone ends the run in order.
      if signal.isFromTerminal, signal.number == SIGINT { typedInterrupts += 1 }
      end(max(host.endRequests, typedInterrupts) >= 2 ? .immediate : .graceful, signal)
    }
  }

  /// Ends the run because of a signal.
  private func end(_ urgency: LaunchCore.Urgency, _ signal: ReceivedSignal) {
    endSignal = endSignal ?? signal.number
    core.end(urgency, at: clock.now)
    // Reading files may take minutes. Without a record these tasks run again next time.
    for task in keeping.sorted() {
      checker.cancel(task)
      core.attemptEnded(task, result: .succeeded, at: clock.now)
    }
    keeping = []
  }

  /// Pauses, resumes or ends the run as was requested; a run that is ending stays resumed.
  private func followRequests() {
    if control.wantsEnd, endSignal == nil {
      end(.graceful, ReceivedSignal(number: SIGINT, isFromTerminal: false))
    }
    if control.wantsPause { core.pause(at: clock.now) } else { core.resume(at: clock.now) }
    if control.takeNews() {
      isUpdateDue = true
      emitter.setWatched(hooks.isWatched || publisher?.isWatched ?? false, at: clock.now)
    }
  }

  /// Stops the tasks and this process until it is continued.
  private func stop(isFromTerminal: Bool) {
    // Tasks that are paused stay so.
    let isPaused = clock.isStopped
    update(at: clock.now)
    hooks.suspend()
    if !isPaused {
      clock.stop()
      table.signalAll(.suspend)
    }
    host.stop(isFromTerminal: isFromTerminal)
    if !isPaused {
      table.signalAll(.resume)
      clock.resume()
    }
    hooks.resume()
  }
}
