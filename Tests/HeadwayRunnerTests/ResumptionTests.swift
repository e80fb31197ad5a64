import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// What of an earlier run counts in a run that goes on with it.
struct ResumptionTests {
  private let failure = Outcome.failed(.exited(code: 1))

  /// Decides about tasks after earlier runs, the newest first.
  private func resumption(
    _ tasks: [Plan.Task], after runs: StoredRun..., done: Set<String> = [], again: Set<String> = []
  ) throws -> Resumption {
    var earlier = EarlierRuns(runs)
    (earlier.done, earlier.again) = (done, again)
    let run = try LoopRun(tasks)
    return Resumption(run.header, run.plan, earlier)
  }

  /// The names of the tasks that end before the run begins, with their outcomes.
  private func ended(_ resumption: Resumption) -> [String: Outcome] {
    Dictionary(
      resumption.ended.map { (resumption.name(of: $0.task), $0.outcome) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The names of the tasks that count as done at once.
  private func done(_ resumption: Resumption) -> Set<String> {
    Set(ended(resumption).filter { $0.value == .skipped(.doneEarlier) }.keys)
  }

  private func changed(_ task: Plan.Task) -> Plan.Task {
    var task = task
    task.command = .program(["false"])
    return task
  }

  @Test func `What succeeded is done, and all else runs`() throws {
    let tasks: [Plan.Task] = [
      .make("a"), .make("b"), .make("c"), .make("d"), .make("e"), .make("f"), .make("g"),
    ]
    let run = try EarlierRun.make(
      tasks,
      [
        "a": .succeeded, "b": failure, "c": .cancelled, "d": .skipped(.upToDate),
        "e": .timedOut(limit: .seconds(1)),
      ], active: ["f"])
    let resumption = try resumption(tasks, after: run)
    #expect(done(resumption) == ["a", "d"])
    #expect(resumption.lost.map(\.index) == [5])
    #expect(resumption.doneCount == 2 && resumption.commandCount == 7)
    #expect(run.state.outcome(of: TaskID(5)) == .lost)
  }

  @Test func `A task that has changed runs again, with all that comes after it`() throws {
    let tasks: [Plan.Task] = [
      .make("a"), .make("b", after: [0]), .make("c", after: [1]), .make("d"),
    ]
    let run = try EarlierRun.make(
      tasks, ["a": .succeeded, "b": .succeeded, "c": .succeeded, "d": .succeeded])
    let resumption = try resumption([changed(tasks[0])] + tasks[1...], after: run)
    #expect(done(resumption) == ["d"])
    #expect(resumption.changed.map(\.task.index) == [0, 1, 2])
    #expect(
      resumption.changed.map(\.why) == [.command, .after(TaskID(0)), .after(TaskID(1))])
    #expect(
      resumption.lines("died") == [
        "resuming run 20260101-000000-1, which died: 1 of 4 tasks done",
        "run again, as the command has changed: 'a'",
        "run again, as something before them does: 'b' after 'a', 'c' after 'b'",
      ])
  }

  @Test func `A changed environment or directory is told from a changed command`() throws {
    let run = try EarlierRun.make([.make("a")], ["a": .succeeded])
    let moved = Plan.Task.make("a") { $0.directory = "elsewhere" }
    #expect(try resumption([moved], after: run).changed.map(\.why) == [.surroundings])
  }

  @Test func `New tasks run, and removed ones are named`() throws {
    let run = try EarlierRun.make(
      [.make("a"), .make("old")], ["a": .succeeded, "old": .succeeded])
    let resumption = try resumption([.make("a"), .make("new", after: [0])], after: run)
    #expect(done(resumption) == ["a"])
    #expect(resumption.added.map(\.index) == [1] && resumption.removed == ["old"])
  }

  @Test func `A task that comes after a new one runs again, also behind a group`() throws {
    let old: [Plan.Task] = [
      .make("x"), .make("all", after: [0]) { $0.command = nil }, .make("z", after: [1]),
    ]
    let run = try EarlierRun.make(
      old, ["x": .succeeded, "all": .succeeded, "z": .succeeded])
    #expect(try done(resumption(old, after: run)) == ["x", "all", "z"])
    let grown: [Plan.Task] = [
      .make("x"), .make("all", after: [0, 3]) { $0.command = nil }, .make("z", after: [1]),
      .make("y"),
    ]
    #expect(try done(resumption(grown, after: run)) == ["x"])
  }

  @Test func `What was done in a chain of runs stays done`() throws {
    let tasks: [Plan.Task] = [.make("a"), .make("b", after: [0]), .make("c", after: [1])]
    let first = try EarlierRun.make(tasks, ["a": .succeeded, "b": failure])
    let second = try EarlierRun.make(
      tasks, ["a": .skipped(.doneEarlier), "b": .succeeded], active: ["c"])
    #expect(try done(resumption(tasks, after: second, first)) == ["a", "b"])
    // A run that died before it said anything knows nothing.
    let third = try EarlierRun.make(tasks)
    #expect(try done(resumption(tasks, after: third, second, first)) == ["a", "b"])
    // The oldest may have been removed.
    #expect(try done(resumption(tasks, after: second)) == ["a", "b"])
  }

  @Test func `A success is stale if something before it has run since`() throws {
    let tasks: [Plan.Task] = [.make("a"), .make("b", after: [0])]
    let first = try EarlierRun.make(tasks, ["a": .succeeded, "b": .succeeded])
    // It was run again by request, and then the run died.
    let second = try EarlierRun.make(tasks, ["a": .succeeded])
    let resumption = try resumption(tasks, after: second, first)
    #expect(done(resumption) == ["a"])
    #expect(resumption.fates[1] == .runs)
  }

  @Test func `A person decides with done and again`() throws {
    let tasks: [Plan.Task] = [.make("a"), .make("b", after: [0]), .make("c", after: [1])]
    let run = try EarlierRun.make(tasks, ["a": .succeeded, "b": failure])
    #expect(try done(resumption(tasks, after: run, done: ["b"])) == ["a", "b"])
    #expect(try done(resumption(tasks, after: run, again: ["a"])) == [])
  }

  @Test func `That a task is to run again is known until it was started`() throws {
    let tasks: [Plan.Task] = [.make("a"), .make("b"), .make("c")]
    let first = try EarlierRun.make(tasks, ["a": .succeeded, "b": .succeeded])
    let second = try EarlierRun.make(tasks, ["a": .succeeded], again: ["a", "b"])
    #expect(EarlierRuns([second, first]).again == ["b"])
    #expect(try done(resumption(tasks, after: first, again: ["b"])) == ["a"])
    let third = try EarlierRun.make(tasks, [:], active: ["b"])
    #expect(EarlierRuns([third, second, first]).again == [])
    // What was wanted before a task was started does not count any more.
    let fourth = try EarlierRun.make(tasks, [:], again: ["b"])
    #expect(EarlierRuns([fourth, third, second, first]).again == ["b"])
  }

  @Test func `That a task counts as done is known until it was started`() throws {
    let tasks: [Plan.Task] = [.make("a"), .make("b", after: [0]), .make("c", after: [1])]
    let first = try EarlierRun.make(tasks, ["a": failure])
    let second = try EarlierRun.make(
      tasks, ["a": failure, "c": .skipped(.doneEarlier)], done: ["c"])
    #expect(EarlierRuns([second, first]).done == ["c"])
    let third = try EarlierRun.make(tasks, ["a": failure], again: ["c"])
    #expect(EarlierRuns([third, second, first]).done == [])
    #expect(EarlierRuns([third, second, first]).again == ["c"])
  }

  // MARK: Once

  private func once(_ name: String, after: [Int] = []) -> Plan.Task {
    .make(name, after: after) { $0.isOnce = true }
  }

  @Test(arguments: [
    Outcome.lost, .timedOut(limit: .seconds(1)), .cancelled, .failed(.signalled(number: 9)),
  ])
  func `A task that runs once and did not end by itself is not run again`(outcome: Outcome) throws {
    let tasks = [once("deploy"), .make("tell", after: [0])]
    let run = try EarlierRun.make(
      tasks, outcome == .lost ? [:] : ["deploy": outcome], active: ["deploy"])
    let resumption = try resumption(tasks, after: run)
    #expect(ended(resumption) == ["deploy": .lost])
    #expect(
      resumption.questions(after: "NOW").dropFirst() == [
        "  if it was done: headway resume NOW --done deploy",
        "  to run it again: headway resume NOW --again deploy",
      ])
    // Also after a run that has said so.
    let second = try EarlierRun.make(tasks, ["deploy": .lost])
    #expect(try ended(self.resumption(tasks, after: second, run)) == ["deploy": .lost])
    #expect(try ended(self.resumption(tasks, after: second, run, again: ["deploy"])) == [:])
    #expect(
      try done(self.resumption(tasks, after: second, run, done: ["deploy"])) == ["deploy"])
  }

  @Test
  func `Without a journal, or with a damaged one, a task that runs once may have been started`()
    throws
  {
    let tasks = [once("deploy"), .make("other")]
    var header = try LoopRun(tasks).header
    header.run = "20260101-000000-1"
    let gone = StoredRun(header, JournalReader(header), isRunning: false, isMissing: true)
    #expect(gone.warnings.count == 1 && gone.warnings[0].contains("is missing or cannot be read"))
    var reader = JournalReader(header)
    _ = try reader.append(Array("damaged\n".utf8))
    for run in [gone, StoredRun(header, reader, isRunning: false)] {
      let resumption = try resumption(tasks, after: run)
      #expect(ended(resumption) == ["deploy": .lost])
      #expect(resumption.fates[1] == .runs)
    }
    // It has not begun.
    let empty = StoredRun(header, JournalReader(header), isRunning: false)
    #expect(empty.warnings == [])
    #expect(try ended(resumption(tasks, after: empty)) == [:])
    // An earlier run knows that it succeeded.
    let success = try EarlierRun.make(tasks, ["deploy": .succeeded])
    #expect(try done(resumption(tasks, after: gone, success)) == ["deploy"])
  }

  @Test func `A task that runs once and waited for its next attempt has failed by itself`() throws {
    let tasks = [once("deploy")]
    var header = try LoopRun(tasks).header
    header.run = "20260101-000000-1"
    let deploy = TaskID(0, name: "deploy")
    let kinds: [RunEvent.Kind] = [
      .runStarted(tasks: 1, workers: 1), .taskStarted(deploy, attempt: 1),
      .taskRetrying(deploy, attempt: 2, delay: .zero, because: failure), .runHeld(by: deploy),
    ]
    let journal = EarlierRun.journal(
      kinds.map { RunEvent(time: .seconds(1), kind: $0) }, names: ["deploy"])
    let run = try EarlierRun.read(header, journal)
    #expect(run.state.outcome(of: deploy) == failure)
    #expect(run.record.records.map(\.outcome) == [.failed])
    #expect(try resumption(tasks, after: run).fates[0] == .runs)
  }

  @Test func `A task that runs once and has failed or was not started runs`() throws {
    let tasks = [once("a"), once("b"), once("c")]
    let run = try EarlierRun.make(
      tasks, ["a": failure, "b": .cancelled, "c": .skipped(.stopped(by: TaskID(0)))])
    #expect(try ended(resumption(tasks, after: run)) == [:])
  }

  @Test func `A task that ran once is not run again because it or something before it changed`()
    throws
  {
    let tasks: [Plan.Task] = [.make("a"), once("deploy", after: [0])]
    let run = try EarlierRun.make(tasks, ["a": .succeeded, "deploy": .succeeded])
    let resumption = try resumption(tasks.map(changed), after: run)
    #expect(done(resumption) == ["deploy"])
    #expect(resumption.kept.map(\.index) == [1])
  }

  @Test func `The start of a task that runs once is in the journal before it starts`() throws {
    let folder = Folder()
    let run = try LoopRun([.make("a"), once("deploy")], statePath: folder.path)
    var started: [Int: Int] = [:]
    run.machine.onStart = { attempt in
      let bytes = readFile("\(folder.path)/runs/latest/journal.jsonl", most: 1 << 20)
      var reader = JournalReader(run.header)
      _ = try? reader.append(bytes)
      started[attempt.task.index] = reader.state.tasks[attempt.task.index].attempts
    }
    run.run()
    #expect(started[1] == 1)
    #expect(run.outcome(1) == .succeeded)
  }

  @Test func `A task that runs once is not started if the journal cannot be written`() throws {
    let run = try LoopRun([once("deploy"), .make("other")], policy: .keepGoing)
    run.run()
    guard case .failed(let failure) = run.outcome(0) else {
      Issue.record("it was started")
      return
    }
    #expect(failure.isStartFailure && failure.description.contains("`once: true` needs it"))
    #expect(run.machine.started.map(\.attempt.task.index) == [1])
    #expect(run.outcome(1) == .succeeded)
  }

  // MARK: Services and tasks that always run

  private func service(_ name: String, after: [Int] = []) -> Plan.Task {
    .make(name, after: after) { $0.service = Plan.Service() }
  }

  @Test func `A service starts only if a task that is not done needs it`() throws {
    let tasks = [service("db"), .make("test", after: [0]), .make("last", after: [1])]
    let both = try EarlierRun.make(
      tasks, ["db": .succeeded, "test": .succeeded, "last": failure])
    #expect(try done(resumption(tasks, after: both)) == [])
    let other = [service("db"), .make("test", after: [0]), .make("last")]
    let one = try EarlierRun.make(
      other, ["db": .succeeded, "test": .succeeded, "last": failure])
    #expect(try done(resumption(other, after: one)) == ["db", "test"])
  }

  @Test func `A service that has changed runs again what uses it`() throws {
    let tasks = [service("db"), .make("test", after: [0]), .make("last")]
    let run = try EarlierRun.make(
      tasks, ["db": .succeeded, "test": .succeeded, "last": failure])
    var resumption = try resumption([changed(tasks[0])] + tasks[1...], after: run)
    #expect(done(resumption) == [])
    resumption.began(TaskID(0))
    let isDone = resumption.isDone(TaskID(1))
    #expect(!isDone)
  }

  @Test func `A service that no task depends on starts while any task runs`() throws {
    let tasks = [service("db"), .make("test")]
    #expect(
      try done(
        resumption(tasks, after: EarlierRun.make(tasks, ["db": .cancelled, "test": .succeeded])))
        == ["db", "test"])
    #expect(try done(resumption(tasks, after: EarlierRun.make(tasks, ["test": failure]))) == [])
    let alone = [service("db")]
    #expect(try done(resumption(alone, after: EarlierRun.make(alone, active: ["db"]))) == [])
    // What comes before it only prepares it.
    let server = [.make("migrate"), service("web", after: [0])]
    #expect(
      try done(
        resumption(server, after: EarlierRun.make(server, ["migrate": .succeeded], active: ["web"]))
      )
        == ["migrate"])
    let tested = server + [.make("test")]
    let outcomes: [String: Outcome] = ["migrate": .succeeded, "test": .succeeded]
    #expect(
      try done(resumption(tested, after: EarlierRun.make(tested, outcomes, active: ["web"])))
        == ["migrate", "web", "test"])
  }

  @Test func `A clean-up that was missed runs, although all before it is done`() throws {
    let tasks: [Plan.Task] = [.make("a"), .make("clean", after: [0]) { $0.isAlways = true }]
    let run = try EarlierRun.make(tasks, ["a": .succeeded], active: ["clean"])
    let next = try LoopRun(tasks, earlier: EarlierRuns([run]))
    next.run()
    #expect(next.outcome(0) == .skipped(.doneEarlier) && next.outcome(1) == .succeeded)
  }

  @Test func `A clean-up runs again if what it cleans was started again`() throws {
    let tasks: [Plan.Task] = [
      .make("a"), .make("b", after: [0]), .make("clean", after: [1]) { $0.isAlways = true },
    ]
    let run = try EarlierRun.make(tasks, ["a": failure, "clean": .succeeded])
    let next = try LoopRun(tasks, earlier: EarlierRuns([run]))
    next.machine.scripts[TaskID(0)] = [.init(result: .failed(.exited(code: 1)))]
    next.run()
    #expect(next.outcome(1) == .skipped(.needs(TaskID(0))))
    #expect(next.outcome(2) == .succeeded)
    #expect(next.machine.started.map(\.attempt.task.index) == [0, 2])
  }

  // MARK: In a run

  @Test
  func `A task whose inputs are as they were counts as up to date, and does not run what follows`()
    throws
  {
    let tasks: [Plan.Task] = [
      .make("a") { $0.inputs = ["in"] }, .make("b", after: [0]), .make("c"),
    ]
    let run = try EarlierRun.make(tasks, ["a": .succeeded, "b": .succeeded, "c": failure])
    for isUpToDate in [true, false] {
      let next = try LoopRun(tasks, earlier: EarlierRuns([run]))
      next.machine.isUpToDate[TaskID(0)] = isUpToDate
      next.run()
      #expect(next.outcome(0) == (isUpToDate ? .skipped(.upToDate) : .succeeded))
      #expect(next.outcome(1) == (isUpToDate ? .skipped(.doneEarlier) : .succeeded))
      #expect(next.outcome(2) == .succeeded)
    }
  }

  @Test func `A task with inputs that a person wants again runs although it is up to date`() throws
  {
    let tasks: [Plan.Task] = [.make("a") { $0.inputs = ["in"] }]
    var earlier = EarlierRuns([try EarlierRun.make(tasks, ["a": .succeeded])])
    earlier.again = ["a"]
    let next = try LoopRun(tasks, earlier: earlier)
    next.run()
    #expect(next.outcome(0) == .succeeded)
  }

  @Test func `Nothing runs if all tasks are done, and the run ends at once`() throws {
    let tasks: [Plan.Task] = [.make("a"), .make("b", after: [0])]
    let run = try EarlierRun.make(tasks, ["a": .succeeded, "b": .succeeded])
    let next = try LoopRun(tasks, earlier: EarlierRuns([run]))
    next.run()
    #expect(next.events.last?.kind == .runEnded && next.events.count == 4)
    #expect(next.machine.started.isEmpty)
  }

  @Test func `A task whose outcome is unknown skips what needs it, and others run`() throws {
    let tasks = [once("deploy"), .make("tell", after: [0]), .make("other")]
    let run = try EarlierRun.make(tasks, active: ["deploy"])
    let next = try LoopRun(tasks, earlier: EarlierRuns([run]))
    next.run()
    #expect(next.outcome(0) == .lost)
    #expect(next.outcome(1) == .skipped(.needs(TaskID(0))))
    #expect(next.outcome(2) == .succeeded)
  }
}
