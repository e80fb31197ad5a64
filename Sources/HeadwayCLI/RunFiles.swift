internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayReport
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState

/// The files that a run writes for programs: its events while it runs, and its results at the end.
struct RunFiles {
  /// The options that name them.
  static let options: [Arguments.Option] = [
    .init(
      name: "--events", value: "FILE", accepts: .file,
      help: "also write the events as JSON lines to FILE, or to an open descriptor such as 3"),
    .init(name: "--events-output", help: "with the output of the tasks"),
    .init(
      name: "--junit", value: "FILE", accepts: .file,
      help: "write the results as JUnit XML to FILE at the end"),
    .init(
      name: "--summary", value: "FILE", accepts: .file,
      help: "append a summary in Markdown to FILE at the end, as for $GITHUB_STEP_SUMMARY"),
  ]

  /// The descriptor of the events, nil if nobody asks for them.
  let events: Int32?
  /// Whether the events have the output of the tasks.
  let eventsHaveOutput: Bool
  private let junit: PageFile?
  private let summary: PageFile?

  /// Opens the files, before the program opens others and before it changes its directory.
  ///
  /// - Throws: `UsageError` for a descriptor that is not open, `RunnerError.system` for a file that cannot be opened.
  init(_ parsed: Arguments) throws {
    events = try parsed.options["--events"].map(Self.descriptor)
    eventsHaveOutput = parsed.options["--events-output"] != nil
    if eventsHaveOutput, events == nil {
      throw UsageError(message: "--events-output needs --events FILE")
    }
    junit = try parsed.options["--junit"].map { try PageFile($0) }
    summary = try parsed.options["--summary"].map { try PageFile($0) }
  }

  /// The descriptor for events: an open one if a number is given, otherwise that of a file.
  private static func descriptor(_ word: String) throws -> Int32 {
    if let number = Int32(word), word.utf8.allSatisfy({ (48...57).contains($0) }) {
      let flags = fcntl(number, F_GETFL)
      guard flags >= 0, flags & O_ACCMODE != O_RDONLY else {
        throw UsageError(
          message: "--events \(number): descriptor \(number) is not open for writing")
      }
      return number
    }
    let file = unsafe open(word, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw RunnerError.system("cannot write '\(word)'", errno) }
    return file
  }

  /// Writes the results of a run.
  ///
  /// - Returns: A line for each file that could not be written.
  func write(_ results: @autoclosure () -> RunResults) -> [String] {
    guard junit != nil || summary != nil else { return [] }
    let results = results()
    var problems: [String] = []
    do throws(RunnerError) { try junit?.write(JUnitDocument(results).text()) } catch {
      problems.append(error.message)
    }
    do throws(RunnerError) {
      try summary?.append(SummaryPage(results, used: summary?.size ?? 0).text())
    } catch {
      problems.append(error.message)
    }
    return problems
  }
}

extension RunResults {
  /// The results of a run of a plan.
  init(_ result: RunResult, _ runner: PlanRunner, began: Int64) {
    let tasks = runner.shownPlan.tasks
    func those(_ isMeant: (Plan.Task) -> Bool) -> Set<TaskID> {
      Set(tasks.indices.filter { isMeant(tasks[$0]) }.map { TaskID($0) })
    }
    self.init(
      name: runner.shownPlan.name, tasks: tasks.map(\.name),
      commands: tasks.map { DryRun.words($0.command) }, state: result.state, began: began,
      predicted: result.predicted, logs: LogReader(runner.logs))
    optional = those(\.isOptional)
    services = those { $0.service != nil }
    failureHooks = those { $0.hook == .onFailure }
    readyAfter = result.readyAfter
  }
}
