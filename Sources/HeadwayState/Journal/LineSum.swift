internal import CXXHash

/// The sum at the end of a line of a journal: `,"sum":"0123abcd"` are the low 32 bits of the XXH3 of all before it.
///
/// It shows that a line was changed by accident; it does not protect against changes that are made on purpose.
enum LineSum {
  /// What comes before the digits.
  private static let prefix = Array(#","sum":""#.utf8)
  /// What comes after them, up to the end of the line.
  private static let suffix = Array(#""}"#.utf8)
  /// The number of digits.
  private static let digits = 8

  /// Adds the sum of a line as its last field, and ends its object.
  ///
  /// - Parameters:
  ///   - bytes: The lines so far.
  ///   - start: Where the line begins.
  static func end(_ bytes: inout [UInt8], from start: Int) {
    let sum = of(bytes.span.extracting(start...))
    bytes += prefix
    for shift in stride(from: (digits - 1) * 4, through: 0, by: -4) {
      bytes.append(digit(sum >> UInt32(shift)))
    }
    bytes += suffix
  }

  /// Whether a line, without its end, has a sum and is as it was written.
  static func isWhole(_ line: Span<UInt8>) -> Bool {
    let tail = prefix.count + digits + suffix.count
    guard line.count >= tail else { return false }
    let end = line.count - tail
    for index in prefix.indices where line[end + index] != prefix[index] { return false }
    for index in suffix.indices
    where line[end + prefix.count + digits + index] != suffix[index] {
      return false
    }
    let sum = of(line.extracting(..<end))
    for index in 0..<digits {
      let shift = UInt32((digits - 1 - index) * 4)
      if line[end + prefix.count + index] != digit(sum >> shift) { return false }
    }
    return true
  }

  /// The low 32 bits of the hash of some bytes.
  private static func of(_ bytes: Span<UInt8>) -> UInt32 {
    unsafe bytes.withUnsafeBytes { bytes in
      UInt32(truncatingIfNeeded: unsafe XXH3_64bits(bytes.baseAddress, bytes.count))
    }
  }

  /// The lowest four bits as a digit.
  private static func digit(_ value: UInt32) -> UInt8 {
    let value = UInt8(value & 15)
    return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
