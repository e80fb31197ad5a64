import HeadwayCollections
import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What the forecast makes of large graphs and of ones that grow.
struct GraphForecastScaleTests {
  /// Layers of a width, each task waiting for the one above it and for another.
  private static func layers(_ count: Int, width: Int) -> ForecastInput {
    let tasks = (0..<count).map { ForecastInput.Task(name: "t\($0)", kind: "\($0 % 4)") }
    let edges = (width..<count).flatMap { index in
      let other = Int(SplitMix64.mixed(UInt64(index)) % UInt64(width))
      return [index - width, (index / width - 1) * width + other].map {
        TaskGraph.Edge(before: $0, after: index)
      }
    }
    return ForecastInput(tasks: tasks, edges: edges)
  }

  @Test(arguments: [12, 60, 400], [4, 32])
  func `Where the draws become fewer, the answer does not jump`(_ width: Int, _ workers: Int) {
    let graph = Self.layers(4_100, width: width)
    let known = history(of: graph, runs: 2) { 1 + Double($0 * 7_919 % 10) }
    var forecast = GraphForecast(graph, workers: workers, history: known)
    for task in 0..<99 { forecast.end(task, .skipped, at: .zero) }
    let large = forecast.forecast(at: .zero).remaining?.median ?? .zero
    forecast.end(99, .skipped, at: .zero)
    let small = forecast.forecast(at: .seconds(100)).remaining?.median ?? .zero
    #expect(forecast.cost.forecasts == 2)
    #expect(abs(small / large - 1) < 0.05, "\(large), \(small)")
  }

  @Test func `A graph that grows by one task for each that ends is not put in order each time`() {
    var forecast = GraphForecast(chains(1, of: 2), workers: 2)
    var newest = 1
    for task in 0..<20_000 {
      newest = forecast.add(
        ForecastInput.Task(name: "\(task)", kind: "work"), after: [newest], at: .seconds(task))
      forecast.start(task, at: .seconds(task))
      forecast.end(task, .succeeded, at: .seconds(task + 1))
    }
    #expect(forecast.isOrderStale, "nobody asked")
    // Two tasks of a second are left.
    let remaining = forecast.forecast(at: .seconds(20_000)).remaining?.median ?? .zero
    #expect(abs(remaining / .seconds(1) - 2) < 0.5, "\(remaining)")
    #expect(!forecast.isOrderStale)
  }

  @Test func `More workers after a forecast, and fewer than tasks that run, are believed`() {
    let graph = chains(64, of: 2)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    _ = forecast.forecast(at: .zero)
    forecast.setWorkers(64, at: .zero)
    let wide = forecast.forecast(at: .zero).remaining?.median ?? .zero
    #expect(abs(wide / .seconds(20) - 1) < 0.3, "\(wide)")
    for task in 0..<64 { forecast.start(task, at: .zero) }
    forecast.setWorkers(2, at: .zero)
    let narrow = forecast.forecast(at: .zero).remaining?.median ?? .zero
    // Those that run go on; the other 64 share two workers.
    #expect(abs(narrow / .seconds(330) - 1) < 0.1, "\(narrow)")
  }

  @Test(arguments: [
    (10_000, 0.0005, 1), (10_000, 0.002, 2), (40_000, 0.0015, 1), (40_000, 0.003, 2),
  ])
  func `A large run is forecast again after a thousandth of it, a still larger one a little later`(
    _ count: Int, _ part: Double, _ forecasts: Int
  ) {
    var forecast = GraphForecast(chains(100, of: count / 100), workers: 100)
    forecast.start(0, at: .zero)
    forecast.end(0, .succeeded, at: .seconds(1))
    let rest = forecast.forecast(at: .seconds(1)).remaining?.median ?? .zero
    _ = forecast.forecast(at: .seconds(1) + (.seconds(1) + rest) * part)
    #expect(forecast.cost.forecasts == forecasts)
  }

  @Test func `A task that is skipped before its dependencies is not simulated`() {
    let graph = chains(1, of: 4)
    var forecast = GraphForecast(graph, workers: 1, history: history(of: graph) { _ in 10 })
    let all = forecast.forecast(at: .zero).remaining?.median ?? .zero
    forecast.end(2, .skipped, at: .zero)
    let rest = forecast.forecast(at: .zero).remaining?.median ?? .zero
    #expect(abs(rest / all - 0.75) < 0.05, "\(rest), \(all)")
  }
}
