import HeadwayForecast
import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import HeadwayView
import Repetitions
import Testing

/// What a person may expect of the bar: one test, or a few, for each promise of the page "What the bar promises".
struct BarPromiseTests {
  /// A build of fourteen tasks: ten that compile, one that generates before, a link, a test and a long analysis.
  private func build() -> (graph: LaunchGraph, seconds: [Double]) {
    var graph = LaunchGraph()
    var seconds: [Double] = []
    let generate = graph.add("generate")
    seconds.append(8)
    let compile = (0..<10).map { graph.add("compile \($0)") }
    for (number, task) in compile.enumerated() {
      graph.addDependency(of: task, on: generate)
      seconds.append(3 + Double(number * 7 % 10))
    }
    let link = graph.add("link")
    for task in compile { graph.addDependency(of: link, on: task) }
    let test = graph.add("test")
    graph.addDependency(of: test, on: link)
    let analyse = graph.add("analyse")
    graph.addDependency(of: analyse, on: generate)
    return (graph, seconds + [5, 20, 25])
  }

  /// The history of the build: a number of runs, each by a factor slower than usual.
  private func history(_ factors: [Double]) -> DurationHistory {
    let (graph, seconds) = build()
    return DurationHistory(
      runs: factors.map { factor in
        DurationHistory.Run(
          samples: seconds.indices.map {
            DurationHistory.Sample(
              name: graph.names[$0], kind: "", duration: .seconds(seconds[$0] * factor))
          }, workers: 2)
      })
  }

  /// A random run: a graph, its tasks' times, and what earlier runs say, more or less right.
  private func random(_ seed: UInt64) throws -> BarCourse {
    var generator = SeededRandom(seed)
    var graph = LaunchGraph()
    var seconds: [Double] = []
    var scripts: [TaskID: [VirtualRun.Script]] = [:]
    for place in 0..<Int.random(in: 1...40, using: &generator) {
      let retries = RetryPolicy(limit: generator.once(in: 6) ? 1 : 0, backoff: .seconds(1))
      let task = graph.add(
        "task \(place)", settings: TaskSettings(retries: retries, isOptional: generator.once(in: 3))
      )
      for earlier in 0..<place where generator.once(in: 8) {
        graph.addDependency(of: task, on: TaskID(earlier))
      }
      seconds.append(
        Double.random(in: 0...1, using: &generator) * (generator.once(in: 5) ? 60 : 10))
      var script = VirtualRun.Script(duration: .seconds(seconds[place]))
      if generator.once(in: 9) { script.result = .skipped(.upToDate) }
      if generator.once(in: 9) { script.result = .failed(.exited(code: 1)) }
      var again = script
      again.result = .succeeded
      scripts[task] = [script, again]
    }
    let samples = seconds.indices.filter { _ in !generator.once(in: 4) }.map {
      DurationHistory.Sample(
        name: "task \($0)", kind: "",
        duration: .seconds(seconds[$0] * Double.random(in: 0.5...1.5, using: &generator)))
    }
    return try BarCourse(
      graph, seconds: seconds, workers: Int.random(in: 1...4, using: &generator),
      history: DurationHistory(samples, runs: Int.random(in: 0...3, using: &generator)),
      scripts: scripts, policy: generator.once(in: 2) ? .stop : .keepGoing, looks: 200)
  }

  @Test func `1. It never moves back, and is full only when everything has finished`() throws {
    for seed in 0..<repetitions(12, real: 60) {
      let course = try random(UInt64(seed))
      #expect(course.steps.allSatisfy { $0 >= 0 }, "seed \(seed)")
      #expect(course.looks.allSatisfy { $0.forecast.fraction < 1 }, "seed \(seed)")
      let last = course.looks.last?.forecast.fraction ?? 0
      #expect(course.last.fraction >= last, "seed \(seed)")
    }
    let (graph, seconds) = build()
    #expect(try BarCourse(graph, seconds: seconds).last.fraction == 1)
  }

  @Test func `2. It moves while work continues, and names the task that delays it`() throws {
    let (graph, seconds) = build()
    for factors in [[], [1], [1, 1.1, 0.9]] as [[Double]] {
      var slow = seconds
      // The link takes twenty times as long as it ever did.
      slow[11] *= 20
      let course = try BarCourse(graph, seconds: slow, history: history(factors))
      #expect(course.steps.allSatisfy { $0 > 0 })
      guard !factors.isEmpty else { continue }
      let late = try #require(course.looks.last { $0.forecast.late != nil }?.forecast.late)
      #expect(graph.names[late.task.index] == "link")
      #expect(late.elapsed > .seconds(50) && late.usual < .seconds(10))
    }
  }

  @Test func `3. Half the bar is half the time`() throws {
    let (graph, seconds) = build()
    let course = try BarCourse(graph, seconds: seconds, history: history([1, 1, 1, 1]))
    #expect(course.largestError < 0.03, "\(course.largestError)")
    // Position is not count: after half the tasks much less than half the time has passed.
    let counted = 7.0 / 14
    let half = course.looks.min { left, right in
      abs(left.forecast.fraction - counted) < abs(right.forecast.fraction - counted)
    }
    #expect(abs((half.map(course.truth) ?? 0) - 0.5) < 0.03)
  }

  @Test func `4. It is not parked at 99 %, and a long tail grows openly`() throws {
    let (graph, seconds) = build()
    var slow = seconds
    slow[12] *= 3
    let course = try BarCourse(graph, seconds: slow, history: history([1, 1.1, 0.9]))
    let parked = course.looks.count { $0.forecast.fraction >= 0.99 }
    #expect(Double(parked) / Double(course.looks.count) <= 0.02)
    // While the tail runs, the moment of the end that is told moves out.
    let ends = course.looks.suffix(300).map { $0.time + ($0.forecast.remaining?.median ?? .zero) }
    #expect(ends[299] > ends[0] + .seconds(10))
    #expect(course.looks.suffix(300).allSatisfy { $0.forecast.shown != .about(.zero) })
  }

  @Test func `5. The remaining time counts down, and is told as well as it is known`() throws {
    let (graph, seconds) = build()
    let sure = try BarCourse(graph, seconds: seconds, history: history([1, 1, 1, 1]))
    // A second each second: what is shown and the time that passed add up to the same.
    for look in sure.looks {
      let (least, most): (Duration, Duration)
      switch look.forecast.shown {
      case .about(let left): (least, most) = (left, left)
      case .between(let from, let to): (least, most) = (from, to)
      case .unknown, .late:
        Issue.record("a sure run shows \(look.forecast.shown) at \(look.time)")
        continue
      }
      // Minutes are whole above one, and seconds are told in fives.
      let step: Duration = most >= .seconds(60) ? .seconds(35) : .seconds(8)
      let left = sure.total - look.time
      #expect(left > least - step && left < most + step, "\(look)")
    }
    let first = try BarCourse(graph, seconds: seconds)
    #expect(first.looks[0].forecast.shown == .unknown)
    let unsure = try BarCourse(graph, seconds: seconds, history: history([0.3, 1, 3]))
    #expect(
      unsure.looks.contains {
        if case .between = $0.forecast.shown { true } else { false }
      })
  }

  @Test func `6. The second run is good, and what did not run counts nothing`() throws {
    let (graph, seconds) = build()
    let first = try BarCourse(graph, seconds: seconds)
    let second = try BarCourse(
      graph, seconds: seconds, history: DurationHistory(first.samples, runs: 1))
    #expect(second.meanError < 0.03, "\(second.meanError)")
    #expect(second.meanError < first.meanError / 2)
    // Half the compilations are up to date at once: the bar is a part of the shorter time.
    var scripts: [TaskID: [VirtualRun.Script]] = [:]
    for place in 1...5 {
      scripts[TaskID(place)] = [VirtualRun.Script(duration: .zero, result: .skipped(.upToDate))]
    }
    let cached = try BarCourse(
      graph, seconds: seconds, history: DurationHistory(first.samples, runs: 1), scripts: scripts)
    #expect(cached.total < second.total)
    #expect(cached.meanError < 0.06, "\(cached.meanError)")
    #expect(cached.looks[999].forecast.fraction < 1)
  }

  @Test func `6. A task that is tried again counts again`() throws {
    let (_, seconds) = build()
    var graph = LaunchGraph()
    let task = graph.add(
      "long", settings: TaskSettings(retries: RetryPolicy(limit: 1, backoff: .zero)))
    let failing = VirtualRun.Script(
      duration: .seconds(seconds[12]), result: .failed(.exited(code: 1)))
    let working = VirtualRun.Script(duration: .seconds(seconds[12]))
    let sample = DurationHistory.Sample(
      name: "long", kind: "", duration: .seconds(seconds[12]))
    let course = try BarCourse(
      graph, seconds: [], history: DurationHistory([sample], runs: 3),
      scripts: [task: [failing, working]])
    let after = course.looks[510].forecast.remaining?.median ?? .zero
    #expect(abs(after / (course.total * 490 / 1000) - 1) < 0.1, "\(after)")
  }

  @Test func `7. Tasks that are added slow the bar, and removed ones speed it up`() throws {
    let history = DurationHistory(
      (0..<20).map {
        DurationHistory.Sample(name: "task \($0)", kind: "", duration: .seconds(10))
      }, runs: 3)
    for adds in [true, false] {
      var graph = LaunchGraph()
      for place in 0..<10 { _ = graph.add("task \(place)") }
      var events = [RunEvent(time: .zero, kind: .runStarted(tasks: 10, workers: 1))]
      for place in 0..<10 {
        if place == 5 {
          let news: [RunEvent.Kind] =
            adds
            ? (10..<15).map { .taskAdded(TaskID($0, name: "task \($0)")) }
            : (7..<10).map { .taskEnded(TaskID($0), .skipped(.removed), attempts: 0, ran: .zero) }
          for kind in news { events.append(RunEvent(time: .seconds(50), kind: kind)) }
        }
        if !adds, place >= 7 { break }
        run(place, into: &events)
      }
      if adds { for place in 10..<15 { run(place, into: &events) } }
      let end = events.last?.time ?? .zero
      events.append(RunEvent(time: end, kind: .runEnded))
      let course = BarCourse(
        events, of: RunForecaster(graph, workers: 1, history: history),
        names: (0..<15).map { "task \($0)" })
      let steps = course.steps
      #expect(steps.allSatisfy { $0 >= 0 })
      // Before the news, and well after it: the usual pace is a thousandth a look, by the time that was known.
      let place = course.looks.firstIndex { $0.time >= .seconds(50) } ?? 0
      let (before, after) = (steps[place - 50], steps[place + 30])
      #expect(adds ? after < before : after > before)
      #expect(steps.max() ?? 1 < 0.01, "no jump")
      #expect(course.last.fraction == 1)
    }
  }

  /// Runs a task of ten seconds behind what has happened.
  private func run(_ place: Int, into events: inout [RunEvent]) {
    let now = events.last?.time ?? .zero
    events.append(RunEvent(time: now, kind: .taskStarted(TaskID(place), attempt: 1)))
    events.append(
      RunEvent(
        time: now + .seconds(10),
        kind: .taskEnded(TaskID(place), .succeeded, attempts: 1, ran: .seconds(10))))
  }

  @Test func `8. After a failure it stops where it is`() throws {
    let (graph, seconds) = build()
    let broken = VirtualRun.Script(
      duration: .seconds(seconds[11]), result: .failed(.exited(code: 1)))
    let course = try BarCourse(
      graph, seconds: seconds, history: history([1, 1, 1]), scripts: [TaskID(11): [broken]])
    let last = try #require(course.looks.last).forecast.fraction
    #expect(course.last.fraction >= last && course.last.fraction < last + 0.002)
    #expect(course.last.fraction < 0.9)
  }

  @Test func `8. What was cut off does not pass for how long a task takes`() throws {
    let (graph, seconds) = build()
    var runs = history([1, 1, 1]).runs
    for index in runs[2].samples.indices where index >= 5 {
      runs[2].samples[index].duration = .milliseconds(100)
      runs[2].samples[index].isCensored = true
    }
    let course = try BarCourse(graph, seconds: seconds, history: DurationHistory(runs: runs))
    #expect(course.meanError < 0.03, "\(course.meanError)")
  }

  @Test func `9. It adapts to a machine that is twice as slow, and to other workers`() throws {
    let (graph, seconds) = build()
    let slow = try BarCourse(
      graph, seconds: seconds.map { $0 * 2 }, history: history([1, 1.1, 0.9]))
    let told = slow.looks[500].forecast.remaining?.median ?? .zero
    #expect(abs(told / (slow.total - slow.looks[500].time) - 1) < 0.25, "\(told)")
    let wide = try BarCourse(graph, seconds: seconds, workers: 8, history: history([1, 1, 1]))
    #expect(wide.meanError < 0.03, "\(wide.meanError)")
  }

  @Test func `10. Nothing is drawn of a run under 200 ms`() {
    let (graph, _) = build()
    var renderer = ScreenRenderer(
      RunDescription(name: "build", names: graph.names),
      style: TerminalStyle(color: false, unicode: true))
    var forecaster = RunForecaster(graph, workers: 1)
    let event = RunEvent(time: .zero, kind: .runStarted(tasks: 14, workers: 2))
    forecaster.receive(event)
    var update = RunUpdate()
    update.events = [RunUpdate.Event(event, forecaster.state)]
    update.snapshot = RunSnapshot(forecaster.state, forecaster.forecast(at: .zero))
    var screen: [UInt8] = []
    let size = TerminalSize(columns: 80, rows: 24)
    renderer.update(update, into: &screen)
    renderer.frame(at: .milliseconds(199), size: size, into: &screen)
    #expect(screen.isEmpty)
    renderer.frame(at: .milliseconds(200), size: size, into: &screen)
    #expect(!screen.isEmpty)
  }

  @Test func `10. A run that is known to be longer is drawn at once, where it is by then`() {
    let (graph, seconds) = build()
    let description = RunDescription(name: "build", names: graph.names)
    var renderer = ScreenRenderer(description, style: TerminalStyle(color: false, unicode: true))
    var forecaster = RunForecaster(graph, workers: 2, history: history([1, 1, 1]))
    let event = RunEvent(time: .zero, kind: .runStarted(tasks: 14, workers: 2))
    forecaster.receive(event)
    var update = RunUpdate()
    update.events = [RunUpdate.Event(event, forecaster.state)]
    update.snapshot = RunSnapshot(forecaster.state, forecaster.forecast(at: .zero))
    var screen: [UInt8] = []
    let size = TerminalSize(columns: 80, rows: 24)
    renderer.update(update, into: &screen)
    #expect(renderer.nextFrame(after: .zero) == .zero)
    renderer.frame(at: .zero, size: size, into: &screen)
    #expect(!screen.isEmpty)
    // A frame that comes long after its forecast shows where the run is by then, not where it was.
    var late = ScreenRenderer(description, style: TerminalStyle(color: false, unicode: true))
    late.update(update, into: &screen)
    screen = []
    late.frame(at: .seconds(20), size: size, into: &screen)
    let whole = seconds.reduce(0, +) / 2
    let percent = Int(
      String(decoding: screen, as: UTF8.self).split(separator: "%")[0].split(separator: " ").last
        ?? "")
    #expect(abs(Double(percent ?? 0) - 2_000 / whole) < 10, "\(percent ?? 0)")
  }

  @Test func `11. A pause does not count as work`() throws {
    let (graph, _) = build()
    var forecaster = RunForecaster(graph, workers: 2, history: history([1, 1, 1]))
    forecaster.receive(RunEvent(time: .zero, kind: .runStarted(tasks: 14, workers: 2)))
    forecaster.receive(RunEvent(time: .zero, kind: .taskStarted(TaskID(0), attempt: 1)))
    let before = forecaster.forecast(at: .seconds(4))
    // The clock of a run stands still in its pause, however long that is; one that goes back counts as standing.
    forecaster.receive(RunEvent(time: .seconds(4), kind: .runPaused))
    forecaster.receive(RunEvent(time: .seconds(4), kind: .runResumed))
    #expect(forecaster.forecast(at: .seconds(4)) == before)
    #expect(forecaster.forecast(at: .seconds(1)) == before)
  }

  @Test func `12. Nothing is computed unless it is needed`() throws {
    var graph = LaunchGraph()
    let count = 20_000
    for place in 0..<count { _ = graph.add("task \(place)") }
    var forecaster = RunForecaster(graph, workers: 4)
    forecaster.receive(RunEvent(time: .zero, kind: .runStarted(tasks: count, workers: 4)))
    for place in 0..<count / 2 {
      let now = Duration.milliseconds(place)
      forecaster.receive(RunEvent(time: now, kind: .taskStarted(TaskID(place), attempt: 1)))
      forecaster.receive(
        RunEvent(
          time: now,
          kind: .taskEnded(TaskID(place), .succeeded, attempts: 1, ran: .milliseconds(1))))
    }
    #expect(forecaster.forecastCount == 0)
    _ = forecaster.forecast(at: .seconds(20))
    _ = forecaster.forecast(at: .seconds(20))
    #expect(forecaster.forecastCount == 1)
  }

  @Test func `13. In an incremental run only the tasks that run count`() throws {
    let (graph, seconds) = build()
    var forecaster = RunForecaster(
      graph, workers: 2, history: history([1, 1.1, 0.9]), mayBeUpToDate: Set(0..<graph.count))
    // Until the files have been looked at, there is no estimate.
    forecaster.isLooking = true
    #expect(forecaster.forecast(at: .zero).remaining == nil)
    // One source has changed: it is compiled, linked and tested; everything else is up to date.
    let works: Set = [5, 11, 12]
    for place in 0..<graph.count {
      forecaster.found(TaskID(place), changed: place == 5, at: .zero)
    }
    forecaster.isLooking = false
    var scripts: [TaskID: [VirtualRun.Script]] = [:]
    for place in 0..<graph.count where !works.contains(place) {
      scripts[TaskID(place)] = [VirtualRun.Script(duration: .zero, result: .skipped(.upToDate))]
    }
    let run = try VirtualRun(
      graph, workers: 2,
      scripts: scripts.merging(
        works.map { (TaskID($0), [VirtualRun.Script(duration: .seconds(seconds[$0]))]) }
      ) { $1 })
    _ = run.run()
    let course = BarCourse(run.events, of: forecaster, names: graph.names)
    let told = try #require(course.looks[1].forecast.remaining?.median)
    #expect(abs(told / course.total - 1) < 0.15, "\(told) of \(course.total)")
    #expect(course.meanError < 0.06, "\(course.meanError)")
  }

  @Test func `14. A first run has a remaining time from its first finished task on`() throws {
    let (graph, seconds) = build()
    let course = try BarCourse(graph, seconds: seconds)
    let first = Duration.seconds(seconds[0])
    #expect(course.looks.contains { $0.time > first })
    for look in course.looks where look.time > first {
      #expect(look.forecast.shown != .unknown, "\(look.time)")
    }
  }
}
