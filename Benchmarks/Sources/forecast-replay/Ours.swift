import HeadwayForecast

/// The forecast of this package, fed with the events of the run and shown by its law.
struct Ours {
  /// The forecast.
  private var forecast: GraphForecast
  /// What is shown of it.
  private var progress = ShownProgress()
  /// What happens.
  private let happenings: [Happening]
  /// How much of it has happened.
  private var place = 0

  /// Creates the forecast of a run.
  init(_ setting: Setting) {
    let plan = setting.plan
    let tasks = plan.names.indices.map { place in
      ForecastGraph.Task(name: plan.names[place], kind: plan.kindNames[plan.kinds[place]])
    }
    let edges = plan.parents.indices.flatMap { task in
      plan.parents[task].map { ForecastGraph.Edge(before: $0, after: task) }
    }
    let runs = setting.history.map { run in
      DurationHistory.Run(
        samples: run.tasks.map {
          DurationHistory.Sample(
            name: $0.name, kind: $0.kind, duration: .seconds(max(0, $0.seconds)))
        }, workers: run.workers)
    }
    forecast = GraphForecast(
      ForecastGraph(tasks: tasks, edges: edges), workers: setting.replay.workers,
      history: DurationHistory(runs: runs), order: .firstReady)
    happenings = setting.replay.happenings
  }

  /// What it shows: the raw fraction, or the one that a bar shows.
  mutating func shown(_ scene: Scene, isRaw: Bool) -> Shown {
    while place < happenings.count, happenings[place].time <= scene.time {
      let one = happenings[place]
      if one.isStart {
        forecast.start(one.task, at: .seconds(one.time))
      } else {
        forecast.end(one.task, .done, at: .seconds(one.time))
      }
      place += 1
    }
    let now = Duration.seconds(scene.time)
    let answer = forecast.forecast(at: now)
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

/// The forecast without the law of what is shown.
struct RawForecast: Estimator {
  static let name = "headway raw"
  /// The forecast.
  private var ours: Ours

  init(_ setting: Setting) { ours = Ours(setting) }

  mutating func shown(_ scene: Scene) -> Shown { ours.shown(scene, isRaw: true) }
}
