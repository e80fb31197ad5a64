internal import HeadwayForecast
internal import HeadwayRun

/// What was told during a run, in seconds and in order, and how good it was.
struct ForecastCourse {
  /// A range of moments at which the run would end, since it began.
  struct Range: Equatable {
    /// One time in ten earlier than this.
    var low: Double
    /// As often later as earlier.
    var median: Double
    /// One time in ten later than this.
    var high: Double
  }

  /// What was told at a moment.
  struct Point {
    /// The moment.
    var at: Double
    /// The fraction that was shown, from 0 to 1; nil when it was no number.
    var fraction: Double?
    /// When the run would end; nil when nothing was told.
    var end: Range?
  }

  /// All that was told, in the order of time.
  let points: [Point]

  /// Reads what was told.
  ///
  /// - Complexity: O(n log n) in forecasts.
  init(_ forecasts: [RunReport.Forecast]) {
    let points = forecasts.map { forecast in
      let at = forecast.at.reportSeconds
      let fraction = forecast.fraction.isNaN ? nil : min(max(forecast.fraction, 0), 1)
      let end = forecast.remaining.map { remaining in
        let sorted = [remaining.low, remaining.median, remaining.high]
          .map { min(at + $0.reportSeconds, RunTimes.most) }.sorted()
        return Range(low: sorted[0], median: sorted[1], high: sorted[2])
      }
      return Point(at: at, fraction: fraction, end: end)
    }
    let order = points.indices.sorted { (points[$0].at, $0) < (points[$1].at, $1) }
    self.points = order.map { points[$0] }
  }

  /// The first moment at which an end was told, and that end.
  var first: (at: Double, end: Range)? {
    for point in points {
      if let end = point.end { return (point.at, end) }
    }
    return nil
  }

  /// The mean over time of how far the shown fraction was from the part of the run that had gone by.
  ///
  /// The fraction begins at 0, moves in a straight line from one told value to the next, and stands still after the
  /// last. Nil when no fraction was told or the run took no time.
  ///
  /// - Parameter total: How long the run took, in seconds.
  /// - Returns: The error as a part of 1.
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

  /// The mean size of what moves in a straight line.
  private static func meanSize(from one: Double, to other: Double) -> Double {
    let (before, after) = (one.magnitude, other.magnitude)
    if one * other >= 0 { return (before + after) / 2 }
    // It passes zero: two triangles.
    return (before * before + after * after) / (2 * (before + after))
  }

  /// The part of the time with a told range in which the true end lay inside it.
  ///
  /// A range holds until the next forecast, the last one to the end. Nil when no range was told.
  ///
  /// - Parameter total: How long the run took, in seconds.
  /// - Returns: A part of 1.
  /// - Complexity: O(forecasts).
  func partInside(total: Double) -> Double? {
    var (told, inside) = (0.0, 0.0)
    for (place, point) in points.enumerated() {
      let until = place + 1 < points.count ? points[place + 1].at : total
      let held = min(until, total) - point.at
      guard held > 0, let end = point.end else { continue }
      told += held
      if end.low <= total, total <= end.high { inside += held }
    }
    return told > 0 ? inside / told : nil
  }

  /// At most some points, each the last one of an equal part of the time.
  ///
  /// - Parameters:
  ///   - most: The most points, at least 1.
  ///   - span: The seconds that are divided.
  /// - Returns: The points, in the order of time.
  func thinned(most: Int, span: Double) -> [Point] {
    guard points.count > most, span > 0 else { return Array(points.suffix(most)) }
    var kept: [Point] = []
    var part = -1
    for point in points {
      let next = min(Int(point.at / span * Double(most)), most - 1)
      if next == part { kept.removeLast() }
      kept.append(point)
      part = next
    }
    return kept
  }
}
