/// The time of work: it begins at zero, stands in pauses, and never goes back.
struct RateTimeLine: Hashable, Sendable {
  /// The farthest time from zero on the caller's line that is distinguished: 36 thousand million years.
  private static let farthest = Duration.seconds(Int64(1) << 60)

  /// The time on the caller's line at which the work would have begun had there been no pause.
  private var origin: Duration
  /// The latest time that was seen.
  private var latest: Duration
  /// When the present pause began, nil when there is none.
  private var pauseBegin: Duration?

  /// Creates a line that begins at a time.
  init(from start: Duration) {
    origin = Self.near(start)
    latest = origin
  }

  /// Whether the time stands.
  var isPaused: Bool { pauseBegin != nil }

  /// The seconds of work up to a time; a time before the latest one counts as that.
  func seconds(at now: Duration) -> Double {
    seconds(to: pauseBegin ?? max(latest, Self.near(now)))
  }

  /// Advances to a time.
  ///
  /// - Parameter now: The time.
  /// - Returns: The seconds of work.
  @discardableResult
  mutating func advance(to now: Duration) -> Double {
    latest = max(latest, Self.near(now))
    return seconds(to: pauseBegin ?? latest)
  }

  /// Stops the time, unless it stands.
  mutating func pause(at now: Duration) {
    advance(to: now)
    if pauseBegin == nil { pauseBegin = latest }
  }

  /// Lets the time go on, unless it does.
  mutating func resume(at now: Duration) {
    advance(to: now)
    guard let begin = pauseBegin else { return }
    origin += latest - begin
    pauseBegin = nil
  }

  /// The seconds from the origin to a time.
  private func seconds(to time: Duration) -> Double {
    // By halves, because a division by components or a conversion of 128 bits costs more than the rest of a report.
    let attoseconds = (time - origin).attoseconds
    let high = Double(Int64(truncatingIfNeeded: attoseconds >> 64))
    let low = Double(UInt64(truncatingIfNeeded: attoseconds))
    return (high * 0x1p64 + low) / 1e18
  }

  /// Clamps a time to the supported range.
  private static func near(_ time: Duration) -> Duration {
    min(max(time, .zero - farthest), farthest)
  }
}
