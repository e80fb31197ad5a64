import HeadwayRun
import Testing

@testable import HeadwayForecast

/// Predictions for another number of workers than that of earlier runs, on two processors.
struct ProcessorLoadTests {
  /// Tasks of a second each.
  private func run(_ count: Int, workers: Int, seconds: Double = 1) -> DurationHistory.Run {
    DurationHistory.Run(
      samples: (0..<count).map {
        DurationHistory.Sample(name: "t\($0)", kind: "", duration: .seconds(seconds))
      }, workers: workers)
  }

  private func forecast(
    _ count: Int, isChain: Bool, workers: Int, _ runs: [DurationHistory.Run]
  ) throws -> RemainingTime {
    let edges = isChain ? (1..<count).map { TaskGraph.Edge(before: $0 - 1, after: $0) } : []
    var forecast = GraphForecast(
      ForecastInput(
        tasks: (0..<count).map { ForecastInput.Task(name: "t\($0)", kind: "") }, edges: edges),
      workers: workers, history: DurationHistory(runs: runs), processors: 2)
    return try #require(forecast.forecast(at: .zero).remaining)
  }

  @Test(arguments: [(4, 2), (2, 4), (2, 8), (8, 2), (4, 1)])
  func `A chain takes as long with any number of workers`(earlier: Int, workers: Int) throws {
    let runs = (0..<3).map { _ in run(4, workers: earlier) }
    let left = try forecast(4, isChain: true, workers: workers, runs)
    #expect(abs(left.median / .seconds(4) - 1) < 0.1, "\(left)")
  }

  @Test func `What another number of workers does is uncertain until it was seen`() throws {
    let runs = (0..<3).map { _ in run(8, workers: 8) }
    let unknown = try forecast(8, isChain: false, workers: 2, runs)
    // The tasks may sleep: then it takes four seconds.
    #expect(unknown.low < .seconds(2.2) && unknown.high > .seconds(2.8), "\(unknown)")
    let known = try forecast(8, isChain: false, workers: 2, runs + [run(8, workers: 2)])
    #expect(abs(known.median / .seconds(4) - 1) < 0.2, "\(known)")
  }

  @Test func `Tasks that need their processor are known by earlier runs, too`() throws {
    let runs = (0..<3).map { _ in run(8, workers: 8, seconds: 4) } + [run(8, workers: 2)]
    let known = try forecast(8, isChain: false, workers: 2, runs)
    #expect(abs(known.median / .seconds(4) - 1) < 0.25, "\(known)")
  }
}
