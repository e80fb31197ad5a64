/// The durations of earlier runs in columns, with the fitted levels of tasks and speeds of runs.
struct SampleTable {
  struct Sample {
    /// The index of the task.
    var task: Int
    /// The index of the run.
    var run: Int
    /// The logarithm of the duration in seconds.
    var value: Double
    /// Whether the duration is a lower bound.
    var isCensored: Bool
  }

  /// The identity of a task.
  private struct Identity: Hashable {
    var name: String
    /// The index of the kind.
    var kind: Int
  }

  private let parameters: ForecastParameters
  private(set) var samples: [Sample] = []
  private(set) var names: [String] = []
  private(set) var kindNames: [String] = []
  private(set) var tasksOfKind: [[Int]] = []
  /// The number of samples of each task.
  private(set) var counts: [Int] = []
  /// The weight of each task in the speed of a run: the square root of its mean duration, because long tasks matter
  /// more.
  private var weights: [Double] = []
  private(set) var levels: [Double] = []
  /// The sum of squared differences from the level of each task.
  private(set) var squares: [Double] = []
  /// The sum of the logarithms of the parts that last attempts of retried tasks took of the whole, and their number.
  private(set) var lastAttempts: [Int: (sum: Double, count: Int)] = [:]
  /// The speed of each run; positive if it was slow.
  private(set) var speeds: [Double]

  /// Creates the columns from a history.
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

  /// Fits levels and speeds alternately; six rounds give three digits.
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

  /// A duration without the speed of its run; a lower bound counts as the level if the level is above it.
  private func value(of sample: Sample) -> Double {
    let value = sample.value - speeds[sample.run]
    return sample.isCensored ? max(value, levels[sample.task]) : value
  }

  /// Sets the level of each task to the mean of its durations without the speeds of their runs.
  private mutating func fitLevels(takesBounds: Bool) {
    var sums = Array(repeating: 0.0, count: names.count)
    for sample in samples {
      sums[sample.task] += takesBounds ? sample.value : value(of: sample)
    }
    for task in sums.indices { levels[task] = sums[task] / Double(counts[task]) }
  }

  /// Sets the speed of each run to the weighted mean of its durations without the levels of their tasks; the mean of
  /// all speeds is zero.
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

  /// The median duration of each task, as a logarithm of seconds; nil if it never succeeded.
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
