/// A value that a person has chosen and the source has not reached yet.
///
/// Until the source seeks, it reports values of the line on which it was. A player may then go on at a key frame before
/// or after the choice; its second report from there shows that this is its new place:
///
/// ```
///   value            chosen
///     │                ┊        ●  the bar follows
///     │                ┊    ●      the first report beside the old line
///     │  ●   ●   ●   ● ┊ ●         the old line
///     └────────────────┊────────▶ time
/// ```
struct PendingSeek: Sendable {
  /// The chosen value, and the time from which the source may have moved on from it.
  var target: TimedValue
  /// The time from which any report is believed, in seconds.
  var end: Double
  /// The latest report before the choice, from which the source may have moved on.
  var old: TimedValue
  /// The latest report beside the line from `old` on, or `old` before there is one.
  var latest: TimedValue
  /// Whether the source waits for data, and so may repeat itself for any time.
  var isWaiting: Bool

  /// The seconds that the source may take to get there, such as to load a distant part of a video.
  static let timeout = 10.0

  /// Takes a report, and returns whether the bar follows the source again.
  ///
  /// - Parameters:
  ///   - value: The reported value.
  ///   - glide: The source, which is shown where it is unless it has reached the chosen value.
  ///   - time: The time on the bar's timeline.
  ///   - isPaused: Whether that timeline is paused.
  ///   - now: The time of the report.
  /// - Returns: Whether the seek has ended.
  mutating func ends(
    with value: Double, from glide: inout BarGlide, at time: Double, isPaused: Bool, now: Double
  ) -> Bool {
    // The bar is steered to the source from the chosen value.
    if glide.goesOn(from: target, with: value, at: time) { return true }
    // The source may not have gone there in time. If it waits, it may also repeat its old place for long.
    var isBelieved = now >= end && !(isWaiting && value == glide.reported)
    // Nobody knows how far a source of unknown speed has moved on.
    if glide.nominalRate != nil, !glide.goesOn(from: old, with: value, at: time) {
      // A source that repeats itself may wait there for data before it goes on to the chosen value.
      if isPaused || value != latest.value,
        glide.goesOn(from: latest, with: value, at: time)
      {
        isBelieved = true
      }
      latest = TimedValue(value: value, time: time)
    }
    if isBelieved { glide.stop(at: value, time) } else { glide.setReported(value) }
    return isBelieved
  }
}

/// A value, and a time on the bar's timeline, in seconds.
struct TimedValue: Sendable {
  var value: Double
  var time: Double
}
