internal import Glibc
internal import HeadwayTerminal

/// `headway demo`: shows what there is to see, and does nothing else.
struct DemoCommand {
  /// Reads the arguments.
  ///
  /// - Throws: `ArgumentMistake`.
  init(_ arguments: [String]) throws(ArgumentMistake) {
    let words = try Arguments(arguments, known: []).words
    guard words == ["bar"] else {
      let given = words.first.map { ", not '\($0)'" } ?? ""
      throw ArgumentMistake(message: "name what to show: headway demo bar\(given)")
    }
  }

  /// Shows the bars: live in a terminal, as lines elsewhere.
  func run() -> ExitCode {
    let style = TerminalStyle(environment: variable)
    let isTerminal = isatty(STDOUT_FILENO) == 1
    guard BarsInterface.fitting(isTerminal: isTerminal, environment: variable) == .live else {
      printOutput(BarDemo.gallery(style: style))
      return .success
    }
    guard
      let end = BarDemo.run(output: STDOUT_FILENO, keyboard: STDIN_FILENO, style: style)
    else { return .success }
    // By the signal, so that a calling shell sees why; nothing is dumped for it.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    signal(end, SIG_DFL)
    raise(end)
    return .failure
  }
}
