/// Durations as whole nanoseconds, which is what clocks of machines count.
extension Duration {
  /// The nanoseconds of a duration, rounded up; 0 for a negative one, `UInt64.max` for 584 years and more.
  package var nanosecondsUp: UInt64 { nanoseconds(addingPartial: 1) }

  /// The nanoseconds of a duration, rounded down; 0 for a negative one, `UInt64.max` for 584 years and more.
  package var nanosecondsDown: UInt64 { nanoseconds(addingPartial: 0) }

  /// The nanoseconds of a duration.
  ///
  /// - Parameter extra: What a part of a nanosecond counts.
  /// - Returns: The number, 0 for a negative duration, `UInt64.max` for one that is too long.
  private func nanoseconds(addingPartial extra: UInt64) -> UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(
      UInt64(attoseconds / 1_000_000_000) + (attoseconds % 1_000_000_000 == 0 ? 0 : extra))
    return overflow || carry ? .max : sum
  }
}
