internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayTerminal
internal import HeadwayView

/// `headway logs`: prints what tasks have written, and follows it.
struct LogsCommand {
  private let words: [String]
  private let search: RunSearch
  private let follows: Bool
  private let isJSON: Bool
  /// The number of lines of each task that are printed first, nil for all.
  private let tail: Int?

  /// Reads the arguments.
  ///
  /// - Throws: `UsageError`.
  init(_ arguments: [String]) throws(UsageError) {
    let parsed = try Arguments(arguments, known: Command.logs.options)
    words = parsed.words
    search = try RunSearch(parsed)
    follows = parsed.options["--follow"] != nil
    isJSON = parsed.options["--json"] != nil
    tail = try parsed.wholeNumber("--tail")
  }

  /// Prints the logs.
  ///
  /// - Throws: `UsageError`, `StateError` or `RunnerError`.
  func run() throws -> ExitCode {
    guard let found = try search.findWithTasks(words) else { return search.notFound(words.first) }
    let header = try found.run.folder.header()
    let tasks = try header.chosen(found.tasks)
    let logs = try RunLogs(of: header.record, in: found.run.stateFolder)
    var printer = try LogPrinter(
      found.run.folder, header, tasks, logs, description(header, tasks, logs), isJSON: isJSON)
    try printer.read()
    try printer.printAll(last: tail, follows: follows)
    if follows { try printer.follow() }
    for warning in printer.warnings { printMessage(warning) }
    return .success
  }

  /// The run as its logs are printed: a name before each line unless there is one task only.
  private func description(
    _ header: RunHeader, _ tasks: [TaskID], _ logs: RunLogs
  ) -> RunDescription {
    var output = OutputOptions()
    output.mode = .stream
    output.isTerminal = isTerminal(STDOUT_FILENO)
    output.showsNames = tasks.count { !header.tasks[$0.index].command.isEmpty } > 1
    return RunDescription(header, logs: logs, output: output, screen: STDOUT_FILENO)
  }
}

extension RunHeader {
  /// The tasks that are named, all without names.
  ///
  /// - Throws: `UsageError` for a name that no task has.
  func chosen(_ words: [String]) throws(UsageError) -> [TaskID] {
    guard !words.isEmpty else { return tasks.indices.map { TaskID($0, name: tasks[$0].name) } }
    do {
      return try tasks(named: words)
    } catch {
      throw UsageError(message: "run '\(run)': \(error)")
    }
  }
}

/// Prints the logs of some tasks of a run, and follows its journal to know which of them run.
private struct LogPrinter: ~Copyable {
  /// How often is checked whether the run is alive, in case that it dies.
  private static let checkInterval = Duration.milliseconds(500)
  /// How often the logs are read if the system cannot tell when they grow.
  private static let readInterval = Duration.milliseconds(100)

  private let folder: RunFolder
  private let header: RunHeader
  private let tasks: [TaskID]
  private let chosen: Set<TaskID>
  private let logs: RunLogs
  private var feed: LogFeed
  private var journal: JournalFollower
  /// What is to be written.
  private var output: [UInt8] = []

  init(
    _ folder: RunFolder, _ header: RunHeader, _ tasks: [TaskID], _ logs: RunLogs,
    _ description: RunDescription, isJSON: Bool
  ) throws(StateError) {
    journal = try JournalFollower(
      folder, header, JournalReader(header, collectsRecords: false))
    self.folder = folder
    self.header = header
    self.logs = logs
    self.tasks = tasks
    chosen = Set(tasks)
    let style = TerminalStyle(environment: environmentValue)
    feed = LogFeed(description, isJSON: isJSON, color: style.color)
  }

  /// What is wrong with the journal.
  var warnings: [String] { StoredRun(header, journal.reader, isRunning: nil).warnings }

  /// The state of the run, as far as it was read.
  private var state: RunState { journal.reader.state }

  /// Reads what is there.
  mutating func read() throws(StateError) {
    while case .events = try journal.next() {}
  }

  /// Whether a task writes, or will.
  private func isOpen(_ task: TaskID) -> Bool { state.outcome(of: task) == nil }

  /// Prints what is there, task by task in the order in which they began; those that run come last.
  ///
  /// - Parameters:
  ///   - count: The number of lines of each, nil for all.
  ///   - follows: Whether what runs is read on later.
  /// - Throws: `RunnerError` if it cannot be written.
  mutating func printAll(last count: Int?, follows: Bool) throws(RunnerError) {
    let state = state
    let order = tasks.filter { logs.size(of: $0) > 0 || state.tasks[$0.index].attempts > 0 }
      .sorted { one, two in
        let (first, second) = (state.tasks[one.index], state.tasks[two.index])
        return (first.firstStart, one) < (second.firstStart, two)
      }
    for task in order {
      if let count { feed.skip(task, toLast: count) }
      if follows, isOpen(task) {
        if state.tasks[task.index].phase != .waiting { feed.begin(task) }
      } else {
        try finish(task)
      }
    }
  }

  /// Prints what comes until the run has ended, or none of the tasks is left.
  mutating func follow() throws {
    let watch = folder.watchWithLogs()
    while true {
      let next = try journal.next()
      if case .events(let events) = next { try take(events) }
      let hasMore = feed.next(into: &output)
      try write()
      if state.total != nil || !hasOpenTask { return }
      switch next {
      case .events: continue
      case .died:
        for task in feed.running.sorted() { try finish(task) }
        return printMessage("the run has died; what was under way is lost")
      case .nothing:
        if hasMore { continue }
        guard wait(for: watch) else { return endByClosedPipe() }
        journal.checkProcess()
      }
    }
  }

  private var hasOpenTask: Bool { tasks.contains { isOpen($0) } }

  /// Takes notice of events of the run.
  private mutating func take(_ events: [RunEvent]) throws(RunnerError) {
    for event in events {
      switch event.kind {
      case .taskStarted(let task, _) where chosen.contains(task): feed.begin(task)
      case .taskEnded(let task, _, _, _) where chosen.contains(task): try finish(task)
      default: break
      }
    }
  }

  /// Prints the rest of a log.
  private mutating func finish(_ task: TaskID) throws(RunnerError) {
    while !feed.finish(task, into: &output) { try write() }
    try write()
  }

  private mutating func write() throws(RunnerError) {
    guard !output.isEmpty else { return }
    defer { output.removeAll(keepingCapacity: true) }
    let error = writeAll(STDOUT_FILENO, output)
    if error == EPIPE { endByClosedPipe() }
    guard error == 0 else { throw .lostOutput(error) }
  }

  /// Waits until the journal or a log may have grown.
  ///
  /// - Returns: Whether somebody reads what is printed.
  private func wait(for watch: FolderWatch?) -> Bool {
    var entries = [
      pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      pollfd(fd: watch?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let limit = watch == nil ? Self.readInterval : Self.checkInterval
    _ = unsafe poll(&entries, 2, Int32(limit / .milliseconds(1)))
    watch?.clear()
    return entries[0].revents & Int16(POLLERR | POLLHUP) == 0
  }

  /// Ends as a program does that writes to a closed pipe.
  private func endByClosedPipe() {
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }
}
