/// What an estimator shows at one moment.
struct Shown {
  /// The fraction.
  var fraction: Double
  /// The remaining seconds, not a number where it has none.
  var remaining: Double
  /// The range that should hold the truth four times in five.
  var range: ClosedRange<Double>?

  /// A fraction and the remaining time, with or without a range.
  init(_ fraction: Double, _ remaining: Double, _ range: ClosedRange<Double>? = nil) {
    self.fraction = fraction
    self.remaining = remaining
    self.range = range
  }

  /// A fraction, and the remaining time as if it went on like that.
  init(fraction: Double, at time: Double) {
    self.init(fraction, fraction > 0 ? time * (1 - fraction) / fraction : .nan)
  }

  /// A remaining time, and its fraction.
  init(remaining: Double, at time: Double) {
    self.init(time + remaining > 0 ? time / (time + remaining) : 0, remaining)
  }
}

/// What an estimator is told before the run.
struct Setting {
  /// The run.
  var replay: Replay
  /// The earlier runs, the latest last.
  var history: [Trace.Run]
  /// The plan of the run.
  var plan: Plan { replay.plan }
}

/// Something that shows progress and remaining time.
protocol Estimator: SendableMetatype {
  /// The word in the table.
  static var name: String { get }
  /// Whether it is nothing without history.
  static var needsHistory: Bool { get }
  /// Creates it before a run.
  init(_ setting: Setting)
  /// What it shows at a moment.
  mutating func shown(_ scene: Scene) -> Shown
}

extension Estimator {
  static var needsHistory: Bool { false }
}

/// Expected durations by name, else by kind, else by all, as plain means.
struct Means {
  /// Of each task of the plan, nil without history.
  let known: [Double]?
  /// The plan.
  private let plan: Plan

  /// Reads history.
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

  /// Of each task at a moment: from history, or else the means of what has finished, nil when nothing has.
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
  /// All of them, ours first.
  static let all: [any Estimator.Type] = [
    ShownForecast.self, RawForecast.self, Count.self, RecentSteps.self, AverageSteps.self,
    Ninja.self, Lmake.self, Jenkins.self, MeanSchedule.self, KindOracle.self, SpeedOracle.self,
    FullOracle.self,
  ]
}
