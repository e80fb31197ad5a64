internal import HeadwayConsole
internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayReport
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayText

/// `headway run` and `headway resume`: reads the plan, connects the runner and the console, and exits as the run ended.
struct RunCommand {
  /// The ways to show a run, by the names that `--ui` takes.
  private static let modes: [String: RunConsole.Mode] = [
    "live": .screen, "plain": .lines, "json": .json, "quiet": .quiet,
  ]

  /// Whether it goes on with an earlier run by its name: `headway resume`.
  private let isResume: Bool
  /// The plan and the requested tasks; of `headway resume`, the run.
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
  /// Whether the run begins in the background.
  private let isDetached: Bool
  /// Whether it goes on there when the terminal is closed.
  private let detachesOnHangup: Bool
  /// The arguments, for the files that programs read.
  private let parsed: Arguments

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String], isResume: Bool = false) throws(UsageError) {
    let parsed = try Arguments(
      arguments, known: isResume ? Command.resume.options : Command.run.options,
      passesRest: !isResume)
    self.parsed = parsed
    self.isResume = isResume
    words = parsed.words
    output = try OutputArguments(parsed)
    directory = parsed.directory
    isDry = parsed.options["--dry-run"] != nil
    options.explains = parsed.options["--explain"] != nil
    options.stateFolder = parsed.options["--state"]
    options.isForced = parsed.options["--force"] != nil
    if let text = parsed.options["--on"] {
      do throws(WorkerHostError) {
        options.machines.hosts = text == "local" ? [] : try WorkerHost.list(text)
      } catch {
        throw UsageError(message: "--on: \(error.reason)")
      }
    }
    options.machines.slurmOptions = (parsed.lists["--slurm-options"] ?? []).flatMap {
      Machines.words(of: $0)
    }
    if parsed.options["--tcp"] != nil { options.machines.usesTCP = true }
    if let text = parsed.options["--patience"] {
      do throws(UnreadableDuration) {
        options.machines.patience = try readDuration(text)
      } catch {
        throw UsageError(message: "--patience: \(error.reason)")
      }
    }
    if let text = parsed.options["--workers"] {
      guard let count = Int(text), (1...RunLimits.concurrency).contains(count) else {
        let most = grouped(RunLimits.concurrency)
        throw UsageError(
          message: "--workers takes a whole number from 1 to \(most), not '\(text)'")
      }
      options.workers = count
    }
    options.keep = try Self.keep(parsed)
    if isDry, parsed.options["--watch"] != nil {
      throw UsageError(message: "--watch and --dry-run exclude each other")
    }
    isDetached = parsed.options["--detach"] != nil
    if isDetached {
      for other in ["--watch", "--dry-run", "--ui", "--output"] where parsed.options[other] != nil {
        throw UsageError(message: "--detach and \(other) exclude each other")
      }
    }
    options.sharing.isExclusive = parsed.options["--exclusive"] != nil
    options.sharing.onWait = { runs in
      printMessage("waits for another run of this plan: \(runs.joined(separator: ", "))")
    }
    if let text = parsed.options["--wait"] {
      do throws(UnreadableDuration) {
        options.sharing.patience = try readDuration(text)
      } catch {
        throw UsageError(message: "--wait: \(error.reason)")
      }
    }
    switch parsed.options["--on-hangup"] {
    case nil, "end": detachesOnHangup = false
    case "detach": detachesOnHangup = true
    case let text?: throw UsageError(message: "--on-hangup takes end or detach, not '\(text)'")
    }
    try checkResume()
    options.policy = try Self.policy(parsed)
    mode = try Self.mode(parsed)
  }

  /// The options that say what happens after a failure.
  private static let policyOptions = ["--keep-going", "--fail-fast", "--on-failure"]

  /// What happens after a failure.
  private static func policy(_ parsed: Arguments) throws(UsageError) -> FailurePolicy {
    let given = policyOptions.filter { parsed.options[$0] != nil }
    if given.count > 1 {
      throw UsageError(message: "\(given[0]) and \(given[1]) exclude each other")
    }
    if parsed.options["--keep-going"] != nil { return .keepGoing }
    if parsed.options["--fail-fast"] != nil { return .failFast }
    switch parsed.options["--on-failure"] {
    case nil, "stop": return .stop
    case "keep-going": return .keepGoing
    case "fail-fast": return .failFast
    case "hold": return .hold
    case let text?:
      throw UsageError(
        message: "--on-failure takes stop, keep-going, fail-fast or hold, not '\(text)'")
    }
  }

  /// The requested way to show a run, nil for the one that fits the output.
  static func mode(_ parsed: Arguments) throws(UsageError) -> RunConsole.Mode? {
    guard let text = parsed.options["--ui"] else { return nil }
    guard let mode = modes[text] else {
      throw UsageError(message: "--ui takes live, plain, json or quiet, not '\(text)'")
    }
    return mode
  }

  /// Which runs are kept, according to the options.
  private static func keep(_ parsed: Arguments) throws(UsageError) -> Plan.Keep {
    var keep = Plan.Keep()
    if let text = parsed.options["--keep-runs"] {
      guard let count = Int(text), (1...PlanLimits.runs).contains(count) else {
        let most = grouped(PlanLimits.runs)
        throw UsageError(
          message: "--keep-runs takes a whole number from 1 to \(most), not '\(text)'")
      }
      keep.runs = count
    }
    if let text = parsed.options["--keep-size"] {
      do {
        keep.bytes = text == "none" ? .max : try SizeParser.parse(text)
      } catch {
        throw UsageError(message: "--keep-size: \(error.message)")
      }
      if keep.bytes == 0 {
        throw UsageError(
          message: "--keep-size must be greater than 0; write \"none\" for no limit")
      }
    }
    return keep
  }

  /// Checks the arguments of a run that goes on with an earlier one.
  private func checkResume() throws(UsageError) {
    if isResume { _ = try parsed.onlyWord("name one run, or none for the newest") }
    guard parsed.options["--failed"] != nil else { return }
    for other in ["--force", "--watch", "--dry-run"] where parsed.options[other] != nil {
      throw UsageError(message: "--failed and \(other) exclude each other")
    }
    if !parsed.rest.isEmpty || words.count > (words.first.map(PlanFile.isPlan) == true ? 1 : 0) {
      throw UsageError(
        message:
          "--failed runs the tasks of the earlier run, with its values; leave out tasks, values and arguments"
      )
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
    if isDry {
      return try isResume ? printDryResumption() : printDryRun(of: try plan(), options)
    }
    // Before this program opens files of its own: the caller may name an open descriptor.
    let files = try RunFiles(parsed)
    // From here on there are three processes, and this is the runner. It reads the plan as well, so that the memory of
    // the plan is not copied, and a signal ends the reading.
    let supervisor = try Supervisor()
    var code = ExitCode.unavailable
    try supervisor.onRunThread {
      code = Tool.reportingErrors {
        do {
          if isResume || parsed.options["--failed"] != nil {
            return try goOn(files, supervisor)
          }
          return try run(try plan(), options, files, supervisor)
        } catch {
          supervisor.release()
          throw error
        }
      }
    }
    return code
  }

  /// Goes on with an earlier run, in the runner.
  private func goOn(_ files: RunFiles, _ supervisor: Supervisor) throws -> ExitCode {
    var request = ResumedRun.Request(options: options)
    if isResume {
      request.run = words.first
    } else {
      request.plan = try plan()
    }
    request.directory = directory
    request.done = parsed.lists["--done"] ?? []
    request.again = parsed.lists["--again"] ?? []
    request.hasPolicy = Self.policyOptions.contains { parsed.options[$0] != nil }
    guard let resumed = try ResumedRun.find(request) else {
      supervisor.release()
      return .success
    }
    for note in resumed.notes { printMessage(note) }
    return try run(resumed.file, resumed.options, files, supervisor)
  }

  /// Prints what a run would do that goes on with an earlier one, of which nothing is ended or changed.
  private func printDryResumption() throws -> ExitCode {
    var request = ResumedRun.Request(options: options)
    request.run = words.first
    request.directory = directory
    request.done = parsed.lists["--done"] ?? []
    request.again = parsed.lists["--again"] ?? []
    request.isDry = true
    guard let resumed = try ResumedRun.find(request) else { return .success }
    for note in resumed.notes { printMessage(note) }
    return try printDryRun(of: resumed.file, resumed.options)
  }

  /// Runs a plan in the runner.
  private func run(
    _ file: PlanFile, _ options: RunOptions, _ files: RunFiles, _ supervisor: Supervisor
  ) throws -> ExitCode {
    let began = currentMilliseconds()
    var options = options
    options.invocation = file.invocation
    options.outer = OuterRun.current
    let runner = try PlanRunner(plan: file.plan, folder: file.folder, options: options)
    // A part of another run is shown by that one, unless it was asked for.
    let isPart = options.outer != nil && !isTerminal(STDERR_FILENO)
    if !runner.others.isEmpty, !isPart {
      printMessage(
        "another run of '\(file.plan.name)' goes on: \(runner.others.joined(separator: ", "))")
    }
    if isDetached { try detach(runner, supervisor) }
    // In the background, what went wrong is kept in the file of messages.
    let mode = isDetached || (isPart && self.mode == nil) ? .quiet : self.mode
    if mode != .quiet { for line in runner.lines { printMessage(line) } }
    let shownOutput = output.options(for: file.plan, isPart ? self.mode : mode)
    let show = Show(
      mode ?? Self.fitting(with: shownOutput), runner.takeHeader(), runner: runner,
      supervisor: supervisor, files: files, output: shownOutput)
    var hooks = show.hooks
    hooks.detachesOnHangup = detachesOnHangup || isDetached
    supervisor.detachesOnHangup = hooks.detachesOnHangup
    let result: RunResult
    do {
      result = try runner.run(supervisor: supervisor, hooks: hooks)
    } catch {
      show.finish()
      throw error
    }
    // Before this process may end by a signal.
    Publication.endOfProcess()
    // From here on a signal ends the program, even if the terminal accepts no output. If a signal has ended the run, a copy of
    // it may still come and must not cut off the output; then the output has a time limit instead.
    supervisor.release(keepsSignals: result.endSignal != nil)
    let problems = files.write(RunResults(result, runner, began: began))
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
      // A signal is the usual way to end a run whose services stay, so it succeeds if its tasks did.
      let didWork = result.state.tasks.indices.allSatisfy { index in
        let outcome = result.state.outcome(of: TaskID(index))
        return outcome?.isSuccess ?? false || outcome == .skipped(.condition)
      }
      if runner.graph.servicesStay, didWork { return .success }
      supervisor.exit(signal: signal)
    }
    let code = ExitCode(result.state, runner.graph)
    let hasLoss = outputError != 0 || !problems.isEmpty || !show.problems.isEmpty
    return code == .success && hasLoss ? .unavailable : code
  }

  /// Lets a run that is about to begin go on in the background, and prints its name.
  private func detach(_ runner: PlanRunner, _ supervisor: Supervisor) throws(RunnerError) {
    try printOutput(runner.run)
    let messages = runner.openMessages()
    let error = supervisor.detach(errors: messages)
    if messages >= 0 { close(messages) }
    if error != 0 { throw .system("cannot run in the background", error) }
  }

  /// Prints what a run would do.
  private func printDryRun(of file: PlanFile, _ options: RunOptions) throws -> ExitCode {
    let dryRun = try DryRun(plan: file.plan, folder: file.folder, options: options)
    for line in dryRun.lines { printMessage(line) }
    let widest = min(dryRun.steps.map(\.name.count).max() ?? 0, 30)
    var text = ""
    for step in dryRun.steps {
      let padding = String(repeating: " ", count: max(0, widest - step.name.count))
      let lines = step.command.split(separator: "\n", omittingEmptySubsequences: true)
      let command = (lines.first.map { String($0) } ?? "") + (lines.count > 1 ? " …" : "")
      let reason = options.explains ? step.reason.map { "(would run: \($0)) " } : nil
      let mark = step.end.map { "(\($0)) " } ?? reason ?? ""
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

  /// The way to show a run that fits standard error, if output of tasks goes to standard output.
  ///
  /// A region that is redrawn would be mixed with what `tee` or `grep` print to the same terminal.
  private static func fitting(with output: OutputOptions) -> RunConsole.Mode {
    let isMixed =
      output.mode != .failed && fitting == .screen
      && isRead(pipe: STDOUT_FILENO, inForegroundOf: STDERR_FILENO)
    return isMixed ? .lines : fitting
  }

  /// The way to show a run that fits standard error.
  static var fitting: RunConsole.Mode {
    let isTerminal = isTerminal(STDERR_FILENO)
    return BarsInterface.fitting(isTerminal: isTerminal, environment: environmentValue) == .live
      ? .screen : .lines
  }
}
