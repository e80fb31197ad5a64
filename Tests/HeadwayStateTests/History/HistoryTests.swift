import HeadwayForecast
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// What is written, as it is read again.
struct HistoryTests {
  @Test func `The order of runs is that in which they began, not that in which they were stored`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    for (name, began) in [("second", 20), ("third", 30), ("first", 10), ("also third", 30)] {
      store.store("p", name: name, began: Int64(began), [.of("a")])
    }
    let names = ["also third", "third", "second", "first"]
    #expect(store.history(of: "p").runs.map(\.name) == names)
    #expect(store.history(of: "p", limit: 2).runs.map(\.name) == Array(names.prefix(2)))
    #expect(store.runs(limit: 3).map(\.name) == Array(names.prefix(3)))
    #expect(store.run(named: nil)?.name == names[0])
    // A run that goes on may have begun before runs that have ended.
    var history = store.history(of: "p")
    var running = RunRecord(
      plan: "p", name: "running", began: 25, workers: 1,
      machine: MachineIdentity(cores: 1, host: 1), tasks: [])
    running.total = nil
    history.add(running: running)
    #expect(history.runs.map(\.name) == ["also third", "third", "running", "second", "first"])
  }

  @Test func `A run is read as it was written`() {
    let folder = Folder()
    let compile = TaskIdentity(name: "compile", kind: "cc", fingerprint: .max)
    let link = TaskIdentity(name: "link 'x'; DROP TABLE run; -- \u{0} ü", kind: "", fingerprint: 0)
    let records = [
      TaskRecord(
        index: 1, outcome: .succeeded, began: .zero, ran: .nanoseconds(1),
        attempts: 1, expected: .nanoseconds(2)),
      TaskRecord(
        index: 0, outcome: .timedOut, began: .milliseconds(3),
        ran: .seconds(31_536_000), took: .seconds(9), attempts: 3,
        usage: ResourceUsage(cpuTime: .zero)),
      TaskRecord(
        index: 3, outcome: .failed, began: .seconds(1), ran: .seconds(9),
        took: .seconds(8), attempts: 1,
        usage: ResourceUsage(cpuTime: .nanoseconds(7_000_000_001), peakMemory: 1 << 41)),
      TaskRecord(index: 2, outcome: .skipped, ran: .zero, attempts: 0),
    ]
    let run = RunRecord(
      plan: "release", name: "20261121-101500-4711", began: 1_800_000_000_123, workers: 3,
      machine: MachineIdentity(cores: 16, host: .max - 1), tasks: [link, compile, link, compile])
    let forecasts = [
      ForecastRecord(at: .zero, fraction: 0, remaining: nil),
      ForecastRecord(
        at: .seconds(2), fraction: 0.25,
        remaining: RemainingTime(low: .seconds(1), median: .seconds(3), high: .seconds(9))),
    ]

    let store = HistoryStore(path: folder.history)
    var ended = run
    (ended.records, ended.forecasts) = (records, forecasts)
    (ended.total, ended.outcome) = (.seconds(6), .failed)
    #expect(store.store(ended))
    #expect(store.warnings == [])

    let history = HistoryStore(path: folder.history).history(of: "release")
    #expect(history.tasks == [compile, link])
    #expect(history.runs.count == 1)
    let read = history.runs[0]
    #expect(read.name == run.name)
    #expect(TestGraph(read) == nil)
    #expect(read.began == run.began)
    #expect(read.workers == run.workers)
    #expect(read.machine == run.machine)
    #expect(read.total == .seconds(6))
    #expect(read.outcome == .failed)
    #expect(read.forecasts == forecasts)
    #expect(read.tasks == history.tasks)
    #expect(read.records.map { history.tasks[$0.index] } == records.map { run.tasks[$0.index] })
    var expected = records
    for index in expected.indices { expected[index].index = read.records[index].index }
    #expect(read.records == expected)
  }

  @Test func `Runs come newest first, no more than asked for, and each task once`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    for run in 1...5 { store.store("p", began: Int64(run), [.of("a", seconds: run), .of("b")]) }
    let history = store.history(of: "p", limit: 3)
    #expect(history.runs.map(\.began) == [5, 4, 3])
    #expect(history.tasks.map(\.name) == ["a", "b"])
    #expect(history.runs.map { $0.records[0].ran } == [.seconds(5), .seconds(4), .seconds(3)])
    #expect(store.history(of: "p", limit: 0).runs.isEmpty)
    #expect(store.history(of: "q").runs.isEmpty)
    // Two records a run: the second run brings the third record, after which no older one is read.
    #expect(store.history(of: "p", records: 3).runs.map(\.began) == [5, 4])
    #expect(store.history(of: "p", records: 1).runs.map(\.records.count) == [2])
  }

  @Test func `A run that was killed is read without an end, and its forecasts prove nothing`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store(.of("p"), records: [.of("a")], forecasts: [.of(at: 0)])
    let run = store.history(of: "p").runs[0]
    #expect(run.outcome == nil)
    #expect(run.total == nil)
    #expect(run.forecasts.count == 1)
    #expect(run.forecastErrors == [])
  }

  @Test func `How wrong forecasts were is told against the end of the run`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store(
      .of("p"),
      forecasts: [
        .of(at: 0, low: 5, median: 8, high: 20),
        ForecastRecord(at: .seconds(2), fraction: 0.1, remaining: nil),
        .of(at: 4, low: 1, median: 2, high: 3),
      ], total: .seconds(10), outcome: .succeeded)
    let errors = store.history(of: "p").runs[0].forecastErrors
    #expect(errors.map(\.remaining) == [.seconds(10), .seconds(6)])
    #expect(errors.map(\.excess) == [.seconds(-2), .seconds(-4)])
    #expect(errors.map(\.isInside) == [true, false])
  }

  @Test(
    arguments: [
      (Outcome.Kind?.some(.succeeded), [.succeeded], true), (.failed, [.failed, .succeeded], true),
      (.failed, [.timedOut], true), (.failed, [.failed, .skipped], false),
      (.failed, [.failed, .cancelled], false), (.cancelled, [.succeeded], false),
      (nil, [.succeeded], false), (.succeeded, [.succeeded, .upToDate], false),
    ] as [(Outcome.Kind?, [Outcome.Kind], Bool)])
  func `Only a run that attempted all of its tasks can prove a forecast wrong`(
    end: Outcome.Kind?, tasks: [Outcome.Kind], isProof: Bool
  ) {
    var run = RunRecord.of("p")
    run.outcome = end
    run.total = .seconds(10)
    run.records = tasks.map { TaskRecord(index: 0, outcome: $0, ran: .seconds(1), attempts: 1) }
    run.forecasts = [.of(at: 0, low: 5, median: 8, high: 20)]
    #expect(run.forecastErrors.count == (isProof ? 1 : 0))
  }

  @Test func `A day of forecasts ten a second is kept in some hundreds`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let forecasts = (0..<864_000).map {
      ForecastRecord(at: .milliseconds($0 * 100), fraction: 0, remaining: nil)
    }
    store.store(
      .of("p"), forecasts: forecasts, total: .seconds(86_400), outcome: .succeeded)
    let kept = store.history(of: "p").runs[0].forecasts
    #expect((200...400).contains(kept.count), "\(kept.count) forecasts are kept")
    #expect(kept[1].at == .milliseconds(100))
  }

  @Test(arguments: [
    (Outcome.Kind.succeeded, Duration?.some(.zero), Observation.exact), (.succeeded, nil, .missing),
    (.failed, .seconds(1), .censored), (.timedOut, .seconds(1), .censored),
    (.cancelled, .seconds(1), .censored), (.cancelled, nil, .missing), (.upToDate, nil, .missing),
    (.skipped, nil, .missing), (.skipped, .zero, .missing),
  ])
  func `An outcome is a sample, a censored one or none`(
    outcome: Outcome.Kind, took: Duration?, observation: Observation
  ) {
    let record = TaskRecord(index: 0, outcome: outcome, took: took, attempts: 2)
    #expect(record.observation == observation)
  }

  @Test func `The time of the last attempt is that of the only one, else what is told`() {
    func took(_ attempts: Int, _ told: Duration?) -> Duration? {
      TaskRecord(
        index: 0, outcome: .failed, ran: .seconds(9), took: told, attempts: attempts
      ).took
    }
    #expect(took(0, nil) == nil)
    #expect(took(1, nil) == .seconds(9))
    #expect(took(1, .seconds(8)) == .seconds(8))
    #expect(took(2, nil) == nil)
    #expect(took(2, .seconds(4)) == .seconds(4))
  }

  @Test(
    arguments: [(0, nil), (1, .seconds(4)), (1, .seconds(3)), (2, .seconds(4)), (2, nil)]
      as [(Int, Duration?)])
  func `The time of the last attempt is read as it was written`(attempts: Int, took: Duration?) {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let task = TaskIdentity(name: "a", kind: "", fingerprint: 1)
    store.store(
      "p", [TestRecord(task, .failed, ran: .seconds(4), took: took, attempts: attempts)])
    let record = store.history(of: "p").runs.first?.records.first
    #expect(record?.took == took)
    #expect(record?.attempts == attempts)
  }

  @Test func `The numbers of outcomes in the file are those of every version`() {
    let kinds: [Outcome.Kind] = [
      .succeeded, .upToDate, .failed, .timedOut, .cancelled, .skipped, .lost, .doneEarlier,
    ]
    #expect(Outcome.Kind.allCases == kinds)
    #expect(kinds.map(\.number) == Array(0..<8))
    for kind in kinds { #expect(Outcome.Kind(taskNumber: kind.number) == kind) }
    #expect(Outcome.Kind(taskNumber: -1) == nil && Outcome.Kind(taskNumber: 8) == nil)
  }

  @Test(arguments: [(-1.0, 0.0), (.nan, 0), (0.5, 0.5), (7, 1), (.infinity, 1)])
  func `A fraction is stored between 0 and 1`(shown: Double, stored: Double) {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store(
      .of("p"), forecasts: [ForecastRecord(at: .zero, fraction: shown, remaining: nil)],
      total: .seconds(1), outcome: .succeeded)
    #expect(store.history(of: "p").runs.first?.forecasts.map(\.fraction) == [stored])
  }

  @Test func `A renamed plan is found by the commands of its tasks`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("old", [.of("a", fingerprint: 1), .of("b", fingerprint: 2)])
    store.store("other", [.of("c", fingerprint: 3), .of("d", fingerprint: 2)])
    let found = store.similar(to: [1, 2, 4], except: "new")
    #expect(found?.plan == "old")
    #expect(found?.shared == 2)
    #expect(store.similar(to: [1], except: "old") == nil)
    #expect(store.similar(to: [9], except: "new") == nil)
  }

  @Test(arguments: [
    (Duration.seconds(-1), Int64(0)), (.zero, 0), (.nanoseconds(7), 7),
    (.seconds(31_536_000), 31_536_000_000_000_000), (.seconds(1 << 40), .max),
  ])
  func `Times are kept as nanoseconds, never below zero`(time: Duration, stored: Int64) {
    #expect(time.storedNanoseconds == stored)
  }

  @Test func `Names longer than the limit are cut between characters`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let long = String(repeating: "ü", count: 600)
    store.store(long, [.of(long + "x"), .of("")])
    let history = store.history(of: long)
    #expect(history.tasks.map { $0.name.utf8.count } == [1024, 0])
    #expect(store.warnings == [])
  }

  @Test func `Commands differ by their words, not only by their letters`() {
    let commands = [["a", "bc"], ["ab", "c"], ["abc"], ["abc", ""], ["", "abc"], [""], []]
    #expect(Set(commands.map { TaskIdentity.fingerprint(of: $0) }).count == commands.count)
  }

  @Test func `A machine is told by a hash, not by its name`() {
    let one = MachineIdentity(cores: 4)
    #expect(one == MachineIdentity(cores: 4))
    #expect(one.cores == 4)
    #expect(fingerprint(of: "a".utf8) == 0xaf63_dc4c_8601_ec8c)
  }

  @Test func `The list tells plans by name with what is kept of them`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("b", began: 5, [.of("x")])
    store.store("a", began: 3, [.of("x"), .of("y")])
    store.store("a", began: 4, [.of("x")])
    let list = store.list()
    #expect(list.bytes > 0)
    #expect(
      list.plans == [
        .init(name: "a", runs: 2, tasks: 2, records: 3, last: 4),
        .init(name: "b", runs: 1, tasks: 1, records: 1, last: 5),
      ])
  }

  @Test func `One plan is cleared, or all`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("a", [.of("x")])
    store.store("b", [.of("x")])
    #expect(store.clear(plan: "none"))
    #expect(store.clear(plan: "a"))
    #expect(store.list().plans.map(\.name) == ["b"])
    #expect(store.clear())
    #expect(store.list().plans == [])
    #expect(try folder.integrity() == "ok")
  }

  @Test func `Without a file nothing is made to read one`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history, creates: false)
    #expect(store.list() == HistorySummary())
    #expect(store.history(of: "p").runs.isEmpty)
    #expect(store.clear())
    #expect(store.warnings == [])
    #expect(folder.names == [])
  }
}
