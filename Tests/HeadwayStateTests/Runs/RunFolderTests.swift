import Glibc
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import RunFixtures
import Testing

@testable import HeadwayState

/// The folders of runs.
struct RunFolderTests {
  @Test func `A name that is taken, as after the clock was set back, is given to no other run`()
    throws
  {
    let folder = Folder()
    let states = try (0..<20).map { _ in try StateFolder(path: folder.path, plan: "p") }
    #expect(Set(states.map(\.run)).count == 20)
    let header = RunHeader.sample(["a"]).bytes()
    for state in states {
      #expect(state.runFolder?.create(RunHeader.fileName, with: header) == 0)
    }
    #expect(try RunFolder.all(in: folder.path).map(\.name) == states.map(\.run).sorted(by: >))
    #expect(
      try RunFolder.named("latest", in: folder.path)?.name == states.map(\.run).max())
    for name in ["20200101-000000-1", "..", "latest/", "", "20200101-000000-1/.."] {
      #expect(try RunFolder.named(name, in: folder.path)?.name == nil)
    }
  }

  @Test func `A folder without a header is no run, and a folder that others can write is refused`()
    throws
  {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    #expect(try RunFolder.all(in: folder.path).isEmpty)
    #expect(try RunFolder.named(state.run, in: folder.path)?.name == nil)
    setPermissions(0o777, ofFolder: folder.path)
    #expect(throws: StateError.self) { try RunFolder.all(in: folder.path) }
    setPermissions(0o700, ofFolder: folder.path)
  }

  @Test
  func `Where nobody knows of a lock, the process decides, and of another machine nobody knows`()
    throws
  {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    let run = RunFolder(state.run, directory: try #require(state.runFolder))
    var header = RunHeader.sample(["a"])
    #expect(run.isRunning(header) == false)
    header.process = .current
    #expect(run.isRunning(header) == true)
    // An open journal without a lock is that of a run that died.
    folder.write("runs/\(state.run)/journal.jsonl", "")
    #expect(run.isRunning(header) == false)
    header.machine = MachineIdentity(cores: 2, host: 1)
    #expect(run.isRunning(header) == nil)
    let journal = Journal(in: state.runFolder, names: [])
    #expect(run.isRunning(header) == true)
    header.machine = MachineIdentity(cores: 2)
    header.process.boot = "an earlier one"
    #expect(run.isRunning(header) == true)
    journal.close()
    #expect(run.isRunning(header) == false)
  }
}
