internal import CSpawn
internal import Glibc
internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRun

/// The loop of a run: waits for processes, output, signals and time, and tells the engine.
///
/// One thread does all of it and lives as long as the run, because the kernel ends a task's process with the
/// *thread* that started it. It never waits for a disk that it does not write to, nor for a surface.
final class RunLoop {
  /// What the tokens of the poller mean, above those of tasks.
  private enum Token {
    static let signals = UInt64.max
    static let keeper = UInt64.max - 1
    static let checker = UInt64.max - 2
    static let alarm = UInt64.max - 3
    static let control = UInt64.max - 4
  }

  /// How long processes that belong to no task may take to end at the end of the run.
  private static let strayPatience = Duration.seconds(1)

  /// What the run consists of, as processes.
  private let work: RunWork
  /// The keeper.
  private let keeper: Keeper
  /// The time line.
  private let clock: RunClock
  /// What is told to those who listen.
  private let hooks: RunHooks
  /// What a person asks for.
  private let control: RunControl
  /// What keeps the run for later ones.
  private let history: RunHistory
  /// What tells forecasts.
  private var teller: ForecastTeller
  /// The engine.
  private var core: LaunchCore
  /// The processes.
  private var table: ProcessTable
  /// What wakes the loop.
  private let poller: Poller
  /// What wakes the loop when something is due.
  private let alarm: RunAlarm
  /// What looks at files.
  private let checker: ContentsChecker
  /// The tasks of which the checker has to say whether they are up to date.
  private var checking: Set<TaskID> = []
  /// What the checker has answered in a pause.
  private var answersInPause: [ContentsChecker.Answer] = []
  /// The state of the files of running tasks, before they ran.
  private var checked: [TaskID: ContentsRecord.State] = [:]
  /// The attempt that each started task is at.
  private var attempts: [TaskID: Int] = [:]
  /// How often the terminal told a wish to end.
  private var typedWishes = 0
  /// The first signal that asked for the end.
  private(set) var endSignal: Int32?

  /// Creates a loop.
  init(
    core: consuming LaunchCore, work: RunWork, keeper: Keeper, clock: RunClock, hooks: RunHooks,
    control: RunControl, history: RunHistory, teller: ForecastTeller
  ) throws(RunnerError) {
    self.core = core
    self.work = work
    self.keeper = keeper
    self.clock = clock
    self.hooks = hooks
    self.control = control
    self.history = history
    self.teller = teller
    poller = try Poller()
    alarm = try RunAlarm()
    checker = try ContentsChecker()
    table = try ProcessTable(
      environment: work.environment, identity: work.identity, poller: poller)
    guard poller.add(keeper.signals, token: Token.signals),
      poller.add(keeper.alive, token: Token.keeper),
      poller.add(checker.bell, token: Token.checker),
      poller.add(alarm.bell, token: Token.alarm),
      poller.add(control.bell.descriptor, token: Token.control)
    else { throw .system("cannot wait for events", errno) }
  }

  /// Runs until every task has an outcome.
  ///
  /// - Returns: Remarks for the person, each a line.
  func run() -> [String] {
    clock.restart()
    core.begin(at: .zero)
    // What is expected of the whole run is told before anything else takes time.
    tell(at: .zero)
    carryOut()
    while !core.isFinished {
      turn()
    }
    // A run whose tasks were all ended from outside may be over in a pause.
    clock.goOn()
    return endStrays()
      + table.brokenLogs.map { log in
        "the log of \(work.plan.tasks[log.id.index].name) is not whole: \(RunnerError.words(log.error))"
      }
  }

  /// Waits once, and does what has come up.
  private func turn() {
    var hasChildNews = false
    alarm.set(nextMoment(), now: clock.now)
    for token in poller.wait() {
      switch token {
      case Token.signals: hasChildNews = takeSignals() || hasChildNews
      case Token.keeper: keeper.endWithout(restore: hooks.restoreTerminal)
      case Token.checker: takeAnswers()
      case Token.alarm: alarm.silence()
      case Token.control: takeWishes()
      default: table.readOutput(of: TaskID(Int(token)))
      }
    }
    if hasChildNews || table.nextLook.map({ $0 <= clock.now }) ?? false { reap() }
    table.listen(at: clock.now)
    for id in table.forceAgain(at: clock.now) {
      core.attemptEnded(id, result: .failed(.signalled(number: Int(SIGKILL))), at: clock.now)
    }
    core.advance(to: clock.now)
    carryOut()
  }

  /// The moment at which something has to be done without being woken by anything else.
  private func nextMoment() -> Duration? {
    // In a pause the time never comes to any moment.
    if clock.isStanding { return nil }
    return [
      core.nextDeadline, table.nextListening, table.nextLook, table.nextForce, teller.next,
    ]
    .compactMap { $0 }.min()
  }

  /// Does what the engine commands, and tells what has happened.
  private func carryOut() {
    repeat {
      while let command = core.nextCommand() {
        switch command {
        case .start(let id, let attempt): start(id, attempt: attempt)
        case .terminate(let id): if !drop(id) { table.terminate(id) }
        case .kill(let id): if !drop(id) { table.kill(id, at: clock.now) }
        }
      }
    } while followPause()
    tell(at: clock.now)
  }

  /// Tells what has happened, and what is to be expected now; all of it is kept before anybody hears of it.
  private func tell(at now: Duration) {
    var events = core.takeEvents()
    for event in events { teller.receive(event) }
    if let forecast = teller.tell(at: now) { events.append(forecast) }
    if events.isEmpty { return }
    history.keep(events)
    for event in events { hooks.event(event) }
  }

  /// Stops the tasks and the time, or lets them go on, as the engine is by now.
  ///
  /// - Returns: Whether the engine was told something that commands may follow from.
  private func followPause() -> Bool {
    if core.isPaused, !clock.isStanding {
      clock.stand()
      table.signalAll(SIGSTOP)
    } else if !core.isPaused, clock.isStanding {
      table.signalAll(SIGCONT)
      clock.goOn()
    }
    // Also after a pause that was over before anything could be stopped.
    guard !core.isPaused, !answersInPause.isEmpty else { return false }
    takeAnswers()
    return true
  }
}

// MARK: - Tasks

extension RunLoop {
  /// Starts an attempt, after a look at its files where they decide.
  private func start(_ id: TaskID, attempt: Int) {
    attempts[id] = attempt
    if let subject = work.subject(of: id), attempt == 1 {
      checking.insert(id)
      checker.ask(.check(id, subject))
    } else {
      launch(id, attempt: attempt)
    }
  }

  /// Starts the process of an attempt.
  private func launch(_ id: TaskID, attempt: Int) {
    guard let request = work.request(for: id, attempt: attempt) else {
      // A task that only gathers others is done when they are.
      return core.attemptEnded(id, result: .succeeded, at: clock.now)
    }
    var log = work.log(of: id)
    if attempt > 1 { log.remark("attempt \(attempt)") }
    core.attemptBegan(id, at: clock.now)
    let error = table.start(
      id, request, log: log, isDetached: work.plan.tasks[id.index].isDetached,
      at: clock.now)
    if let error {
      core.attemptEnded(id, result: .failed(.notStarted(reason: error.reason)), at: clock.now)
    }
  }

  /// Ends an attempt that has no process.
  ///
  /// - Returns: Whether it has none.
  private func drop(_ id: TaskID) -> Bool {
    guard checking.remove(id) != nil else { return false }
    core.attemptEnded(id, result: .skipped(.upToDate), at: clock.now)
    return true
  }

  /// Takes in what the checker found.
  private func takeAnswers() {
    let answers = answersInPause + checker.answers()
    // What may start a task waits for the end of the pause.
    answersInPause = core.isPaused ? answers : []
    if core.isPaused { return }
    for answer in answers {
      switch answer {
      case .checked(let id, let isUpToDate, let state):
        guard checking.remove(id) != nil else { continue }
        if isUpToDate && !work.isForced {
          core.attemptEnded(id, result: .skipped(.upToDate), at: clock.now)
        } else {
          checked[id] = state
          launch(id, attempt: attempts[id] ?? 1)
        }
      case .kept(let id, let unmatched):
        if !unmatched.isEmpty {
          var log = work.log(of: id)
          log.remark(
            "will run again next time: no file for \(unmatched.joined(separator: ", "))")
          log.close()
        }
        core.attemptEnded(id, result: .succeeded, at: clock.now)
      }
    }
  }

  /// Reaps what has ended, and tells the engine.
  private func reap() {
    for id in table.reap() {
      switch table.look(at: id, at: clock.now) {
      case .running, .ending: break
      case .left(let result): core.attemptLingers(id, result: result, at: clock.now)
      case .over(let result): finish(id, result)
      }
    }
  }

  /// Ends an attempt of which nothing is left.
  private func finish(_ id: TaskID, _ result: Outcome) {
    if let subject = work.subject(of: id), let state = checked[id],
      core.attemptSucceeds(id, result: result)
    {
      checked[id] = nil
      checker.ask(.keep(id, subject, checked: state))
    } else {
      core.attemptEnded(id, result: result, at: clock.now)
    }
  }

  /// Ends the processes that belong to no task any more.
  ///
  /// - Returns: A remark that names them, nothing where there are none.
  private func endStrays() -> [String] {
    let strays = table.strays()
    guard !strays.isEmpty else { return [] }
    let names = strays.map { "\(processName($0)) (\($0))" }
    for pid in strays { hw_signal_descendant(pid, SIGTERM) }
    let begin = clock.now
    while !table.strays().isEmpty {
      _ = table.reap()
      if clock.now - begin > Self.strayPatience {
        for pid in table.strays() { hw_signal_descendant(pid, SIGKILL) }
      }
      if clock.now - begin > Self.strayPatience * 2 { break }
      alarm.set(clock.now + ProcessTable.forceInterval, now: clock.now)
      if poller.wait().contains(Token.alarm) { alarm.silence() }
    }
    return ["ended what no task owned any more: \(names.joined(separator: ", "))"]
  }
}

// MARK: - Signals

extension RunLoop {
  /// Takes the signals that have come.
  ///
  /// - Returns: Whether a child has ended.
  private func takeSignals() -> Bool {
    var hasChildNews = false
    for signal in keeper.takeSignals() {
      switch signal.number {
      case SIGCHLD: hasChildNews = true
      case SIGTSTP: stop()
      case SIGCONT: hooks.resume()
      case SIGQUIT: end(.immediate, signal)
      default:
        // The terminal tells us and the keeper, which passes it on; either may see two presses of a key as
        // one, so each way is counted by itself. Whoever else tells us directly only asks for the end in
        // order.
        if signal.isFromTerminal { typedWishes += 1 }
        end(max(keeper.wishes, typedWishes) >= 2 ? .immediate : .graceful, signal)
      }
    }
    return hasChildNews
  }

  /// Ends the run because a signal asks for it.
  private func end(_ urgency: LaunchCore.Urgency, _ signal: Keeper.Signal) {
    endSignal = endSignal ?? signal.number
    core.end(urgency, at: clock.now)
  }

  /// Pauses the run, or lets it go on, as a person has asked for.
  private func takeWishes() {
    control.bell.silence()
    // A run that is ending goes on, whatever is asked for.
    if control.wantsPause { core.pause(at: clock.now) } else { core.resume(at: clock.now) }
  }

  /// Stops the tasks and this process, and lets all go on when the shell says so.
  private func stop() {
    // Tasks that are paused stay so.
    let isPaused = clock.isStanding
    hooks.suspend()
    if !isPaused {
      clock.stand()
      table.signalAll(SIGSTOP)
    }
    hw_stop_self()
    if !isPaused {
      table.signalAll(SIGCONT)
      clock.goOn()
    }
    hooks.resume()
  }
}
