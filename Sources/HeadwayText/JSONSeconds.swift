/// A duration as it is written in JSON: seconds, to the nanosecond.
///
/// As text it has three to nine decimals and is exact. As a `Double`, which decoders return, it is converted back to
/// the same nanosecond below `exactLimit`: there, neighbouring doubles are less than a nanosecond apart (2⁻³⁰ s), and
/// subtracting the whole seconds before multiplying is exact. Above the limit it is the nearest double.
package struct JSONSeconds: Hashable, Sendable {
  /// The nanoseconds.
  private let nanoseconds: Int128

  /// The longest duration: what `Duration` can split into seconds.
  private static let longest = Int128(Int64.max) * 1_000_000_000
  /// The shortest duration.
  private static let shortest = Int128(Int64.min) * 1_000_000_000

  /// Durations below this number of seconds, 97 days, are converted back exactly.
  package static let exactLimit = 8_388_608

  /// Rounds a duration to the nearest nanosecond, halves away from zero, and limits it to ±2⁶³ seconds.
  package init(_ duration: Duration) {
    let attoseconds = duration.attoseconds
    // Nearly all durations: from 0 to 500 years. One division of the processor is enough for them.
    if let high = UInt64(exactly: attoseconds >> 64), high < 1_000_000_000 {
      let low = UInt64(truncatingIfNeeded: attoseconds)
      let (whole, rest) = UInt64(1_000_000_000).dividingFullWidth((high, low))
      nanoseconds = Int128(whole) + (rest >= 500_000_000 ? 1 : 0)
      return
    }
    let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let up: Int128 = rest >= 500_000_000 ? 1 : rest <= -500_000_000 ? -1 : 0
    nanoseconds = min(max(whole + up, Self.shortest), Self.longest)
  }

  /// Converts a number of seconds; nil for NaN, infinity, and numbers beyond ±2⁶³.
  ///
  /// - Parameter number: The seconds, rounded to the nearest nanosecond.
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

  /// A number of nanoseconds.
  package init(nanoseconds: Int) { self.nanoseconds = Int128(nanoseconds) }

  /// The duration.
  package var duration: Duration { Duration(attoseconds: nanoseconds * 1_000_000_000) }

  /// The seconds as a number: the nearest one up to 2⁵³ nanoseconds, 104 days.
  package var number: Double { Double(nanoseconds) / 1e9 }

  /// Appends the seconds as text with at least three decimals.
  ///
  /// - Parameter bytes: The bytes to append to.
  package func append(to bytes: inout [UInt8]) {
    if nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    let (seconds, rest): (UInt, UInt)
    if let few = UInt(exactly: nanoseconds.magnitude) {
      (seconds, rest) = few.quotientAndRemainder(dividingBy: 1_000_000_000)
    } else {
      let (whole, part) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
      (seconds, rest) = (UInt(truncatingIfNeeded: whole), UInt(truncatingIfNeeded: part))
    }
    bytes.appendDigits(of: seconds)
    let point = bytes.count
    bytes.appendDigits(of: 1_000_000_000 + rest)
    bytes[point] = UInt8(ascii: ".")
    while bytes.count > point + 4, bytes.last == UInt8(ascii: "0") { bytes.removeLast() }
  }
}
