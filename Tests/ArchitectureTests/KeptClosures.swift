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
  ///
  /// A function keeps a parameter that escapes: one that is marked so, and a function inside of another type, such as an optional or
  /// an array. A variable keeps one if it is stored. Type aliases of functions count, because they hide them. Enumeration
  /// cases, requirements of protocols and members of an extension that is itself `package` or `public` are not looked at.
  static func members(in sources: [Architecture.Source]) -> Set<String> {
    var found: Set<String> = []
    for source in sources where modules.contains(source.module) {
      let text = source.swift.withoutComments
      var rest = text[...]
      while !rest.isEmpty {
        let end = rest.firstIndex(of: "\n") ?? rest.endIndex
        let words = rest[..<end].split(separator: " ").prefix { $0 != "=" && $0 != "{" }
        let modifiers = words.prefix {
          !["func", "var", "let", "typealias"].contains($0) && !$0.hasPrefix("init")
        }
        if modifiers.contains("package") || modifiers.contains("public"),
          keepsClosure(declaration(rest))
        {
          found.insert("\(source.module).\(source.file.prefix { $0.isLetter }).\(name(of: words))")
        }
        rest = rest[(end < rest.endIndex ? rest.index(after: end) : end)...]
      }
    }
    return found
  }

  /// The text of a declaration up to the brace of its body, its value, or the end of its line outside of parentheses.
  private static func declaration(_ text: Substring) -> Substring {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return text[...index]
      case _ where text[index].isNewline && depth == 0: return text[..<index]
      default: break
      }
    }
    return text
  }

  private static func keepsClosure(_ declaration: Substring) -> Bool {
    let head = declaration.prefix { $0 != "(" && $0 != ":" && $0 != "=" }
    if head.contains("typealias ") { return declaration.contains("->") }
    let isFunction =
      head.contains("func ") || head.hasSuffix("init") || head.hasSuffix("init?")
      || head.contains("init<") || head.hasSuffix("subscript")
    guard isFunction else {
      let isVariable = head.contains("var ") || head.contains("let ")
      // A computed one keeps nothing.
      let isStored = declaration.last != "{" || declaration.contains(" = ")
      return isVariable && isStored && type(in: declaration).contains("->")
    }
    return parameters(of: declaration).contains { parameter in
      let type = type(in: parameter)
      return type.contains("@escaping") || type.contains("->") && !isFunctionType(type)
    }
  }

  /// The parameters of a function.
  private static func parameters(of declaration: Substring) -> [Substring] {
    var found: [Substring] = []
    var (depth, start) = (0, declaration.startIndex)
    for index in declaration.indices {
      switch declaration[index] {
      case "(", "[":
        depth += 1
        if depth == 1 { start = declaration.index(after: index) }
      case "," where depth == 1:
        found.append(declaration[start..<index])
        start = declaration.index(after: index)
      case ")", "]":
        depth -= 1
        if depth == 0 {
          found.append(declaration[start..<index])
          return found
        }
      default: break
      }
    }
    return found
  }

  /// The type in a declaration of a variable or parameter, without its value.
  private static func type(in declaration: Substring) -> Substring {
    let type = declaration.drop { $0 != ":" }.dropFirst()
    let value = type.firstRange(of: " = ")?.lowerBound ?? type.endIndex
    return type[..<value]
  }

  /// Whether a type is a function itself, which does not escape, and not one inside of another type.
  private static func isFunctionType(_ type: Substring) -> Bool {
    var rest = type.drop(while: \.isWhitespace)
    while rest.hasPrefix("@") || rest.hasPrefix("sending ") {
      rest = rest.drop { !$0.isWhitespace }.drop(while: \.isWhitespace)
    }
    guard rest.first == "(" else { return false }
    var depth = 0
    for index in rest.indices {
      if rest[index] == "(" { depth += 1 }
      if rest[index] == ")" { depth -= 1 }
      if depth == 0 {
        let after = rest[rest.index(after: index)...].drop(while: \.isWhitespace)
        return ["->", "async", "throws", "rethrows"].contains(where: after.hasPrefix)
      }
    }
    return false
  }

  private static func name(of words: ArraySlice<Substring>) -> Substring {
    let index = words.firstIndex { ["func", "var", "let", "typealias"].contains($0) }
    guard let index, index + 1 < words.endIndex else { return "init" }
    return words[index + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}
