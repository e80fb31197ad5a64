/// Measures and truncates text in terminal columns.
///
/// The unit is the character as a person sees it: a letter with its accents takes one column, an ideograph or an
/// emoji two, however many code points it has. Pure functions without a locale; measuring does not allocate.
package enum TextWidth {
  /// The number of columns that a text takes.
  ///
  /// - Complexity: O(length).
  package static func columns(of text: some StringProtocol) -> Int {
    var count = 0
    for scalar in text.unicodeScalars {
      guard let columns = columns(ofSimple: scalar) else { return self.columns(ofAny: text) }
      count += columns
    }
    return count
  }

  private static func columns(ofAny text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + columns(of: $1) }
  }

  /// The number of columns that a character takes: 0, 1 or 2.
  package static func columns(of character: Character) -> Int {
    if let ascii = character.asciiValue { return (32..<127).contains(ascii) ? 1 : 0 }
    var widest = 0
    for scalar in character.unicodeScalars {
      // The emoji variation selector makes a narrow character wide.
      if scalar == "\u{FE0F}", widest > 0 { return 2 }
      widest = max(widest, columns(of: scalar))
    }
    return widest
  }

  /// The number of columns that a code point takes if it is a whole character beside others of this kind: 1 or 2.
  ///
  /// Nearly all text consists of these; finding where characters begin and end takes far longer than the rest.
  ///
  /// - Parameter scalar: The code point.
  /// - Returns: Nil if it has no width, or may be part of a longer character.
  package static func columns(ofSimple scalar: Unicode.Scalar) -> Int? {
    switch scalar.value {
    case 0x20..<0x7F: 1
    // Latin letters and signs, without the soft hyphen.
    case 0xA1..<0xAD, 0xAE..<0x300: 1
    // Dashes, quotation marks, bullets and the ellipsis.
    case 0x2010...0x2027: 1
    // Parts of boxes and bars.
    case 0x2500...0x259F: 1
    // Ideographs.
    case 0x4E00...0x9FFF: 2
    default: nil
    }
  }

  /// The number of columns that a code point takes by itself: 0, 1 or 2.
  package static func columns(of scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return (32..<127).contains(scalar.value) ? 1 : 0 }
    // A soft hyphen is a format character, but terminals print it.
    if scalar == "\u{AD}" { return 1 }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator,
      .surrogate:
      return 0
    default: break
    }
    // Korean vowels and final consonants join the consonant before them.
    if (0x1160...0x11FF).contains(scalar.value) { return 0 }
    return properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }

  /// Truncates a text to a number of columns.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - columns: The maximum number of columns; 0 or less gives an empty text.
  ///   - ellipsis: The mark for the missing end, used if there is room for it.
  /// - Returns: The text itself if it fits, otherwise the characters that fit and the ellipsis.
  package static func truncated(_ text: String, to columns: Int, ellipsis: String = "…") -> String {
    if text.utf8.count <= columns || self.columns(of: text) <= columns { return text }
    let mark = self.columns(of: ellipsis) <= columns ? ellipsis : ""
    var room = columns - self.columns(of: mark)
    var short = ""
    for character in text {
      room -= self.columns(of: character)
      guard room >= 0 else { break }
      short.append(character)
    }
    return short + mark
  }

  /// Truncates a text to a number of columns in its middle, because names that begin alike differ at their ends.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - columns: The maximum number of columns; 0 or less gives an empty text.
  ///   - ellipsis: The mark for the missing middle, used if there is room for it.
  /// - Returns: The text itself if it fits, otherwise its beginning, the ellipsis and its end.
  package static func truncatedInMiddle(
    _ text: String, to columns: Int, ellipsis: String = "…"
  ) -> String {
    if text.utf8.count <= columns || self.columns(of: text) <= columns { return text }
    let mark = self.columns(of: ellipsis) <= columns ? ellipsis : ""
    let room = columns - self.columns(of: mark)
    let beginning = truncated(text, to: room / 2, ellipsis: "")
    var end = text.endIndex
    var left = room - self.columns(of: beginning)
    while end > text.startIndex {
      let previous = text.index(before: end)
      left -= self.columns(of: text[previous])
      guard left >= 0 else { break }
      end = previous
    }
    return beginning + mark + text[end...]
  }

  /// Whether a code point is in a block of wide characters.
  private static func isWide(_ value: UInt32) -> Bool {
    guard value >= 0x1100 else { return false }
    return wideBlocks.contains { $0.contains(value) }
  }

  /// The wide blocks beyond emoji (UAX #11, classes W and F): East Asian scripts and their signs.
  private static let wideBlocks: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // first consonants of Korean
    0x2329...0x232A,  // angle brackets
    0x2E80...0x303E,  // radicals, ideographic punctuation
    0x3041...0x3247,  // kana, bopomofo, enclosed letters
    0x3250...0x4DBF,  // enclosed and compatibility signs, extension A
    0x4DC0...0xA4CF,  // hexagrams, ideographs, Yi
    0xA960...0xA97C,  // Korean, extended
    0xAC00...0xD7A3,  // Korean syllables
    0xF900...0xFAFF,  // compatibility ideographs
    0xFE10...0xFE19,  // vertical forms
    0xFE30...0xFE6B,  // compatibility and small forms
    0xFF01...0xFF60,  // full-width forms
    0xFFE0...0xFFE6,  // full-width signs
    0x16FE0...0x18DFF,  // Tangut, Khitan
    0x1AFF0...0x1B2FF,  // kana, extended; Nushu
    0x1F1E6...0x1F1FF,  // letters that make flags
    0x1F200...0x1F265,  // enclosed ideographs
    0x20000...0x3FFFD,  // the planes of ideographs
  ]
}
