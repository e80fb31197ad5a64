/// A style on its way to another.
struct StyleChange: Sendable {
  /// Where it comes from.
  private var from = BarStyle()
  /// Where it goes.
  private(set) var to = BarStyle()
  /// When it began, in seconds.
  private var start = 0.0
  /// How long it takes, in seconds; 0 when it has arrived.
  private var duration = 0.0

  /// Creates the default style, at rest.
  init() {}

  /// Goes to another style from what is seen now.
  mutating func change(to new: BarStyle, over seconds: Double, at now: Double) {
    from = style(at: now)
    (to, start, duration) = (new, now, seconds.drawn)
  }

  /// Changes parts at once; what else is on its way goes on.
  mutating func changeAtOnce(to new: BarStyle) {
    from.take(what: new, hasOtherThan: to)
    to = new
  }

  /// The style at a time.
  @inline(never) func style(at now: Double) -> BarStyle {
    isChanging(at: now) ? from.mixed(with: to, (now - start).drawn / duration) : to
  }

  /// Whether it is on its way.
  func isChanging(at now: Double) -> Bool { duration > 0 && now < start + duration }

  /// Forgets a way that has ended.
  mutating func finish(at now: Double) { if !isChanging(at: now) { finish() } }

  /// Arrives at once.
  mutating func finish() { duration = 0 }
}

/// How much the dot stands out: 0 at rest, 1 under a pointer, 2 while it is dragged, and on the way between.
struct Emphasis: Sendable {
  /// The states of the dot.
  enum State: Double, Sendable {
    /// At rest.
    case rest = 0
    /// Under a pointer or with the focus.
    case hover = 1
    /// Dragged.
    case drag = 2
  }

  /// Where it comes from.
  private var from = 0.0
  /// Where it goes.
  private(set) var to = State.rest
  /// When it began, in seconds.
  private var start = 0.0
  /// How long it takes, in seconds; 0 when it has arrived.
  private var duration = 0.0

  /// Creates the emphasis of a dot at rest.
  init() {}

  /// Goes to another state.
  mutating func change(to new: State, over seconds: Double, at now: Double) {
    guard new != to else { return }
    from = value(at: now)
    (to, start, duration) = (new, now, seconds.drawn)
  }

  /// The emphasis at a time.
  func value(at now: Double) -> Double {
    isChanging(at: now)
      ? from.mixed(with: to.rawValue, (now - start).drawn / duration) : to.rawValue
  }

  /// Whether it is on its way.
  func isChanging(at now: Double) -> Bool { duration > 0 && now < start + duration }

  /// Forgets a way that has ended.
  mutating func finish(at now: Double) { if !isChanging(at: now) { duration = 0 } }
}

/// The range as it is drawn, on its way to another.
struct RangeChange: Sendable {
  /// How long it takes, in seconds.
  private static let length = 0.3

  /// Where it comes from.
  private var from: ClosedRange<Double>
  /// Where it goes.
  private var to: ClosedRange<Double>
  /// When it began, in seconds; nil when it has arrived.
  private var start: Double?

  /// Creates a range at rest.
  init(_ range: ClosedRange<Double>) { (from, to) = (range, range) }

  /// Goes to another range from what is seen now.
  mutating func change(to new: ClosedRange<Double>, at now: Double, isAnimated: Bool) {
    from = range(at: now)
    (to, start) = (new, isAnimated ? now : nil)
  }

  /// The range at a time.
  func range(at now: Double) -> ClosedRange<Double> {
    guard let start, isChanging(at: now) else { return to }
    let part = (now - start).drawn / Self.length
    let low = from.lowerBound.mixed(with: to.lowerBound, part)
    return low...max(low, from.upperBound.mixed(with: to.upperBound, part))
  }

  /// The part of the way at which a value lies, from 0 to 1.
  @inline(never) func part(of value: Double, at now: Double) -> Double {
    let drawn = range(at: now)
    let span = drawn.upperBound - drawn.lowerBound
    guard span > 0 else { return 0 }
    return ((value - drawn.lowerBound) / span).limited(to: 0...1)
  }

  /// Whether it is on its way.
  func isChanging(at now: Double) -> Bool { start.map { now < $0 + Self.length } ?? false }

  /// Forgets a way that has ended.
  mutating func finish(at now: Double) { if !isChanging(at: now) { start = nil } }
}
