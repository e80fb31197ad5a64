import FuzzSupport
import Glibc
import HeadwayReport
import HeadwayRun

@testable import HeadwayState

/// Opens histories that are damaged in arbitrary ways: problems become warnings, and whatever is read can be used.
@main
enum HistoryFuzzer {
  /// The file that is opened.
  nonisolated(unsafe) private static var path = ""
  /// The bytes of an intact file.
  nonisolated(unsafe) private static var intact: [UInt8] = []

  static func main() {
    path = "\(makeTemporaryFolder())/history.sqlite"
    writeRuns(HistoryStore(path: path))
    // The last owner of the file has moved its log into it.
    intact = read(path)
    fuzz(check)
  }

  /// Checks one input.
  private static func check(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.number(below: 5) {
    case 0: checkGraph(Array(input.rest))
    case 1: checkFile(Array(input.rest))
    case 2: checkFile(Array("SQLite format 3\0".utf8) + input.rest)
    case 3: checkFile(changed(&input))
    default: checkRows(&input)
    }
  }

  // MARK: Graphs

  /// Checks that a graph is rejected, or is the same after it was packed again.
  private static func checkGraph(_ bytes: [UInt8]) {
    let digest = fingerprint(of: bytes)
    expect(PackedGraph(bytes: bytes, digest: digest &+ 1) == nil, "a wrong digest")
    guard let graph = PackedGraph(bytes: bytes, digest: digest)?.unpacked else { return }
    expect(graph.tasks.count == graph.graph.count, "a graph of other tasks")
    let names = graph.tasks.map(\.name) + graph.tasks.map(\.kind)
    guard !graph.tasks.isEmpty,
      names.allSatisfy({ $0.utf8.count <= HistoryFile.maxNameBytes })
    else { return }
    let packed = PackedGraph(graph.tasks, graph.graph, limit: .max)
    guard let again = packed?.unpacked else { fatalError("a graph cannot be packed") }
    expect(again.tasks == graph.tasks, "other tasks")
    expect(
      PackedGraph(again.tasks, again.graph, limit: .max) == packed, "other dependencies")
    checkReport(
      RunRecord(
        plan: "plan", name: "run", began: 0, workers: 2,
        machine: MachineIdentity(cores: 2, host: 1), tasks: graph.tasks, graph: graph.graph,
        total: .seconds(2), outcome: .failed,
        records: graph.tasks.indices.map {
          TaskRecord(
            index: $0, outcome: .succeeded, began: .seconds($0), ran: .seconds(1), attempts: 1)
        }))
  }

  // MARK: Files

  /// The intact file with some bytes changed, and perhaps cut.
  private static func changed(_ input: inout FuzzInput) -> [UInt8] {
    var file = intact
    if input.number(below: 8) == 1 {
      file.removeLast(Int(truncatingIfNeeded: input.integer() & .max) % file.count)
    }
    while !input.rest.isEmpty, !file.isEmpty {
      let page = input.number(below: 256) % max(file.count / 4096, 1)
      let offset = Int(input.byte()) << 8 | Int(input.byte())
      for step in 0..<input.number(below: 9) {
        file[(page * 4096 + offset % 4096 + step) % file.count] = input.byte()
      }
    }
    return file
  }

  /// Opens a file with these bytes for reading, and then for writing.
  private static func checkFile(_ bytes: [UInt8]) {
    removeFiles()
    write(bytes, to: path)
    use(HistoryStore(path: path, creates: false))
    removeFiles()
    write(bytes, to: path)
    let store = HistoryStore(path: path)
    use(store)
    writeRuns(store)
    _ = store.list()
    store.clear(plan: "plan")
    store.clear()
  }

  /// Reads a file whose tables are intact, with arbitrary values in their columns.
  private static func checkRows(_ input: inout FuzzInput) {
    removeFiles()
    write(intact, to: path)
    do {
      let file = try HistoryFile(
        path: path, schema: .history, limits: HistoryLimits())
      while !input.rest.isEmpty { try change(file.database, &input) }
    } catch {
      // A constraint of a table rejected the values.
    }
    use(HistoryStore(path: path, creates: false))
    let store = HistoryStore(path: path)
    use(store)
    writeRuns(store)
    _ = store.list()
  }

  /// Changes a value of a row.
  private static func change(_ database: borrowing Database, _ input: inout FuzzInput) throws {
    let statements: [StaticString] = [
      "UPDATE sample SET began = ?1 WHERE number % 3 = 0", "UPDATE sample SET ran = ?1",
      "UPDATE sample SET took = ?1 WHERE number % 2 = 0", "UPDATE sample SET attempts = ?1",
      "UPDATE sample SET expected = ?1", "UPDATE sample SET outcome = ?1 WHERE number % 2 = 0",
      "UPDATE sample SET place = ?1 WHERE number = 1",
      "UPDATE sample SET task = ?1 WHERE number = 1",
      "UPDATE forecast SET time = ?1 WHERE fraction < 0.5", "UPDATE forecast SET fraction = ?1",
      "UPDATE forecast SET low = ?1", "UPDATE forecast SET median = ?1",
      "UPDATE forecast SET high = ?1", "UPDATE run SET began = ?1", "UPDATE run SET total = ?1",
      "UPDATE run SET workers = ?1", "UPDATE run SET cores = ?1", "UPDATE run SET host = ?1",
      "UPDATE run SET outcome = ?1", "UPDATE run SET plan = ?1 WHERE id = 1",
      "UPDATE run SET graph = ?1", "UPDATE run SET leaving = ?1 WHERE id = 1",
      "UPDATE task SET last = ?1", "UPDATE task SET fingerprint = ?1 WHERE id = 1",
      "UPDATE graph SET digest = ?1",
    ]
    let statement = statements[input.number(below: statements.count)]
    // Short inputs reach the values at both ends.
    let value: Int64 =
      switch input.number(below: 6) {
      case 0: .max
      case 1: .min
      case 2: Int64(Int8(bitPattern: input.byte()))
      case 3: Int64(input.byte()) * 1_000_000_000
      default: input.integer()
      }
    try database.run(statement, value)
    if input.number(below: 16) == 1 {
      try database.run("UPDATE plan SET name = ?1 WHERE id = 1", input.text())
      try database.run(
        "UPDATE task SET name = ?1, kind = ?2 WHERE id = 2", input.text(), input.text())
    }
  }

  /// Removes the file, its log, and the damaged files that were renamed.
  private static func removeFiles() {
    guard let slash = path.lastIndex(of: "/") else { return }
    guard let folder = opendir(String(path[..<slash])) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { unlink("\(path[..<slash])/\(name)") }
    }
  }

  // MARK: Runs

  private static let tasks = ["fetch", "build", "test[a,b]"].map {
    TaskIdentity(name: $0, kind: "kind", fingerprint: TaskIdentity.fingerprint(of: [$0]))
  }

  /// Stores two runs.
  private static func writeRuns(_ store: HistoryStore) {
    for number in 1...2 {
      let graph = TaskGraph(
        taskCount: 3, edges: [TaskGraph.Edge(before: 0, after: 1), .init(before: 1, after: 2)])
      var run = RunRecord(
        plan: number == 1 ? "plan" : "other", name: "20261121-10150\(number)-4711", began: 1,
        workers: 2, machine: MachineIdentity(cores: 2, host: 1), tasks: tasks, graph: graph)
      run.forecasts = [
        ForecastRecord(
          at: .seconds(1), fraction: 0.1,
          remaining: RemainingTime(low: .seconds(1), median: .seconds(2), high: .seconds(3)))
      ]
      run.records = tasks.indices.map {
        TaskRecord(
          index: $0, outcome: .succeeded, began: .seconds($0), ran: .seconds(1), attempts: 1 + $0)
      }
      (run.total, run.outcome) = (.seconds(3), .succeeded)
      store.store(run)
    }
  }

  /// Reads everything from a history.
  private static func use(_ store: HistoryStore) {
    let machine = MachineIdentity(cores: 2, host: 1)
    let summary = store.list()
    for plan in ["plan", "other"] + summary.plans.map(\.name) {
      let history = store.history(of: plan)
      for run in history.runs {
        expect(
          run.records.allSatisfy { run.tasks.indices.contains($0.index) }, "a record of no task")
        _ = run.forecastErrors
      }
      _ = history.durations(for: tasks, on: machine)
      _ = store.past(of: plan, tasks: tasks, on: machine)
    }
    for name in [nil] + store.runs(limit: 10).map({ Optional($0.name) }) {
      guard let run = store.run(named: name) else { continue }
      expect(
        run.records.allSatisfy { run.tasks.indices.contains($0.index) }, "a record of no task")
      expect(run.graph.map { $0.count == run.tasks.count } ?? true, "a graph of other tasks")
      checkReport(run)
    }
    _ = store.similar(to: tasks.map(\.fingerprint), except: "plan")
    expect(store.warnings.count <= 20, "\(store.warnings.count) warnings")
    expect(
      store.warnings.allSatisfy { !$0.isEmpty && $0.isOnlyShown }, "an unsafe warning")
  }

  /// Checks that the page about a run can be written.
  private static func checkReport(_ run: RunRecord) {
    let page = RunReport(run).page()
    expect(page.hasSuffix("</html>\n") || page.hasSuffix("</html>"), "an unfinished page")
    let isClean = page.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isCommand }
    expect(isClean, "a control character on a page")
  }
}
