/// The types and functions in a listing of `API/`, and what examples may write instead of their names.
///
/// A pure value, so that the tests can check it with made-up listings.
struct PublicTypes {
  /// A type, or a function outside of types.
  struct Entry: Equatable {
    /// Its name, after those of the types that it is in.
    var name: String
    /// The names of its cases and static members, which an example may write with a dot and without the type.
    var members: Set<String> = []
  }

  private(set) var entries: [Entry] = []

  /// Reads a listing.
  init(_ listing: String) {
    // The names of the open bodies; nil for those of functions and properties.
    var open: [String?] = []
    for line in listing.split(separator: "\n") {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("//") || text.hasPrefix("import ") { continue }
      let words = text.split { !$0.isLetter && !$0.isNumber && !"_.".contains($0) }.map(String.init)
      let path = open.compactMap(\.self)
      var body: String?
      if let keyword = words.firstIndex(where: Self.types.contains), words.contains("public"),
        keyword + 1 < words.count, !words[..<keyword].contains(where: Self.others.contains)
      {
        body = words[keyword + 1]
        entries.append(Entry(name: (path + [words[keyword + 1]]).joined(separator: ".")))
      } else if let keyword = words.firstIndex(of: "extension"), keyword + 1 < words.count {
        body = words[keyword + 1]
      } else if path.isEmpty, let keyword = words.firstIndex(of: "func"), keyword + 1 < words.count
      {
        if !entries.contains(where: { $0.name == words[keyword + 1] }) {
          entries.append(Entry(name: words[keyword + 1]))
        }
      } else if let member = Self.member(words),
        let owner = entries.firstIndex(where: { $0.name == path.joined(separator: ".") })
      {
        entries[owner].members.insert(member)
      }
      let depth = line.count { $0 == "{" } - line.count { $0 == "}" }
      if depth > 0 {
        open += [body] + Array(repeating: nil, count: depth - 1)
      } else {
        open.removeLast(min(-depth, open.count))
      }
    }
  }

  /// The name of a case or a static member that a line declares, nil if it declares none.
  private static func member(_ words: [String]) -> String? {
    if words.first == "case", words.count > 1 { return words[1] }
    guard let keyword = words.firstIndex(of: "static"), keyword + 2 < words.count,
      ["let", "var", "func"].contains(words[keyword + 1])
    else { return nil }
    return words[keyword + 2]
  }

  private static let types: Set<String> = ["struct", "class", "enum", "protocol", "actor"]
  private static let others: Set<String> = ["func", "var", "let", "init", "subscript", "case"]

  /// The names that no example shows.
  ///
  /// - Parameter examples: The examples, line by line.
  /// - Returns: The names. A type is shown by its name, after that of the type that it is in, or by one of its members.
  func notShown(in examples: [[String]]) -> [String] {
    let text = Self.withoutArguments(examples.joined().joined(separator: "\n"))
    // Names, with the dots in them; and members, which begin with one.
    let words = Set(
      text.split { !$0.isLetter && !$0.isNumber && !"_.".contains($0) }.map(String.init))
    var parts: Set<String> = []
    for word in words {
      let names = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      for begin in names.indices {
        for end in begin..<names.count {
          let name = names[begin...end].joined(separator: ".")
          // A name that stands alone, or begins the word, is no member of another type.
          if begin == 0 || name.first?.isUppercase == true { parts.insert(name) }
        }
        if begin > 0 { parts.insert(".\(names[begin])") }
      }
    }
    return entries.filter { entry in
      !parts.contains(entry.name) && !entry.members.contains { parts.contains(".\($0)") }
    }.map(\.name)
  }

  /// A text without the arguments of generic types.
  private static func withoutArguments(_ text: String) -> String {
    var text = text
    while let range = text.firstRange(of: /<[A-Za-z, ]*>/) { text.removeSubrange(range) }
    return text
  }
}
