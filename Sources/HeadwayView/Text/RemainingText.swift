package import HeadwayRun
internal import HeadwayText

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
  /// The words for a line with room.
  ///
  /// - Parameters:
  ///   - value: The remaining time.
  ///   - dash: The text between two numbers; `-` if only ASCII can be shown.
  /// - Returns: The words, at most 33 columns.
  package static func long(_ value: RoundedRemaining, dash: String = "–") -> String {
    switch value {
    case .unknown: "first run, no estimate yet"
    case .about(let time): "about \(TimeAmount(time).text(isShort: false)) left"
    case .between(let low, let high) where isBound(low, high):
      "up to \(TimeAmount(high).text(isShort: false)) left"
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
    case .about(let time): "\(TimeAmount(time).text(isShort: true)) left"
    case .between(let low, let high) where isBound(low, high):
      "<\(TimeAmount(high).text(isShort: true)) left"
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
    let (low, high) = (TimeAmount(low), TimeAmount(high))
    let sharesUnit = low.unit == high.unit && low.second == 0 && high.second == 0
    let start = sharesUnit ? "\(low.first)" : low.text(isShort: isShort)
    return "\(start)\(dash)\(high.text(isShort: isShort))"
  }
}
