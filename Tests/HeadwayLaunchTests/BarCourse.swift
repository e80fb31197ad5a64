import HeadwayForecast
import HeadwayLaunch
import HeadwayRun

/// What a bar shows in the course of a run on virtual time.
struct BarCourse {
  /// A look at the bar.
  struct Look {
    /// When.
    var time: Duration
    /// What it showed.
    var forecast: RunForecast
  }

  /// The looks before the end, from the first moment on.
  private(set) var looks: [Look] = []
  /// What was shown after the last event.
  let last: RunForecast
  /// How long the run took.
  let total: Duration
  /// How long its tasks took that succeeded, for the history.
  let samples: [DurationHistory.Sample]

  /// Plays a run.
  ///
  /// - Parameters:
  ///   - graph: The tasks.
  ///   - seconds: How long each takes, by place; a missing one takes no time.
  ///   - workers: How many run at a time.
  ///   - history: What earlier runs say.
  ///   - scripts: What attempts do, for tasks that do not simply take their time.
  ///   - policy: What a failure means.
  ///   - number: How often somebody looks, evenly spread over the run.
  /// - Throws: What the graph has wrong.
  init(
    _ graph: LaunchGraph, seconds: [Double], workers: Int = 2,
    history: DurationHistory = DurationHistory(), scripts: [TaskID: [VirtualRun.Script]] = [:],
    policy: FailurePolicy = .stop, looks number: Int = 1000
  ) throws {
    var scripts = scripts
    for place in 0..<graph.count where scripts[TaskID(place)] == nil {
      let time = seconds.indices.contains(place) ? seconds[place] : 0
      scripts[TaskID(place)] = [VirtualRun.Script(duration: .seconds(time))]
    }
    let run = try VirtualRun(graph, workers: workers, policy: policy, scripts: scripts)
    _ = run.run()
    self.init(
      run.events, of: RunForecaster(graph, workers: workers, history: history),
      names: graph.names, looks: number)
  }

  /// Plays the events of a run.
  init(
    _ events: [RunEvent], of first: RunForecaster, names: [String], looks number: Int = 1000
  ) {
    var forecaster = first
    let end = events.last?.time ?? .zero
    var next = events.startIndex
    for step in 0..<number {
      let now = end * step / number
      while next < events.endIndex - 1, events[next].time <= now {
        forecaster.receive(events[next])
        next += 1
      }
      looks.append(Look(time: now, forecast: forecaster.forecast(at: now)))
    }
    for event in events[next...] { forecaster.receive(event) }
    last = forecaster.forecast(at: end)
    total = end
    samples = events.compactMap { event in
      guard case .taskEnded(let task, .succeeded, _, let ran) = event.kind else { return nil }
      return DurationHistory.Sample(name: names[task.index], kind: "", duration: ran)
    }
  }

  /// The true part of the time at a look.
  func truth(_ look: Look) -> Double { look.time / total }

  /// The mean difference of the bar from the part of the time.
  var meanError: Double {
    looks.reduce(0) { $0 + abs($1.forecast.fraction - truth($1)) } / Double(looks.count)
  }

  /// The largest difference of the bar from the part of the time.
  var largestError: Double { looks.map { abs($0.forecast.fraction - truth($0)) }.max() ?? 0 }

  /// The steps of the bar from look to look.
  var steps: [Double] {
    zip(looks, looks.dropFirst()).map { $1.forecast.fraction - $0.forecast.fraction }
  }
}

extension DurationHistory {
  /// A history of equal runs.
  init(_ samples: [Sample], runs: Int) {
    self.init(runs: Array(repeating: Run(samples: samples), count: runs))
  }
}
