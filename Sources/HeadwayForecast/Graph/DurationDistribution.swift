/// The distribution of a task's duration in this run: log-logistic around its usual level, perhaps around a second level,
/// and with a heavy tail.
///
/// The tail is a second log-logistic distribution around the usual level with a large spread, to which a task belongs
/// with a small probability. While a task is on time, the tail hardly matters. The longer it is overdue, the more likely
/// it is that it belongs to the tail, whose remaining time grows in proportion to the elapsed time, as that of a Pareto
/// distribution does.
struct DurationDistribution: Sendable {
  /// A log-logistic distribution with a weight.
  struct Part: Sendable {
    /// The logarithm of the median seconds.
    var center: Double
    /// The scale of the logistic distribution of the logarithm.
    var scale: Double
    /// The probability that the task belongs to it.
    var weight: Double

    /// The probability that the task belongs to it and that the logarithm of its duration exceeds a value.
    @inline(__always)
    func survival(_ value: Double) -> Double {
      weight * Logarithms.survival((value - center) / scale)
    }

    /// The seconds of a duration above a value, of which a part of the longer ones are longer still.
    @inline(__always)
    func duration(above value: Double, exceededBy part: Double) -> Double {
      let above = max(part * Logarithms.survival((value - center) / scale), 1e-300)
      // Not the logit of 1 - above, which is 1 far above the median.
      return Logarithms.exp(center - scale * Logarithms.logit(above))
    }
  }

  /// The usual durations.
  var usual: Part
  /// The durations around a second level; of weight 0 for nearly all tasks.
  var other: Part
  /// The tail.
  var tail: Part

  /// Creates a distribution.
  ///
  /// - Parameters:
  ///   - center: The logarithm of the usual seconds.
  ///   - scale: The scale of the usual distribution.
  ///   - level: The second level, nil if there is none.
  ///   - tailPart: The probability that the task belongs to the tail.
  ///   - parameters: The parameters of the forecast.
  init(
    center: Double, scale: Double, level: SecondLevel? = nil, tailPart: Double,
    _ parameters: ForecastParameters
  ) {
    let second = level?.weight ?? 0
    let rest = 1 - tailPart
    usual = Part(center: center, scale: scale, weight: rest * (1 - second))
    other = Part(center: center + (level?.distance ?? 0), scale: scale, weight: rest * second)
    tail = Part(
      center: center, scale: max(scale, parameters.outlierSpread / Logarithms.logisticDeviation),
      weight: tailPart)
  }

  /// The probability that the logarithm of the duration exceeds a value.
  func survival(_ value: Double) -> Double {
    usual.survival(value) + other.survival(value) + tail.survival(value)
  }

  /// A duration, given that its logarithm exceeds a value.
  ///
  /// - Parameters:
  ///   - value: The logarithm of the elapsed seconds.
  ///   - choice: A random number from 0 to 1 that selects the part.
  ///   - part: A random number from 0 to 1: the probability that the duration is exceeded.
  /// - Returns: The whole duration in seconds.
  @inline(__always)
  func duration(above value: Double, choice: Double, exceededBy part: Double) -> Double {
    let (first, second) = (usual.survival(value), other.survival(value))
    let last = tail.survival(value)
    let chosen = choice * (first + second + last)
    if chosen < last { return tail.duration(above: value, exceededBy: part) }
    if chosen < last + second { return other.duration(above: value, exceededBy: part) }
    return usual.duration(above: value, exceededBy: part)
  }

  /// The duration that a part of the durations above a value exceed, found by bisection.
  ///
  /// - Parameters:
  ///   - value: The logarithm of the elapsed seconds, nil if the task has not begun.
  ///   - part: The part, above 0 and below 1.
  /// - Returns: The whole duration in seconds.
  func quantile(above value: Double?, exceededBy part: Double) -> Double {
    let wanted = max((value.map { survival($0) } ?? 1) * part, 1e-300)
    var low = value ?? min(usual.center, other.center) - 40 * usual.scale - 40 * tail.scale
    var high = max(low, usual.center, other.center) + 1
    while survival(high) > wanted, high < 60 { high += high - low }
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if survival(middle) > wanted { low = middle } else { high = middle }
    }
    return Logarithms.exp(high)
  }
}

/// A second level of a task's durations, seen in its latest run.
struct SecondLevel: Sendable {
  /// The difference from the usual level, of logarithms.
  var distance: Double
  /// The probability that the task takes as long again.
  var weight: Double
}
