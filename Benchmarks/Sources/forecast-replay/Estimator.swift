/// The forecast of an estimator at a time.
struct Shown {
  /// The fraction.
  var fraction: Double
  /// The remaining seconds, NaN if there is no estimate.
  var remaining: Double
  /// The range that should contain the actual value four times in five.
  var range: ClosedRange<Double>?

  /// Creates a forecast from a fraction and a remaining time.
  init(_ fraction: Double, _ remaining: Double, _ range: ClosedRange<Double>? = nil) {
    self.fraction = fraction
    self.remaining = remaining
    self.range = range
  }

  /// Creates a forecast from a fraction, with a remaining time at constant speed.
  init(fraction: Double, at time: Double) {
    self.init(fraction, fraction > 0 ? time * (1 - fraction) / fraction : .nan)
  }

  /// Creates a forecast from a remaining time.
  init(remaining: Double, at time: Double) {
    self.init(time + remaining > 0 ? time / (time + remaining) : 0, remaining)
  }
}

/// What an estimator knows before a run.
struct Setting {
  /// The run.
  var replay: Replay
  /// The earlier runs, the latest last.
  var history: [Trace.Run]
  /// The plan of the run.
  var plan: Plan { replay.plan }
}

/// An estimator of progress and remaining time.
protocol Estimator: SendableMetatype {
  /// The name in the table.
  static var name: String { get }
  /// Whether it needs history.
  static var needsHistory: Bool { get }
  /// Creates it for a run.
  init(_ setting: Setting)
  /// The forecast at a time.
  mutating func shown(_ scene: Scene) -> Shown
}

extension Estimator {
  static var needsHistory: Bool { false }
}

/// Expected durations: plain means by name, or else by kind, or else of all tasks.
struct Means {
  /// Of each task of the plan, nil without history.
  let known: [Double]?
  /// The plan.
  private let plan: Plan

  /// Computes them from history.
  init(_ setting: Setting) {
    plan = setting.plan
    guard !setting.history.isEmpty else {
      known = nil
      return
    }
    var names: [String: (sum: Double, count: Double)] = [:]
    var kinds: [String: (sum: Double, count: Double)] = [:]
    var all = (sum: 0.0, count: 0.0)
    for task in setting.history.flatMap(\.tasks) {
      let name = names[task.name] ?? (0, 0)
      names[task.name] = (name.sum + task.seconds, name.count + 1)
      let kind = kinds[task.kind] ?? (0, 0)
      kinds[task.kind] = (kind.sum + task.seconds, kind.count + 1)
      all = (all.sum + task.seconds, all.count + 1)
    }
    let plan = setting.plan
    known = (0..<plan.count).map { place in
      let mean = names[plan.names[place]] ?? kinds[plan.kindNames[plan.kinds[place]]] ?? all
      return mean.sum / mean.count
    }
  }

  /// Of each task at a time: from history, or else the means of finished tasks, nil if there are none.
  func expected(_ scene: Scene) -> [Double]? {
    if let known { return known }
    guard !scene.done.isEmpty else { return nil }
    var sums = Array(repeating: (sum: 0.0, count: 0.0), count: plan.kindNames.count)
    var all = 0.0
    for task in scene.done {
      sums[plan.kinds[task]].sum += plan.durations[task]
      sums[plan.kinds[task]].count += 1
      all += plan.durations[task]
    }
    let mean = all / Double(scene.done.count)
    return plan.kinds.map { sums[$0].count > 0 ? sums[$0].sum / sums[$0].count : mean }
  }
}

/// The estimators that are compared.
enum Estimators {
  /// All estimators, ours first.
  static let all: [any Estimator.Type] = [
    ShownForecast.self, RawForecast.self, Count.self, RecentSteps.self, AverageSteps.self,
    Ninja.self, Lmake.self, Jenkins.self, MeanSchedule.self, KindOracle.self, SpeedOracle.self,
    FullOracle.self,
  ]
}
