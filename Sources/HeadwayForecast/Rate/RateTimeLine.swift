/// The time of work: it begins at zero, stands in pauses, and never goes back.
struct RateTimeLine: Hashable, Sendable {
  /// The farthest time from zero on the caller's line that is told apart: 36 thousand million years.
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
    ((pauseBegin ?? max(latest, Self.near(now))) - origin).inSeconds
  }

  /// Takes note of a time.
  ///
  /// - Parameter now: The time.
  /// - Returns: The seconds of work.
  @discardableResult
  mutating func advance(to now: Duration) -> Double {
    latest = max(latest, Self.near(now))
    return seconds(at: latest)
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

  /// A time with which one can reckon.
  private static func near(_ time: Duration) -> Duration {
    min(max(time, .zero - farthest), farthest)
  }
}
