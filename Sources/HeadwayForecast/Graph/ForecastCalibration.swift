internal import HeadwayRun

/// By how much the ranges of a plan are too narrow or too wide, as its earlier runs showed.
///
/// In the manner of conformal prediction (Vovk, Gammerman and Shafer): a range holds the truth four times in five when
/// it is as wide as would have held it four times in five before. A miss is measured in widths of the range that was
/// told, on the side on which the truth lay; the factor is a quantile of these, every run counting once, as its misses
/// resemble each other. Few runs say little, so the logarithm of the factor is drawn to zero, that is to the width that
/// the law gives.
///
/// What was told was widened already by what the runs before had shown. That is taken back, so that a correction does
/// not vanish by being right.
struct ForecastCalibration: Sendable {
  /// By how much ranges are wider than the law says.
  private(set) var factor = 1.0

  /// A miss: its distance from the median in widths of the range by the law, and its part of its run.
  private typealias Score = (distance: Double, weight: Double)

  /// Learns from the misses of earlier runs, the oldest first; those without misses are left out.
  ///
  /// - Complexity: O(runs · misses · log misses).
  init(_ runs: [DurationHistory.Run], _ parameters: ForecastParameters) {
    var scores: [Score] = []
    var count = 0.0
    for run in runs {
      let distances = run.misses.compactMap { Self.distance(of: $0, parameters) }
      guard !distances.isEmpty else { continue }
      let weight = 1 / Double(distances.count)
      scores += distances.map { ($0 * factor, weight) }
      count += 1
      let held = min(
        max(Self.quantile(scores), 1 / parameters.maximumCalibration), parameters.maximumCalibration
      )
      factor = Logarithms.exp(count / (count + parameters.calibrationRuns) * Logarithms.log(held))
    }
  }

  /// How far the truth lay from the median, in widths of the range on that side, nil where hardly anything was left.
  private static func distance(of miss: DurationHistory.Miss, _ parameters: ForecastParameters)
    -> Double?
  {
    let median = miss.predicted.median.nonnegativeSeconds
    let truth = miss.actual.nonnegativeSeconds
    guard median > parameters.minimumDuration, truth > parameters.minimumDuration else {
      return nil
    }
    let bound = max(
      (truth > median ? miss.predicted.high : miss.predicted.low).nonnegativeSeconds, 1e-9)
    let width = max(abs(Logarithms.log(bound / median)), parameters.minimumWidth)
    return abs(Logarithms.log(truth / median)) / width
  }

  /// The distance that four fifths of the weight do not exceed.
  private static func quantile(_ scores: [Score]) -> Double {
    // Less by what sums of tenths are off.
    var wanted = (0.8 - 1e-9) * scores.reduce(0) { $0 + $1.weight }
    var quantile = 1.0
    for score in scores.sorted(by: { $0.distance < $1.distance }) where wanted > 0 {
      quantile = score.distance
      wanted -= score.weight
    }
    return quantile
  }
}
