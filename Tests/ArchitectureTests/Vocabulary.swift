/// Checks that each shared notion of the package is declared once: outcomes, the graph, the fold, durations, widths.
///
/// It reads the declarations in the text of the sources, so tests can check it with made-up ones.
enum Vocabulary {
  /// Returns a sentence for each notion that is declared a second time.
  static func violations(of sources: [Architecture.Source]) -> [String] {
    sources.flatMap { source in
      let declarations = Declarations(source.swift)
      return rules.flatMap { rule in
        rule.find(declarations).filter { !rule.allowed.contains("\(source.module).\($0)") }.map {
          "Sources/\(source.module)/\(source.file) declares \($0): \(rule.advice)"
        }
      }
    }
  }

  /// A notion that may be declared only where it belongs.
  private struct Rule: Sendable {
    /// Where it may be declared, as the module and the name of the declaration.
    var allowed: Set<String>
    var advice: String
    /// Finds the names of its declarations in a source.
    var find: @Sendable (Declarations) -> [String]
  }

  private static let rules = [
    Rule(
      // `EventKey` lists the names of the event format.
      allowed: ["HeadwayRun.Outcome", "HeadwayRun.Kind", "HeadwayRun.EventKey"],
      advice: "use Outcome or Outcome.Kind of HeadwayRun."
    ) { declarations in
      declarations.enumerations.filter { $0.cases.intersection(outcomes).count >= 3 }.map(\.name)
    },
    Rule(
      allowed: ["HeadwayRun.Edge", "HeadwayRun.targets", "HeadwayRun.added", "HeadwayRun.edges"],
      advice: "use TaskGraph of HeadwayRun."
    ) { declarations in
      declarations.types.filter(graphTypes.contains)
        + declarations.variables.filter { graphVariables.contains($0.name) && isList($0.type) }
        .map(\.name)
    },
    Rule(
      // `JournalReader` folds what a run has written, which may be over.
      allowed: ["HeadwayRun.apply", "HeadwayLaunch.state", "HeadwayState.state"],
      advice: "RunState is the only fold of events, and RunForecaster applies them: pass its state."
    ) { declarations in
      declarations.functions.filter { function in
        function.name == "apply" && function.signature.contains("RunEvent")
      }.map(\.name)
        + declarations.variables.filter { $0.isStored && $0.type == "RunState" }
        .map(\.name)
    },
    Rule(
      // The requirements of `FieldSink` have no bodies, so each seems to go on up to one that returns a text.
      allowed: ["HeadwayText.DurationText", "HeadwayRun.add"],
      advice: "use DurationText of HeadwayText."
    ) { declarations in
      let formatters = declarations.types.filter {
        ["DurationText", "TimeText", "DurationFormatter", "TimeFormatter"].contains($0)
      }
      // `RemainingText` puts rounded estimates into words.
      let types = Set(declarations.types)
      guard types.isDisjoint(with: ["DurationText", "RemainingText"]) else { return formatters }
      return formatters
        + declarations.functions.filter { function in
          function.signature.contains("Duration") && function.signature.contains("-> String")
        }.map(\.name)
    },
    Rule(
      allowed: ["HeadwayText.TextWidth", "HeadwayText.wideBlocks"],
      advice: "use TextWidth of HeadwayText."
    ) { declarations in
      declarations.types.filter { $0 == "TextWidth" }
        + declarations.variables.filter { variable in
          variable.type.contains("ClosedRange<UInt32>") || variable.name.hasPrefix("wideBlock")
        }.map(\.name)
    },
  ]

  /// The cases that make an enumeration one of outcomes.
  private static let outcomes: Set<String> = [
    "succeeded", "failed", "timedOut", "cancelled", "skipped", "upToDate",
  ]
  private static let graphTypes: Set<String> = [
    "Edge", "Edges", "EdgeList", "EdgeLists", "Adjacency", "AdjacencyList", "Dependents",
    "NeedTable",
    "DependencyGraph",
  ]
  private static let graphVariables: Set<String> = [
    "dependents", "dependencies", "successors", "predecessors", "edges", "needs", "targets",
    "adjacency", "added",
  ]

  /// Whether a type holds edges or lists of indices.
  private static func isList(_ type: String) -> Bool {
    type.contains("[Edge]") || type.contains("[[Int") || type.contains("[Int32]")
      || type.contains("[(")
  }
}

/// The declarations in a Swift source.
struct Declarations {
  struct Enumeration {
    var name: String
    var cases: Set<String>
  }

  struct Variable {
    var name: String
    /// The declared type, empty if it is inferred.
    var type: String
    /// Whether it is a stored variable, not a constant and not computed.
    var isStored: Bool
  }

  struct Function {
    var name: String
    /// The text up to its body.
    var signature: String
  }

  private(set) var types: [String] = []
  private(set) var enumerations: [Enumeration] = []
  private(set) var variables: [Variable] = []
  private(set) var functions: [Function] = []

  /// Reads the declarations of a source.
  init(_ source: SwiftText) {
    let lines = source.withoutComments.split(separator: "\n").map {
      String($0.drop { $0 == " " })
    }
    /// The enumerations whose bodies are open, each with the depth of its body.
    var open: [(enumeration: Int, depth: Int)] = []
    var depth = 0
    for (number, line) in lines.enumerated() {
      let words = Self.words(of: line)
      if let keyword = words.firstIndex(where: Self.typeKeywords.contains),
        keyword + 1 < words.count,
        words[..<keyword].allSatisfy(Self.isModifier)
      {
        types.append(words[keyword + 1])
        if words[keyword] == "enum" {
          enumerations.append(Enumeration(name: words[keyword + 1], cases: []))
          open.append((enumerations.count - 1, depth + 1))
        }
      } else if let keyword = words.firstIndex(of: "func"), keyword + 1 < words.count,
        words[..<keyword].allSatisfy(Self.isModifier)
      {
        // A requirement of a protocol has no body: its signature ends where the next function begins.
        let others = lines[(number + 1)...].prefix(12).prefix { !$0.contains("func ") }
        let rest = ([line] + others).joined(separator: " ")
        functions.append(
          Function(name: words[keyword + 1], signature: String(rest.prefix { $0 != "{" })))
      } else if let keyword = words.firstIndex(where: { $0 == "var" || $0 == "let" }),
        keyword + 1 < words.count, words[..<keyword].allSatisfy(Self.isModifier)
      {
        let after = line.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
        let type = after.prefix { $0 != "=" && $0 != "{" }
        variables.append(
          Variable(
            name: words[keyword + 1], type: String(type).filter { $0 != " " },
            isStored: words[keyword] == "var" && !line.contains("{")))
      } else if words.first == "case" || words.starts(with: ["indirect", "case"]),
        let current = open.last, depth == current.depth
      {
        let list = line.split(separator: " ", maxSplits: 1).last ?? ""
        for part in Self.splitOutsideParentheses(String(list)) {
          if let name = Self.words(of: part).first {
            enumerations[current.enumeration].cases.insert(name)
          }
        }
      }
      depth += line.count { $0 == "{" } - line.count { $0 == "}" }
      while let current = open.last, depth < current.depth { open.removeLast() }
    }
  }

  private static let typeKeywords: Set<String> = ["struct", "class", "enum", "actor", "protocol"]

  /// Whether a word may stand before a declaration.
  private static func isModifier(_ word: String) -> Bool {
    [
      "public", "package", "internal", "fileprivate", "private", "set", "final", "static",
      "mutating",
      "indirect", "unsafe", "usableFromInline", "inlinable", "safe", "nonexhaustive", "frozen",
      "borrowing", "consuming", "nonisolated", "override", "discardableResult", "lazy", "weak",
    ].contains(word)
  }

  /// The identifiers of a line.
  private static func words(of line: String) -> [String] {
    line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
  }

  /// The parts of a list of cases between the commas outside of parentheses.
  private static func splitOutsideParentheses(_ text: String) -> [String] {
    var parts = [""]
    var depth = 0
    for character in text {
      switch character {
      case "(": depth += 1
      case ")": depth -= 1
      case "," where depth == 0: parts.append("")
      default: break
      }
      if character != "," || depth > 0 { parts[parts.count - 1].append(character) }
    }
    return parts
  }
}
