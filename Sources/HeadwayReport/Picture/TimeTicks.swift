/// The ticks of a time axis, at round steps: 1, 2 or 5 of a unit, and halves of minutes, hours and days.
struct TimeTicks {
  /// The ticks in seconds, from zero upwards.
  let values: [Double]
  /// The seconds between two ticks; 0 if the only tick is at zero.
  let step: Double

  /// - Parameters:
  ///   - span: The length of the axis in seconds; zero has one tick.
  ///   - limit: The maximum number of steps, at least 1.
  init(span: Double, limit: Int) {
    guard span > 0 else {
      (values, step) = ([0], 0)
      return
    }
    // Slightly less, so that rounding does not lose a step that fits exactly.
    let step = Self.step(atLeast: span / Double(max(1, limit)) * (1 - 1e-9), span: span)
    self.step = step
    // Slightly more, so that rounding does not lose a tick at the very end.
    let count = Int(span / step + 1e-9)
    values = (0...count).map { Double($0) * step }
  }

  /// The smallest step that is large enough.
  private static func step(atLeast minimum: Double, span: Double) -> Double {
    let (unit, smallest): (Double, Double) =
      switch span {
      case ..<1e-3: (1e-6, 1e-3)
      case ..<1: (1e-3, 0.1)
      case ..<120: (1, 0.1)
      case ..<7200: (60, 0.5)
      case ..<172_800: (3600, 0.5)
      default: (86_400, 0.5)
      }
    var decade = smallest < 0.5 ? smallest : 0.1
    while true {
      for digit in [1.0, 2, 5] where digit * decade >= smallest {
        if digit * decade * unit >= minimum { return digit * decade * unit }
      }
      decade *= 10
    }
  }

  /// The label of a tick.
  func label(_ value: Double) -> String {
    if value == 0 { return "0" }
    if step < 1e-3 { return "\(Self.plain(value * 1e6))µs" }
    if step < 1, value < 0.9995, step * 1000 >= 1 { return "\(Self.plain(value * 1e3))ms" }
    if value < 60 || step < 1 || (step < 30 && value <= 120) { return "\(Self.plain(value))s" }
    let whole = Int(value + 0.5)
    if whole < 60 { return "\(whole)s" }
    let (days, hours) = (whole / 86_400, whole / 3600 % 24)
    let (minutes, seconds) = (whole / 60 % 60, whole % 60)
    let parts = [(days, "d"), (hours, "h"), (minutes, "m"), (seconds, "s")]
    return parts.filter { $0.0 > 0 }.prefix(2).map { "\($0.0)\($0.1)" }.joined()
  }

  /// Formats a number with one decimal digit unless it is 0.
  private static func plain(_ number: Double) -> String {
    let text = tenths(number)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// Maps times to coordinates.
struct TimeScale {
  /// The seconds on the axis.
  let span: Double
  /// The first coordinate.
  let start: Double
  /// The length of the axis in the picture.
  let length: Double

  /// The coordinate of a time, clamped to the axis; the first one if the axis has no length.
  func callAsFunction(_ seconds: Double) -> Double {
    span > 0 ? start + length * min(max(seconds / span, 0), 1) : start
  }
}
