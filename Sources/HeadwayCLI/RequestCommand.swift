internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayView

/// `headway pause`, `unpause`, `cancel`, `retry` and `skip`: ask running work, or tasks of a run, for something.
struct RequestCommand {
  /// What is asked for with the name of a task, or nil for the whole; nil if it cannot be asked of a task.
  typealias RequestMaker = @Sendable (_ task: String?) -> RunRequest?

  private let request: RequestMaker
  /// The name of the command.
  private let name: String
  private let words: [String]
  private let search: RunSearch
  private let isJSON: Bool

  /// Reads the arguments.
  ///
  /// - Parameters:
  ///   - request: What to ask for.
  ///   - command: The name of the command.
  ///   - arguments: The arguments after it.
  /// - Throws: `UsageError`.
  init(
    _ request: @escaping RequestMaker, _ command: String, _ arguments: [String]
  ) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.requestOptions)
    (self.request, name, words) = (request, command, parsed.words)
    search = try RunSearch(parsed)
    isJSON = parsed.options["--json"] != nil
  }

  /// Asks, and waits for the answers.
  ///
  /// - Throws: `UsageError` if the words do not say what is meant; `StateError` if the state folder cannot be used.
  func run() throws -> ExitCode {
    guard let target = try SteeringTarget.find(words, search) else { return .unavailable }
    var requests: [(RunRequest, task: String?)] = []
    for task in target.tasks.isEmpty ? [nil] : target.tasks.map(Optional.some) {
      guard let request = request(task) else {
        let verb = request(nil) == .pause ? "paused" : "resumed"
        throw UsageError(message: "one task alone cannot be \(verb); leave out '\(task ?? "")'")
      }
      requests.append((request, task))
    }
    var code = ExitCode.success
    for (request, task) in requests {
      let answer = BlockingTask.run { await RunRemote.ask(request, of: target.work) }
      if isJSON {
        try printOutput(json(answer, target.work, task))
      } else if let words = answer.problem(with: task ?? words.first ?? target.name) {
        printMessage(words)
      }
      code = max(code, answer.code)
    }
    return code
  }

  /// A line of JSON about an answer.
  private func json(_ answer: RunRemote.Answer, _ work: WatchedPublication, _ task: String?)
    -> String
  {
    var line = JSONLine(names: [])
    line.begin()
    line.add(named: "request", text: name)
    line.add(.publication, text: work.id)
    if let name = work.name { line.add(.name, text: name) }
    if let task { line.add(.task, text: task) }
    line.add(.ok, flag: answer.code == .success)
    if let words = answer.problem(with: task ?? work.id) { line.add(.message, text: words) }
    line.end()
    return String(decoding: line.bytes, as: UTF8.self)
  }
}

extension RunRemote.Answer {
  /// The exit code.
  fileprivate var code: ExitCode {
    switch self {
    case .granted: .success
    case .refused: .failure
    case .none: .unavailable
    }
  }

  /// Why it was not granted, nil if it was.
  fileprivate func problem(with what: String) -> String? {
    switch self {
    case .granted: return nil
    case .refused(let error): return "\(error)"
    case .none:
      let seconds = RunRemote.patience.components.seconds
      return "'\(what)' did not answer within \(seconds) seconds; it may still do what was asked"
    }
  }
}

extension ExitCode: Comparable {
  /// Whether a code is the lower number, which of two is the smaller problem.
  static func < (one: ExitCode, two: ExitCode) -> Bool { one.rawValue < two.rawValue }
}

/// What a person wants to steer: published work, and perhaps tasks of it.
struct SteeringTarget {
  /// The work.
  let work: WatchedPublication
  /// The names of tasks, as they were given; empty for the whole.
  let tasks: [String]

  /// How often a run is searched that goes on and is not published.
  private static let searches = 5
  /// The time between two searches.
  private static let searchInterval = Duration.milliseconds(100)

  /// What the work is called.
  var name: String { work.name ?? work.id }

  /// Finds what words mean, and prints a message if there is no such work.
  ///
  /// - Parameters:
  ///   - words: An ID, a name, the unique beginning of a name, a label, or a run of the plan here; then tasks. Without the first,
  ///     it is the only run of the plan here that goes on.
  ///   - search: Finds runs here.
  /// - Returns: The work, nil if there is none.
  /// - Throws: `UsageError` if several things are called so; `StateError` if the state folder cannot be used.
  static func find(_ words: [String], _ search: RunSearch) throws -> SteeringTarget? {
    guard let first = words.first else {
      if let own = try onlyRun(search) { return of(own.folder, []) }
      printMessage("no run goes on here; headway watch --once lists what is running elsewhere")
      return nil
    }
    // A run that is named in full is asked alone: other programs may be stopped, and not answer.
    if RunFolder.isName(first), let found = try? search.findStored(first),
      found.folder.name == first
    {
      return of(found.folder, Array(words.dropFirst()))
    }
    let works = PublishedWorks.now()
    if case .none = WorkChoice(first, among: works.described) {
      if first == "latest" || PlanFile.isPlan(first) || RunFolder.isName(first) {
        if let found = try search.findStored(first) {
          return of(found.folder, Array(words.dropFirst()), among: works)
        }
        _ = search.notFound(first)
        return nil
      }
      if let own = try onlyRun(search) { return of(own.folder, words, among: works) }
    }
    guard let work = try works.find(first) else { return nil }
    // What a person means by a label must not end by mistake.
    if work.id != first, work.name != first, let own = try? onlyRun(search),
      own.folder.name != work.name || words.count == 1,
      let header = try? own.folder.header(), (try? header.tasks(named: [first])) != nil
    {
      throw UsageError(
        message: """
          '\(first)' is running work and a task of the run here; write \(work.id) for the work, or \
          \(own.folder.name) \(first) for the task
          """)
    }
    return SteeringTarget(work: work, tasks: Array(words.dropFirst()))
  }

  /// The publication of a run, nil after a message if it has none.
  ///
  /// - Parameters:
  ///   - folder: The folder of the run.
  ///   - tasks: The names of tasks.
  ///   - works: What was found already; if there is nothing, the run alone is asked.
  /// - Returns: The target.
  private static func of(
    _ folder: RunFolder, _ tasks: [String], among works: PublishedWorks? = nil
  ) -> SteeringTarget? {
    let process = StateFolder.processNumber(of: folder.name) ?? 0
    if let work = works?.publications.first(where: { $0.name == folder.name }) {
      return SteeringTarget(work: work, tasks: tasks)
    }
    // Who did not answer was waited for already, and that was said.
    if works?.problems.contains(.noAnswer(pid: process)) ?? false { return nil }
    // A run that has just begun is published soon after its folder is there.
    for _ in 0..<Self.searches {
      let found = BlockingTask.run { () async -> Result<WatchedPublication?, RelayError> in
        do throws(RelayError) {
          return .success(try await RunRemote.publication(of: folder.name, process: process))
        } catch {
          return .failure(error)
        }
      }
      switch found {
      case .success(let work?): return SteeringTarget(work: work, tasks: tasks)
      case .success(nil): break
      case .failure(.noAnswer):
        let seconds = RunRemote.patience.components.seconds
        printMessage(
          "the run '\(folder.name)' did not answer within \(seconds) seconds; if it is stopped, continue it: kill -CONT \(process)"
        )
        return nil
      case .failure(let error):
        printMessage("\(error)")
        return nil
      }
      guard folder.mayBeRunning else { break }
      _ = WaitableEvent().wait(for: Self.searchInterval)
    }
    guard folder.mayBeRunning else {
      printMessage("the run '\(folder.name)' has ended")
      return nil
    }
    let hint = (try? folder.header()).map { "; to end it: kill \($0.process.number)" } ?? ""
    printMessage(
      "the run '\(folder.name)' is not published, so it cannot be asked for anything\(hint)")
    return nil
  }

  /// The only run here that goes on, nil if there is none.
  ///
  /// - Throws: `UsageError` if several go on.
  private static func onlyRun(_ search: RunSearch) throws -> FoundRun? {
    let running = RunFolder.ownRuns(
      try RunFolder.all(in: search.stateFolder).filter(\.mayBeRunning))
    guard running.count < 2 else {
      throw UsageError(
        details: running.map { "\($0.name)\n" }.joined(),
        message: "\(running.count) runs go on; name one of them")
    }
    return running.first.map { FoundRun(folder: $0, stateFolder: search.stateFolder) }
  }
}
