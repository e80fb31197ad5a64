/// A page read strictly: every element that is opened is closed, attributes are quoted and unique, ids too.
///
/// Not a reader of HTML at large; it accepts what a careful writer writes and refuses the rest.
struct MarkupDocument {
  /// An element.
  struct Element {
    /// Its name.
    var name: String
    /// Its attributes.
    var attributes: [String: String]
    /// The text in it, and in what it holds.
    var text = ""
    /// How many elements it stands in.
    var depth: Int
  }

  /// What is not well formed.
  struct Malformed: Error, CustomStringConvertible {
    /// What it is.
    var description: String
  }

  /// Elements that hold nothing and are not closed.
  private static let void: Set<String> = ["meta", "br", "hr", "link", "img", "input"]
  /// Elements whose content is taken as it is.
  private static let plain: Set<String> = ["script", "style"]

  /// The elements, in the order in which they are opened.
  private(set) var elements: [Element] = []
  /// The ids.
  private(set) var ids: Set<String> = []
  /// The bytes that are read.
  private let bytes: [UInt8]
  /// The place of the next byte.
  private var place = 0
  /// The places of the open elements.
  private var open: [Int] = []

  /// Reads a document.
  ///
  /// - Parameter text: The whole document.
  /// - Throws: `Malformed`.
  init(_ text: String) throws {
    bytes = Array(text.utf8)
    let start = Array("<!DOCTYPE html>".utf8)
    guard bytes.starts(with: start) else { throw Malformed(description: "no doctype") }
    place = start.count
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "<") { try readTag() } else { try readText() }
    }
    guard open.isEmpty else {
      throw Malformed(description: "<\(elements[open[open.count - 1]].name)> is not closed")
    }
  }

  /// The elements of a name.
  func elements(named name: String) -> [Element] { elements.filter { $0.name == name } }

  /// The elements of a class.
  func elements(ofClass name: String) -> [Element] {
    elements.filter { element in
      element.attributes["class"]?.split(separator: " ").contains { $0 == name } ?? false
    }
  }

  /// The first element that stands for a bar of a task.
  func bar(of task: String) -> Element? {
    guard let title = elements.firstIndex(where: { $0.name == "title" && $0.text.hasPrefix(task) })
    else { return nil }
    return elements[(title + 1)...].first { $0.name == "rect" }
  }

  /// Reads a text up to the next tag.
  private mutating func readText() throws {
    let start = place
    while place < bytes.count, bytes[place] != UInt8(ascii: "<") { place += 1 }
    let text = try Self.decoded(bytes[start..<place])
    for element in open { elements[element].text += text }
  }

  /// Reads a tag.
  private mutating func readTag() throws {
    place += 1
    if take("/") {
      let name = readName()
      guard take(">"), let last = open.popLast(), elements[last].name == name else {
        throw Malformed(description: "</\(name)> closes nothing, near byte \(place)")
      }
      return
    }
    let name = readName()
    guard !name.isEmpty else { throw Malformed(description: "a bare < near byte \(place)") }
    let attributes = try readAttributes(of: name)
    elements.append(Element(name: name, attributes: attributes, depth: open.count))
    if let id = attributes["id"], !ids.insert(id).inserted {
      throw Malformed(description: "the id \(id) stands twice")
    }
    if take("/") {
      guard take(">") else { throw Malformed(description: "a bare / in <\(name)>") }
      return
    }
    guard take(">") else { throw Malformed(description: "<\(name)> does not end") }
    if Self.void.contains(name) { return }
    open.append(elements.count - 1)
    if Self.plain.contains(name) { try readPlain(name) }
  }

  /// Reads the attributes of an element.
  private mutating func readAttributes(of name: String) throws -> [String: String] {
    var attributes: [String: String] = [:]
    while place < bytes.count {
      let hadSpace = skipSpace()
      if bytes[place] == UInt8(ascii: ">") || bytes[place] == UInt8(ascii: "/") { break }
      let key = readName()
      guard hadSpace, !key.isEmpty, take("="), take("\"") else {
        throw Malformed(description: "a bad attribute in <\(name)>, near byte \(place)")
      }
      let start = place
      while place < bytes.count, bytes[place] != UInt8(ascii: "\"") { place += 1 }
      let value = try Self.decoded(bytes[start..<place])
      place += 1
      guard attributes.updateValue(value, forKey: key) == nil else {
        throw Malformed(description: "\(key) stands twice in <\(name)>")
      }
    }
    return attributes
  }

  /// Reads content that is taken as it is, up to its end.
  private mutating func readPlain(_ name: String) throws {
    let end = Array("</\(name)".utf8)
    let start = place
    while place < bytes.count, !bytes[place...].starts(with: end) { place += 1 }
    elements[open[open.count - 1]].text = String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// Reads a name.
  private mutating func readName() -> String {
    let start = place
    while place < bytes.count, Self.isName(bytes[place]) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// Whether a byte may stand in a name.
  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  /// Takes a character when it is the next.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  /// Skips space, and tells whether there was any.
  private mutating func skipSpace() -> Bool {
    let start = place
    while place < bytes.count, bytes[place] == 0x20 || bytes[place] == 0x0a { place += 1 }
    return place > start
  }

  /// A text with its references resolved; other control characters than the end of a line are refused.
  private static func decoded(_ bytes: ArraySlice<UInt8>) throws -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Malformed(description: "no UTF-8")
    }
    if let odd = text.unicodeScalars.first(where: { $0.value < 0x20 && $0 != "\n" }) {
      throw Malformed(description: "the control character \(odd.value)")
    }
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      guard let end = rest[start...].firstIndex(of: ";"),
        let character = references[String(rest[rest.index(after: start)..<end])]
      else { throw Malformed(description: "a bare & in \(text.prefix(80))") }
      result.append(character)
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// The references that the page uses.
  private static let references: [String: Character] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'",
  ]
}
