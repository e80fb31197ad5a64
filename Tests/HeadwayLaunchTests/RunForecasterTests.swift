import HeadwayForecast
import HeadwayLaunch
import HeadwayRun
import Testing

/// How far a run is, folded from its events.
struct RunForecasterTests {
  /// A graph of tasks that wait for nothing.
  private func graph(_ count: Int) -> LaunchGraph {
    var graph = LaunchGraph()
    for place in 0..<count { _ = graph.add("task \(place)") }
    return graph
  }

  /// A forecaster that was told of events.
  private func play(
    _ expected: [Duration?], workers: Int = 2, history: DurationHistory = DurationHistory(),
    _ events: [(Int, RunEvent.Kind)]
  ) -> RunForecaster {
    var forecaster = RunForecaster(
      graph(expected.count), workers: workers, history: history, expected: expected)
    let start = (0, RunEvent.Kind.runStarted(tasks: expected.count, workers: workers))
    for (seconds, kind) in [start] + events {
      forecaster.receive(RunEvent(time: .seconds(seconds), kind: kind))
    }
    return forecaster
  }

  /// The end of a task that took some seconds.
  private func end(_ place: Int, _ seconds: Int, _ outcome: Outcome = .succeeded)
    -> RunEvent.Kind
  { .taskEnded(TaskID(place), outcome, attempts: 1, ran: .seconds(seconds)) }

  /// Earlier runs in which each task took the same.
  private func history(_ seconds: [Int], runs: Int = 5) -> DurationHistory {
    let samples = seconds.indices.map {
      DurationHistory.Sample(name: "task \($0)", kind: "", duration: .seconds(seconds[$0]))
    }
    return DurationHistory(
      runs: Array(repeating: DurationHistory.Run(samples: samples), count: runs))
  }

  @Test func `History makes the fraction the part of the time`() {
    var forecaster = play(
      [nil, nil], workers: 1, history: history([10, 10]),
      [(0, .taskStarted(TaskID(0), attempt: 1))])
    #expect(forecaster.expected(TaskID(1)).map { abs($0 / .seconds(10) - 1) < 0.01 } == true)
    for second in 0..<10 {
      let forecast = forecaster.forecast(at: .seconds(second))
      #expect(abs(forecast.fraction - Double(second) / 20) < 0.02)
      let left = forecast.remaining?.median ?? .zero
      #expect(left > .seconds(19 - second) && left < .seconds(21 - second), "\(left)")
    }
  }

  @Test func `Machines that wait beside others carry out nothing`() {
    func waiting(_ count: Int, _ places: Int) -> RunEvent.Kind {
      .workersWaiting(
        RunEvent.WorkersWaiting(
          count: count, reason: count > 0 ? "Priority" : "", start: nil, advice: nil,
          places: places))
    }
    let ten = Array(repeating: Duration?.none, count: 10)
    // The events so far, and the seconds that are left at the beginning of ten tasks of ten seconds.
    let cases: [([RunEvent.Kind], Double)] = [
      ([], 20), ([waiting(2, 3)], 50), ([waiting(1, 0)], 20), ([waiting(3, 5)], 20),
      ([waiting(2, 3), waiting(0, 0)], 20),
    ]
    for (events, seconds) in cases {
      var forecaster = play(
        ten, workers: 5, history: history(Array(repeating: 10, count: 10)), events.map { (0, $0) })
      let left = forecaster.forecast(at: .zero).remaining?.median ?? .zero
      #expect(abs(left / .seconds(seconds) - 1) < 0.05, "\(events): \(left)")
    }
  }

  @Test func `Waiting for machines is no progress`() {
    func waiting(_ count: Int) -> RunEvent.Kind {
      .workersWaiting(
        RunEvent.WorkersWaiting(count: count, reason: "Priority", start: nil, advice: nil))
    }
    var forecaster = play([nil, nil], workers: 1, history: history([10, 10]), [(0, waiting(1))])
    for second in [0, 5, 600] {
      let forecast = forecaster.forecast(at: .seconds(second))
      #expect(forecast.fraction == 0)
      #expect(forecast.remaining.map { abs($0.median / .seconds(20) - 1) < 0.02 } == true)
      #expect(forecast.time == .seconds(second))
    }
    forecaster.receive(
      RunEvent(time: .seconds(600), kind: .taskStarted(TaskID(0), attempt: 1)))
    let half = forecaster.forecast(at: .seconds(605))
    #expect(abs(half.fraction - 0.25) < 0.02)
    forecaster.receive(RunEvent(time: .seconds(610), kind: end(0, 10)))
    // The only job has ended, and another one waits.
    let stopped = forecaster.forecast(at: .seconds(900))
    #expect(abs(stopped.fraction - 0.5) < 0.02)
    forecaster.receive(RunEvent(time: .seconds(900), kind: waiting(0)))
    forecaster.receive(
      RunEvent(time: .seconds(900), kind: .taskStarted(TaskID(1), attempt: 1)))
    let late = forecaster.forecast(at: .seconds(905))
    #expect(abs(late.fraction - 0.75) < 0.02)
    #expect(late.tasks.first?.fraction.map { abs($0 - 0.5) < 0.05 } == true)
  }

  @Test func `Who follows a run shows the forecasts of that run`() {
    var follower = play(
      [nil, nil], workers: 1, history: history([10, 10]),
      [(0, .taskStarted(TaskID(0), attempt: 1))])
    let late = RunForecast.LateTask(
      task: TaskID(0), elapsed: .seconds(5), usual: .seconds(1))
    let theirs = RunForecast(
      fraction: 0.25, shown: .about(.seconds(12)),
      remaining: RemainingTime(low: .seconds(9), median: .seconds(12), high: .seconds(20)),
      late: late)
    follower.follow(theirs, at: .seconds(4), isShown: false)
    let first = follower.forecast(at: .seconds(4))
    #expect(abs(first.fraction - 0.25) < 1e-6)
    #expect(first.remaining == theirs.remaining)
    #expect(first.shown == .about(.seconds(12)))
    // Their own forecasts are made here: half of what this one takes is over.
    #expect(first.tasks.first?.fraction.map { abs($0 - 0.4) < 0.05 } == true)
    // Between two forecasts of the run the time goes on.
    let second = follower.forecast(at: .seconds(6))
    #expect(second.remaining?.median == .seconds(10) && second.late?.elapsed == .seconds(7))
    #expect(second.fraction > first.fraction && second.fraction < 0.4)
    // A task that has ended is not late.
    follower.receive(RunEvent(time: .seconds(7), kind: end(0, 7)))
    #expect(follower.forecast(at: .seconds(7)).late == nil)
    // The run has smoothed what it says.
    let near = RemainingTime(low: .seconds(1), median: .seconds(2), high: .seconds(3))
    follower.follow(
      RunForecast(fraction: 0.9, remaining: near), at: .seconds(7), isShown: true)
    let third = follower.forecast(at: .milliseconds(7_100))
    #expect(third.fraction >= 0.9 && third.fraction < 0.96, "\(third.fraction)")
    // Without an estimate, too.
    follower.follow(RunForecast(fraction: 0.96), at: .seconds(8), isShown: true)
    #expect(follower.forecast(at: .seconds(20)).fraction == 0.96)
  }

  @Test func `A hint stands in for history`() throws {
    var forecaster = play(
      [.seconds(10), .seconds(10)], workers: 1, [(0, .taskStarted(TaskID(0), attempt: 1))])
    #expect(forecaster.expected(TaskID(1)).map { abs($0 / .seconds(10) - 1) < 1e-6 } == true)
    let remaining = try #require(forecaster.forecast(at: .seconds(1)).remaining)
    #expect(remaining.median > .seconds(14) && remaining.median < .seconds(26))
    // Wide, but not as if nothing was known.
    #expect(remaining.low > .seconds(3) && remaining.high < .seconds(100), "\(remaining)")
  }

  @Test func `A task is expected to take no longer than its time limit allows`() {
    var graph = LaunchGraph()
    graph.add("free", .nothing)
    graph.add("limited", settings: TaskSettings(timeout: .seconds(5)), .nothing)
    graph.add(
      "retried",
      settings: TaskSettings(
        timeout: .seconds(5), retries: RetryPolicy(limit: 2, backoff: .seconds(1))), .nothing)
    let forecaster = RunForecaster(
      graph, workers: 1, expected: Array(repeating: .seconds(60), count: 3))
    let seconds = (0..<3).map { index in
      forecaster.expected(TaskID(index)).map { ($0 / .seconds(1)).rounded() }
    }
    #expect(seconds == [60, 5, 15])
  }

  @Test func `A first run has no estimate until a task has told something`() {
    var forecaster = play([nil, nil], workers: 1, [(0, .taskStarted(TaskID(0), attempt: 1))])
    #expect(forecaster.expected(TaskID(0)) == nil)
    #expect(forecaster.expected(TaskID(9)) == nil)
    let first = forecaster.forecast(at: .seconds(1))
    #expect(first.shown == .unknown)
    #expect(first[TaskID(0)] == RunForecast.Task(TaskID(0)))
  }

  @Test func `The fraction never goes back, also when a task is tried again`() {
    var forecaster = play(
      [nil], history: history([10]), [(0, .taskStarted(TaskID(0), attempt: 1))])
    var last = 0.0
    for tenth in 0...80 {
      let fraction = forecaster.forecast(at: .milliseconds(tenth * 100)).fraction
      #expect(fraction >= last)
      last = fraction
    }
    #expect(last > 0.7)
    let again = RunEvent.Kind.taskRetrying(
      TaskID(0), attempt: 2, delay: .seconds(1), because: .failed(.exited(code: 1)))
    forecaster.receive(RunEvent(time: .seconds(8), kind: again))
    #expect(forecaster.forecast(at: .milliseconds(8500))[TaskID(0)]?.fraction == nil)
    forecaster.receive(
      RunEvent(time: .seconds(9), kind: .taskStarted(TaskID(0), attempt: 2)))
    let after = forecaster.forecast(at: .milliseconds(9100))
    #expect(after.fraction >= last && after.fraction < 0.95)
    // A retried task counts again.
    #expect(after.remaining.map { $0.median > .seconds(7) } == true)
  }

  @Test func `Only the end of the run is all of it`() {
    var forecaster = play(
      [nil], history: history([10]),
      [(0, .taskStarted(TaskID(0), attempt: 1)), (10, end(0, 10))])
    #expect(forecaster.forecast(at: .seconds(10)).fraction < 1)
    #expect(forecaster.forecast(at: .seconds(100)).fraction < 1)
    forecaster.receive(RunEvent(time: .seconds(100), kind: .runEnded))
    let last = forecaster.forecast(at: .seconds(100))
    #expect(last.fraction == 1 && last.shown == .about(.zero))
    #expect(forecaster.criticalPath(at: .seconds(100)).isEmpty)
  }

  @Test func `A running task is as far as its elapsed part, and never goes back`() {
    var forecaster = play(
      [nil], history: history([10]), [(0, .taskStarted(TaskID(0), attempt: 1))])
    var last = 0.0
    for tenth in 1...300 {
      let now = Duration.milliseconds(tenth * 100)
      let part = forecaster.forecast(at: now)[TaskID(0)]?.fraction ?? -1
      #expect(part >= last && part < 1)
      if tenth == 50 { #expect(abs(part - 0.5) < 0.06) }
      last = part
    }
    #expect(forecaster.forecast(at: .seconds(31))[TaskID(1)] == nil)
  }

  @Test func `A task that is late is named with what it usually takes`() {
    var forecaster = play(
      [nil, nil], history: history([10, 10]), [(0, .taskStarted(TaskID(1), attempt: 1))])
    #expect(forecaster.forecast(at: .seconds(5)).late == nil)
    let late = forecaster.forecast(at: .seconds(40)).late
    #expect(late?.task == TaskID(1) && late?.task.name == "task 1")
    #expect(late?.elapsed == .seconds(40))
    #expect(late.map { $0.usual > .seconds(9) && $0.usual < .seconds(20) } == true)
  }

  @Test func `What a task says of itself is taken in`() {
    var forecaster = play(
      [nil], history: history([10]), [(0, .taskStarted(TaskID(0), attempt: 1))])
    forecaster.report(TaskID(0), part: 0.1, at: .seconds(10))
    forecaster.report(TaskID(0), part: 0.2, at: .seconds(20))
    let left = forecaster.forecast(at: .seconds(20)).remaining?.median ?? .zero
    #expect(left > .seconds(40), "\(left)")
  }

  @Test func `A task that is added counts, and one that the run does not have does not`() {
    var forecaster = play(
      [nil], history: history([1]),
      [
        (0, .taskStarted(TaskID(7), attempt: 1)), (0, .taskAdded(TaskID(1, name: "late"))),
        (0, .taskStarted(TaskID(0), attempt: 1)), (1, end(0, 1)),
      ])
    let forecast = forecaster.forecast(at: .seconds(1))
    #expect(forecast.remaining.map { $0.median > .zero } == true)
    #expect(forecast.fraction < 0.9)
    #expect(forecast[TaskID(7)] == nil)
    #expect(forecaster.usual(TaskID(1)) == nil)
  }

  @Test func `A status after a loss brings the forecast up to date`() {
    var status = RunState(taskCount: 3)
    let kinds: [(Int, RunEvent.Kind)] = [
      (0, .runStarted(tasks: 3, workers: 2)), (0, .taskStarted(TaskID(0), attempt: 1)),
      (4, end(0, 4)), (4, .taskStarted(TaskID(1), attempt: 1)),
    ]
    for (seconds, kind) in kinds {
      status.apply(RunEvent(time: .seconds(seconds), kind: kind))
    }
    // With a history, because without one there is no estimate that could be wrong.
    let known = history([4, 10])
    var lossy = play([nil, nil], history: known, [(4, .missed(9, status))])
    var whole = play(
      [nil, nil], history: known,
      [(0, .taskAdded(TaskID(2, name: "")))] + kinds.dropFirst())
    for second in 4..<8 {
      let (left, right) = (
        lossy.forecast(at: .seconds(second)), whole.forecast(at: .seconds(second))
      )
      #expect(left.remaining != nil && left.remaining == right.remaining)
      #expect(left.fraction == right.fraction)
    }
  }

  @Test func `Where tasks run is known after a loss, too`() {
    let kinds: [(Int, RunEvent.Kind)] = [
      (0, .runStarted(tasks: 3, workers: 2)), (0, .taskStarted(TaskID(0), attempt: 1)),
      (0, .taskPlaced(TaskID(0), host: "fast")), (0, .taskStarted(TaskID(1), attempt: 1)),
      (0, .taskPlaced(TaskID(1), host: "slow")), (4, end(0, 4)),
      (4, .taskStarted(TaskID(2), attempt: 1)), (4, .taskPlaced(TaskID(2), host: "fast")),
      (16, end(1, 16)),
    ]
    var status = RunState(taskCount: 3)
    for (seconds, kind) in kinds {
      status.apply(RunEvent(time: .seconds(seconds), kind: kind))
    }
    let known = history([4, 4, 40])
    var lossy = play([nil, nil, nil], history: known, [(16, .missed(9, status))])
    var whole = play([nil, nil, nil], history: known, Array(kinds.dropFirst()))
    let blind = kinds.dropFirst().filter {
      if case .taskPlaced = $0.1 { false } else { true }
    }
    var unplaced = play([nil, nil, nil], history: known, Array(blind))
    let (left, right) = (lossy.forecast(at: .seconds(20)), whole.forecast(at: .seconds(20)))
    #expect(left.remaining != nil && left.remaining == right.remaining)
    // The slow host says nothing about the task on the fast one.
    let other = unplaced.forecast(at: .seconds(20)).remaining?.median ?? .zero
    #expect(right.remaining.map { $0.median < other } == true)
  }

  @Test func `A task that ended while events were missed does not become late`() {
    let kinds: [(Int, RunEvent.Kind)] = [
      (0, .taskStarted(TaskID(0), attempt: 1)), (10, end(0, 10)),
    ]
    var status = RunState(taskCount: 2)
    status.apply(RunEvent(time: .zero, kind: .runStarted(tasks: 2, workers: 1)))
    for (seconds, kind) in kinds {
      status.apply(RunEvent(time: .seconds(seconds), kind: kind))
    }
    let known = history([10, 10])
    var lossy = play([nil, nil], workers: 1, history: known, [(12, .missed(2, status))])
    var whole = play([nil, nil], workers: 1, history: known, kinds)
    let (left, right) = (lossy.forecast(at: .seconds(40)), whole.forecast(at: .seconds(40)))
    #expect(left.late == nil)
    #expect(left.remaining != nil && left.remaining == right.remaining)
  }

  @Test func `Two that were told the same say the same`() {
    let events: [(Int, RunEvent.Kind)] = [
      (0, .taskStarted(TaskID(0), attempt: 1)), (0, .taskStarted(TaskID(1), attempt: 1)),
      (9, end(0, 9)), (9, .taskStarted(TaskID(2), attempt: 1)),
    ]
    var often = play([nil, nil, nil], history: history([10, 20, 5]), events)
    var rarely = often
    for tenth in 90..<150 { _ = often.forecast(at: .milliseconds(tenth * 100)) }
    #expect(
      often.forecast(at: .seconds(15)).remaining == rarely.forecast(at: .seconds(15)).remaining)
  }

  @Test func `A run without tasks says nothing and ends`() {
    var forecaster = play([], [])
    #expect(forecaster.forecast(at: .zero).fraction == 0)
    #expect(forecaster.forecast(at: .seconds(1)).fraction < 1)
    forecaster.receive(RunEvent(time: .seconds(1), kind: .runEnded))
    #expect(forecaster.forecast(at: .seconds(1)).fraction == 1)
  }
}

/// What the forecaster of a run makes of looks at files.
struct RunForecasterLooksTests {
  /// Two tasks with files, and a group of both before a third one.
  private static func graph() -> LaunchGraph {
    var graph = LaunchGraph()
    var group = TaskSettings()
    group.role = .group
    for index in 0..<4 {
      graph.add("task \(index)", settings: index == 2 ? group : TaskSettings(), .nothing)
    }
    for (task, before) in [(2, 0), (2, 1), (3, 2)] {
      graph.addDependency(of: TaskID(task), on: TaskID(before))
    }
    return graph
  }

  /// A forecaster of a run that has begun; each task took ten seconds before, and the group none.
  private static func begun(runs: Int = 4, mayBeUpToDate: Set<Int> = [0, 1, 3]) -> RunForecaster {
    let samples = (0..<4).map {
      DurationHistory.Sample(
        name: "task \($0)", kind: "", duration: $0 == 2 ? .zero : .seconds(10))
    }
    let history = DurationHistory(
      runs: Array(repeating: DurationHistory.Run(samples: samples), count: runs))
    var forecaster = RunForecaster(
      graph(), workers: 1, history: history, mayBeUpToDate: mayBeUpToDate)
    forecaster.receive(RunEvent(time: .zero, kind: .runStarted(tasks: 4, workers: 1)))
    return forecaster
  }

  private func end(
    _ task: Int, _ outcome: Outcome, at seconds: Int, in forecaster: inout RunForecaster
  ) {
    forecaster.receive(
      RunEvent(
        time: .seconds(seconds),
        kind: .taskEnded(TaskID(task), outcome, attempts: 1, ran: .zero)))
  }

  @Test func `What the looks find is what remains`() {
    var forecaster = Self.begun()
    func left(_ forecaster: inout RunForecaster) -> Double {
      (forecaster.forecast(at: .zero).remaining?.median ?? .seconds(-1)) / .seconds(1)
    }
    let before = left(&forecaster)
    #expect(before > 25, "all have always run: \(before)")
    for task in [0, 1, 3] { forecaster.found(TaskID(task), changed: false, at: .zero) }
    let none = left(&forecaster)
    #expect(none == 0)
    // What comes after the group follows the task before it.
    forecaster.found(TaskID(1), changed: true, at: .zero)
    let two = left(&forecaster)
    #expect(abs(two - 20) < 3, "\(two)")
  }

  @Test func `If no task may be up to date, a look changes nothing`() {
    var forecaster = Self.begun(mayBeUpToDate: [])
    let before = forecaster.forecast(at: .zero)
    for task in [0, 1, 2, 3, 9, -1] {
      forecaster.found(TaskID(task), changed: false, at: .zero)
    }
    #expect(forecaster.forecast(at: .zero) == before)
  }

  @Test func `While files are looked at, nothing is promised, and then at once`() {
    var forecaster = Self.begun()
    forecaster.isLooking = true
    let looking = forecaster.forecast(at: .milliseconds(10))
    #expect(looking.remaining == nil && looking.shown == .unknown && looking.fraction == 0)
    for task in [0, 1] { forecaster.found(TaskID(task), changed: false, at: .milliseconds(20)) }
    forecaster.found(TaskID(3), changed: true, at: .milliseconds(20))
    #expect(forecaster.forecast(at: .milliseconds(20)).remaining == nil)
    forecaster.isLooking = false
    let forecast = forecaster.forecast(at: .milliseconds(20))
    let left = (forecast.remaining?.median ?? .zero) / .seconds(1)
    #expect(abs(left - 10) < 2, "\(left)")
    #expect(forecast.shown != .unknown)
  }

  @Test func `A slow look holds the forecast back for a few seconds only`() {
    var forecaster = Self.begun()
    forecaster.isLooking = true
    var first: Int?
    for tenth in 0...600 where first == nil {
      let forecast = forecaster.forecast(at: .milliseconds(100 * tenth))
      if forecast.remaining != nil { first = tenth }
    }
    #expect(first == 30)
  }

  @Test func `A run that ends while its files are looked at is over`() {
    var forecaster = Self.begun()
    forecaster.isLooking = true
    for task in 0..<4 {
      end(task, task == 2 ? .succeeded : .skipped(.upToDate), at: 0, in: &forecaster)
    }
    forecaster.receive(RunEvent(time: .milliseconds(30), kind: .runEnded))
    let forecast = forecaster.forecast(at: .milliseconds(30))
    #expect(forecast.fraction == 1 && forecast.shown == .about(.zero))
  }

  @Test func `The prediction of the run is made once the files were looked at`() {
    var forecaster = Self.begun()
    forecaster.isLooking = true
    #expect(forecaster.forecast(at: .zero).predicted == nil)
    for task in [0, 1] {
      forecaster.found(TaskID(task), changed: false, at: .seconds(1))
      end(task, .skipped(.upToDate), at: 1, in: &forecaster)
    }
    forecaster.found(TaskID(3), changed: true, at: .seconds(1))
    forecaster.isLooking = false
    let predicted = forecaster.forecast(at: .seconds(1)).predicted ?? .zero
    #expect(abs(predicted / .seconds(1) - 11) < 2, "\(predicted)")
    // It stays what it was when work has begun.
    forecaster.receive(
      RunEvent(time: .seconds(1), kind: .taskStarted(TaskID(3), attempt: 1)))
    #expect(forecaster.forecast(at: .seconds(40)).predicted == predicted)
  }
}
