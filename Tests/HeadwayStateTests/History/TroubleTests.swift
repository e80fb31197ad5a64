import Foundation
import Glibc
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// Files that cannot be used, and what is done about them.
struct TroubleTests {
  @Test func `An empty file becomes a history`() {
    let folder = Folder()
    folder.bytes = []
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    #expect(store.warnings == [])
    #expect(store.history(of: "p").runs.count == 1)
  }

  @Test func `A database without tables becomes a history that can shrink`() throws {
    let folder = Folder()
    try folder.makeDatabase("CREATE TABLE t (x); DROP TABLE t")
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    #expect(store.warnings == [])
    let database = try Database(path: folder.history, access: .creating)
    #expect(try database.number("PRAGMA auto_vacuum") == 2)
  }

  @Test func `A folder that has become a pipe does not hold up the end of a run`() {
    let folder = Folder()
    let place = "\(folder.path)/state"
    unsafe mkdir(place, 0o755)
    let store = HistoryStore(path: "\(place)/history.sqlite")
    unsafe rename(place, "\(folder.path)/away")
    unsafe mkfifo(place, 0o600)
    #expect(!store.store("p", [.of("a")]))
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("its folder was replaced") == true)
  }

  @Test func `A history says whose it is, and keeps its log beside it`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    let database = try Database(path: folder.history, access: .creating)
    #expect(try database.number("PRAGMA application_id") == Schema.applicationID)
    #expect(try database.number("PRAGMA user_version") == 5)
    #expect(try database.number("PRAGMA auto_vacuum") == 2)
    #expect(try database.prepare("PRAGMA journal_mode").first { $0.text(0) } == "wal")
    #expect(folder.names.contains("history.sqlite-wal"))
  }

  @Test(
    arguments: [
      "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)",
      "PRAGMA application_id = 77",
      "CREATE TABLE theirs (x); PRAGMA user_version = 1; PRAGMA journal_mode = WAL",
    ] as [StaticString])
  func `A database of another program is left untouched`(script: StaticString) throws {
    let folder = Folder()
    try folder.makeDatabase(script)
    let before = folder.bytes
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    #expect(store.history(of: "p").runs.isEmpty)
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("belongs to another program") == true)
    #expect(folder.bytes == before)
    #expect(folder.names == ["history.sqlite"])
  }

  @Test func `The log that another program left beside its database is not carried over`() throws {
    let folder = Folder()
    let theirs = try Database(path: folder.history, access: .creating)
    try theirs.run("PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)")
    let before = folder.bytes
    let store = HistoryStore(path: folder.history)
    #expect(store.warnings.first?.contains("belongs to another program") == true)
    #expect(folder.bytes == before)
    try theirs.run("INSERT INTO theirs VALUES (1)")
  }

  @Test(
    arguments: [
      "PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)",
      "PRAGMA journal_mode = WAL; PRAGMA application_id = 77",
    ] as [StaticString])
  func `A database whose contents are still in the log of another program is left untouched`(
    script: StaticString
  ) throws {
    let origin = Folder()
    let theirs = try Database(path: origin.history, access: .creating)
    try theirs.run(script)
    // The files as that program leaves them if it is killed.
    let folder = Folder()
    for name in ["history.sqlite", "history.sqlite-wal"] {
      try FileManager.default.copyItem(
        atPath: "\(origin.path)/\(name)", toPath: "\(folder.path)/\(name)")
    }
    let before = folder.bytes
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("belongs to another program") == true)
    #expect(folder.bytes == before)
    #expect(folder.names == ["history.sqlite", "history.sqlite-wal"])
    try theirs.run("PRAGMA user_version = 1")
  }

  @Test func `A history of a newer version is left untouched`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    try folder.makeDatabase("PRAGMA user_version = 7; PRAGMA wal_checkpoint")
    let before = folder.bytes
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("b")])
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("written by a newer headway") == true)
    #expect(folder.bytes == before)
  }

  @Test func `A file that is no database is set aside, and a new one is begun`() throws {
    let folder = Folder()
    let text = Array("this is no database, by far, and it is longer than a header is\n".utf8)
    let noise = Array(repeatElement(text, count: 200).joined())
    folder.bytes = noise
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("was damaged; it is now") == true)
    #expect(store.history(of: "p").runs.count == 1)
    let aside = FileManager.default.contents(atPath: "\(folder.history).damaged")
    #expect(aside.map { [UInt8]($0) } == noise)
  }

  @Test func `Damaged files do not overwrite each other, up to nine`() {
    let folder = Folder()
    for _ in 0..<12 {
      folder.bytes = Array(repeating: 7, count: 5000)
      #expect(HistoryStore(path: folder.history).warnings.count == 1)
    }
    #expect(folder.names.filter { $0.contains("damaged") }.count == 9)
  }

  @Test func `A damaged file is set aside with its log`() {
    let folder = Folder()
    for name in ["history.sqlite", "history.sqlite-wal", "history.sqlite-shm"] {
      _ = FileManager.default.createFile(
        atPath: "\(folder.path)/\(name)", contents: Data(name.utf8))
    }
    #expect(HistoryStore.setAside(folder.history) == "\(folder.history).damaged")
    #expect(folder.names == ["history.sqlite.damaged", "history.sqlite.damaged-wal"])
  }

  @Test func `Only one file is set aside if the next one cannot be used either`() {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    let broken = Schema(steps: Schema.history.steps + ["SELECT nonsense FROM nowhere"])
    let store = HistoryStore(path: folder.history, schema: broken)
    #expect(!store.isWritable)
    #expect(store.warnings.count == 2)
    #expect(store.warnings.first?.contains("was damaged; it is now") == true)
    #expect(store.warnings.last?.contains("is damaged; move it away") == true)
    #expect(folder.names.contains("history.sqlite.damaged"))
    #expect(!folder.names.contains("history.sqlite.damaged-2"))
  }

  @Test func `A history without its tables is set aside`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    try folder.makeDatabase("DROP TABLE sample")
    let store = HistoryStore(path: folder.history)
    #expect(store.warnings.count == 1)
    store.store("p", [.of("b")])
    #expect(store.history(of: "p").names(ofRun: 0) == ["b"])
  }

  @Test(arguments: 1...40)
  func `A file that is damaged anywhere stops nobody`(seed: Int) throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    for run in 1...3 {
      store.store("p", (0..<300).map { .of("task \($0)", fingerprint: UInt64(run)) })
    }
    #expect(store.clear(plan: "none"))
    var bytes = folder.bytes
    if seed % 8 == 0 {
      bytes.removeLast(bytes.count * (seed / 8) / 6)
    } else {
      // With another schema version or application ID it is the file of a newer headway or of another program.
      let identity = [60..<64, 68..<72]
      for place in (0..<2000).map({ (seed * 7919 + $0 * 31) % bytes.count })
      where !identity.contains(where: { $0.contains(place) }) {
        bytes[place] = UInt8(seed)
      }
    }
    let next = Folder()
    next.bytes = bytes
    let damaged = HistoryStore(path: next.history)
    _ = damaged.history(of: "p")
    damaged.store("p", [.of("new")])
    _ = damaged.list()
    #expect(damaged.warnings.count <= 2)
    for warning in damaged.warnings { #expect(!warning.contains("\n")) }
    let last = HistoryStore(path: next.history)
    last.store("p", [.of("later")])
    #expect(last.history(of: "p", limit: 1).names(ofRun: 0) == ["later"])
  }

  @Test func `Damage that shows when a run is stored costs what was there, not what comes`() {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("p", (0..<2000).map { .of("task \($0)") })
    #expect(store.clear(plan: "none"))
    // Behind the back of the open store; its own pages are read anew because the file says that it has changed.
    let other = HistoryStore(path: folder.history)
    other.store("p", [.of("x")])
    var bytes = folder.bytes
    for place in 4096..<bytes.count { bytes[place] = 0xff }
    overwrite(folder.history, with: bytes)
    #expect(store.store("p", (0..<100).map { .of("late \($0)") }))
    #expect(store.warnings.first?.contains("was damaged") == true)
    #expect(store.history(of: "p").runs.first?.records.count == 100)
  }

  @Test func `A folder that cannot be written is read, and one line says what is missing`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    unsafe chmod(folder.history, 0o444)
    setPermissions(0o555, ofFolder: folder.path)
    defer { setPermissions(0o755, ofFolder: folder.path) }
    withoutPrivileges {
      let store = HistoryStore(path: folder.history)
      #expect(store.history(of: "p").names(ofRun: 0) == ["a"])
      store.store("p", [.of("b")])
      #expect(store.history(of: "p").runs.count == 1)
      #expect(store.warnings.count == 1)
      #expect(store.warnings.first?.contains("cannot be") == true)
      #expect(!store.clear())
    }
    #expect(folder.names == ["history.sqlite"])
  }

  @Test(arguments: [true, false])
  func `A reader reads where nothing can be written, as on a read-only file system`(
    isFileReadOnly: Bool
  ) throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    if isFileReadOnly { unsafe chmod(folder.history, 0o444) }
    setPermissions(0o555, ofFolder: folder.path)
    defer { setPermissions(0o755, ofFolder: folder.path) }
    withoutPrivileges {
      let store = HistoryStore(path: folder.history, creates: false)
      #expect(store.history(of: "p").names(ofRun: 0) == ["a"])
      #expect(store.list().plans.count == 1 && store.warnings == [])
    }
  }

  @Test func `A history that another program has locked is not an empty one`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    let other = try Database(path: folder.history, access: .creating)
    try other.run("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    let reads: [(HistoryStore) -> Void] = [
      { _ = $0.history(of: "p") }, { _ = $0.list() }, { _ = $0.run(named: nil) },
      { _ = $0.runs(limit: 1) },
    ]
    for read in reads {
      let store = HistoryStore(path: folder.history, creates: false)
      read(store)
      #expect(store.warnings.map { $0.contains("is locked by another program") } == [true])
    }
    // A run has its own way of saying so, at its end.
    let run = HistoryStore(path: folder.history)
    _ = run.history(of: "p")
    #expect(run.warnings == [])
    try other.run("ROLLBACK")
  }

  @Test(arguments: ["/proc/history.sqlite", "/nowhere/at/all/history.sqlite", "/dev/null/x"])
  func `A place where no file can be made costs one line`(path: String) {
    let store = HistoryStore(path: path)
    store.store("p", [.of("a")])
    #expect(store.history(of: "p").runs.isEmpty)
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("--state DIR") == true)
  }

  @Test func `A folder in place of the file costs one line`() throws {
    let folder = Folder()
    try FileManager.default.createDirectory(
      atPath: folder.history, withIntermediateDirectories: false)
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    #expect(store.warnings.count == 1)
  }

  @Test func `A pipe in place of the file is not waited for`() {
    let folder = Folder()
    unsafe mkfifo(folder.history, 0o600)
    let store = HistoryStore(path: folder.history)
    store.store("p", [.of("a")])
    #expect(store.warnings.count == 1 && store.history(of: "p").runs.isEmpty)
  }

  /// Does something as a user without rights of their own, where the tests have them.
  private func withoutPrivileges(_ body: () -> Void) {
    #if os(Linux)
      // The user for files, of this thread only. The module of the C library lacks the function.
      typealias SetUser = @convention(c) (uid_t) -> CInt
      guard let place = unsafe dlsym(nil, "setfsuid") else { return body() }
      let setUser = unsafe unsafeBitCast(place, to: SetUser.self)
      let user = setUser(65_534)
      defer { _ = setUser(uid_t(user)) }
    #endif
    body()
  }

  /// Overwrites a file in its place.
  private func overwrite(_ path: String, with bytes: [UInt8]) {
    let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
    _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    close(file)
  }
}
