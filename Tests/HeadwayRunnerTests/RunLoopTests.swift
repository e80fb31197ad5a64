import Glibc
import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// What the run loop does with attempts, signals and pauses, on virtual time.
struct RunLoopTests {
  private typealias Script = VirtualMachine.Script
  private typealias AttemptScript = VirtualMachine.AttemptScript

  /// A run of one task that follows a script.
  private func run(
    _ script: AttemptScript, statePath: String = LoopRun.noState,
    _ change: (inout Plan.Task) -> Void = { _ in }, prepare: (VirtualMachine) -> Void = { _ in }
  ) throws -> LoopRun {
    let run = try LoopRun([.make("a", change)], statePath: statePath)
    run.machine.scripts[TaskID(0)] = [script]
    prepare(run.machine)
    run.run()
    #expect(run.machine.violations == [])
    return run
  }

  // MARK: Ends

  @Test func `A task ends when its process does`() throws {
    let run = try run(AttemptScript(leader: Script(duration: .seconds(3))))
    #expect(run.outcome(0) == .succeeded && run.end(0) == .seconds(3))
    #expect(run.machine.waitCount == 2)
  }

  @Test func `A time-out fires in time, and a task that ignores it is killed after its grace`()
    throws
  {
    let deaf = AttemptScript(leader: Script(duration: nil, obedience: nil))
    let run = try run(deaf) {
      $0.timeout = .milliseconds(1500)
      $0.grace = .milliseconds(250)
    }
    #expect(run.outcome(0) == .timedOut(limit: .milliseconds(1500)))
    #expect(run.end(0) == .milliseconds(1750))
    #expect(run.machine.signals == ["terminate 0.1", "resume 0.1", "kill 0.1"])
  }

  @Test func `A task that has stopped itself is continued to follow a time-out`() throws {
    let stopped = AttemptScript(leader: Script(duration: nil, isStopped: true))
    let run = try run(stopped) { $0.timeout = .seconds(1) }
    #expect(run.end(0) == .seconds(1))
  }

  @Test func `A task that cannot be started fails with the reason, which its log has, too`() throws
  {
    let folder = Folder()
    var script = AttemptScript()
    script.cannotStart = true
    let run = try run(script, statePath: folder.path)
    #expect(run.outcome(0) == .failed(.notStarted(reason: "no such program")))
    #expect(run.log(0) == "[headway] no such program\n")
  }

  @Test func `A process that cannot be killed is given up after 5 seconds`() throws {
    let folder = Folder()
    let immortal = AttemptScript(leader: Script(duration: nil, obedience: nil, isImmortal: true))
    let run = try run(immortal, statePath: folder.path) {
      $0.timeout = .seconds(1)
      $0.grace = .seconds(1)
    }
    #expect(run.outcome(0) == .timedOut(limit: .seconds(1)))
    let end = try #require(run.end(0))
    #expect(end > .seconds(7) && end <= .milliseconds(7_020))
    #expect(run.log(0).contains("could not be ended: process 0"))
  }

  @Test func `The supervisor sees that the loop responds while many tasks start`() throws {
    let run = try LoopRun((0..<50).map { .make("task\($0)") }, workers: 50)
    run.run()
    #expect(run.machine.started.count == 50)
    #expect(run.machine.turns == 50)
  }

  @Test func `The supervisor sees that the loop responds while it kills again and again`() throws {
    let immortal = AttemptScript(leader: Script(duration: nil, obedience: nil, isImmortal: true))
    let run = try run(immortal) {
      $0.timeout = .seconds(1)
      $0.grace = .seconds(1)
    }
    // Each 20 ms for 5 s.
    #expect(run.machine.turns >= 250)
  }

  @Test func `What is forked while a task is killed is killed, too`() throws {
    var forker = AttemptScript(leader: Script(duration: nil, obedience: nil))
    forker.forksWhenKilled = 3
    let run = try run(forker) {
      $0.timeout = .seconds(1)
      $0.grace = .seconds(1)
    }
    #expect(run.outcome(0) == .timedOut(limit: .seconds(1)))
    let end = try #require(run.end(0))
    #expect(end > .seconds(2) && end < .milliseconds(2_100))
    #expect(run.machine.survivors == [] && run.warnings == [])
  }

  @Test func `The log has what a process writes up to the moment in which it is given up`() throws {
    let immortal = Script(duration: nil, obedience: nil, isImmortal: true)
    var script = AttemptScript(leader: immortal)
    func run() throws -> (run: LoopRun, folder: Folder) {
      let folder = Folder()
      let run = try self.run(script, statePath: folder.path) {
        $0.timeout = .seconds(1)
        $0.grace = .seconds(1)
      }
      return (run, folder)
    }
    let end = try #require(try run().run.end(0))
    // More than the loop reads at once.
    script.output = (0..<20).map { (end, "line \($0)\n") }
    let (last, folder) = try run()
    #expect(last.end(0) == end)
    let text = last.log(0)
    for number in 0..<20 { #expect(text.contains("line \(number)\n")) }
    _ = folder
  }

  @Test func `A second attempt follows after the backoff and is marked in the log`() throws {
    let folder = Folder()
    let run = try LoopRun([.make("a") { $0.retryLimit = 1 }], statePath: folder.path)
    run.machine.scripts[TaskID(0)] = [
      AttemptScript(result: .failed(.exited(code: 7))),
      AttemptScript(output: [(.zero, "done\n")]),
    ]
    run.run()
    #expect(run.outcome(0) == .succeeded && run.end(0) == .seconds(3))
    #expect(run.log(0) == "[headway] attempt 2\ndone\n")
  }

  // MARK: Updates

  @Test func `Events within 20 ms share an update`() throws {
    // One task after the other, a millisecond each.
    let run = try LoopRun((0..<100).map { .make("t\($0)") }, workers: 1)
    for index in 0..<100 {
      run.machine.scripts[TaskID(index)] = [
        AttemptScript(leader: Script(duration: .milliseconds(1)))
      ]
    }
    run.run()
    let starts = run.updates.flatMap(\.events).filter {
      if case .taskStarted = $0.kind { true } else { false }
    }
    #expect(starts.count == 100)
    // When the first task has started, every 20 ms, and at the end.
    #expect(run.updates.map(\.time) == [0, 20, 40, 60, 80, 100].map { .milliseconds($0) })
    for update in run.updates {
      #expect(update.events.allSatisfy { update.time - $0.time <= EventPipeline.updateInterval })
    }
  }

  @Test func `The first task starts before anything is announced, the next ones after it`() throws {
    let run = try LoopRun((0..<5).map { .make("t\($0)") }, workers: 3)
    run.run()
    let kinds = try #require(run.updates.first).events.map(\.kind)
    #expect(kinds.count == 2)
    #expect(kinds.first == .runStarted(tasks: 5, workers: 3))
    #expect(kinds.last == .taskStarted(TaskID(0), attempt: 1))
  }

  @Test func `Tasks are cancelled on request, and each request is answered`() throws {
    let run = try LoopRun([
      .make("a"), .make("b", after: [0]), .make("c[1]") { $0.base = "c" },
      .make("c[2]", after: [2]) { $0.base = "c" },
    ])
    for task in [0, 2] {
      run.machine.scripts[TaskID(task)] = [AttemptScript(leader: Script(duration: .seconds(10)))]
    }
    for (second, task) in [(1, "a"), (2, "c")] {
      run.machine.schedule(.ask(.cancelTask(task)), at: .seconds(second))
    }
    run.run()
    #expect(run.machine.violations == [])
    #expect(run.machine.requestAnswers == [nil, nil])
    #expect(
      (0..<4).map { run.outcome($0)?.kind } == [.cancelled, .skipped, .cancelled, .cancelled])
    #expect(run.end(0) == .seconds(1) && run.end(3) == .seconds(2))
  }

  @Test func `A request is answered once the listeners were told what it has changed`() throws {
    let run = try LoopRun([.make("a")])
    run.machine.scripts[TaskID(0)] = [
      AttemptScript(leader: Script(duration: .seconds(100), obedience: .seconds(5)))
    ]
    let requests: [RunRequest] = [.pause, .pause, .unpause, .retry(nil), .cancel, .pause, .cancel]
    for (index, request) in requests.enumerated() {
      // In the time after an update in which others wait.
      run.machine.schedule(.ask(request), at: .milliseconds(1 + index))
    }
    run.run()
    #expect(run.machine.violations == [])
    #expect(
      run.machine.requestAnswers == [
        nil, nil, nil, "the run is not held", nil, "the run is ending", nil,
      ])
    let told = run.machine.updatesBeforeAnswers.map { count in
      run.updates.prefix(count).flatMap(\.events).map(\.kind)
    }
    // Both pauses are granted, the second one without an effect.
    #expect(told[0].contains(.runPaused) && !told[0].contains(.runResumed))
    #expect(told[2].contains(.runResumed) && !told[2].contains(.runEnding(.cancelled)))
    #expect(told[4].contains(.runEnding(.cancelled)))
    #expect(run.outcome(0)?.kind == .cancelled)
  }

  @Test
  func `Requests of one moment take effect one after the other, also when the view leaves`() throws
  {
    let run = try LoopRun([.make("a")])
    run.machine.scripts[TaskID(0)] = [AttemptScript(leader: Script(duration: .seconds(10)))]
    for request in [RunRequest.pause, .unpause, .pause] {
      run.machine.schedule(.ask(request), at: .seconds(1))
    }
    run.machine.schedule(.viewLeaves, at: .seconds(1))
    run.machine.schedule(.ask(.unpause), at: .seconds(60))
    run.run()
    #expect(run.machine.violations == [])
    #expect(run.machine.requestAnswers == [nil, nil, nil, nil])
    let told = run.machine.updatesBeforeAnswers.map { count in
      run.updates.prefix(count).flatMap(\.events).map(\.kind).filter {
        $0 == .runPaused || $0 == .runResumed
      }
    }
    let pauses: [RunEvent.Kind] = [.runPaused, .runResumed, .runPaused, .runResumed]
    #expect(told.map(\.count) == [1, 2, 3, 4] && told.last == pauses)
    #expect(run.machine.signals == ["suspend 0.1", "resume 0.1", "suspend 0.1", "resume 0.1"])
  }

  @Test func `A request about a task that has ended, or is none, is refused`() throws {
    let run = try LoopRun([.make("a"), .make("b")])
    run.machine.scripts[TaskID(1)] = [AttemptScript(leader: Script(duration: .seconds(10)))]
    run.machine.scripts[TaskID(0)] = [AttemptScript(leader: Script(duration: .seconds(1)))]
    for task in ["a", "x"] { run.machine.schedule(.ask(.cancelTask(task)), at: .seconds(3)) }
    run.run()
    #expect(
      run.machine.requestAnswers == [
        "'a' has ended: succeeded", "there is no task 'x' in this run",
      ])
    #expect(run.outcome(1) == .succeeded)
  }

  @Test func `A pause is announced at once`() throws {
    let run = try run(
      AttemptScript(leader: Script(duration: .seconds(1))),
      prepare: {
        $0.schedule(.togglePause, at: .milliseconds(1))
        $0.schedule(.togglePause, at: .seconds(10))
      })
    let paused = try #require(
      run.updates.first { $0.events.contains { $0.kind == .runPaused } })
    #expect(paused.time == .milliseconds(1))
  }

  @Test func `A watched run is updated each second although nothing happens`() throws {
    let run = try LoopRun([.make("a")], schedule: .watched)
    run.machine.scripts[TaskID(0)] = [AttemptScript(leader: Script(duration: .seconds(10)))]
    run.run()
    #expect(run.machine.violations == [])
    let times = run.updates.map(\.time)
    #expect((1..<10).allSatisfy { times.contains(.seconds($0)) }, "\(times)")
  }

  // MARK: Output and leftovers

  @Test func `Output of a long task is read while it runs, that of a short one at its end`() throws
  {
    let folder = Folder()
    var script = AttemptScript(leader: Script(duration: .milliseconds(15)))
    script.output = [(.milliseconds(5), "short\n")]
    let short = try run(script, statePath: folder.path)
    #expect(short.log(0) == "short\n" && short.machine.waitCount == 1)
    script.leader.duration = .seconds(1)
    script.output = [(.milliseconds(30), "one\n"), (.milliseconds(500), "two")]
    let other = Folder()
    let long = try run(script, statePath: other.path)
    #expect(long.log(0) == "one\ntwo")
    // The end of the first 20 ms, two pieces of output, and the end.
    #expect(long.machine.waitCount == 4)
  }

  @Test func `If there is no room to wait for output, the loop tries again`() throws {
    let folder = Folder()
    var script = AttemptScript()
    script.output = [(.milliseconds(50), "late\n")]
    var answers = [false, true]
    let run = try run(
      script, statePath: folder.path, prepare: { $0.hasRoom = { answers.removeFirst() } })
    #expect(run.log(0) == "late\n" && answers.isEmpty)
    // Twice 20 ms, the output, and the end.
    #expect(run.machine.waitCount == 4)
  }

  @Test func `Output that ends early does not wake the loop again`() throws {
    let script = AttemptScript(
      leader: Script(duration: .seconds(9), closesOutput: .milliseconds(40)))
    let run = try run(script)
    #expect(run.end(0) == .seconds(9) && run.machine.waitCount == 3)
  }

  @Test func `Leftovers that still write have 200 ms before they are asked to end`() throws {
    let folder = Folder()
    var script = AttemptScript(children: [Script(duration: .milliseconds(1100))])
    script.output = [(.milliseconds(1050), "from tee\n")]
    let quick = try run(script, statePath: folder.path)
    #expect(quick.end(0) == .milliseconds(1100) && quick.machine.signals == [])
    #expect(quick.log(0) == "from tee\n")
    script.children = [Script(duration: nil)]
    let other = Folder()
    let slow = try run(script, statePath: other.path)
    #expect(slow.end(0) == .milliseconds(1200))
    #expect(slow.machine.signals == ["terminate 0.1", "resume 0.1"])
    #expect(slow.log(0) == "from tee\n[headway] left running, now ended: process 1\n")
  }

  @Test
  func
    `Leftovers that have closed the output are asked to end at once, and killed after the grace`()
    throws
  {
    let deaf = Script(duration: nil, obedience: nil, closesOutput: .zero)
    let run = try run(AttemptScript(children: [deaf])) { $0.grace = .seconds(2) }
    #expect(run.outcome(0) == .succeeded && run.end(0) == .seconds(3))
    #expect(run.machine.survivors == [])
  }

  @Test func `A run that is killed while leftovers write does not spin`() throws {
    let immortal = Script(duration: nil, obedience: nil, isImmortal: true)
    let run = try run(
      AttemptScript(children: [immortal]),
      prepare: { $0.schedule(.signal(SIGQUIT, isForwarded: true), at: .milliseconds(1100)) })
    // Until it is given up after 5 s, and for 2 s as a stray, each 20 ms.
    #expect(run.machine.waitCount < 400)
  }

  @Test func `Leftovers of a detached task live on`() throws {
    let folder = Folder()
    let daemons = [Script(duration: nil), Script(duration: nil, isHidden: true)]
    let run = try run(AttemptScript(children: daemons), statePath: folder.path) {
      $0.isDetached = true
    }
    #expect(run.outcome(0) == .succeeded && run.end(0) == .seconds(1))
    #expect(run.machine.survivors.count == 2 && run.machine.signals == [] && run.warnings == [])
  }

  @Test func `A stray is ended with the run and named`() throws {
    let hidden = Script(duration: nil, isHidden: true)
    let run = try run(AttemptScript(children: [hidden]))
    #expect(run.warnings == ["ended processes that belong to no task: process 1"])
    #expect(run.machine.signals == ["terminate stray 1"] && run.machine.survivors == [])
  }

  @Test func `A stray that ignores SIGTERM is killed after a second`() throws {
    let hidden = Script(duration: nil, obedience: nil, isHidden: true)
    let run = try run(AttemptScript(children: [hidden]))
    #expect(run.machine.survivors == [])
    #expect(run.machine.time.now > .seconds(2) && run.machine.time.now < .milliseconds(2100))
  }

  @Test func `After a detached task, only strays of other tasks are ended`() throws {
    let folder = Folder()
    let tasks: [Plan.Task] = [.make("a") { $0.isDetached = true }, .make("b", after: [0])]
    let run = try LoopRun(tasks, statePath: folder.path)
    let hidden = Script(duration: nil, isHidden: true)
    run.machine.scripts[TaskID(0)] = [AttemptScript(children: [Script(duration: nil), hidden])]
    run.machine.scripts[TaskID(1)] = [AttemptScript(children: [hidden])]
    run.run()
    // The last one may be the daemon of the detached task: nothing tells them apart.
    #expect(run.machine.survivors == ["0.1", "0.1", "1.1"] && run.warnings == [])
  }

  @Test func `A log that cannot be written is reported, and the task goes on`() throws {
    var script = AttemptScript()
    script.output = [(.zero, "lost\n")]
    let run = try run(script)
    #expect(run.outcome(0) == .succeeded)
    #expect(run.warnings == ["the log of a is incomplete: No such file or directory"])
  }

  // MARK: Pauses

  @Test func `Time stands still in a pause`() throws {
    let run = try run(
      AttemptScript(leader: Script(duration: .seconds(3))), { $0.timeout = .seconds(4) },
      prepare: {
        $0.schedule(.togglePause, at: .seconds(1))
        $0.schedule(.togglePause, at: .seconds(101))
      })
    #expect(run.outcome(0) == .succeeded && run.end(0) == .seconds(3))
    #expect(run.machine.time.now == .seconds(103))
    #expect(run.machine.signals == ["suspend 0.1", "resume 0.1"])
    // The end of the first 20 ms, two requests, and the end: no other wake-up.
    #expect(run.machine.waitCount == 4)
  }

  @Test func `A task that the checker finds to be out of date in a pause starts after it`() throws {
    let run = try LoopRun([.make("a") { $0.inputs = ["in"] }])
    run.machine.isUpToDate[TaskID(0)] = false
    run.machine.checkDelay = .seconds(2)
    run.machine.schedule(.togglePause, at: .seconds(1))
    run.machine.schedule(.togglePause, at: .seconds(11))
    run.run()
    #expect(run.machine.violations == [])
    #expect(run.machine.started.map(\.at) == [.seconds(11)])
    #expect(run.outcome(0) == .succeeded)
  }

  @Test func `A task that is up to date does not run, unless forced`() throws {
    for isForced in [false, true] {
      let run = try LoopRun([.make("a") { $0.inputs = ["in"] }], isForced: isForced)
      run.run()
      #expect(run.outcome(0) == (isForced ? .succeeded : .skipped(.upToDate)))
      #expect(run.machine.started.isEmpty == !isForced)
    }
  }

  @Test func `The files of a task are checked before its first attempt only`() throws {
    let run = try LoopRun([
      .make("a") {
        $0.inputs = ["in"]
        $0.retryLimit = 1
      }
    ])
    run.machine.isUpToDate[TaskID(0)] = false
    run.machine.checkDelay = .seconds(1)
    run.machine.scripts[TaskID(0)] = [
      AttemptScript(result: .failed(.exited(code: 7))), AttemptScript(),
    ]
    run.run()
    #expect(run.machine.violations == [])
    // A second for the check, one for the first attempt, and one until the next.
    #expect(run.machine.started.map(\.at) == [.seconds(1), .seconds(3)])
    #expect(run.outcome(0) == .succeeded)
  }

  // MARK: Signals

  /// A signal that asks for the end.
  private func interrupt(
    _ number: Int32 = SIGINT, isForwarded: Bool = true
  ) -> VirtualMachine.Incident {
    .signal(
      number, isForwarded: isForwarded)
  }

  /// A run of a task that ignores SIGTERM and one that always runs, with signals from outside.
  private func interrupted(_ incidents: [(Duration, VirtualMachine.Incident)]) throws -> LoopRun {
    let run = try LoopRun([
      .make("deaf") { $0.grace = .seconds(60) }, .make("clean", after: [0]) { $0.isAlways = true },
    ])
    run.machine.scripts[TaskID(0)] = [
      AttemptScript(leader: Script(duration: .seconds(30), obedience: nil))
    ]
    for (moment, incident) in incidents { run.machine.schedule(incident, at: moment) }
    run.run()
    #expect(run.machine.violations == [])
    return run
  }

  @Test func `The first interrupt ends the run in order, and tasks that always run still do`()
    throws
  {
    let run = try interrupted([(.seconds(1), interrupt())])
    #expect(run.outcome(0) == .cancelled && run.end(0) == .seconds(30))
    #expect(run.outcome(1) == .succeeded && run.endSignal == SIGINT)
  }

  @Test func `The second one ends everything at once`() throws {
    let pairs = [
      [interrupt(), interrupt()],
      [interrupt(SIGTERM), interrupt(SIGHUP)],
    ]
    for pair in pairs {
      let run = try interrupted([(.seconds(1), pair[0]), (.seconds(2), pair[1])])
      #expect(run.end(0) == .seconds(2) && run.outcome(1) == .cancelled)
    }
  }

  /// A run of a task of 10 s.
  private func disturbed(
    _ incidents: [VirtualMachine.Incident], ignoresHangup: Bool = false
  ) throws -> LoopRun {
    let run = try LoopRun([.make("a")])
    run.machine.scripts[TaskID(0)] = [AttemptScript(leader: Script(duration: .seconds(10)))]
    for (second, incident) in incidents.enumerated() {
      run.machine.schedule(incident, at: .seconds(second + 1))
    }
    run.machine.ignoresHangup = ignoresHangup
    run.run()
    #expect(run.machine.violations == [])
    return run
  }

  @Test func `A run goes on without its view, and hears of that once`() throws {
    let run = try disturbed([.viewLeaves, .viewLeaves, .ask(.pause), .ask(.unpause)])
    #expect(run.outcome(0) == .succeeded && run.endSignal == nil && run.viewLosses == 1)
  }

  @Test func `A closed terminal ends a run unless it is to go on without it`() throws {
    let hangup = interrupt(SIGHUP)
    let ended = try disturbed([hangup])
    #expect(ended.outcome(0) == .cancelled && ended.endSignal == SIGHUP)
    let detached = try disturbed([hangup, hangup], ignoresHangup: true)
    #expect(detached.outcome(0) == .succeeded && detached.endSignal == nil)
    let cancelled = try disturbed([hangup, interrupt(SIGTERM)], ignoresHangup: true)
    #expect(cancelled.outcome(0) == .cancelled && cancelled.endSignal == SIGTERM)
  }

  @Test func `The shell sees the signal that came first`() throws {
    let run = try interrupted([
      (.seconds(1), interrupt()), (.seconds(2), interrupt(SIGTERM)),
    ])
    #expect(run.end(0) == .seconds(2) && run.endSignal == SIGINT)
  }

  @Test func `A signal that both processes get counts once`() throws {
    let run = try interrupted([
      (.seconds(1), interrupt(SIGTERM)),
      (.seconds(2), interrupt(SIGTERM, isForwarded: false)),
    ])
    #expect(run.end(0) == .seconds(30) && run.outcome(1) == .succeeded)
    #expect(run.endSignal == SIGTERM)
  }

  @Test func `SIGQUIT ends everything at once`() throws {
    let run = try interrupted([(.seconds(1), interrupt(SIGQUIT))])
    #expect(run.end(0) == .seconds(1) && run.outcome(1) == .cancelled && run.endSignal == SIGQUIT)
  }

  @Test func `An interrupt ends a paused run`() throws {
    let run = try interrupted([(.seconds(1), .togglePause), (.seconds(9), interrupt())])
    #expect(run.outcome(0) == .cancelled && run.outcome(1) == .succeeded)
  }

  @Test func `A task is not started if the answer of the checker comes together with the end`()
    throws
  {
    let run = try LoopRun([.make("a") { $0.inputs = ["in"] }])
    run.machine.isUpToDate[TaskID(0)] = false
    run.machine.checkDelay = .seconds(1)
    // Signals come first.
    run.machine.reversesEvents = true
    run.machine.schedule(interrupt(), at: .seconds(1))
    run.run()
    #expect(run.machine.started.isEmpty && run.outcome(0) == .cancelled)
  }

  @Test func `The end of the run does not wait for the files of a finished task`() throws {
    let run = try LoopRun([.make("a") { $0.inputs = ["in"] }, .make("b", after: [0])])
    run.machine.isUpToDate[TaskID(0)] = false
    run.machine.checkDelay = .seconds(1000)
    run.machine.schedule(interrupt(), at: .seconds(1500))
    run.run()
    #expect(run.machine.violations == [])
    // It had succeeded, and has no record, so that it runs again next time.
    #expect(run.outcome(0) == .succeeded && run.end(0) == .seconds(1500))
    #expect(run.outcome(1) == .cancelled && run.machine.withdrawn == [TaskID(0)])
  }

  @Test func `The end of the run does not wait for the files of a task before it starts`() throws {
    let run = try LoopRun([.make("a") { $0.inputs = ["in"] }])
    run.machine.checkDelay = .seconds(1000)
    run.machine.schedule(interrupt(), at: .seconds(5))
    run.run()
    #expect(run.outcome(0) == .cancelled && run.end(0) == .seconds(5))
    #expect(run.machine.withdrawn == [TaskID(0)])
  }
}
