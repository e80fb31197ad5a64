internal import HeadwayText

/// The fields of an object that a ``JSONLine`` has written: a fast way to read what this program wrote itself.
///
/// Nothing is built but the values that are asked for, so an event takes less than a microsecond, a fifth of what a general
/// reader takes. It reads what `JSONLine` writes: names without escapes, and no spaces. Other JSON must be read in
/// another way. Of two fields with one name, the first counts.
package struct JSONLineFields: FieldSource {
  /// Where a field is.
  private struct Field {
    /// The bytes of the name.
    let name: Range<Int>
    /// The bytes of the value; of a text with its quotes.
    let value: Range<Int>
  }

  /// The text, from index 0; a slice, because the span of an array needs macOS 26.
  private let bytes: ArraySlice<UInt8>
  private var fields: [Field] = []

  /// The most objects and lists in one another.
  private static let depthLimit = 32

  /// Finds the fields of an object; nil if it is not in the form that ``JSONLine`` writes.
  ///
  /// - Parameters:
  ///   - bytes: A text.
  ///   - range: The bytes of the object.
  /// - Complexity: O(bytes).
  package init?(_ bytes: [UInt8], in range: Range<Int>) { self.init(bytes[...], in: range) }

  /// Finds the fields of an object in a slice that begins with index 0.
  private init?(_ bytes: ArraySlice<UInt8>, in range: Range<Int>) {
    self.bytes = bytes
    let text = bytes.span
    var index = range.lowerBound
    let end = range.upperBound
    guard index + 1 < end, text[index] == UInt8(ascii: "{") else { return nil }
    index += 1
    if text[index] == UInt8(ascii: "}") {
      guard index + 1 == end else { return nil }
      return
    }
    fields.reserveCapacity(12)
    while true {
      guard index < end, text[index] == UInt8(ascii: "\"") else { return nil }
      guard let nameEnd = Self.endOfValue(text, from: index, before: end),
        nameEnd < end, text[nameEnd] == UInt8(ascii: ":"),
        let valueEnd = Self.endOfValue(text, from: nameEnd + 1, before: end), valueEnd < end
      else { return nil }
      fields.append(Field(name: index + 1..<nameEnd - 1, value: nameEnd + 1..<valueEnd))
      index = valueEnd + 1
      switch text[valueEnd] {
      case UInt8(ascii: ","): continue
      case UInt8(ascii: "}"):
        guard index == end else { return nil }
        return
      default: return nil
      }
    }
  }

  // MARK: Finding

  /// The end of a value, nil if there is none before a limit.
  private static func endOfValue(_ text: Span<UInt8>, from start: Int, before limit: Int) -> Int? {
    var index = start
    var depth = 0
    while index < limit {
      switch text[index] {
      case UInt8(ascii: "\""):
        index += 1
        while true {
          guard index < limit else { return nil }
          if text[index] == UInt8(ascii: "\"") { break }
          index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index += 1
        if depth == 0 { return index }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard depth < depthLimit else { return nil }
        depth += 1
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // The end of what a number is in.
        if depth == 0 { return index > start ? index : nil }
        depth -= 1
        index += 1
        if depth == 0 { return index }
      case UInt8(ascii: ",") where depth == 0: return index > start ? index : nil
      default: index += 1
      }
    }
    return depth == 0 && index > start ? index : nil
  }

  /// The bytes of a value.
  ///
  /// - Throws: `DecodingError` if there is no field of that name.
  private func value(_ name: String) throws -> Range<Int> {
    guard let range = find(name) else {
      throw DecodingError.keyNotFound(
        FieldName(name),
        DecodingError.Context(codingPath: [], debugDescription: "'\(name)' is missing"))
    }
    return range
  }

  private func find(_ name: String) -> Range<Int>? {
    // Not the span of the name, which needs macOS 26.
    let found = unsafe name.utf8.withContiguousStorageIfAvailable { wanted in
      let text = bytes.span
      for field in fields where field.name.count == wanted.count {
        var isSame = true
        for index in 0..<wanted.count
        where unsafe text[field.name.lowerBound &+ index] != wanted[index] {
          isSame = false
          break
        }
        if isSame { return Range?.some(field.value) }
      }
      return nil
    }
    if let found { return found }
    // A text of Foundation.
    var native = name
    native.makeContiguousUTF8()
    return find(native)
  }

  /// The values of a list.
  private func values(_ name: String) throws -> [Range<Int>] {
    var values: [Range<Int>] = []
    try eachValue(name) { values.append($0) }
    return values
  }

  /// Calls a function with each value of a list.
  private func eachValue(_ name: String, _ body: (Range<Int>) throws -> Void) throws {
    let list = try value(name)
    let text = bytes.span
    let end = list.upperBound - 1
    guard list.count >= 2, text[list.lowerBound] == UInt8(ascii: "["),
      text[end] == UInt8(ascii: "]")
    else { throw damaged(name, "must be a list") }
    var start = list.lowerBound + 1
    while start < end {
      guard let valueEnd = Self.endOfValue(bytes.span, from: start, before: end) else {
        throw damaged(name, "is not a list as it is written")
      }
      try body(start..<valueEnd)
      guard valueEnd < end else { return }
      guard bytes[valueEnd] == UInt8(ascii: ","), valueEnd + 1 < end else {
        throw damaged(name, "is not a list as it is written")
      }
      start = valueEnd + 1
    }
  }

  // MARK: Values

  package func contains(_ name: String) -> Bool { find(name) != nil }

  /// Whether a field is null.
  func isNull(_ name: String) throws -> Bool { matches(try value(name), "null") }

  package func flag(_ name: String) throws -> Bool {
    let value = try value(name)
    if matches(value, "true") { return true }
    guard matches(value, "false") else { throw damaged(name, "must be true or false") }
    return false
  }

  package func number(_ name: String) throws -> Int { try number(value(name), of: name) }

  package func numbers(_ name: String) throws -> [Int] {
    try values(name).map { try number($0, of: name) }
  }

  package func fraction(_ name: String) throws -> Double {
    let value = try value(name)
    let text = String(decoding: bytes[value], as: UTF8.self)
    // Names of numbers, such as `nan`, and other forms that JSON does not have, begin otherwise.
    guard let last = bytes[value].last, Self.digit(last) != nil, let number = Double(text),
      number.isFinite
    else { throw damaged(name, "must be a number") }
    return number
  }

  package func text(_ name: String) throws -> String { try text(value(name), of: name) }

  package func texts(_ name: String) throws -> [String] {
    try values(name).map { try text($0, of: name) }
  }

  package func each(_ name: String, _ body: (JSONLineFields) throws -> Void) throws {
    try eachValue(name) { value in
      guard let fields = JSONLineFields(bytes, in: value) else {
        throw damaged(name, "must be a list of objects")
      }
      try body(fields)
    }
  }

  /// Reads an object.
  func object(_ name: String) throws -> JSONLineFields {
    guard let fields = JSONLineFields(bytes, in: try value(name)) else {
      throw damaged(name, "must be an object")
    }
    return fields
  }

  /// Reads seconds with at most nine decimals; nil if the number is negative, too large or written in another way.
  func seconds(_ name: String) throws -> JSONSeconds? {
    let value = try value(name)
    var (whole, decimals, places) = (0, 0, -1)
    let text = bytes.span
    for index in value {
      if text[index] == UInt8(ascii: "."), places < 0, index > value.lowerBound {
        places = 0
        continue
      }
      guard let digit = Self.digit(text[index]) else { return nil }
      if places < 0 {
        // With nine decimals, it must fit.
        guard whole < Int.max / 10_000_000_000 else { return nil }
        whole = whole * 10 + digit
      } else {
        guard places < 9 else { return nil }
        decimals = decimals * 10 + digit
        places += 1
      }
    }
    guard places != 0 else { return nil }
    for _ in max(places, 0)..<9 { decimals *= 10 }
    return JSONSeconds(nanoseconds: whole * 1_000_000_000 + decimals)
  }

  private func matches(_ value: Range<Int>, _ word: StaticString) -> Bool {
    guard value.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { unsafe bytes[value].elementsEqual($0) }
  }

  private static func digit(_ byte: UInt8) -> Int? {
    let digit = Int(byte) - Int(UInt8(ascii: "0"))
    return (0...9).contains(digit) ? digit : nil
  }

  private func number(_ value: Range<Int>, of name: String) throws -> Int {
    let text = bytes.span
    let isNegative = text[value.lowerBound] == UInt8(ascii: "-")
    var number = 0
    let first = value.lowerBound + (isNegative ? 1 : 0)
    var isNumber = first < value.upperBound
    for index in first..<value.upperBound {
      guard let digit = Self.digit(text[index]) else {
        isNumber = false
        break
      }
      let (ten, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (next, isLargerStill) =
        isNegative
        ? ten.subtractingReportingOverflow(digit) : ten.addingReportingOverflow(digit)
      if isTooLarge || isLargerStill { isNumber = false }
      number = next
    }
    guard isNumber else { throw damaged(name, "must be a whole number") }
    return number
  }

  private func text(_ value: Range<Int>, of name: String) throws -> String {
    guard value.count >= 2, bytes[value.lowerBound] == UInt8(ascii: "\"") else {
      throw damaged(name, "must be a text")
    }
    let inner = bytes[value.lowerBound + 1..<value.upperBound - 1]
    guard inner.contains(UInt8(ascii: "\\")) else { return String(decoding: inner, as: UTF8.self) }
    guard let text = Self.unescaped(inner) else {
      throw damaged(name, "has an escape that is not valid")
    }
    return text
  }

  /// A text without the escapes of JSON, nil if one of them is not valid.
  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    /// The first half of a scalar that takes two escapes.
    var half: UInt16?
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        if half != nil { return nil }
        result.append(byte)
        continue
      }
      guard let kind = rest.popFirst() else { return nil }
      if half != nil, kind != UInt8(ascii: "u") { return nil }
      switch Unicode.Scalar(kind) {
      case "\"", "\\", "/": result.append(kind)
      case "n": result.append(0x0A)
      case "r": result.append(0x0D)
      case "t": result.append(0x09)
      case "b": result.append(0x08)
      case "f": result.append(0x0C)
      case "u":
        let digits = String(decoding: rest.prefix(4), as: UTF8.self)
        guard digits.utf8.count == 4, digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }),
          let unit = UInt16(digits, radix: 16)
        else { return nil }
        rest = rest.dropFirst(4)
        if let first = half {
          guard UTF16.isTrailSurrogate(unit) else { return nil }
          result += String(decoding: [first, unit], as: UTF16.self).utf8
          half = nil
        } else if UTF16.isLeadSurrogate(unit) {
          half = unit
        } else if let scalar = Unicode.Scalar(unit) {
          result += String(Character(scalar)).utf8
        } else {
          return nil
        }
      default: return nil
      }
    }
    return half == nil ? String(decoding: result, as: UTF8.self) : nil
  }
}
