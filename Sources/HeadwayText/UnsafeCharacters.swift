extension Unicode.Scalar {
  /// Whether the scalar can move a cursor, change a terminal, reorder or hide the text around it, or is no character.
  ///
  /// These are the control characters, line and paragraph separators, the marks of bidirectional text, zero-width and
  /// other invisible format characters, tags, and noncharacters. Joiners that emoji and scripts need are safe.
  package var isUnsafeInText: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true
    // Marks of direction: ALM, LRM, RLM, embeddings, overrides and isolates.
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    // Zero-width space, word joiner and invisible operators, line separators, byte order mark, annotations.
    case 0x200B, 0x2028...0x2029, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF, 0xFFF0...0xFFFB: true
    case 0xFDD0...0xFDEF, 0xE0000..<0xE1000: true
    default: value & 0xFFFE == 0xFFFE
    }
  }
}

extension String {
  /// Whether the text contains a scalar that is unsafe to show.
  ///
  /// - Complexity: O(length).
  package var hasUnsafeCharacters: Bool {
    containsByte { !(0x20..<0x7F).contains($0) }
      && unicodeScalars.contains(where: \.isUnsafeInText)
  }

  /// The text with U+FFFD in place of each scalar that is unsafe to show.
  ///
  /// - Complexity: O(length); a text that is safe is returned without a copy.
  package var sanitized: String {
    guard hasUnsafeCharacters else { return self }
    var safe = String.UnicodeScalarView()
    for scalar in unicodeScalars { safe.append(scalar.isUnsafeInText ? "\u{FFFD}" : scalar) }
    return String(safe)
  }
}
