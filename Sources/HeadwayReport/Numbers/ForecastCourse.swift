internal import HeadwayRun

/// The forecasts of a run in seconds and in order, and their accuracy.
struct ForecastCourse {
  /// A predicted end of the run, in seconds since it began: the 10%, 50% and 90% quantiles.
  struct Range: Equatable {
    var low: Double
    var median: Double
    var high: Double
  }

  /// A forecast at a moment.
  struct Point {
    var at: Double
    /// The fraction that was shown, from 0 to 1; nil if it was NaN.
    var fraction: Double?
    /// The predicted end of the run; nil if there was no estimate.
    var end: Range?
  }

  /// The forecasts, in order of time.
  let points: [Point]

  /// - Complexity: O(n log n) for n forecasts.
  init(_ forecasts: [ForecastRecord]) {
    let points = forecasts.map { forecast in
      let at = forecast.at.reportSeconds
      let fraction = forecast.fraction.isNaN ? nil : min(max(forecast.fraction, 0), 1)
      let end = forecast.remaining.map { remaining in
        let sorted = [remaining.low, remaining.median, remaining.high]
          .map { min(at + $0.reportSeconds, RunTimes.maxSeconds) }.sorted()
        return Range(low: sorted[0], median: sorted[1], high: sorted[2])
      }
      return Point(at: at, fraction: fraction, end: end)
    }
    let order = points.indices.sorted { (points[$0].at, $0) < (points[$1].at, $1) }
    self.points = order.map { points[$0] }
  }

  /// The first predicted end, and when it was predicted.
  var first: (at: Double, end: Range)? {
    for point in points {
      if let end = point.end { return (point.at, end) }
    }
    return nil
  }

  /// The mean absolute difference over time between the shown fraction and the elapsed fraction of the run.
  ///
  /// The shown fraction starts at 0, is interpolated linearly, and stays constant after the last forecast.
  ///
  /// - Parameter total: How long the run took, in seconds.
  /// - Returns: The error, nil if no fraction was shown or the run took no time.
  /// - Complexity: O(forecasts).
  func meanError(total: Double) -> Double? {
    var area = 0.0
    var (time, error) = (0.0, 0.0)
    var shown: Double?
    guard total > 0 else { return nil }
    for point in points where point.at <= total {
      guard let fraction = point.fraction else { continue }
      let next = fraction - point.at / total
      area += (point.at - time) * Self.meanSize(from: error, to: next)
      (time, error, shown) = (point.at, next, fraction)
    }
    guard let shown else { return nil }
    area += (total - time) * Self.meanSize(from: error, to: shown - 1)
    return area / total
  }

  /// The mean absolute value of a linear function between two values.
  private static func meanSize(from one: Double, to other: Double) -> Double {
    let (before, after) = (one.magnitude, other.magnitude)
    if one * other >= 0 { return (before + after) / 2 }
    // It crosses zero: two triangles.
    return (before * before + after * after) / (2 * (before + after))
  }

  /// The fraction of the time with a predicted range in which the actual end was inside the range.
  ///
  /// A range holds until the next forecast, the last one until the end.
  ///
  /// - Parameter total: How long the run took, in seconds.
  /// - Returns: The coverage, nil if no range was predicted.
  /// - Complexity: O(forecasts).
  func coverage(total: Double) -> Double? {
    var (predicted, inside) = (0.0, 0.0)
    for (index, point) in points.enumerated() {
      let until = index + 1 < points.count ? points[index + 1].at : total
      let held = min(until, total) - point.at
      guard held > 0, let end = point.end else { continue }
      predicted += held
      if end.low <= total, total <= end.high { inside += held }
    }
    return predicted > 0 ? inside / predicted : nil
  }

  /// Returns at most `count` points, each the last one of an equal part of the time.
  func thinned(to count: Int, span: Double) -> [Point] {
    guard points.count > count, span > 0 else { return Array(points.suffix(count)) }
    var kept: [Point] = []
    var part = -1
    for point in points {
      let next = min(Int(point.at / span * Double(count)), count - 1)
      if next == part { kept.removeLast() }
      kept.append(point)
      part = next
    }
    return kept
  }
}
