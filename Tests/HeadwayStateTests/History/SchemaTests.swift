import HeadwayForecast
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// How a file of an older version is brought to a newer one.
struct SchemaTests {
  /// A form that is one version newer than today's.
  private let newer = Schema(
    steps: Schema.history.steps + [
      """
      ALTER TABLE run ADD COLUMN weather TEXT;
      UPDATE run SET weather = 'fair';
      PRAGMA user_version = 6;
      """
    ])

  @Test func `Every step says its version`() throws {
    let folder = Folder()
    let database = try Database(path: folder.history, access: .creating)
    for (place, step) in newer.steps.enumerated() {
      try database.run(step)
      #expect(try database.number("PRAGMA user_version") == place + 1)
    }
  }

  @Test func `A file of version 0 that is ours is brought to today's`() throws {
    let folder = Folder()
    try folder.makeDatabase("PRAGMA application_id = 1214543737")
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    #expect(store.warnings == [])
    #expect(store.history(of: "p").runs.count == 1)
  }

  @Test func `A file is brought to the next version with all that it holds`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a"), .of("b")])
    let store = HistoryStore(path: folder.history, schema: newer)
    #expect(store.warnings == [])
    #expect(store.history(of: "p").names(ofRun: 0) == ["a", "b"])
    let database = try Database(path: folder.history, access: .creating)
    #expect(try database.number("PRAGMA user_version") == 6)
    #expect(try database.number("SELECT count(*) FROM run WHERE weather = 'fair'") == 1)
  }

  @Test func `A file of version 1 keeps its records, and then stores what tasks are`() throws {
    let folder = Folder()
    let first = Schema(steps: Array(Schema.history.steps.prefix(1)))
    let old = try Database(path: folder.history, access: .creating)
    try first.apply(to: old)
    try old.run(
      """
      INSERT INTO plan (id, name) VALUES (1, 'p');
      INSERT INTO run (id, plan, name, began, workers, cores, host) VALUES (1, 1, 'r', 0, 1, 1, 1);
      INSERT INTO task (id, plan, name, kind, fingerprint, last) VALUES (1, 1, 'a', '', 1, 1);
      INSERT INTO sample (run, number, task, place, outcome, ran, attempts)
        VALUES (1, 0, 1, 0, 0, 5000000000, 1);
      """)
    let store = HistoryStore(path: folder.history)
    #expect(store.warnings == [])
    let record = store.history(of: "p").runs.first?.records.first
    #expect(record?.ran == .seconds(5) && record?.role == .task && record?.usage == nil)
  }

  @Test(arguments: [TaskRecord.Role.task, .service, .failureHook])
  func `A history knows what a task was to its run`(role: TaskRecord.Role) {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    var task = TestRecord.of("a")
    task.record.role = role
    store.store("p", [task])
    #expect(HistoryStore(path: folder.history).history(of: "p").runs[0].records[0].role == role)
  }

  @Test func `A history knows on which machine a task ran`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    var task = TestRecord.of("a")
    task.record.host = "node7"
    store.store("p", [task, .of("b")])
    let later = HistoryStore(path: folder.history)
    let run = later.history(of: "p").runs[0]
    #expect(run.records.map(\.host) == ["node7", nil])
    let past = later.past(of: "p", tasks: run.tasks, on: run.machine)
    #expect(past.history.runs[0].samples.map(\.host) == ["node7", nil])
  }

  @Test func `A history knows what tasks used, and when their last attempts began`() {
    let folder = Folder()
    var (task, retried, service) = (TestRecord.of("a"), TestRecord.of("b"), TestRecord.of("c"))
    task.record.began = .seconds(2)
    task.record.usage = ResourceUsage(cpuTime: .seconds(3), peakMemory: 7)
    retried.record = TaskRecord(
      index: 1, outcome: .succeeded, began: .seconds(4), ran: .seconds(10), took: .seconds(3),
      attempts: 2, usage: ResourceUsage(cpuTime: .seconds(1)))
    service.record.role = .service
    service.record.usage = task.record.usage
    HistoryStore(path: folder.history).store("p", [task, retried, service])
    let later = HistoryStore(path: folder.history)
    let run = later.history(of: "p").runs[0]
    #expect(run.records.map(\.usage) == [task, retried, service].map(\.record.usage))
    let past = later.past(of: "p", tasks: run.tasks, on: run.machine).history.runs[0]
    #expect(past.processors == run.machine.cores)
    #expect(past.samples.map(\.cpuTime) == [.seconds(3), .seconds(1), nil])
    #expect(past.samples.map(\.start) == [.seconds(2), .seconds(11), nil])
  }

  @Test func `A file of the next version is left untouched`() {
    let folder = Folder()
    HistoryStore(path: folder.history, schema: newer).store("p", [.of("a")])
    let before = folder.bytes
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("b")])
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("written by a newer headway") == true)
    #expect(folder.bytes == before)
  }

  @Test func `A step that fails leaves the file as it was`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    let broken = Schema(
      steps: Schema.history.steps + ["CREATE TABLE more (x); SELECT nonsense FROM nowhere"])
    let database = try Database(path: folder.history, access: .creating)
    #expect(throws: HistoryError.self) { try broken.apply(to: database) }
    #expect(try database.number("PRAGMA user_version") == 5)
    #expect(try database.number("SELECT count(*) FROM sqlite_schema WHERE name = 'more'") == 0)
  }
}
