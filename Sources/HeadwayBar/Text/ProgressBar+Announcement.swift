/// The accessibility properties of a bar.
///
/// ```swift
/// if let announcement: BarAnnouncement = bar.announcement(at: now) {
///   let role = announcement.role == .slider ? "slider" : "progressbar"
///   show("\(role) \(announcement.value ?? 0) of \(announcement.maximum)")  // slider 50.0 of 100.0
/// }
/// ```
public struct BarAnnouncement: Hashable, Sendable {
  /// The accessibility role of a bar.
  public enum Role: UInt8, Sendable {
    /// It shows progress.
    case progressBar
    /// A person can change its value.
    case slider
  }

  /// The accessibility role.
  public var role: Role
  /// The beginning of the range.
  public var minimum: Double
  /// The end of the range.
  public var maximum: Double
  /// The shown value, or nil if it is unknown.
  public var value: Double?
  /// Whether the bar is disabled.
  public var isDisabled: Bool
  /// Whether the value grows from the bottom to the top.
  public var isVertical: Bool
}

/// The latest announcement.
struct Announced: Sendable {
  var announcement: BarAnnouncement
  /// When it was made, in seconds.
  var time: Double
  /// Whether a person has changed the value since.
  var isStale = false
}

extension ProgressBar {
  /// The minimum interval between two announced values in seconds, since speech cannot keep up with a glide.
  private static let announcementInterval = 1.0

  package mutating func announcement(at now: Double) -> BarAnnouncement? {
    let now = recordTime(now)
    let new = BarAnnouncement(
      role: isReadOnly || !styleChange.to.isDraggable ? .progressBar : .slider,
      minimum: glide.range.lowerBound, maximum: glide.range.upperBound,
      value: isIndeterminate ? nil : shown(at: now), isDisabled: isDisabled,
      isVertical: layout.direction == .upwards)
    if let announced {
      guard announced.announcement != new else { return nil }
      var sameButValue = announced.announcement
      sameButValue.value = new.value
      let isOnlyValue =
        sameButValue == new && new.value != nil && announced.announcement.value != nil
      let isSoon = now < announced.time + Self.announcementInterval
      if isOnlyValue, isSoon, !announced.isStale, !isDragging { return nil }
    }
    announced = Announced(announcement: new, time: now)
    return new
  }

  #if !hasFeature(Embedded)
    /// Makes the next call of `announcement(at:)` return everything, for a surface that is new.
    package mutating func forgetAnnouncement() { announced = nil }
  #endif

  package func nextAnnouncement(after now: Double) -> Double? {
    var other = self
    guard other.announcement(at: now) == nil, let announced else { return now }
    guard let value = announced.announcement.value else { return nil }
    let due = max(announced.time + Self.announcementInterval, now)
    guard shown(at: due) == value else { return due }
    // The value may stand still for a moment while it waits for its source.
    return glidingPhase(at: due).map { max($0.endTime, due + Self.announcementInterval) }
  }
}
