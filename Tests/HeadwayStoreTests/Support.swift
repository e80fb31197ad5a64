import Foundation
import Glibc
import HeadwayForecast

import HeadwayRun
@testable import HeadwayStore

/// A folder for one test, removed with it.
final class Folder {
  /// The path of the folder.
  let path: String

  /// Makes a folder.
  init() {
    var template = Array("/tmp/headway-store-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { preconditionFailure("no temporary folder") }
    path = unsafe String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of the history.
  var history: String { "\(path)/history.sqlite" }

  /// The names in the folder.
  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
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

  /// What SQLite says about the soundness of the file: "ok", or what is wrong.
  func integrity() throws -> String {
    let database = try Database(path: history, access: .creating)
    return try database.prepare("PRAGMA integrity_check").first { $0.text(0) } ?? ""
  }

  /// The number of graphs that no run refers to.
  func strayGraphs() throws -> Int64 {
    try Database(path: history, access: .creating).number(
      "SELECT count(*) FROM graph WHERE id NOT IN (SELECT graph FROM run WHERE graph NOT NULL)")
  }

  /// The number of graphs.
  func graphs() throws -> Int64 {
    try Database(path: history, access: .creating).number("SELECT count(*) FROM graph")
  }
}

extension RunRecord {
  /// A run of a plan, as tests need it.
  static func of(
    _ plan: String, name: String = "run", began: Int64 = 1, graph: GraphRecord = GraphRecord()
  ) -> RunRecord {
    RunRecord(
      plan: plan, name: name, began: began, workers: 4,
      machine: MachineIdentity(cores: 8, host: 7), graph: graph)
  }
}

extension TaskRecord {
  /// A task that succeeded.
  static func of(
    _ name: String, fingerprint: UInt64 = 1, seconds: Int = 1, place: Int = 0
  ) -> TaskRecord {
    TaskRecord(
      task: TaskIdentity(name: name, kind: "shell", fingerprint: fingerprint), place: place,
      outcome: .succeeded, ran: .seconds(seconds), attempts: 1)
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

extension GraphRecord {
  /// A chain of tasks, each of which waits for the one before.
  static func chain(_ names: [String]) -> GraphRecord {
    GraphRecord(
      tasks: names.map { TaskIdentity(name: $0, kind: "shell", fingerprint: 1) },
      needs: names.indices.dropFirst().map { Need(task: $0, before: $0 - 1) })
  }
}

extension HistoryStore {
  /// Writes a whole run of tasks.
  func keep(
    _ plan: String, name: String = "run", began: Int64 = 1, graph: GraphRecord = GraphRecord(),
    _ records: [TaskRecord]
  ) {
    begin(.of(plan, name: name, began: began, graph: graph))
    append(records)
    end(total: .seconds(records.count), outcome: .succeeded)
  }
}

extension PlanHistory {
  /// The names of the tasks of a run, in the order of their ends.
  func names(ofRun place: Int) -> [String] {
    runs.dropFirst(place).first?.records.map { tasks[$0.task].name } ?? []
  }
}
