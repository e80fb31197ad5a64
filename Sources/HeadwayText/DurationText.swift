/// Formats durations for people: `30ms`, `0.4s`, `12s`, `1m05s`, `2h03m`, `3d04h`.
package enum DurationText {
  /// Formats a measured duration, with tenths of a second below a minute and milliseconds below 100 ms.
  ///
  /// A positive duration is at least `1ms`; zero and negative durations are `0.0s`.
  package static func measured(_ duration: Duration) -> String {
    if duration > .zero, duration < .microseconds(99_500) {
      return "\(max((duration + .microseconds(500)).wholeMilliseconds, 1))ms"
    }
    let tenths = (duration.wholeMilliseconds + 50) / 100
    guard tenths < 600 else { return whole(.milliseconds(tenths * 100)) }
    return "\(tenths / 10).\(tenths % 10)s"
  }

  /// Formats a running duration in whole seconds.
  package static func whole(_ duration: Duration) -> String {
    let seconds = Int(max(min(duration, .longestShown), .zero).components.seconds)
    let unit = TimeAmount.Unit(of: seconds)
    let start = "\(seconds / unit.rawValue)\(unit.name(isShort: true))"
    guard let smaller = unit.smaller else { return start }
    let rest = seconds % unit.rawValue / smaller.rawValue
    return "\(start)\(rest < 10 ? "0" : "")\(rest)\(smaller.name(isShort: true))"
  }

  /// Formats a configured duration with as few digits as it has; a positive one is never shown as zero.
  package static func chosen(_ duration: Duration) -> String {
    let isSmall = duration > .zero && duration < .milliseconds(100)
    let shown = max(min(duration, .longestShown), .zero)
    let isWhole = !isSmall && shown.components.attoseconds < 100_000_000_000_000_000
    return isWhole ? whole(duration) : measured(duration)
  }

  /// Formats a configured delay: `in 3s`, or `next` if there is none.
  package static func delay(_ duration: Duration) -> String {
    duration > .zero ? "in \(chosen(duration))" : "next"
  }

  /// Formats the time until an event, rounded up so that it reaches zero at the event.
  package static func coming(_ duration: Duration) -> String {
    whole(min(duration, .longestShown) + .seconds(1) - .nanoseconds(1))
  }
}

extension Duration {
  /// The nearest whole second, at least one.
  package var roundedToSeconds: Duration { .seconds(max(1, (wholeMilliseconds + 500) / 1000)) }

  /// The longest duration that is shown, 292 million years: its milliseconds fit into an `Int64`.
  fileprivate static let longestShown = Duration.seconds(Int64.max / 1000 - 1)

  /// The whole milliseconds, 0 for a negative duration, at most 292 million years; exact, because a division of doubles is
  /// not.
  package var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = max(min(self, .longestShown), .zero).components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
