internal import HeadwayText

/// A JSON object under construction: fields in the order in which they are written, and no spaces.
package struct JSONLine: FieldSink {
  /// Writing cannot fail.
  package typealias Problem = Never

  /// The text so far, after what was in the array before.
  package var bytes: [UInt8] = []
  /// The names of the tasks by index, for identifiers without a name.
  private let names: [String]

  /// Creates an empty text.
  ///
  /// - Parameter names: The names of the tasks, by index.
  package init(names: [String]) { self.names = names }

  /// Begins an object.
  package mutating func begin() { bytes.append(UInt8(ascii: "{")) }

  /// Ends an object.
  package mutating func end() { bytes.append(UInt8(ascii: "}")) }

  /// Writes a number.
  package mutating func add(_ key: EventKey, number: Int) {
    addKey(key)
    bytes.appendDigits(of: number)
  }

  /// Writes a floating point number; NaN and infinity, which JSON does not have, are written as 0.
  package mutating func add(_ key: EventKey, part: Double) {
    addKey(key)
    bytes.append(contentsOf: (part.isFinite ? part : 0).description.utf8)
  }

  /// Writes a Boolean.
  package mutating func add(_ key: EventKey, flag: Bool) {
    addKey(key)
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  /// Writes a duration as seconds with three to nine decimals.
  package mutating func add(_ key: EventKey, seconds: Duration) {
    addKey(key)
    JSONSeconds(seconds).append(to: &bytes)
  }

  /// Writes text, escaped.
  package mutating func add(_ key: EventKey, text: String) {
    addKey(key)
    quote(text)
  }

  /// Writes that there is no value any more.
  package mutating func addNull(_ key: EventKey) {
    addKey(key)
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes a list of numbers.
  package mutating func add(_ key: EventKey, numbers: [Int]) {
    addKey(key)
    list(numbers)
  }

  /// Writes a list of numbers without a key.
  private mutating func list(_ numbers: [Int]) {
    bytes.append(UInt8(ascii: "["))
    for (index, number) in numbers.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.appendDigits(of: number)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes text under a name that no event has.
  package mutating func add(named name: String, text: String) {
    addKey(name)
    quote(text)
  }

  /// Writes a number under a name that no event has.
  package mutating func add(named name: String, number: Int) {
    addKey(name)
    bytes.appendDigits(of: number)
  }

  /// Writes a list of numbers under a name that no event has.
  package mutating func add(named name: String, numbers: [Int]) {
    addKey(name)
    list(numbers)
  }

  /// Writes a duration under a name that no event has.
  package mutating func add(named name: String, seconds: Duration) {
    addKey(name)
    JSONSeconds(seconds).append(to: &bytes)
  }

  /// Begins a list of objects under a name that no event has; each object begins with ``beginElement()``.
  package mutating func beginList(named name: String) {
    addKey(name)
    bytes.append(UInt8(ascii: "["))
  }

  /// Begins the next object of a list.
  package mutating func beginElement() {
    if bytes.last != UInt8(ascii: "[") { bytes.append(UInt8(ascii: ",")) }
    begin()
  }

  /// Ends a list of objects.
  package mutating func endList() { bytes.append(UInt8(ascii: "]")) }

  /// Writes a Boolean under a name that no event has.
  package mutating func add(named name: String, flag: Bool) {
    addKey(name)
    bytes += (flag ? "true" : "false").utf8
  }

  /// Writes a list of texts.
  package mutating func add(_ key: EventKey, texts: [String]) {
    add(named: key.rawValue, texts: texts)
  }

  /// Writes a list of texts under a name that no event has.
  package mutating func add(named name: String, texts: [String]) {
    addKey(name)
    bytes.append(UInt8(ascii: "["))
    for (index, text) in texts.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      quote(text)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes an object.
  package mutating func add(_ key: EventKey, object: some EventRecord) {
    addKey(key)
    add(object)
  }

  /// Writes a list of objects.
  package mutating func add(_ key: EventKey, objects: [some EventRecord]) {
    addKey(key)
    bytes.append(UInt8(ascii: "["))
    for (index, object) in objects.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      add(object)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// The name in the identifier of a task, or that in the graph.
  package func name(of task: TaskID) -> String {
    task.name.isEmpty && names.indices.contains(task.index) ? names[task.index] : task.name
  }

  /// Writes an object without a key.
  private mutating func add(_ object: some EventRecord) {
    begin()
    object.write(to: &self)
    end()
  }

  /// Writes a key and the separators around it.
  private mutating func addKey(_ key: EventKey) { addKey(key.rawValue) }

  /// Writes a key and the separators around it.
  private mutating func addKey(_ name: String) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    // No name has anything to escape.
    let isAppended: Void? = unsafe name.utf8.withContiguousStorageIfAvailable {
      unsafe bytes.append(contentsOf: $0)
    }
    if isAppended == nil { bytes.append(contentsOf: name.utf8) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes text in quotes, escaped as JSON requires; also escapes what must not reach a terminal.
  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    if appendPlain(text) {
      // Nearly all texts.
    } else if text.hasUnsafeCharacters {
      for scalar in text.unicodeScalars {
        if scalar.isUnsafeInText && scalar.value >= 0x80 {
          for unit in scalar.utf16 { appendCode(of: unit) }
        } else {
          for byte in scalar.utf8 { appendEscaping(byte) }
        }
      }
    } else {
      for byte in text.utf8 { appendEscaping(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a text of ASCII without anything to escape; of another text nothing.
  ///
  /// - Returns: Whether it was written.
  private mutating func appendPlain(_ text: String) -> Bool {
    let isPlain: Bool? = unsafe text.utf8.withContiguousStorageIfAvailable { text in
      // All bytes are looked at, so that the processor can look at many at once.
      let isPlain = unsafe text.reduce(true) { isPlain, byte in
        let isSpecial = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        return isPlain && (0x20...0x7E).contains(byte) && !isSpecial
      }
      if isPlain { unsafe bytes.append(contentsOf: text) }
      return isPlain
    }
    return isPlain ?? false
  }

  /// Writes a byte of a text, escaped if JSON requires it.
  private mutating func appendEscaping(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
    case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
    case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
    case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
    case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
    case 0x00..<0x20, 0x7F: appendCode(of: UInt16(byte))
    default: bytes.append(byte)
    }
  }

  /// Writes a code unit of UTF-16 as `\u` and four hexadecimal digits.
  private mutating func appendCode(of unit: UInt16) {
    let digits = String(unit, radix: 16)
    bytes.append(contentsOf: #"\u"#.utf8)
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
    bytes.append(contentsOf: digits.utf8)
  }
}

extension JSONLine {
  /// The longest form of a byte of a text: a control character, such as `\u001b`.
  private static let longestEscape = 6

  /// The beginning of a text that takes at most a number of bytes in a line, without its quotes.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The maximum number of bytes, escapes included.
  /// - Returns: The text, or as many of its first scalars as fit.
  /// - Complexity: O(length), O(1) for a text that is short.
  package static func prefix(of text: String, bytes limit: Int) -> String {
    if text.utf8.count <= limit / longestEscape { return text }
    var count = 0
    for index in text.unicodeScalars.indices {
      count += writtenBytes(of: text.unicodeScalars[index])
      if count > limit { return String(text[..<index]) }
    }
    return text
  }

  /// How many bytes a scalar takes in a line; what `quote` does.
  private static func writtenBytes(of scalar: Unicode.Scalar) -> Int {
    switch scalar {
    case "\"", "\\", "\n", "\r", "\t": 2
    case _ where scalar.isUnsafeInText: longestEscape * scalar.utf16.count
    default: scalar.utf8.count
    }
  }
}
