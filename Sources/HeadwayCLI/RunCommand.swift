internal import Glibc
internal import HeadwayConsole
internal import HeadwayLaunch
internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayReport
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayText

/// `headway run`: reads the plan, connects the runner and the console, and exits as the run ended.
struct RunCommand {
  /// The ways to show a run, by the names that `--ui` takes.
  private static let modes: [String: RunConsole.Mode] = [
    "live": .screen, "plain": .lines, "json": .json, "quiet": .quiet,
  ]

  /// The plan, reduced to the requested tasks.
  private let words: [String]
  /// The folder in place of the current one, nil for that.
  private let directory: String?
  /// The options of the runner.
  private var options = RunOptions()
  /// The requested way to show the run, nil for the one that fits the output.
  private var mode: RunConsole.Mode?
  /// How the output of the tasks is shown.
  private let output: OutputArguments
  /// Whether to print what would run instead.
  private let isDry: Bool
  /// The arguments, for the files that programs read.
  private let parsed: Arguments

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.run.options, passesRest: true)
    self.parsed = parsed
    words = parsed.words
    output = try OutputArguments(parsed)
    directory = parsed.directory
    isDry = parsed.options["--dry-run"] != nil
    options.explains = parsed.options["--explain"] != nil
    options.stateFolder = parsed.options["--state"]
    options.isForced = parsed.options["--force"] != nil
    if let text = parsed.options["--workers"] {
      guard let count = Int(text), (1...PlanLimits.concurrency).contains(count) else {
        let most = grouped(PlanLimits.concurrency)
        throw UsageError(
          message: "--workers takes a whole number from 1 to \(most), not '\(text)'")
      }
      options.workers = count
    }
    if isDry, parsed.options["--watch"] != nil {
      throw UsageError(message: "--watch and --dry-run exclude each other")
    }
    switch (parsed.options["--keep-going"], parsed.options["--fail-fast"]) {
    case (nil, nil): break
    case (_?, nil): options.policy = .keepGoing
    case (nil, _?): options.policy = .failFast
    case (_?, _?): throw UsageError(message: "--keep-going and --fail-fast exclude each other")
    }
    if let text = parsed.options["--ui"] {
      mode = Self.modes[text]
      if mode == nil {
        throw UsageError(message: "--ui takes live, plain, json or quiet, not '\(text)'")
      }
    }
  }

  /// Runs the plan.
  func run() throws -> ExitCode {
    if parsed.options["--watch"] != nil { return try RepeatedRun(self).run() }
    return try runOnce()
  }

  /// The plan as it is now.
  func plan() throws -> PlanFile {
    let file = try PlanFile(words, in: directory, arguments: parsed.rest)
    try file.checkNeeds()
    return file
  }

  /// The same command for a later run of `--watch`, which runs only what has changed.
  var repeated: RunCommand {
    var command = self
    command.options.isForced = false
    return command
  }

  /// Runs the plan once.
  func runOnce() throws -> ExitCode {
    if isDry { return try printDryRun(of: try plan()) }
    // Before this program opens files of its own: the caller may name an open descriptor.
    let files = try RunFiles(parsed)
    // From here on there are three processes, and this is the runner. It reads the plan as well, so that the memory of
    // the plan is not copied, and a signal ends the reading.
    let supervisor = try Supervisor()
    var code = ExitCode.unavailable
    try supervisor.onRunThread {
      code = Tool.reportingErrors {
        do {
          return try run(try plan(), files, supervisor)
        } catch {
          supervisor.release()
          throw error
        }
      }
    }
    return code
  }

  /// Runs a plan in the runner.
  private func run(
    _ file: PlanFile, _ files: RunFiles, _ supervisor: Supervisor
  ) throws -> ExitCode {
    let began = currentMilliseconds()
    let runner = try PlanRunner(plan: file.plan, folder: file.folder, options: options)
    let show = Show(
      mode ?? Self.fitting, name: file.plan.name, runner: runner, supervisor: supervisor,
      files: files, output: output.options(for: file.plan, mode),
      failureHooks: file.plan.failureHooks)
    let result: RunResult
    do {
      result = try runner.run(supervisor: supervisor, hooks: show.hooks)
    } catch {
      show.finish()
      throw error
    }
    // Before this process may end by a signal.
    Publication.endOfProcess()
    // From here on a signal ends the program, even if the terminal accepts no output. If a signal has ended the run, a copy of
    // it may still come and must not cut off the output; then the output has a time limit instead.
    supervisor.release(keepsSignals: result.endSignal != nil)
    let problems = files.write(RunResults(result, file.plan, runner, began: began))
    // Whoever has asked for the end does not wait for a reader that has stopped reading.
    let outputError = show.finish(within: result.endSignal == nil ? nil : Show.endTimeout)
    if result.endSignal == nil || canWrite(STDERR_FILENO) {
      for problem in problems + show.problems { printMessage(problem) }
      for warning in result.warnings { printMessage(warning) }
      if outputError != 0 {
        printMessage(RunnerError.lostOutput(outputError, isError: mode != .json).message)
      }
    }
    if let signal = result.endSignal {
      // That is how one ends them.
      let didWork = result.state.tasks.indices.allSatisfy { index in
        let outcome = result.state.outcome(of: TaskID(index))
        return outcome?.isSuccess ?? false || outcome == .skipped(.condition)
      }
      if runner.graph.hasOnlyServices, didWork { return .success }
      supervisor.exit(signal: signal)
    }
    let code = ExitCode(result.state, runner.graph)
    let hasLoss = outputError != 0 || !problems.isEmpty || !show.problems.isEmpty
    return code == .success && hasLoss ? .unavailable : code
  }

  /// Prints what a run would do.
  private func printDryRun(of file: PlanFile) throws -> ExitCode {
    let dryRun = try DryRun(plan: file.plan, folder: file.folder, options: options)
    let widest = min(dryRun.steps.map(\.name.count).max() ?? 0, 30)
    var text = ""
    for step in dryRun.steps {
      let padding = String(repeating: " ", count: max(0, widest - step.name.count))
      let lines = step.command.split(separator: "\n", omittingEmptySubsequences: true)
      let command = (lines.first.map { String($0) } ?? "") + (lines.count > 1 ? " …" : "")
      let reason = options.explains ? step.reason.map { "(would run: \($0)) " } : nil
      let mark = step.isUpToDate ? "(up to date) " : reason ?? ""
      let condition = step.condition.map { "(\($0)) " } ?? ""
      text += "\(step.name)\(padding)  \(mark)\(condition)\(command)".sanitized + "\n"
    }
    try printOutput(text)
    for step in dryRun.steps where !step.unmatchedInputs.isEmpty {
      let patterns = step.unmatchedInputs.joined(separator: ", ").sanitized
      printMessage("task '\(step.name)': no file matches \(patterns)")
    }
    return .success
  }

  /// The way to show a run that fits standard error.
  private static var fitting: RunConsole.Mode {
    let isTerminal = isTerminal(STDERR_FILENO)
    return BarsInterface.fitting(isTerminal: isTerminal, environment: environmentValue) == .live
      ? .screen : .lines
  }
}

extension Plan {
  /// The tasks that run after a failure only.
  fileprivate var failureHooks: Set<TaskID> {
    Set(tasks.indices.filter { tasks[$0].hook == .onFailure }.map { TaskID($0) })
  }
}
