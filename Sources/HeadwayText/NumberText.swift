/// Formats a number with a separator between thousands: `1,234,567`.
package func grouped(_ number: Int, separator: Character = ",") -> String {
  let digits = String(number.magnitude)
  var text = number < 0 ? "-" : ""
  for (position, digit) in digits.enumerated() {
    if position > 0, (digits.count - position) % 3 == 0 { text.append(separator) }
    text.append(digit)
  }
  return text
}

/// Formats a number with its noun, in the plural unless the number is 1: `1 task`, `1,200 tasks`.
package func counted(_ number: Int, _ noun: String) -> String {
  "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
}

/// Formats a number of bytes in the unit in which it is short: `950 bytes`, `12 kB`, `1.4 MB`.
package func byteCount(_ count: Int) -> String {
  if count < 1000 { return counted(count, "byte") }
  var (value, unit) = (Double(count) / 1000, "kB")
  for larger in ["MB", "GB", "TB"] where value >= 999.5 { (value, unit) = (value / 1000, larger) }
  let tenths = Int((value * 10).rounded())
  return tenths < 100 && unit != "kB"
    ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
}

/// Formats fractions for people.
package enum PercentText {
  /// A fraction in whole percent, rounded down, so that only a fraction of 1 is `100%`.
  ///
  /// - Parameter fraction: The fraction; values outside 0 to 1 are clamped, NaN is 0.
  /// - Returns: The text.
  package static func whole(_ fraction: Double) -> String { "\(wholeNumber(fraction))%" }

  /// The number in ``whole(_:)``.
  package static func wholeNumber(_ fraction: Double) -> Int {
    if fraction >= 1 { return 100 }
    // A fraction just below a whole percent by rounding of binary numbers counts as that percent.
    return fraction > 0 ? Swift.min(Int(fraction * 100 + 1e-6), 99) : 0
  }

  /// A measured share, with one more digit below ten percent: `3.2%`, `46%`.
  ///
  /// - Parameter share: The share, at least 0; it may exceed 1. NaN is 0.
  /// - Returns: The text.
  package static func measured(_ share: Double) -> String {
    let thousandths = share > 0 ? Int(Swift.min(share, 1e6) * 1000 + 0.5) : 0
    if thousandths < 100 { return "\(thousandths / 10).\(thousandths % 10)%" }
    return "\((thousandths + 5) / 10)%"
  }
}
