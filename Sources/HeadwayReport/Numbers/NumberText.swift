internal import HeadwayText

extension DurationText {
  /// Formats a number of seconds; NaN and negative numbers count as 0.
  static func measured(_ seconds: Double) -> String {
    measured(.seconds(seconds > 0 ? min(seconds, RunTimes.maxSeconds) : 0) as Duration)
  }

  /// Formats a difference of seconds with its sign.
  static func difference(_ seconds: Double) -> String {
    if seconds.magnitude < 0.0005 { return "±0s" }
    return (seconds < 0 ? "\u{2212}" : "+") + measured(seconds.magnitude)
  }
}

/// Formats a number with one decimal digit.
func tenths(_ number: Double) -> String {
  let tenths = Int(min(max(number, 0), 1e12) * 10 + 0.5)
  return "\(tenths / 10).\(tenths % 10)"
}
