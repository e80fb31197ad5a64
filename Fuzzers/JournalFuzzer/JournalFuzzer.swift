import FuzzSupport
import HeadwayRun

@testable import HeadwayState

/// Reads headers and journals that are damaged in arbitrary ways: nothing crashes, what can be read can be written, and it does
/// not matter in which parts a journal is read.
@main
enum JournalFuzzer {
  /// The header of the journals: three tasks, of which two depend on each other and one is a service.
  private static let header: RunHeader = {
    var header = RunHeader(
      run: "20261121-101500-4711", plan: "plan", folder: "/", workers: 2, began: 0,
      machine: .init(cores: 2, host: 1), process: .init(number: 1, started: 1, boot: ""),
      identity: "run")
    header.tasks = ["a", "b", "c"].map { RunHeader.Task(name: $0) }
    header.tasks[1].after = [0]
    header.tasks[2].isService = true
    return header
  }()

  static func main() { fuzz(check) }

  /// Checks one input.
  private static func check(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.number(below: 3) {
    case 0: checkHeader(Array(input.rest))
    case 1: checkJournal(Array(input.rest.dropFirst()), partsOf: Int(input.byte()))
    default:
      let size = Int(input.byte())
      checkJournal(summed(Array(input.rest)), partsOf: size)
    }
  }

  /// Checks that a header is refused, or is the same after it was written.
  private static func checkHeader(_ bytes: [UInt8]) {
    guard let header = try? RunHeader(bytes + [UInt8(ascii: "\n")], of: "run") else { return }
    expect(header.tasks.allSatisfy { $0.after.allSatisfy(header.tasks.indices.contains) }, "after")
    // Times are rounded to whole nanoseconds when they are written.
    guard let once = try? RunHeader(header.bytes(), of: "run"),
      let twice = try? RunHeader(once.bytes(), of: "run")
    else { fatalError("a header cannot be written and read") }
    expect(twice == once, "another header was read")
    _ = header.record
  }

  /// The lines of a text as lines of a journal, each with its sum.
  private static func summed(_ bytes: [UInt8]) -> [UInt8] {
    var journal: [UInt8] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let start = journal.count
      // The sum ends the object.
      journal += line.last == UInt8(ascii: "}") ? line.dropLast() : line
      LineSum.end(&journal, from: start)
      journal.append(UInt8(ascii: "\n"))
    }
    return journal
  }

  /// Checks a journal, read at once and in parts.
  private static func checkJournal(_ bytes: [UInt8], partsOf size: Int) {
    var whole = JournalReader(header)
    let events = try? whole.append(bytes)
    var parts = JournalReader(header)
    var eventsOfParts: [RunEvent]? = []
    for start in stride(from: 0, to: bytes.count, by: size + 1) {
      let part = Array(bytes[start..<min(start + size + 1, bytes.count)])
      guard let more = try? parts.append(part) else {
        eventsOfParts = nil
        break
      }
      eventsOfParts? += more
    }
    expect(events == eventsOfParts, "other events in parts")
    guard let events else { return }
    expect(whole.damaged == parts.damaged && whole.isTorn == parts.isTorn, "other damage in parts")
    expect(whole.state == parts.state && whole.offset == parts.offset, "another state in parts")
    for isRunning in [true, false, nil] {
      let run = StoredRun(header, whole, isRunning: isRunning)
      expect(run.state.tasks.count == header.tasks.count, "another number of tasks")
      expect(run.warnings.isEmpty == (whole.damaged == 0), "silent damage")
      if run.isRunning == false { expect(run.state.active.isEmpty, "a dead task runs") }
      expect(run.record.records.allSatisfy { header.tasks.indices.contains($0.index) }, "a record")
    }
    checkAgain(events)
  }

  /// Checks that the events of a journal are written as lines that are read as the same number of events.
  private static func checkAgain(_ events: [RunEvent]) {
    var line = JSONLine(names: header.tasks.map(\.name))
    for event in events { line.appendToJournal(event) }
    var reader = JournalReader(header)
    let again = try? reader.append(line.bytes)
    expect(again?.count == events.count && reader.damaged == 0, "events cannot be read again")
  }
}
