/// The quality of one estimator's forecasts of one run, as fractions, except for `back` and `rough`.
struct Score {
  /// The mean difference between the shown fraction and the elapsed part of the run.
  var error = 0.0
  /// The maximum difference.
  var most = 0.0
  /// The median relative error of the remaining time, from 5 to 95 % of the run.
  var etaError = 0.0
  /// The number of backward moves.
  var back = 0.0
  /// The longest time without visible movement.
  var stall = 0.0
  /// The time at 98 % and above: displays that are bent to stay below 99 % wait there.
  var over98 = 0.0
  /// The time at 99 % and above.
  var over99 = 0.0
  /// The largest step forward.
  var jump = 0.0
  /// The mean change of the speed.
  var rough = 0.0
  /// How often the range contained the actual value, nil without ranges.
  var cover: Double?
  /// The median ratio of the ends of the range from 5 to 95 % of the run, nil without ranges.
  var width: Double?

  /// Scores forecasts that were made at equal intervals from the beginning of the run.
  ///
  /// - Parameters:
  ///   - course: The forecasts.
  ///   - length: The duration of the run.
  ///   - last: The fraction after its end, less than 1 if it was cut short.
  init(_ course: [Shown], length: Double, end last: Double = 1) {
    let steps = Double(course.count)
    var etaErrors: [Double] = []
    var (ranges, held) = (0.0, 0.0)
    var widths: [Double] = []
    for (place, shown) in course.enumerated() {
      let elapsed = Double(place) / steps
      let truth = (1 - elapsed) * length
      error += abs(shown.fraction - elapsed) / steps
      most = max(most, abs(shown.fraction - elapsed))
      over98 += shown.fraction >= 0.98 ? 1 / steps : 0
      over99 += shown.fraction >= 0.99 ? 1 / steps : 0
      if elapsed >= 0.05, elapsed <= 0.95 {
        let relative = abs(shown.remaining - truth) / truth
        etaErrors.append(relative.isNaN ? 1 : relative)
      }
      if let range = shown.range {
        ranges += 1
        if elapsed >= 0.05, elapsed <= 0.95 {
          widths.append(range.upperBound / max(range.lowerBound, 1e-9))
        }
        held += range.contains(truth) ? 1 : 0
      }
    }
    etaError = median(etaErrors)
    cover = ranges > 0 ? held / ranges : nil
    width = widths.isEmpty ? nil : median(widths)
    let line = course.map(\.fraction) + [last]
    let moves = zip(line, line.dropFirst()).map { $1 - $0 }
    back = Double(moves.count { $0 < -1e-4 })
    jump = moves.max() ?? 0
    let changes = zip(moves, moves.dropFirst()).map { abs($1 - $0) }
    rough = changes.reduce(0, +) / Double(max(1, changes.count)) * steps
    var (end, longest) = (0, 0)
    for begin in course.indices {
      end = max(end, begin)
      while end + 1 < line.count, abs(line[end + 1] - line[begin]) < 1e-3 { end += 1 }
      longest = max(longest, end - begin)
    }
    stall = Double(longest) / steps
  }
}

/// A quantile of values, with linear interpolation.
func quantile(_ part: Double, _ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard let last = sorted.last else { return .nan }
  let place = part * Double(sorted.count - 1)
  let below = Int(place)
  guard below + 1 < sorted.count else { return last }
  return sorted[below] + (place - Double(below)) * (sorted[below + 1] - sorted[below])
}

/// The median of some values.
func median(_ values: [Double]) -> Double { quantile(0.5, values) }

/// The mean of some values.
func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

/// The numbers of runs that are not scored, by reason.
struct Omissions: Equatable {
  /// Those of more than ``Replay/largestRun`` tasks.
  var large = 0
  /// Those without a duration.
  var empty = 0
  /// Those without the history that is asked for.
  var alone = 0
  /// Those without a task that suits the case.
  var unsuited = 0

  /// The number of all of them.
  var count: Int { large + empty + alone + unsuited }

  /// The reasons; empty if there are none.
  var words: String {
    let reasons = [
      (large, "of more than \(Replay.largestRun) tasks"), (empty, "without a duration"),
      (alone, "without an earlier run"), (unsuited, "without a task that suits the case"),
    ]
    let found = reasons.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return found.isEmpty ? "" : "; not replayed: \(found.joined(separator: ", "))"
  }
}

/// The scores of one estimator, number of workers and history: a mean over groups, so that each plan counts once.
struct Summary {
  /// The name of the estimator.
  let estimator: String
  /// The number of workers.
  let workers: Int
  /// The amount of history.
  let history: String
  /// The number of groups.
  let groups: Int
  /// The number of runs.
  let runs: Int
  /// The runs that were not scored.
  let omitted: Omissions
  /// The mean error in percent.
  let mae: Double
  /// The 90th percentile of the groups' mean errors in percent.
  let p90: Double
  /// The mean of the maximum errors in percent.
  let max: Double
  /// The median of the groups' relative errors of the remaining time in percent.
  let etaRel: Double
  /// The mean number of backward moves.
  let back: Double
  /// The longest stall in percent.
  let stall: Double
  /// The time at 98 % and above in percent.
  let over98: Double
  /// The time at 99 % and above in percent.
  let over99: Double
  /// The largest step in percent.
  let jump: Double
  /// The mean change of the speed, where 1 is the speed of a straight line.
  let rough: Double
  /// How often the range contained the actual value in percent, nil without ranges.
  let cover: Double?
  /// The median over groups of the ratio of the ends of the range, nil without ranges.
  let width: Double?

  /// Summarizes scores.
  init(
    _ estimator: String, workers: Int, history: String, scores: [String: [Score]],
    omitted: Omissions
  ) {
    self.omitted = omitted
    self.estimator = estimator
    self.workers = workers
    self.history = history
    let groups = scores.keys.sorted().compactMap { scores[$0] }
    func over(_ value: (Score) -> Double) -> [Double] { groups.map { mean($0.map(value)) } }
    self.groups = groups.count
    runs = groups.reduce(0) { $0 + $1.count }
    mae = 100 * mean(over(\.error))
    p90 = 100 * quantile(0.9, over(\.error))
    max = 100 * mean(over(\.most))
    etaRel = 100 * median(over(\.etaError))
    back = mean(over(\.back))
    stall = 100 * mean(over(\.stall))
    over98 = 100 * mean(over(\.over98))
    over99 = 100 * mean(over(\.over99))
    jump = 100 * mean(over(\.jump))
    rough = mean(over(\.rough))
    let covers = groups.map { $0.compactMap(\.cover) }.filter { !$0.isEmpty }.map(mean)
    cover = covers.isEmpty ? nil : 100 * mean(covers)
    let widths = groups.map { $0.compactMap(\.width) }.filter { !$0.isEmpty }.map(mean)
    width = widths.isEmpty ? nil : median(widths)
  }
}

extension Summary: Encodable {
  /// The names of the fields in JSON.
  private enum Key: String, CodingKey {
    case estimator
    case workers
    case history
    case groups
    case runs
    case omitted
    case mae
    case p90
    case max
    case etaRel
    case back
    case stall
    case over98
    case over99
    case jump
    case rough
    case cover
    case width
  }

  /// Writes every field, null for NaN.
  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(estimator, forKey: .estimator)
    try fields.encode(workers, forKey: .workers)
    try fields.encode(history, forKey: .history)
    try fields.encode(groups, forKey: .groups)
    try fields.encode(runs, forKey: .runs)
    try fields.encode(omitted.count, forKey: .omitted)
    let numbers: [(Double?, Key)] = [
      (mae, .mae), (p90, .p90), (max, .max), (etaRel, .etaRel), (back, .back), (stall, .stall),
      (over98, .over98), (over99, .over99), (jump, .jump), (rough, .rough), (cover, .cover),
      (width, .width),
    ]
    for (number, key) in numbers {
      try fields.encode(number.flatMap { $0.isFinite ? $0 : nil }, forKey: key)
    }
  }
}
