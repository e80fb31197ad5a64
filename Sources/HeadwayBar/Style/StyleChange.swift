/// A style and a gradual change to another.
struct StyleChange: Sendable {
  private var from = BarStyle()
  private(set) var to = BarStyle()
  /// When the change began, in seconds.
  private var start = 0.0
  /// The seconds that the change takes; 0 if none is in progress.
  private var duration = 0.0

  /// Begins a change from the style that is shown now.
  mutating func change(to new: BarStyle, over seconds: Double, at now: Double) {
    from = style(at: now)
    (to, start, duration) = (new, now, seconds.positiveOrZero)
  }

  /// Changes some properties at once; a gradual change of the others continues.
  mutating func changeAtOnce(to new: BarStyle) {
    from.apply(changesFrom: to, to: new)
    to = new
  }

  @inline(never) func style(at now: Double) -> BarStyle {
    isChanging(at: now) ? from.interpolated(to: to, (now - start).positiveOrZero / duration) : to
  }

  func isChanging(at now: Double) -> Bool { duration > 0 && now < start + duration }

  /// Clears a change that has ended.
  mutating func finish(at now: Double) { if !isChanging(at: now) { finish() } }

  /// Ends the change at once.
  mutating func finish() { duration = 0 }
}

/// The emphasis of the dot: 0 at rest, 1 under a pointer, 2 during a drag, and in between during a change.
struct Emphasis: Sendable {
  enum State: Double, Sendable {
    case rest = 0
    /// Under a pointer, or with the keyboard focus.
    case hover = 1
    case drag = 2
  }

  private var from = 0.0
  private(set) var to = State.rest
  /// When the change began, in seconds.
  private var start = 0.0
  /// The seconds that the change takes; 0 if none is in progress.
  private var duration = 0.0

  mutating func change(to new: State, over seconds: Double, at now: Double) {
    guard new != to else { return }
    from = value(at: now)
    (to, start, duration) = (new, now, seconds.positiveOrZero)
  }

  func value(at now: Double) -> Double {
    isChanging(at: now)
      ? from.interpolated(to: to.rawValue, (now - start).positiveOrZero / duration) : to.rawValue
  }

  func isChanging(at now: Double) -> Bool { duration > 0 && now < start + duration }

  /// Clears a change that has ended.
  mutating func finish(at now: Double) { if !isChanging(at: now) { duration = 0 } }
}

/// The range as it is drawn, and a gradual change to another.
struct RangeChange: Sendable {
  /// The seconds of a change.
  private static let length = 0.3

  private var from: ClosedRange<Double>
  private var to: ClosedRange<Double>
  /// When the change began, in seconds; nil if none is in progress.
  private var start: Double?

  init(_ range: ClosedRange<Double>) { (from, to) = (range, range) }

  /// Begins a change from the range that is shown now.
  mutating func change(to new: ClosedRange<Double>, at now: Double, isAnimated: Bool) {
    from = range(at: now)
    (to, start) = (new, isAnimated ? now : nil)
  }

  func range(at now: Double) -> ClosedRange<Double> {
    guard let start, isChanging(at: now) else { return to }
    let fraction = (now - start).positiveOrZero / Self.length
    return from.interpolated(to: to, fraction)
  }

  /// The fraction of the range at which a value lies, from 0 to 1.
  @inline(never) func fraction(of value: Double, at now: Double) -> Double {
    let drawn = range(at: now)
    let span = drawn.upperBound - drawn.lowerBound
    guard span > 0 else { return 0 }
    return ((value - drawn.lowerBound) / span).clamped(to: 0...1)
  }

  func isChanging(at now: Double) -> Bool { start.map { now < $0 + Self.length } ?? false }

  /// Clears a change that has ended.
  mutating func finish(at now: Double) { if !isChanging(at: now) { start = nil } }
}
