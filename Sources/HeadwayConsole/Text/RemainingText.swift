package import HeadwayRun

/// Formats a remaining time: `about 2 min left`, `2–5 min left`, `longer than expected`.
///
/// | value | long | short |
/// |---|---|---|
/// | unknown | `first run, no estimate yet` | empty |
/// | about 2 minutes | `about 2 min left` | `2m left` |
/// | between 2 and 5 minutes | `2–5 min left` | `2–5m left` |
/// | between 0 and 5 minutes | `up to 5 min left` | `<5m left` |
/// | between 5 and 25 seconds | `up to 25 s left` | `<25s left` |
/// | between 45 s and 2 minutes | `45 s–2 min left` | `45s–2m left` |
/// | late | `longer than expected` | `late` |
///
/// The long form has at most 33 columns and the short one at most 18, as long as a run lasts less than a hundred days.
package enum RemainingText {
  /// A unit of time, with its words.
  private enum Unit: Int {
    /// Seconds.
    case second = 1
    /// Minutes.
    case minute = 60
    /// Hours.
    case hour = 3_600
    /// Days.
    case day = 86_400

    /// The word in a sentence, or the letter behind a number.
    func name(isShort: Bool) -> String {
      switch self {
      case .second: "s"
      case .minute: isShort ? "m" : "min"
      case .hour: "h"
      case .day: "d"
      }
    }

    /// The next smaller unit, nil if a second number is not precise.
    var below: Unit? {
      switch self {
      case .second, .minute: nil
      case .hour: .minute
      case .day: .hour
      }
    }

    /// The largest unit of a time.
    init(of seconds: Int) {
      switch seconds {
      case ..<60: self = .second
      case ..<3_600: self = .minute
      case ..<86_400: self = .hour
      default: self = .day
      }
    }
  }

  /// A time in one number or two, rounded down to whole seconds.
  private struct Amount {
    let unit: Unit
    let first: Int
    /// The number of the next smaller unit, 0 if there is none.
    let second: Int

    init(_ time: Duration) {
      let seconds = Int(max(time.components.seconds, 0))
      unit = Unit(of: seconds)
      first = seconds / unit.rawValue
      let rest = seconds % unit.rawValue
      second = unit.below.map { rest / $0.rawValue } ?? 0
    }

    /// The time as text: `1 h 5 min`, or `1h05m`.
    func text(isShort: Bool) -> String {
      let space = isShort ? "" : " "
      let start = "\(first)\(space)\(unit.name(isShort: isShort))"
      guard let below = unit.below, second > 0 else { return start }
      let zero = isShort && second < 10 ? "0" : ""
      return "\(start)\(space)\(zero)\(second)\(space)\(below.name(isShort: isShort))"
    }
  }

  /// The words for a line with room.
  ///
  /// - Parameters:
  ///   - value: The remaining time.
  ///   - dash: The text between two numbers; `-` if only ASCII can be shown.
  /// - Returns: The words, at most 33 columns.
  package static func long(_ value: RoundedRemaining, dash: String = "–") -> String {
    switch value {
    case .unknown: "first run, no estimate yet"
    case .about(let time): "about \(Amount(time).text(isShort: false)) left"
    case .between(let low, let high) where isBound(low, high):
      "up to \(Amount(high).text(isShort: false)) left"
    case .between(let low, let high): "\(range(low, high, dash, isShort: false)) left"
    case .late: "longer than expected"
    }
  }

  /// The words for a line with little room, empty for an unknown time.
  ///
  /// - Parameters:
  ///   - value: The remaining time.
  ///   - dash: The text between two numbers; `-` if only ASCII can be shown.
  /// - Returns: The words, at most 18 columns.
  package static func short(_ value: RoundedRemaining, dash: String = "–") -> String {
    switch value {
    case .unknown: ""
    case .about(let time): "\(Amount(time).text(isShort: true)) left"
    case .between(let low, let high) where isBound(low, high):
      "<\(Amount(high).text(isShort: true)) left"
    case .between(let low, let high): "\(range(low, high, dash, isShort: true)) left"
    case .late: "late"
    }
  }

  /// Whether only the upper end of a range is worth saying: the lower one is nothing, or tells nothing about seconds.
  private static func isBound(_ low: Duration, _ high: Duration) -> Bool {
    low < .seconds(1) || (high <= .seconds(60) && low * 3 < high)
  }

  /// Two times, the first without its unit if both have the same: `2–5 min`.
  private static func range(
    _ low: Duration, _ high: Duration, _ dash: String, isShort: Bool
  ) -> String {
    let (low, high) = (Amount(low), Amount(high))
    let sharesUnit = low.unit == high.unit && low.second == 0 && high.second == 0
    let start = sharesUnit ? "\(low.first)" : low.text(isShort: isShort)
    return "\(start)\(dash)\(high.text(isShort: isShort))"
  }
}
