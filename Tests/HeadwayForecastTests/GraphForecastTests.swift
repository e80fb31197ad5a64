import HeadwayRun
import Testing

@testable import HeadwayForecast

/// A graph of chains: `width` beside each other, each of `depth` tasks.
func chains(_ width: Int, of depth: Int, kind: String = "work") -> ForecastInput {
  let tasks = (0..<width * depth).map { ForecastInput.Task(name: "t\($0)", kind: kind) }
  let edges = (width..<max(width, width * depth)).map {
    TaskGraph.Edge(before: $0 - width, after: $0)
  }
  return ForecastInput(tasks: tasks, edges: width * depth > width ? edges : [])
}

/// A history of equal runs in which every task took as long as told.
func history(of graph: ForecastInput, runs: Int = 8, _ seconds: (Int) -> Double) -> DurationHistory
{
  let samples = graph.tasks.enumerated().map { index, task in
    DurationHistory.Sample(name: task.name, kind: task.kind, duration: .seconds(seconds(index)))
  }
  return DurationHistory(
    runs: Array(repeating: DurationHistory.Run(samples: samples), count: runs))
}

/// What the forecast of a graph answers.
struct GraphForecastTests {
  @Test func `Durations that never changed are foretold to within a tenth`() {
    let graph = chains(4, of: 5)
    var forecast = GraphForecast(graph, workers: 2, history: history(of: graph) { _ in 10 })
    let answer = forecast.forecast(at: .zero)
    #expect(answer.hasHistory)
    // Twenty tasks of 10 s on two workers.
    let remaining = (answer.remaining?.median ?? .zero) / .seconds(1)
    #expect(abs(remaining - 100) < 10, "\(remaining)")
    #expect(answer.fraction == 0)
  }

  @Test func `The critical path is the longest chain that is left`() {
    let tasks = ["a", "b", "c", "d"].map { ForecastInput.Task(name: $0, kind: $0) }
    let graph = ForecastInput(
      tasks: tasks,
      edges: [
        TaskGraph.Edge(before: 0, after: 2), TaskGraph.Edge(before: 1, after: 3),
      ])
    var forecast = GraphForecast(
      graph, workers: 2, history: history(of: graph) { [1, 2, 9, 3][$0] })
    let path = forecast.criticalPath(at: .zero)
    #expect(path == [0, 2])
    forecast.start(0, at: .zero)
    forecast.end(0, .succeeded, at: .seconds(1))
    forecast.start(2, at: .seconds(1))
    forecast.end(2, .succeeded, at: .seconds(2))
    let rest = forecast.criticalPath(at: .seconds(2))
    #expect(rest == [1, 3])
  }

  @Test func `A running task counts for the critical path with what is left of it`() {
    let graph = chains(2, of: 1)
    var forecast = GraphForecast(graph, workers: 2, history: history(of: graph) { [10, 8][$0] })
    forecast.start(0, at: .zero)
    forecast.start(1, at: .seconds(8))
    #expect(forecast.criticalPath(at: .seconds(9)) == [1])
  }

  @Test func `Of two overdue tasks, the one that is late by more is named`() throws {
    let graph = chains(2, of: 1)
    var forecast = GraphForecast(graph, workers: 2, history: history(of: graph) { _ in 40 })
    forecast.start(1, at: .zero)
    forecast.start(0, at: .seconds(60))
    let late = forecast.overdue(at: .seconds(300))
    let overdue = try #require(late)
    #expect(overdue.task == 1)
    #expect(overdue.elapsed == .seconds(300))
  }

  @Test func `A task far beyond its usual time is overdue, by what it is late`() throws {
    let graph = chains(2, of: 1)
    var forecast = GraphForecast(graph, workers: 2, history: history(of: graph) { _ in 40 })
    forecast.start(0, at: .zero)
    let early = forecast.overdue(at: .seconds(40))
    #expect(early == nil)
    let late = forecast.overdue(at: .seconds(190))
    let overdue = try #require(late)
    #expect(overdue.task == 0)
    #expect(overdue.elapsed == .seconds(190))
    #expect(abs(overdue.late / .seconds(1) - 150) < 5)
  }

  @Test func `A slow run is noticed after a few tasks`() {
    let graph = chains(1, of: 20)
    let known = history(of: graph) { _ in 10 }
    var forecast = GraphForecast(graph, workers: 1, history: known)
    for task in 0..<5 {
      forecast.start(task, at: .seconds(task * 15))
      forecast.end(task, .succeeded, at: .seconds(task * 15 + 15))
    }
    let remaining = (forecast.forecast(at: .seconds(75)).remaining?.median ?? .zero) / .seconds(1)
    #expect(remaining > 155, "fifteen tasks of 10 s, were it not for the speed: \(remaining)")
  }

  @Test func `More workers shorten what remains, a pool does not let them`() {
    var graph = chains(8, of: 2)
    let known = history(of: graph) { _ in 10 }
    var wide = GraphForecast(graph, workers: 2, history: known)
    let before = wide.forecast(at: .zero).remaining?.median ?? .zero
    wide.setWorkers(8, at: .zero)
    let after = wide.forecast(at: .zero).remaining?.median ?? .zero
    #expect(after < before * 0.4)
    graph.poolLimits = [2]
    for index in graph.tasks.indices { graph.tasks[index].pool = 0 }
    var bound = GraphForecast(graph, workers: 8, history: known)
    let pooled = bound.forecast(at: .zero).remaining?.median ?? .zero
    #expect(abs(pooled / before - 1) < 0.05)
  }

  @Test func `A task without a pool does not wait for those of a pool`() {
    var graph = chains(3, of: 1)
    graph.poolLimits = [1]
    for index in 0..<2 { graph.tasks[index].pool = 0 }
    var forecast = GraphForecast(graph, workers: 3, history: history(of: graph) { _ in 10 })
    let remaining = forecast.forecast(at: .zero).remaining?.median ?? .zero
    // Two tasks one after the other, and the third beside them.
    #expect(abs(remaining / .seconds(20) - 1) < 0.2, "\(remaining)")
  }

  @Test func `A skipped task counts nothing and a retried one counts again`() {
    let graph = chains(1, of: 10)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    for task in 0..<5 { forecast.end(task, .skipped, at: .zero) }
    let half = (forecast.forecast(at: .zero).remaining?.median ?? .zero) / .seconds(1)
    #expect(abs(half - 50) < 6, "\(half)")
    forecast.start(5, at: .zero)
    let nearlyDone = forecast.forecast(at: .seconds(9)).remaining?.median ?? .zero
    forecast.retry(5, after: .seconds(1), at: .seconds(9))
    let again = forecast.forecast(at: .seconds(9)).remaining?.median ?? .zero
    #expect(again > nearlyDone + .seconds(7))
  }

  @Test func `A run without history is as far as one that never had the skipped tasks`() {
    /// The fraction after one of a number of tasks has ended and others were skipped.
    func fraction(tasks: Int, skipped: Range<Int>) -> Double {
      var forecast = GraphForecast(chains(tasks, of: 1), workers: 1)
      for task in skipped { forecast.end(task, .skipped, at: .zero) }
      forecast.start(0, at: .zero)
      forecast.end(0, .succeeded, at: .seconds(10))
      return forecast.forecast(at: .seconds(10)).fraction
    }
    let skipping = fraction(tasks: 8, skipped: 2..<8)
    let without = fraction(tasks: 2, skipped: 0..<0)
    #expect(abs(skipping - without) < 0.01, "\(skipping), \(without)")
  }

  @Test func `What a task says of itself is believed`() {
    let graph = chains(1, of: 1)
    var forecast = GraphForecast(graph, workers: 1)
    forecast.start(0, at: .zero)
    forecast.report(0, part: 0.9, at: .seconds(90))
    let remaining = forecast.forecast(at: .seconds(90)).remaining?.median ?? .zero
    #expect(remaining > .seconds(3) && remaining < .seconds(25), "\(remaining)")
  }

  @Test
  func
    `A first run without a start has no estimate, and one with a start says that it is the first`()
  {
    var forecast = GraphForecast(chains(2, of: 2), workers: 2)
    let nothing = forecast.forecast(at: .zero)
    #expect(nothing.remaining == nil)
    forecast.start(0, at: .zero)
    let answer = forecast.forecast(at: .seconds(1))
    #expect(answer.remaining != nil)
    #expect(!answer.hasHistory)
  }

  @Test func `The range of a first run is more than twice as wide as that of its simulations`()
    throws
  {
    /// The ratio of the ends of the range, as a logarithm.
    func width(_ parameters: ForecastParameters) throws -> Double {
      var forecast = GraphForecast(
        chains(4, of: 1), workers: 1, history: DurationHistory(), order: .longestPath,
        parameters: parameters)
      forecast.start(0, at: .zero)
      forecast.end(0, .succeeded, at: .seconds(10))
      let answer = forecast.forecast(at: .seconds(10))
      let remaining = try #require(answer.remaining)
      return Logarithms.log(remaining.high / remaining.low)
    }
    var simulated = ForecastParameters()
    simulated.coldWidening = 1
    let (wide, narrow) = (try width(ForecastParameters()), try width(simulated))
    #expect(narrow > 0 && wide > 2 * narrow, "\(wide), \(narrow)")
  }

  @Test func `A failed run of a task does not make it short`() {
    let graph = chains(1, of: 4)
    var known = history(of: graph) { _ in 100 }
    for run in 4..<8 {
      known.runs[run].samples[0].duration = .seconds(1)
      known.runs[run].samples[0].isCensored = true
    }
    var forecast = GraphForecast(graph, workers: 1, history: known)
    let remaining = (forecast.forecast(at: .zero).remaining?.median ?? .zero) / .seconds(1)
    #expect(remaining > 330, "\(remaining)")
  }

  @Test func `The same events give the same answer`() {
    let graph = chains(6, of: 6)
    let known = history(of: graph, runs: 2) { Double(1 + $0 % 7) }
    var one = GraphForecast(graph, workers: 3, history: known)
    var two = one
    for task in 0..<3 {
      one.start(task, at: .zero)
      two.start(task, at: .zero)
    }
    #expect(one.forecast(at: .seconds(2)) == two.forecast(at: .seconds(2)))
  }

  /// The forecast of forty tasks on one worker after half of them, each as many times as long as told.
  private static func halfway(_ factor: (Int) -> Double) throws -> RemainingTime {
    let graph = chains(40, of: 1)
    let known = history(of: graph, runs: 1) { $0 % 2 == 0 ? 5 : 20 }
    var forecast = GraphForecast(graph, workers: 1, history: known)
    var now = 0.0
    for task in 0..<20 {
      forecast.start(task, at: .seconds(now))
      now += (task % 2 == 0 ? 5 : 20) * factor(task)
      forecast.end(task, .succeeded, at: .seconds(now))
    }
    let answer = forecast.forecast(at: .seconds(now))
    return try #require(answer.remaining)
  }

  @Test func `Where tasks take what they took before, the range is narrow, else it is wide`() throws
  {
    let steady = try Self.halfway { _ in 1 }
    let noisy = try Self.halfway { $0 / 2 % 2 == 0 ? 2.5 : 0.4 }
    let (narrow, wide) = (steady.high / steady.low, noisy.high / noisy.low)
    #expect(narrow > 1 && narrow < wide * 0.8, "\(narrow), \(wide)")
  }

  @Test
  func `Where tasks do not take what they took before, they are taken for the mean of their kind`()
  {
    let graph = chains(40, of: 1)
    let known = history(of: graph, runs: 1) { $0 % 2 == 0 ? 5 : 20 }
    var forecast = GraphForecast(graph, workers: 1, history: known)
    // Those that were short are long now, and the other way round.
    var now = 0.0
    for task in 0..<30 {
      forecast.start(task, at: .seconds(now))
      now += task % 2 == 0 ? 20 : 5
      forecast.end(task, .succeeded, at: .seconds(now))
    }
    forecast.start(38, at: .seconds(now))
    forecast.start(39, at: .seconds(now))
    let short = forecast.remaining(of: 38, at: .seconds(now))?.median ?? .zero
    let long = forecast.remaining(of: 39, at: .seconds(now))?.median ?? .zero
    #expect(long < short * 2, "four times as long before: \(short), \(long)")
  }
}
