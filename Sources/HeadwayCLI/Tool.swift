internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText

/// The commands of the tool: each parses its arguments, calls the module that does the work, and returns an exit code.
enum Tool {
  /// The version of the package.
  static let version = "0.1.0"

  /// Runs a command.
  ///
  /// - Parameter arguments: The arguments after the name of the program, as the system has them.
  /// - Returns: The exit code.
  static func run(_ arguments: [[UInt8]]) -> ExitCode {
    reportingErrors { try dispatch(texts(of: arguments)) }
  }

  /// The arguments as text.
  ///
  /// - Throws: `UsageError` if one is not UTF-8: repaired, it would name another file or reach a task as another text.
  private static func texts(of arguments: [[UInt8]]) throws(UsageError) -> [String] {
    // What a script tells is only shown, and shall not end the script.
    let isShown = arguments.first.map { $0.elementsEqual(Command.tell.name.utf8) } ?? false
    var texts: [String] = []
    for (index, argument) in arguments.enumerated() {
      if let text = String(validating: argument, as: UTF8.self) {
        texts.append(text)
      } else if isShown {
        texts.append(String(decoding: argument, as: UTF8.self))
      } else {
        throw UsageError(
          message:
            "argument \(index + 1) is not UTF-8: '\(OutsideText.escaped(argument))'; rename the file, or put the text into an environment variable, which tasks get unchanged"
        )
      }
    }
    return texts
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
    } catch let error as StateError {
      printMessage(error.message)
      return .unavailable
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
    // Without a look at the commands, so that a script that asks for the version waits for nothing.
    if command == "version" || command == "--version" || command == "-V" {
      try printOutput("headway \(version)\n")
      return .success
    }
    if command == "--help" || command == "-h" { return try Command.help.start(rest) }
    if command == "__complete" { return try CompletionCommand.print(rest) }
    if command == "__man" { return try ManualPage.print(rest) }
    guard let found = Command.named(command) else {
      throw UsageError(
        message: PlanFile.isPlan(command)
          ? "missing command; to run the plan: headway run \(command)" : Command.unknown(command))
    }
    let options = rest.prefix { $0 != "--" }
    if options.contains("--help") || options.contains("-h") {
      try printOutput(Help.text(of: found))
      return .success
    }
    if found.usesFolder, let folder = OutsideText.oddFolder {
      throw UsageError(
        message:
          "the path of this folder is not UTF-8: '\(folder)'; rename the folder, or use another one"
      )
    }
    // What a task says must not fail because of the limits of the task.
    if found.name != Command.tell.name { try Machine.allowDescriptors() }
    return try found.start(rest)
  }

  /// `headway list`.
  static func list(_ arguments: [String]) throws -> ExitCode {
    let parsed = try Arguments(arguments, known: Command.list.options)
    let list = try PlanFile(parsed.words, in: parsed.directory).tasks
    try printOutput(parsed.options["--json"] == nil ? list.textWithVariables : list.json)
    return .success
  }

  /// `headway check`.
  static func check(_ arguments: [String]) throws -> ExitCode {
    let parsed = try Arguments(arguments, known: Command.check.options)
    let file = try PlanFile(parsed.words, in: parsed.directory)
    for warning in file.warnings { printMessage(warning) }
    try printOutput(
      "\(file.path.sanitized): \(counted(file.plan.tasks.count, "task")), no errors\n")
    return .success
  }

  /// `headway graph`.
  static func graph(_ arguments: [String]) throws -> ExitCode {
    let parsed = try Arguments(arguments, known: Command.graph.options)
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
