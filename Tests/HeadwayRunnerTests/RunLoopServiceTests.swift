import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// How the run loop finds out whether services are ready, on virtual time.
struct RunLoopServiceTests {
  private typealias Script = VirtualMachine.Script
  private typealias AttemptScript = VirtualMachine.AttemptScript

  /// The attempts at the command that checks the service of a run of two tasks.
  private static let check = TaskID(2)
  /// A process that stays until it is ended.
  private static let staying = AttemptScript(leader: Script(duration: nil))

  /// A check that takes a millisecond.
  private static func check(_ result: Outcome) -> AttemptScript {
    AttemptScript(leader: Script(duration: .milliseconds(1)), result: result)
  }

  private static let no = check(.failed(.exited(code: 1)))
  private static let yes = check(.succeeded)

  /// Runs a service, and a task that needs it and takes a second.
  private func run(
    _ attempts: [AttemptScript] = [staying], checks: [AttemptScript] = [],
    readiness: Plan.Service.Readiness = .command(.program(["check"])), interval: Duration? = nil,
    timeout: Duration? = nil, restarts: Int = 0, logLimit: Int? = nil,
    statePath: String = LoopRun.noState,
    prepare: (VirtualMachine) -> Void = { _ in }
  ) throws -> LoopRun {
    var service = Plan.Service()
    service.readiness = readiness
    if let interval { service.interval = interval }
    service.timeout = timeout
    service.restarts = restarts
    let run = try LoopRun(
      [
        .make("db") {
          $0.service = service
          $0.logLimit = logLimit
          $0.timeout = service.timeout
          $0.retryLimit = service.restarts
          $0.backoff = .seconds(1)
        }, .make("test", after: [0]),
      ], statePath: statePath)
    run.machine.scripts[TaskID(0)] = attempts
    run.machine.scripts[Self.check] = checks
    prepare(run.machine)
    run.run()
    #expect(run.machine.violations == [])
    return run
  }

  /// When a service was ready, as times of the run.
  private func readyTimes(_ run: LoopRun) -> [Duration] {
    run.events.compactMap { if case .taskReady = $0.kind { $0.time } else { nil } }
  }

  /// When the attempts at a task were started.
  private func starts(_ task: TaskID, of run: LoopRun) -> [Duration] {
    run.machine.started.filter { $0.attempt.task == task }.map(\.at)
  }

  @Test func `A command checks a service at pauses that double, until it succeeds`() throws {
    let run = try run(checks: [Self.no, Self.no, Self.no, Self.no, Self.yes])
    // Each takes a millisecond; the pauses are 5, 5, 10, 20 and 40 ms.
    #expect(starts(Self.check, of: run) == [5, 11, 22, 43, 84].map { .milliseconds($0) })
    #expect(readyTimes(run) == [.milliseconds(85)])
    #expect(starts(TaskID(1), of: run) == [.milliseconds(85)])
    #expect(run.outcome(0) == .succeeded && run.outcome(1) == .succeeded)
  }

  @Test func `The pauses do not grow beyond the interval`() throws {
    let run = try run(
      checks: [Self.no, Self.no, Self.no, Self.no, Self.yes], interval: .milliseconds(15))
    #expect(starts(Self.check, of: run) == [5, 11, 22, 38, 54].map { .milliseconds($0) })
  }

  @Test func `A service that is never ready times out, and what needs it is skipped`() throws {
    let folder = Folder()
    let run = try run(checks: [Self.no], timeout: .seconds(5), statePath: folder.path)
    #expect(run.outcome(0) == .timedOut(limit: .seconds(5)) && run.end(0) == .seconds(5))
    #expect(run.outcome(1) == .skipped(.needs(TaskID(0))))
    #expect(
      run.log(0).contains("ended before it was ready: the command in \"ready\" does not succeed"))
    // At the interval of 100 ms, each takes 1 ms.
    #expect((45...60).contains(starts(Self.check, of: run).count))
  }

  @Test func `The log of a service names that of the command that checked it`() throws {
    let folder = Folder()
    var talking = Self.no
    talking.output = [(.zero, "connection refused\n")]
    let run = try run(checks: [talking], timeout: .milliseconds(8), statePath: folder.path)
    let name = "db%-ready.log"
    #expect(
      run.log(0)
        == "[headway] ended before it was ready: the command in \"ready\" does not succeed; "
        + "what it printed is in \(name) beside this log\n")
  }

  @Test func `A check that cannot be started is noted once`() throws {
    let folder = Folder()
    var missing = Self.no
    missing.cannotStart = true
    let run = try run(checks: [missing], timeout: .seconds(1), statePath: folder.path)
    #expect(run.outcome(0) == .timedOut(limit: .seconds(1)))
    let note = "its readiness cannot be checked: no such program\n"
    #expect(run.log(0).split(separator: note, omittingEmptySubsequences: false).count == 2)
  }

  @Test func `A service that ends before it is ready has failed, and its check is ended`() throws {
    let short = AttemptScript(leader: Script(duration: .milliseconds(50)))
    let run = try run([short], checks: [Self.staying])
    #expect(run.end(0) == .milliseconds(50))
    #expect(run.outcome(0)?.kind == .failed)
    #expect(run.outcome(1) == .skipped(.needs(TaskID(0))))
    #expect(run.machine.signals.contains("kill 2.1"))
    #expect(run.machine.survivors == [])
  }

  @Test func `A service that keeps ending is started again up to its limit`() throws {
    let short = AttemptScript(
      leader: Script(duration: .milliseconds(50)), result: .failed(.exited(code: 3)))
    let run = try run([short], checks: [Self.no], restarts: 2)
    // After pauses of one and two seconds.
    #expect(starts(TaskID(0), of: run) == [0, 1_050, 3_100].map { .milliseconds($0) })
    #expect(run.outcome(0) == .failed(.exited(code: 3)))
    #expect(run.outcome(1) == .skipped(.needs(TaskID(0))))
  }

  @Test func `A service that was started again is checked again`() throws {
    let short = AttemptScript(
      leader: Script(duration: .milliseconds(50)), result: .failed(.exited(code: 3)))
    // The fifth check of the first attempt would come too late.
    let checks = [Self.no, Self.no, Self.no, Self.no, Self.yes]
    let run = try run([short, Self.staying], checks: checks, restarts: 1)
    #expect(
      starts(Self.check, of: run)
        == [5, 11, 22, 43, 1_055, 1_061, 1_072, 1_093, 1_134].map { .milliseconds($0) })
    #expect(readyTimes(run) == [.milliseconds(1_135)])
    #expect(run.outcome(0) == .succeeded && run.outcome(1) == .succeeded)
  }

  @Test func `A check that leaves a process behind that cannot be killed is given up`() throws {
    var leaving = Self.yes
    leaving.children = [Script(duration: nil, obedience: nil, isImmortal: true)]
    let run = try run(checks: [leaving, Self.yes])
    let ready = try #require(readyTimes(run).first)
    // It is killed for 5 s, and a further check follows.
    #expect(ready > .seconds(5) && ready < .milliseconds(5_500))
    #expect(starts(Self.check, of: run).count == 2)
    #expect(run.outcome(1) == .succeeded)
  }

  @Test func `A check of an earlier attempt says nothing about the next one`() throws {
    let short = AttemptScript(
      leader: Script(duration: .milliseconds(50)), result: .failed(.exited(code: 3)))
    // It succeeds while the second attempt runs, because it cannot be killed.
    let late = AttemptScript(leader: Script(duration: .seconds(2), isImmortal: true))
    let run = try run([short, Self.staying], checks: [late], restarts: 1)
    let checks = starts(Self.check, of: run)
    try #require(checks.count == 2)
    #expect(checks[1] > .milliseconds(2_005))
    #expect(readyTimes(run) == [checks[1] + .seconds(2)])
  }

  @Test func `A pause stops a check, and its time does not pass`() throws {
    let slow = AttemptScript(leader: Script(duration: .milliseconds(50)))
    let run = try run(checks: [slow], timeout: .seconds(1)) {
      $0.schedule(.togglePause, at: .milliseconds(20))
      $0.schedule(.togglePause, at: .seconds(100))
    }
    #expect(
      run.machine.signals.contains("suspend 2.1") && run.machine.signals.contains("resume 2.1"))
    #expect(readyTimes(run) == [.milliseconds(55)])
    #expect(run.outcome(0) == .succeeded)
  }

  @Test func `No check starts in a pause`() throws {
    let run = try run(checks: [Self.no, Self.yes], interval: .seconds(1)) {
      $0.schedule(.togglePause, at: .milliseconds(8))
      $0.schedule(.togglePause, at: .seconds(100))
    }
    // The pause of 5 ms goes on after it.
    #expect(starts(Self.check, of: run) == [.milliseconds(5), .seconds(100) + .milliseconds(3)])
    #expect(run.outcome(1) == .succeeded)
  }

  @Test(arguments: ["db ready", "db%-ready", "db%-ready.log", "db%25-ready", "db\\%-ready"])
  func `The log of the checks of a service is that of no task, whatever the task is called`(
    name: String
  ) {
    let log = StateFolder.readinessLogName("db", index: 0)
    #expect(StateFolder.logName(name, index: 1) != log)
    // Nor that of another service, also if their names are cut.
    let long = String(repeating: "x", count: 500)
    let logs = [0, 1].flatMap {
      [StateFolder.readinessLogName(long, index: $0), StateFolder.logName(long, index: $0)]
    }
    #expect(Set(logs).count == 4 && logs.allSatisfy { $0.utf8.count <= 255 })
  }

  @Test(arguments: [0, 10, 1 << 20])
  func `A text is found in all of the output, however little of it is stored`(limit: Int) throws {
    let folder = Folder()
    var talking = Self.staying
    talking.output = [(.milliseconds(30), String(repeating: "x", count: 5_000) + "listening\n")]
    let run = try run(
      [talking], readiness: .output("listening"), logLimit: limit, statePath: folder.path)
    #expect(run.outcome(0) == .succeeded && run.outcome(1) == .succeeded)
    #expect(readyTimes(run).allSatisfy { $0 < .seconds(1) } && readyTimes(run).count == 1)
  }

  @Test func `A text of the output is found although it comes in two parts`() throws {
    let folder = Folder()
    var talking = Self.staying
    talking.output = [(.milliseconds(30), "it is liste"), (.milliseconds(300), "ning on 1\n")]
    let run = try run([talking], readiness: .output("listening on"), statePath: folder.path)
    let ready = try #require(readyTimes(run).first)
    #expect(ready >= .milliseconds(300) && ready <= .milliseconds(420))
    #expect(run.outcome(1) == .succeeded)
  }

  @Test func `What an earlier attempt printed does not make the next one ready`() throws {
    let folder = Folder()
    var first = AttemptScript(
      leader: Script(duration: .milliseconds(100)), result: .failed(.exited(code: 3)))
    first.output = [(.milliseconds(1), "listening\n")]
    var second = Self.staying
    second.output = [(.seconds(2), "listening\n")]
    let run = try run(
      [first, second], readiness: .output("listening"), restarts: 1, statePath: folder.path
    ) {
      $0.scripts[TaskID(1)] = [AttemptScript(leader: Script(duration: .seconds(10)))]
    }
    #expect(readyTimes(run).count == 2)
    #expect(readyTimes(run).last.map { $0 >= .milliseconds(3_100) } ?? false)
  }
}
