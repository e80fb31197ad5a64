/// The texts of `--help`, made from the descriptions of the commands.
enum Help {
  /// The widest line of wrapped text.
  private static let width = 88
  /// The column of the explanations of options.
  private static let optionColumn = 23
  /// The column of the summaries in the overview.
  private static let overviewColumn = 38

  /// What the tool does.
  static let introduction =
    "Headway runs plans of tasks in parallel, with time limits and a live bar."
  /// What the argument PLAN is.
  static let plans = """
    PLAN is a YAML file, by default headway.yaml here or above; -C DIR looks in DIR.
    A word is a plan if it ends in .yaml, .yml or .json or has a slash, else a task.
    """

  /// The overview of all commands, which fits a screen of 24 rows and 80 columns.
  static var overview: String {
    var text = """
      \(introduction)
      To begin, write headway.yaml, then type: headway run

        tasks:
          build: { run: make }
          test:  { run: make test, after: build, timeout: 10m }


      """
    for group in Command.Group.allCases {
      text += group.rawValue + "\n"
      for command in Command.all where command.group == group && command.hasOverviewLine {
        let usage = "  headway \(command.shortUsage ?? command.usage[0])"
        text +=
          padded(usage, to: overviewColumn)
          + (command.shortSummary ?? command.summary) + "\n"
      }
    }
    return text + plans + "\n"
  }

  /// The help of a command.
  static func text(of command: Command) -> String {
    var parts = [
      command.usage.map { "headway \($0)\n" }.joined(), command.about + "\n",
      command.options.filter { !$0.isHidden }.map(line).joined(),
    ]
    if !command.notes.isEmpty { parts.append(command.notes + "\n") }
    if !command.examples.isEmpty { parts.append(examples(of: command)) }
    if !command.exits.isEmpty { parts.append(command.exits + "\n") }
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// The lines of an option.
  private static func line(_ option: Arguments.Option) -> String {
    let names = option.letter.map { "  \($0), " } ?? "      "
    let usage = names + option.name + (option.value.map { " \($0)" } ?? "")
    let lines = wrapped(option.help, columns: width - optionColumn)
    let indent = "\n" + String(repeating: " ", count: optionColumn)
    let first = usage.count + 2 > optionColumn ? usage + indent : padded(usage, to: optionColumn)
    return first + lines.joined(separator: indent) + "\n"
  }

  private static func examples(of command: Command) -> String {
    let column = (command.examples.map(\.line.count).max() ?? 0) + 4
    return "Examples:\n\n"
      + command.examples.map { padded("  \($0.line)", to: column) + "  \($0.effect)\n" }.joined()
  }

  /// A text with spaces up to a column, at least two.
  private static func padded(_ text: String, to column: Int) -> String {
    text + String(repeating: " ", count: max(2, column - text.count))
  }

  /// The lines of a text that is wrapped at spaces.
  private static func wrapped(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= columns {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
