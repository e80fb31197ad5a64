import HeadwayLaunch
import HeadwayRun
import Testing

/// Services in the engine: when they hold a worker, what waits for them, and when they end.
struct ServiceTests {
  /// An engine with its log: what it commands, and what it tells.
  private final class Driver {
    private var core: LaunchCore
    private(set) var log: [String] = []
    private(set) var now = Duration.zero

    init(
      _ tasks: [(String, after: [String], TaskSettings)], workers: Int = 2,
      policy: FailurePolicy = .stop
    ) throws {
      core = try LaunchCore(graph: LaunchGraph(tasks, pools: []), workers: workers, policy: policy)
      core.begin(at: .zero)
      work()
    }

    /// Carries out all commands: an attempt begins as soon as it is started.
    private func work() {
      while let command = core.nextCommand() {
        switch command {
        case .start(let task, _):
          log.append("start #\(task.index)")
          core.attemptBegan(task, at: now)
        case .terminate(let task): log.append("end #\(task.index)")
        case .kill(let task): log.append("kill #\(task.index)")
        }
      }
      for event in core.takeEvents() {
        switch event.kind {
        case .taskReady(let task, _, _): log.append("ready #\(task.index)")
        case .taskEnded(let task, let outcome, _, _): log.append("#\(task.index) \(outcome.kind)")
        default: break
        }
      }
    }

    func ready(_ task: Int) {
      core.serviceReady(TaskID(task), at: now)
      work()
    }

    func ends(_ task: Int, _ result: Outcome = .succeeded) {
      core.attemptEnded(TaskID(task), result: result, at: now)
      work()
    }

    func cancels(_ task: Int) {
      _ = core.cancel(TaskID(task), at: now)
      work()
    }

    func end(_ urgency: LaunchCore.Urgency) {
      core.end(urgency, at: now)
      work()
    }

    func wait(_ time: Duration) {
      now += time
      core.advance(to: now)
      work()
    }

    /// Whether the run is over.
    var isFinished: Bool { core.isFinished }

    /// How a task ended.
    func outcome(_ task: Int) -> Outcome? { core.outcome(of: TaskID(task)) }

    /// The log since the last call.
    func news() -> [String] {
      defer { log = [] }
      return log
    }
  }

  private let plain = TaskSettings()
  private let always = TaskSettings(alwaysRuns: true)
  private let failed = Outcome.failed(.exited(code: 3))

  private func service(restart: Int = 0, timeout: Duration? = nil) -> TaskSettings {
    var settings = TaskSettings(
      timeout: timeout, retries: RetryPolicy(limit: restart, backoff: .seconds(1)))
    settings.role = .service
    return settings
  }

  private var group: TaskSettings {
    var settings = TaskSettings()
    settings.role = .group
    return settings
  }

  @Test func `What waits for a service starts when it is ready, and its worker is free`() throws {
    let run = try Driver(
      [("db", [], service()), ("test", ["db"], plain)], workers: 1)
    #expect(run.news() == ["start #0"])
    run.ready(0)
    #expect(run.news() == ["start #1", "ready #0"])
    run.ends(1)
    #expect(run.news() == ["end #0", "#1 succeeded"])
    #expect(!run.isFinished)
    run.ends(0, failed)
    #expect(run.news() == ["#0 succeeded"])
    #expect(run.isFinished)
  }

  @Test func `Services end in the reverse order, and stay for tasks behind others`() throws {
    let run = try Driver([
      ("db", [], service()), ("web", ["db"], service()), ("all", ["web"], group),
      ("migrate", ["all"], plain), ("test", ["migrate"], plain),
    ])
    run.ready(0)
    run.ready(1)
    run.ends(2)
    run.ends(3)
    #expect(
      run.news() == [
        "start #0", "start #1", "ready #0", "start #2", "ready #1", "start #3", "#2 succeeded",
        "start #4", "#3 succeeded",
      ])
    run.ends(4)
    #expect(run.news() == ["end #1", "#4 succeeded"])
    run.ends(1, failed)
    #expect(run.news() == ["end #0", "#1 succeeded"])
    run.ends(0)
    #expect(run.isFinished)
  }

  @Test func `A service on which nothing depends stays until all tasks are over`() throws {
    let run = try Driver([("web", [], service()), ("test", [], plain)])
    run.ready(0)
    #expect(run.news() == ["start #0", "start #1", "ready #0"])
    run.ends(1)
    #expect(run.news() == ["end #0", "#1 succeeded"])
  }

  @Test func `Services alone stay until the run is ended`() throws {
    let run = try Driver([
      ("db", [], service()), ("web", ["db"], service()), ("up", ["web"], group),
    ])
    run.ready(0)
    run.ready(1)
    run.ends(2)
    run.wait(.seconds(3600))
    #expect(run.news().allSatisfy { !$0.hasPrefix("end") })
    run.end(.graceful)
    #expect(run.news() == ["end #1"])
    run.ends(1, .failed(.signalled(number: 15)))
    #expect(run.news() == ["end #0", "#1 succeeded"])
    run.ends(0)
    #expect(run.news() == ["#0 succeeded"] && run.isFinished)
  }

  @Test func `A server stays although what prepares it has ended`() throws {
    let run = try Driver([
      ("settings", [], plain), ("db", [], service()), ("migrate", ["settings", "db"], plain),
      ("web", ["migrate"], service()), ("mail", [], service()),
    ])
    run.ready(1)
    run.ready(4)
    run.ends(0)
    run.ends(2)
    run.ready(3)
    run.wait(.seconds(3600))
    #expect(run.news().allSatisfy { !$0.hasPrefix("end") })
    run.end(.graceful)
    #expect(run.news() == ["end #3", "end #4"])
    run.ends(3)
    #expect(run.news() == ["end #1", "#3 succeeded"])
  }

  @Test func `A task that prepares no server ends it`() throws {
    let run = try Driver([
      ("settings", [], plain), ("web", ["settings"], service()), ("test", [], plain),
    ])
    run.ends(0)
    run.ready(1)
    #expect(run.news().allSatisfy { !$0.hasPrefix("end") })
    run.ends(2)
    #expect(run.news() == ["end #1", "#2 succeeded"])
  }

  @Test func `A service that has been ready is started again without a worker`() throws {
    let run = try Driver(
      [("db", [], service(restart: 2)), ("test", ["db"], plain), ("next", [], plain)], workers: 1)
    run.ready(0)
    #expect(run.news() == ["start #0", "start #1", "ready #0"])
    run.ends(0, failed)
    run.wait(.seconds(1))
    #expect(run.news() == ["start #0"])
    run.ends(0, failed)
    // It holds no worker that its end could give to others.
    #expect(run.news() == [])
    run.wait(.seconds(2))
    run.ready(0)
    #expect(run.news() == ["start #0", "ready #0"])
    run.ends(1)
    #expect(run.news() == ["end #0", "start #2", "#1 succeeded"])
    run.ends(0)
    run.ends(2)
    #expect(run.isFinished)
  }

  @Test func `An immediate end kills all services at once`() throws {
    let run = try Driver([("db", [], service()), ("web", ["db"], service())])
    run.ready(0)
    _ = run.news()
    run.end(.immediate)
    #expect(run.news() == ["kill #0", "kill #1"])
  }

  @Test func `A service that ends before it is ready skips what waits for it`() throws {
    let run = try Driver([("db", [], service()), ("test", ["db"], plain)])
    run.ends(0)
    #expect(run.news() == ["start #0", "#0 failed", "#1 skipped"])
    #expect(run.outcome(1) == .skipped(.needs(TaskID(0, name: "db"))))
    #expect(run.isFinished)
  }

  @Test func `A service that dies fails, even with exit code 0, and lets what runs go on`() throws {
    let run = try Driver(
      [("db", [], service()), ("test", ["db"], plain), ("last", ["db", "test"], plain)],
      policy: .keepGoing)
    run.ready(0)
    run.ends(0)
    #expect(run.news() == ["start #0", "start #1", "ready #0", "#0 failed", "#2 skipped"])
    run.ends(1)
    #expect(run.news() == ["#1 succeeded"] && run.isFinished)
  }

  @Test func `A service is started again, and releases what waits for it only once`() throws {
    let run = try Driver([("db", [], service(restart: 1)), ("test", ["db"], plain)], workers: 2)
    run.ready(0)
    run.ends(0, failed)
    #expect(run.news() == ["start #0", "start #1", "ready #0"])
    run.wait(.seconds(1))
    #expect(run.news() == ["start #0"])
    run.ready(0)
    run.ends(1)
    #expect(run.news() == ["ready #0", "end #0", "#1 succeeded"])
    run.ends(0)
    #expect(run.news() == ["#0 succeeded"] && run.isFinished)
  }

  @Test func `A service that waits to be started again ends with the last task`() throws {
    let run = try Driver([("db", [], service(restart: 1)), ("test", ["db"], plain)])
    run.ready(0)
    run.ends(0, failed)
    run.ends(1)
    #expect(run.news().suffix(2) == ["#1 succeeded", "#0 succeeded"] || run.isFinished)
    #expect(run.outcome(0) == .succeeded)
    #expect(run.isFinished)
  }

  @Test func `Its time limit is for getting ready`() throws {
    let limited = service(timeout: .seconds(5))
    let run = try Driver([("a", [], limited), ("b", [], limited), ("test", ["a", "b"], plain)])
    run.wait(.seconds(4))
    run.ready(0)
    run.wait(.seconds(1))
    #expect(run.news() == ["start #0", "start #1", "ready #0", "end #1"])
    run.ends(1)
    #expect(run.news() == ["end #0", "#1 timedOut", "#2 skipped"])
  }

  @Test func `A clean-up waits for the end of a service`() throws {
    let run = try Driver([
      ("db", [], service()), ("test", ["db"], plain), ("clean", ["db"], always),
    ])
    run.ready(0)
    run.ends(1)
    #expect(run.news() == ["start #0", "start #1", "ready #0", "end #0", "#1 succeeded"])
    run.ends(0)
    #expect(run.news() == ["start #2", "#0 succeeded"])
  }

  @Test func `After a failure the services end when what runs is over`() throws {
    let run = try Driver(
      [
        ("db", [], service()), ("a", ["db"], plain), ("b", ["db"], plain), ("c", ["b"], plain),
      ], workers: 3)
    run.ready(0)
    run.ends(1, failed)
    #expect(!run.news().contains("end #0"))
    run.ends(2)
    #expect(run.news() == ["end #0", "#2 succeeded"])
  }

  @Test func `Tasks behind one that runs are skipped because they need the service that died`()
    throws
  {
    let run = try Driver([
      ("db", [], service()), ("a", ["db"], plain), ("all", ["a"], group), ("b", ["all"], plain),
      ("other", [], plain), ("last", ["other"], plain),
    ])
    run.ready(0)
    run.ends(0, failed)
    let needsService = Outcome.skipped(.needs(TaskID(0, name: "db")))
    #expect(run.outcome(2) == needsService && run.outcome(3) == needsService)
    #expect(run.outcome(5) == .skipped(.stopped(by: TaskID(0, name: "db"))))
    run.ends(1)
    run.ends(4)
    #expect(run.outcome(1) == .succeeded && run.isFinished)
  }

  @Test(arguments: [FailurePolicy.stop, .keepGoing])
  func `A task that waits for a worker is skipped when its service dies`(policy: FailurePolicy)
    throws
  {
    let run = try Driver(
      [
        ("db", [], service()), ("a", ["db"], TaskSettings(priority: 1)), ("b", ["db"], plain),
        ("c", ["b"], plain), ("clean", ["c"], always),
      ], workers: 1, policy: policy)
    run.ready(0)
    run.ends(0, failed)
    let needsService = Outcome.skipped(.needs(TaskID(0, name: "db")))
    #expect(run.outcome(2) == needsService && run.outcome(3) == needsService)
    run.ends(1)
    #expect(run.news().filter { $0.hasPrefix("start") } == ["start #0", "start #1", "start #4"])
    run.ends(4)
    #expect(run.isFinished)
  }

  @Test func `A service that nothing needs before its delay has passed is not started`() throws {
    var late = service()
    late.delay = .seconds(60)
    let run = try Driver([
      ("first", [], plain), ("db", ["first"], late), ("a", ["first", "db"], plain),
    ])
    run.ends(0)
    run.cancels(2)
    #expect(run.news() == ["start #0", "#0 succeeded", "#2 cancelled", "#1 cancelled"])
    #expect(run.isFinished)
  }

  @Test func `A second service ends when the first of two fails in a run of services alone`() throws
  {
    let run = try Driver([("a", [], service()), ("b", [], service())])
    run.ready(0)
    run.ready(1)
    run.ends(0, failed)
    #expect(run.news().suffix(2) == ["end #1", "#0 failed"])
    run.ends(1)
    #expect(run.isFinished)
  }

  @Test func `An event of readiness is the same after it was written and read`() throws {
    var state = RunState(taskCount: 1)
    state.apply(RunEvent(time: .zero, kind: .taskStarted(TaskID(0), attempt: 1)))
    state.apply(
      RunEvent(time: .seconds(2), kind: .taskReady(TaskID(0), attempt: 1, after: .seconds(2))))
    #expect(state.tasks[0].isReady && state.tasks[0].phase == .running)
    state.apply(
      RunEvent(
        time: .seconds(3),
        kind: .taskRetrying(TaskID(0), attempt: 2, delay: .seconds(1), because: failed)))
    #expect(!state.tasks[0].isReady)
  }
}
