import Foundation
import Glibc
import HeadwayForecast
import HeadwayLock
import HeadwayRun
import ProcessFixtures

@testable import HeadwayState

extension Folder {
  /// The path of the history.
  var history: String { "\(path)/history.sqlite" }

  /// The names in the folder.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// The size of all files, in bytes.
  var size: Int {
    names.reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
      return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
    }
  }

  /// The bytes of the history's file.
  var bytes: [UInt8] {
    get { [UInt8](FileManager.default.contents(atPath: history) ?? Data()) }
    set { _ = FileManager.default.createFile(atPath: history, contents: Data(newValue)) }
  }

  /// Makes a database at the history's path with statements of a test.
  func makeDatabase(_ script: StaticString) throws {
    try Database(path: history, access: .creating).run(script)
  }

  /// The result of SQLite's integrity check: "ok", or a message.
  func integrity() throws -> String {
    let database = try Database(path: history, access: .creating)
    return try database.prepare("PRAGMA integrity_check").first { $0.text(0) } ?? ""
  }

  /// The number of graphs without a run.
  func strayGraphs() throws -> Int64 {
    try Database(path: history, access: .creating).number(
      "SELECT count(*) FROM graph WHERE id NOT IN (SELECT graph FROM run WHERE graph NOT NULL)")
  }

  /// The number of graphs.
  func graphs() throws -> Int64 {
    try Database(path: history, access: .creating).number("SELECT count(*) FROM graph")
  }
}

/// The tasks and the dependencies of a run.
struct TestGraph: Equatable {
  var tasks: [TaskIdentity]
  var graph: TaskGraph

  init(_ tasks: [TaskIdentity], _ graph: TaskGraph) {
    self.tasks = tasks
    self.graph = graph
  }

  /// The tasks and the dependencies of a run, nil if it has no graph.
  init?(_ run: RunRecord?) {
    guard let run, let graph = run.graph else { return nil }
    self.init(run.tasks, graph)
  }

  /// A chain of tasks, each of which depends on the one before.
  static func chain(_ names: [String]) -> TestGraph {
    TestGraph(
      names.map { TaskIdentity(name: $0, kind: "shell", fingerprint: 1) },
      TaskGraph(
        taskCount: names.count,
        edges: names.indices.dropFirst().map { TaskGraph.Edge(before: $0 - 1, after: $0) }))
  }

  static func == (left: TestGraph, right: TestGraph) -> Bool {
    left.tasks == right.tasks && left.graph.count == right.graph.count
      && sorted(left.graph.edges) == sorted(right.graph.edges)
  }

  /// The edges in one order: that within the dependents of a task says nothing.
  private static func sorted(_ edges: [TaskGraph.Edge]) -> [TaskGraph.Edge] {
    edges.sorted { ($0.before, $0.after) < ($1.before, $1.after) }
  }
}

extension RunRecord {
  /// The number of names so far.
  private static let names = Guarded(0)

  /// A name that no other run has: a run of the same name is stored once.
  static func newName() -> String {
    names.withLock { names in
      names += 1
      return "run \(names)"
    }
  }

  /// A run of a plan.
  static func of(
    _ plan: String, name: String = newName(), began: Int64 = 1, graph: TestGraph? = nil
  ) -> RunRecord {
    RunRecord(
      plan: plan, name: name, began: began, workers: 4,
      machine: MachineIdentity(cores: 8, host: 7), tasks: graph?.tasks ?? [], graph: graph?.graph)
  }
}

/// The record of a task with its identity, which is added to the tasks of the run if it is not among them.
struct TestRecord {
  var task: TaskIdentity
  var record: TaskRecord

  init(
    _ task: TaskIdentity, _ outcome: Outcome.Kind, ran: Duration, took: Duration? = nil,
    attempts: Int = 1
  ) {
    self.task = task
    record = TaskRecord(index: 0, outcome: outcome, ran: ran, took: took, attempts: attempts)
  }

  /// A task that succeeded.
  static func of(_ name: String, fingerprint: UInt64 = 1, seconds: Int = 1) -> TestRecord {
    TestRecord(
      TaskIdentity(name: name, kind: "shell", fingerprint: fingerprint), .succeeded,
      ran: .seconds(seconds))
  }
}

extension ForecastRecord {
  /// A forecast in whole seconds.
  static func of(at: Int, low: Int = 0, median: Int = 0, high: Int = 0) -> ForecastRecord {
    ForecastRecord(
      at: .seconds(at), fraction: 0,
      remaining: RemainingTime(
        low: .seconds(low), median: .seconds(median), high: .seconds(high)))
  }
}

extension HistoryStore {
  /// Stores a run with records of its tasks; without an outcome, it was killed.
  @discardableResult
  func store(
    _ run: RunRecord, records: [TestRecord] = [], forecasts: [ForecastRecord] = [],
    total: Duration? = nil, outcome: Outcome.Kind? = nil
  ) -> Bool {
    var run = run
    var tasks = run.tasks
    var indices = Dictionary(tasks.enumerated().map { ($1, $0) }) { first, _ in first }
    run.records = records.map { each in
      var record = each.record
      record.index = indices[each.task] ?? tasks.count
      if record.index == tasks.count {
        indices[each.task] = tasks.count
        tasks.append(each.task)
      }
      return record
    }
    if tasks.count > run.tasks.count {
      run.graph = run.graph.map { TaskGraph(taskCount: tasks.count, edges: $0.edges) }
    }
    run.tasks = tasks
    run.forecasts = forecasts
    (run.total, run.outcome) = (total, outcome)
    return store(run)
  }

  /// Stores a run that has succeeded; without a name, its name is one that no other run has.
  @discardableResult
  func store(
    _ plan: String, name: String? = nil, began: Int64 = 1, graph: TestGraph? = nil,
    _ records: [TestRecord]
  ) -> Bool {
    store(
      .of(plan, name: name ?? RunRecord.newName(), began: began, graph: graph), records: records,
      total: .seconds(records.count), outcome: .succeeded)
  }
}

extension PlanHistory {
  /// The names of the tasks of a run, in the order of their ends.
  func names(ofRun index: Int) -> [String] {
    runs.dropFirst(index).first?.records.map { tasks[$0.index].name } ?? []
  }
}

extension TaskLog {
  /// Appends output of the task.
  mutating func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe append($0) }
  }
}
