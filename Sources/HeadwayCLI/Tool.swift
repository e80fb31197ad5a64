internal import Glibc
internal import HeadwayConsole
internal import HeadwayPlan
internal import HeadwayRunner
internal import HeadwaySystem
internal import HeadwayText

/// The commands of the tool: each parses its arguments, calls the module that does the work, and returns an exit code.
enum Tool {
  /// The version of the package.
  static let version = "0.1.0"

  /// Runs a command.
  ///
  /// - Parameter arguments: The arguments after the name of the program.
  /// - Returns: The exit code.
  static func run(_ arguments: [String]) -> ExitCode {
    reportingErrors { try dispatch(arguments) }
  }

  /// Runs a function, and prints the error that it throws.
  ///
  /// - Returns: What the function returns, or the exit code for its error.
  static func reportingErrors(_ body: () throws -> ExitCode) -> ExitCode {
    do {
      return try body()
    } catch let error as UsageError {
      printError(error.details)
      printMessage(error.message)
      return .usage
    } catch let error as RunnerError {
      printMessage(error.message)
      return .unavailable
    } catch {
      preconditionFailure("a command throws nothing else: \(error)")
    }
  }

  /// Finds the command and runs it.
  private static func dispatch(_ arguments: [String]) throws -> ExitCode {
    guard let command = arguments.first else {
      try printOutput(Help.overview)
      return .success
    }
    var rest = Array(arguments.dropFirst())
    // As in `make -C DIR` and `git -C DIR`, the option may also come before the command.
    if command == "-C", rest.count > 1 {
      let named = rest.remove(at: 1)
      return try dispatch([named, "-C"] + rest)
    }
    let options = rest.prefix { $0 != "--" }
    if options.contains("--help") || options.contains("-h"), let help = Help.commands[command] {
      try printOutput(help)
      return .success
    }
    switch command {
    case "run": return try RunCommand(rest).run()
    case "list": return try list(rest)
    case "check": return try check(rest)
    case "schema":
      let parsed = try Arguments(rest, known: [])
      guard parsed.words.isEmpty else { throw UsageError(message: "schema takes no arguments") }
      try printOutput(PlanSchema.json)
      return .success
    case "graph": return try graph(rest)
    case "history": return try HistoryCommand(rest).run()
    case "report": return try ReportCommand(rest).run()
    case "tell": return try TellCommand(rest).run()
    case "watch": return try WatchCommand(rest).run()
    case "pause": return try RequestCommand(.pause, command, rest).run()
    case "unpause": return try RequestCommand(.resume, command, rest).run()
    case "cancel": return try RequestCommand(.cancel, command, rest).run()
    case "demo": return try DemoCommand(rest).run()
    case "help", "--help", "-h":
      try printOutput(rest.first.flatMap { Help.commands[$0] } ?? Help.overview)
      return .success
    case "version", "--version", "-V":
      try printOutput("headway \(version)\n")
      return .success
    default:
      throw UsageError(message: unknownCommand(command))
    }
  }

  /// The message for an unknown command, which is often a plan.
  private static func unknownCommand(_ word: String) -> String {
    if PlanFile.isPlan(word) {
      return "missing command; to run the plan: headway run \(word)"
    }
    let names = [
      "run", "list", "check", "schema", "graph", "history", "report", "watch", "pause", "unpause",
      "cancel",
      "tell",
      "demo", "help",
    ]
    return "unknown command '\(word)'; valid commands: \(names.joined(separator: ", "))"
  }

  private static func list(_ arguments: [String]) throws -> ExitCode {
    let parsed = try Arguments(arguments, known: [.init(name: "--json"), .directory])
    let list = try PlanFile(parsed.words, in: parsed.directory).tasks
    try printOutput(parsed.options["--json"] == nil ? list.text : list.json)
    return .success
  }

  private static func check(_ arguments: [String]) throws -> ExitCode {
    let parsed = try Arguments(arguments, known: [.directory])
    let file = try PlanFile(parsed.words, in: parsed.directory)
    for warning in file.warnings { printMessage(warning) }
    try printOutput(
      "\(file.path.sanitized): \(counted(file.plan.tasks.count, "task")), no errors\n")
    return .success
  }

  private static func graph(_ arguments: [String]) throws -> ExitCode {
    let parsed = try Arguments(
      arguments, known: [.init(name: "--dot"), .init(name: "--mermaid"), .directory])
    let picture = PlanGraphText(try PlanFile(parsed.words, in: parsed.directory).plan)
    switch (parsed.options["--dot"], parsed.options["--mermaid"]) {
    case (nil, nil): try printOutput(picture.tree())
    case (_?, nil): try printOutput(picture.dot())
    case (nil, _?): try printOutput(picture.mermaid())
    case (_?, _?): throw UsageError(message: "--dot and --mermaid exclude each other")
    }
    return .success
  }
}

/// Writes text to standard output; a closed pipe is not an error.
///
/// - Throws: `RunnerError.system` if it cannot be written, for example because the disk is full.
func printOutput(_ text: String) throws(RunnerError) {
  let error = writeAll(STDOUT_FILENO, Array((text.hasSuffix("\n") ? text : text + "\n").utf8))
  guard error == 0 || error == EPIPE else {
    throw .lostOutput(error)
  }
}

/// Writes a message for the user to standard error, without characters that could control a terminal.
func printMessage(_ line: String) { printError("headway: \(line.sanitized)\n") }

/// Writes text to standard error.
func printError(_ text: String) { _ = writeAll(STDERR_FILENO, Array(text.utf8)) }
