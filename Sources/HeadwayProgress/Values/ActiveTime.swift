/// The time for which work was not paused, to compute a rate that ignores pauses.
///
/// ```swift
/// var active = ActiveTime(startingAt: start)
/// active.note(isPaused: node.isPaused, at: now)
/// let rate = Double(node.completed) / (active.elapsed(at: now) / .seconds(1))
/// ```
public struct ActiveTime: Sendable, Hashable {
  /// The active time before `since`.
  private var sum = Duration.zero
  /// The time of the last change.
  private var since: Duration
  /// Whether the work is paused.
  public private(set) var isPaused = false

  /// Creates an active time of zero.
  ///
  /// - Parameter now: The current time, since an origin that all calls share.
  public init(startingAt now: Duration) { since = now }

  /// Records whether the work is paused from now on.
  ///
  /// - Parameters:
  ///   - isPaused: Whether the work is paused.
  ///   - now: The current time; if it is earlier than the last one, the last one counts.
  public mutating func note(isPaused: Bool, at now: Duration) {
    sum = elapsed(at: now)
    since = max(since, now)
    self.isPaused = isPaused
  }

  /// Returns the time for which the work was not paused.
  ///
  /// - Parameter now: The current time.
  /// - Returns: The time, at least zero.
  public func elapsed(at now: Duration) -> Duration {
    isPaused ? sum : sum + max(now - since, .zero)
  }
}
