/// The number of finished tasks over the number of all tasks.
struct Count: Estimator {
  static let name = "k/n"
  /// The number of tasks.
  private let count: Int

  init(_ setting: Setting) { count = setting.plan.count }

  func shown(_ scene: Scene) -> Shown {
    Shown(fraction: Double(scene.done.count) / Double(count), at: scene.time)
  }
}

/// The published technique with a step for each task; it gets the actual duration of the first step.
struct Steps {
  /// The accumulated weights, from 0.
  private let weights: [Double]
  /// The duration of the first step.
  private let first: Double
  /// The run.
  private let replay: Replay

  /// Prepares it for a run.
  init(_ setting: Setting) {
    replay = setting.replay
    let known = Means(setting).known ?? Array(repeating: 1, count: setting.plan.count)
    let parts = known.map { max($0, 1e-6) }
    let all = parts.reduce(0, +)
    var weights = [0.0]
    for part in parts { weights.append(weights[weights.count - 1] + part / all) }
    self.weights = weights
    first = replay.order.first.map { setting.replay.ends[$0] } ?? 0
  }

  /// The shown value, with the duration of a step computed from all previous ones or from the last one.
  func shown(_ scene: Scene, fromAll: Bool) -> Shown {
    let done = scene.done.count
    guard done < weights.count - 1 else { return Shown(1, 0) }
    let weight = weights[done + 1] - weights[done]
    let last = done > 0 ? replay.ends[scene.done[done - 1]] : 0
    var expected = first
    if done > 0 {
      let before = done > 1 ? replay.ends[scene.done[done - 2]] : 0
      let (took, part) =
        fromAll ? (last, weights[done]) : (last - before, weights[done] - weights[done - 1])
      expected = part > 0 ? weight / part * took : 0
    }
    let part = expected <= 0 ? 1 : min(1, (scene.time - last) / expected)
    return Shown(fraction: weights[done] + weight * part, at: scene.time)
  }
}

/// The published technique with the strategy `recent`.
struct RecentSteps: Estimator {
  static let name = "source recent"
  /// The technique.
  private let steps: Steps

  init(_ setting: Setting) { steps = Steps(setting) }

  func shown(_ scene: Scene) -> Shown { steps.shown(scene, fromAll: false) }
}

/// The published technique with the strategy `average`.
struct AverageSteps: Estimator {
  static let name = "source average"
  /// The technique.
  private let steps: Steps

  init(_ setting: Setting) { steps = Steps(setting) }

  func shown(_ scene: Scene) -> Shown { steps.shown(scene, fromAll: true) }
}

/// The formula of ninja 1.12: finished seconds over finished and remaining ones, updated when a task starts or ends.
struct Ninja: Estimator {
  static let name = "ninja"
  /// The duration of each task in the previous run, nil if unknown.
  private let previous: [Double?]
  /// The run.
  private let replay: Replay

  init(_ setting: Setting) {
    replay = setting.replay
    let tasks = setting.history.last?.tasks ?? []
    let last = Dictionary(tasks.map { ($0.name, $0.seconds) }) { $1 }
    previous = setting.plan.names.map { last[$0].flatMap { $0 >= 0 ? $0 : nil } }
  }

  func shown(_ scene: Scene) -> Shown {
    let plan = replay.plan
    let done = Double(scene.done.count)
    let used = scene.done.reduce(0) { $0 + plan.durations[$1] }
    var (left, leftCount, known, knownCount) = (0.0, 0.0, 0.0, 0.0)
    for task in 0..<plan.count {
      guard let seconds = previous[task] else { continue }
      known += seconds
      knownCount += 1
      if !scene.isDone[task] {
        left += seconds
        leftCount += 1
      }
    }
    let lastStart = replay.starts.lazy.filter { $0 <= scene.time }.max() ?? 0
    let refreshed = max(scene.done.last.map { replay.ends[$0] } ?? 0, lastStart)
    var isUsed = leftCount > 0 && left > 0
    if isUsed, done > 0, refreshed >= 15, done / Double(plan.count) >= 0.05 {
      let (now, then) = (used / done, known / knownCount)
      isUsed = min(now, then) > 0 && max(now, then) / min(now, then) < 10
    }
    let number = done + (isUsed ? leftCount : 0)
    guard number > 0 else { return Shown(0, .nan) }
    let unknown = Double(plan.count) - done - (isUsed ? leftCount : 0)
    let expected = isUsed ? left : 0
    let rest = (used + expected) / number * unknown + expected
    guard used > 0 else { return Shown(0, .nan) }
    let fraction = used / (used + rest)
    return Shown(fraction, refreshed / fraction - refreshed)
  }
}

/// The formula of open-lmake: the remaining work over the observed parallelism.
struct Lmake: Estimator {
  static let name = "open-lmake"
  /// Expected durations.
  private let means: Means
  /// The run.
  private let replay: Replay

  init(_ setting: Setting) {
    means = Means(setting)
    replay = setting.replay
  }

  func shown(_ scene: Scene) -> Shown {
    guard let expected = means.expected(scene) else { return Shown(0, .nan) }
    var rest = 0.0
    for task in expected.indices where !scene.isDone[task] { rest += expected[task] }
    var busy = scene.done.reduce(0) { $0 + replay.plan.durations[$1] }
    for (task, elapsed) in scene.running {
      rest -= min(elapsed, expected[task])
      busy += elapsed
    }
    let workers = Double(replay.workers)
    let width = scene.time > 0 ? min(workers, max(0.1, busy / scene.time)) : workers
    return Shown(remaining: max(0, rest) / width, at: scene.time)
  }
}

/// The formula of Jenkins: the elapsed part of the mean duration of the last three runs, at most 99 %.
struct Jenkins: Estimator {
  static let name = "Jenkins"
  static let needsHistory = true
  /// The mean duration.
  private let expected: Double

  init(_ setting: Setting) {
    let last = setting.history.suffix(3)
    let lengths = last.map { Replay(Plan($0), workers: setting.replay.workers).length }
    expected = lengths.reduce(0, +) / Double(max(1, lengths.count))
  }

  func shown(_ scene: Scene) -> Shown {
    Shown(
      expected > 0 ? min(0.99, scene.time / expected) : 0.99, max(0, expected - scene.time))
  }
}

/// A simulation of the remaining tasks with mean durations.
struct MeanSchedule: Estimator {
  static let name = "schedule of means"
  /// Expected durations.
  private let means: Means
  /// The run.
  private let replay: Replay

  init(_ setting: Setting) {
    means = Means(setting)
    replay = setting.replay
  }

  func shown(_ scene: Scene) -> Shown {
    guard let expected = means.expected(scene) else { return Shown(0, .nan) }
    let rest = Replay.schedule(replay.plan, replay.workers, expected, from: scene)
    return Shown(remaining: rest, at: scene.time)
  }
}

/// A simulation of the remaining tasks with durations that are unknown in reality.
struct Oracle {
  /// The durations.
  let durations: [Double]
  /// The run.
  let replay: Replay

  /// The forecast.
  func shown(_ scene: Scene) -> Shown {
    let rest = Replay.schedule(replay.plan, replay.workers, durations, from: scene)
    return Shown(remaining: rest, at: scene.time)
  }
}

/// An oracle of the mean duration of each kind in this run.
struct KindOracle: Estimator {
  static let name = "oracle of kinds"
  /// The oracle.
  private let oracle: Oracle

  init(_ setting: Setting) {
    let plan = setting.plan
    var sums = Array(repeating: (sum: 0.0, count: 0.0), count: plan.kindNames.count)
    for task in 0..<plan.count {
      sums[plan.kinds[task]].sum += plan.durations[task]
      sums[plan.kinds[task]].count += 1
    }
    let means = plan.kinds.map { sums[$0].sum / sums[$0].count }
    oracle = Oracle(durations: means, replay: setting.replay)
  }

  func shown(_ scene: Scene) -> Shown { oracle.shown(scene) }
}

/// An oracle of the speed of this run.
struct SpeedOracle: Estimator {
  static let name = "oracle of speed"
  static let needsHistory = true
  /// The oracle.
  private let oracle: Oracle

  init(_ setting: Setting) {
    let expected = Means(setting).known ?? setting.plan.durations
    let factor = setting.plan.durations.reduce(0, +) / max(expected.reduce(0, +), 1e-12)
    oracle = Oracle(durations: expected.map { $0 * factor }, replay: setting.replay)
  }

  func shown(_ scene: Scene) -> Shown { oracle.shown(scene) }
}

/// An oracle of all durations.
struct FullOracle: Estimator {
  static let name = "oracle"
  /// The oracle.
  private let oracle: Oracle

  init(_ setting: Setting) {
    oracle = Oracle(durations: setting.plan.durations, replay: setting.replay)
  }

  func shown(_ scene: Scene) -> Shown { oracle.shown(scene) }
}
