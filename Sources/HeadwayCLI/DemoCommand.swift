internal import Glibc
internal import HeadwayRunner
internal import HeadwayTerminal

/// `headway demo`: shows what there is to see, and does nothing else.
struct DemoCommand {
  /// Reads the arguments.
  ///
  /// - Throws: `ArgumentError`.
  init(_ arguments: [String]) throws(ArgumentError) {
    let words = try Arguments(arguments, known: []).words
    guard words == ["bar"] else {
      let given = words.first.map { ", not '\($0)'" } ?? ""
      throw ArgumentError(message: "name what to show: headway demo bar\(given)")
    }
  }

  /// Shows the bars: live in a terminal, as lines elsewhere.
  ///
  /// - Throws: `RunnerError.system` when no process can be made that puts the terminal right should this one be killed.
  func run() throws(RunnerError) -> ExitCode {
    let style = TerminalStyle(environment: variable)
    let isTerminal = isatty(STDOUT_FILENO) == 1
    guard BarsInterface.fitting(isTerminal: isTerminal, environment: variable) == .live else {
      printOutput(BarDemo.gallery(style: style))
      return .success
    }
    // From here on there are two processes, and this is the child.
    let keeper = try Keeper()
    var end: Int32?
    try keeper.onRunThread {
      keeper.keepTerminalOnly()
      end = BarDemo.run(output: STDOUT_FILENO, keyboard: STDIN_FILENO, style: style)
    }
    keeper.isTerminalChanged = false
    // By the signal, so that a calling shell sees why.
    if let end { keeper.exit(signal: end) }
    return .success
  }
}
