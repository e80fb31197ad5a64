import Foundation
import Glibc

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
}

extension RunRecord {
  /// A run of a plan, as tests need it.
  static func of(_ plan: String, began: Int64 = 1) -> RunRecord {
    RunRecord(
      plan: plan, began: began, workers: 4, machine: MachineIdentity(cores: 8, host: 7))
  }
}

extension TaskRecord {
  /// A task that succeeded.
  static func of(_ name: String, fingerprint: UInt64 = 1, seconds: Int = 1) -> TaskRecord {
    TaskRecord(
      task: TaskIdentity(name: name, kind: "shell", fingerprint: fingerprint),
      outcome: .succeeded, ran: .seconds(seconds), attempts: 1)
  }
}

extension HistoryStore {
  /// Writes a whole run of tasks.
  func keep(_ plan: String, began: Int64 = 1, _ records: [TaskRecord]) {
    begin(.of(plan, began: began))
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
