import HeadwayForecast
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// What earlier runs say about the tasks of a plan.
struct PastDurationsTests {
  /// This machine.
  private static let here = MachineIdentity(cores: 8, host: 7)
  /// Another one.
  private static let there = MachineIdentity(cores: 8, host: 9)

  /// What a task is known by.
  private static func task(
    _ name: String, kind: String = "shell", command: UInt64 = 1
  ) -> TaskIdentity {
    TaskIdentity(name: name, kind: kind, fingerprint: command)
  }

  /// A sample of a task that succeeded.
  private static func sample(
    _ name: String, kind: String = "shell", _ seconds: Int, isCensored: Bool = false
  ) -> DurationHistory.Sample {
    DurationHistory.Sample(
      name: name, kind: kind, duration: .seconds(seconds), isCensored: isCensored)
  }

  /// A store with runs, the oldest first.
  private static func store(
    _ runs: [[TestRecord]], in folder: Folder, plan: String = "p"
  ) -> HistoryStore {
    let store = HistoryStore(path: folder.history)
    for (place, records) in runs.enumerated() {
      store.store(plan, name: "\(plan) \(place)", began: Int64(place), records)
    }
    return store
  }

  @Test func `Runs come oldest first, with their workers and a sample for each task`() {
    let folder = Folder()
    let store = Self.store([[.of("a", seconds: 1)], [.of("a", seconds: 2), .of("b")]], in: folder)
    let past = store.past(of: "p", tasks: [Self.task("a"), Self.task("b")], on: Self.here)
    #expect(
      past.history.runs.map(\.samples) == [
        [Self.sample("a", 1)], [Self.sample("a", 2), Self.sample("b", 1)],
      ])
    #expect(past.history.runs.map(\.workers) == [4, 4])
    #expect(past.notices == [])
    #expect(!past.isOfAnotherMachine)
  }

  @Test func `A first run has no history and needs no notice`() {
    let folder = Folder()
    let store = Self.store([], in: folder)
    #expect(store.past(of: "p", tasks: [Self.task("a")], on: Self.here) == PastDurations())
    #expect(store.past(of: "p", tasks: [], on: Self.here) == PastDurations())
    #expect(store.warnings == [])
  }

  @Test func `Failed and cancelled tasks took at least that long, and others say nothing`() {
    let folder = Folder()
    func record(
      _ name: String, _ outcome: Outcome.Kind, took: Duration? = nil, attempts: Int = 1
    ) -> TestRecord {
      TestRecord(Self.task(name), outcome, ran: .seconds(9), took: took, attempts: attempts)
    }
    let store = Self.store(
      [
        [
          record("failed", .failed), record("late", .timedOut), record("cancelled", .cancelled),
          record("skipped", .skipped, attempts: 0), record("fresh", .upToDate, attempts: 0),
          record("retried", .succeeded, took: .seconds(3), attempts: 4),
          record("retried failure", .failed, took: .seconds(2), attempts: 2),
          record("retried, not measured", .succeeded, attempts: 2),
        ]
      ], in: folder)
    let samples = store.past(of: "p", tasks: [], on: Self.here).history.runs.flatMap(\.samples)
    // What was tried again counts from its first attempt on, and its last attempt is known.
    var retried = Self.sample("retried", 9)
    retried.lastAttempt = .seconds(3)
    var retriedFailure = Self.sample("retried failure", 9, isCensored: true)
    retriedFailure.lastAttempt = .seconds(2)
    #expect(
      samples == [
        Self.sample("failed", 9, isCensored: true), Self.sample("late", 9, isCensored: true),
        Self.sample("cancelled", 9, isCensored: true), retried, retriedFailure,
      ])
  }

  @Test func `A killed run counts for the tasks that ended in it`() {
    let folder = Folder()
    let store = Self.store([], in: folder)
    store.store(.of("p"), records: [.of("a", seconds: 5)])
    let next = HistoryStore(path: folder.history)
    let past = next.past(of: "p", tasks: [Self.task("a")], on: Self.here)
    #expect(past.history.runs.map(\.samples) == [[Self.sample("a", 5)]])
  }

  @Test func `Each run lists its tasks that were up to date, even if no other task ran`() {
    let folder = Folder()
    func record(_ name: String, _ outcome: Outcome.Kind) -> TestRecord {
      TestRecord(Self.task(name), outcome, ran: .zero, attempts: 0)
    }
    let store = Self.store(
      [
        [record("a", .upToDate), record("b", .upToDate)],
        [.of("a", seconds: 5), record("b", .upToDate), record("c", .doneEarlier)],
        [record("a", .skipped), record("b", .cancelled)],
        [record("c", .upToDate)],
      ], in: folder)
    let runs = store.past(of: "p", tasks: [Self.task("a")], on: Self.here).history.runs
    #expect(runs.map { $0.upToDate.map(\.name) } == [["a", "b"], ["b"], ["c"]])
    #expect(runs.map(\.samples) == [[], [Self.sample("a", 5)], []])
  }

  @Test func `A task that was up to date is listed under its current name and kind`() {
    let folder = Folder()
    let store = Self.store(
      [
        [
          TestRecord(Self.task("old", command: 5), .upToDate, ran: .zero, attempts: 0),
          TestRecord(Self.task("a"), .upToDate, ran: .zero, attempts: 0),
        ]
      ], in: folder)
    let past = store.past(
      of: "p", tasks: [Self.task("new", command: 5), Self.task("a", kind: "link")], on: Self.here)
    #expect(
      past.history.runs.map(\.upToDate) == [
        [
          DurationHistory.Task(name: "new", kind: "shell"),
          DurationHistory.Task(name: "a", kind: "link"),
        ]
      ])
  }

  @Test func `What was up to date on another machine says nothing about its times`() {
    let folder = Folder()
    let store = Self.store([[.of("a", seconds: 5)]], in: folder)
    store.store(
      RunRecord(
        plan: "p", name: "there", began: 1, workers: 4, machine: Self.there,
        tasks: [Self.task("b")],
        records: [TaskRecord(index: 0, outcome: .upToDate, attempts: 0)]))
    // This machine has run nothing to its end, so that every machine counts.
    store.store(
      RunRecord(plan: "p", name: "cut", began: 2, workers: 4, machine: Self.here),
      records: [.of("a")])
    let past = store.past(
      of: "p", tasks: [Self.task("a"), Self.task("b")],
      on: MachineIdentity(cores: 2, host: 7))
    #expect(past.isOfAnotherMachine)
    let own = store.past(of: "p", tasks: [Self.task("b")], on: Self.here)
    #expect(own.history.runs.map(\.upToDate.count) == [0, 1, 0])
    #expect(!own.isOfAnotherMachine && own.notices == [])
  }

  @Test func `A task keeps its history when its command or its kind changes`() {
    let folder = Folder()
    let store = Self.store([[.of("a", fingerprint: 1), .of("b", fingerprint: 2)]], in: folder)
    let past = store.past(
      of: "p",
      tasks: [Self.task("a", command: 77), Self.task("b", kind: "link", command: 2)],
      on: Self.here)
    #expect(
      past.history.runs.flatMap(\.samples)
        == [Self.sample("a", 1), Self.sample("b", kind: "link", 1)])
  }

  @Test func `A renamed task is known by its last command, under its new name and kind`() {
    let folder = Folder()
    let store = Self.store(
      [
        [.of("old", fingerprint: 1, seconds: 1), .of("stays", fingerprint: 5, seconds: 7)],
        [.of("old", fingerprint: 2, seconds: 2), .of("stays", fingerprint: 5, seconds: 8)],
      ], in: folder)
    func samples(_ tasks: [TaskIdentity]) -> [String] {
      store.past(of: "p", tasks: tasks, on: Self.here).history.runs.flatMap(\.samples).map {
        "\($0.name)/\($0.kind)"
      }
    }
    let stays = Self.task("stays", command: 5)
    #expect(
      samples([Self.task("new", kind: "k", command: 2), stays])
        == ["new/k", "stays/shell", "new/k", "stays/shell"])
    // By an earlier command it is not.
    #expect(samples([Self.task("new", command: 1), stays]).filter { $0 == "old/shell" }.count == 2)
    // A name that the plan still has keeps its history, whatever another task runs.
    #expect(
      samples([Self.task("copy", command: 5), stays])
        == ["old/shell", "stays/shell", "old/shell", "stays/shell"])
  }

  @Test func `Of several renamed tasks with one command each gets one, in order`() {
    let folder = Folder()
    let store = Self.store(
      [[.of("test-2", seconds: 2), .of("test-3", seconds: 3), .of("test-1", seconds: 1)]],
      in: folder)
    let past = store.past(
      of: "p", tasks: ["check-3", "check-1", "check-2", "check-4"].map { Self.task($0) },
      on: Self.here)
    #expect(
      past.history.runs.flatMap(\.samples)
        == [Self.sample("check-2", 2), Self.sample("check-3", 3), Self.sample("check-1", 1)])
  }

  @Test func `Tasks without a command do not pass for each other`() {
    let folder = Folder()
    let store = Self.store([[.of("old", fingerprint: 0)]], in: folder)
    let tasks = [Self.task("new", command: 0)]
    let names = { (past: PastDurations) in past.history.runs.flatMap(\.samples).map(\.name) }
    #expect(names(store.past(of: "p", tasks: tasks, on: Self.here)) == ["old"])
    #expect(store.past(of: "q", tasks: tasks, on: Self.here).history.runs == [])
  }

  @Test func `A name that the file cut is that of its task`() {
    let folder = Folder()
    let long = String(repeating: "ü", count: 700)
    let store = Self.store([[.of(long)]], in: folder)
    let past = store.past(of: "p", tasks: [Self.task(long)], on: Self.here)
    #expect(past.history.runs.flatMap(\.samples).map(\.name) == [long])
  }

  @Test func `The history of another machine is used until this one has its own`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let tasks = ["a", "b", "c", "d"].map { Self.task($0) }
    func keep(_ names: [String], on machine: MachineIdentity, _ outcome: Outcome.Kind?) {
      store.store(
        RunRecord(
          plan: "p", name: RunRecord.newName(), began: 0, workers: 2, machine: machine),
        records: names.map { .of($0, seconds: machine == Self.here ? 1 : 9) },
        total: outcome.map { _ in .seconds(1) }, outcome: outcome)
    }
    func samples() -> Int {
      let past = store.past(of: "p", tasks: tasks, on: Self.here)
      let samples = past.history.runs.flatMap(\.samples)
      #expect(past.isOfAnotherMachine == samples.contains(Self.sample("a", 9)))
      #expect(
        past.notices
          == (past.isOfAnotherMachine
            ? [
              "history: this machine has not run all of 'p' yet; using the times of "
                + "another machine"
            ] : []))
      return samples.count
    }
    keep(["a", "b", "c", "d"], on: Self.there, .succeeded)
    #expect(samples() == 4)
    // A killed run is not enough, nor is one of a small part of the plan.
    keep(["a", "b", "c"], on: Self.here, nil)
    #expect(samples() == 7)
    keep(["a"], on: Self.here, .succeeded)
    #expect(samples() == 8)
    keep(["a", "b"], on: Self.here, .succeeded)
    #expect(samples() == 6)
  }

  @Test func `A renamed plan has the history of its old name until it has its own`() {
    let folder = Folder()
    let names = ["a", "b", "c", "d"]
    let records = names.enumerated().map { place, name in
      TestRecord.of(name, fingerprint: UInt64(place + 1), seconds: place)
    }
    let store = Self.store([records, records], in: folder, plan: "o\u{1b}ld")
    let tasks = [
      Self.task("a", command: 1), Self.task("x", command: 2), Self.task("y", command: 9),
      Self.task("d", command: 4),
    ]
    let past = store.past(of: "new", tasks: tasks, on: Self.here)
    #expect(
      past.history.runs.map { $0.samples.map(\.name) } == [
        ["a", "x", "c", "d"], ["a", "x", "c", "d"],
      ])
    #expect(
      past.notices == [
        "history: 'new' has no runs yet; using the history of the similar plan 'o\u{FFFD}ld'"
      ])
    // Two commands are no sign.
    #expect(
      store.past(of: "new", tasks: [tasks[0], Self.task("u", command: 8), tasks[3]], on: Self.here)
        .history.runs == [])
    for run in 1..<HistoryStore.fewRuns {
      store.store("new", [.of("a", fingerprint: 1, seconds: 10 + run), .of("x", fingerprint: 2)])
      let past = store.past(of: "new", tasks: tasks, on: Self.here)
      #expect(
        past.history.runs.map { $0.samples[0].duration }.suffix(run + 1)
          == [.zero] + (1...run).map { .seconds(10 + $0) })
      #expect(past.history.runs.count == 2 + run)
      #expect(past.history.runs.last?.samples.map(\.name) == ["a", "x"])
      #expect(past.notices == [])
    }
    store.store("new", [.of("a", fingerprint: 1), .of("x", fingerprint: 2)])
    #expect(
      store.past(of: "new", tasks: tasks, on: Self.here).history.runs.count
        == HistoryStore.fewRuns)
  }

  @Test func `A renamed plan of many commands is known by a part of them`() {
    let folder = Folder()
    func command(_ place: Int) -> UInt64 { UInt64(place + 1) &* 0x9e37_79b9_7f4a_7c15 }
    let places = 0..<3 * HistoryStore.maxComparedCommands
    let store = Self.store(
      [places.map { .of("\($0)", fingerprint: command($0)) }], in: folder, plan: "old")
    func past(changed: Int) -> PastDurations {
      let tasks = places.map { place in
        Self.task("\(place)", command: place % 10 < changed ? command(place) + 1 : command(place))
      }
      return store.past(of: "new", tasks: tasks, on: Self.here)
    }
    #expect(past(changed: 4).history.runs.map(\.samples.count) == [places.count])
    #expect(past(changed: 6).history.runs == [])
  }

  @Test func `A few forecasts of a run that was carried out are held against the truth`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    func keep(_ outcome: Outcome.Kind?, _ records: [TestRecord]) {
      store.store(
        .of("p"), records: records,
        forecasts: (0..<200).map { .of(at: $0, low: 1, median: 2, high: 3) },
        total: outcome.map { _ in .seconds(200) }, outcome: outcome)
    }
    var failed = TestRecord.of("a")
    failed.record.outcome = .failed
    var skipped = TestRecord.of("b")
    skipped.record.outcome = .skipped
    keep(.succeeded, [.of("a")])
    keep(.failed, [.of("a"), failed])
    keep(.failed, [.of("a"), failed, skipped])
    keep(.cancelled, [.of("a")])
    keep(nil, [.of("a")])
    let runs = store.past(of: "p", tasks: [Self.task("a")], on: Self.here).history.runs
    #expect(runs.map(\.misses.count) == [8, 8, 0, 0, 0])
    let misses = runs[0].misses
    #expect(
      misses[0].predicted == RemainingTime(low: .seconds(1), median: .seconds(2), high: .seconds(3))
    )
    #expect(misses.map(\.actual) == misses.map(\.actual).sorted(by: >))
    #expect((180...190).contains(misses[0].actual.components.seconds))
    #expect((10...25).contains(misses[7].actual.components.seconds))
  }

  @Test func `Forecasts without an estimate are no misses, and few are compared once`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store(
      .of("p"), records: [.of("a")],
      forecasts: [
        ForecastRecord(at: .seconds(1), fraction: 0.1, remaining: nil), .of(at: 6, median: 4),
      ], total: .seconds(10), outcome: .succeeded)
    let runs = store.past(of: "p", tasks: [Self.task("a")], on: Self.here).history.runs
    #expect(runs.map { $0.misses.map(\.actual) } == [[.seconds(4)]])
  }
}
