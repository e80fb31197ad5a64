/// What the finished tasks of this run say, in sums by kind, so that taking one in costs O(1).
struct RunEvidence: Sendable {
  /// The sums of a kind.
  struct Sums: Sendable {
    /// The number of tasks.
    var count = 0.0
    /// Σ of expected seconds.
    var seconds = 0.0
    /// Σ of weights: expected seconds over variance, as long tasks matter and certain ones tell.
    var weight = 0.0
    /// Σ of squared weights.
    var squaredWeight = 0.0
    /// Σ of weighted differences from what was expected.
    var weighted = 0.0
    /// Σ of logarithms.
    var value = 0.0
    /// Σ of squared logarithms.
    var squaredValue = 0.0
  }

  /// The sums by kind.
  private(set) var kinds: [Sums]
  /// The number of tasks, over all kinds.
  private(set) var count = 0

  /// Creates the evidence of a run that has not begun.
  init(kindCount: Int) { kinds = Array(repeating: Sums(), count: kindCount) }

  /// Makes room for another kind.
  mutating func addKind() { kinds.append(Sums()) }

  /// Takes a finished task in.
  mutating func add(
    kind: Int, value: Double, center: Double, spread: Double, law: ForecastLaw
  ) {
    let seconds = Logarithms.exp(center)
    let weight = seconds / (spread * spread + law.observationNoise)
    let difference = min(max(value - center, -law.largestResidual), law.largestResidual)
    kinds[kind].count += 1
    kinds[kind].seconds += seconds
    kinds[kind].weight += weight
    kinds[kind].squaredWeight += weight * weight
    kinds[kind].weighted += weight * difference
    kinds[kind].value += value
    kinds[kind].squaredValue += value * value
    count += 1
  }
}

/// What is believed of the durations of this run.
struct RunOutlook: Sendable {
  /// What is added to the expected logarithms of a kind.
  var shifts: [Double]
  /// How uncertain that is, kind by kind.
  var shiftSpreads: [Double]
  /// How uncertain the speed is that all kinds share.
  var speedSpread: Double
  /// The spread of single tasks of a kind, nil where each task has its own from history.
  var taskSpreads: [Double]?
}

/// A running task as the outlook sees it.
struct RunningTask: Sendable {
  /// The place of its kind.
  var kind: Int
  /// The logarithm of the seconds that it has run.
  var elapsed: Double
}

extension RunOutlook {
  /// Believes history, corrected by the speed of this run and the offsets of its kinds.
  ///
  /// Both are posterior means of normal laws: the evidence's mean, drawn to zero by how uncertain it is.
  ///
  /// - Parameters:
  ///   - evidence: The finished tasks.
  ///   - meanSeconds: The mean expected duration of the plan's tasks, which makes weights free of the unit.
  ///   - speedSpread: How much the speed of runs differs.
  ///   - kindSpreads: How much kinds differ from their run.
  ///   - law: The constants.
  init(
    _ evidence: RunEvidence, meanSeconds: Double, speedSpread: Double, kindSpreads: [Double],
    law: ForecastLaw
  ) {
    let unit = 1 / max(meanSeconds, 1e-9)
    shifts = Array(repeating: 0, count: kindSpreads.count)
    shiftSpreads = kindSpreads
    self.speedSpread = speedSpread
    taskSpreads = nil
    var all = RunEvidence.Sums()
    var kindsSeen = 0.0
    for kind in evidence.kinds.indices where kindSpreads[kind] < law.unknownKindSpread {
      let sums = evidence.kinds[kind]
      all.count += sums.count
      all.seconds += sums.seconds
      all.weight += sums.weight
      all.squaredWeight += sums.squaredWeight
      all.weighted += sums.weighted
      kindsSeen += sums.count > 0 ? 1 : 0
    }
    var speed = 0.0
    if all.count > 0 {
      let effective = all.weight * all.weight / all.squaredWeight
      let noise =
        all.seconds / all.count / all.weight
        + law.speedPerKind * law.speedPerKind / max(1, min(effective, kindsSeen))
      let trust = speedSpread * speedSpread / (speedSpread * speedSpread + noise)
      speed = trust * all.weighted / all.weight
      self.speedSpread = speedSpread * (1 - trust).root
    }
    for kind in shifts.indices {
      shifts[kind] = speed
      let sums = evidence.kinds[kind]
      guard sums.count > 0 else { continue }
      let spread = kindSpreads[kind]
      let trust = spread * spread / (spread * spread + 1 / (sums.weight * unit))
      shifts[kind] += trust * (sums.weighted / sums.weight - speed)
      shiftSpreads[kind] = spread * (1 - trust).root
    }
  }

  /// Believes this run alone: the mean of each kind, drawn to the mean of kinds.
  ///
  /// A running task counts as one that takes what those take on average that run longer than it has, so that the
  /// many short tasks, which finish first, do not pass for all of them.
  init(_ evidence: RunEvidence, running: [RunningTask], law: ForecastLaw) {
    let number = evidence.kinds.count
    var overall = 0.0
    let seen = evidence.kinds.filter { $0.count > 0 }
    if seen.isEmpty {
      let longest = running.reduce(Logarithms.log(law.leastDuration)) { max($0, $1.elapsed) }
      overall = longest + Logarithms.log(1.5)
    } else {
      overall = seen.reduce(0) { $0 + $1.value / $1.count } / Double(seen.count)
    }
    var centers = Array(repeating: overall, count: number)
    var spreads = Array(repeating: law.coldSpread, count: number)
    var centerSpreads = Array(repeating: law.coldMostKindSpread, count: number)
    let assumed = law.coldKindSpread * law.coldKindSpread
    var between = assumed
    for _ in 0..<3 {
      var sums = evidence.kinds
      for task in running {
        let scale = max(spreads[task.kind], 0.05) / Logarithms.logisticDeviation
        let above = (task.elapsed - centers[task.kind]) / scale
        guard above > -Logarithms.logisticDeviation else { continue }
        let value =
          task.elapsed + scale * Logarithms.meanExcess(above)
        sums[task.kind].count += law.runningWeight
        sums[task.kind].value += law.runningWeight * value
        sums[task.kind].squaredValue += law.runningWeight * value * value
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
        let prior = law.coldWeight * law.coldSpread * law.coldSpread
        spreads[kind] = ((prior + max(0, square)) / (law.coldWeight + count)).root
        apart += (centers[kind] - overall) * (centers[kind] - overall)
        kindsSeen += 1
      }
      between = (3 * assumed + apart) / (3 + kindsSeen)
    }
    shifts = centers
    shiftSpreads = centerSpreads.map { min($0, law.coldMostKindSpread) }
    speedSpread = 0.02
    taskSpreads = spreads.map { min($0, law.coldMostSpread) }
  }
}
