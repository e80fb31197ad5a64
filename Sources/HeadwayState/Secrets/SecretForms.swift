internal import HeadwayFiles
internal import HeadwayRun
internal import HeadwayText

/// The forms in which the value of a secret may be written.
///
/// A command line and a message of another program have U+FFFD for what is not UTF-8, and a pattern of a plan has
/// backslashes. The others are a net for programs of tasks: a shell that prints its commands or its variables, and a program
/// that prints JSON.
enum SecretForms {
  /// Returns all forms of a value, without the quotes around them.
  ///
  /// - Complexity: O(bytes).
  static func all(of value: ArraySlice<UInt8>) -> Set<[UInt8]> {
    let text = String(decoding: value, as: UTF8.self)
    let texts = [text, text.sanitized, text.escapedForPattern, text.insideSingleQuotes]
    return Set(texts.map { Array($0.utf8) }).union([Array(value)])
      .union(shell(value)).union(json(text))
  }

  // MARK: Shells

  /// What a backslash of bash stands before in a word without quotes, as `printf %q` writes it.
  private static let quotedByBackslash = Set("\t\n !\"$&'()*,;<>?[\\]^`{|}".utf8)
  /// What a backslash stands before between double quotes.
  private static let quotedInDouble = Set("\"$\\`".utf8)
  /// The letters of control characters after a backslash in `$'…'`.
  private static let letters: [UInt8: UInt8] = Dictionary(
    uniqueKeysWithValues: zip(
      [0x07, 0x08, 0x1B, 0x0C, 0x0A, 0x0D, 0x09, 0x0B], Array("abEfnrtv".utf8)))

  /// The forms of shells: `set`, `set -x`, `export -p` and `printf %q` of bash, dash and zsh.
  ///
  /// Bytes that are not text stay as they are there.
  private static func shell(_ value: ArraySlice<UInt8>) -> [[UInt8]] {
    [
      single(value, quote: Array(#"'\''"#.utf8), joinsQuotes: false),
      single(value, quote: Array(#"'"'"'"#.utf8), joinsQuotes: true),
      value.flatMap { quotedInDouble.contains($0) ? [backslash, $0] : [$0] },
      value.flatMap { quotedByBackslash.contains($0) ? [backslash, $0] : [$0] },
      value.flatMap(inDollarQuotes),
    ]
  }

  /// A value between single quotes.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - quote: What is written for a single quote: the end of the text, the quote, and the beginning of the next text.
  ///   - joinsQuotes: Whether single quotes in a row are written together, as dash does.
  /// - Returns: The value without the quotes around it.
  private static func single(
    _ value: ArraySlice<UInt8>, quote: [UInt8], joinsQuotes: Bool
  ) -> [UInt8] {
    var form: [UInt8] = []
    var isInRow = false
    for byte in value {
      if byte != apostrophe {
        form.append(byte)
      } else if joinsQuotes && isInRow {
        // Before the two that end the row.
        form.insert(byte, at: form.count - 2)
      } else {
        form += quote
      }
      isInRow = byte == apostrophe
    }
    // No empty text has to follow a quote at the end.
    if isInRow { form.removeLast() }
    return form
  }

  /// A byte between `$'` and `'`.
  private static func inDollarQuotes(_ byte: UInt8) -> [UInt8] {
    if let letter = letters[byte] { return [backslash, letter] }
    if byte == apostrophe || byte == backslash { return [backslash, byte] }
    guard byte < 0x20 || byte == 0x7F else { return [byte] }
    return [backslash] + [byte >> 6, byte >> 3 & 7, byte & 7].map { UInt8(ascii: "0") + $0 }
  }

  // MARK: JSON

  /// The forms of JSON: that of Headway, with other characters as ASCII, with `\/`, and made safe for HTML.
  private static func json(_ text: String) -> [[UInt8]] {
    var line = JSONLine(names: [])
    line.begin()
    line.add(named: "", text: text)
    let written = Array(line.bytes.dropFirst(#"{"":""#.utf8.count).dropLast())
    func form(
      isLower: Bool = true, hidesSlash: Bool = false, _ isEscaped: (Unicode.Scalar) -> Bool
    ) -> [UInt8] {
      text.unicodeScalars.flatMap { scalar -> [UInt8] in
        if hidesSlash, scalar == "/" { return Array(#"\/"#.utf8) }
        if isEscaped(scalar) { return escape(scalar, isLower: isLower) }
        return jsonLetter(scalar).map { [backslash, $0] } ?? Array(String(scalar).utf8)
      }
    }
    let isForHTML: (Unicode.Scalar) -> Bool = {
      isControl($0) || ["<", ">", "&", "\u{2028}", "\u{2029}"].contains($0)
    }
    let isOther: (Unicode.Scalar) -> Bool = { isControl($0) || !$0.isASCII }
    return [
      written, form(isControl), form(hidesSlash: true, isControl), form(isForHTML), form(isOther),
      form(hidesSlash: true, isOther), form(isLower: false, isOther),
    ]
  }

  /// Whether a scalar is a control character that has no letter in JSON.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 && jsonLetter(scalar) == nil
  }

  /// What stands after a backslash for a scalar in JSON, nil if it has no letter.
  private static func jsonLetter(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar {
    case "\"", "\\": UInt8(scalar.value)
    case "\n": UInt8(ascii: "n")
    case "\r": UInt8(ascii: "r")
    case "\t": UInt8(ascii: "t")
    case "\u{8}": UInt8(ascii: "b")
    case "\u{C}": UInt8(ascii: "f")
    default: nil
    }
  }

  /// A scalar by its numbers in UTF-16, such as `\u00e9`.
  private static func escape(_ scalar: Unicode.Scalar, isLower: Bool) -> [UInt8] {
    String(scalar).utf16.flatMap { unit -> [UInt8] in
      let digits = String(unit, radix: 16, uppercase: !isLower)
      return Array(#"\u"#.utf8) + Array(String(repeating: "0", count: 4 - digits.count).utf8)
        + Array(digits.utf8)
    }
  }

  private static let backslash = UInt8(ascii: "\\")
  private static let apostrophe = UInt8(ascii: "'")
}
