/// The durations of earlier runs in columns, with the fitted levels of tasks and speeds of runs.
struct SampleTable {
  struct Sample {
    /// The index of the task.
    var task: Int
    /// The index of the run.
    var run: Int
    /// The index of the host.
    var host: Int
    /// The logarithm of the duration in seconds.
    var value: Double
    /// Whether the duration is a lower bound.
    var isCensored: Bool
    /// Whether it is that of several attempts, which may have run on several hosts.
    var isRetried = false
    /// Whether the duration is far from the others of its task, so that it does not count for the level.
    var isDeviant = false
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
  /// The index of the kind of each task.
  private var kindOfTask: [Int] = []
  /// The host of each task, -1 if it has run on several.
  private var hostOfTask: [Int?] = []
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
  /// The sum of the shares of each task's time in which it computed, and their number.
  private(set) var shares: [(sum: Double, count: Double)] = []
  /// The number of latest durations of a task in a row that are far from the others.
  private var rows: [Int: Double] = [:]
  /// The level of the latest duration of the tasks whose latest duration was far from the others.
  private(set) var secondLevels: [Int: SecondLevel] = [:]
  /// The number of durations that are far from the others of their task, of those that were followed by a later one, and
  /// of those that were followed by another one that is far from the others.
  private var deviants = (count: 0.0, followed: 0.0, repeated: 0.0)
  /// The speed of each run; positive if it was slow.
  private(set) var speeds: [Double]
  /// The indices of hosts by name; that of the run has none.
  private var hostIndices: [String?: Int] = [:]
  /// The speed of each host; positive if it is slow.
  private var hostSpeeds: [Double] = []

  /// Creates the columns from a history.
  init(_ history: DurationHistory, _ parameters: ForecastParameters) {
    self.parameters = parameters
    speeds = Array(repeating: 0, count: history.runs.count)
    var kinds: [String: Int] = [:]
    var tasks: [Identity: Int] = [:]
    for (run, (record, times)) in zip(history.runs, history.ownTimes()).enumerated() {
      for (sample, own) in zip(record.samples, times) {
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
          kindOfTask.append(kind)
          hostOfTask.append(nil)
          counts.append(0)
          weights.append(0)
          shares.append((0, 0))
        }
        if let share = own.share {
          shares[task].sum += share
          shares[task].count += 1
        }
        let seconds = max(own.seconds, parameters.minimumDuration)
        counts[task] += 1
        if let last = sample.lastAttempt {
          let part = Logarithms.log(
            max(last.nonnegativeSeconds, parameters.minimumDuration) / seconds)
          lastAttempts[task, default: (0, 0)].sum += min(0, part)
          lastAttempts[task, default: (0, 0)].count += 1
        }
        weights[task] += seconds
        let host = hostIndices[sample.host] ?? hostSpeeds.count
        if host == hostSpeeds.count {
          hostIndices[sample.host] = host
          hostSpeeds.append(0)
        }
        samples.append(
          Sample(
            task: task, run: run, host: host, value: Logarithms.log(seconds),
            isCensored: sample.isCensored, isRetried: sample.lastAttempt != nil))
        // A task has run on one host, or on several.
        if hostOfTask[task] == nil { hostOfTask[task] = host }
        if hostOfTask[task] != host { hostOfTask[task] = -1 }
      }
    }
    for task in weights.indices {
      weights[task] = (weights[task] / Double(counts[task])).root
    }
    levels = Array(repeating: 0, count: names.count)
    squares = levels
  }

  /// Fits levels and speeds alternately; six rounds give three digits, fewer if tasks have run on several hosts.
  mutating func fit() {
    startLevels()
    fitSpeeds()
    for _ in 1..<6 {
      fitLevels()
      fitSpeeds()
    }
    if markDeviants() {
      for _ in 0..<3 {
        fitLevels()
        fitSpeeds()
      }
    }
    fitLevels()
    squares = Array(repeating: 0, count: names.count)
    for sample in samples where !sample.isDeviant {
      let rest = value(of: sample) - levels[sample.task]
      squares[sample.task] += rest * rest
    }
    findSecondLevels()
  }

  /// Marks the durations that are far from the median of their task.
  ///
  /// A duration is far if its distance is above `deviantSpreads` usual distances of the kind, and above
  /// `deviantRatio`. The lower median is used, and the older one of two durations; lower bounds do not count for it unless
  /// there is nothing else.
  ///
  /// - Returns: Whether there are any.
  private mutating func markDeviants() -> Bool {
    guard speeds.count > 1 else { return false }
    var ofTask = [[Int]](repeating: [], count: names.count)
    for (index, sample) in samples.enumerated() { ofTask[sample.task].append(index) }
    for tasks in tasksOfKind {
      var distances: [Double] = []
      for task in tasks where ofTask[task].count > 1 {
        distances += ofTask[task].map { abs(value(of: samples[$0]) - levels[task]) }
      }
      // 1.48 medians of the distances are a standard deviation.
      let spread = max(1.48 * Self.median(distances), parameters.withinSpread)
      var limit = max(parameters.deviantSpreads * spread, Logarithms.log(parameters.deviantRatio))
      // Where many durations are far from the others, that is how they usually are.
      let far = distances.count { $0 > limit }
      if Double(far) > parameters.maximumDeviants * Double(distances.count), far > 1 {
        limit *= 2.5
      }
      for task in tasks where ofTask[task].count > 1 {
        let values = ofTask[task].map { samples[$0].value - speed(of: samples[$0]) }
        let exact = zip(ofTask[task], values).filter { !samples[$0.0].isCensored }.map(\.1)
        let known = exact.isEmpty ? values : exact
        let usual = known.count == 2 ? known[0] : known.sorted()[(known.count - 1) / 2]
        var row = 0.0
        for (index, value) in zip(ofTask[task], values) {
          // A lower bound below the usual duration says nothing.
          if samples[index].isCensored, value < usual { continue }
          if row > 0 { deviants.followed += 1 }
          guard abs(value - usual) > limit else {
            row = 0
            continue
          }
          if row > 0 { deviants.repeated += 1 }
          samples[index].isDeviant = true
          counts[task] -= 1
          deviants.count += 1
          row += 1
        }
        if row > 0 { rows[task] = row }
      }
    }
    return deviants.count > 0
  }

  /// The probability that a duration that is far from the others is followed by another one, from how often it was.
  private var repeatProbability: Double {
    let weight = parameters.repeatWeight
    return (weight * parameters.repeatedDeviant + deviants.repeated)
      / (weight + deviants.followed)
  }

  /// The probability that a task belongs to the tail, from how many durations were far from the others.
  var tailPart: Double {
    let weight = parameters.outlierWeight
    return (weight * parameters.outlierPart + deviants.count)
      / (weight + Double(samples.count))
  }

  /// The median of some values, zero if there are none.
  private static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// The level of the latest duration of each task whose latest duration was far from the others.
  ///
  /// One such duration is as likely to be followed by another one as not; several in a row make it more likely. A run
  /// with a usual duration makes them irrelevant.
  private mutating func findSecondLevels() {
    var latest: [Int: Sample] = [:]
    for sample in samples where rows[sample.task] != nil && sample.isDeviant {
      latest[sample.task] = sample
    }
    for (task, sample) in latest {
      let row = rows[task] ?? 1
      // One that was cut off would have taken longer.
      let value =
        sample.value - speed(of: sample) + (sample.isCensored ? Logarithms.log(1.5) : 0)
      secondLevels[task] = SecondLevel(
        distance: value - levels[task],
        weight: (row - 1 + repeatProbability) / row)
    }
  }

  /// The speed of the run and of the host of a duration.
  private func speed(of sample: Sample) -> Double { speeds[sample.run] + hostSpeeds[sample.host] }

  /// A duration without the speeds of its run and host; a lower bound counts as the level if the level is above it.
  private func value(of sample: Sample) -> Double {
    let value = sample.value - speed(of: sample)
    return sample.isCensored ? max(value, levels[sample.task]) : value
  }

  /// Sets the level of each task to the mean of its durations without the speeds of their runs.
  private mutating func fitLevels() {
    var sums = Array(repeating: 0.0, count: names.count)
    for sample in samples where !sample.isDeviant { sums[sample.task] += value(of: sample) }
    for task in sums.indices { levels[task] = sums[task] / Double(counts[task]) }
  }

  /// Sets the level of each task to the mean of its durations; lower bounds do not count unless there is nothing else.
  private mutating func startLevels() {
    var exact = Array(repeating: (sum: 0.0, count: 0.0), count: names.count)
    var bounds = exact
    for sample in samples {
      if sample.isCensored {
        bounds[sample.task].sum += sample.value
        bounds[sample.task].count += 1
      } else {
        exact[sample.task].sum += sample.value
        exact[sample.task].count += 1
      }
    }
    for task in levels.indices {
      let known = exact[task].count > 0 ? exact[task] : bounds[task]
      levels[task] = known.sum / known.count
    }
  }

  /// Sets the speed of each run to the weighted mean of its durations without the levels of their tasks; the mean of
  /// all speeds is zero.
  private mutating func fitSpeeds() {
    var sums = Array(repeating: 0.0, count: speeds.count)
    var weight = Array(repeating: 1e-9, count: speeds.count)
    for sample in samples where counts[sample.task] > 1 && !sample.isCensored && !sample.isDeviant {
      sums[sample.run] +=
        weights[sample.task] * (sample.value - levels[sample.task] - hostSpeeds[sample.host])
      weight[sample.run] += weights[sample.task]
    }
    for run in sums.indices { speeds[run] = sums[run] / weight[run] }
    let mean = speeds.reduce(0, +) / Double(max(speeds.count, 1))
    for run in speeds.indices { speeds[run] -= mean }
    if hostSpeeds.count > 1 { fitHosts() }
  }

  /// Sets the speed of each host to the mean of its durations without the levels of their tasks and the speeds of their
  /// runs, shrunk towards zero; the mean over all durations is zero.
  ///
  /// The level of a task that has always run on the same host contains what its host is like, so it is compared with the others of
  /// its kind instead.
  private mutating func fitHosts() {
    let kinds = tasksOfKind.map { tasks in
      let mean = tasks.reduce(0) { $0 + levels[$1] } / Double(tasks.count)
      let square = tasks.reduce(0) { $0 + (levels[$1] - mean) * (levels[$1] - mean) }
      return (mean: mean, square: square / Double(tasks.count))
    }
    var sums = Array(repeating: (difference: 0.0, precision: 0.0), count: hostSpeeds.count)
    let limit = parameters.maximumResidual
    let noise = parameters.withinSpread * parameters.withinSpread
    for sample in samples where !sample.isCensored && !sample.isDeviant && !sample.isRetried {
      let isOfOneHost = hostOfTask[sample.task] != -1
      let kind = kinds[kindOfTask[sample.task]]
      let level = isOfOneHost ? kind.mean : levels[sample.task]
      let difference = sample.value - level - speeds[sample.run]
      let precision = 1 / (isOfOneHost ? noise + kind.square : noise)
      sums[sample.host].difference += precision * min(max(difference, -limit), limit)
      sums[sample.host].precision += precision
    }
    let all = sums.reduce((difference: 0.0, precision: 1e-9)) {
      ($0.difference + $1.difference, $0.precision + $1.precision)
    }
    let square = parameters.hostSpread * parameters.hostSpread
    hostSpeeds = sums.map { sum in
      guard sum.precision > 0 else { return 0 }
      let trust = square / (square + 1 / sum.precision)
      return trust * (sum.difference / sum.precision - all.difference / all.precision)
    }
  }

  /// How much longer tasks take on each host than on all hosts together, as logarithms.
  var hostShifts: [String: Double] {
    var speeds: [String: Double] = [:]
    for (name, index) in hostIndices { if let name { speeds[name] = hostSpeeds[index] } }
    return speeds
  }

  /// The median duration of each task, as a logarithm of seconds; nil if it never succeeded.
  func medians() -> [Double?] {
    var values = [[Double]](repeating: [], count: names.count)
    for sample in samples where !sample.isCensored { values[sample.task].append(sample.value) }
    return values.map { $0.isEmpty ? nil : Self.median($0) }
  }

  /// The mean and the standard deviation of all durations.
  func overall() -> (mean: Double, spread: Double) {
    let mean = samples.reduce(0) { $0 + $1.value } / Double(samples.count)
    let square = samples.reduce(0) { $0 + ($1.value - mean) * ($1.value - mean) }
    return (mean, (square / Double(samples.count)).root)
  }

  /// The mean share of the time in which some tasks compute; 0 if it is unknown.
  func share(of tasks: some Sequence<Int>) -> Double {
    let all = tasks.reduce((sum: 0.0, count: 0.0)) {
      ($0.sum + shares[$1].sum, $0.count + shares[$1].count)
    }
    return all.count > 0 ? all.sum / all.count : 0
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
