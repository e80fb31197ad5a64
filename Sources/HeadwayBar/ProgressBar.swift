/// A progress bar without a toolkit: what it shows at any time, what a touch does to it, and what is to be drawn.
///
/// It has two values. The *reported* one is what the source said last, four times a second or more rarely. The *shown*
/// one glides from report to report: `shown(t) = v + rate · (t − t0)`, with a rate that is steered by at most a tenth,
/// so that it neither steps back nor stutters, and stops at once, and exactly there, when it is paused.
///
/// ```
///   source ── reports ──▶ ┌──────────── ProgressBar ────────────┐
///   person ── pointer, ──▶│ glide · gestures · style · layout    │──▶ [BarShape] ──▶ terminal │ page │ window
///             keys        └──────────────────┬───────────────────┘
///                                            └──▶ events: dragged, committed, transition ended
/// ```
///
/// ```swift
/// var bar = ProgressBar(range: 0...240)  // a film of four minutes
/// bar.report(12, at: clock)  // the player: here I am
/// bar.pause(at: clock + 0.01)  // stops where it is, not where it was going
/// let seconds = bar.shown(at: clock + 5)
/// ```
///
/// Every method is told the time, in seconds of any clock that stands still while the machine sleeps (`SuspendingClock`,
/// `performance.now()`, a frame clock). A change at a time before an earlier one counts as made at that one, and
/// times begin at 0. The same sequence of
/// calls gives the same picture on every surface and at every frame rate: what is shown is a function of the time, and
/// frames change nothing. A time that is no number or beyond 10¹² seconds counts as the latest.
///
/// Bad input has a defined result and never traps: a value that is no number changes nothing, one outside of the range
/// counts as its end, and a range that is empty or no range shows its beginning; ends count up to ±10¹⁸. Seconds are plain numbers here, not
/// `Duration`s: media, pages and frame clocks give them so, they may be negative, and the same source runs in a page.
///
/// A pure value. Not thread safe; ``LiveBar`` is. All operations are O(1) without allocation unless they say otherwise.
public struct ProgressBar: Sendable {
  /// What reports are about, and so what happens when they stop.
  public enum Source: UInt8, Sendable {
    /// A clock that says where it is, such as a player: when its reports stop, it has stalled and so does the bar.
    case reports
    /// Work that says how far it thinks it is: between reports, however rare, it goes on at the speed that was forecast.
    /// The bar keeps moving, never steps back, and stays below the end until the end is reported.
    case forecast
  }

  /// What reports are about.
  public var source: Source
  /// Where the bar stands and how far around it a press counts.
  public var layout: BarLayout = BarLayout(width: 0, height: 0)
  /// Whether nobody can change the value: the bar tells of progress and is no slider.
  public var isReadOnly: Bool = false {
    didSet { if isReadOnly { dropGesture() } }
  }
  /// Whether the bar takes no part in anything a person does.
  public var isDisabled: Bool = false {
    didSet { if isDisabled { dropGesture() } }
  }
  /// Whether nobody knows how far the work is; a report makes it known.
  public var isIndeterminate: Bool = false
  /// Whether the person asked for less motion: values are shown as they are reported, and what wanders does so slowly.
  public var reducesMotion: Bool = false {
    didSet { if reducesMotion, !oldValue { glide.stop(at: shown(at: latest), time(at: latest)) } }
  }
  /// Whether the wheel of a mouse changes the value.
  public var acceptsWheel: Bool = false
  /// Whether the digits of the keyboard go to tenths of the range.
  public var acceptsDigits: Bool = false
  /// The units that an arrow key moves by, nil for a hundredth of the range.
  public var step: Double?

  /// The values.
  var glide: BarGlide
  /// The line of time on which the value moves; it stands in a pause.
  public internal(set) var timeLine: TimeLine = TimeLine()
  /// How fast time passes for the bar when it is not paused.
  var timeSpeed = 1.0
  /// Whether the bar has the focus of the keyboard.
  var hasFocus = false
  /// The range as it is drawn, which follows a new one smoothly.
  var rangeChange: RangeChange
  /// The style, on its way to another.
  var styleChange = StyleChange()
  /// What a person does.
  var gesture: Gesture = .idle
  /// Where a person has moved the value, until the source agrees.
  var hold: Hold?
  /// How much the dot stands out.
  var emphasis = Emphasis()
  /// What happened and was not taken yet.
  var happened: [BarEvent] = []
  /// The latest time that was seen, in seconds.
  var latest: Double = 0
  /// What assistive technology was told last.
  var announced: Announced?

  /// Creates a bar that stands at the beginning of its range.
  ///
  /// - Parameters:
  ///   - range: The values from the beginning to the end, in any unit: seconds, bytes, parts of one.
  ///   - source: What reports are about.
  ///   - unitsPerSecond: By how much the value of a source of `reports` grows in a second at normal speed: 1 where
  ///     the unit is a second. Nil learns it from the reports.
  public init(
    range: ClosedRange<Double> = 0...1, source: Source = .reports, unitsPerSecond: Double? = nil
  ) {
    let usable = Self.usable(range.lowerBound, range.upperBound)
    self.source = source
    glide = BarGlide(range: usable)
    glide.unitsPerSecond = unitsPerSecond.flatMap { abs($0) <= BarLimits.value ? $0 : nil }
    rangeChange = RangeChange(usable)
  }

  // MARK: What it shows

  /// The value that the source said last, or that it was told to go to.
  public var reported: Double { glide.reported }

  /// The value that is seen at a time.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: A value of the range.
  public func shown(at now: Double) -> Double { seen(at: now) }

  /// What a frame of a glide needs, read where the bar lies: nothing is changed, and nothing of the bar is copied.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: The value that is seen, and how far along the bar it lies.
  public mutating func frame(at now: Double) -> (value: Double, place: Double) {
    let value = seen(at: now)
    return (value, place(of: value, at: now))
  }

  /// The value that is seen, in the code of those who ask often.
  @inline(__always) private func seen(at now: Double) -> Double {
    if case .dragging(let drag) = gesture { return drag.value }
    if let hold { return hold.target.limited(to: glide.range) }
    let range = glide.range
    return min(max(glide.motion.value(at: time(at: now)), range.lowerBound), range.upperBound)
  }

  /// The part of the way at which the value is seen.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: From 0 to 1.
  public func fraction(at now: Double) -> Double { part(of: shown(at: now), at: now) }

  /// How fast the shown value moves.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: Units a second of the clock; negative backwards.
  public func speed(at now: Double) -> Double {
    guard !isDragging, hold == nil else { return 0 }
    return glide.motion.speed(at: time(at: now)) * timeLine.speed
  }

  /// How the value moves on if nothing new is heard, on the time line of the bar.
  public var motion: BarMotion { glide.motion }

  /// The values from the beginning to the end.
  public var range: ClosedRange<Double> { glide.range }

  /// Whether the value stands because of `pause(at:)`.
  public var isPaused: Bool { timeLine.isPaused }

  /// Whether a person drags the value.
  public var isDragging: Bool {
    if case .dragging = gesture { return true }
    return false
  }

  /// Whether a person has moved the value and the source has not agreed yet.
  public var isHeld: Bool { hold != nil }

  /// Whether the value can be changed by a person now.
  public var isAdjustable: Bool {
    !isReadOnly && !isDisabled && !isIndeterminate && hasRange && styleChange.to.isDraggable
  }

  /// Takes what happened since the last call, the oldest first.
  ///
  /// Transitions that ran to their end are found by `advance(to:)`.
  public mutating func takeEvents() -> [BarEvent] {
    for end in glide.takeEnded() { happened.append(end) }
    guard !happened.isEmpty else { return [] }
    defer { happened = [] }
    return happened
  }

  // MARK: Time

  /// The time on the line of the bar.
  func time(at now: Double) -> Double {
    timeLine.localTime(at: abs(now) <= BarLimits.time ? now : latest)
  }

  /// Notes the time of a change.
  ///
  /// - Returns: The time, or the latest one where that is later.
  @inline(never) mutating func moment(_ now: Double) -> Double {
    if now > latest, now <= BarLimits.time { latest = now }
    return latest
  }

  // MARK: The range

  /// Whether there is a way from the beginning to the end.
  var hasRange: Bool { glide.range.upperBound > glide.range.lowerBound }

  /// A range of numbers, whatever was given.
  static func usable(_ low: Double, _ high: Double) -> ClosedRange<Double> {
    let all = -BarLimits.value...BarLimits.value
    let low = low.or(0).limited(to: all)
    return low...max(low, high.or(low).limited(to: all))
  }

  /// The part of the way at which a value lies, on the range as it is drawn.
  func part(of value: Double, at now: Double) -> Double { rangeChange.part(of: value, at: now) }
}
