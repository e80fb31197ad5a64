/// An object of JSON under construction, written by hand: fields in the order in which they come, and no spaces.
package struct JSONLine: FieldSink {
  /// Nothing can go wrong.
  package typealias Problem = Never

  /// The text so far, and what was there before it.
  package var bytes: [UInt8] = []
  /// The names of the tasks, by place, for those that come without.
  private let names: [String]

  /// Creates a text without anything in it.
  ///
  /// - Parameter names: The names of the tasks, by place.
  package init(names: [String]) { self.names = names }

  /// Begins an object.
  package mutating func begin() { bytes.append(UInt8(ascii: "{")) }

  /// Ends an object.
  package mutating func end() { bytes.append(UInt8(ascii: "}")) }

  /// Writes a number.
  package mutating func add(_ key: EventKey, number: Int) {
    addKey(key)
    bytes.append(contentsOf: "\(number)".utf8)
  }

  /// Writes a number that need not be whole; one that JSON has no words for counts as 0.
  package mutating func add(_ key: EventKey, part: Double) {
    addKey(key)
    bytes.append(contentsOf: (part.isFinite ? part : 0).description.utf8)
  }

  /// Writes what is true or false.
  package mutating func add(_ key: EventKey, flag: Bool) {
    addKey(key)
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
  }

  /// Writes a duration as seconds with three to nine digits.
  package mutating func add(_ key: EventKey, seconds: Duration) {
    addKey(key)
    EventSeconds(seconds).append(to: &bytes)
  }

  /// Writes a text, escaped.
  package mutating func add(_ key: EventKey, text: String) {
    addKey(key)
    quote(text)
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
    for (place, object) in objects.enumerated() {
      if place > 0 { bytes.append(UInt8(ascii: ",")) }
      add(object)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// The name that a task brings with it, or that it has in the graph.
  package func name(of task: TaskID) -> String {
    task.name.isEmpty && names.indices.contains(task.index) ? names[task.index] : task.name
  }

  /// Writes an object without a key.
  private mutating func add(_ object: some EventRecord) {
    begin()
    object.write(to: &self)
    end()
  }

  /// Writes a key and what separates it.
  private mutating func addKey(_ key: EventKey) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    quote(key.rawValue)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Writes a text in quotes, with what JSON does not allow escaped.
  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): bytes.append(contentsOf: #"\""#.utf8)
      case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
      case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
      case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
      case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
      case 0x00..<0x20, 0x7F:
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: #"\u00"#.utf8)
        bytes.append(contentsOf: (digits.utf8.count < 2 ? "0" + digits : digits).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
