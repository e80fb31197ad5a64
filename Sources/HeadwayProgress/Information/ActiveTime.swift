/// The time for which work was not paused, so that a rate does not count pauses.
///
/// A pure value with the time as an argument.
///
/// ```swift
/// var active = ActiveTime(startingAt: start)
/// active.note(isPaused: node.isPaused, at: now)
/// let rate = Double(node.completed) / (active.elapsed(at: now) / .seconds(1))
/// ```
public struct ActiveTime: Sendable, Hashable {
  /// The active time until `since`.
  private var sum = Duration.zero
  /// When the present stretch began.
  private var since: Duration
  /// Whether the present stretch is a pause.
  public private(set) var isPaused = false

  /// Starts to count.
  ///
  /// - Parameter now: The time, since an origin that all calls share.
  public init(startingAt now: Duration) { since = now }

  /// Notes whether the work is paused from now on.
  ///
  /// - Parameters:
  ///   - isPaused: Whether it is.
  ///   - now: The time; one before the last is taken for it.
  public mutating func note(isPaused: Bool, at now: Duration) {
    sum = elapsed(at: now)
    since = max(since, now)
    self.isPaused = isPaused
  }

  /// The time for which the work was not paused.
  ///
  /// - Parameter now: The time.
  /// - Returns: At least zero.
  public func elapsed(at now: Duration) -> Duration {
    isPaused ? sum : sum + max(now - since, .zero)
  }
}
