import HeadwayForecast
import HeadwayRun

/// The forecast of this package, which gets the events of the run and is shown by `ShownProgress`.
struct Ours {
  /// The forecast.
  private var forecast: GraphForecast
  /// The shown value.
  private var progress = ShownProgress()
  /// The events.
  private let happenings: [Happening]
  /// The number of events passed so far.
  private var place = 0

  /// Creates the forecast of a run from its earlier runs and the errors of their forecasts.
  init(_ setting: Setting) {
    var runs: [DurationHistory.Run] = []
    for run in setting.history {
      let replay = Replay(Plan(run), workers: setting.replay.workers)
      let samples = run.tasks.map {
        DurationHistory.Sample(name: $0.name, kind: $0.kind, duration: .seconds(max(0, $0.seconds)))
      }
      runs.append(
        DurationHistory.Run(
          samples: samples, workers: run.workers, misses: Self.misses(of: replay, after: runs)))
    }
    self.init(setting.replay, history: DurationHistory(runs: runs))
  }

  /// Creates the forecast of a run with a history.
  private init(_ replay: Replay, history: DurationHistory) {
    let plan = replay.plan
    let tasks = plan.names.indices.map { place in
      ForecastInput.Task(name: plan.names[place], kind: plan.kindNames[plan.kinds[place]])
    }
    let edges = plan.parents.indices.flatMap { task in
      plan.parents[task].map { (before: $0, after: task) }
    }
    forecast = GraphForecast(
      ForecastInput(tasks: tasks, edges: edges), workers: replay.workers, history: history,
      order: .firstReady)
    happenings = replay.happenings
  }

  /// The errors of the forecasts of an earlier run at ten times; empty if it had no history.
  private static func misses(
    of replay: Replay, after runs: [DurationHistory.Run]
  ) -> [DurationHistory.Miss] {
    guard !runs.isEmpty, replay.length > 0 else { return [] }
    var ours = Ours(replay, history: DurationHistory(runs: runs))
    return (0..<10).compactMap { tenth in
      let time = replay.length * (Double(tenth) + 0.5) / 10
      guard let told = ours.answer(at: time).remaining else { return nil }
      return DurationHistory.Miss(predicted: told, actual: .seconds(replay.length - time))
    }
  }

  /// Passes the events up to a time, and returns the forecast.
  private mutating func answer(at time: Double) -> GraphForecast.Answer {
    while place < happenings.count, happenings[place].time <= time {
      let one = happenings[place]
      if one.isStart {
        forecast.start(one.task, at: .seconds(one.time))
      } else {
        forecast.end(one.task, .succeeded, at: .seconds(one.time))
      }
      place += 1
    }
    return forecast.forecast(at: .seconds(time))
  }

  /// The forecast: the raw fraction, or the one that a bar shows.
  mutating func shown(_ scene: Scene, isRaw: Bool) -> Shown {
    let now = Duration.seconds(scene.time)
    let answer = answer(at: scene.time)
    progress.advance(to: now, target: answer.fraction, remaining: answer.remaining?.median)
    guard let remaining = answer.remaining else { return Shown(progress.fraction, .nan) }
    let (low, high) = (remaining.low / .seconds(1), remaining.high / .seconds(1))
    let fraction = isRaw ? answer.fraction : progress.fraction
    return Shown(fraction, remaining.median / .seconds(1), low...max(low, high))
  }
}

/// The forecast as a bar shows it.
struct ShownForecast: Estimator {
  static let name = "headway"
  /// The forecast.
  private var ours: Ours

  init(_ setting: Setting) { ours = Ours(setting) }

  mutating func shown(_ scene: Scene) -> Shown { ours.shown(scene, isRaw: false) }
}

/// The raw forecast.
struct RawForecast: Estimator {
  static let name = "headway raw"
  /// The forecast.
  private var ours: Ours

  init(_ setting: Setting) { ours = Ours(setting) }

  mutating func shown(_ scene: Scene) -> Shown { ours.shown(scene, isRaw: true) }
}
