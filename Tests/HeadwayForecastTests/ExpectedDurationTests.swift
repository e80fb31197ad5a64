import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What durations are expected of tasks from other plans and extreme histories.
struct ExpectedDurationTests {
  private static let count = 12

  /// A run of twelve tasks of ten seconds each.
  private static func run() -> DurationHistory.Run {
    DurationHistory.Run(
      samples: (0..<count).map {
        DurationHistory.Sample(name: "t\($0)", kind: "test", duration: .seconds(10))
      })
  }

  @Test func `The kinds of other plans say how long a new plan takes`() throws {
    let kind = DurationHistory.Kind(name: "test", typical: .seconds(10), spread: 0.3, count: 40)
    var history = DurationHistory(runs: [])
    history.kinds = [kind]
    let tasks = (0..<Self.count).map { ForecastInput.Task(name: "t\($0)", kind: "test") }
    let input = ForecastInput(tasks: tasks, edges: [TaskGraph.Edge]())
    var informed = GraphForecast(input, workers: 1, history: history)
    var new = GraphForecast(input, workers: 1)
    #expect(new.forecast(at: .zero).remaining == nil)
    let left = try #require(informed.forecast(at: .zero).remaining)
    #expect(left.median > .seconds(60) && left.median < .seconds(240), "\(left.median)")
    #expect(left.high / left.low > 2)
    // Its own tasks soon count for more.
    for task in 0..<6 {
      informed.start(task, at: .seconds(2 * task))
      informed.end(task, .succeeded, at: .seconds(2 * (task + 1)))
    }
    let after = try #require(informed.forecast(at: .seconds(12)).remaining)
    #expect(abs(after.median / .seconds(12) - 1) < 0.4, "\(after.median)")
  }

  @Test(arguments: [0, 1e-9, 1e9]) func `Extreme durations give finite forecasts`(_ seconds: Double)
    throws
  {
    let history = DurationHistory(
      runs: [1, 1e3, 1e-3].map { factor in
        DurationHistory.Run(
          samples: (0..<Self.count).map {
            DurationHistory.Sample(
              name: "t\($0)", kind: "test", duration: .seconds(seconds * factor))
          })
      })
    let tasks = (0..<Self.count).map { ForecastInput.Task(name: "t\($0)", kind: "test") }
    var forecast = GraphForecast(
      ForecastInput(tasks: tasks, edges: [TaskGraph.Edge]()), workers: 2, history: history)
    for (task, now) in [Duration.zero, .nanoseconds(1), .seconds(1e6)].enumerated() {
      forecast.start(task, at: now)
      let answer = forecast.forecast(at: now + .seconds(1))
      let left = try #require(answer.remaining)
      #expect(answer.fraction >= 0 && answer.fraction <= 1)
      #expect(left.low >= .zero && left.low <= left.median && left.median <= left.high)
      forecast.end(task, .succeeded, at: now + .seconds(1))
    }
  }
}
