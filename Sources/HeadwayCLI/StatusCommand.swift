internal import HeadwayLibc
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayView

/// `headway status`: shows a run and its tasks.
struct StatusCommand {
  private let words: [String]
  private let search: RunSearch
  private let isJSON: Bool
  private let listsAll: Bool
  private let output: OutputOptions

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.status.options)
    words = parsed.words
    search = try RunSearch(parsed)
    isJSON = parsed.options["--json"] != nil
    listsAll = parsed.options["--all"] != nil
    var output = OutputOptions()
    output.showsUsage = parsed.options[OutputArguments.usage.name] != nil
    self.output = output
  }

  /// Prints the run.
  ///
  /// - Throws: `UsageError`, `StateError` or `RunnerError`.
  func run() throws -> ExitCode {
    guard let (found, tasks) = try search.findWithTasks(words) else {
      return search.notFound(words.first)
    }
    let listed = try ListedRun(found.folder)
    let chosen = tasks.isEmpty ? nil : try listed.run.header.chosen(tasks)
    for warning in listed.run.warnings { printMessage(warning) }
    let isTerminal = isTerminal(STDOUT_FILENO)
    var style = TerminalStyle(environment: environmentValue)
    style.color = style.color && isTerminal
    let text = StatusText(
      listed: listed,
      description: try listed.description(
        stateFolder: found.stateFolder, output: output, screen: STDOUT_FILENO),
      style: style, chosen: chosen)
    let columns = isTerminal ? TerminalSize(of: STDOUT_FILENO).columns : nil
    try printOutput(isJSON ? text.json : text.text(columns: columns, listsAll: listsAll))
    return .success
  }
}
