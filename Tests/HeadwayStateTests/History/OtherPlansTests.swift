import HeadwayForecast
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// What other plans say about the kinds of a plan's tasks.
struct OtherPlansTests {
  /// This machine, that of the runs below.
  private static let here = RunRecord.of("").machine

  /// The record of a task of a kind.
  private static func record(
    _ name: String, _ kind: String, _ seconds: Int, _ outcome: Outcome.Kind = .succeeded,
    command: UInt64 = 0
  ) -> TestRecord {
    TestRecord(
      TaskIdentity(name: name, kind: kind, fingerprint: command), outcome, ran: .seconds(seconds))
  }

  /// The kinds that a store knows for a plan with a task of each.
  private static func kinds(
    _ store: HistoryStore, _ names: [String], plan: String = "new"
  ) -> [DurationHistory.Kind] {
    let tasks = names.map { TaskIdentity(name: "a task of \($0)", kind: $0, fingerprint: 0) }
    return store.past(of: plan, tasks: tasks, on: here).history.kinds
  }

  /// The durations that a file knows, in seconds, reading some records.
  private static func seconds(
    _ folder: Folder, kind: String = "cc", except plan: String = "new", limit: Int
  ) throws -> [Int64] {
    let file = try HistoryFile(
      path: folder.history, schema: .history, limits: HistoryLimits())
    return try file.durations(ofKinds: [kind], except: plan, on: here, limit: limit)[
      kind, default: []
    ].map(\.components.seconds)
  }

  @Test func `A first run learns from other plans how long tasks of its kinds take`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("app", [Self.record("a", "cc", 1), Self.record("ab", "ld", 9)])
    store.store("tool", [Self.record("a", "cc", 4), Self.record("b", "", 7)])
    let kinds = Self.kinds(store, ["cc", "unheard of", "", "ld"])
    #expect(kinds.map(\.name) == ["cc", "ld"])
    #expect(kinds.map(\.count) == [2, 1])
    #expect(abs(kinds[0].typical / .seconds(2) - 1) < 1e-6)
    // The logarithms are 0 and ln 4.
    #expect(abs(kinds[0].spread - 0.980_258) < 1e-5)
    #expect(kinds[1].spread == 0)
    #expect(store.warnings == [])
  }

  @Test func `A kind that the plan has a sample of needs no other plan`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("app", [Self.record("a", "cc", 1), Self.record("b", "ld", 9)])
    store.store("own", [Self.record("c", "cc", 100), Self.record("d", "ld", 2, .upToDate)])
    #expect(Self.kinds(store, ["cc", "ld"], plan: "own").map(\.name) == ["ld"])
    #expect(Self.kinds(store, ["cc"], plan: "own") == [])
    #expect(Self.kinds(store, ["cc", "ld"], plan: "app") == [])
    // Its own runs are not those of another plan.
    #expect(try Self.seconds(folder, except: "app", limit: 100) == [100])
  }

  @Test func `A task that ran often counts once, with its last success`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    for second in 1...3 {
      store.store("app", [Self.record("a", "cc", second, command: UInt64(second))])
    }
    store.store("app", [Self.record("a", "cc", 50, .failed)])
    store.store("tool", [Self.record("a", "cc", 8)])
    #expect(try Self.seconds(folder, limit: 100) == [8, 3])
    let kinds = Self.kinds(store, ["cc"])
    #expect(kinds.map(\.count) == [2])
  }

  @Test(arguments: Outcome.Kind.allCases)
  func `Only successes count`(outcome: Outcome.Kind) throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("app", [Self.record("a", "cc", 5, outcome)])
    #expect(try Self.seconds(folder, limit: 100) == (outcome == .succeeded ? [5] : []))
  }

  @Test func `A task that was tried again took the time from its first attempt on`() throws {
    let folder = Folder()
    var again = Self.record("a", "cc", 9)
    again.record.attempts = 2
    again.record.took = .seconds(4)
    var unknown = Self.record("b", "cc", 7)
    unknown.record.attempts = 2
    unknown.record.took = nil
    HistoryStore(path: folder.history).store("app", [again, unknown])
    #expect(try Self.seconds(folder, limit: 100) == [9])
  }

  @Test(arguments: [
    MachineIdentity(cores: 2, host: OtherPlansTests.here.host),
    MachineIdentity(cores: OtherPlansTests.here.cores, host: .max),
  ])
  func `Runs of other machines do not count`(machine: MachineIdentity) {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store(
      RunRecord(plan: "app", name: "r", began: 0, workers: 1, machine: machine),
      records: [Self.record("a", "cc", 5)], total: .seconds(5), outcome: .succeeded)
    #expect(Self.kinds(store, ["cc"]) == [])
  }

  @Test func `The newest run of every plan is read first, until there are enough records`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("small", [Self.record("s", "cc", 100)])
    for run in 1...7 {
      store.store(
        "large", [Self.record("\(run) a", "cc", run), Self.record("\(run) b", "ld", 10)])
    }
    #expect(try Self.seconds(folder, limit: 0) == [])
    #expect(try Self.seconds(folder, limit: 1) == [7])
    #expect(try Self.seconds(folder, limit: 2) == [7])
    #expect(try Self.seconds(folder, limit: 3) == [7, 100])
    #expect(try Self.seconds(folder, limit: 6) == [7, 100, 6, 5])
    // Of each plan, five runs are read.
    #expect(try Self.seconds(folder, limit: 100) == [7, 100, 6, 5, 4, 3])
    #expect(try Self.seconds(folder, kind: "ld", limit: 100) == [10, 10, 10, 10, 10])
  }

  @Test func `A kind whose name the file cut is found`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let long = String(repeating: "ü", count: 700)
    store.store("app", [Self.record("a", long, 5)])
    #expect(Self.kinds(store, [long]).map(\.name) == [long])
  }
}
