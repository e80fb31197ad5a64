/// The durations of earlier runs in columns, with the levels of tasks and the speeds of runs that explain them best.
struct SampleTable {
  /// A duration.
  struct Sample {
    /// The place of the task.
    var task: Int
    /// The place of the run.
    var run: Int
    /// The logarithm of the seconds.
    var value: Double
    /// Whether it is a lower bound.
    var isCensored: Bool
  }

  /// The identity of a task.
  private struct Identity: Hashable {
    /// The name.
    var name: String
    /// The place of the kind.
    var kind: Int
  }

  /// What is assumed.
  private let parameters: ForecastParameters
  /// All durations.
  private(set) var samples: [Sample] = []
  /// The names of the tasks.
  private(set) var names: [String] = []
  /// The names of the kinds.
  private(set) var kindNames: [String] = []
  /// The tasks of each kind.
  private(set) var tasksOfKind: [[Int]] = []
  /// How often each task was seen.
  private(set) var counts: [Int] = []
  /// How much each task says of the speed of a run: the root of its mean duration, as long tasks say more.
  private var weights: [Double] = []
  /// The level of each task.
  private(set) var levels: [Double] = []
  /// The sum of squares around the level of each task.
  private(set) var squares: [Double] = []
  /// What the last attempts of tasks that were tried again add to the logarithm of the whole: the sum, and how many.
  private(set) var lastAttempts: [Int: (sum: Double, count: Int)] = [:]
  /// The speed of each run; positive is slow.
  private(set) var speeds: [Double]

  /// Puts the durations of a history in columns.
  init(_ history: DurationHistory, _ parameters: ForecastParameters) {
    self.parameters = parameters
    speeds = Array(repeating: 0, count: history.runs.count)
    var kinds: [String: Int] = [:]
    var tasks: [Identity: Int] = [:]
    for (run, record) in history.runs.enumerated() {
      for sample in record.samples {
        let kind = kinds[sample.kind] ?? kindNames.count
        if kind == kindNames.count {
          kinds[sample.kind] = kind
          kindNames.append(sample.kind)
          tasksOfKind.append([])
        }
        let identity = Identity(name: sample.name, kind: kind)
        let task = tasks[identity] ?? names.count
        if task == names.count {
          tasks[identity] = task
          names.append(sample.name)
          tasksOfKind[kind].append(task)
          counts.append(0)
          weights.append(0)
        }
        let seconds = max(sample.duration.nonnegativeSeconds, parameters.minimumDuration)
        counts[task] += 1
        if let last = sample.lastAttempt {
          let part = Logarithms.log(
            max(last.nonnegativeSeconds, parameters.minimumDuration) / seconds)
          lastAttempts[task, default: (0, 0)].sum += min(0, part)
          lastAttempts[task, default: (0, 0)].count += 1
        }
        weights[task] += seconds
        samples.append(
          Sample(
            task: task, run: run, value: Logarithms.log(seconds), isCensored: sample.isCensored))
      }
    }
    for task in weights.indices {
      weights[task] = (weights[task] / Double(counts[task])).root
    }
    levels = Array(repeating: 0, count: names.count)
    squares = levels
  }

  /// Fits levels and speeds in turns; six are enough for three digits.
  mutating func fit() {
    for turn in 0..<6 {
      fitLevels(takesBounds: turn == 0)
      fitSpeeds()
    }
    fitLevels(takesBounds: false)
    squares = Array(repeating: 0, count: names.count)
    for sample in samples {
      let rest = value(of: sample) - levels[sample.task]
      squares[sample.task] += rest * rest
    }
  }

  /// A duration without the speed of its run; a lower bound counts as the level where that is above it.
  private func value(of sample: Sample) -> Double {
    let value = sample.value - speeds[sample.run]
    return sample.isCensored ? max(value, levels[sample.task]) : value
  }

  /// Makes the level of each task the mean of its durations without the speeds of their runs.
  private mutating func fitLevels(takesBounds: Bool) {
    var sums = Array(repeating: 0.0, count: names.count)
    for sample in samples {
      sums[sample.task] += takesBounds ? sample.value : value(of: sample)
    }
    for task in sums.indices { levels[task] = sums[task] / Double(counts[task]) }
  }

  /// Makes the speed of each run the weighted mean of what its tasks took beyond their levels; their mean is zero.
  private mutating func fitSpeeds() {
    var sums = Array(repeating: 0.0, count: speeds.count)
    var weight = Array(repeating: 1e-9, count: speeds.count)
    for sample in samples where counts[sample.task] > 1 && !sample.isCensored {
      sums[sample.run] += weights[sample.task] * (sample.value - levels[sample.task])
      weight[sample.run] += weights[sample.task]
    }
    for run in sums.indices { speeds[run] = sums[run] / weight[run] }
    let mean = speeds.reduce(0, +) / Double(max(speeds.count, 1))
    for run in speeds.indices { speeds[run] -= mean }
  }

  /// The median of what each task took, as a logarithm of seconds; nil for one that never did its work.
  func medians() -> [Double?] {
    var values = [[Double]](repeating: [], count: names.count)
    for sample in samples where !sample.isCensored { values[sample.task].append(sample.value) }
    return values.map { values in
      let sorted = values.sorted()
      guard !sorted.isEmpty else { return nil }
      return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
  }

  /// The mean and the standard deviation of all durations.
  func overall() -> (mean: Double, spread: Double) {
    let mean = samples.reduce(0) { $0 + $1.value } / Double(samples.count)
    let square = samples.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) }
    return (mean, (square / Double(samples.count)).root)
  }

  /// The mean level of a kind, with the variance within its tasks and between them.
  func variances(of kind: Int, runs: Int) -> (mean: Double, within: Double, between: Double) {
    let tasks = tasksOfKind[kind]
    let number = Double(tasks.count)
    let mean = tasks.reduce(0) { $0 + levels[$1] } / number
    let seen = Double(tasks.reduce(0) { $0 + counts[$1] })
    let square = tasks.reduce(0) { $0 + squares[$1] }
    let prior = parameters.withinSpread * parameters.withinSpread
    let within =
      runs > 1
      ? (parameters.withinWeight * prior + square) / (parameters.withinWeight + seen - number)
      : parameters.withinAfterOneRun * parameters.withinAfterOneRun
    guard tasks.count > 1 else { return (mean, within, parameters.betweenOfOne) }
    let apart = tasks.reduce(0) { $0 + (levels[$1] - mean) * (levels[$1] - mean) } / (number - 1)
    return (mean, within, max(1e-4, apart - within / (seen / number)))
  }
}
