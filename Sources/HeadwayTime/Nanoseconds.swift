/// Durations as whole nanoseconds, which is what clocks of machines count.
extension Duration {
  /// The nanoseconds of a duration, rounded up; 0 for a negative one, `UInt64.max` for 584 years and more.
  @inlinable package var nanosecondsUp: UInt64 {
    let attoseconds = self.attoseconds
    if attoseconds <= 0 { return 0 }
    let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let up = UInt64(clamping: whole)
    return rest == 0 || up == .max ? up : up + 1
  }

  /// The nanoseconds of a duration, rounded down; 0 for a negative one, `UInt64.max` for 584 years and more.
  @inlinable package var nanosecondsDown: UInt64 {
    UInt64(clamping: attoseconds / 1_000_000_000)
  }
}
