import Glibc
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayState

/// The state folder: logs and names.
struct StateFolderTests {
  @Test func `The preview of a log is its end`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    var log = TaskLog(state, name: "a", index: 0)
    log.append(Array("beginning, end".utf8))
    log.close()
    let logs = RunLogs(state: state, names: ["a", "silent"], home: "/nowhere")
    #expect(LogReader(logs).tail(TaskID(0), most: 3) == Array("end".utf8))
    #expect(LogReader(logs).tail(TaskID(0), most: 100) == Array("beginning, end".utf8))
    #expect(LogReader(logs).tail(TaskID(1), most: 3) == [])
  }

  @Test func `A log with a limit keeps the beginning, and says that the rest is missing`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    let logs = RunLogs(state: state, names: ["a"], home: "/nowhere")
    func text() -> String {
      String(decoding: LogReader(logs).tail(TaskID(0), most: 1000), as: UTF8.self)
    }
    let cut =
      "[headway] the rest of the output was not stored: it exceeds the limit of 10 bytes\n"
    var log = TaskLog(state, name: "a", index: 0, limit: 10)
    log.append(Array("one\ntwo\n".utf8))
    log.append(Array("12".utf8))
    #expect(text() == "one\ntwo\n12")
    log.append(Array("3".utf8))
    log.append(Array("more\n".utf8))
    log.note("over")
    log.close()
    #expect(text() == "one\ntwo\n12\n\(cut)[headway] over\n")
    // The next attempt has no room.
    var next = TaskLog(state, name: "a", index: 0, limit: 10)
    next.append(Array("again\n".utf8))
    next.close()
    #expect(text() == "one\ntwo\n12\n\(cut)[headway] over\n\(cut)")
  }

  @Test func `A part of a log is read from an offset`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    var log = TaskLog(state, name: "a", index: 0)
    log.append(Array("beginning, end".utf8))
    log.close()
    let logs = RunLogs(state: state, names: ["a", "silent"], home: "/nowhere")
    let reader = LogReader(logs)
    #expect(reader.bytes(of: TaskID(0), from: 11, most: 2) == Array("en".utf8))
    #expect(reader.bytes(of: TaskID(0), from: 14, most: 2) == [])
    #expect(reader.bytes(of: TaskID(1), from: 0, most: 2) == [])
    #expect(logs.size(of: TaskID(0)) == 14)
    #expect(logs.size(of: TaskID(1)) == 0)
  }

  @Test func `A log that grows wakes its reader, stays open and can be read on`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    let logs = RunLogs(state: state, names: ["a"], home: "/")
    let watch = try #require(logs.watch())
    let reader = LogReader(logs)
    #expect(reader.bytes(of: TaskID(0), from: 0, most: 9) == [])
    var log = TaskLog(state, name: "a", index: 0)
    log.append(Array("one".utf8))
    #expect(watch.wait(for: .seconds(120)))
    #expect(reader.bytes(of: TaskID(0), from: 0, most: 9) == Array("one".utf8))
    // What is open can be read, also if its name is gone.
    state.logs?.remove(StateFolder.logName("a", index: 0))
    log.append(Array("two".utf8))
    #expect(reader.bytes(of: TaskID(0), from: 3, most: 9) == Array("two".utf8))
    log.close()
  }

  @Test func `More logs than stay open can be read`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    let names = (0..<40).map { "t\($0)" }
    for (index, name) in names.enumerated() {
      var log = TaskLog(state, name: name, index: index)
      log.append(Array(name.utf8))
      log.close()
    }
    let reader = LogReader(RunLogs(state: state, names: names, home: "/"))
    for _ in 0..<2 {
      for (index, name) in names.enumerated() {
        #expect(reader.bytes(of: TaskID(index), from: 0, most: 9) == Array(name.utf8))
      }
    }
  }

  @Test func `The short path of a log goes through the link to the latest run`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    var log = TaskLog(state, name: "a", index: 0)
    log.append(Array("one".utf8))
    log.close()
    let logs = RunLogs(state: state, names: ["a", "silent"], home: folder.path)
    #expect(logs.shortPath(TaskID(0)) == "runs/latest/logs/a.log")
    #expect(logs.shortPath(TaskID(1)) == nil)
  }

  @Test func `The path of a log is relative to the user's folder, but not to its namesakes`() throws
  {
    let folder = Folder()
    let state = try StateFolder(path: "\(folder.path)/home-2", plan: "p")
    var log = TaskLog(state, name: "a", index: 0)
    log.append([1])
    log.close()
    func shown(home: String) -> String? {
      RunLogs(state: state, names: ["a", "silent"], home: home).shownPath(TaskID(0))
    }
    let path = "\(folder.path)/home-2/runs/\(state.run)/logs/a.log"
    #expect(shown(home: "\(folder.path)/home") == path)
    #expect(shown(home: folder.path) == "home-2/runs/\(state.run)/logs/a.log")
    #expect(RunLogs(state: state, names: ["a", "silent"], home: "/").shownPath(TaskID(1)) == nil)
  }

  @Test(arguments: [
    ("fetch", "fetch"), ("test[debug,x86]", "test[debug,x86]"), ("a/b", "a%2fb"),
    ("100%", "100%25"),
    (".hidden", "%2ehidden"), ("日本", "日本"), ("a b", "a b"),
  ])
  func `A task's name becomes the name of a file`(name: String, file: String) {
    #expect(StateFolder.fileName(name, index: 3) == file)
  }

  @Test func `A name that is too long for a file is cut and numbered`() {
    let file = StateFolder.fileName(String(repeating: "é", count: 200), index: 12)
    #expect(file.utf8.count <= 200 && file.hasSuffix("-12"))
  }

  @Test func `Different plans never share their records`() throws {
    let start = String(repeating: "x", count: 180)
    let names = ["p", start, start + "y", start + "z", start + "yy", start + "%-0", "a/b", "a%2fb"]
    let folders = names.map { StateFolder.folderName(ofPlan: $0) }
    #expect(Set(folders).count == names.count)
    #expect(folders.first == "p" && folders.allSatisfy { $0.utf8.count < 255 })
    let folder = Folder()
    for name in names { _ = try StateFolder(path: folder.path, plan: name) }
    #expect(folderEntries("\(folder.path)/contents").sorted() == folders.sorted())
    // The same plan finds its records again.
    for name in names { _ = try StateFolder(path: folder.path, plan: name) }
    #expect(folderEntries("\(folder.path)/contents").count == names.count)
  }

  @Test func `Different tasks never share a file`() {
    let start = String(repeating: "x", count: 178)
    let names = [
      start + "😀y", start + "-0", start + "%-0", start + "-00", start + "😀z", start + "%", "a/b",
      "a%2fb",
    ]
    let files = names.enumerated().map { StateFolder.fileName($0.element, index: $0.offset) }
    #expect(Set(files).count == names.count)
  }
}
