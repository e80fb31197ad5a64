internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText
internal import HeadwayTime

/// From the command to start a task to the report of its end.
extension RunLoop {
  /// Starts an attempt; the first one of a task with inputs only after its files were checked.
  func start(_ attempt: Attempt) {
    let isFirst = attempt.number == 1
    if isFirst, resumption?.isDone(attempt.task) == true {
      return core.attemptEnded(attempt.task, result: .skipped(.doneEarlier), at: clock.now)
    }
    if isFirst, isUpToDate(attempt.task) {
      return core.attemptEnded(attempt.task, result: .skipped(.upToDate), at: clock.now)
    }
    if isFirst, let subject = work.subject(of: attempt.task) {
      files.check(attempt, subject)
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
    if !table.isConditionOver(attempt), mustWait(task) { return core.handBack(task, at: clock.now) }
    if let needs = core.unmetNeeds(of: task) {
      return core.attemptEnded(
        task,
        result: .failed(.notStarted(reason: "no machine is left that has \(needs.needWords)")),
        at: clock.now)
    }
    if !conditionsMet.contains(task), let request = work.conditionRequest(for: attempt) {
      return launchCondition(attempt, request)
    }
    guard var request = work.request(for: attempt) else {
      // A task without a command ends when its dependencies have ended.
      return core.attemptEnded(task, result: .succeeded, at: clock.now)
    }
    choosePlace(task, &request)
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
    resumption?.began(task)
    let isDetached = work.plan.tasks[task.index].isDetached
    let error: StartError?
    if table.isConditionOver(attempt) {
      error = table.startCommand(attempt, request, isDetached: isDetached, at: now)
      // The run may have been paused since.
      if error == nil, clock.isStopped { executor.signal(attempt, .suspend) }
    } else {
      core.attemptBegan(task, at: now)
      error =
        lossOfStart(task, at: now)
        ?? table.start(attempt, request, log: log, isDetached: isDetached, at: now)
    }
    if let error {
      core.attemptEnded(
        task, result: error.isLoss ? .lost : .failed(.notStarted(reason: error.reason)),
        at: clock.now)
    } else {
      place(attempt)
      readiness.begin(task, socket, &core, &table, at: clock.now)
    }
  }

  /// Tells on which other machine an attempt is carried out.
  private func place(_ attempt: Attempt) {
    guard let host = executor.host(of: attempt) else { return }
    core.attemptPlaced(attempt.task, on: host, at: clock.now)
  }

  /// Why a task that runs once cannot start, because its start cannot be recorded; nil for other tasks.
  private func lossOfStart(_ task: TaskID, at now: Duration) -> StartError? {
    guard work.plan.tasks[task.index].isOnce else { return nil }
    let error = recordStart(at: now)
    if error == 0 { return nil }
    let reason = "the journal of the run cannot be written (\(errorDescription(error)))"
    return StartError(reason: "\(reason), and `once: true` needs it")
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
    choosePlace(attempt.task, &request)
    var log = work.log(of: attempt.task)
    if attempt.number > 1 { log.note("attempt \(attempt.number)") }
    let now = clock.now
    core.attemptBegan(attempt.task, at: now)
    let error =
      lossOfStart(attempt.task, at: now)
      ?? table.start(
        attempt, request, log: log, isDetached: false, isCondition: true, at: now)
    if let error {
      let reason = "its condition cannot be run: \(error.reason)"
      core.attemptEnded(
        attempt.task, result: error.isLoss ? .lost : .failed(.notStarted(reason: reason)),
        at: clock.now)
    }
  }

  /// Ends an attempt that still waits for the checker.
  ///
  /// - Returns: Whether it did.
  func drop(_ task: TaskID) -> Bool {
    guard files.withdrawCheck(of: task) else { return false }
    core.attemptEnded(task, result: .skipped(.upToDate), at: clock.now)
    return true
  }

  /// Handles the checker's answers; during a pause, leaves them for its end.
  ///
  /// - Returns: Whether there were any, so that the engine may have new commands.
  func handleAnswers() -> Bool {
    guard !core.isPaused else { return false }
    let answers = files.takeAnswers()
    for answer in answers {
      switch answer {
      case .checked(let task, let isUpToDate, let state):
        guard let attempt = files.endCheck(task, state) else { continue }
        if isUpToDate && !work.isForced && resumption?.isForced(task) != true {
          resumption?.wasUpToDate(task)
          core.attemptEnded(task, result: .skipped(.upToDate), at: clock.now)
        } else {
          files.explain(task, state)
          launch(attempt)
        }
      case .looked(let task, let number, let isChanged):
        guard files.takeLook(task, number: number, isChanged: isChanged) else { continue }
        events.found(task, changed: isChanged, at: clock.now)
      case .kept(let task, let hasChanged, let unmatched):
        guard files.endKeeping(task) else { continue }
        if !work.plan.tasks[task.index].outputs.isEmpty {
          events.foundOutputs(of: task, changed: hasChanged, at: clock.now)
        }
        files.note(task, unmatched: unmatched)
        core.attemptEnded(task, result: .succeeded, at: clock.now)
      }
    }
    return !answers.isEmpty
  }

  /// Sets on which machine an attempt is carried out, if tasks need something of theirs.
  private func choosePlace(_ task: TaskID, _ request: inout AttemptRequest) {
    guard let placement = core.placement else { return }
    request.machine = placement.machine(of: task.index)
    request.gpus = placement.gpus(of: task.index)
  }

  /// Whether the machine for a task has been lost since it was handed out, and there may be another one.
  private func mustWait(_ task: TaskID) -> Bool {
    guard work.plan.tasks[task.index].isPlaced(isElsewhere: work.isElsewhere),
      !executor.canStart(on: core.placement?.machine(of: task.index))
    else { return false }
    limitWorkers()
    if let needs = core.unmetNeeds(of: task), core.placement?.isHopeless(needs) == true {
      return false
    }
    return executor.expectsWorkers || executor.places.map { $0 > 0 } ?? false
  }

  /// Reports the machines to the engine, if tasks need something of theirs.
  private func updateMachines() {
    guard core.placement != nil else { return }
    for (index, machine) in executor.machines.enumerated() {
      if core.placement?.count == index {
        core.placement?.addMachine(machine.has, own: machine.own)
      }
      core.placement?.setOpen(index, machine.isOpen)
    }
    core.placement?.expectsMachines = executor.expectsWorkers
    core.placement?.largestDedicatedMachine = executor.dedicatedMachines?.largest
  }

  /// Tells the executor what waiting tasks need, so that it can provide machines for them.
  func tellNeeds() {
    guard let machines = executor.dedicatedMachines else { return }
    // During a pause nothing starts, but what was asked for will be needed.
    if core.isPaused || core.isHeld { return executor.expect(nil) }
    var wanted = core.readyNeeds(most: machines.most)
    // They have a machine, which is idle until their files have been checked.
    for task in files.tasksBeingChecked {
      let needs = core.needs(of: task)
      if let index = wanted.firstIndex(where: { $0.needs == needs }) {
        wanted[index].count += 1
      } else {
        wanted.append((needs, 1))
      }
    }
    executor.expect(wanted)
  }

  /// Ends the ready tasks that have nothing to do, if a machine would be provided for each.
  ///
  /// - Returns: Whether a task has ended, so that the engine may have new commands.
  func endSkipped() -> Bool {
    guard executor.dedicatedMachines != nil, !core.isPaused, !core.isHeld else { return false }
    var hasEnded = false
    mayBeSkipped.removeAll { task in
      guard core.isReady(task) else { return core.outcome(of: task) != nil }
      let isDone = resumption?.isDone(task) == true
      guard isDone || shouldSkip(task) else { return false }
      let outcome = Outcome.skipped(isDone ? .doneEarlier : .condition)
      if core.endReady(task, result: outcome, at: clock.now) { hasEnded = true }
      return true
    }
    return hasEnded
  }

  /// Reports which machines have not started, if that has changed.
  func tellWaiting() {
    guard executor.waiting != waiting else { return }
    waiting = executor.waiting
    // The machine may have slept, and the run may have been paused; the difference to now is what counts.
    let start = waiting?.start.map { clock.now + max($0 - MonotonicTime.continuous, .zero) }
    core.workersWait(
      RunEvent.WorkersWaiting(
        count: waiting?.count ?? 0, reason: waiting?.reason ?? "", start: start,
        advice: waiting?.advice, places: waiting?.places ?? 0), at: clock.now)
  }

  /// Lets no more attempts run at once than there are places for.
  func limitWorkers() {
    updateMachines()
    guard let places = executor.places else { return }
    // If no machine is left and none is expected, tasks fail to start, because nothing would ever start them.
    core.workersLeft = min(max(places, executor.expectsWorkers ? 0 : 1), core.workers)
  }

  /// Reports ended attempts to the engine.
  func takeExits(at now: Duration) {
    // Done last: by then, machines for a single task are no longer counted if their task has ended.
    defer { limitWorkers() }
    tellWaiting()
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
    if files.isKept(task), let subject = work.subject(of: task),
      core.attemptSucceeds(task, result: result)
    {
      files.keep(task, subject)
    } else {
      core.attemptEnded(task, result: result, at: now)
    }
  }

  /// Ends processes that belong to no task any more.
  ///
  /// - Returns: Warnings that name them and the machines that do not answer; none if there is nothing to say.
  func endStrays() -> [String] {
    var names: [String] = []
    if let ending = StrayEnding(table.strays(), executor, at: clock.now) {
      names = ending.names
      // Strays that have ended have to be reaped, and a second signal that asks for the end does not wait.
      repeat {
        waitForEnd()
        _ = table.exits()
      } while !ending.isOver(
        with: table.strays(), executor, isUrgent: endsAtOnce, at: clock.now)
    }
    var warnings = endElsewhere().map {
      "\($0.sanitized) has not said whether anything of the run is left there"
    }
    names += executor.strayNames
    if !names.isEmpty {
      let shown = names.map { work.masked($0).sanitized }.joined(separator: ", ")
      warnings.append("ended processes that belong to no task: \(shown)")
    }
    return warnings
  }

  /// Ends what is left of the run on other machines.
  ///
  /// - Returns: The machines that have not said in time that nothing is left.
  private func endElsewhere() -> [String] {
    executor.end()
    var isUrgentSince: Duration?
    while !executor.hasEnded {
      waitForEnd()
      guard endsAtOnce else { continue }
      let since = isUrgentSince ?? clock.now
      isUrgentSince = since
      if clock.now - since > AttemptTable.killTimeout { return executor.unanswered }
    }
    return []
  }
}
