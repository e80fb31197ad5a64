import HeadwayCollections
import HeadwayRun
import Testing

@testable import HeadwayForecast

/// Hosts that differ in speed.
struct HostSpeedTests {
  /// A run whose tasks take the workers that become free, in virtual time.
  private struct Run {
    /// The factor by which tasks take longer on each host.
    var hosts: [(name: String, factor: Double)]
    /// The workers of each host.
    var workers = 2
    /// The usual seconds of each task.
    var seconds: [Double]
    /// Whether the forecast learns on which hosts the tasks run.
    var tellsHosts = true
    var history = DurationHistory()

    /// The input of the forecast.
    private var graph: ForecastInput {
      ForecastInput(
        tasks: seconds.indices.map { ForecastInput.Task(name: "t\($0)", kind: "cc") })
    }

    /// Runs until a number of tasks has ended, and beyond to the end.
    ///
    /// - Parameter count: The number of tasks.
    /// - Returns: The forecast at that moment, the time, and the time of the end.
    func play(until count: Int) -> (forecast: GraphForecast, now: Double, end: Double) {
      var forecast = GraphForecast(
        graph, workers: hosts.count * workers, history: history, order: .firstReady)
      var free = hosts.map { _ in workers }
      var running: [(end: Double, task: Int, host: Int)] = []
      var (now, next, ended) = (0.0, 0, 0)
      var seen: (GraphForecast, Double)?
      while ended < seconds.count {
        while next < seconds.count, let most = free.max(), most > 0,
          let host = free.firstIndex(of: most)
        {
          free[host] -= 1
          running.append((now + seconds[next] * hosts[host].factor, next, host))
          if seen == nil {
            forecast.start(next, at: .seconds(now))
            if tellsHosts { forecast.place(next, on: hosts[host].name, at: .seconds(now)) }
          }
          next += 1
        }
        running.sort { $0.end > $1.end }
        guard let first = running.popLast() else { break }
        now = first.end
        free[first.host] += 1
        ended += 1
        if seen == nil { forecast.end(first.task, .succeeded, at: .seconds(now)) }
        if ended == count { seen = (forecast, now) }
      }
      return (seen?.0 ?? forecast, seen?.1 ?? now, now)
    }

    /// What this run is in the history of the next one.
    var record: DurationHistory.Run {
      DurationHistory.Run(
        samples: seconds.indices.map { task in
          let host = hosts[task % hosts.count]
          return DurationHistory.Sample(
            name: "t\(task)", kind: "cc", duration: .seconds(seconds[task] * host.factor),
            host: tellsHosts ? host.name : nil)
        })
    }
  }

  /// Tasks of about 10 s each.
  private static let tasks = (0..<60).map { 8 + Double($0 * 7 % 5) }

  /// The error of the forecast at a number of ended tasks, as a part of the actual remaining time.
  private static func error(_ run: Run, at count: Int) -> Double {
    var (forecast, now, end) = run.play(until: count)
    let answer = forecast.forecast(at: .seconds(now))
    let median = answer.remaining?.median.nonnegativeSeconds ?? .infinity
    return abs(median - (end - now)) / (end - now)
  }

  @Test(arguments: [30, 45, 55])
  func `A forecast that knows where tasks run is nearer to the end`(count: Int) {
    var run = Run(hosts: [("fast", 1), ("slow", 4)], seconds: Self.tasks)
    let known = Self.error(run, at: count)
    run.tellsHosts = false
    let unknown = Self.error(run, at: count)
    #expect(known < 0.1, "\(known)")
    #expect(known < unknown, "\(known) and \(unknown)")
  }

  @Test func `A task on a slow host takes longer than one on a fast host`() {
    let run = Run(hosts: [("fast", 1), ("slow", 4)], seconds: Self.tasks)
    let (forecast, now, _) = run.play(until: 20)
    func remaining(on host: String) -> Double {
      var forecast = forecast
      forecast.start(59, at: .seconds(now))
      forecast.place(59, on: host, at: .seconds(now))
      return forecast.remaining(of: 59, at: .seconds(now))?.median.nonnegativeSeconds ?? 0
    }
    let (fast, slow) = (remaining(on: "fast"), remaining(on: "slow"))
    #expect((7..<14).contains(fast), "\(fast)")
    #expect((28..<56).contains(slow), "\(slow)")
    // Nothing is known of another one.
    #expect((fast..<slow).contains(remaining(on: "other")))
  }

  @Test func `Hosts of earlier runs are known before a task has ended`() {
    var run = Run(hosts: [("fast", 1), ("slow", 4)], seconds: Self.tasks)
    var other = run
    other.hosts.reverse()
    run.history = DurationHistory(runs: [run.record, other.record, run.record])
    var graph = ForecastInput(tasks: [ForecastInput.Task(name: "t0", kind: "cc")])
    graph.tasks.append(ForecastInput.Task(name: "t5", kind: "cc"))
    var forecast = GraphForecast(graph, workers: 2, history: run.history)
    forecast.start(0, at: .zero)
    forecast.place(0, on: "slow", at: .zero)
    let slow = forecast.remaining(of: 0, at: .zero)?.median ?? .zero
    #expect((.seconds(26)..<(.seconds(38))).contains(slow), "\(slow)")
    forecast.start(1, at: .zero)
    forecast.place(1, on: "fast", at: .zero)
    let fast = forecast.remaining(of: 1, at: .zero)?.median ?? .zero
    #expect((.seconds(6.5)..<(.seconds(9.5))).contains(fast), "\(fast)")
  }

  @Test func `After one run it is known which host was slow`() {
    var run = Run(hosts: [("fast", 1), ("slow", 4)], seconds: Self.tasks)
    run.history = DurationHistory(runs: [run.record])
    // The other way round, so that the task's own duration misleads.
    run.hosts.reverse()
    for count in [4, 20, 40] {
      let error = Self.error(run, at: count)
      #expect(error < 0.15, "\(count): \(error)")
    }
  }

  @Test func `Durations on different hosts do not make a task less certain`() {
    let run = Run(hosts: [("fast", 1), ("slow", 4)], seconds: Self.tasks)
    var other = run
    other.hosts.reverse()
    func width(_ runs: [DurationHistory.Run]) -> Double {
      var forecast = GraphForecast(
        ForecastInput(tasks: [ForecastInput.Task(name: "t0", kind: "cc")]), workers: 1,
        history: DurationHistory(runs: runs))
      forecast.start(0, at: .zero)
      guard let remaining = forecast.remaining(of: 0, at: .zero) else { return .infinity }
      return remaining.high / remaining.low
    }
    let runs = [run.record, other.record, run.record, other.record]
    let unnamed = runs.map { run in
      var run = run
      for index in run.samples.indices { run.samples[index].host = nil }
      return run
    }
    #expect(width(runs) * 2 < width(unnamed))
  }

  @Test func `With a single host the forecast is the same as without`() {
    var run = Run(hosts: [("only", 1.5)], workers: 3, seconds: Self.tasks)
    var (named, now, _) = run.play(until: 20)
    run.tellsHosts = false
    var (unnamed, _, _) = run.play(until: 20)
    #expect(named.forecast(at: .seconds(now)) == unnamed.forecast(at: .seconds(now)))
  }

  @Test func `A task that moves to another host frees the worker of the first one`() {
    var forecast = GraphForecast(
      ForecastInput(tasks: [ForecastInput.Task(name: "a"), ForecastInput.Task(name: "b")]),
      workers: 2)
    forecast.start(0, at: .zero)
    forecast.place(0, on: "h1", at: .zero)
    forecast.place(0, on: "h2", at: .seconds(1))
    #expect(forecast.hosts.running == [0, 1])
    forecast.retry(0, after: .seconds(1), at: .seconds(2))
    #expect(forecast.hosts.running == [0, 0])
    forecast.place(1, on: "h1", at: .seconds(3))
    #expect(forecast.hosts.running == [0, 0], "it has not started")
    forecast.start(0, at: .seconds(4))
    forecast.place(0, on: "h1", at: .seconds(4))
    forecast.end(0, .failed, at: .seconds(5))
    #expect(forecast.hosts.running == [0, 0])
    #expect(forecast.hosts.workers == [1, 1])
  }

  @Test func `A lost host has no free workers until a task starts there again`() {
    var forecast = GraphForecast(
      ForecastInput(tasks: (0..<3).map { ForecastInput.Task(name: "t\($0)") }), workers: 3)
    for task in 0..<3 {
      forecast.start(task, at: .zero)
      forecast.place(task, on: task == 0 ? "h1" : "h2", at: .zero)
    }
    for task in [1, 2] {
      forecast.loseHost(of: task)
      forecast.retry(task, after: .seconds(1), at: .seconds(1))
    }
    #expect(forecast.hosts.workers == [1, 0])
    forecast.start(1, at: .seconds(2))
    forecast.place(1, on: "h2", at: .seconds(2))
    #expect(forecast.hosts.workers == [1, 1])
  }
}
