import Foundation
import HeadwayRun

/// The quality of what people see of a run.
struct DisplayScore {
  /// The quality of the bar and of the raw remaining time.
  let bar: Score
  /// The median error of the shown time relative to the actual one and a second, the shortest step of what is shown, from
  /// 5 to 95 % of the run; no time counts as 100 %.
  let shown: Double
  /// How often the words held, nil if no time was shown.
  let held: Double?
  /// The part of the run in which no time was shown.
  let silent: Double
  /// The median ratio of the ends of the 80 % range, nil without ranges.
  let width: Double?
  /// The part of the run after which the first time was shown.
  let first: Double
  /// Whether a time was shown from the first ended task on, as 0 or 1.
  let early: Double
  /// The mean logarithm of the ratio of the forecast of the whole run and its actual duration, nil without forecasts.
  let whole: Double?
  /// The same while the task is late or after the failure, nil if that was never.
  let during: Double?
  /// The median ratio of the forecast of the whole run and its actual duration in that time, which shows whether it is too
  /// long or too short.
  let bias: Double?
  /// The first forecast as a part of the recorded run, for runs in which nothing had to be done.
  let told: Double?

  /// How far the actual time may be from "about", as a factor, and the seconds that are added to both before.
  ///
  /// Ranges whose ends differ by a factor of 2.2 are shown as a range.
  private static let (about, leeway) = (2.2.squareRoot(), 3.0)
  /// The shortest step to which times are rounded, in seconds.
  private static let step = 1.0

  /// Scores a run of a case.
  ///
  /// - Parameters:
  ///   - displayed: What was shown.
  ///   - run: The run.
  ///   - complete: The duration of the recorded run, in seconds.
  init(_ displayed: DisplayedRun, _ run: CaseRun, complete: Double) {
    let length = displayed.schedule.length
    let times = (0..<steps).map { length * Double($0) / Double(steps) }
    let frames = displayed.shown(at: times)
    let truths = times.map { length - $0 }
    let course = frames.map { frame in
      frame.remaining.map {
        Shown(
          frame.fraction, $0.median / .seconds(1),
          $0.low / .seconds(1)...max($0.low, $0.high) / .seconds(1))
      } ?? Shown(frame.fraction, .nan)
    }
    bar = Score(course, length: length, end: displayed.last)
    let middle = frames.indices.filter { (0.05...0.95).contains(times[$0] / length) }
    shown = median(middle.map { Self.error(frames[$0].shown, truths[$0]) })
    let holds = frames.indices.compactMap { Self.holds(frames[$0].shown, truths[$0]) }
    held = holds.isEmpty ? nil : mean(holds.map { $0 ? 1 : 0 })
    silent = Double(frames.count { $0.shown == .unknown }) / Double(steps)
    let widths = frames.compactMap(\.remaining).map {
      max($0.high, .nanoseconds(1)) / max($0.low, .nanoseconds(1))
    }
    width = widths.isEmpty ? nil : median(widths)
    let begin = displayed.frames.first { $0.forecast.shown != .unknown }?.time
    first = begin.map { $0 / length } ?? 1
    let afterEnd = displayed.frames.first { $0.time >= displayed.firstEnd }
    early = afterEnd.map { begin ?? .infinity <= $0.time ? 1 : 0 } ?? (begin == nil ? 0 : 1)
    let ratios: [(time: Double, ratio: Double)] = frames.indices.compactMap { index in
      frames[index].remaining.map {
        (times[index], (times[index] + $0.median / .seconds(1)) / length)
      }
    }
    whole = Self.distance(ratios.map(\.ratio))
    var span = displayed.schedule.failure.map { $0...max($0, length) }
    if let late = run.late {
      let end = displayed.schedule.ends[late.task]
      span = (end - run.tasks[late.task].seconds + late.recorded)...end
    }
    let found = span.map { span in ratios.filter { span.contains($0.time) }.map(\.ratio) } ?? []
    during = Self.distance(found)
    bias = found.isEmpty ? nil : median(found)
    let isIdle = run.tasks.allSatisfy { $0.work == .upToDate }
    let begun = displayed.frames.first?.forecast.remaining?.median ?? .zero
    told = isIdle ? begun / .seconds(complete) : nil
  }

  /// The mean distance of ratios from 1, as a logarithm; nil if there are none.
  private static func distance(_ ratios: [Double]) -> Double? {
    ratios.isEmpty ? nil : mean(ratios.map { abs(log(max($0, 1e-9))) })
  }

  /// The relative error of shown words; that of a range is the error of its middle.
  private static func error(_ shown: RoundedRemaining, _ truth: Double) -> Double {
    switch shown {
    case .unknown: 1
    case .about(let time): abs(time / .seconds(1) - truth) / (truth + step)
    case .between(let low, let high): abs((low + high) / 2 / .seconds(1) - truth) / (truth + step)
    // Any moment now.
    case .late: 1
    }
  }

  /// Whether shown words held; nil if they give no time.
  private static func holds(_ shown: RoundedRemaining, _ truth: Double) -> Bool? {
    switch shown {
    case .unknown, .late: return nil
    case .about(let time):
      let ratio = (time / .seconds(1) + leeway) / (truth + leeway)
      return max(ratio, 1 / ratio) <= about
    case .between(let low, let high):
      let (low, high) = (low / .seconds(1), high / .seconds(1))
      return (low - step...high + step).contains(truth)
    }
  }
}

/// The scores of one case, number of workers and history: means over plans, so that each plan counts once.
struct DisplaySummary {
  /// A column of the table.
  struct Column: Sendable {
    /// The heading, which is the name of the field in JSON.
    let name: String
    /// The value of the scores by plan, nil if there is none.
    let value: @Sendable ([[DisplayScore]]) -> Double?
  }

  /// The columns.
  static let columns: [Column] = [
    Column(name: "mae") { percent(mean, $0, \.bar.error) },
    Column(name: "p90") { percent({ quantile(0.9, $0) }, $0, \.bar.error) },
    Column(name: "max") { percent(mean, $0, \.bar.most) },
    Column(name: "etaRel") { percent(median, $0, \.bar.etaError) },
    Column(name: "shown") { percent(median, $0, \.shown) },
    Column(name: "held") { percent(mean, $0, \.held) },
    Column(name: "silent") { percent(mean, $0, \.silent) },
    Column(name: "cover") { percent(mean, $0, \.bar.cover) },
    Column(name: "width") { over($0) { $0.width.map { log($0) } }.map { exp(mean($0)) } },
    Column(name: "whole") { over($0, \.whole).map { exp(mean($0)) } },
    Column(name: "first") { percent(mean, $0, \.first) },
    Column(name: "early") { percent(mean, $0, \.early) },
    Column(name: "back") { over($0, \.bar.back).map(mean) },
    Column(name: "stall") { percent(mean, $0, \.bar.stall) },
    Column(name: "over98") { percent(mean, $0, \.bar.over98) },
    Column(name: "jump") { percent(mean, $0, \.bar.jump) },
    Column(name: "during") { over($0, \.during).map { exp(mean($0)) } },
    Column(name: "bias") { percent(median, $0, \.bias) },
    Column(name: "told") { percent(mean, $0, \.told) },
  ]

  /// The means of a value for each plan that has it, nil if none has.
  private static func over(
    _ groups: [[DisplayScore]], _ value: (DisplayScore) -> Double?
  ) -> [Double]? {
    let means = groups.map { $0.compactMap(value).filter(\.isFinite) }.filter { !$0.isEmpty }
      .map(mean)
    return means.isEmpty ? nil : means
  }

  /// A summary of these in percent.
  private static func percent(
    _ summary: ([Double]) -> Double, _ groups: [[DisplayScore]], _ value: (DisplayScore) -> Double?
  ) -> Double? { over(groups, value).map { 100 * summary($0) } }

  /// The case.
  let runCase: RunCase
  /// The number of workers.
  let workers: Int
  /// The amount of history.
  let history: KnownRuns
  /// The scores by plan.
  let scores: [String: [DisplayScore]]
  /// The runs that were not scored.
  let omitted: Omissions

  /// The values of the columns.
  private var values: [Double?] {
    let groups = scores.keys.sorted().compactMap { scores[$0] }
    return Self.columns.map { $0.value(groups) }
  }

  /// A row of the table.
  var row: String {
    let head = "\(history), \(workers) workers".padding(toLength: 17, withPad: " ", startingAt: 0)
    return head
      + values.map { value in
        let text =
          value.map { String(format: "%.\($0 < 9.995 ? 2 : $0 < 99.95 ? 1 : 0)f", $0) } ?? "–"
        return String(repeating: " ", count: max(1, 7 - text.count)) + text
      }.joined()
  }

  /// The headings of the table.
  static var heading: String {
    String(repeating: " ", count: 17)
      + columns.map { String(repeating: " ", count: 7 - $0.name.count) + $0.name }.joined()
  }

  /// A line of JSON.
  func json() throws -> String {
    var fields: [String: Any] = [
      "case": runCase.rawValue, "workers": workers, "history": history.rawValue,
      "groups": scores.count, "runs": scores.values.reduce(0) { $0 + $1.count },
      "omitted": omitted.count,
    ]
    for (column, value) in zip(Self.columns, values) {
      fields[column.name] = value.map { ($0 * 1e4).rounded() / 1e4 } ?? NSNull()
    }
    let data = try JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys])
    return String(decoding: data, as: UTF8.self)
  }
}
