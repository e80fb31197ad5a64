internal import HeadwayText

/// An error in the arguments or in a plan.
struct UsageError: Error {
  /// The lines to print before the message.
  var details = ""
  /// One line that says what is wrong and what to do.
  let message: String
}

/// Parses the arguments of a command.
///
/// Options are given as `--name value`, `--name=value`, `-n value` or `-nvalue`; `--` ends them.
struct Arguments {
  /// An option of a command.
  struct Option: Sendable {
    /// What the value of an option is, for completion.
    enum Value: Sendable {
      case text, number, file, folder
      /// A task of the plan.
      case task
      /// One of the given words.
      case words([String])
    }

    /// The name with its dashes.
    let name: String
    /// The short form, such as `-k`.
    var letter: String?
    /// The placeholder of its value in messages, nil for an option without a value.
    var value: String?
    /// What the value is.
    var accepts = Value.text
    /// Whether the value may be empty.
    var mayBeEmpty = false
    /// Whether it may be given several times.
    var isRepeatable = false
    /// Whether it is for the program itself, so that messages do not name it.
    var isHidden = false
    /// What it does, for the help, the manual page and the completion.
    var help = ""

    /// The folder in which a command looks for its plan.
    static let directory = Option(
      name: "--directory", letter: "-C", value: "DIR", accepts: .folder,
      help: "look for the plan in DIR")

    /// What its value is, in the message for a missing one.
    var expected: String {
      if case .words(let words) = accepts { return words.joined(separator: "|") }
      return value ?? ""
    }

    /// Whether an argument is the short form followed by a value, as in `-j8`.
    func takes(joined argument: String) -> Bool {
      guard let letter, value != nil else { return false }
      return argument.hasPrefix(letter) && argument.count > letter.count && !argument.contains("=")
    }
  }

  /// The folder in place of the current one, nil for that.
  var directory: String? { options[Option.directory.name] }

  /// The arguments that are not options, in order.
  private(set) var words: [String] = []
  /// What comes after `--`, for a command that passes it on.
  private(set) var rest: [String] = []
  /// The values of the options that were given, by name; of one that was given several times, the last one.
  private(set) var options: [String: String] = [:]
  /// The values of the options that may be given several times, by name.
  private(set) var lists: [String: [String]] = [:]

  /// The only word.
  ///
  /// - Parameters:
  ///   - advice: What to do instead of giving several, such as `name one run, or none`.
  ///   - count: The number of words at the beginning that do not count.
  /// - Returns: The word, nil if there is none.
  /// - Throws: `UsageError` if there are several.
  func onlyWord(_ advice: String, after count: Int = 0) throws(UsageError) -> String? {
    let words = words.dropFirst(count)
    if let more = words.dropFirst().first {
      throw UsageError(message: "unexpected argument '\(more)'; \(advice)")
    }
    return words.first
  }

  /// The value of an option that takes a whole number, nil if it was not given.
  ///
  /// - Throws: `UsageError` for another value.
  func wholeNumber(_ name: String) throws(UsageError) -> Int? {
    guard let text = options[name] else { return nil }
    guard let number = Int(text), (0...Self.largestNumber).contains(number) else {
      throw UsageError(
        message:
          "\(name) takes a whole number from 0 to \(grouped(Self.largestNumber)), not '\(text)'"
      )
    }
    return number
  }

  /// The largest value of an option that takes a whole number.
  private static let largestNumber = 1_000_000

  /// Parses arguments.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the command.
  ///   - known: The options of the command.
  ///   - takesText: Whether words that begin with one dash, and not with two, are text.
  ///   - passesRest: Whether what comes after `--` is for others, not words.
  /// - Throws: `UsageError` for an option that is unknown, duplicate or without its value.
  init(
    _ arguments: [String], known: [Option], takesText: Bool = false, passesRest: Bool = false
  ) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        if passesRest { self.rest = Array(rest) } else { words += rest }
        return
      }
      let isText = argument == "-" || (takesText && !argument.hasPrefix("--"))
      guard argument.hasPrefix("-"), !isText else {
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
        throw UsageError(message: Self.unknown(name, known))
      }
      try take(option, inline: parts.count > 1 ? String(parts[1]) : nil, rest: &rest)
    }
  }

  /// Adds an option and its value.
  private mutating func take(
    _ option: Option, inline: String?, rest: inout ArraySlice<String>
  ) throws(UsageError) {
    var value = ""
    if option.value != nil {
      guard let given = inline ?? rest.popFirst() else {
        throw UsageError(message: "\(option.name) needs a value: \(option.name) \(option.expected)")
      }
      guard !given.isEmpty || option.mayBeEmpty else {
        throw UsageError(message: "the value of \(option.name) must not be empty")
      }
      value = given
    } else if inline != nil {
      throw UsageError(message: "\(option.name) takes no value")
    }
    if option.isRepeatable { lists[option.name, default: []].append(value) }
    if options.updateValue(value, forKey: option.name) != nil, !option.isRepeatable {
      throw UsageError(message: "\(option.name) is given twice; give it once")
    }
  }

  /// Returns the message for an unknown option.
  private static func unknown(_ name: String, _ known: [Option]) -> String {
    let names = known.filter { !$0.isHidden }.map(\.name)
    var spelling = SpellingSuggestion()
    if let suggestion = spelling.name(for: name, in: names) {
      return "unknown option \(name); did you mean \(suggestion)?"
    }
    return names.isEmpty
      ? "unknown option \(name); this command has no options"
      : "unknown option \(name); valid options: \(names.joined(separator: ", "))"
  }
}
