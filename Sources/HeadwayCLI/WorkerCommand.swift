internal import HeadwayLibc
internal import HeadwayRunner

/// `headway worker`: carries out the tasks of a run on another machine.
struct WorkerCommand {
  /// Whether it only prints the version of its messages.
  private let printsMessages: Bool
  /// The file that says where to connect to, nil for the standard streams.
  private let file: String?
  /// Which job of the run the worker is in.
  private let name: String

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    // The name is for those who look for the worker of a run.
    let parsed = try Arguments(arguments, known: Command.worker.options)
    printsMessages = parsed.options["--messages"] != nil
    file = parsed.options["--connect"]
    name = parsed.options["--as"] ?? ""
    guard (file == nil) == name.isEmpty else {
      throw UsageError(message: "worker needs --connect and --as, or none of them")
    }
    guard parsed.words.count <= 1 else {
      throw UsageError(message: "worker takes the name of a run, and nothing else")
    }
  }

  /// Works until the run is over or the connection has ended.
  func run() throws -> ExitCode {
    if printsMessages {
      try printOutput("\(WorkerLoop.messagesVersion)\n")
      return .success
    }
    let supervisor = try Supervisor.splitWithoutView()
    var code = ExitCode.unavailable
    try supervisor.onRunThread {
      code = Tool.reportingErrors {
        let worker =
          try file.map { path throws in
            try WorkerLoop(supervisor, connectingBy: path, as: name)
          } ?? WorkerLoop(supervisor, input: STDIN_FILENO, output: STDOUT_FILENO)
        worker.run()
        supervisor.release()
        guard let problem = worker.problem else { return .success }
        printMessage(problem)
        return .usage
      }
    }
    return code
  }
}
