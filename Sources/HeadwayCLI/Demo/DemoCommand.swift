internal import HeadwayLibc
internal import HeadwayRunner
internal import HeadwaySystem
internal import HeadwayTerminal

/// `headway demo`: shows the bars.
struct DemoCommand {
  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let words = try Arguments(arguments, known: []).words
    guard words == ["bar"] else {
      let given = words.first.map { ", not '\($0)'" } ?? ""
      throw UsageError(message: "name what to show: headway demo bar\(given)")
    }
  }

  /// Shows the bars: redrawn in a terminal, as lines elsewhere.
  ///
  /// - Throws: `RunnerError.system` if the process that restores the terminal cannot be started.
  func run() throws(RunnerError) -> ExitCode {
    let style = TerminalStyle(environment: environmentValue)
    let isTerminal = isTerminal(STDOUT_FILENO)
    guard BarsInterface.fitting(isTerminal: isTerminal, environment: environmentValue) == .live
    else {
      try printOutput(BarDemoRenderer.gallery(style: style))
      return .success
    }
    let end = ForegroundSession.run(
      BarDemoRenderer(style: style), output: STDOUT_FILENO, keyboard: STDIN_FILENO,
      terminal: try TerminalGuard())
    // By the signal, so that a calling shell sees why.
    if let end { Supervisor.exit(signal: end) }
    return .success
  }
}
