/// Plans in JSON, which is YAML but for one escape.
///
/// JSON writes a character beyond U+FFFF as two escapes of its halves in UTF-16, `"\ud83d\ude00"`, as most programs do that
/// write JSON as ASCII. In YAML it is one, `"\U0001F600"`, and the halves are errors.
enum JSONText {
  /// Writes a file in JSON as YAML.
  ///
  /// Spaces after a text take the place of what its escapes are shorter, so that all values keep their line and column.
  ///
  /// - Parameter bytes: The file.
  /// - Returns: The file with the escapes of YAML; the same bytes if it is not JSON, where `\ud83d` may be the text itself.
  /// - Complexity: O(*n*) for *n* bytes.
  static func asYAML(_ bytes: [UInt8]) -> [UInt8] {
    guard hasPair(bytes), bytes.first(where: { !isSpace($0) }) == UInt8(ascii: "{") else {
      return bytes
    }
    var yaml: [UInt8] = []
    yaml.reserveCapacity(bytes.count)
    // The last byte outside of texts that is no space.
    var before: UInt8 = 0
    var position = 0
    while position < bytes.count {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") {
        guard opening.contains(before) else { return bytes }
        position = appendText(from: position, of: bytes, to: &yaml)
      } else {
        guard isSpace(byte) || isOutside(byte) else { return bytes }
        yaml.append(byte)
        position += 1
      }
      if !isSpace(byte) { before = byte }
    }
    return yaml
  }

  /// What a text in quotes stands behind.
  private static let opening = Set("{[,:".utf8)

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Whether JSON has a byte outside of texts: brackets, numbers, `true`, `false` and `null`.
  private static func isOutside(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "{}[],:+-.E".utf8.contains(byte)
    }
  }

  /// Whether a file has an escape of half a character, in whatever it is.
  private static func hasPair(_ bytes: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0] == backslash && half(at: $0, of: bytes) != nil }
  }

  /// Appends a text in quotes.
  ///
  /// - Returns: The position after it.
  private static func appendText(
    from start: Int, of bytes: [UInt8], to yaml: inout [UInt8]
  ) -> Int {
    yaml.append(bytes[start])
    var position = start + 1
    var missing = 0
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      if let scalar = pair(at: position, of: bytes) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        yaml += #"\U"#.utf8
        yaml += String(repeating: "0", count: 8 - digits.count).utf8
        yaml += digits.utf8
        position += 2 * escapeBytes
        missing += 2 * escapeBytes - 10
      } else {
        let count = bytes[position] == backslash ? min(2, bytes.count - position) : 1
        yaml += bytes[position..<position + count]
        position += count
      }
    }
    guard position < bytes.count else { return position }
    yaml.append(bytes[position])
    yaml += [UInt8](repeating: 0x20, count: missing)
    return position + 1
  }

  /// The character of two escapes at a position, nil if they are something else.
  private static func pair(at position: Int, of bytes: [UInt8]) -> Unicode.Scalar? {
    guard let high = half(at: position, of: bytes), UTF16.isLeadSurrogate(high),
      let low = half(at: position + escapeBytes, of: bytes), UTF16.isTrailSurrogate(low)
    else { return nil }
    return UTF16.decode(UTF16.EncodedScalar([high, low]))
  }

  /// The half of a character that an escape at a position stands for, nil if it stands for something else.
  private static func half(at position: Int, of bytes: [UInt8]) -> UInt16? {
    guard position + escapeBytes <= bytes.count, bytes[position] == backslash,
      bytes[position + 1] == UInt8(ascii: "u")
    else { return nil }
    let digits = String(decoding: bytes[position + 2..<position + escapeBytes], as: UTF8.self)
    return UInt16(digits, radix: 16).flatMap { UTF16.isSurrogate($0) ? $0 : nil }
  }

  private static let backslash = UInt8(ascii: "\\")
  /// The bytes of an escape such as `\u00e9`.
  private static let escapeBytes = 6
}
