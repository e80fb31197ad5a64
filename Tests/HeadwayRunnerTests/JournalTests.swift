import HeadwayLaunch
import HeadwayPlan
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// What a run writes down, and what is read from it.
struct JournalTests {
  @Test func `A run is read back as it was told`() throws {
    let folder = Folder()
    let run = try LoopRun([.make("a"), .make("b", after: [0])], statePath: folder.path)
    run.run()
    let bytes = readFile("\(folder.path)/runs/latest/journal.jsonl", most: 1 << 20)
    var reader = JournalReader(run.header)
    #expect(try reader.append(bytes) == run.events)
    #expect(reader.damaged == 0 && !reader.isTorn && reader.offset == bytes.count)
  }
}
