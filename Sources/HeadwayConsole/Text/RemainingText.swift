package import HeadwayRun

/// Formats a remaining time: `about 2 min left`, `2–5 min left`, `longer than expected`.
///
/// | value | long | short |
/// |---|---|---|
/// | unknown | `first run, no estimate yet` | empty |
/// | about 2 minutes | `about 2 min left` | `2m left` |
/// | between 2 and 5 minutes | `2–5 min left` | `2–5m left` |
/// | between 0 and 5 minutes | `up to 5 min left` | `<5m left` |
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

    /// The word in a sentence.
    var long: String {
      switch self {
      case .second: "s"
      case .minute: "min"
      case .hour: "h"
      case .day: "d"
      }
    }

    /// The letter behind a number.
    var short: String { self == .minute ? "m" : long }

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

  /// The words for a line with room.
  ///
  /// - Parameters:
  ///   - value: The remaining time.
  ///   - isFirstRun: Whether there is no earlier run; otherwise an unknown time is `no estimate yet`.
  ///   - dash: The text between two numbers; `-` if only ASCII can be shown.
  /// - Returns: The words, at most 33 columns.
  package static func long(
    _ value: RoundedRemaining, isFirstRun: Bool = true, dash: String = "–"
  ) -> String {
    switch value {
    case .unknown: isFirstRun ? "first run, no estimate yet" : "no estimate yet"
    case .about(let time): "about \(words(time)) left"
    case .between(let low, let high) where low < .seconds(1): "up to \(words(high)) left"
    case .between(let low, let high): "\(words(low, high, dash)) left"
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
    case .about(let time): "\(letters(time)) left"
    case .between(let low, let high) where low < .seconds(1): "<\(letters(high)) left"
    case .between(let low, let high): "\(letters(low, high, dash)) left"
    case .late: "late"
    }
  }

  /// A time in one word or two: `45 s`, `1 h 15 min`.
  private static func words(_ time: Duration) -> String {
    let (unit, first, second) = parts(time)
    guard let below = unit.below, second > 0 else { return "\(first) \(unit.long)" }
    return "\(first) \(unit.long) \(second) \(below.long)"
  }

  /// A time in letters: `45s`, `1h15m`.
  private static func letters(_ time: Duration) -> String {
    let (unit, first, second) = parts(time)
    guard let below = unit.below, second > 0 else { return "\(first)\(unit.short)" }
    return "\(first)\(unit.short)\(second < 10 ? "0" : "")\(second)\(below.short)"
  }

  /// Two times in words, the first without its unit if both have the same: `2–5 min`.
  private static func words(_ low: Duration, _ high: Duration, _ dash: String) -> String {
    plainNumber(low, besides: high).map { "\($0)\(dash)\(words(high))" }
      ?? "\(words(low))\(dash)\(words(high))"
  }

  /// Two times in letters: `2–5m`.
  private static func letters(_ low: Duration, _ high: Duration, _ dash: String) -> String {
    plainNumber(low, besides: high).map { "\($0)\(dash)\(letters(high))" }
      ?? "\(letters(low))\(dash)\(letters(high))"
  }

  /// The number of a time that needs no unit before another time, nil if it does.
  private static func plainNumber(_ low: Duration, besides high: Duration) -> Int? {
    let (one, other) = (parts(low), parts(high))
    return one.unit == other.unit && one.second == 0 && other.second == 0 ? one.first : nil
  }

  /// The parts of a time, which is rounded down to whole seconds.
  private static func parts(_ time: Duration) -> (unit: Unit, first: Int, second: Int) {
    let seconds = Int(max(time.components.seconds, 0))
    let unit = Unit(of: seconds)
    let second = unit.below.map { seconds % unit.rawValue / $0.rawValue } ?? 0
    return (unit, seconds / unit.rawValue, second)
  }
}
