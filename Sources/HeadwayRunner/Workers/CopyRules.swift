internal import HeadwayText

/// Which files below a folder `rsync` copies, as its filter rules: those that patterns of a plan match.
///
/// A pattern also stands for all files below a directory that it matches, and hidden files match only a dot. Of these rules, the
/// first one that matches a path decides:
///
/// ```
///   + what patterns without ** name, with the directories above it
///   - hidden directories where ** stands
///   + what the other patterns name
///   - hidden files below directories that patterns name
///   + all else below directories that patterns name
///   - everything else
/// ```
///
/// `*` of rsync also matches hidden files, so some more may be copied than a pattern matches. A pure value.
struct CopyRules: Hashable {
  /// The options of `rsync`.
  private(set) var options: [String] = []

  /// The most parts `**` of a pattern that match no directory, too.
  private static let mostAnyDepths = 4

  /// Creates rules.
  ///
  /// - Parameter patterns: Patterns of a plan; absolute ones do not count.
  /// - Throws: `CopyRulesError` if one leads out of the folder.
  init(_ patterns: [String]) throws(CopyRulesError) {
    var named: [String] = []
    var hiddenFolders: [String] = []
    var namedAnywhere: [String] = []
    var hidden: [String] = []
    var below: [String] = []
    for pattern in patterns where !pattern.hasPrefix("/") && !pattern.hasPrefix("\\/") {
      for parts in Self.variants(try Self.parts(of: pattern)) {
        var rules = (1..<max(parts.count, 1)).map { Self.path(parts.prefix($0)) + "/" }
        if !parts.isEmpty { rules.append(Self.path(parts[...])) }
        if let depth = parts.firstIndex(of: .anyDepth) {
          namedAnywhere += rules
          let above = depth == 0 ? "" : Self.path(parts[..<depth], isPattern: true)
          if !parts[depth...].contains(where: \.isHidden) {
            hiddenFolders += ["\(above)/.*/", "\(above)/**/.*/"]
          }
        } else {
          named += rules
        }
        let folder = parts.isEmpty ? "" : Self.path(parts[...], isPattern: true)
        hidden += ["\(folder)/.*", "\(folder)/**/.*"]
        below.append(parts.isEmpty ? "/**" : "\(folder)/***")
      }
    }
    var seen: Set<ExactText> = []
    func add(_ rules: [String], _ option: String) {
      for rule in rules where seen.insert(ExactText(option + rule)).inserted {
        options.append(option + rule)
      }
    }
    add(named, "--include=")
    add(hiddenFolders, "--exclude=")
    add(namedAnywhere, "--include=")
    add(hidden, "--exclude=")
    add(below, "--include=")
    options.append("--exclude=*")
  }

  /// A part of a pattern between slashes.
  private enum Part: Hashable {
    /// Any number of directories.
    case anyDepth
    /// A name, with what its characters mean.
    case name([Token])

    /// Whether it matches hidden files only.
    var isHidden: Bool {
      if case .name(let tokens) = self { tokens.first == .literal(".") } else { false }
    }
  }

  private enum Token: Hashable {
    /// A character that means itself; of Unicode's scalars, because an accent after a bracket does not make it another character.
    case literal(Unicode.Scalar)
    /// A character of a pattern, or a set of characters in brackets.
    case special(String)
  }

  private static func parts(of pattern: String) throws(CopyRulesError) -> [Part] {
    var parts: [Part] = []
    for text in pattern.split(separator: "/") where text != "." {
      if text == ".." { throw CopyRulesError(pattern: pattern) }
      if text != "**" {
        parts.append(.name(tokens(of: text)))
      } else if parts.last != .anyDepth {
        parts.append(.anyDepth)
      }
    }
    // What is below a directory belongs to it anyway.
    if parts.last == .anyDepth { parts.removeLast() }
    return parts
  }

  private static func tokens(of text: Substring) -> [Token] {
    var tokens: [Token] = []
    var rest = text.unicodeScalars
    while let character = rest.popFirst() {
      switch character {
      // Before a slash, or at the end, a backslash is left out.
      case "\\": if let escaped = rest.popFirst() { tokens.append(.literal(escaped)) }
      case "*", "?": tokens.append(.special(String(character)))
      case "[":
        // A bracket is closed by the first one after its first character.
        let first = rest.dropFirst(rest.first == "!" || rest.first == "^" ? 1 : 0)
        guard let end = first.dropFirst().firstIndex(of: "]") else {
          tokens.append(.literal(character))
          continue
        }
        tokens.append(.special("[" + String(rest[...end])))
        rest = rest[rest.index(after: end)...]
      default: tokens.append(.literal(character))
      }
    }
    return tokens
  }

  /// The pattern with and without each of its parts `**`, which for rsync matches at least one directory.
  private static func variants(_ parts: [Part]) -> [[Part]] {
    var variants: [[Part]] = [[]]
    var depths = 0
    for part in parts {
      if part == .anyDepth, depths < mostAnyDepths {
        depths += 1
        variants += variants.map { $0 + [part] }
      } else {
        variants = variants.map { $0 + [part] }
      }
    }
    return variants
  }

  /// The characters that make a rule a pattern for rsync, also after a backslash.
  private static let specials: Set<Unicode.Scalar> = ["*", "?", "["]

  /// A rule for a path, from the folder.
  ///
  /// - Parameters:
  ///   - parts: The parts.
  ///   - isPattern: Whether special characters follow; only then, or if it has some, a backslash has a meaning for rsync, also if each of
  ///     them has a backslash before it.
  /// - Returns: The rule, which begins with a slash.
  private static func path(_ parts: ArraySlice<Part>, isPattern: Bool = false) -> String {
    let hasSpecials = parts.contains { part in
      guard case .name(let tokens) = part else { return true }
      return tokens.contains { token in
        switch token {
        case .special: true
        case .literal(let character): Self.specials.contains(character)
        }
      }
    }
    return parts.reduce(into: "") { text, part in
      text += "/"
      guard case .name(let tokens) = part else {
        text += "**"
        return
      }
      for token in tokens {
        switch token {
        case .special(let special): text += special
        case .literal(let character):
          if isPattern || hasSpecials, character == "\\" || Self.specials.contains(character) {
            text += "\\"
          }
          text.unicodeScalars.append(character)
        }
      }
    }
  }
}

/// A pattern leads out of the folder of the plan, so its files cannot be copied.
struct CopyRulesError: Error, Hashable {
  let pattern: String
}
