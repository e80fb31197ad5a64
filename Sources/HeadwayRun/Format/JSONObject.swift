internal import HeadwayText

/// A JSON object whose fields are read by their names: the counterpart of ``JSONLine``.
///
/// The one reader of JSON, for journals and headers, for the lines of other processes, and for those of workers. A text is checked as a
/// whole, and the fields of the object are found in it; nothing is built but the values that are asked for. A field that has another type
/// is an error, which names it.
///
/// It accepts RFC 8259 in UTF-8, nested at most 2,048 levels deep, and refuses an object that is read and in which a field appears twice.
package struct JSONObject {
  /// Where a field is.
  private struct Field {
    /// The bytes of the name, without its quotes.
    let name: Range<Int>
    /// Whether the name has escapes.
    let hasEscapes: Bool
    /// The bytes of the value; of a text with its quotes.
    let value: Range<Int>
  }

  /// The text, from index 0; a slice, because the span of an array needs macOS 26.
  private let bytes: ArraySlice<UInt8>
  /// Where the text begins of which the object is all or a part.
  private let start: Int
  /// The number of objects and lists that the object is in.
  private let depth: Int
  private let fields: [Field]
  /// The values by the names of the fields, if these are many or have escapes.
  private let table: [ArraySlice<UInt8>: Range<Int>]?

  /// The number of fields up to which comparing all of them is faster than a table.
  private static let fewFields = 16

  /// Reads an object from a text, such as a line without its end.
  ///
  /// - Parameter text: The whole text.
  /// - Throws: `DecodingError` that says what is wrong.
  /// - Complexity: O(bytes).
  package init(_ text: ArraySlice<UInt8>) throws(DecodingError) {
    let text = text.startIndex == 0 ? text : ArraySlice(Array(text))
    try self.init(text, in: 0..<text.count, ofTextAt: 0, depth: 0)
  }

  /// Reads an object from a part of a text.
  ///
  /// - Parameters:
  ///   - bytes: A text.
  ///   - range: The bytes of the object.
  /// - Throws: `DecodingError` that says what is wrong.
  /// - Complexity: O(bytes of the object).
  package init(_ bytes: [UInt8], in range: Range<Int>) throws(DecodingError) {
    try self.init(bytes[...], in: range, ofTextAt: range.lowerBound, depth: 0)
  }

  /// Reads an object from a part of a slice that begins with index 0.
  private init(
    _ bytes: ArraySlice<UInt8>, in range: Range<Int>, ofTextAt start: Int, depth: Int
  ) throws(DecodingError) {
    let found: [Field]?
    do throws(JSONProblem) {
      found = try Self.fields(bytes.span, in: range, depth: depth)
    } catch {
      throw Self.notJSON("\(error.words), at byte \(error.index - start)")
    }
    guard let found else {
      throw .typeMismatch(
        JSONObject.self,
        DecodingError.Context(codingPath: [], debugDescription: "must be an object"))
    }
    try self.init(found, in: bytes, ofTextAt: start, depth: depth)
  }

  /// Creates an object of the fields that were found.
  private init(
    _ fields: [Field], in bytes: ArraySlice<UInt8>, ofTextAt start: Int, depth: Int
  ) throws(DecodingError) {
    self.bytes = bytes
    self.start = start
    self.depth = depth
    self.fields = fields
    if fields.count <= Self.fewFields, !fields.contains(where: \.hasEscapes) {
      table = nil
      if let field = Self.repeated(in: fields, of: bytes.span) {
        throw Self.isRepeated(field, inTextAt: start)
      }
      return
    }
    var table: [ArraySlice<UInt8>: Range<Int>] = [:]
    for field in fields {
      let written = bytes[field.name]
      let name = field.hasEscapes ? Self.unescaped(written)[...] : written
      if table.updateValue(field.value, forKey: name) != nil {
        throw Self.isRepeated(field, inTextAt: start)
      }
    }
    self.table = table
  }

  /// The error for a field whose name another one has.
  private static func isRepeated(_ field: Field, inTextAt start: Int) -> DecodingError {
    notJSON("a field appears twice, at byte \(field.name.lowerBound - 1 - start)")
  }

  private static func notJSON(_ problem: String) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(codingPath: [], debugDescription: "not JSON: \(problem)"))
  }

  // MARK: Finding

  /// Finds the fields of the object that a text is; nil if it is another value.
  private static func fields(
    _ text: Span<UInt8>, in range: Range<Int>, depth: Int
  ) throws(JSONProblem) -> [Field]? {
    let end = range.upperBound
    var index = range.lowerBound
    var fields: [Field]?
    JSONGrammar.skipBlanks(text, &index, before: end)
    if index < end, text[index] == UInt8(ascii: "{") {
      fields = try Self.fields(text, &index, before: end, depth: depth)
    } else {
      try JSONGrammar.skipValue(text, &index, before: end, depth: depth)
    }
    JSONGrammar.skipBlanks(text, &index, before: end)
    if index < end { throw JSONGrammar.unexpected(text, index) }
    return fields
  }

  /// Finds the fields of an object that begins at an index.
  private static func fields(
    _ text: Span<UInt8>, _ index: inout Int, before end: Int, depth: Int
  ) throws(JSONProblem) -> [Field] {
    var fields: [Field] = []
    index += 1
    JSONGrammar.skipBlanks(text, &index, before: end)
    if index < end, text[index] == UInt8(ascii: "}") {
      index += 1
      return fields
    }
    fields.reserveCapacity(12)
    while true {
      let name = try JSONGrammar.skipName(text, &index, before: end)
      JSONGrammar.skipBlanks(text, &index, before: end)
      let start = index
      try JSONGrammar.skipValue(text, &index, before: end, depth: depth + 1)
      fields.append(Field(name: name.bytes, hasEscapes: name.hasEscapes, value: start..<index))
      JSONGrammar.skipBlanks(text, &index, before: end)
      guard index < end else { throw JSONGrammar.ended(end) }
      switch text[index] {
      case UInt8(ascii: ","): index += 1
      case UInt8(ascii: "}"):
        index += 1
        return fields
      default: throw JSONGrammar.unexpected(text, index)
      }
    }
  }

  /// The first of a few fields whose name an earlier one has, nil if there is none.
  private static func repeated(in fields: [Field], of text: Span<UInt8>) -> Field? {
    // Most names differ in their length, or in a byte.
    var known: UInt64 = 0
    for index in fields.indices {
      let name = fields[index].name
      let middle = name.isEmpty ? 0 : Int(text[name.lowerBound &+ name.count / 2])
      let bit = UInt64(1) << UInt64((name.count &* 5 &+ middle) & 63)
      defer { known |= bit }
      guard known & bit != 0 else { continue }
      for other in fields[..<index] where other.name.count == name.count {
        var offset = 0
        while offset < name.count,
          text[other.name.lowerBound &+ offset] == text[name.lowerBound &+ offset]
        { offset &+= 1 }
        if offset == name.count { return fields[index] }
      }
    }
    return nil
  }

  /// The bytes of a value.
  ///
  /// - Throws: `DecodingError` if there is no field of that name.
  private func value(_ name: String) throws(DecodingError) -> Range<Int> {
    guard let range = find(name) else {
      throw .keyNotFound(
        FieldName(name),
        DecodingError.Context(codingPath: [], debugDescription: "'\(name)' is missing"))
    }
    return range
  }

  private func find(_ name: String) -> Range<Int>? {
    if let table { return table[ArraySlice(Array(name.utf8))] }
    // Not the span of the name, which needs macOS 26.
    let found = unsafe name.utf8.withContiguousStorageIfAvailable { wanted in
      let text = bytes.span
      for field in fields {
        guard field.name.count == wanted.count else { continue }
        var offset = 0
        while offset < wanted.count,
          unsafe text[field.name.lowerBound &+ offset] == wanted[offset]
        { offset &+= 1 }
        if offset == wanted.count { return Range?.some(field.value) }
      }
      return nil
    }
    if let found { return found }
    // A text of Foundation.
    var native = name
    native.makeContiguousUTF8()
    return find(native)
  }

  /// Calls a function with each value of a list.
  private func eachValue(_ name: String, _ body: (Range<Int>) throws -> Void) throws {
    try eachElement(name) { index, end in
      let start = index
      try JSONGrammar.skipValue(bytes.span, &index, before: end, depth: 0)
      try body(start..<index)
    }
  }

  /// Calls a function at the beginning of each element of a list; it leaves the index after the element.
  private func eachElement(
    _ name: String, _ body: (inout Int, _ end: Int) throws -> Void
  ) throws {
    let list = try value(name)
    let text = bytes.span
    guard text[list.lowerBound] == UInt8(ascii: "[") else { throw damaged(name, "must be a list") }
    // The grammar of the list was checked with that of the object.
    var index = list.lowerBound + 1
    while true {
      JSONGrammar.skipBlanks(text, &index, before: list.upperBound)
      if text[index] == UInt8(ascii: "]") { return }
      try body(&index, list.upperBound)
      JSONGrammar.skipBlanks(text, &index, before: list.upperBound)
      if text[index] == UInt8(ascii: ",") { index += 1 }
    }
  }

  // MARK: Values

  /// Whether there is a field.
  package func contains(_ name: String) -> Bool { find(name) != nil }

  /// Whether a field is null.
  func isNull(_ name: String) throws -> Bool { matches(try value(name), "null") }

  /// Reads a Boolean.
  package func flag(_ name: String) throws -> Bool {
    let value = try value(name)
    if matches(value, "true") { return true }
    guard matches(value, "false") else { throw damaged(name, "must be true or false") }
    return false
  }

  /// Reads a whole number.
  package func number(_ name: String) throws -> Int { try number(value(name), of: name) }

  /// Reads a whole number that another process or a file claims, and with which this one computes.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - range: What the number can be.
  /// - Returns: The number, or the nearest one in the range.
  /// - Throws: `DecodingError` if the field is missing or not a whole number of 64 bits.
  package func number(_ name: String, clampedTo range: ClosedRange<Int>) throws -> Int {
    min(max(try number(name), range.lowerBound), range.upperBound)
  }

  /// Reads a list of whole numbers.
  package func numbers(_ name: String) throws -> [Int] {
    var numbers: [Int] = []
    try eachValue(name) { numbers.append(try number($0, of: name)) }
    return numbers
  }

  /// Reads a number.
  package func fraction(_ name: String) throws -> Double {
    let value = try value(name)
    // Names of numbers, such as `infinity`, are in texts, which begin otherwise.
    guard isNumber(value), let number = Double(String(decoding: bytes[value], as: UTF8.self)),
      number.isFinite
    else { throw damaged(name, "must be a number") }
    return number
  }

  /// Reads text.
  package func text(_ name: String) throws -> String { try text(value(name), of: name) }

  /// Reads a list of texts.
  package func texts(_ name: String) throws -> [String] {
    var texts: [String] = []
    try eachValue(name) { texts.append(try text($0, of: name)) }
    return texts
  }

  /// Reads a list of objects, one after the other.
  package func each(_ name: String, _ body: (JSONObject) throws -> Void) throws {
    try eachElement(name) { index, end in
      guard bytes[index] == UInt8(ascii: "{") else {
        throw damaged(name, "must be a list of objects")
      }
      let fields = try Self.fields(bytes.span, &index, before: end, depth: depth + 2)
      try body(JSONObject(fields, in: bytes, ofTextAt: start, depth: depth + 2))
    }
  }

  /// Reads an object.
  func object(_ name: String) throws -> JSONObject {
    let value = try value(name)
    guard bytes[value.lowerBound] == UInt8(ascii: "{") else {
      throw damaged(name, "must be an object")
    }
    return try JSONObject(bytes, in: value, ofTextAt: start, depth: depth + 1)
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

  /// The error for a field.
  package func damaged(_ name: String, _ problem: String) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: [FieldName(name)], debugDescription: "'\(name)' \(problem)"))
  }

  private func matches(_ value: Range<Int>, _ word: StaticString) -> Bool {
    JSONGrammar.matches(bytes.span, value, word)
  }

  private func isNumber(_ value: Range<Int>) -> Bool {
    let first = bytes[value.lowerBound]
    return first == UInt8(ascii: "-") || Self.digit(first) != nil
  }

  private static func digit(_ byte: UInt8) -> Int? {
    let digit = Int(byte) - Int(UInt8(ascii: "0"))
    return (0...9).contains(digit) ? digit : nil
  }

  private func number(_ value: Range<Int>, of name: String) throws(DecodingError) -> Int {
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
    guard isNumber else { throw damaged(name, "must be a whole number of 64 bits") }
    return number
  }

  private func text(_ value: Range<Int>, of name: String) throws(DecodingError) -> String {
    guard bytes[value.lowerBound] == UInt8(ascii: "\"") else {
      throw damaged(name, "must be a text")
    }
    let inner = bytes[value.lowerBound + 1..<value.upperBound - 1]
    return String(
      decoding: inner.contains(UInt8(ascii: "\\")) ? Self.unescaped(inner)[...] : inner,
      as: UTF8.self)
  }

  /// The bytes of a text whose escapes are valid, without them.
  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    let text = bytes.span
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        result.append(text[index])
        index += 1
        continue
      }
      if let unit = JSONGrammar.codeUnit(text, at: index, before: text.count) {
        index += 6
        var units = [unit]
        if UTF16.isLeadSurrogate(unit),
          let next = JSONGrammar.codeUnit(text, at: index, before: text.count)
        {
          index += 6
          units.append(next)
        }
        result += String(decoding: units, as: UTF16.self).utf8
        continue
      }
      switch text[index + 1] {
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case let byte: result.append(byte)
      }
      index += 2
    }
    return result
  }
}

/// The name of a field as a coding key.
package struct FieldName: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  /// Makes a key of any name.
  package init(_ name: String) { stringValue = name }
  package init(stringValue: String) { self.init(stringValue) }
  package init?(intValue: Int) { nil }
}

extension DecodingError {
  /// What is wrong, in words.
  package var words: String {
    if case .typeMismatch(_, let context) = self { return Self.words(context) }
    if case .valueNotFound(_, let context) = self { return Self.words(context) }
    if case .keyNotFound(_, let context) = self { return context.debugDescription }
    if case .dataCorrupted(let context) = self { return context.debugDescription }
    return "it cannot be read"
  }

  /// The name of the field and what it must be.
  private static func words(_ context: Context) -> String {
    let name = context.codingPath.last { $0.intValue == nil }?.stringValue
    return (name.map { "'\($0)' " } ?? "the line ") + context.debugDescription
  }
}
