package import HeadwayBar

extension ProgressBar {
  /// The whole percent shown at a time, 100 only at the end of the range.
  package func percent(at now: Double) -> Int { Self.percent(of: fraction(at: now)) }

  /// The whole percent of a fraction, 100 only for 1.
  package static func percent(of fraction: Double) -> Int {
    // A fraction just below a whole percent by rounding counts as that percent.
    fraction >= 1 ? 100 : min(Int(fraction * 100 + 1e-6), 99)
  }
}
