import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What the forecast of a graph makes of input that nobody should give it, and what it costs.
struct GraphForecastBadInputTests {
  @Test(arguments: [Duration.zero, .seconds(-5), .seconds(365 * 86_400)])
  func `Odd durations leave finite answers in order`(_ odd: Duration) throws {
    let graph = chains(3, of: 3)
    var known = history(of: graph) { _ in 1 }
    for run in known.runs.indices { known.runs[run].samples[run % 9].duration = odd }
    var forecast = GraphForecast(graph, workers: 2, history: known)
    forecast.start(0, at: .zero)
    forecast.end(0, .succeeded, at: max(.zero, odd))
    let answer = forecast.forecast(at: max(.seconds(1), odd))
    let remaining = try #require(answer.remaining)
    #expect((0...1).contains(answer.fraction))
    #expect(remaining.low <= remaining.median && remaining.median <= remaining.high)
    #expect(remaining.low >= .zero && remaining.high < .seconds(1e12))
  }

  @Test func `Places that do not exist, and parts that are no parts, change nothing`() {
    var forecast = GraphForecast(chains(1, of: 2), workers: 0)
    forecast.start(7, at: .zero)
    forecast.end(-1, .succeeded, at: .zero)
    forecast.retry(2, after: .zero, at: .zero)
    forecast.start(0, at: .zero)
    for part in [Double.nan, -1, 0, 2, .infinity] { forecast.report(0, part: part, at: .zero) }
    forecast.setWorkers(-3, at: .zero)
    let path = forecast.forecast(at: .seconds(1))
    #expect((0...1).contains(path.fraction))
  }

  @Test func `A clock that goes back stands still`() {
    let graph = chains(1, of: 4)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    forecast.start(0, at: .zero)
    let late = forecast.forecast(at: .seconds(8))
    let rest = forecast.forecast(at: .seconds(2))
    #expect(rest == late)
  }

  @Test func `A cycle is never run and does no harm`() {
    var graph = chains(1, of: 3)
    graph.edges.append(TaskGraph.Edge(before: 2, after: 1))
    graph.edges.append(TaskGraph.Edge(before: 1, after: 99))
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 1 })
    let nothing = forecast.forecast(at: .seconds(1))
    #expect((0...1).contains(nothing.fraction))
    let path = forecast.criticalPath(at: .seconds(1))
    #expect(path == [0])
  }

  @Test func `A graph that grows is foretold with what was added`() {
    let graph = chains(1, of: 2)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    let before = forecast.forecast(at: .zero).remaining?.median ?? .zero
    var last = 1
    for number in 0..<8 {
      last = forecast.add(
        ForecastInput.Task(name: "new\(number)", kind: "work"), after: [last], at: .zero)
    }
    let after = forecast.forecast(at: .zero).remaining?.median ?? .zero
    #expect(abs(after / before - 5) < 0.6, "\(after / before)")
    forecast.remove(last, at: .zero)
    let shorter = forecast.forecast(at: .zero)
    #expect((shorter.remaining?.median ?? .zero) < after)
  }

  @Test func `Nothing is computed unless it is asked for, and not twice for one moment`() {
    let graph = chains(5, of: 5)
    var forecast = GraphForecast(graph, workers: 5, history: history(of: graph) { _ in 1 })
    for task in 0..<5 { forecast.start(task, at: .zero) }
    for task in 0..<5 { forecast.end(task, .succeeded, at: .seconds(1)) }
    #expect(forecast.cost.forecasts == 0)
    _ = forecast.forecast(at: .seconds(1))
    _ = forecast.forecast(at: .seconds(1))
    #expect(forecast.cost.forecasts == 1)
  }

  @Test(arguments: [10, 250, 1_000, 4_000])
  func `A forecast draws a bounded number of tasks`(_ count: Int) {
    let graph = chains(10, of: count / 10)
    var forecast = GraphForecast(graph, workers: 4, history: history(of: graph, runs: 2) { _ in 1 })
    _ = forecast.forecast(at: .zero)
    #expect(forecast.cost.simulatedTasks <= 24_000)
  }

  @Test
  func `A hundred thousand tasks take one pass, and none until a thousandth of the run is over`() {
    let graph = chains(100, of: 1_000)
    var forecast = GraphForecast(graph, workers: 100)
    forecast.start(0, at: .zero)
    forecast.end(0, .succeeded, at: .seconds(1))
    let first = forecast.forecast(at: .seconds(1))
    #expect(forecast.cost.simulatedTasks == 99_999)
    // A hundred thousand tasks of a second on a hundred workers, of which one is known.
    let hours = (first.remaining?.median ?? .zero) / .seconds(3_600)
    #expect(hours > 0.1 && hours < 2, "\(hours)")
    for tenth in 11..<16 {
      let passed = Duration.milliseconds(100 * tenth) - .seconds(1)
      let remaining = forecast.forecast(at: .seconds(1) + passed).remaining
      // The answer is held, and counts down meanwhile.
      for time in [\RemainingTime.low, \.median, \.high] {
        let counted =
          (first.remaining?[keyPath: time] ?? .zero) - (remaining?[keyPath: time] ?? .zero)
        #expect(abs(counted / passed - 1) < 1e-9)
      }
    }
    #expect(forecast.cost.forecasts == 1)
  }
}
