/// A duration as lines about a run tell it: seconds, to the nanosecond.
///
/// As text it has three to nine digits after the point and is exact. As a `Double`, which is what a decoder hands out,
/// it comes back to the same nanosecond below `exactLimit`: there two neighbours among the doubles are less than a
/// nanosecond apart (2⁻³⁰ s), and splitting off the whole seconds before multiplying loses nothing. Above, what comes
/// back is the nearest double.
package struct EventSeconds: Hashable, Sendable {
  /// The nanoseconds.
  private let nanoseconds: Int128

  /// The longest duration: what `Duration` can split into seconds.
  private static let longest = Int128(Int64.max) * 1_000_000_000
  /// The shortest duration.
  private static let shortest = Int128(Int64.min) * 1_000_000_000

  /// Durations shorter than this many seconds, 97 days, come back exactly.
  package static let exactLimit = 8_388_608

  /// Rounds a duration to the nearest nanosecond, halves away from zero, and to at most ±2⁶³ seconds.
  package init(_ duration: Duration) {
    let (whole, rest) = duration.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let up: Int128 = rest >= 500_000_000 ? 1 : rest <= -500_000_000 ? -1 : 0
    nanoseconds = min(max(whole + up, Self.shortest), Self.longest)
  }

  /// Reads a number of seconds, and is nil for what is no number, infinite, or beyond ±2⁶³ seconds.
  ///
  /// - Parameter number: The seconds, which are rounded to the nearest nanosecond.
  package init?(_ number: Double) {
    let limit = 0x1p63
    guard number >= -limit, number <= limit else { return nil }
    guard number < limit else {
      nanoseconds = Self.longest
      return
    }
    let seconds = Int64(number)
    let rest = (number - Double(seconds)) * 1e9
    nanoseconds = Int128(seconds) * 1_000_000_000 + Int128(Int64(rest + (rest < 0 ? -0.5 : 0.5)))
  }

  /// The duration.
  package var duration: Duration { Duration(attoseconds: nanoseconds * 1_000_000_000) }

  /// The seconds as a number: the nearest one up to 2⁵³ nanoseconds, 104 days.
  package var number: Double { Double(nanoseconds) / 1e9 }

  /// Appends the seconds as text, with as many digits after the point as they need, but three at least.
  ///
  /// - Parameter bytes: What to append to.
  package func append(to bytes: inout [UInt8]) {
    if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    bytes.append(contentsOf: "\(UInt64(truncatingIfNeeded: seconds))".utf8)
    let point = bytes.count
    bytes.append(contentsOf: "\(1_000_000_000 + Int(truncatingIfNeeded: rest))".utf8)
    bytes[point] = UInt8(ascii: ".")
    while bytes.count > point + 4, bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
  }
}
