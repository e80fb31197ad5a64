import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayFiles

/// The records by which a task is up to date.
struct ContentsRecordTests {
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
}
