internal import HeadwayText

/// What stands for the value of a matrix in the name of a task.
enum VariantLabel {
  /// The bytes of a value that a name keeps if the value is too long.
  private static let keptBytes = 160

  /// Returns what stands for each of the values of a matrix.
  ///
  /// Of values whose names would be equal for a reader, as `é` in one character and as `e` with an accent, each has its bytes that
  /// are not ASCII as `%` and two digits.
  ///
  /// - Complexity: O(length of all).
  static func texts(for values: [String]) -> [String] {
    let labels = values.map { text(for: $0) }
    let counts = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
    guard counts.count < labels.count else { return labels }
    return zip(values, labels).map { value, label in
      counts[label] == 1 ? label : shortened(encoded(value, keepsOthers: false), of: value)
    }
  }

  /// Returns a value as it is, or in another form if it cannot be part of a name.
  ///
  /// Characters that a name cannot have become `%` and two digits for each byte, as in URLs, so that two values never have one
  /// name. A value of more than `PlanLimits.nameBytes` bytes is cut, and gets a number that depends on all of it.
  ///
  /// - Complexity: O(length).
  static func text(for value: String) -> String {
    guard !value.isEmpty else { return "\"\"" }
    let label =
      value.containsByte { !(0x20..<0x7F).contains($0) || isSpecial($0) } ? encoded(value) : value
    return shortened(label, of: value)
  }

  /// A label that is not longer than a name.
  private static func shortened(_ label: String, of value: String) -> String {
    guard label.utf8.count > PlanLimits.nameBytes else { return label }
    var kept = ""
    for character in label.unicodeScalars {
      guard kept.utf8.count < keptBytes else { break }
      kept.unicodeScalars.append(character)
    }
    return "\(kept)…\(String(digest(of: value), radix: 16))"
  }

  /// A value with `%` and two digits for each byte of a character that cannot stay.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - keepsOthers: Whether those that are not ASCII stay if a name can have them.
  /// - Returns: The label.
  private static func encoded(_ value: String, keepsOthers: Bool = true) -> String {
    let scalars = Array(value.unicodeScalars)
    var label = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      let isEscape =
        scalar == "%"
        && scalars.dropFirst(index + 1).prefix(2).count(where: { $0.properties.isASCIIHexDigit })
          == 2
      let isBracket = scalar != "%" && scalar.isASCII && isSpecial(UInt8(scalar.value))
      let isOther = !keepsOthers && !scalar.isASCII
      guard isEscape || isBracket || isOther || scalar.isUnsafeInText else {
        label.append(scalar)
        continue
      }
      for byte in String(scalar).utf8 {
        let digits = String(byte, radix: 16, uppercase: true)
        label.append(contentsOf: "%\(digits.count < 2 ? "0" : "")\(digits)".unicodeScalars)
      }
    }
    return String(label)
  }

  /// Whether a byte cannot be part of a name, or may have to be written differently there.
  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "[", "]", "{", "}", ",", "%": true
    default: false
    }
  }

  /// A number that depends on all bytes of a text: FNV-1a.
  private static func digest(of text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
