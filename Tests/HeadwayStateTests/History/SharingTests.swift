import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// Several users of one file.
struct SharingTests {
  @Test func `A reader beside a writer sees whole runs`() {
    let folder = Folder()
    let writer = HistoryStore(path: folder.history)
    let reader = HistoryStore(path: folder.history)
    for number in 1...20 {
      writer.store("p", (0..<5).map { .of("task \($0)") })
      #expect(
        reader.history(of: "p").runs.map(\.records.count) == Array(repeating: 5, count: number))
    }
    #expect(reader.warnings == [])
  }

  @Test func `A reader in the middle of its look does not hold up the writer`() throws {
    let folder = Folder()
    let writer = HistoryStore(path: folder.history)
    writer.store("p", [.of("a")])
    let reader = try Database(path: folder.history, access: .creating)
    try reader.run("BEGIN")
    #expect(try reader.number("SELECT count(*) FROM sample") == 1)
    #expect(writer.store("p", [.of("b")]))
    #expect(try reader.number("SELECT count(*) FROM sample") == 1)
    try reader.run("COMMIT")
    #expect(try reader.number("SELECT count(*) FROM sample") == 2)
  }

  @Test func `Two stores write into one file`() {
    let folder = Folder()
    let one = HistoryStore(path: folder.history)
    let two = HistoryStore(path: folder.history)
    for number in 0..<10 {
      #expect(one.store("p", name: "one \(number)", began: Int64(2 * number), [.of("a")]))
      #expect(two.store("p", name: "two \(number)", began: Int64(2 * number + 1), [.of("b")]))
    }
    #expect(
      one.history(of: "p").runs.map { $0.name.prefix(3) }.prefix(4) == ["two", "one", "two", "one"])
    #expect(one.history(of: "p", limit: .max).runs.count == 20)
  }

  @Test func `A run that a lock keeps out is stored once the lock is gone`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let other = try Database(path: folder.history, access: .creating)
    try other.run("BEGIN IMMEDIATE")
    #expect(!store.store("p", name: "one", [.of("a")]))
    #expect(store.isWritable)
    try other.run("COMMIT")
    #expect(store.store("p", name: "one", [.of("a")]))
    #expect(store.history(of: "p").runs.count == 1)
    #expect(store.warnings == [])
  }

  @Test func `A file that is locked when it is opened is used later`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    var other: Database? = try Database(path: folder.history, access: .creating)
    try other?.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    let store = HistoryStore(path: folder.history)
    #expect(!store.isWritable)
    #expect(!store.store("p", [.of("b")]))
    #expect(store.history(of: "p").runs.isEmpty)
    other = nil
    #expect(store.store("p", [.of("c")]))
    #expect(store.warnings == [])
    #expect(store.history(of: "p").runs.count == 2)
  }
}
