internal import HeadwayLaunch
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayReport
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText
internal import HeadwayView

/// `headway run` and `headway resume`: splits into the viewer and the runner, which reads the plan and carries it out.
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
    // From here on there are three processes. The runner reads the plan as well, so that the memory of the plan is not
    // copied, and a signal ends the reading.
    switch try Supervisor.split() {
    case .viewer(let process, let stream):
      process.detachesOnHangup = detachesOnHangup
      return try RunViewer(process, stream: stream, viewOptions, isDetached: isDetached).run()
    case .runner(let supervisor, let stream):
      let view = ViewStream(socket: stream)
      var code = ExitCode.unavailable
      try supervisor.onRunThread {
        code = Tool.reportingErrors {
          do {
            if isResume || parsed.options["--failed"] != nil {
              return try goOn(files, supervisor, view)
            }
            return try run(try plan(), options, files, supervisor, view)
          } catch {
            supervisor.release()
            throw error
          }
        }
      }
      return code
    }
  }

  /// Whether the run is a part of another one, in one of whose tasks it was started.
  ///
  /// It is shown by that one, unless it was asked for.
  private var isPart: Bool { OuterRun.current != nil && !isTerminal(STDERR_FILENO) }

  /// The requested way to show the run, nil for the one that fits the output.
  private var requestedMode: RunConsole.Mode? { isPart && mode == nil ? .quiet : mode }

  /// How the run is shown.
  private var viewOptions: RunView.Options {
    var options = RunView.Options(mode: requestedMode, output: output)
    options.outputMode = isPart ? mode : requestedMode
    options.interruptEndsRun = true
    return options
  }

  /// Goes on with an earlier run, in the runner.
  private func goOn(
    _ files: RunFiles, _ supervisor: Supervisor, _ view: ViewStream
  ) throws -> ExitCode {
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
    return try run(resumed.file, resumed.options, files, supervisor, view)
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
    _ file: PlanFile, _ options: RunOptions, _ files: RunFiles, _ supervisor: Supervisor,
    _ view: ViewStream
  ) throws -> ExitCode {
    let began = currentMilliseconds()
    var options = options
    options.invocation = file.invocation
    options.outer = OuterRun.current
    let runner = try PlanRunner(plan: file.plan, folder: file.folder, options: options)
    if !runner.others.isEmpty, !isPart {
      printMessage(
        "another run of '\(file.plan.name)' goes on: \(runner.others.joined(separator: ", "))")
    }
    // In the background, what went wrong is kept in the file of messages.
    if isDetached { supervisor.leaveStreams(to: runner.openMessages()) }
    if !isDetached, requestedMode != .quiet { for line in runner.lines { printMessage(line) } }
    let outputs = RunOutputs(
      runner.begin(view), runner, supervisor, files, hasView: !isDetached)
    // From here on the terminal is the view's.
    func say(_ line: String) {
      if !view.say(line) { printMessage(line) }
    }
    let result: RunResult
    do throws(RunnerError) {
      result = try runner.run(supervisor: supervisor, view: view, listener: outputs)
    } catch {
      _ = outputs.finish(isAskedToEnd: true)
      supervisor.release()
      say(error.message)
      view.finish(within: RunView.endTimeout)
      return .unavailable
    }
    // Before this process may end by a signal.
    Publication.endOfProcess()
    // From here on a signal ends the program. If a signal has ended the run, a copy of it may still come and must not cut off
    // the output.
    supervisor.release(keepsSignals: result.endSignal != nil)
    let problems =
      files.write(RunResults(result, runner, began: began))
      + outputs.finish(isAskedToEnd: result.endSignal != nil)
    for line in problems + result.warnings { say(line) }
    view.finish(within: RunView.endTimeout)
    if let signal = result.endSignal {
      // A signal is the usual way to end a run whose services stay, so it succeeds if its tasks did.
      let didWork = result.state.tasks.indices.allSatisfy { index in
        let outcome = result.state.outcome(of: TaskID(index))
        return outcome?.isSuccess ?? false || outcome == .skipped(.condition)
      }
      if runner.graph.servicesStay, didWork { return .success }
      Supervisor.exit(signal: signal)
    }
    let code = ExitCode(result.state, runner.graph)
    return code == .success && !problems.isEmpty ? .unavailable : code
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
}
