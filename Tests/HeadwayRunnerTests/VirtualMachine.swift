import Glibc
import HeadwayFiles
import HeadwayLaunch
import HeadwayLock
import HeadwayRelay
import HeadwayRun
import Synchronization
import Testing

@testable import HeadwayRunner

/// A machine in memory and on virtual time: the executor, host and contents checker of a run loop.
///
/// Attempts follow scripts, and every wait jumps to the next moment. The same scripts give the same run.
final class VirtualMachine {
  /// The machine's time, which the clock of the run reads.
  final class Time: Sendable {
    private let nanoseconds = Atomic<Int64>(0)

    var now: Duration {
      get { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }
      set { nanoseconds.store(Int64(newValue / .nanoseconds(1)), ordering: .relaxed) }
    }
  }

  /// What a process does.
  struct Script {
    /// How long it runs, nil if it never ends.
    var duration: Duration? = .seconds(1)
    /// How long it takes to end once it is asked to, nil if it ignores that.
    var obedience: Duration? = .zero
    /// Whether it cannot even be killed.
    var isImmortal = false
    /// Whether it stops itself at once.
    var isStopped = false
    /// When it closes its output, nil if it does so by ending.
    var closesOutput: Duration?
    /// Whether nothing tells to which task it belongs once its parent has ended.
    var isHidden = false
  }

  /// What an attempt at a task does.
  struct AttemptScript {
    /// Its own process.
    var leader = Script()
    /// How its own process ends if it is not ended.
    var result = Outcome.succeeded
    /// What it uses, nil if that is unknown.
    var usage: ResourceUsage?
    /// The processes that it starts.
    var children: [Script] = []
    /// What it writes, and when.
    var output: [(at: Duration, text: String)] = []
    /// Whether it cannot be started.
    var cannotStart = false
    /// How often a process is created just when the attempt is killed, so that it is not killed with the others.
    var forksWhenKilled = 0
  }

  /// Something that comes from outside at a given time.
  enum Incident: Hashable {
    case signal(Int32, isForwarded: Bool)
    case togglePause
    case viewLeaves
    /// Another program asks for something.
    case ask(RunRequest)
    /// Wakes the loop although nothing has happened.
    case spuriousWake
  }

  /// A process.
  private final class Process {
    let id: Int
    let attempt: Attempt
    let isLeader: Bool
    let script: Script
    /// What is left of its run, nil if it never ends.
    var remaining: Duration?
    /// Since when it runs.
    var since: Duration
    var isSuspended: Bool
    /// Whether it ends once it is continued.
    var isAskedToEnd = false
    /// Whether it is known to belong to its attempt although it hides.
    var isClaimed = false
    /// When it closes its output.
    let outputEnd: Duration?
    var isOver = false
    /// Whether a signal has ended it.
    var endedBy: Int?

    init(_ id: Int, of attempt: Attempt, _ script: Script, isLeader: Bool, at now: Duration) {
      self.id = id
      self.attempt = attempt
      self.script = script
      self.isLeader = isLeader
      remaining = script.duration
      since = now
      isSuspended = script.isStopped
      outputEnd = script.closesOutput.map { now + $0 }
    }

    var end: Duration? { isSuspended || isOver ? nil : remaining.map { since + $0 } }
  }

  /// What the executor knows of an attempt.
  private struct Running {
    let attempt: Attempt
    let script: AttemptScript
    let start: Duration
    var written = 0
    var forks = 0
    var isWatched = false
    var hasReportedEnd = false
  }

  let time = Time()
  let clock: RunClock
  let control: RunControl
  /// The answers to requests: why they were refused, nil if they were not.
  var requestAnswers: [String?] { answersToRequests.list.withLock { $0.map(\.answer) } }
  /// The number of updates that listeners had received at each answer.
  var updatesBeforeAnswers: [Int] { answersToRequests.list.withLock { $0.map(\.updates) } }
  private let answersToRequests = RequestAnswers()
  /// Whether the last toggle of the pause asked for one.
  private var wantsPause = false
  /// The scripts of a task's attempts; the last one is for all further attempts.
  var scripts: [TaskID: [AttemptScript]] = [:]
  /// Whether tasks are up to date; true for those that are not named.
  var isUpToDate: [TaskID: Bool] = [:]
  /// How long the contents checker takes.
  var checkDelay = Duration.milliseconds(1)
  /// How long a look takes, nil if none is ever answered.
  var lookDelay: Duration? = .milliseconds(1)
  /// The tasks whose files a task changes when it is started.
  var rewrites: [TaskID: [TaskID]] = [:]
  /// Whether the run goes on if its terminal is closed.
  var ignoresHangup = false
  /// Whether events that come together are reported in the reverse order.
  var reversesEvents = false
  /// How late a wait may end.
  var lateness: (VirtualMachine) -> Duration = { _ in .zero }
  /// Whether the host has room for one more output.
  var hasRoom: () -> Bool = { true }

  /// Called before an attempt starts.
  var onStart: (Attempt) -> Void = { _ in }

  /// What has gone wrong in the calls of the loop.
  private(set) var violations: [String] = []
  /// The attempts that were started, in order.
  private(set) var started: [(attempt: Attempt, at: Duration)] = []
  /// The signals that attempts and strays were sent.
  private(set) var signals: [String] = []
  /// The looks that were asked for, in order.
  private(set) var looked: [(task: TaskID, at: Duration)] = []
  /// The tasks that were checked at their start, without those for which a look became the check.
  private(set) var checkedTasks: [TaskID] = []
  /// The tasks whose success was recorded.
  private(set) var kept: [TaskID] = []
  /// The number of waits after which a run hangs; most of these tests wait some hundred times.
  var mostWaits = 10_000
  /// The tasks whose output nobody reads for the time being.
  var unread: Set<TaskID> = []
  /// The number of waits.
  private(set) var waitCount = 0
  private(set) var endRequests = 0
  /// How often the loop has told the supervisor that it responds.
  private(set) var turns = 0

  /// The processes that live or were not reaped.
  private var processes: [Process] = []
  private var processCount = 0
  private var running: [Int: Running] = [:]
  private var incidents: [(at: Duration, Incident)] = []
  /// The answers that are on their way, and those that have come and were not taken.
  private var pendingAnswers: [(at: Duration, ContentsChecker.Answer)] = []
  private var arrivedAnswers: [ContentsChecker.Answer] = []
  /// The tasks whose questions were withdrawn.
  private(set) var withdrawn: [TaskID] = []
  private var hasHung = false

  init() throws {
    clock = RunClock { [time] in time.now }
    control = try RunControl()
  }

  /// Notes that the listeners of the run have received an update.
  func noteUpdate() { answersToRequests.updates.withLock { $0 += 1 } }

  /// Schedules something from outside.
  func schedule(_ incident: Incident, at moment: Duration) {
    incidents.append((moment, incident))
    incidents.sort { $0.at < $1.at }
  }

  /// The processes that live, as task, attempt and place among the attempt's processes.
  var survivors: [String] {
    processes.filter { !$0.isOver }.map { "\($0.attempt.task.index).\($0.attempt.number)" }
  }

  /// Whether a process of an attempt lives.
  func isAlive(_ attempt: Attempt) -> Bool {
    processes.contains { !$0.isOver && $0.attempt == attempt }
  }

  /// The attempts that were started and not released.
  var unreleased: [Attempt] { running.values.map(\.attempt) }
}

// MARK: - Host

extension VirtualMachine: RunHost {
  func wait(for timeout: Duration?) -> [HostEvent] {
    waitCount += 1
    if waitCount >= mostWaits { return unhang() }
    let limit = timeout.map { time.now + $0 }
    while true {
      let events = takeEvents()
      if !events.isEmpty { return reversesEvents ? events.reversed() : events }
      if let limit, time.now >= limit { return [] }
      guard let next = earliest(nextMoment, limit) else { return unhang() }
      // A wait may end late for its time, but not for an event.
      let isEvent = nextMoment.map { $0 <= next } ?? false
      time.now = max(time.now, next) + (isEvent ? .zero : lateness(self))
      advance()
    }
  }

  func takeTurn() { turns += 1 }

  /// Ends a run that would never end.
  private func unhang() -> [HostEvent] {
    precondition(
      !hasHung || waitCount < mostWaits + 1_000, "the run hangs, even after it was killed")
    if hasHung { return [] }
    hasHung = true
    violations.append("the run hangs at \(time.now)")
    return [.signal(SIGQUIT)]
  }

  /// The next moment at which something happens by itself.
  private var nextMoment: Duration? {
    var next = earliest(incidents.first?.at, pendingAnswers.map(\.at).min())
    for process in processes where !process.isOver {
      next = earliest(next, process.end)
    }
    for run in running.values
    where run.isWatched && !run.hasReportedEnd && !unread.contains(run.attempt.task) {
      if run.written < run.script.output.count {
        next = earliest(next, max(run.start + run.script.output[run.written].at, time.now))
      }
      next = earliest(next, outputEnd(of: run).flatMap { $0 > time.now ? $0 : nil })
    }
    return next
  }

  /// Ends the processes whose time has come.
  private func advance() {
    for process in processes {
      if let end = process.end, end <= time.now { process.isOver = true }
    }
  }

  private func takeEvents() -> [HostEvent] {
    var events: [HostEvent] = []
    if processes.contains(where: \.isOver) { events.append(.exits) }
    for run in running.values.sorted(by: { $0.attempt.task < $1.attempt.task })
    where run.isWatched && !run.hasReportedEnd && !unread.contains(run.attempt.task) {
      let hasOutput = run.written < run.script.output.count && isWritten(run, run.written)
      let isOver = outputEnd(of: run).map { $0 <= time.now } ?? false
      if hasOutput || isOver { events.append(.output(run.attempt.task)) }
    }
    let arriving = pendingAnswers.filter { $0.at <= time.now }
    if !arriving.isEmpty {
      pendingAnswers.removeAll { $0.at <= time.now }
      arrivedAnswers += arriving.map(\.1)
      events.append(.answers)
    }
    while let incident = incidents.first, incident.at <= time.now {
      incidents.removeFirst()
      switch incident.1 {
      case .signal(let signal, let isForwarded):
        if isForwarded { endRequests += 1 }
        events.append(.signal(signal))
      case .togglePause:
        wantsPause.toggle()
        control.requests.ask(wantsPause ? .pause : .unpause) { _ in }
        events.append(.request)
      case .viewLeaves:
        control.noteViewHasLeft()
        events.append(.request)
      case .ask(let request):
        let answers = answersToRequests
        control.requests.ask(request) { answer in
          answers.list.withLock { $0.append((answer, answers.updates.withLock(\.self))) }
        }
        events.append(.request)
      case .spuriousWake: return events
      }
    }
    return events
  }

  /// Whether the attempt has come to write a piece of its output.
  private func isWritten(_ run: Running, _ piece: Int) -> Bool {
    run.start + run.script.output[piece].at <= time.now
  }

  /// When the output of an attempt ends, nil if that is not known yet.
  private func outputEnd(of run: Running) -> Duration? {
    var end = Duration.zero
    for process in processes where process.attempt == run.attempt {
      if process.isOver { continue }
      guard let closes = process.outputEnd else { return nil }
      end = max(end, closes)
    }
    return end
  }
}

// MARK: - Executor

extension VirtualMachine: Executor {
  func start(_ attempt: Attempt, _ request: AttemptRequest) throws(StartError) {
    onStart(attempt)
    if clock.isStopped { violations.append("started \(attempt) in a pause") }
    if running[attempt.task.index] != nil { violations.append("started \(attempt) beside another") }
    let list = scripts[attempt.task] ?? [AttemptScript()]
    let script = list[min(attempt.number, list.count) - 1]
    if script.cannotStart { throw StartError(reason: "no such program") }
    started.append((attempt, time.now))
    for task in rewrites[attempt.task] ?? [] { isUpToDate[task] = false }
    running[attempt.task.index] = Running(attempt: attempt, script: script, start: time.now)
    for (index, process) in ([script.leader] + script.children).enumerated() {
      processes.append(
        Process(processCount, of: attempt, process, isLeader: index == 0, at: time.now))
      processCount += 1
    }
  }

  func signal(_ attempt: Attempt, _ signal: AttemptSignal) {
    signals.append("\(signal) \(attempt.task.index).\(attempt.number)")
    guard running[attempt.task.index]?.attempt == attempt else {
      return violations.append("signalled \(attempt), which is not under way")
    }
    let isParentAlive = processes.contains { $0.attempt == attempt && $0.isLeader && !$0.isOver }
    for process in processes where process.attempt == attempt && !process.isOver {
      let isHidden = process.script.isHidden && !process.isClaimed
      if isHidden && !isParentAlive { continue }
      if signal == .terminate || signal == .kill { process.isClaimed = true }
      send(signal, to: process)
    }
    if signal == .kill { fork(attempt) }
  }

  /// Creates a process of an attempt that was just killed.
  private func fork(_ attempt: Attempt) {
    guard let run = running[attempt.task.index], run.forks < run.script.forksWhenKilled else {
      return
    }
    running[attempt.task.index]?.forks += 1
    let script = Script(duration: nil, obedience: nil)
    processes.append(Process(processCount, of: attempt, script, isLeader: false, at: time.now))
    processCount += 1
  }

  /// Does to a process what a signal does.
  private func send(_ signal: AttemptSignal, to process: Process) {
    func end(after delay: Duration, by number: Int32) {
      process.remaining = min(process.remaining ?? delay, delay)
      process.endedBy = Int(number)
      if process.end.map({ $0 <= time.now }) ?? false { process.isOver = true }
    }
    if !process.isSuspended, let remaining = process.remaining {
      process.remaining = max(.zero, remaining - (time.now - process.since))
    }
    process.since = time.now
    switch signal {
    case .suspend: process.isSuspended = true
    case .terminate:
      guard let obedience = process.script.obedience else { return }
      if process.isSuspended {
        process.isAskedToEnd = true
      } else {
        end(after: obedience, by: SIGTERM)
      }
    case .resume:
      process.isSuspended = false
      if process.isAskedToEnd, let obedience = process.script.obedience {
        end(after: obedience, by: SIGTERM)
      }
    case .kill:
      if process.script.isImmortal { return }
      process.isSuspended = false
      end(after: .zero, by: SIGKILL)
    }
  }

  func nextExit() -> AttemptExit? {
    while let index = processes.firstIndex(where: \.isOver) {
      let process = processes.remove(at: index)
      guard process.isLeader, let run = running[process.attempt.task.index],
        run.attempt == process.attempt
      else { continue }
      let result = process.endedBy.map { .failed(.signalled(number: $0)) } ?? run.script.result
      return AttemptExit(attempt: process.attempt, result: result, usage: run.script.usage)
    }
    return nil
  }

  func watchOutput(of attempt: Attempt) -> Bool {
    guard hasRoom() else { return false }
    running[attempt.task.index]?.isWatched = true
    return true
  }

  func readOutput(
    of attempt: Attempt, reads: Int, _ take: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    guard let run = running[attempt.task.index], run.attempt == attempt else {
      violations.append("read output of \(attempt), which is not under way")
      return true
    }
    var written = run.written
    for _ in 0..<reads where written < run.script.output.count && isWritten(run, written) {
      unsafe Array(run.script.output[written].text.utf8).withUnsafeBytes { unsafe take($0) }
      written += 1
    }
    running[attempt.task.index]?.written = written
    let isOver = outputEnd(of: run).map { $0 <= time.now } ?? false
    running[attempt.task.index]?.hasReportedEnd = isOver
    return isOver
  }

  /// The living processes of an attempt beside its own one.
  private func left(of attempt: Attempt) -> [Process] {
    processes.filter {
      $0.attempt == attempt && !$0.isOver && (!$0.script.isHidden || $0.isClaimed || $0.isLeader)
    }
  }

  func hasLeftovers(_ attempt: Attempt) -> Bool { !left(of: attempt).isEmpty }

  func leftovers(of attempt: Attempt) -> [String] { left(of: attempt).map { "process \($0.id)" } }

  func release(_ attempt: Attempt, keepsProcesses: Bool) {
    guard let run = running.removeValue(forKey: attempt.task.index), run.attempt == attempt else {
      return violations.append("released \(attempt), which is not under way")
    }
    if !keepsProcesses, left(of: attempt).contains(where: { !$0.script.isImmortal }) {
      violations.append("released \(attempt), of which processes are left")
    }
    for process in processes where process.attempt == attempt && process.isLeader {
      if !process.script.isImmortal {
        violations.append("released \(attempt), which was not reaped")
      }
    }
  }

  func strays() -> [Stray] {
    processes.filter { !$0.isOver && running[$0.attempt.task.index]?.attempt != $0.attempt }.map {
      let isKnown = !$0.script.isHidden || $0.isClaimed
      return Stray(task: isKnown ? $0.attempt.task : nil, name: "process \($0.id)", id: $0.id)
    }
  }

  func signal(_ stray: Stray, _ signal: AttemptSignal) {
    signals.append("\(signal) stray \(stray.id)")
    for process in processes where process.id == stray.id && !process.isOver {
      send(signal, to: process)
    }
  }
}

// MARK: - Contents

extension VirtualMachine: ContentsChecking {
  /// The state of files that nobody looks at.
  static let noState = ContentsRecord.State(command: "", inputs: "", outputs: "", unmatched: [])

  func look(_ look: ContentsChecker.Look) {
    looked.append((look.task, time.now))
    guard let lookDelay else { return }
    // One after the other, and the files are read first of all.
    let begin = pendingAnswers.last { $0.1.isLook }?.at ?? time.now
    let isChanged = !(isUpToDate[look.task] ?? true)
    pendingAnswers.append(
      (
        max(begin, time.now) + lookDelay,
        .looked(look.task, number: look.number, isChanged: isChanged)
      ))
  }

  func ask(_ question: ContentsChecker.Question) {
    switch question {
    case .check(let task, _):
      // A look that was not withdrawn becomes the check.
      if let index = pendingAnswers.firstIndex(where: { $0.1.isLook && $0.1.task == task }) {
        guard case .looked(_, _, let isChanged) = pendingAnswers[index].1 else { return }
        pendingAnswers[index].1 = .checked(task, isUpToDate: !isChanged, Self.noState)
        return
      }
      checkedTasks.append(task)
    case .keep(let task, _, _): kept.append(task)
    }
    let answer: ContentsChecker.Answer =
      switch question {
      case .check(let task, _):
        .checked(task, isUpToDate: isUpToDate[task] ?? true, Self.noState)
      case .keep(let task, _, _): .kept(task, hasChanged: true, unmatched: [])
      }
    pendingAnswers.append((time.now + checkDelay, answer))
  }

  func cancel(_ task: TaskID) {
    withdrawn.append(task)
    pendingAnswers.removeAll { $0.1.task == task }
  }

  func answers() -> [ContentsChecker.Answer] {
    defer { arrivedAnswers = [] }
    return arrivedAnswers
  }
}

extension ContentsChecker.Answer {
  /// The task.
  fileprivate var task: TaskID {
    switch self {
    case .checked(let task, _, _), .kept(let task, _, _), .looked(let task, _, _): task
    }
  }

  /// Whether it is the answer to a look.
  fileprivate var isLook: Bool {
    if case .looked = self { true } else { false }
  }
}

/// The answers to requests about tasks.
private final class RequestAnswers: Sendable {
  let list = Guarded<[(answer: String?, updates: Int)]>([])
  /// The number of updates that listeners have received.
  let updates = Guarded(0)
}
