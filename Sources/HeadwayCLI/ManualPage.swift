/// The manual pages, made from the same descriptions of the commands as `--help`, in the `man` macros of roff.
enum ManualPage {
  /// The date of the texts.
  private static let date = "2026-11-24"
  /// The name of the page of the tool itself.
  private static let overviewName = "headway.1"

  /// The names of all pages.
  static var names: [String] { [overviewName] + Command.all.map { fileName($0.name) } }

  /// Prints a page, or without a name the names of all pages, for `make install`.
  ///
  /// - Throws: `UsageError` if there is no such page.
  static func print(_ arguments: [String]) throws -> ExitCode {
    guard let name = arguments.first else {
      try printOutput(names.joined(separator: "\n"))
      return .success
    }
    if name == overviewName {
      try printOutput(overview)
    } else if let command = Command.all.first(where: { fileName($0.name) == name }) {
      try printOutput(text(of: command))
    } else {
      throw UsageError(message: "there is no manual page '\(name)'")
    }
    return .success
  }

  private static func fileName(_ command: String) -> String { "headway-\(command).1" }

  /// The page of a command.
  static func text(of command: Command) -> String {
    let options = command.options.filter { !$0.isHidden }
    var page = heading("headway-\(command.name)", command.summary)
    page += ".SH SYNOPSIS\n" + synopsis(command.usage.map { "headway \($0)" })
    page +=
      ".SH DESCRIPTION\n" + paragraphs(command.about) + paragraphs(command.notes, first: false)
    if !options.isEmpty { page += ".SH OPTIONS\n" + options.map(entry).joined() }
    if !command.exits.isEmpty { page += ".SH EXIT STATUS\n" + paragraphs(command.exits) }
    if !command.examples.isEmpty {
      page += ".SH EXAMPLES\n"
      page += command.examples.map { term(escaped($0.line), $0.effect) }.joined()
    }
    return page + seeAlso(["headway"] + command.related.map { "headway-\($0)" })
  }

  /// The page of the tool.
  static var overview: String {
    var page = heading("headway", "run plans of tasks in parallel")
    page += ".SH SYNOPSIS\n" + synopsis(["headway COMMAND [ARGUMENT…]"])
    page += ".SH DESCRIPTION\n" + paragraphs(Help.introduction)
    page += ".PP\n" + paragraphs(Help.plans) + ".SH COMMANDS\n"
    page += Command.all.map { term(reference("headway-\($0.name)"), $0.summary) }.joined()
    return page + seeAlso(Command.all.map { "headway-\($0.name)" })
  }

  private static func heading(_ name: String, _ summary: String) -> String {
    """
    .TH \(escaped(name.uppercased())) 1 \(date) "Headway \(Tool.version)"
    .SH NAME
    \(escaped(name)) \\- \(escaped(summary))

    """
  }

  private static func synopsis(_ lines: [String]) -> String {
    lines.map { "\\fB\(escaped($0))\\fR\n" }.joined(separator: ".br\n")
  }

  private static func entry(_ option: Arguments.Option) -> String {
    let names = [option.letter, option.name].compactMap(\.self)
    let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
    return term(names.map { "\\fB\(escaped($0))\\fR" }.joined(separator: ", ") + value, option.help)
  }

  /// An entry of a list: a term that is already in roff, and its explanation.
  private static func term(_ term: String, _ text: String) -> String {
    ".TP\n\(term)\n\(line(text))\n"
  }

  private static func reference(_ name: String) -> String { "\\fB\(escaped(name))\\fR(1)" }

  private static func seeAlso(_ names: [String]) -> String {
    ".SH SEE ALSO\n" + names.map(reference).joined(separator: ",\n") + "\n"
  }

  /// Paragraphs of a text in which an empty line ends one, and indented lines are kept as they are.
  private static func paragraphs(_ text: String, first: Bool = true) -> String {
    guard !text.isEmpty else { return "" }
    var page = first ? "" : ".PP\n"
    var isKept = false
    var isNew = false
    for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if part.isEmpty {
        isNew = true
        continue
      }
      let isIndented = part.hasPrefix("  ")
      if isIndented != isKept { page += isIndented ? ".PP\n.RS 4\n.nf\n" : ".fi\n.RE\n.PP\n" }
      if isNew, isIndented == isKept { page += isKept ? "\n" : ".PP\n" }
      (isKept, isNew) = (isIndented, false)
      page += (isIndented ? line(String(part.dropFirst(2))) : line(String(part))) + "\n"
    }
    return isKept ? page + ".fi\n.RE\n" : page
  }

  /// A line of text, in which words between backticks are bold.
  private static func line(_ text: String) -> String {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    guard parts.count % 2 == 1 else { return escaped(text) }
    var result = ""
    for (index, part) in parts.enumerated() {
      result += index % 2 == 0 ? escaped(part) : "\\fB\(escaped(part))\\fR"
    }
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }

  /// A text without characters that roff would interpret.
  private static func escaped(_ text: some StringProtocol) -> String {
    let result = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "\"": "\\(dq"
      case _ where scalar.value > 126: "\\[u" + hexadecimal(scalar.value) + "]"
      default: String(scalar)
      }
    }.joined()
    return result.hasPrefix(".") ? "\\&" + result : result
  }

  /// Four or more digits, as roff names characters.
  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
