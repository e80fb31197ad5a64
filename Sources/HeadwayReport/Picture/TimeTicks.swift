/// The marks of a time axis, at steps that people count in: 1, 2 or 5 of a unit, and halves of minutes, hours and days.
struct TimeTicks {
  /// The marks in seconds, from zero upwards.
  let values: [Double]
  /// The seconds from one mark to the next; 0 when there is only the one at zero.
  let step: Double

  /// Chooses marks.
  ///
  /// - Parameters:
  ///   - span: The seconds that the axis shows; zero gives one mark.
  ///   - most: The most steps, at least 1.
  init(span: Double, most: Int) {
    guard span > 0 else {
      (values, step) = ([0], 0)
      return
    }
    // A little less, so that a step that fits exactly is not lost to rounding.
    let step = Self.step(atLeast: span / Double(max(1, most)) * (1 - 1e-9), span: span)
    self.step = step
    // A little more, so that a mark at the very end is not lost to rounding.
    let count = Int(span / step + 1e-9)
    values = (0...count).map { Double($0) * step }
  }

  /// The smallest step that is large enough.
  private static func step(atLeast least: Double, span: Double) -> Double {
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
        if digit * decade * unit >= least { return digit * decade * unit }
      }
      decade *= 10
    }
  }

  /// What is written at a mark.
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

  /// A number with a digit behind the point where it has one.
  private static func plain(_ number: Double) -> String {
    let text = TimeText.tenths(number)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// Times as places on a line of a picture.
struct TimeScale {
  /// The seconds that the line shows.
  let span: Double
  /// Where it begins.
  let start: Double
  /// How long it is.
  let length: Double

  /// The place of a time; one outside is moved to the nearer end, and all stand at the beginning when no time is shown.
  func callAsFunction(_ seconds: Double) -> Double {
    span > 0 ? start + length * min(max(seconds / span, 0), 1) : start
  }
}
