/// What assistive technology is told of a bar.
public struct BarAnnouncement: Hashable, Sendable {
  /// What kind of thing the bar is.
  public enum Role: UInt8, Sendable {
    /// It tells of progress.
    case progressBar
    /// Its value can be changed.
    case slider
  }

  /// What kind of thing the bar is.
  public var role: Role
  /// The beginning of the range.
  public var minimum: Double
  /// The end of the range.
  public var maximum: Double
  /// The value that is shown, nil where nobody knows it.
  public var value: Double?
  /// Whether a person cannot use it now.
  public var isDisabled: Bool
  /// Whether it is read from the bottom to the top.
  public var isVertical: Bool
}

/// What was told last.
struct Announced: Sendable {
  /// What it was.
  var announcement: BarAnnouncement
  /// When, in seconds.
  var time: Double
  /// Whether a person has changed something since.
  var isStale = false
}

extension ProgressBar {
  /// The least time between two values that are told, in seconds: a voice cannot keep up with a glide.
  private static let announcementGap = 1.0

  /// What assistive technology is to be told now, if anything.
  ///
  /// A value that glides is told once a second, one that a person has changed at once, and nothing where nothing changed.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: What to tell; nil to leave what was told.
  public mutating func announcement(at now: Double) -> BarAnnouncement? {
    let now = moment(now)
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
      let isSoon = now < announced.time + Self.announcementGap
      if isOnlyValue, isSoon, !announced.isStale, !isDragging { return nil }
    }
    announced = Announced(announcement: new, time: now)
    return new
  }

  #if !hasFeature(Embedded)
    /// Forgets what was told, for a surface of which nobody has heard yet: all is told again.
    package mutating func forgetAnnouncement() { announced = nil }
  #endif

  /// When `announcement(at:)` may have something to tell if nothing is said or done until then, nil for never.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: A time of the same clock, `now` where something is to be told already.
  public func nextAnnouncement(after now: Double) -> Double? {
    var other = self
    guard other.announcement(at: now) == nil, let announced else { return now }
    guard let told = announced.announcement.value else { return nil }
    let due = max(announced.time + Self.announcementGap, now)
    guard shown(at: due) == told else { return due }
    // It may stand for a moment, while it waits for its source.
    return glidingPhase(at: due).map { max($0.end, due + Self.announcementGap) }
  }
}
