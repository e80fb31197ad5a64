internal import HeadwayPlan

/// The manual pages, made from the same descriptions of the commands as `--help`, in the `man` macros of roff.
///
/// That of plans is made from the keys of the JSON Schema.
enum ManualPage {
  /// The date of the texts.
  private static let date = "2026-11-24"
  /// The name of the page of the tool itself.
  private static let overviewName = "headway.1"
  /// The name of the page of plan files.
  private static let planName = "headway-plan.5"

  /// The names of all pages.
  static var names: [String] { [overviewName, planName] + Command.all.map { fileName($0.name) } }

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
    } else if name == planName {
      try printOutput(plan)
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
    let related = ["headway"] + command.related.map { "headway-\($0)" }
    return page + seeAlso(related, isAboutPlans: command.group == .plans)
  }

  /// The page of the tool.
  static var overview: String {
    var page = heading("headway", "run plans of tasks in parallel")
    page += ".SH SYNOPSIS\n" + synopsis(["headway COMMAND [ARGUMENT…]"])
    page += ".SH DESCRIPTION\n" + paragraphs(Help.introduction)
    page += ".PP\n" + paragraphs(Help.plans) + ".SH COMMANDS\n"
    page += Command.all.map { term(reference("headway-\($0.name)"), $0.summary) }.joined()
    return page + seeAlso(Command.all.map { "headway-\($0.name)" }, isAboutPlans: true)
  }

  /// The page of plan files.
  static var plan: String {
    var page = heading("headway-plan", "plan files of headway", section: 5)
    page += ".SH SYNOPSIS\n" + synopsis(["headway.yaml", "headway.yml"])
    page +=
      ".SH DESCRIPTION\n"
      + paragraphs(
        """
        A plan file is a YAML file that lists what to run, in what order and with what limits:

          workers: 4
          vars: { MODE: { default: debug, values: [debug, release] } }
          tasks:
            build: { run: [make, "MODE={MODE}"], inputs: "src/**" }
            test: { run: make test, after: build, timeout: 10m }

        `headway run test MODE=release` runs it. `headway check` lists its errors with their lines, and
        `headway schema` prints its JSON Schema, with which editors complete and check plans.

        A duration is a number with a unit: 250ms, 90s, 5m, 1h30m, 2d. Braces as in {MODE} stand for
        the value of a variable or of a key of the matrix, but in a text for the shell "$MODE" does;
        {{ is a brace. Keys that begin with x- are ignored.
        """)
    for (title, keys) in PlanSchema.reference {
      page += ".SH \(escaped(title.uppercased()))\n"
      page += keys.map { key in
        term("\\fB\(escaped(key.name))\\fR (\(escaped(key.value)))", key.description)
      }.joined()
    }
    let commands = Command.all.filter { $0.group == .plans } + [.schema]
    return page + seeAlso(["headway"] + commands.map { "headway-\($0.name)" })
  }

  private static func heading(_ name: String, _ summary: String, section: Int = 1) -> String {
    """
    .TH \(escaped(name.uppercased())) \(section) \(date) "Headway \(Tool.version)"
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

  private static func reference(_ name: String, section: Int = 1) -> String {
    "\\fB\(escaped(name))\\fR(\(section))"
  }

  private static func seeAlso(_ names: [String], isAboutPlans: Bool = false) -> String {
    var references = names.map { reference($0) }
    if isAboutPlans { references.append(reference("headway-plan", section: 5)) }
    return ".SH SEE ALSO\n" + references.joined(separator: ",\n") + "\n"
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
