internal import HeadwayText

/// A mistake in the arguments: one line that says what to do.
struct ArgumentMistake: Error {
  /// What is wrong and what to do.
  let message: String
}

/// Takes the arguments of a command apart.
///
/// Options come as `--name value`, `--name=value`, `-n value` or `-nvalue`; `--` ends them.
struct Arguments {
  /// An option that a command knows.
  struct Option {
    /// The name with its dashes.
    let name: String
    /// A short form, such as `-k`.
    var letter: String?
    /// What stands for its value in a message, nil for an option without one.
    var value: String?

    /// Whether an argument is the letter with a value joined to it, as in `-j8`.
    func takes(joined argument: String) -> Bool {
      guard let letter, value != nil else { return false }
      return argument.hasPrefix(letter) && argument.count > letter.count && !argument.contains("=")
    }
  }

  /// The words that are no options, in order.
  private(set) var words: [String] = []
  /// The options that were given, with their values.
  private(set) var options: [String: String] = [:]

  /// Takes arguments apart.
  ///
  /// - Parameters:
  ///   - arguments: What follows the command.
  ///   - known: The options that the command knows.
  /// - Throws: `ArgumentMistake` for an option that is unknown, twice there or lacks its value.
  init(_ arguments: [String], known: [Option]) throws(ArgumentMistake) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        words.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if let option = known.first(where: { $0.takes(joined: argument) }) {
        try take(option, inline: String(argument.dropFirst(2)), rest: &rest)
        continue
      }
      guard let option = known.first(where: { $0.name == name || $0.letter == name }) else {
        throw ArgumentMistake(message: Self.unknown(name, known))
      }
      try take(option, inline: parts.count > 1 ? String(parts[1]) : nil, rest: &rest)
    }
  }

  /// Takes an option and its value.
  private mutating func take(
    _ option: Option, inline: String?, rest: inout ArraySlice<String>
  ) throws(ArgumentMistake) {
    var value = ""
    if let kind = option.value {
      guard let given = inline ?? rest.popFirst() else {
        throw ArgumentMistake(message: "\(option.name) needs a value: \(option.name) \(kind)")
      }
      guard !given.isEmpty else {
        throw ArgumentMistake(message: "\(option.name) needs a value that is not empty")
      }
      value = given
    } else if inline != nil {
      throw ArgumentMistake(message: "\(option.name) takes no value")
    }
    if options.updateValue(value, forKey: option.name) != nil {
      throw ArgumentMistake(message: "\(option.name) is given twice; give it once")
    }
  }

  /// Returns the message for an unknown option.
  private static func unknown(_ name: String, _ known: [Option]) -> String {
    let names = known.map(\.name)
    var spelling = SpellingSuggestion()
    if let suggestion = spelling.name(for: name, in: names) {
      return "unknown option \(name); did you mean \(suggestion)?"
    }
    return names.isEmpty
      ? "unknown option \(name); this command has no options"
      : "unknown option \(name); valid options: \(names.joined(separator: ", "))"
  }
}
