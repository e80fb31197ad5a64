/// Exponentials, logarithms and the logistic distribution, implemented here because this module does not link the
/// mathematics library.
///
/// The relative error is below 1e-8, far less than the uncertainty of durations.
enum Logarithms {
  /// The natural logarithm of 2.
  private static let ln2 = 0.693_147_180_559_945_3
  /// The standard deviation of the logistic distribution of scale 1: π / √3.
  static let logisticDeviation = 1.813_799_364_234_217_8

  /// Raises e to a power, which is limited so that the value is finite.
  ///
  /// - Complexity: O(1), a reduction to |r| ≤ ln 2 / 2 and a polynomial.
  @inline(__always)
  static func exp(_ power: Double) -> Double {
    let held = min(max(power, -690), 690)
    // Adding 1.5 · 2⁵² rounds to the nearest whole number and leaves it in the low bits.
    let rounded = held * (1 / ln2) + 6_755_399_441_055_744
    let twos = rounded - 6_755_399_441_055_744
    let r = held - twos * ln2
    // Taylor polynomial; the error is below 6e-9 of the value.
    let high = 1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040))
    let value = 1 + r * (1 + r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * high))))
    return value * Double(bitPattern: (rounded.bitPattern &+ 1_023) &<< 52)
  }

  /// The natural logarithm of a positive finite value.
  ///
  /// - Complexity: O(1), from the bits of the value and a series.
  @inline(__always)
  static func log(_ value: Double) -> Double {
    let bits = value.bitPattern
    var twos = Int(bits &>> 52) &- 1023
    var part = Double(bitPattern: bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000)
    if part > 1.414_213_562_373_095 {
      part *= 0.5
      twos &+= 1
    }
    let s = (part - 1) / (part + 1)
    let q = s * s
    let series = 1 + q * (1.0 / 3 + q * (0.2 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11)))))
    return Double(twos) * ln2 + 2 * s * series
  }

  /// The logarithm of the odds: the quantile function of the logistic distribution.
  @inline(__always)
  static func logit(_ part: Double) -> Double { log(part / (1 - part)) }

  /// The probability that a logistic variable of scale 1 exceeds a value.
  @inline(__always)
  static func survival(_ z: Double) -> Double { 1 / (1 + exp(z)) }

  /// The mean excess of a logistic variable of scale 1 over a value, given that it exceeds it.
  static func meanExcess(_ z: Double) -> Double {
    if z > 30 { return 1 }
    let odds = exp(z)
    return log(1 + 1 / odds) * (1 + odds)
  }

  /// The quantile function of the normal distribution, to 0.003: Tukey's lambda distribution with λ = 0.135.
  static func normalQuantile(_ part: Double) -> Double {
    (exp(0.135 * log(part)) - exp(0.135 * log(1 - part))) / 0.1975
  }
}

extension Duration {
  /// The duration in seconds, at least zero.
  var nonnegativeSeconds: Double { max(0, self / .seconds(1)) }

  /// A duration from 0 to 30,000 years; NaN counts as zero.
  init(clamping seconds: Double) {
    self = seconds > 0 ? .seconds(min(seconds, 1e12)) : .zero
  }
}
