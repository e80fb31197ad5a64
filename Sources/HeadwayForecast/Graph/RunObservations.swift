/// The durations of the finished tasks of this run, and their sums by kind; adding one costs O(1).
struct RunObservations: Sendable {
  /// The sums of a kind.
  struct Sums: Sendable {
    /// The number of tasks.
    var count = 0.0
    /// Σ of expected seconds.
    var seconds = 0.0
    /// Σ of precisions: one over the variance from history.
    var precision = 0.0
    /// Σ of differences from the expected durations, weighted by precision.
    var precise = 0.0
    /// Σ of squared differences, weighted by precision and limited for outliers.
    var preciseSquare = 0.0
    /// Σ of logarithms.
    var value = 0.0
    /// Σ of squared logarithms.
    var squaredValue = 0.0

    /// Σ of squared differences from their mean, weighted by precision.
    var restSquare: Double {
      precision > 0 ? max(0, preciseSquare - precise * precise / precision) : 0
    }
  }

  /// A finished task.
  struct Item: Sendable {
    /// The logarithm of its seconds.
    var value: Double
    /// The logarithm of the expected ones.
    var center: Double
    /// The standard deviation of that.
    var spread: Double
    /// Its seconds.
    var actual: Double
    /// The expected seconds.
    var seconds: Double
    /// The index of its kind.
    var kind: Int
    /// The index of its host, nil if it is unknown.
    var host: Int?
  }

  /// The sums by kind.
  private(set) var kinds: [Sums]
  /// The finished tasks.
  private(set) var items: [Item] = []
  /// The number of tasks, over all kinds.
  var count: Int { items.count }

  /// Creates the observations of a run that has not begun.
  init(kindCount: Int) { kinds = Array(repeating: Sums(), count: kindCount) }

  /// Makes room for another kind.
  mutating func addKind() { kinds.append(Sums()) }

  /// Adds a finished task.
  mutating func add(
    kind: Int, value: Double, center: Double, spread: Double, host: Int? = nil,
    parameters: ForecastParameters
  ) {
    let seconds = Logarithms.exp(center)
    items.append(
      Item(
        value: value, center: center, spread: spread, actual: Logarithms.exp(value),
        seconds: seconds, kind: kind, host: host))
    kinds[kind].count += 1
    kinds[kind].seconds += seconds
    let limit = parameters.maximumRatio * spread
    let usual = min(max(value - center, -limit), limit)
    let precision = 1 / (spread * spread)
    kinds[kind].precision += precision
    kinds[kind].precise += precision * usual
    kinds[kind].preciseSquare += precision * usual * usual
    kinds[kind].value += value
    kinds[kind].squaredValue += value * value
  }

  /// The observations as if all hosts were equally fast.
  ///
  /// - Parameters:
  ///   - hostShifts: How much longer tasks take on each host, as logarithms.
  ///   - parameters: The parameters of the forecast.
  /// - Returns: The same tasks with other durations.
  /// - Complexity: O(tasks).
  func without(_ hostShifts: [Double], _ parameters: ForecastParameters) -> Self {
    var adjusted = Self(kindCount: kinds.count)
    adjusted.items.reserveCapacity(items.count)
    for item in items {
      adjusted.add(
        kind: item.kind, value: item.value - (item.host.map { hostShifts[$0] } ?? 0),
        center: item.center, spread: item.spread, host: item.host, parameters: parameters)
    }
    return adjusted
  }
}

/// The expected durations in this run, after the observations so far.
struct RunOutlook: Sendable {
  /// The correction of the expected logarithms of each kind.
  var shifts: [Double]
  /// The standard deviation of the correction of each kind.
  var shiftSpreads: [Double]
  /// The standard deviation of the speed that all kinds share.
  var speedSpread: Double
  /// The spread of single tasks of each kind; nil if each task has its own spread from history.
  var taskSpreads: [Double]?
  /// The weight of the differences within each kind according to history; empty without history.
  var slopes: [Double] = []
  /// The ratio of the spreads of tasks to those from history, for each kind; empty without history.
  var spreadRatios: [Double] = []
  /// How much longer tasks take on each host, as logarithms; empty if they do not differ.
  var hostShifts: [Double] = []
}

/// A running task, for the outlook.
struct RunningTask: Sendable {
  /// The index of its kind.
  var kind: Int
  /// The logarithm of the seconds that it has run.
  var elapsed: Double
}

extension RunOutlook {
  /// Estimates how much longer tasks take on each host than on all hosts together.
  ///
  /// Posterior means of normal distributions, as for the speed of the run.
  ///
  /// - Parameters:
  ///   - earlier: What is known from earlier runs, one for each host.
  ///   - observations: The finished tasks.
  ///   - priors: The estimates for kinds.
  ///   - parameters: The parameters of the forecast.
  /// - Returns: The logarithms.
  /// - Complexity: O(tasks + hosts).
  func hostShifts(
    around earlier: [Double], _ observations: RunObservations,
    kinds priors: [DurationModel.KindPrior], _ parameters: ForecastParameters
  ) -> [Double] {
    var sums = Array(repeating: (precision: 0.0, difference: 0.0), count: earlier.count)
    let limit = parameters.maximumResidual
    for item in observations.items {
      guard let host = item.host else { continue }
      let spread: Double
      let expected: Double
      if let taskSpreads {
        (spread, expected) = (taskSpreads[item.kind], shifts[item.kind])
      } else {
        spread = item.spread * spreadRatios[item.kind]
        let pivot = priors[item.kind].center
        expected = pivot + slopes[item.kind] * (item.center - pivot) + shifts[item.kind]
      }
      let difference = min(max(item.value - expected - earlier[host], -limit), limit)
      let precision = 1 / (spread * spread + parameters.observationNoise)
      sums[host].precision += precision
      sums[host].difference += precision * difference
    }
    let all = sums.reduce((precision: 1e-9, difference: 0)) {
      ($0.precision + $1.precision, $0.difference + $1.difference)
    }
    // What is common to all hosts is the speed of the run.
    let common = all.difference / all.precision
    let square = parameters.hostSpread * parameters.hostSpread
    return zip(earlier, sums).map { earlier, sum in
      guard sum.precision > 0 else { return earlier }
      let trust = square / (square + 1 / sum.precision)
      return earlier + trust * (sum.difference / sum.precision - common)
    }
  }

  /// Corrects history by the speed of this run, the offsets of its kinds, and the reliability of history.
  ///
  /// Speed and offsets are posterior means of normal distributions: the mean of the observations, shrunk towards zero
  /// by its uncertainty.
  ///
  /// - Parameters:
  ///   - observations: The finished tasks.
  ///   - meanSeconds: The mean expected duration of the plan's tasks, which makes weights independent of the unit.
  ///   - speedSpread: The spread of the speed of runs.
  ///   - priors: The estimates for kinds.
  ///   - parameters: The parameters of the forecast.
  init(
    _ observations: RunObservations, meanSeconds: Double, speedSpread: Double,
    kinds priors: [DurationModel.KindPrior], parameters: ForecastParameters
  ) {
    let unit = 1 / max(meanSeconds, 1e-9)
    shifts = Array(repeating: 0, count: priors.count)
    shiftSpreads = priors.map(\.spread)
    self.speedSpread = speedSpread
    taskSpreads = nil
    let squares = Self.spreadSquares(observations, priors)
    spreadRatios = squares.map(\.root)
    slopes = zip(squares, priors).map { square, prior in
      max(0, 1 - square * prior.doubt) / (1 - prior.doubt)
    }
    let isKnown = priors.map { $0.spread < parameters.unknownKindSpread }
    // Means are pulled by single tasks that take far longer than usual. So a difference counts only up to a limit (P. J.
    // Huber's estimator), at first around history, and then around where most tasks are, if that is far from there.
    var centers = shifts
    for _ in 0..<parameters.robustRounds {
      let sums = weightedSums(of: observations, squares, priors, around: centers, parameters)
      update(
        with: sums, isKnown: isKnown, spread: speedSpread, observations,
        priors, unit: unit, parameters)
      let next = shifts.map { shift in
        shift > 0 ? max(0, shift - parameters.nearHistory) : min(0, shift + parameters.nearHistory)
      }
      if next == centers { break }
      centers = next
    }
    correctSums(observations, parameters)
  }

  /// Lengthens the expected durations, because the mean of logarithms makes sums too short.
  private mutating func correctSums(
    _ observations: RunObservations, _ parameters: ForecastParameters
  ) {
    var sums = Array(repeating: (excess: 0.0, largest: 0.0, second: 0.0), count: shifts.count)
    let factors = shifts.map(Logarithms.exp)
    for item in observations.items {
      let excess = item.actual - item.seconds * factors[item.kind]
      var sum = sums[item.kind]
      sum.excess += excess
      if excess > sum.largest {
        (sum.largest, sum.second) = (excess, sum.largest)
      } else if excess > sum.second {
        sum.second = excess
      }
      sums[item.kind] = sum
    }
    for kind in shifts.indices where observations.kinds[kind].count > 0 {
      let (count, seconds) = (observations.kinds[kind].count, observations.kinds[kind].seconds)
      // A single task that hangs does not count in full.
      let excess = sums[kind].excess - sums[kind].largest + sums[kind].second
      let ratio = max(1e-3, 1 + excess / (seconds * factors[kind]))
      let limit = parameters.maximumResidual
      shifts[kind] +=
        min(max(Logarithms.log(ratio), -limit), limit) * count / (count + parameters.sumWeight)
    }
  }

  /// The weighted sums of the finished tasks of a kind.
  private struct WeightedSums {
    /// Σ of weights: expected seconds over variance, because long tasks matter more and certain ones are more reliable.
    var weight = 0.0
    /// Σ of squared weights.
    var square = 0.0
    /// Σ of weighted differences from the expected durations.
    var difference = 0.0

    static func += (sums: inout Self, other: Self) {
      sums.weight += other.weight
      sums.square += other.square
      sums.difference += other.difference
    }
  }

  /// The weighted sums of each kind, with limited differences from centers.
  private func weightedSums(
    of observations: RunObservations, _ squares: [Double], _ priors: [DurationModel.KindPrior],
    around centers: [Double], _ parameters: ForecastParameters
  ) -> [WeightedSums] {
    var sums = Array(repeating: WeightedSums(), count: priors.count)
    let limit = parameters.maximumResidual
    for item in observations.items {
      let kind = item.kind
      let pivot = priors[kind].center
      let expected = pivot + slopes[kind] * (item.center - pivot) + centers[kind]
      let difference = min(max(item.value - expected, -limit), limit)
      let weight =
        item.seconds
        / (squares[kind] * item.spread * item.spread + parameters.observationNoise)
      sums[kind].weight += weight
      sums[kind].square += weight * weight
      sums[kind].difference += weight * (centers[kind] + difference)
    }
    return sums
  }

  /// Estimates the speed of the run and the offsets of its kinds.
  private mutating func update(
    with sums: [WeightedSums], isKnown: [Bool], spread: Double, _ observations: RunObservations,
    _ priors: [DurationModel.KindPrior], unit: Double, _ parameters: ForecastParameters
  ) {
    var all = WeightedSums()
    var (count, seconds, kindsSeen) = (0.0, 0.0, 0.0)
    for kind in sums.indices where isKnown[kind] && observations.kinds[kind].count > 0 {
      all += sums[kind]
      count += observations.kinds[kind].count
      seconds += observations.kinds[kind].seconds
      kindsSeen += 1
    }
    var speed = 0.0
    if count > 0 {
      let effective = all.weight * all.weight / all.square
      let noise =
        seconds / count / all.weight
        + parameters.speedPerKind * parameters.speedPerKind / max(1, min(effective, kindsSeen))
      let trust = spread * spread / (spread * spread + noise)
      speed = trust * all.difference / all.weight
      speedSpread = spread * (1 - trust).root
    }
    for kind in shifts.indices {
      shifts[kind] = speed
      guard observations.kinds[kind].count > 0 else { continue }
      let sums = sums[kind]
      let spread = priors[kind].spread
      let trust = spread * spread / (spread * spread + 1 / (sums.weight * unit))
      shifts[kind] += trust * (sums.difference / sums.weight - speed)
      shiftSpreads[kind] = spread * (1 - trust).root
    }
  }

  /// The ratio of the variances of tasks to those from history, for each kind.
  ///
  /// They are the posterior means of a scaled inverse χ² distribution, in which history counts as many observations as
  /// it is based on. History is first scaled by the ratio of all kinds together, because most noise is that of the
  /// machine and the plan.
  private static func spreadSquares(
    _ observations: RunObservations, _ priors: [DurationModel.KindPrior]
  ) -> [Double] {
    var (all, number, freedom) = (0.0, 0.0, 0.0)
    for (kind, sums) in observations.kinds.enumerated() where sums.count > 1 {
      all += sums.restSquare
      number += sums.count - 1
      freedom = max(freedom, priors[kind].freedom)
    }
    let shared = number > 0 ? (freedom + all) / (freedom + number) : 1
    return zip(observations.kinds, priors).map { sums, prior in
      guard sums.count > 1 else { return shared }
      return (prior.freedom * shared + sums.restSquare) / (prior.freedom + sums.count - 1)
    }
  }

  /// Uses this run alone: the mean of each kind, shrunk towards the mean of all kinds.
  ///
  /// A running task counts as the mean duration of tasks that run longer than it has so far. Otherwise the short tasks,
  /// which finish first, would make all tasks seem short.
  init(_ observations: RunObservations, running: [RunningTask], parameters: ForecastParameters) {
    let number = observations.kinds.count
    var overall = 0.0
    let seen = observations.kinds.filter { $0.count > 0 }
    if seen.isEmpty {
      let longest = running.reduce(Logarithms.log(parameters.minimumDuration)) {
        max($0, $1.elapsed)
      }
      overall = longest + Logarithms.log(1.5)
    } else {
      overall = seen.reduce(0) { $0 + $1.value / $1.count } / Double(seen.count)
    }
    var centers = Array(repeating: overall, count: number)
    var spreads = Array(repeating: parameters.coldSpread, count: number)
    var centerSpreads = Array(repeating: parameters.coldMaximumKindSpread, count: number)
    let assumed = parameters.coldKindSpread * parameters.coldKindSpread
    var between = assumed
    for _ in 0..<3 {
      var sums = observations.kinds
      for task in running {
        let scale = max(spreads[task.kind], 0.05) / Logarithms.logisticDeviation
        let above = (task.elapsed - centers[task.kind]) / scale
        guard above > -Logarithms.logisticDeviation else { continue }
        let value =
          task.elapsed + scale * Logarithms.meanExcess(above)
        sums[task.kind].count += parameters.runningWeight
        sums[task.kind].value += parameters.runningWeight * value
        sums[task.kind].squaredValue += parameters.runningWeight * value * value
      }
      var (weight, weighted) = (0.0, 0.0)
      for kind in 0..<number where sums[kind].count > 0 {
        let trust = 1 / (spreads[kind] * spreads[kind] / sums[kind].count + between)
        weight += trust
        weighted += trust * sums[kind].value / sums[kind].count
      }
      if weight > 0 { overall = weighted / weight }
      let overallVariance = weight > 0 ? 1 / weight : between
      var (apart, kindsSeen) = (0.0, 0.0)
      for kind in 0..<number {
        let count = sums[kind].count
        guard count > 0 else {
          centers[kind] = overall
          centerSpreads[kind] = (between + overallVariance).root
          continue
        }
        let variance = spreads[kind] * spreads[kind] / count
        let trust = between / (between + variance)
        let mean = sums[kind].value / count
        centers[kind] = overall + trust * (mean - overall)
        centerSpreads[kind] = (between * (1 - trust)).root
        let square =
          sums[kind].squaredValue - 2 * centers[kind] * sums[kind].value
          + count * centers[kind] * centers[kind]
        let prior = parameters.coldWeight * parameters.coldSpread * parameters.coldSpread
        spreads[kind] = ((prior + max(0, square)) / (parameters.coldWeight + count)).root
        apart += (centers[kind] - overall) * (centers[kind] - overall)
        kindsSeen += 1
      }
      between = (3 * assumed + apart) / (3 + kindsSeen)
    }
    shifts = centers
    shiftSpreads = centerSpreads.map { min($0, parameters.coldMaximumKindSpread) }
    speedSpread = 0.02
    taskSpreads = spreads.map { min($0, parameters.coldMaximumSpread) }
  }
}
