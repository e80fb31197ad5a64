import HeadwayRun
import Testing

@testable import HeadwayStore

/// Several users of one file.
struct SharingTests {
  @Test func `A reader beside a writer sees whole batches`() {
    let folder = Folder()
    let writer = HistoryStore(path: folder.history)
    let reader = HistoryStore(path: folder.history)
    writer.begin(.of("p"))
    for batch in 1...20 {
      writer.append((0..<5).map { .of("task \($0)") })
      #expect(reader.history(of: "p").runs.first?.records.count == batch * 5)
    }
    #expect(reader.warnings == [])
  }

  @Test func `A reader in the middle of its look does not hold up the writer`() throws {
    let folder = Folder()
    let writer = HistoryStore(path: folder.history)
    writer.begin(.of("p"))
    writer.append([.of("a")])
    let reader = try Database(path: folder.history, access: .creating)
    try reader.run("BEGIN")
    #expect(try reader.number("SELECT count(*) FROM sample") == 1)
    #expect(writer.append([.of("b")]))
    #expect(try reader.number("SELECT count(*) FROM sample") == 1)
    try reader.run("COMMIT")
    #expect(try reader.number("SELECT count(*) FROM sample") == 2)
  }

  @Test func `Two runs write into one file`() {
    let folder = Folder()
    let one = HistoryStore(path: folder.history)
    let two = HistoryStore(path: folder.history)
    one.begin(.of("p", began: 1))
    two.begin(.of("p", began: 2))
    for _ in 0..<10 {
      #expect(one.append([.of("a")]))
      #expect(two.append([.of("b")]))
    }
    let history = one.history(of: "p")
    #expect(history.names(ofRun: 0) == Array(repeating: "b", count: 10))
    #expect(history.names(ofRun: 1) == Array(repeating: "a", count: 10))
  }

  @Test func `What cannot be written for a lock is written when the lock is gone`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.begin(.of("p"))
    let other = try Database(path: folder.history, access: .creating)
    try other.run("BEGIN IMMEDIATE")
    #expect(!store.append([.of("a")]))
    #expect(!store.append([.of("b")]))
    try other.run("COMMIT")
    #expect(store.append([.of("c")]))
    #expect(store.history(of: "p").names(ofRun: 0) == ["a", "b", "c"])
    #expect(store.warnings == [])
  }

  @Test func `A run begins without waiting for a lock`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let other = try Database(path: folder.history, access: .creating)
    try other.run("BEGIN IMMEDIATE")
    store.begin(.of("p"))
    #expect(store.lockTimeout == 0)
    #expect(!store.append([.of("a")]))
    try other.run("COMMIT")
    #expect(store.append([.of("b")]))
    #expect(store.history(of: "p").names(ofRun: 0) == ["a", "b"])
    #expect(store.warnings == [])
  }

  @Test func `A run waits for a lock only when it ends`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    #expect(store.lockTimeout > 0)
    store.begin(.of("p"))
    #expect(store.lockTimeout == 0)
    store.append([.of("a")])
    #expect(store.lockTimeout == 0)
    store.end(total: .seconds(1), outcome: .succeeded)
    #expect(store.lockTimeout > 0)
  }

  @Test func `A lock that never goes costs one line at the end`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.begin(.of("p"))
    store.append([.of("a")])
    let other = try Database(path: folder.history, access: .creating)
    try other.run("BEGIN IMMEDIATE")
    for _ in 0..<100 { #expect(!store.append([.of("b")])) }
    #expect(!store.end(total: .seconds(1), outcome: .succeeded))
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.hasPrefix("100 tasks of this run could not be stored: ") == true)
    try other.run("COMMIT")
    #expect(store.history(of: "p").names(ofRun: 0) == ["a"])
  }

  @Test func `Records wait for a lock up to a number, and then the run is not kept`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.begin(.of("p"))
    let other = try Database(path: folder.history, access: .creating)
    try other.run("BEGIN IMMEDIATE")
    let records = Array(repeating: TestRecord.of("a"), count: HistoryStore.maxWaitingRecords)
    store.append(records)
    #expect(store.isWritable)
    store.append([.of("b")])
    #expect(!store.isWritable)
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("is locked by another program") == true)
    try other.run("COMMIT")
    #expect(!store.end(total: .seconds(1), outcome: .succeeded))
    #expect(store.warnings.count == 1)
  }

  @Test func `A file that is locked when it is opened is used later`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    var other: Database? = try Database(path: folder.history, access: .creating)
    try other?.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    let store = HistoryStore(path: folder.history)
    #expect(!store.isWritable)
    store.begin(.of("p"))
    #expect(!store.append([.of("b")]))
    #expect(store.history(of: "p").runs.isEmpty)
    other = nil
    #expect(store.append([.of("c")]))
    #expect(store.warnings == [])
    #expect(store.history(of: "p").runs.map(\.records.count) == [2, 1])
  }
}
