/// The steps of keys, and the values that a person can choose.
///
/// A value with steps, such as a volume or a rating, is one of `low`, `low + step`, `low + 2 · step` and so on, or the end of the
/// range, as in the controls of HTML. A source that moves by itself at a known speed is between two steps most of the time:
/// its step is only that of its keys.
extension ProgressBar {
  /// The number of steps of the range if no step is set.
  private static let defaultSteps = 100.0
  /// The relative error of a few additions of binary fractions.
  private static let noise = 1e-15
  /// The finest decimal fraction that is restored.
  private static let finestScale = 1e9

  /// The units that an arrow key moves by.
  var keyStep: Double {
    validStep ?? (glide.range.upperBound - glide.range.lowerBound) / Self.defaultSteps
  }

  private var validStep: Double? { step.flatMap { $0.isFinite && $0 > 0 ? $0 : nil } }

  /// Rounds a value of the range to a step, and to the decimal fraction that is meant: 0.3 and not 0.1 + 0.2.
  @inline(never) func rounded(_ value: Double, in range: ClosedRange<Double>) -> Double {
    guard value > range.lowerBound, value < range.upperBound else { return value }
    var exact = value
    if unitsPerSecond == nil, let step = validStep {
      let steps = ((value - range.lowerBound) / step + 0.5).roundedDown
      exact = min(range.lowerBound + steps * step, range.upperBound)
    }
    let tolerance = (range.lowerBound.magnitude + exact.magnitude) * Self.noise
    var scale = 1.0
    while scale <= Self.finestScale {
      let decimal = (exact * scale + 0.5).roundedDown / scale
      if (decimal - exact).magnitude <= tolerance { return decimal }
      scale *= 10
    }
    return exact
  }
}
