internal import HeadwayText

/// Why a text is not JSON.
struct JSONProblem: Error {
  /// What is wrong, in words.
  let words: String
  /// The index of the byte at which that was noticed.
  let index: Int
}

/// The grammar of JSON: checks a text, and finds where its values end.
///
/// It accepts what RFC 8259 accepts, in UTF-8, nested at most 2,048 levels deep. Nothing is built, and nothing recurses.
/// Each function takes an index and leaves it after what it has checked.
enum JSONGrammar {
  /// The maximum number of objects and lists in one another.
  static let depthLimit = 2_048

  /// Skips the spaces, tabs and ends of lines that may stand around a value.
  static func skipBlanks(_ text: Span<UInt8>, _ index: inout Int, before end: Int) {
    while index < end {
      switch text[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return
      }
    }
  }

  /// Checks a value of any type.
  ///
  /// - Parameters:
  ///   - text: The bytes.
  ///   - index: The first byte of the value, or of the blanks before it.
  ///   - end: The end of the text.
  ///   - outer: The number of objects and lists that the value is in.
  /// - Throws: `JSONProblem` if there is no value.
  /// - Complexity: O(bytes of the value).
  static func skipValue(
    _ text: Span<UInt8>, _ index: inout Int, before end: Int, depth outer: Int
  ) throws(JSONProblem) {
    // What the value is in, innermost last: a bit for each, 1 for an object; outer levels are saved 64 at a time.
    var (kinds, depth) = (UInt64(0), 0)
    var outerKinds: [UInt64] = []
    nextValue: while true {
      skipBlanks(text, &index, before: end)
      guard index < end else { throw ended(end) }
      switch text[index] {
      case UInt8(ascii: "\""): _ = try skipText(text, &index, before: end)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        try skipNumber(text, &index, before: end)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard outer + depth < depthLimit else {
          throw JSONProblem(
            words: "it is nested more than \(grouped(depthLimit)) levels deep",
            index: index)
        }
        let isObject = text[index] == UInt8(ascii: "{")
        index += 1
        skipBlanks(text, &index, before: end)
        if index < end, text[index] == closing(isObject) {
          index += 1
          break
        }
        if depth > 0, depth % UInt64.bitWidth == 0 { outerKinds.append(kinds) }
        kinds = kinds << 1 | (isObject ? 1 : 0)
        depth += 1
        if isObject { _ = try skipName(text, &index, before: end) }
        continue nextValue
      default: try skipWord(text, &index, before: end)
      }
      // A value has ended, and so may what it is in.
      while depth > 0 {
        let isObject = kinds & 1 == 1
        skipBlanks(text, &index, before: end)
        guard index < end else { throw ended(end) }
        if text[index] == UInt8(ascii: ",") {
          index += 1
          if isObject { _ = try skipName(text, &index, before: end) }
          continue nextValue
        }
        guard text[index] == closing(isObject) else { throw unexpected(text, index) }
        index += 1
        depth -= 1
        kinds = depth > 0 && depth % UInt64.bitWidth == 0 ? outerKinds.removeLast() : kinds >> 1
      }
      return
    }
  }

  /// Checks the name of a field and the colon after it.
  ///
  /// - Returns: The bytes of the name without its quotes, and whether it has escapes.
  static func skipName(
    _ text: Span<UInt8>, _ index: inout Int, before end: Int
  ) throws(JSONProblem) -> (bytes: Range<Int>, hasEscapes: Bool) {
    skipBlanks(text, &index, before: end)
    guard index < end else { throw ended(end) }
    guard text[index] == UInt8(ascii: "\"") else { throw unexpected(text, index) }
    let start = index + 1
    let hasEscapes = try skipText(text, &index, before: end)
    let name = start..<index - 1
    skipBlanks(text, &index, before: end)
    guard index < end else { throw ended(end) }
    guard text[index] == UInt8(ascii: ":") else { throw unexpected(text, index) }
    index += 1
    return (name, hasEscapes)
  }

  /// Checks a text in quotes.
  ///
  /// - Returns: Whether it has escapes.
  private static func skipText(
    _ text: Span<UInt8>, _ index: inout Int, before end: Int
  ) throws(JSONProblem) -> Bool {
    let start = index
    index += 1
    var (all, hasEscapes) = (UInt8(0), false)
    while true {
      // Most bytes are neither quotes nor escapes. The local index stays in a register.
      var next = index
      while next < end {
        let byte = text[next]
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { break }
        all |= byte
        next &+= 1
      }
      index = next
      guard index < end else { throw ended(end) }
      switch text[index] {
      case UInt8(ascii: "\""):
        index += 1
        if all >= 0x80, !isUTF8(text, start..<index) {
          throw JSONProblem(words: "a text is not UTF-8", index: start)
        }
        return hasEscapes
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try skipEscape(text, &index, before: end)
      default: throw JSONProblem(words: "a text has a control character", index: index)
      }
    }
  }

  /// Checks an escape: of two escapes for one character, both.
  private static func skipEscape(
    _ text: Span<UInt8>, _ index: inout Int, before end: Int
  ) throws(JSONProblem) {
    let start = index
    guard index + 1 < end else { throw ended(end) }
    switch text[index + 1] {
    case UInt8(ascii: "u"): break
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index += 2
      return
    default: throw invalidEscape(start)
    }
    guard let unit = codeUnit(text, at: index, before: end) else { throw invalidEscape(start) }
    index += 6
    guard UTF16.isSurrogate(unit) else { return }
    guard UTF16.isLeadSurrogate(unit), let next = codeUnit(text, at: index, before: end),
      UTF16.isTrailSurrogate(next)
    else { throw invalidEscape(start) }
    index += 6
  }

  /// The code unit of an escape such as `\u00e9`; nil if there is none.
  static func codeUnit(_ text: Span<UInt8>, at index: Int, before end: Int) -> UInt16? {
    guard index + 6 <= end, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt16 = 0
    for place in index + 2..<index + 6 {
      let digit: UInt8
      switch text[place] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = text[place] - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = text[place] - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = text[place] - UInt8(ascii: "A") + 10
      default: return nil
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  /// Checks a number.
  private static func skipNumber(
    _ text: Span<UInt8>, _ index: inout Int, before end: Int
  ) throws(JSONProblem) {
    let start = index
    if text[index] == UInt8(ascii: "-") { index += 1 }
    let first = index
    var isNumber = skipDigits(text, &index, before: end)
    // No other digit stands behind a zero at the beginning.
    if isNumber, text[first] == UInt8(ascii: "0") { isNumber = index == first + 1 }
    if isNumber, index < end, text[index] == UInt8(ascii: ".") {
      index += 1
      isNumber = skipDigits(text, &index, before: end)
    }
    if isNumber, index < end, text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < end, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") {
        index += 1
      }
      isNumber = skipDigits(text, &index, before: end)
    }
    guard isNumber else { throw JSONProblem(words: "a number is not valid", index: start) }
  }

  /// Skips digits, and returns whether there is one.
  private static func skipDigits(
    _ text: Span<UInt8>, _ index: inout Int, before end: Int
  ) -> Bool {
    let start = index
    while index < end, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[index] { index += 1 }
    return index > start
  }

  /// Checks `true`, `false` or `null`.
  private static func skipWord(
    _ text: Span<UInt8>, _ index: inout Int, before end: Int
  ) throws(JSONProblem) {
    for word in ["true", "false", "null"] as [StaticString]
    where matches(text, index..<min(index + word.utf8CodeUnitCount, end), word) {
      index += word.utf8CodeUnitCount
      return
    }
    throw unexpected(text, index)
  }

  /// Whether bytes are a word.
  static func matches(_ text: Span<UInt8>, _ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { word in
      for offset in 0..<range.count
      where unsafe text[range.lowerBound + offset] != word[offset] { return false }
      return true
    }
  }

  private static func closing(_ isObject: Bool) -> UInt8 {
    isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
  }

  private static func isUTF8(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    unsafe text.extracting(range).withUnsafeBufferPointer {
      unsafe String(validating: $0, as: UTF8.self) != nil
    }
  }

  // MARK: Problems

  /// The problem with a text that ends too early.
  static func ended(_ end: Int) -> JSONProblem {
    JSONProblem(words: "the text ends too early", index: end)
  }

  private static func invalidEscape(_ index: Int) -> JSONProblem {
    JSONProblem(words: "an escape in a text is not valid", index: index)
  }

  /// The problem with a byte that stands where it cannot.
  static func unexpected(_ text: Span<UInt8>, _ index: Int) -> JSONProblem {
    let byte = text[index]
    let shown =
      0x21...0x7E ~= byte ? "'\(Unicode.Scalar(byte))'" : "byte 0x\(String(byte, radix: 16))"
    return JSONProblem(words: "unexpected \(shown)", index: index)
  }
}
