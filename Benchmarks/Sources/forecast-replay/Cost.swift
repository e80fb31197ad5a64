import HeadwayForecast
import HeadwayRun

/// Measures the time of one forecast.
enum Cost {
  /// The time of one forecast at the beginning of a run of layers, ten to a layer, with history, in microseconds.
  ///
  /// - Parameters:
  ///   - count: The number of tasks.
  ///   - order: The order in which ready tasks start.
  /// - Returns: The least of fifteen measurements.
  static func microseconds(tasks count: Int, order: GraphForecast.Order) -> Double {
    let tasks = (0..<count).map { ForecastInput.Task(name: "\($0)", kind: "\($0 % 5)") }
    var edges: [(before: Int, after: Int)] = []
    for place in tasks.indices where place >= 10 {
      edges.append((before: place - 10, after: place))
      edges.append((before: place - 1 - place % 10, after: place))
    }
    let run = DurationHistory.Run(
      samples: tasks.enumerated().map { place, task in
        DurationHistory.Sample(
          name: task.name, kind: task.kind, duration: .milliseconds(100 + place * 7_919 % 1_000))
      })
    var forecast = GraphForecast(
      ForecastInput(tasks: tasks, edges: edges), workers: 8,
      history: DurationHistory(runs: [run, run]), order: order)
    for place in 0..<min(8, count) { forecast.start(place, at: .zero) }
    let clock = ContinuousClock()
    let times = (1...15).map { turn in
      // Far enough apart that the forecast of a large run is computed again.
      clock.measure { _ = forecast.forecast(at: .seconds(100 * turn)) }
    }
    return (times.min() ?? .zero) / .microseconds(1)
  }
}
