import Glibc
import HeadwayPlan
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// The state folder: logs, content records, environment.
struct StateTests {
  /// A record over two files.
  private func subject(_ folder: Folder) throws -> ContentsRecord.Subject {
    ContentsRecord.Subject(
      command: ["cc", "in.c"], inputs: ["\(folder.path)/*.c"], outputs: ["\(folder.path)/out"],
      folder: try folder.opened(), name: "record")
  }

  /// The state of files that are read to their end.
  private func filesNow(of subject: ContentsRecord.Subject) -> ContentsRecord.State {
    ContentsRecord.state(of: subject) ?? ContentsRecord.unreadable(because: "interrupted")
  }

  @Test func `A kept state is up to date until command, input or output differ`() throws {
    let folder = Folder(["in.c", "out"])
    let subject = try subject(folder)
    #expect(!ContentsRecord.isUpToDate(filesNow(of: subject), subject))
    ContentsRecord.keep(filesNow(of: subject), subject)
    #expect(ContentsRecord.isUpToDate(filesNow(of: subject), subject))
    var other = subject
    other.command = ["cc", "-O2", "in.c"]
    #expect(!ContentsRecord.isUpToDate(filesNow(of: other), other))
    folder.write("more.c", "")
    #expect(!ContentsRecord.isUpToDate(filesNow(of: subject), subject))
  }

  /// Variables by name: their values, nil for one that is not set.
  private func variables(_ values: [(String, String?)]) -> [ContentsRecord.Variable] {
    values.map { name, value in
      ContentsRecord.Variable(name: name, text: value.map { "\(name)=\($0)" } ?? name)
    }
  }

  @Test func `The reason names what of the command has changed`() throws {
    let folder = Folder(["in.c", "out"])
    var subject = try subject(folder)
    subject.variables = variables([("LEVEL", "1"), ("MODE", "a"), ("OFF", nil), ("a\nb c", "1")])
    ContentsRecord.keep(filesNow(of: subject), subject)
    func reason(_ change: (inout ContentsRecord.Subject) -> Void) -> String? {
      var other = subject
      change(&other)
      return ContentsRecord.reason(filesNow(of: other), other)
    }
    let same: [(String, String?)] = [
      ("LEVEL", "1"), ("MODE", "a"), ("OFF", nil), ("a\nb c", "1"),
    ]
    func reason(_ values: [(String, String?)]) -> String? {
      reason { $0.variables = variables(values) }
    }
    #expect(reason(same) == nil)
    #expect(reason([("LEVEL", "2")] + same.dropFirst()) == "LEVEL changed")
    #expect(reason([("LEVEL", "2"), ("MODE", "")] + same.dropFirst(2)) == "LEVEL, MODE changed")
    #expect(
      reason([("LEVEL", nil), ("MODE", "b"), ("OFF", ""), ("a\nb c", "1")])
        == "MODE changed; LEVEL is no longer set; OFF is now set")
    #expect(reason(Array(same.dropFirst(2))) == "LEVEL, MODE are no longer set")
    #expect(reason(same + [("NEW", "1")]) == "NEW is now set")
    #expect(reason(same.dropLast() + [("a\nb c", "2")]) == "a b c changed")
    #expect(reason { $0.command.append("-O2") } == "command changed")
    #expect(reason { $0.directory = "src" } == "dir changed")
    // Another command names other variables.
    #expect(
      reason {
        $0.command.append("$NEW")
        $0.variables = variables([("LEVEL", "2"), ("NEW", "1")])
      } == "command, LEVEL changed")
    folder.write("out", "other")
    #expect(reason([("LEVEL", "2")] + same.dropFirst()) == "LEVEL, outputs changed")
    #expect(
      reason([("LEVEL", nil)] + same.dropFirst()) == "outputs changed; LEVEL is no longer set")
  }

  @Test func `A record of version 1 stays valid, and does not say what has changed`() throws {
    let folder = Folder(["in.c", "out"])
    var subject = try subject(folder)
    subject.variables = variables([("LEVEL", "1")])
    let state = filesNow(of: subject)
    let old =
      "headway contents 1\ncommand \(state.command)\ninputs \(state.inputs)\noutputs \(state.outputs)\n"
    folder.write("record", old)
    #expect(ContentsRecord.isUpToDate(state, subject))
    // The words of the command in the order in which version 1 added them.
    var digest = ContentDigest()
    for word in ["cc", "in.c", "", ".", "LEVEL=1"] { digest.add(word) }
    #expect(digest.text == state.command)
    subject.variables = variables([("LEVEL", "2")])
    #expect(
      ContentsRecord.reason(filesNow(of: subject), subject) == "command or variables changed")
    for text in [
      "x", "headway contents 1\n", "headway contents 3\na\nb\nc\n", "\n\n", "\u{0}",
      "headway contents 2\ncommand\n",
    ] {
      folder.write("record", text)
      #expect(ContentsRecord.reason(state, subject) == "the record is of another version")
    }
    folder.write("record", "headway contents 2\n1\n2\n3\nprogram\nvariable\nvariable x\n \n")
    #expect(
      ContentsRecord.reason(state, subject)
        == "command or variables, inputs, outputs changed")
  }

  @Test func `With too many variables, a record does not name them`() throws {
    let folder = Folder(["in.c", "out"])
    var subject = try subject(folder)
    subject.variables = variables((0..<10_000).map { ("V\($0)", "1") })
    let state = filesNow(of: subject)
    #expect(state.bytes.count < 200)
    ContentsRecord.keep(state, subject)
    #expect(ContentsRecord.isUpToDate(state, subject))
    subject.variables[0] = variables([("V0", "2")])[0]
    #expect(
      ContentsRecord.reason(filesNow(of: subject), subject) == "command or variables changed")
    // As many as fit are read again.
    subject.variables = variables((0..<250).map { ("VARIABLE_\($0)", "1") })
    let most = filesNow(of: subject)
    #expect(most.bytes.count > 7000 && most.bytes.count <= 8192 + 200)
    ContentsRecord.keep(most, subject)
    subject.variables[249] = variables([("VARIABLE_249", "2")])[0]
    #expect(ContentsRecord.reason(filesNow(of: subject), subject) == "VARIABLE_249 changed")
  }

  @Test func `A missing output forgets the record`() throws {
    let folder = Folder(["in.c"])
    let subject = try subject(folder)
    let state = filesNow(of: subject)
    #expect(state.unmatched == ["\(folder.path)/out"])
    ContentsRecord.keep(state, subject)
    #expect(!ContentsRecord.isUpToDate(filesNow(of: subject), subject))
  }

  @Test func `A success without its output forgets the record of an earlier one`() throws {
    let folder = Folder(["in.c", "out"])
    let subject = try subject(folder)
    ContentsRecord.keep(filesNow(of: subject), subject)
    unsafe unlink("\(folder.path)/out")
    ContentsRecord.keep(filesNow(of: subject), subject)
    // The same files as in the record that was forgotten.
    folder.write("out", "out")
    #expect(!ContentsRecord.isUpToDate(filesNow(of: subject), subject))
  }

  @Test func `A task is not up to date if some of its files could not be looked at`() throws {
    let folder = Folder(["in.c", "out"])
    var subject = try subject(folder)
    ContentsRecord.keep(filesNow(of: subject), subject)
    #expect(ContentsRecord.isUpToDate(filesNow(of: subject), subject))
    var path = "deep"
    for _ in 0..<300 { path += "/d" }
    folder.write("\(path)/file", "x")
    subject.inputs.append("\(folder.path)/deep")
    #expect(!ContentsRecord.isUpToDate(filesNow(of: subject), subject))
  }

  @Test func `The preview of a log is its end`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    var log = TaskLog(state, name: "a", index: 0)
    log.append(Array("beginning, end".utf8))
    log.close()
    let logs = RunLogs(state: state, names: ["a", "silent"], home: "/nowhere")
    #expect(logs.tail(TaskID(0), most: 3) == Array("end".utf8))
    #expect(logs.tail(TaskID(0), most: 100) == Array("beginning, end".utf8))
    #expect(logs.tail(TaskID(1), most: 3) == [])
  }

  @Test func `A log with a limit keeps the beginning, and says that the rest is missing`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    let logs = RunLogs(state: state, names: ["a"], home: "/nowhere")
    func text() -> String { String(decoding: logs.tail(TaskID(0), most: 1000), as: UTF8.self) }
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

  @Test func `A digest tells apart how texts are divided`() {
    var left = ContentDigest()
    left.add("ab")
    left.add("c")
    var right = ContentDigest()
    right.add("a")
    right.add("bc")
    #expect(left.text != right.text)
    #expect(left.text.count == 32)
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

  @Test func `An environment is passed on with its changes, the last value of a name counting`() {
    let block = EnvironmentBlock()
    block.set("HEADWAY_A", "1")
    block.set("HEADWAY_A", "2")
    #expect(block["HEADWAY_A"] == "2")
    let found = unsafe block.with([("HEADWAY_A", "3"), ("HEADWAY_B", ""), ("HEADWAY_B", "=4")]) {
      pointers in
      var lines: [String] = []
      var place = unsafe pointers
      while let entry = unsafe place.pointee {
        lines.append(unsafe String(cString: entry))
        unsafe place += 1
      }
      return lines.filter { $0.hasPrefix("HEADWAY_A=") || $0.hasPrefix("HEADWAY_B=") }
    }
    #expect(found == ["HEADWAY_A=3", "HEADWAY_B==4"])
    #expect(block["HEADWAY_A"] == "2")
  }
}
