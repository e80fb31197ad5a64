import HeadwayLaunch
import HeadwayLock
import HeadwayRun
import Testing

/// The examples beside the declarations, and that of the page.
struct SnippetTests {
  private let screen = SnippetScreen()

  @Test func `Events are applied to a state`() async throws {
    let show = screen.show
    var graph = LaunchGraph()
    let compile = graph.add("compile") { _ in }
    let launcher = try Launcher(graph)
    var state = RunState(taskCount: graph.count)
    let events = launcher.events()  // before the run begins, so that none is missed
    launcher.start()
    for await event in events {
      state.apply(event)
      show("\(state.counts[.succeeded]) of \(state.tasks.count)")
    }
    #expect(state.outcome(of: compile) == .succeeded)
    #expect(screen.lines.last == "1 of 1")
  }

  @Test func `What an attempt used is a share of a processor and some memory`() {
    func line(of usage: ResourceUsage, after ran: Duration) -> String {
      let share = Int(usage.cpuTime / ran * 100)
      return "\(share) % of a processor, "
        + (usage.peakMemory.map { "\($0 >> 20) MiB" } ?? "little memory")
    }
    let usage = ResourceUsage(cpuTime: .seconds(3), peakMemory: 5 << 20)
    #expect(line(of: usage, after: .seconds(4)) == "75 % of a processor, 5 MiB")
    #expect(line(of: ResourceUsage(cpuTime: .zero), after: .seconds(4)).hasSuffix("little memory"))
  }

  @Test func `All that can go on goes on after a failure`() async throws {
    var graph = LaunchGraph()
    graph.add("fail") { _ in throw CancellationError() }
    graph.add("go on") { _ in }
    let options = LauncherOptions(workers: 1, policy: .keepGoing)
    let result = try await Launcher(graph, options: options).run()
    #expect(result["go on"]?.outcome.isSuccess == true && !result.isSuccess)
  }

  @Test func `A task has an index and a name`() throws {
    let show = screen.show
    var graph = LaunchGraph()
    let compile: TaskID = graph.add("compile") { _ in }
    show("\(compile.name) is task \(compile.index)")  // compile is task 0
    #expect(screen.lines == ["compile is task 0"])
  }

  @Test func `A cycle is described by its tasks`() throws {
    let show = screen.show
    var graph = LaunchGraph()
    let a = graph.add("a") { _ in }
    let b = graph.add("b", after: [a]) { _ in }
    graph.addDependency(of: a, on: b)
    do throws(GraphError) {
      try graph.validate()
    } catch {
      show("\(error)")  // names the tasks that wait for each other
    }
    #expect(screen.lines.first?.contains("a") == true)
  }

  @Test func `An outcome has a symbol`() {
    func symbol(of outcome: Outcome) -> String {
      switch outcome.kind {
      case .succeeded, .upToDate, .doneEarlier: "✓"
      case .skipped: "–"
      default: "✗"
      }
    }
    #expect(symbol(of: .succeeded) == "✓" && symbol(of: .cancelled) == "✗")
    #expect(symbol(of: .skipped(.upToDate)) == "✓" && symbol(of: .skipped(.removed)) == "–")
  }

  @Test func `A failure says what happened`() {
    let show = screen.show
    let failure: Failure = .threw("no connection")
    show("\(Outcome.failed(failure).isFailure), because: \(failure)")
    #expect(screen.lines == ["true, because: no connection"])
  }

  @Test func `A skipped task has a reason`() {
    let show = screen.show
    let outcome = Outcome.skipped(.needs(TaskID(0, name: "compile")))
    if case .skipped(.needs(let task)) = outcome { show("\(task.name) did not succeed") }
    #expect(screen.lines == ["compile did not succeed"])
  }

  @Test func `Events become lines`() {
    func line(of event: RunEvent) -> String? {
      switch event.kind {
      case .taskEnded(let task, let outcome, attempts: _, ran: _): "\(task.name): \(outcome.kind)"
      case .runEnding(.deadline(let limit)): "the run has taken longer than \(limit)"
      default: nil
      }
    }
    let end = RunEvent(
      time: .seconds(3),
      kind: .taskEnded(TaskID(0, name: "link"), .succeeded, attempts: 1, ran: .seconds(2)))
    #expect(line(of: end) == "link: succeeded")
    let late = RunEvent(time: .seconds(9), kind: .runEnding(.deadline(.seconds(9))))
    #expect(line(of: late) == "the run has taken longer than 9.0 seconds")
    #expect(line(of: RunEvent(time: .zero, kind: .runPaused)) == nil)
  }

  @Test func `Waiting machines become a line`() {
    func line(for waiting: RunEvent.WorkersWaiting) -> String {
      "\(waiting.count) not started (\(waiting.reason))" + (waiting.advice.map { ": \($0)" } ?? "")
    }
    var waiting = RunEvent.WorkersWaiting(count: 3, reason: "Priority", start: nil, advice: nil)
    #expect(line(for: waiting) == "3 not started (Priority)")
    waiting = .init(count: 1, reason: "JobHeldUser", start: nil, advice: "scontrol release 7")
    #expect(line(for: waiting) == "1 not started (JobHeldUser): scontrol release 7")
  }

  @Test func `A state counts outcomes and tasks at work`() {
    let show = screen.show
    var state = RunState(taskCount: 2)
    state.apply(RunEvent(time: .zero, kind: .runStarted(tasks: 2, workers: 2)))
    for index in 0..<2 {
      state.apply(RunEvent(time: .zero, kind: .taskStarted(TaskID(index), attempt: 1)))
    }
    state.apply(
      RunEvent(
        time: .seconds(1),
        kind: .taskEnded(TaskID(0), .succeeded, attempts: 1, ran: .seconds(1))))
    let counts: RunState.Counts = state.counts
    let atWork: [RunState.Task] = state.tasks.filter { $0.phase == .running }
    show("\(counts[.succeeded]) succeeded, \(counts[.failed]) failed, \(atWork.count) at work")
    #expect(screen.lines == ["1 succeeded, 0 failed, 1 at work"])
  }

  @Test func `A forecast becomes a line`() {
    func line(of forecast: RunForecast) -> String {
      if let late: RunForecast.LateTask = forecast.late {
        return "\(late.task.name) usually takes \(late.usual)"
      }
      let tasks: [RunForecast.Task] = forecast.tasks
      return "\(Int(forecast.fraction * 100)) %, \(tasks.count) at work"
    }
    var forecaster = RunForecaster(LaunchGraph(), workers: 1)
    var forecast = forecaster.forecast(at: .zero)
    forecast.fraction = 0.25
    #expect(line(of: forecast) == "25 %, 0 at work")
  }

  @Test func `A remaining time has a range`() {
    let show = screen.show
    let remaining = RemainingTime(low: .seconds(50), median: .seconds(60), high: .seconds(90))
    show("probably \(remaining.median), hardly more than \(remaining.high)")
    #expect(screen.lines == ["probably 60.0 seconds, hardly more than 90.0 seconds"])
  }

  @Test func `A rounded time becomes words`() {
    func words(for remaining: RoundedRemaining) -> String {
      switch remaining {
      case .unknown: ""
      case .about(let time): "about \(time)"
      case .between(let low, let high): "\(low) to \(high)"
      case .late: "later than expected"
      }
    }
    #expect(words(for: .about(.seconds(15))) == "about 15.0 seconds")
    #expect(words(for: .late) == "later than expected" && words(for: .unknown).isEmpty)
  }
}

/// Keeps what examples show.
private final class SnippetScreen: Sendable {
  private let kept = Guarded<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func show(_ line: String) { kept.withLock { $0.append(line) } }
}
