internal import HeadwayRun
internal import HeadwayText

/// What to write in place of values in a text, which belongs to the shell.
///
/// This is for messages only: which texts are errors does not depend on it. So it follows quotes only as far as that is simple, and
/// otherwise names the words to write.
struct ShellTextAdvice {
  /// A value in braces.
  struct Value {
    /// The name in braces.
    let name: String
    /// The name of the environment variable to use.
    let variable: String
    /// The range of the braces in the bytes of the text.
    let range: Range<Int>

    /// Whether it stands for the arguments of the command line.
    var isArguments: Bool { name == Template.arguments }
    /// The value as a word of its own.
    var word: String { isArguments ? "\"$@\"" : "\"$\(variable)\"" }

    /// Returns the value where double quotes are open before it, given the byte after it.
    func part(before next: UInt8?) -> String {
      if isArguments { return "$*" }
      // What follows must be no part of the name, and no subscript or modifier.
      return switch next.map({ Unicode.Scalar($0) }) {
      case nil, "\"", " ", "\t", "\n", "/", ".", ",": "$\(variable)"
      default: "${\(variable)}"
      }
    }
  }

  /// The quotes around a place.
  private enum Quotes { case none, single, double, unknown }

  /// The key of the text in the plan.
  let key: String
  private let shell: [String]?
  private let bytes: [UInt8]
  private let values: [Value]
  private let quotes: [Quotes]
  /// Whether the text is not a script.
  private let isOneLine: Bool

  /// Creates the advice for a text.
  ///
  /// - Parameters:
  ///   - key: The key of the text in the plan, such as `run`.
  ///   - text: The text.
  ///   - values: The values in it, by place.
  ///   - shell: The shell that reads it with the words before the text, nil for `sh`.
  /// - Complexity: O(length).
  init(key: String, text: String, values: [Value], shell: [String]?) {
    (self.key, self.values, self.shell) = (key, values, shell)
    bytes = Array(text.utf8)
    quotes = Self.quotes(around: values, in: bytes)
    isOneLine = !bytes.dropLast().contains(UInt8(ascii: "\n"))
  }

  /// Returns what is wrong with some values, all on one line, and what to write.
  func message(for line: Range<Int>) -> String {
    let first = values[line.lowerBound]
    let end = "or {{\(first.name)} for the text itself"
    guard PlainCommand.isShell(shell) else {
      let program = PlainCommand.lastComponent(shell?.first ?? "")
      let setup = setup(line)
      let advice =
        first.isArguments
        ? "use its arguments in it"
        : "\(setup.isEmpty ? "" : "write ")\(setup)read the variable \(first.variable) of its environment in it"
      return "a text is for \(program), which does not know {\(first.name)}; \(advice), \(end)"
    }
    return "a text is the shell's, which does not know {\(first.name)}\(advice(for: line)), \(end)"
  }

  /// What to write for a shell, as the part of the message after the name of the first value.
  private func advice(for line: Range<Int>) -> String {
    let first = values[line.lowerBound]
    if line.contains(where: { quotes[$0] == .single }) {
      let example = "\(key): [echo, \"{\(first.name)}\"]"
      let advice =
        list().map { "\(key): \($0)" }
        ?? "\(setup(line))\(first.word) outside of them, or a list, as in \(example)"
      return " and expands nothing in single quotes; write \(advice)"
    }
    guard line.allSatisfy({ quotes[$0] != .unknown }), let corrected = corrected(line) else {
      let part = first.part(before: nil)
      return "; write \(setup(line))\(first.word) in its place, or \(part) where quotes are open"
    }
    return "; write \(setup(line))\(corrected)"
  }

  /// The variables that `env` has to set for a line, in front of what else to write; empty if there are none.
  private func setup(_ line: Range<Int>) -> String {
    var entries: [String] = []
    for value in values[line] where !value.isArguments && value.variable != value.name {
      let entry = "\(value.variable): \"{\(value.name)}\""
      if !entries.contains(entry) { entries.append(entry) }
    }
    return entries.isEmpty ? "" : "env: { \(entries.joined(separator: ", ")) } and "
  }

  /// The line with variables in place of the values, nil if it is too long for a message.
  private func corrected(_ line: Range<Int>) -> String? {
    let range = lineRange(around: values[line.lowerBound].range.lowerBound)
    guard range.count <= RunLimits.quotedCharacters else { return nil }
    var (result, place): ([UInt8], Int) = ([], range.lowerBound)
    for index in line {
      var (value, end) = (values[index].range, values[index].range.upperBound)
      let next = end < bytes.count ? bytes[end] : nil
      var word = values[index].word
      if quotes[index] == .double {
        word = values[index].part(before: next)
        // "$@" are the arguments, each as one, and not one text.
        if values[index].isArguments, value.lowerBound > place, next == UInt8(ascii: "\""),
          bytes[value.lowerBound - 1] == UInt8(ascii: "\"")
        {
          value = value.lowerBound - 1..<value.upperBound
          end += 1
          word = values[index].word
        }
      }
      result += bytes[place..<value.lowerBound]
      result += word.utf8
      place = end
    }
    result += bytes[place..<range.upperBound]
    let text = String(decoding: result, as: UTF8.self)
    return isOneLine
      ? "\(key): \(plainOrQuoted(text))"
      : "this line as \(String(text.drop { $0 == " " || $0 == "\t" }))"
  }

  /// The bytes of the line that holds a byte.
  private func lineRange(around place: Int) -> Range<Int> {
    let newline = UInt8(ascii: "\n")
    let start = bytes[..<place].lastIndex(of: newline).map { $0 + 1 } ?? 0
    return start..<(bytes[place...].firstIndex(of: newline) ?? bytes.count)
  }

  /// The text as a list of YAML, nil if it has more than words and quotes.
  private func list() -> String? {
    guard bytes.count <= RunLimits.quotedCharacters else { return nil }
    var words: [[UInt8]] = []
    var word: [UInt8]?
    var (index, quote): (Int, Unicode.Scalar?) = (0, nil)
    var rest = values[...]
    while index < bytes.count {
      if let value = rest.first, value.range.lowerBound == index {
        // Several arguments are an entry of their own.
        if value.isArguments { return nil }
        word = (word ?? []) + bytes[value.range]
        index = value.range.upperBound
        rest.removeFirst()
        continue
      }
      let byte = bytes[index]
      index += 1
      switch (quote, Unicode.Scalar(byte)) {
      case ("'", "'"), ("\"", "\""): quote = nil
      case ("\"", "$"), ("\"", "`"), ("\"", "\\"): return nil
      case ("'", _), ("\"", _): word?.append(byte)
      case (_, "'"), (_, "\""): (quote, word) = (Unicode.Scalar(byte), word ?? [])
      case (_, " "), (_, "\t"): if let end = word.take() { words.append(end) }
      default:
        guard PlainCommand.isPlain(byte) else { return nil }
        word = (word ?? []) + [byte]
      }
    }
    if let word { words.append(word) }
    let texts = words.map { String(decoding: $0, as: UTF8.self) }
    guard quote == nil, let program = texts.first, PlainCommand.isProgram(program),
      !texts.contains(where: { $0.contains("\n") })
    else { return nil }
    return "[\(texts.map(entry).joined(separator: ", "))]"
  }

  /// A text as an entry of a list.
  private func entry(_ text: String) -> String {
    PlainCommand.isPlainWord(text) && text.utf8.first.map(Self.isLetter) ?? false
      && !text.contains(":")
      ? text : quotedForYAML(text)
  }

  /// A text as a value of YAML, also between braces.
  private func plainOrQuoted(_ text: String) -> String {
    let isPlain =
      text.utf8.first.map(Self.isLetter) ?? false && !text.contains(": ") && !text.contains(" #")
      && !text.contains { "[]{},\n".contains($0) } && !text.hasSuffix(":") && !text.hasSuffix(" ")
    return isPlain ? text : "'\(text.map { $0 == "'" ? "''" : String($0) }.joined())'"
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// The quotes around each value.
  private static func quotes(around values: [Value], in bytes: [UInt8]) -> [Quotes] {
    var found: [Quotes] = []
    var (current, index) = (Quotes.none, 0)
    func at(_ place: Int) -> Unicode.Scalar? {
      bytes.indices.contains(place) ? Unicode.Scalar(bytes[place]) : nil
    }
    while index < bytes.count, found.count < values.count {
      guard index < values[found.count].range.lowerBound else {
        found.append(current)
        index = max(index, values[found.count - 1].range.upperBound)
        continue
      }
      switch (current, at(index), at(index + 1)) {
      case (.none, "'", _): current = .single
      case (.none, "\"", _): current = .double
      case (.single, "'", _), (.double, "\"", _): current = .none
      case (.none, "\\", "{"), (.double, "\\", "{"): current = .unknown
      case (.none, "\\", _), (.double, "\\", _): index += 1
      case (.none, "(", "("), (.none, "<", "<"), (.double, "$", "("), (.double, "`", _):
        current = .unknown
      case (.none, "#", _) where isBlank(at(index - 1)):
        // A quote in a comment opens nothing.
        index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        while found.count < values.count, values[found.count].range.lowerBound < index {
          found.append(.none)
        }
      default: break
      }
      index += 1
    }
    return found
  }

  /// Whether a comment can begin after a character.
  private static func isBlank(_ character: Unicode.Scalar?) -> Bool {
    switch character {
    case nil, " ", "\t", "\n", ";": true
    default: false
    }
  }
}
