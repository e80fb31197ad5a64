/// Swift source as far as the architecture needs to read it: comments, strings and imports.
struct SwiftText {
  /// The source without comments, with its strings.
  let withoutComments: String
  /// The source without comments and without what its strings say.
  private let bare: String

  /// Reads a source.
  ///
  /// By bytes and not by characters, because all sources of the package are read.
  init(_ text: String) {
    let bytes = Array(text.utf8)
    var code: [UInt8] = []
    var bare: [UInt8] = []
    code.reserveCapacity(bytes.count)
    bare.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "/"), Self.has("//", bytes, at: index) {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
      } else if byte == UInt8(ascii: "/"), Self.has("/*", bytes, at: index) {
        Self.skipComment(bytes, &index)
      } else if let end = Self.endOfString(bytes, at: index) {
        code += bytes[index..<end]
        bare += Array("\"\"".utf8)
        index = end
      } else {
        code.append(byte)
        bare.append(byte)
        index += 1
      }
    }
    withoutComments = String(decoding: code, as: UTF8.self)
    self.bare = String(decoding: bare, as: UTF8.self)
  }

  /// Whether a text stands at an index.
  private static func has(_ text: StaticString, _ bytes: [UInt8], at index: Int) -> Bool {
    guard index + text.utf8CodeUnitCount <= bytes.count else { return false }
    for offset in 0..<text.utf8CodeUnitCount
    where unsafe bytes[index + offset] != text.utf8Start[offset] { return false }
    return true
  }

  /// Moves an index behind a comment in `/* */`, which may hold further ones.
  private static func skipComment(_ bytes: [UInt8], _ index: inout Int) {
    var depth = 0
    repeat {
      if has("/*", bytes, at: index) {
        depth += 1
        index += 2
      } else if has("*/", bytes, at: index) {
        depth -= 1
        index += 2
      } else {
        index += 1
      }
    } while depth > 0 && index < bytes.count
  }

  /// The end of the string that begins at an index, of one or of several lines, raw ones too; nil if none begins there.
  private static func endOfString(_ bytes: [UInt8], at start: Int) -> Int? {
    guard bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "#") else {
      return nil
    }
    var index = start
    while index < bytes.count, bytes[index] == UInt8(ascii: "#") { index += 1 }
    let hashes = index - start
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
    let quotes = has("\"\"\"", bytes, at: index) ? 3 : 1
    index += quotes
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\"), hashes == 0 {
        index += 2
        continue
      }
      let end = index + quotes + hashes
      if bytes[index] == UInt8(ascii: "\""), end <= bytes.count,
        bytes[index..<(index + quotes)].allSatisfy({ $0 == UInt8(ascii: "\"") }),
        bytes[(index + quotes)..<end].allSatisfy({ $0 == UInt8(ascii: "#") })
      {
        return end
      }
      index += 1
    }
    return bytes.count
  }

  /// The modules that the source imports, in order, each as often as it is imported.
  var imports: [String] {
    bare.split(whereSeparator: { $0.isNewline || $0 == ";" }).compactMap(Self.importedModule)
  }

  /// The module that a line imports, nil when the line is no import.
  private static func importedModule(_ line: Substring) -> String? {
    var words = line.split(separator: " ")[...]
    let levels: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
    while let first = words.first, first.hasPrefix("@") || levels.contains(first) {
      words.removeFirst()
    }
    guard words.popFirst() == "import" else { return nil }
    let kinds: Set<Substring> = [
      "struct", "class", "enum", "protocol", "typealias", "func", "let", "var",
    ]
    if let first = words.first, kinds.contains(first) { words.removeFirst() }
    return words.first?.split(separator: ".").first.map(String.init)
  }
}

/// A package manifest as far as the architecture needs to read it: targets and what they depend on.
struct ManifestText {
  /// A target of the manifest.
  struct Target: Equatable {
    /// The name of the target.
    var name: String
    /// The names of the targets that it depends on.
    var dependencies: [String]
    /// Whether it wraps a library of the system.
    var isWrapper: Bool
  }

  /// The targets except those of tests, in order.
  let targets: [Target]

  /// Reads a manifest.
  init(_ text: String) {
    let kinds = [".target(", ".executableTarget(", ".systemLibrary(", ".macro(", ".plugin("]
    var rest = Substring(SwiftText(text).withoutComments)
    var targets: [Target] = []
    while !rest.isEmpty {
      guard let kind = kinds.first(where: { rest.hasPrefix($0) }) else {
        rest.removeFirst()
        continue
      }
      rest.removeFirst(kind.count)
      // The whole call is taken, so that `.target(name:condition:)` among its dependencies is not one more.
      let call = Self.balanced(rest)
      rest = rest[call.endIndex...]
      guard let name = Self.strings(in: Self.argument("name", of: call)).first else { continue }
      let dependencies = Self.elements(of: Self.argument("dependencies", of: call)).compactMap {
        Self.strings(in: $0).first
      }
      targets.append(
        Target(name: name, dependencies: dependencies, isWrapper: kind == ".systemLibrary("))
    }
    self.targets = targets
  }

  /// The text up to the bracket that closes what is open at its start.
  private static func balanced(_ text: Substring) -> Substring {
    var depth = 1
    var isString = false
    for place in text.indices {
      switch text[place] {
      case "\"": isString.toggle()
      case "(", "[": depth += isString ? 0 : 1
      case ")", "]": depth -= isString ? 0 : 1
      default: break
      }
      if depth == 0 { return text[..<place] }
    }
    return text
  }

  /// What follows a label on the outermost level of a call's arguments, empty when there is none.
  private static func argument(_ label: String, of call: Substring) -> Substring {
    elements(of: "[" + call).first { element in
      element.drop { $0.isWhitespace }.hasPrefix("\(label):")
    }.map { $0.drop { $0 != ":" }.dropFirst() } ?? ""
  }

  /// The elements of a list in brackets, split at the commas of its outermost level.
  private static func elements(of list: Substring) -> [Substring] {
    guard let open = list.firstIndex(of: "[") else { return [] }
    let inner = balanced(list[list.index(after: open)...])
    var parts: [Substring] = []
    var start = inner.startIndex
    var depth = 0
    for place in inner.indices {
      switch inner[place] {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "," where depth == 0:
        parts.append(inner[start..<place])
        start = inner.index(after: place)
      default: break
      }
    }
    parts.append(inner[start...])
    return parts
  }

  /// The strings in a text.
  private static func strings(in text: Substring) -> [String] {
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
  }
}
