internal import HeadwayRun

/// The correction of the width of ranges, learned from the forecasts of earlier runs.
///
/// A form of conformal prediction (Vovk, Gammerman and Shafer): a range contains the actual value four times in five if
/// its width would have contained it four times in five before. A miss is measured in widths of the predicted range, on
/// the side of the actual value; the factor is a quantile of these. Every run counts once, because its misses are
/// similar. With few runs, the logarithm of the factor is shrunk towards zero.
///
/// Predicted ranges already had the correction of the runs before. It is removed first, so that a successful correction
/// does not vanish.
struct ForecastCalibration: Sendable {
  /// The factor by which ranges are widened.
  private(set) var factor = 1.0

  /// A miss: its distance from the median in widths of the uncorrected range, and its part of its run.
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

  /// The distance of the actual value from the median, in widths of the range; nil if hardly any time remained.
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
