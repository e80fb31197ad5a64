extension Duration {
  /// The duration in nanoseconds, rounded up and limited to the range of `UInt64` (584 years).
  @inlinable
  @inline(__always)
  package var nanosecondsUp: UInt64 {
    let attoseconds = self.attoseconds
    if attoseconds <= 0 { return 0 }
    // 10⁹ is 2⁹ · 5⁹. For up to two and a half hours the quotient by 2⁹ has 64 bits, which are divided much faster.
    let last = attoseconds &+ 999_999_999
    if last >> 73 == 0 { return UInt64(truncatingIfNeeded: last >> 9) / 1_953_125 }
    let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let up = UInt64(clamping: whole)
    return rest == 0 || up == .max ? up : up + 1
  }

  /// The duration in nanoseconds, rounded down and limited to the range of `UInt64` (584 years).
  @inlinable package var nanosecondsDown: UInt64 {
    UInt64(clamping: attoseconds / 1_000_000_000)
  }
}
