/// Finds what a module offers to others and what keeps a closure of theirs: an arrow that points up, whatever the imports say.
enum KeptClosures {
  /// The modules that views and the runner share, so that what is above them comes to them as a value.
  static let modules: Set<String> = ["HeadwayState", "HeadwayFiles", "HeadwayReport"]

  /// What keeps a closure all the same, each with the reason.
  static let reasons = [
    "HeadwayFiles.Interruption.init":
      "reading goes on while what is urgent is done on the same thread",
    "HeadwayState.PlanLock.onWait":
      "who waits for another run says so before, on the thread that waits",
  ]

  /// Returns what keeps a closure, as the module, the file and the name.
  static func members(in sources: [Architecture.Source]) -> Set<String> {
    var found: Set<String> = []
    for source in sources where modules.contains(source.module) {
      let text = source.swift.withoutComments
      var rest = text[...]
      while let line = rest.firstRange(of: "\n")
        ?? (rest.isEmpty ? nil : rest.endIndex..<rest.endIndex)
      {
        let words = rest[..<line.lowerBound].split(separator: " ", omittingEmptySubsequences: true)
        if let first = words.first, first == "package" || first == "public" {
          let declaration = declaration(rest)
          if keepsClosure(declaration) {
            found.insert(
              "\(source.module).\(source.file.prefix { $0.isLetter }).\(name(of: words))")
          }
        }
        rest = rest[line.upperBound...]
      }
    }
    return found
  }

  /// The text of a declaration up to its body, its value or the end of its line outside of parentheses.
  private static func declaration(_ text: Substring) -> Substring {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0, _ where text[index].isNewline && depth == 0: return text[..<index]
      default: break
      }
    }
    return text
  }

  /// Whether a parameter escapes, or is an optional function, or a variable is a function.
  private static func keepsClosure(_ declaration: Substring) -> Bool {
    if declaration.contains("@escaping") { return true }
    let isFunction = ["func ", "init(", "init?(", "subscript("].contains {
      declaration.contains($0)
    }
    if isFunction { return declaration.contains(/\(@?[^()]*\([^()]*\) -> [^(),]*\)\?/) }
    return (declaration.contains(" var ") || declaration.contains(" let "))
      && declaration.contains("->")
  }

  private static func name(of words: [Substring]) -> Substring {
    let index = words.firstIndex { ["func", "var", "let"].contains($0) }
    guard let index, index + 1 < words.count else { return "init" }
    return words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}
