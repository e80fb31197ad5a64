internal import HeadwayFiles
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayState
internal import HeadwayText

/// How far each task with inputs has got with its files, from the first look to the record of its success.
///
/// ```
///   looked at ─▶ checking ─▶ up to date
///                   │
///                   ▼
///                running ─▶ keeping ─▶ succeeded
/// ```
///
/// `UpToDateScan` decides whose files are looked at, and the checker reads them. Not thread safe: it belongs to the run loop.
struct FileChecks {
  /// How far a task has got.
  private enum Stage {
    /// The checker finds out whether it is up to date; then the attempt starts.
    case checking(Attempt)
    /// Its files were in this state before it ran.
    case running(ContentsRecord.State)
    /// It has succeeded, and the checker records the state of its files.
    case keeping
  }

  /// The maximum number of tasks that are named because files of theirs do not exist.
  private static let maxUnmatched = 10

  private let work: RunWork
  private let checker: any ContentsChecking
  /// Which files are looked at before workers need to know; nil if no task may be up to date.
  private var scan: UpToDateScan?
  /// The tasks that have got further than that.
  private var stages: [TaskID: Stage] = [:]
  /// The checker's answers that were not handled yet.
  private var answers: [ContentsChecker.Answer] = []
  /// The tasks that succeeded although some of their patterns match no file, with what follows from that.
  private var unmatched: [(task: TaskID, reason: String)] = []
  /// Why tasks with inputs ran, if that was asked for.
  private var explanations: [(task: TaskID, reason: String)] = []

  /// Prepares to look at files.
  ///
  /// - Parameters:
  ///   - work: The commands of the tasks.
  ///   - checker: Reads the files.
  ///   - isForced: Whether a task runs even if it is up to date.
  init(_ work: RunWork, _ checker: any ContentsChecking, isForced: (TaskID) -> Bool) {
    self.work = work
    self.checker = checker
    scan = work.isForced ? nil : UpToDateScan(work.plan.tasks) { !isForced($0) }
  }

  // MARK: Looks

  /// Whether a task may be up to date.
  var mayFindUpToDate: Bool { scan != nil }

  /// Whether each task was looked at, was checked or has ended.
  var isPassOver: Bool { scan?.isPassOver ?? true }

  /// Takes notice of an event of the run.
  mutating func receive(_ event: RunEvent.Kind) {
    if case .taskEnded(let task, _, _, _) = event { stages[task] = nil }
    scan?.receive(event)
  }

  /// Whether a look has shown that a task is up to date whose turn has come.
  func isUpToDate(_ task: TaskID) -> Bool { scan?.isUpToDate(task) == true }

  /// Takes the next task that is ready and up to date, nil if there is none.
  mutating func nextUpToDate(isReady: (TaskID) -> Bool) -> TaskID? {
    scan?.nextUpToDate(isReady: isReady)
  }

  /// Has the files of further tasks looked at.
  mutating func lookFurther(isReady: (TaskID) -> Bool) {
    while let next = scan?.next(isReady: isReady) {
      guard let subject = work.subject(of: next.task) else { continue }
      checker.look(ContentsChecker.Look(task: next.task, subject: subject, number: next.number))
    }
  }

  /// Takes what a look has found.
  ///
  /// - Returns: Whether that is of use: the look was not withdrawn.
  mutating func takeLook(_ task: TaskID, number: Int, isChanged: Bool) -> Bool {
    scan?.answer(task, number: number, isChanged: isChanged) == true
  }

  /// Withdraws the looks that are of no use any more.
  mutating func withdrawLooks() {
    while let task = scan?.nextStale() { checker.cancel(task) }
  }

  // MARK: Checks

  /// The tasks that are being checked: they have a worker, but do not run yet.
  var tasksBeingChecked: some Sequence<TaskID> {
    stages.lazy.filter { if case .checking = $0.value { true } else { false } }.map(\.key)
  }

  /// Has the files of a task checked before it starts.
  mutating func check(_ attempt: Attempt, _ subject: ContentsRecord.Subject) {
    scan?.leave(attempt.task)
    // Before the check, which would take over the look otherwise.
    withdrawLooks()
    stages[attempt.task] = .checking(attempt)
    checker.ask(.check(attempt.task, subject))
  }

  /// Ends the check of a task with what it has found.
  ///
  /// - Returns: The attempt that waits for it; nil if the check was withdrawn.
  mutating func endCheck(_ task: TaskID, _ state: ContentsRecord.State) -> Attempt? {
    guard case .checking(let attempt) = stages[task] else { return nil }
    scan?.wasChecked(task)
    stages[task] = .running(state)
    return attempt
  }

  /// Withdraws the check of a task.
  ///
  /// - Returns: Whether it was being checked.
  mutating func withdrawCheck(of task: TaskID) -> Bool {
    guard case .checking = stages[task] else { return false }
    stages[task] = nil
    checker.cancel(task)
    return true
  }

  // MARK: Keeping

  /// Whether the files of a task were checked, so that their state is recorded after its success.
  func isKept(_ task: TaskID) -> Bool {
    if case .running = stages[task] { true } else { false }
  }

  /// Has the state of the files of a task recorded, because it has succeeded.
  mutating func keep(_ task: TaskID, _ subject: ContentsRecord.Subject) {
    guard case .running(let state) = stages[task] else { return }
    stages[task] = .keeping
    checker.ask(.keep(task, subject, checked: state))
  }

  /// Notes that the state of the files of a task was recorded.
  ///
  /// - Returns: Whether that was waited for.
  mutating func endKeeping(_ task: TaskID) -> Bool {
    guard case .keeping = stages[task] else { return false }
    stages[task] = nil
    return true
  }

  /// Stops recording: the tasks will run again next time.
  ///
  /// - Returns: The tasks that waited for it, ascending.
  mutating func stopKeeping() -> [TaskID] {
    let tasks = stages.keys.filter { if case .keeping = stages[$0] { true } else { false } }
      .sorted()
    for task in tasks {
      stages[task] = nil
      checker.cancel(task)
    }
    return tasks
  }

  // MARK: Answers

  /// Collects what the checker has answered.
  mutating func collectAnswers() { answers += checker.answers() }

  /// Takes the answers that were not handled yet.
  mutating func takeAnswers() -> [ContentsChecker.Answer] {
    defer { answers = [] }
    return answers
  }

  // MARK: What is said at the end

  /// Notes why a task ran that could have been up to date, if that was asked for.
  mutating func explain(_ task: TaskID, _ state: ContentsRecord.State) {
    guard work.explains else { return }
    explanations.append((task, work.isForced ? "forced" : state.reason ?? "not checked"))
  }

  /// Notes that a task has succeeded although some of its patterns match no file.
  mutating func note(_ task: TaskID, unmatched patterns: [String]) {
    guard !patterns.isEmpty else { return }
    let reason = "will run again next time: no file matches \(patterns.joined(separator: ", "))"
    var log = work.log(of: task)
    log.note(reason)
    log.close()
    unmatched.append((task, reason))
  }

  /// What is said about the files of the tasks, a line each: those that do not exist, only the first of many, and why tasks ran.
  var lines: [String] {
    var lines = unmatched.prefix(Self.maxUnmatched).map { line(about: $0.task, $0.reason) }
    let rest = unmatched.count - lines.count
    if rest > 0 {
      lines.append(
        "\(counted(rest, "more task")) will run again next time because of missing files")
    }
    return lines + explanations.map { line(about: $0.task, "ran: \($0.reason)") }
  }

  private func line(about task: TaskID, _ reason: String) -> String {
    "task '\(work.plan.tasks[task.index].name)' \(work.masked(reason).sanitized)"
  }
}
