/// The time of work: it begins at zero, stops during pauses, and never goes back.
struct RateTimeLine: Hashable, Sendable {
  /// The maximum distance from zero on the caller's clock: 36 billion years.
  private static let farthest = Duration.seconds(Int64(1) << 60)

  /// The time on the caller's clock at which the work would have begun without pauses.
  private var origin: Duration
  /// The latest time.
  private var latest: Duration
  /// The beginning of the current pause, nil if there is none.
  private var pauseBegin: Duration?

  /// Creates a clock that begins at a time.
  init(from start: Duration) {
    origin = Self.near(start)
    latest = origin
  }

  /// Whether the clock is stopped.
  var isPaused: Bool { pauseBegin != nil }

  /// The seconds of work up to a time; a time before the latest one counts as the latest one.
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

  /// Stops the clock, unless it is stopped.
  mutating func pause(at now: Duration) {
    advance(to: now)
    if pauseBegin == nil { pauseBegin = latest }
  }

  /// Continues the clock, unless it is running.
  mutating func resume(at now: Duration) {
    advance(to: now)
    guard let begin = pauseBegin else { return }
    origin += latest - begin
    pauseBegin = nil
  }

  /// The seconds from the origin to a time.
  private func seconds(to time: Duration) -> Double {
    // Computed in halves, because a division by components or a 128-bit conversion costs more than the rest of a
    // report.
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
