/// Formats a value in English, in words for assistive technology or as a short time.
///
/// The text is UTF-8 bytes, which Embedded Swift supports without Unicode tables. Surfaces in another language set their
/// own text.
package struct BarWords: Sendable {
  package init() {}

  /// Appends a time in words: "1 minute 5 seconds", "0.15 seconds" or "minus 12 seconds".
  ///
  /// - Parameters:
  ///   - seconds: The time, rounded down and limited to a hundred thousand hours; NaN counts as 0.
  ///   - parts: The parts of a second to which it is rounded, a power of ten up to a thousand.
  ///   - text: The text to append to.
  package func append(time seconds: Double, parts: Double = 1, to text: inout [UInt8]) {
    let exact = limited((seconds.magnitude * parts + Self.rounding).roundedDown / parts)
    if seconds < 0, exact > 0 { append("minus ", to: &text) }
    let all = Int(exact)
    let (hours, minutes, rest) = (all / 3600, all / 60 % 60, all % 60)
    if hours > 0 { append(hours, "hour", to: &text) }
    if minutes > 0 {
      if hours > 0 { text.append(space) }
      append(minutes, "minute", to: &text)
    }
    var fraction = exact - Double(all)
    let left = Double(rest) + fraction
    guard left > 0 || all == 0 else { return }
    if all > rest { text.append(space) }
    append(rest, digits: 1, to: &text)
    if fraction > Self.least { append(".", to: &text) }
    while fraction > Self.least {
      fraction *= 10
      let digit = (fraction + Self.least).roundedDown
      text.append(0x30 + UInt8(truncatingIfNeeded: Int(digit)))
      fraction -= digit
    }
    append(left == 1 ? " second" : " seconds", to: &text)
  }

  /// Appends a time and a total in words: "1 minute 5 seconds of 4 minutes".
  ///
  /// - Parameters:
  ///   - seconds: The time.
  ///   - total: The total; zero or less, as at the end of a live stream, is left out.
  ///   - length: The length of the range; times in one of less than ten seconds have two digits.
  ///   - text: The text to append to.
  package func append(
    time seconds: Double, of total: Double, length: Double, to text: inout [UInt8]
  ) {
    var parts = 1.0
    while length * parts < 10, parts < 1000 { parts *= 10 }
    append(time: seconds, parts: parts, to: &text)
    guard total > 0 else { return }
    append(" of ", to: &text)
    append(time: total, parts: parts, to: &text)
  }

  /// Appends a time as "1:05", "1:01:05" or "-0:12".
  package func append(clock seconds: Double, to text: inout [UInt8]) {
    let all = Int(limited(seconds.magnitude))
    if seconds <= -1 { append("-", to: &text) }
    let (hours, minutes, rest) = (all / 3600, all / 60 % 60, all % 60)
    if hours > 0 {
      append(hours, digits: 1, to: &text)
      append(":", to: &text)
    }
    append(minutes, digits: hours > 0 ? 2 : 1, to: &text)
    append(":", to: &text)
    append(rest, digits: 2, to: &text)
  }

  /// Appends a fraction in words: "46 percent".
  ///
  /// - Parameters:
  ///   - fraction: A number from 0 to 1, rounded down so that only 1 is 100 percent.
  ///   - text: The text to append to.
  package func append(percent fraction: Double, to text: inout [UInt8]) {
    let fraction = fraction.finite(or: 0).clamped(to: 0...1)
    // As in `PercentText.wholeNumber`, which cannot be used here: on a page the bar is compiled without HeadwayText.
    append(fraction < 1 ? min(Int(fraction * 100 + Self.rounding), 99) : 100, digits: 1, to: &text)
    append(" percent", to: &text)
  }

  // MARK: Parts

  /// The longest time, in seconds.
  private static let longest = 360_000_000.0
  /// What is added before a number is rounded down, since 0.29 · 100 is a little less than 29.
  private static let rounding = 1e-6
  /// A fraction of a second that is smaller than all that are given.
  private static let least = 1e-4
  private var space: UInt8 { 0x20 }

  private func limited(_ seconds: Double) -> Double {
    seconds.finite(or: 0).clamped(to: 0...Self.longest)
  }

  /// Appends a count and a noun, in the plural unless the count is 1.
  private func append(_ number: Int, _ thing: StaticString, to text: inout [UInt8]) {
    append(number, digits: 1, to: &text)
    text.append(space)
    append(thing, to: &text)
    if number != 1 { append("s", to: &text) }
  }

  /// Appends a number with a minimum number of digits.
  private func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
    var power = 10
    var count = 1
    while number >= power || count < digits {
      power *= 10
      count += 1
    }
    while power > 1 {
      power /= 10
      text.append(0x30 + UInt8(truncatingIfNeeded: number / power % 10))
    }
  }

  private func append(_ constant: StaticString, to text: inout [UInt8]) {
    for index in 0..<constant.utf8CodeUnitCount {
      text.append(unsafe constant.utf8Start[index])
    }
  }
}
