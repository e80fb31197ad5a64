import Foundation

/// The quality of a formula on a job, with ten values a second.
struct RateScore: Sendable {
  /// The time between two values, in seconds.
  private static let frame = 0.1
  /// The minimum error and variation in a geometric mean, which must not be zero.
  private static let floors = (error: 0.5, wobble: 0.05)

  /// The mean relative error in percent, from 2 s on while more than 10 s remain.
  ///
  /// No estimate counts as 100 %, and the maximum is 1000 %.
  let error: Double
  /// The mean change of the value beyond counting down, in seconds per second, from 15 s on while more than 10 s
  /// remain.
  let wobble: Double

  /// Measures a formula.
  ///
  /// - Parameters:
  ///   - formula: The formula.
  ///   - job: The job.
  init(_ formula: any RemainingTime.Type, on job: Job) {
    var estimator = formula.init(total: job.count(job.length))
    var errors: [Double] = []
    var moves: [Double] = []
    var before: Double?
    for look in 1..<Int(job.length / Self.frame) {
      let time = Double(look) * Self.frame
      estimator.see(job.count(time), at: time)
      let said = estimator.remaining(at: time)
      let truth = job.length - time
      if truth > 10, time > 2 {
        errors.append(said.map { min(10, abs($0 - truth) / truth) } ?? 1)
      }
      if let said, let before, truth > 10, time > 15 {
        moves.append(abs(said - before + Self.frame) / Self.frame)
      }
      before = said
    }
    error = 100 * Self.mean(errors)
    wobble = Self.mean(moves)
  }

  /// Creates the geometric mean of scores.
  init(meanOf scores: [RateScore]) {
    error = exp(Self.mean(scores.map { log(max(Self.floors.error, $0.error)) }))
    wobble = exp(Self.mean(scores.map { log(max(Self.floors.wobble, $0.wobble)) }))
  }

  /// The mean of numbers, zero if there are none or only rounding errors.
  private static func mean(_ numbers: [Double]) -> Double {
    let mean = numbers.isEmpty ? 0 : numbers.reduce(0, +) / Double(numbers.count)
    return abs(mean) < 1e-9 ? 0 : mean
  }
}
