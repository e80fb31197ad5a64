internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem

/// The running attempts: reads their output, and follows each until no process of it is left.
///
/// An attempt is over when its own process has ended and no process that it started is left:
///
/// ```
///   running ─▶ exited, nothing left ─────────────────────────────▶ over
///                 │                                                  ▲
///                 ▼ leftovers                                        │
///              draining: they still write, for at most 200 ms        │
///                 │                                                  │
///                 ▼                                                  │
///              lingering: the loop ends the attempt ─▶ terminated ─▶ killed ─▶ given up
/// ```
///
/// The table decides when an attempt is over, `LaunchCore` which attempts start and end, and the executor carries it
/// out. Not thread safe: it belongs to the run loop.
struct AttemptTable: ~Copyable {
  /// How far an attempt is being ended.
  private enum Ending: Hashable {
    case none
    case terminated
    case killed(at: Duration)
  }

  /// The state of an attempt.
  private struct Entry {
    let attempt: Attempt
    /// Whether processes that it leaves behind may live on.
    let isDetached: Bool
    /// Whether its process is that of the task's condition, after which the command follows.
    var isCondition = false
    var log: TaskLog
    /// How its own process ended, nil while it runs.
    var result: Outcome?
    var ending = Ending.none
    /// Whether no process can write to its output any more.
    var isOutputOver = false
  }

  /// The stage that an attempt has reached.
  enum Stage: Hashable {
    /// Its own process runs, or its leftovers still write.
    case running
    /// Its own process has ended with a result, and leftovers run that were not asked to end.
    case lingering(Outcome)
    /// Its own process has ended, and its leftovers are being ended.
    case ending
    /// It has ended with a result, and no process of it is left.
    case over(Outcome)
    /// The condition of the task is true; its command is to be started.
    case conditionMet(Attempt)
  }

  /// How long an attempt is killed again before it is given up.
  static let killTimeout = Duration.seconds(5)
  /// The time between two attempts to kill what is left.
  static let killInterval = Duration.milliseconds(20)

  /// How long a task runs before the loop waits for its output; that of a shorter one is read once, at its end.
  ///
  /// A task that fills its pipe sooner waits that long, once.
  static let watchDelay = Duration.milliseconds(20)

  private let executor: any Executor
  /// The attempts, by the task's index.
  private var entries: [Int: Entry] = [:]
  /// The attempts whose output is not waited for yet, in the order of the times from which on it is.
  private var unwatched: [(attempt: Attempt, until: Duration)] = []
  /// The attempts whose own process has ended and that have leftovers, by the task's index.
  private var lingering: Set<Int> = []
  /// The attempts that are being killed, by the task's index.
  private var killed: Set<Int> = []
  private var drainTimeout = DrainTimeout()
  private var lastKill = Duration.zero
  /// What the latest attempts that have ended used, by the task's index, until the event of their end takes it.
  private var usages: [Int: (attempt: Int, usage: ResourceUsage)] = [:]
  /// The tasks whose leftovers may live on.
  private var detached: Set<TaskID> = []
  /// The tasks whose log is incomplete, with the error.
  private(set) var brokenLogs: [(task: TaskID, error: Int32)] = []

  /// Creates a table without attempts.
  init(executor: any Executor) { self.executor = executor }

  /// The next moment at which the table has something to do, nil if there is none.
  var nextDeadline: Duration? {
    let nextKill = killed.isEmpty ? nil : lastKill + Self.killInterval
    return earliest(earliest(unwatched.first?.until, drainTimeout.next), nextKill)
  }

  /// Whether `exits()` has something to report although no process has ended.
  func isDrainOver(at now: Duration) -> Bool { drainTimeout.next.map { $0 <= now } ?? false }
}

// MARK: - Starting and reading

extension AttemptTable {
  /// Starts an attempt.
  ///
  /// - Parameters:
  ///   - attempt: The attempt.
  ///   - request: Its command; the table sets the output file.
  ///   - log: The log of its task.
  ///   - isDetached: Whether processes that it leaves behind may live on.
  ///   - isCondition: Whether the command is the condition of the task.
  ///   - now: The time since the run began.
  /// - Returns: The reason why it could not be started, nil if it was.
  mutating func start(
    _ attempt: Attempt, _ request: AttemptRequest, log: consuming TaskLog, isDetached: Bool,
    isCondition: Bool = false, at now: Duration
  ) -> StartError? {
    var log = log
    var request = request
    if isDetached {
      // A process that outlives the run must not write into a pipe that nobody reads.
      request.outputFile = log.descriptor()
      guard request.outputFile != nil else {
        let words = errorDescription(log.failure)
        return StartError(reason: "cannot write the log of '\(request.arguments[0])': \(words)")
      }
    }
    do {
      try executor.start(attempt, request)
    } catch {
      log.note(error.reason)
      log.close()
      return error
    }
    if isDetached {
      detached.insert(attempt.task)
    } else {
      unwatched.append((attempt, now + Self.watchDelay))
    }
    entries[attempt.task.index] = Entry(
      attempt: attempt, isDetached: isDetached, isCondition: isCondition, log: log)
    return nil
  }

  /// Writes a note into the log of a task with an attempt under way.
  mutating func note(_ task: TaskID, _ text: String) { entries[task.index]?.log.note(text) }

  /// Looks for a text in what the attempt at a task prints from now on.
  mutating func search(for text: String, in task: TaskID) {
    entries[task.index]?.log.search = TextSearch(for: text)
  }

  /// Whether the text was found that is looked for in the output of a task.
  func hasFound(in task: TaskID) -> Bool { entries[task.index]?.log.search?.isFound ?? false }

  /// Whether an attempt at a task is under way.
  func isUnderWay(_ task: TaskID) -> Bool { entries[task.index] != nil }

  /// Whether an attempt has got as far as the end of its condition.
  func isConditionOver(_ attempt: Attempt) -> Bool {
    guard let entry = entries[attempt.task.index] else { return false }
    return entry.isCondition && entry.attempt == attempt
  }

  /// Starts the command of an attempt whose condition is true, with the same log.
  ///
  /// - Returns: Why it could not be started, nil if it runs.
  mutating func startCommand(
    _ attempt: Attempt, _ request: AttemptRequest, isDetached: Bool, at now: Duration
  ) -> StartError? {
    let index = attempt.task.index
    guard let entry = entries.removeValue(forKey: index) else { return nil }
    executor.release(attempt, keepsProcesses: false)
    lingering.remove(index)
    drainTimeout.cancel(index)
    return start(attempt, request, log: entry.log, isDetached: isDetached, at: now)
  }

  /// The outcome of a task whose condition ended on its own and is not true.
  private func outcome(ofCondition result: Outcome) -> Outcome {
    guard case .failed(let failure) = result else { return .skipped(.condition) }
    switch failure.cause {
    // What shells report for a command that they cannot run.
    case .exited(126), .exited(127):
      return .failed(.notStarted(reason: "its condition cannot be run: \(failure.description)"))
    case .exited: return .skipped(.condition)
    case .signalled, .notStarted, .threw:
      return .failed(.notStarted(reason: "its condition was ended: \(failure.description)"))
    }
  }

  /// Begins to wait for the output of attempts that have run for a while.
  mutating func watchOutputs(at now: Duration) {
    let due = unwatched.prefix { $0.until <= now || !isUnderWay($0.attempt) }
    unwatched.removeFirst(due.count)
    for (attempt, _) in due where isUnderWay(attempt) && !executor.watchOutput(of: attempt) {
      unwatched.append((attempt, now + Self.watchDelay))
    }
  }

  /// Reads output of an attempt.
  mutating func readOutput(of task: TaskID) { read(task.index, OutputReads.perTurn) }

  private func isUnderWay(_ attempt: Attempt) -> Bool {
    entries[attempt.task.index]?.attempt == attempt
  }

  private mutating func read(_ index: Int, _ reads: Int) {
    guard let slot = entries.index(forKey: index), !entries.values[slot].isOutputOver else {
      return
    }
    let attempt = entries.values[slot].attempt
    let isOver = unsafe executor.readOutput(of: attempt, reads: reads) { bytes in
      unsafe entries.values[slot].log.append(bytes)
    }
    entries.values[slot].isOutputOver = isOver
  }
}

// MARK: - Ending

extension AttemptTable {
  /// Asks an attempt to end.
  mutating func terminate(_ task: TaskID) {
    guard let attempt = entries[task.index]?.attempt else { return }
    executor.signal(attempt, .terminate)
    // A stopped process cannot respond.
    executor.signal(attempt, .resume)
    entries[task.index]?.ending = .terminated
    drainTimeout.cancel(task.index)
  }

  /// Ends an attempt by force.
  mutating func kill(_ task: TaskID, at now: Duration) {
    guard let attempt = entries[task.index]?.attempt else { return }
    executor.signal(attempt, .kill)
    entries[task.index]?.ending = .killed(at: now)
    drainTimeout.cancel(task.index)
    killed.insert(task.index)
  }

  /// Sends a signal to all attempts.
  func signalAll(_ signal: AttemptSignal) {
    for entry in entries.values.sorted(by: { $0.attempt.task < $1.attempt.task }) {
      executor.signal(entry.attempt, signal)
    }
  }

  /// Collects ended processes.
  ///
  /// - Returns: The tasks whose stage may have changed, ascending; `advance(_:at:)` returns it.
  mutating func exits() -> [TaskID] {
    var changed = lingering.isEmpty && killed.isEmpty ? [] : Array(lingering.union(killed))
    while let exit = executor.nextExit() {
      let index = exit.attempt.task.index
      guard entries[index]?.attempt == exit.attempt else { continue }
      entries[index]?.result = exit.result
      if let usage = exit.usage { note(usage, of: exit.attempt) }
      if !lingering.contains(index) && !killed.contains(index) { changed.append(index) }
    }
    return changed.sorted().map { TaskID($0) }
  }

  /// Adds what the process of an attempt has used, after that of its condition.
  private mutating func note(_ usage: ResourceUsage, of attempt: Attempt) {
    let earlier = usages[attempt.task.index]
    let whole =
      earlier?.attempt == attempt.number ? earlier?.usage.followed(by: usage) ?? usage : usage
    usages[attempt.task.index] = (attempt.number, whole)
  }

  /// Removes and returns what the attempt has used that ends with an event; nil if none does, or that is unknown.
  mutating func takeUsage(endingWith event: RunEvent.Kind) -> ResourceUsage? {
    switch event {
    case .taskEnded(let task, _, let attempts, _) where attempts > 0:
      takeUsage(of: Attempt(task: task, number: attempts))
    case .taskRetrying(let task, let next, _, _):
      takeUsage(of: Attempt(task: task, number: next - 1))
    default: nil
    }
  }

  private mutating func takeUsage(of attempt: Attempt) -> ResourceUsage? {
    guard usages[attempt.task.index]?.attempt == attempt.number else { return nil }
    return usages.removeValue(forKey: attempt.task.index)?.usage
  }

  /// Finds out which stage an attempt has reached; forgets it once it is over.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - now: The time since the run began.
  /// - Returns: The stage.
  mutating func advance(_ task: TaskID, at now: Duration) -> Stage {
    let index = task.index
    read(index, OutputReads.atEnd)
    guard let entry = entries[index], let result = entry.result else { return .running }
    let livesOn = entry.isDetached && entry.ending == .none
    if livesOn || !executor.hasLeftovers(entry.attempt) {
      if entry.isCondition {
        if entry.ending == .none, result == .succeeded { return .conditionMet(entry.attempt) }
        if entry.ending != .none { entries[index]?.log.note("ended while its condition ran") }
        let outcome =
          entry.ending == .none
          ? outcome(ofCondition: result)
          : .failed(.notStarted(reason: "its condition did not end before the time-out"))
        forget(index)
        return .over(outcome)
      }
      forget(index)
      return .over(result)
    }
    lingering.insert(index)
    if entry.ending != .none { return .ending }
    if !entry.isOutputOver && drainTimeout.allows(index, at: now) { return .running }
    drainTimeout.cancel(index)
    let names = executor.leftovers(of: entry.attempt).joined(separator: ", ")
    entries[index]?.log.note("left running, now ended: \(names)")
    guard entry.isCondition else { return .lingering(result) }
    return .lingering(
      result == .succeeded
        ? .failed(.notStarted(reason: "its condition left processes running: \(names)"))
        : outcome(ofCondition: result))
  }

  /// Kills again what is left of killed attempts, and gives up those that do not end.
  ///
  /// - Parameters:
  ///   - now: The time since the run began.
  ///   - endsAtOnce: Whether the run ends without waiting for what other machines say.
  ///   - afterEach: Called after each attempt was signalled: many of them take long.
  /// - Returns: The tasks whose attempts were given up, with what is known of their ends.
  mutating func killAgain(
    at now: Duration, endsAtOnce: Bool, afterEach: () -> Void
  ) -> [(task: TaskID, result: Outcome)] {
    guard !killed.isEmpty, now - lastKill >= Self.killInterval else { return [] }
    lastKill = now
    var givenUp: [(task: TaskID, result: Outcome)] = []
    for index in killed.sorted() {
      guard let entry = entries[index], case .killed(let since) = entry.ending else { continue }
      executor.signal(entry.attempt, .kill)
      afterEach()
      let isKnown = executor.mayGiveUp(entry.attempt)
      guard now - since > Self.killTimeout, isKnown || endsAtOnce else { continue }
      let names = executor.leftovers(of: entry.attempt).joined(separator: ", ")
      entries[index]?.log.note("could not be ended: \(names)")
      forget(index)
      let result = isKnown ? Outcome.failed(.signalled(number: Int(SIGKILL))) : .lost
      givenUp.append((entry.attempt.task, result))
    }
    return givenUp
  }

  /// The processes that live on although no task owns them any more.
  ///
  /// After a detached task, a process whose task is not known may be its daemon, and is not listed.
  func strays() -> [Stray] {
    executor.strays().filter { stray in
      stray.task.map { !detached.contains($0) } ?? detached.isEmpty
    }
  }

  private mutating func forget(_ index: Int) {
    read(index, OutputReads.atEnd)
    guard var entry = entries.removeValue(forKey: index) else { return }
    executor.release(entry.attempt, keepsProcesses: entry.isDetached)
    entry.log.close()
    if entry.log.failure != 0 { brokenLogs.append((entry.attempt.task, entry.log.failure)) }
    lingering.remove(index)
    killed.remove(index)
    drainTimeout.cancel(index)
  }
}

/// The earlier of two moments, of which each may be missing.
func earliest(_ first: Duration?, _ second: Duration?) -> Duration? {
  guard let first, let second else { return first ?? second }
  return min(first, second)
}
