/// Formats a number with a separator between thousands: `1,234,567`.
package func grouped(_ number: Int, separator: Character = ",") -> String {
  let text = grouped(magnitude: number.magnitude, separator: separator)
  return number < 0 ? "-" + text : text
}

/// Formats a number with a separator between thousands, up to `UInt.max`.
package func grouped(magnitude number: UInt, separator: Character = ",") -> String {
  let digits = String(number)
  var text = ""
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
  let unit = ByteUnit(fitting: Double(count))
  let value = Double(count) / unit.bytes
  let isShort = unit.hasTenths && (value * 10).rounded() < 100
  return "\(decimal(isShort ? value * 10 : value, hasTenths: isShort)) \(unit.name)"
}

/// Formats a part of a number of bytes, in the unit of the whole: `3.9 / 5.0 MB`.
///
/// - Parameters:
///   - part: The bytes that are done, at least 0; rounded down as long as some are left.
///   - whole: All bytes, at least 0.
/// - Returns: The text.
package func byteCount(_ part: Double, of whole: Double) -> String {
  let unit = ByteUnit(fitting: whole)
  let hasTenths = unit.hasTenths && whole < unit.bytes * 99.95
  let scale = (hasTenths ? 10 : 1) / unit.bytes
  let done = (part * scale).rounded(part < whole ? .down : .toNearestOrEven)
  let parts = [done, whole * scale].map { decimal($0, hasTenths: hasTenths) }
  return "\(parts[0]) / \(parts[1]) \(unit.name)"
}

/// Formats the number of a speed, such as 2.4 a second, 12 a minute or 1.2M a second.
///
/// - Parameter rate: The number of things in a second, above 0.
/// - Returns: The number, and the unit of time in which it is not too small to read.
package func rateNumber(_ rate: Double) -> (number: String, time: TimeAmount.Unit) {
  // What is shown as 1.0 when it is rounded, so that a rate of about one does not change its unit all the time.
  let time: TimeAmount.Unit = rate >= 0.95 ? .second : rate >= 0.95 / 60 ? .minute : .hour
  let value = rate * Double(time.rawValue)
  if value < 9.95 { return (decimal(value * 10, hasTenths: true), time) }
  guard value >= 999_999.5 else { return (decimal(value, hasTenths: false), time) }
  let (shown, letter) = value >= 999_950_000 ? (value / 1e9, "G") : (value / 1e6, "M")
  return (decimal(shown * 10, hasTenths: true) + letter, time)
}

/// Formats a number, or a number of tenths as a decimal fraction, rounded and with separators between thousands.
private func decimal(_ value: Double, hasTenths: Bool) -> String {
  let number = Int(min(value.rounded(), 1e18))
  return hasTenths ? "\(grouped(number / 10)).\(number % 10)" : grouped(number)
}

/// A decimal unit for numbers of bytes.
private struct ByteUnit {
  var name = "bytes"
  var bytes = 1.0
  /// Whether one digit after the point is worth reading.
  var hasTenths: Bool { bytes >= 1e6 }

  /// Chooses the unit in which a number has at most three digits, as far as there is one.
  init(fitting count: Double) {
    for larger in ["kB", "MB", "GB", "TB"] where count / bytes >= (bytes < 1000 ? 1000 : 999.5) {
      (name, bytes) = (larger, bytes * 1000)
    }
  }
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
