/// A progress bar without a toolkit: the value it shows at any time, its gestures, and the shapes to draw.
///
/// It has two values. The *reported* value is the latest one from the source, which may report four times a second or
/// more rarely. The *shown* value glides from report to report: `shown(t) = v + rate · (t − t0)`. The rate is corrected by
/// at most a tenth, so the shown value neither steps back nor stutters, and a pause stops it at once and exactly where it
/// is.
///
/// ```
///   source ── reports ──▶ ┌──────────── ProgressBar ────────────┐
///   person ── pointer, ──▶│ glide · gestures · style · layout    │──▶ [BarShape] ──▶ terminal │ page │ window
///             keys        └──────────────────┬───────────────────┘
///                                            └──▶ events: dragged, committed, transition ended
/// ```
///
/// ```swift
/// var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)  // a video of four minutes
/// bar.report(12, at: clock)  // the player's position
/// bar.pause(at: clock + .milliseconds(10))  // stops where it is shown
/// let position = bar.shown(at: clock + .seconds(5))
/// ```
///
/// Every method takes the time, measured from any fixed moment on a clock that stops while the machine sleeps, such as
/// `SuspendingClock` or the frame clock of a window. A change at an earlier time than the latest one takes effect at the
/// latest time; times before zero count as zero. What is shown is a function of the time alone, so the same sequence of
/// calls gives the same picture on every surface and at every frame rate.
///
/// Bad input has a defined result and never traps: NaN and infinite values change nothing, other values outside the range
/// are clamped to it, and an empty or invalid range shows its lower bound. Bounds are clamped to ±2⁶⁴.
///
/// A pure value, not thread safe: protect it with a `Mutex` to report from one thread and draw from another. All
/// operations are O(1) without allocation unless they say otherwise.
public struct ProgressBar: Sendable {
  /// What kind of source reports, and so what happens between and after its reports.
  public enum Source: UInt8, Sendable {
    /// A clock that reports its position, such as a player. When reports stop, it has stalled and the bar stops too.
    case reports
    /// Work with a forecast. Between reports, however rare, the bar moves at the forecast speed. It never steps back, and
    /// stays below the end until the end is reported.
    case forecast
  }

  /// The kind of source that reports.
  public var source: Source
  /// The size and direction of the bar, and how far around it a press counts.
  public var layout: BarLayout = BarLayout(width: 0, height: 0)
  /// Whether the bar only shows progress and nobody can change its value.
  public var isReadOnly: Bool = false {
    didSet { if isReadOnly { endGesture() } }
  }
  /// Whether the bar ignores all input from a person.
  public var isDisabled: Bool = false {
    didSet { if isDisabled { endGesture() } }
  }
  /// Whether the progress is unknown; a report makes it known.
  public var isIndeterminate: Bool = false
  /// Whether to reduce motion: values are shown as they are reported, and the indeterminate animation is slow.
  public var reducesMotion: Bool = false {
    didSet { if reducesMotion, !oldValue { glide.stop(at: shown(at: latest), time(at: latest)) } }
  }
  /// Whether the mouse wheel changes the value.
  public var acceptsWheel: Bool = false
  /// Whether the digit keys go to tenths of the range.
  public var acceptsDigits: Bool = false
  /// The units that an arrow key moves by, or nil for a hundredth of the range.
  ///
  /// What a person chooses is rounded to it, from the beginning of the range on; the end can always be chosen. With
  /// `unitsPerSecond` the value is between steps by itself, and nothing is rounded.
  public var step: Double?
  /// How far the value of a source of `reports` moves in a second at normal speed, such as 1 if the unit is a second, or nil
  /// to learn it from the reports.
  public var unitsPerSecond: Double? {
    get { glide.unitsPerSecond }
    set { glide.unitsPerSecond = newValue.flatMap { abs($0) <= BarLimits.value ? $0 : nil } }
  }

  var glide: BarGlide
  /// The time on which the value moves; it stops during a pause.
  var timeline: Timeline = Timeline()
  var hasFocus = false
  /// The range as it is drawn, which follows a new range smoothly.
  var rangeChange: RangeChange
  var styleChange = StyleChange()
  var gesture: Gesture = .idle
  /// The value that a person has chosen, until the source has reached it.
  var pendingSeek: PendingSeek?
  var emphasis = Emphasis()
  /// Events that `takeEvents()` has not returned yet.
  var pendingEvents: [BarEvent] = []
  /// The latest time of any call, in seconds.
  var latest: Double = 0
  /// The latest announcement to assistive technology.
  var announced: Announced?

  /// Creates a bar that shows the beginning of its range.
  ///
  /// - Parameters:
  ///   - range: The values from the beginning to the end, in any unit: seconds, bytes, or parts of one.
  ///   - source: The kind of source that reports.
  ///   - unitsPerSecond: How far the value of a source of `reports` moves in a second at normal speed, such as 1 if the
  ///     unit is a second. Pass nil to learn it from the reports.
  public init(
    range: ClosedRange<Double> = 0...1, source: Source = .reports, unitsPerSecond: Double? = nil
  ) {
    let usable = Self.usable(range.lowerBound, range.upperBound)
    self.source = source
    glide = BarGlide(range: usable)
    rangeChange = RangeChange(usable)
    self.unitsPerSecond = unitsPerSecond
  }

  // MARK: What it shows

  /// The value that was reported last, or the target of the latest seek or transition.
  public var reported: Double { glide.reported }

  package func shown(at now: Double) -> Double { visibleValue(at: now) }

  /// The shown value and its position along the bar: all that a frame of a glide needs.
  ///
  /// It is mutating only so that the web core reads the bar in place instead of copying it.
  package mutating func frame(at now: Double) -> (value: Double, position: Double) {
    let value = visibleValue(at: now)
    return (value, position(of: value, at: now))
  }

  /// The shown value, inlined where frames need it.
  @inline(__always) func visibleValue(at now: Double) -> Double {
    if case .dragging(let drag) = gesture { return drag.value }
    if let pendingSeek { return pendingSeek.target.value }
    let range = glide.range
    return min(max(glide.motion.value(at: time(at: now)), range.lowerBound), range.upperBound)
  }

  package func fraction(at now: Double) -> Double { fraction(of: shown(at: now), at: now) }

  package func speed(at now: Double) -> Double {
    guard !isDragging, pendingSeek == nil, !isPaused else { return 0 }
    return glide.motion.speed(at: time(at: now))
  }

  /// How the value moves on if nothing new is reported, on the bar's timeline.
  package var motion: BarMotion { glide.motion }

  /// The values from the beginning to the end.
  public var range: ClosedRange<Double> { glide.range }

  /// Whether the bar is paused.
  public var isPaused: Bool { timeline.isPaused }

  /// Whether a person is dragging the value.
  public var isDragging: Bool {
    if case .dragging = gesture { return true }
    return false
  }

  /// Whether a person has chosen a value that the source has not reached yet.
  package var isSeekPending: Bool { pendingSeek != nil }

  /// Whether a person can change the value now.
  public var isAdjustable: Bool {
    !isReadOnly && !isDisabled && !isIndeterminate && hasRange && styleChange.to.isDraggable
  }

  /// Returns and removes the events since the last call, oldest first.
  ///
  /// `advance(to:)` adds the transitions that have finished.
  public mutating func takeEvents() -> [BarEvent] {
    for end in glide.takeEnded() { pendingEvents.append(end) }
    guard !pendingEvents.isEmpty else { return [] }
    defer { pendingEvents = [] }
    return pendingEvents
  }

  // MARK: Time

  /// The time on the bar's timeline, whose properties the bar keeps finite.
  func time(at now: Double) -> Double {
    timeline.localTime(at: abs(now) <= BarLimits.time ? now : latest)
  }

  /// Records the time of a change.
  ///
  /// - Returns: The given time, or the latest one if that is later.
  @inline(never) mutating func recordTime(_ now: Double) -> Double {
    if now > latest, now <= BarLimits.time { latest = now }
    return latest
  }

  // MARK: The range

  /// Whether the end of the range is beyond its beginning.
  var hasRange: Bool { glide.range.upperBound > glide.range.lowerBound }

  /// Makes a valid range from any two numbers.
  static func usable(_ low: Double, _ high: Double) -> ClosedRange<Double> {
    let all = -BarLimits.value...BarLimits.value
    let low = low.finite(or: 0).clamped(to: all)
    return low...max(low, high.finite(or: low).clamped(to: all))
  }

  /// The fraction of the range, as it is drawn, at which a value lies.
  func fraction(of value: Double, at now: Double) -> Double {
    rangeChange.fraction(of: value, at: now)
  }
}
