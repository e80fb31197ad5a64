internal import Glibc
internal import HeadwayPlan
internal import HeadwayRunner
internal import HeadwayText

/// The commands of the tool: each reads its arguments, calls the module that does the work, and ends with a code.
enum Tool {
  /// The version of the package.
  static let version = "0.1.0"

  /// Runs the command that the arguments name.
  ///
  /// - Parameter arguments: What follows the program's name.
  /// - Returns: The code to end with.
  static func run(_ arguments: [String]) -> ExitCode {
    do {
      return try dispatch(arguments)
    } catch let mistake as ArgumentMistake {
      printError("headway: \(mistake.message)\n")
      return .mistake
    } catch let error as PlanFileError {
      printError(error.message)
      return .mistake
    } catch let error as RunnerError {
      printError("headway: \(error.message)\n")
      return .unavailable
    } catch {
      preconditionFailure("a command throws nothing else: \(error)")
    }
  }

  /// Finds the command and runs it.
  private static func dispatch(_ arguments: [String]) throws -> ExitCode {
    guard let command = arguments.first else {
      printOutput(Help.overview)
      return .success
    }
    let rest = Array(arguments.dropFirst())
    if rest.contains("--help") || rest.contains("-h"), let help = Help.commands[command] {
      printOutput(help)
      return .success
    }
    switch command {
    case "run": return try RunCommand(rest).run()
    case "check": return try check(rest)
    case "graph": return try graph(rest)
    case "history": return try HistoryCommand(rest).run()
    case "report": return try ReportCommand(rest).run()
    case "demo": return try DemoCommand(rest).run()
    case "help", "--help", "-h":
      printOutput(rest.first.flatMap { Help.commands[$0] } ?? Help.overview)
      return .success
    case "version", "--version", "-V":
      printOutput("headway \(version)\n")
      return .success
    default:
      throw ArgumentMistake(message: unknownCommand(command))
    }
  }

  /// Words for a command that does not exist; a plan in its place is the usual slip.
  private static func unknownCommand(_ word: String) -> String {
    if word.hasSuffix(".yaml") || word.hasSuffix(".yml") {
      return "say what to do with the plan: headway run \(word)"
    }
    return
      "unknown command '\(word)'; the commands are run, check, graph, history, report, demo, help"
  }

  /// Checks a plan.
  private static func check(_ arguments: [String]) throws -> ExitCode {
    let file = try PlanFile(Arguments(arguments, known: []).words)
    printOutput("\(file.path): \(counted(file.plan.tasks.count, "task")), no errors\n")
    return .success
  }

  /// Draws a plan.
  private static func graph(_ arguments: [String]) throws -> ExitCode {
    let parsed = try Arguments(
      arguments, known: [.init(name: "--dot"), .init(name: "--mermaid")])
    let picture = PlanGraphText(try PlanFile(parsed.words).plan)
    switch (parsed.options["--dot"], parsed.options["--mermaid"]) {
    case (nil, nil): printOutput(picture.tree())
    case (_?, nil): printOutput(picture.dot())
    case (nil, _?): printOutput(picture.mermaid())
    case (_?, _?): throw ArgumentMistake(message: "--dot and --mermaid exclude each other")
    }
    return .success
  }
}

/// Writes text to standard output; a reader that is gone is no mistake.
func printOutput(_ text: String) {
  write(text.hasSuffix("\n") ? text : text + "\n", to: STDOUT_FILENO)
}

/// Writes text to standard error.
func printError(_ text: String) { write(text, to: STDERR_FILENO) }

/// Writes text to a descriptor as far as that is possible.
private func write(_ text: String, to descriptor: Int32) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = unsafe rest.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    if count < 0 && errno != EINTR { return }
    rest = rest.dropFirst(max(count, 0))
  }
}
