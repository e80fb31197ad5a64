import Glibc
import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import RunFixtures
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// What a run writes down, and what is read from it.
struct JournalTests {
  /// The journal of a run with a retry, a failure and a task that is skipped.
  private struct Sample {
    let header = RunHeader.sample(["a", "b", "c"])
    let bytes: [UInt8]
    let events: [RunEvent]

    init() throws {
      let folder = Folder()
      let run = try LoopRun(
        [.make("a") { $0.retryLimit = 1 }, .make("b", after: [0]), .make("c", after: [1])],
        statePath: folder.path)
      let failed = VirtualMachine.AttemptScript(result: .failed(.exited(code: 7)))
      run.machine.scripts[TaskID(0)] = [failed, VirtualMachine.AttemptScript()]
      run.machine.scripts[TaskID(1)] = [failed]
      run.run()
      (bytes, events) = (run.journal, run.events)
    }

    /// The number of whole lines in some bytes.
    static func lines(_ bytes: some Sequence<UInt8>) -> Int {
      bytes.count { $0 == UInt8(ascii: "\n") }
    }
  }

  /// A line of a journal with its sum.
  private func line(_ fields: String) -> [UInt8] {
    var bytes = Array("{\(fields)".utf8)
    LineSum.end(&bytes, from: 0)
    return bytes + [UInt8(ascii: "\n")]
  }

  @Test func `A run is read back as it was told`() throws {
    let folder = Folder()
    let run = try LoopRun([.make("a"), .make("b", after: [0])], statePath: folder.path)
    run.run()
    let bytes = readFile("\(folder.path)/runs/latest/journal.jsonl", most: 1 << 20)
    var reader = JournalReader(run.header)
    #expect(try reader.append(bytes) == run.events)
    #expect(reader.damaged == 0 && !reader.isTorn && reader.offset == bytes.count)
  }

  @Test func `A line is the documented one`() {
    let text = #"{"event":"run_started","time":0.000,"version":2,"tasks":3,"workers":2"#
    var bytes = Array(text.utf8)
    LineSum.end(&bytes, from: 0)
    #expect(String(decoding: bytes, as: UTF8.self) == #"\#(text),"sum":"595c3ba9"}"#)
    let isWhole = LineSum.isWhole(bytes.span)
    #expect(isWhole)
  }

  @Test func `The record of a journal is that in the history`() throws {
    let folder = Folder()
    let run = try LoopRun(
      [.make("a") { $0.retryLimit = 1 }, .make("b", after: [0]), .make("c", after: [1])],
      statePath: folder.path)
    let failed = VirtualMachine.AttemptScript(result: .failed(.exited(code: 7)))
    run.machine.scripts[TaskID(0)] = [failed, VirtualMachine.AttemptScript()]
    run.machine.scripts[TaskID(1)] = [failed]
    run.run(isStored: true)
    let stored = try #require(try openHistory(stateFolder: folder.path).run(named: nil))
    var reader = JournalReader(run.header)
    _ = try reader.append(run.journal)
    let read = StoredRun(run.header, reader, isRunning: false).record
    #expect(read.records == stored.records && !read.records.isEmpty)
    #expect(read.outcome == .failed && stored.outcome == .failed && read.total == stored.total)
  }

  // MARK: Damage

  @Test func `Cut after any byte, a journal has the events of its whole lines`() throws {
    let sample = try Sample()
    for count in 0...sample.bytes.count {
      let bytes = Array(sample.bytes.prefix(count))
      var reader = JournalReader(sample.header)
      let events = try reader.append(bytes)
      #expect(events == Array(sample.events.prefix(Sample.lines(bytes))))
      #expect(reader.damaged == 0 && reader.isTorn == (bytes.last ?? 0x0A != 0x0A))
      // It goes on where it has stopped.
      let rest = try reader.append(Array(sample.bytes.dropFirst(count)))
      #expect(events + rest == sample.events)
      #expect(reader.offset == sample.bytes.count)
    }
  }

  @Test(arguments: [1, 0x20, 0x80] as [UInt8])
  func `With any byte changed, a journal has the events of the other lines`(bit: UInt8) throws {
    let sample = try Sample()
    for index in sample.bytes.indices {
      var bytes = sample.bytes
      bytes[index] ^= bit
      let isEnd = sample.bytes[index] == UInt8(ascii: "\n")
      let line = Sample.lines(bytes[..<index])
      var expected = sample.events
      // Without its end, a line is one with the next, or the torn one.
      expected.removeSubrange(line..<min(line + (isEnd ? 2 : 1), expected.count))
      var reader = JournalReader(sample.header)
      #expect(try reader.append(bytes) == expected, "byte \(index)")
      let isTorn = isEnd && index == sample.bytes.count - 1
      #expect(reader.isTorn == isTorn && reader.damaged == (isTorn ? 0 : 1), "byte \(index)")
    }
  }

  @Test func `A line that was broken in two counts twice`() throws {
    let sample = try Sample()
    var bytes = sample.bytes
    bytes[10] = UInt8(ascii: "\n")
    var reader = JournalReader(sample.header)
    #expect(try reader.append(bytes) == Array(sample.events.dropFirst()))
    #expect(reader.damaged == 2)
    let run = StoredRun(sample.header, reader, isRunning: nil)
    #expect(run.warnings == ["2 damaged lines of the journal of run 'run' were left out"])
  }

  @Test(arguments: 1..<70) func `It does not matter in which parts a journal is read`(size: Int)
    throws
  {
    let sample = try Sample()
    var reader = JournalReader(sample.header)
    var events: [RunEvent] = []
    for start in stride(from: 0, to: sample.bytes.count, by: size) {
      let end = min(start + size, sample.bytes.count)
      events += try reader.append(Array(sample.bytes[start..<end]))
    }
    #expect(events == sample.events && reader.damaged == 0 && !reader.isTorn)
    #expect(reader.offset == sample.bytes.count)
  }

  @Test func `A line without an end is left out once it is too long, and so is its rest`() throws {
    let sample = try Sample()
    var reader = JournalReader(sample.header)
    for _ in 0..<JournalReader.maxLine / 1000 + 2 {
      #expect(try reader.append([UInt8](repeating: 0x20, count: 1000)) == [])
    }
    #expect(reader.damaged == 1 && reader.isTorn)
    #expect(try reader.append([0x0A] + sample.bytes) == sample.events)
    #expect(reader.damaged == 1 && !reader.isTorn)
  }

  @Test(arguments: [
    #""event":"task_started","time":0,"task":"d","id":3,"attempt":1"#,
    #""event":"run_started","time":0,"version":2,"tasks":4,"workers":1"#,
    #""event":"task_added","time":0,"task":"d","id":3"#,
    #""event":"task_ended","time":0,"task":"a","id":0,"outcome":"skipped","needs":"x","needs_id":9,"attempts":0,"ran":0"#,
    #""event":"task_ended","time":0,"task":"a","id":0,"outcome":"skipped","stopped_by":"x","stopped_by_id":9,"attempts":0,"ran":0"#,
    #""event":"run_ending","time":0,"reason":"failure","task":"x","id":3"#,
    #""event":"run_held","time":0,"task":"x","id":3"#,
    #""event":"unheard_of","time":0"#, #""time":0"#, "",
  ]) func `A line with a sum that is no event of this run is left out`(fields: String) throws {
    var reader = JournalReader(RunHeader.sample(["a", "b", "c"]))
    #expect(try reader.append(line(fields)) == [])
    #expect(reader.damaged == 1)
  }

  // MARK: Versions

  @Test func `A journal of a newer version is refused`() {
    var reader = JournalReader(RunHeader.sample(["a"]))
    let newer = line(#""event":"run_started","time":0,"version":3,"tasks":1,"workers":1"#)
    #expect {
      try reader.append(newer)
    } throws: { error in
      (error as? StateError)?.message
        == "cannot read the run 'run': it was written by a newer headway: its format has version 3, and this program reads versions up to 2"
    }
  }

  @Test(arguments: [
    (
      #"{"version":2,"plan":{}}"# + "\n",
      "it was written by a newer headway: its format has version 2, and this program reads versions up to 1"
    ),
    (
      #"{"version":1,"run":"r","plan":"p""#,
      "its header is incomplete: it ended before its first task"
    ),
    ("", "its header is incomplete: it ended before its first task"),
  ]) func `A header that is newer or incomplete is refused`(text: String, reason: String) {
    #expect {
      try RunHeader(Array(text.utf8), of: "run")
    } throws: { error in
      (error as? StateError)?.message == "cannot read the run 'run': \(reason)"
    }
  }

  @Test
  func
    `Cut or changed at any byte, a header is refused or read, and names no task that is missing`()
    throws
  {
    var header = RunHeader.sample(["a", "b"])
    header.tasks[1].after = [0]
    header.tasks[1].usual = .milliseconds(1500)
    header.invocation.words = ["b"]
    (header.done, header.again) = (["b"], ["a"])
    let bytes = header.bytes()
    #expect(try RunHeader(bytes, of: "run") == header)
    for index in bytes.indices {
      #expect(throws: StateError.self) { try RunHeader(Array(bytes[..<index]), of: "run") }
      for bit in [1, 0x20, 0x80] as [UInt8] {
        var damaged = bytes
        damaged[index] ^= bit
        guard let read = try? RunHeader(damaged, of: "run") else { continue }
        #expect(read.tasks.allSatisfy { $0.after.allSatisfy(read.tasks.indices.contains) })
      }
    }
  }

  @Test func `A header that somebody has edited is read as it was written`() throws {
    var header = RunHeader.sample(["a", "b"])
    header.tasks[1].after = [0]
    header.tasks[0].command = "echo \"x\" \\ \u{1B}é"
    header.tasks[0].timeout = .milliseconds(1500)
    header.invocation.settings = ["NAME=a b"]
    let line = String(decoding: header.bytes(), as: UTF8.self)
    #expect(try RunHeader(Array(line.utf8), of: "run") == header)
    let edited = line.replacing("\":", with: "\" : ").replacing(",\"", with: " , \"")
    #expect(edited != line)
    #expect(try RunHeader(Array(edited.utf8), of: "run") == header)
  }

  // MARK: Lost tasks

  @Test
  func
    `Tasks that were under way when the run died are lost, and those that waited have no outcome`()
    throws
  {
    let sample = try Sample()
    let begun = try #require(
      sample.events.lastIndex { if case .taskStarted = $0.kind { true } else { false } })
    var count = 0
    let bytes = sample.bytes.prefix { byte in
      defer { if byte == 0x0A { count += 1 } }
      return count <= begun
    }
    var reader = JournalReader(sample.header)
    _ = try reader.append(Array(bytes))
    let alive = StoredRun(sample.header, reader, isRunning: true)
    #expect(alive.state.active.map(\.index) == [1] && alive.record.records.count == 1)
    let died = StoredRun(sample.header, reader, isRunning: false)
    #expect(died.state.outcome(of: TaskID(0)) == .succeeded)
    #expect(died.state.outcome(of: TaskID(1)) == .lost && died.state.outcome(of: TaskID(2)) == nil)
    #expect(died.record.records.map(\.outcome) == [.succeeded, .lost])
    #expect(died.record.outcome == nil && !died.hasEnded)
  }

  @Test func `A task whose end is damaged is lost, also if the end of the run is not`() throws {
    let sample = try Sample()
    let end = try #require(
      sample.events.firstIndex { if case .taskEnded = $0.kind { true } else { false } })
    var bytes = sample.bytes
    let starts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    bytes[starts[end]] = 0x20
    var reader = JournalReader(sample.header)
    _ = try reader.append(bytes)
    let run = StoredRun(sample.header, reader, isRunning: false)
    #expect(run.hasEnded && run.state.active.isEmpty && run.warnings.count == 1)
    #expect(run.state.outcome(of: TaskID(0)) == .lost)
  }

  // MARK: Writing

  @Test func `A journal that cannot be opened ends nothing, and a line says why`() throws {
    let folder = Folder()
    folder.write("journal.jsonl/x", "")
    let journal = Journal(in: try folder.opened(), names: [])
    journal.write([RunEvent(time: .zero, kind: .runEnded)])
    journal.sync()
    #expect(
      journal.warning
        == "the journal of this run is incomplete: Is a directory; `headway resume` may repeat tasks"
    )
    #expect(Journal(in: nil, names: []).warning != nil)
  }

  @Test func `A journal is locked until it is closed, and what stores it keeps no lock`() throws {
    let folder = Folder()
    let journal = Journal(in: try folder.opened(), names: [])
    let file = unsafe open("\(folder.path)/journal.jsonl", O_RDONLY)
    defer { close(file) }
    journal.write([RunEvent(time: .zero, kind: .runEnded)])
    journal.sync()
    #expect(FileLock.isTaken(file) == true)
    journal.close()
    #expect(FileLock.isTaken(file) == false && journal.warning == nil)
  }
}
