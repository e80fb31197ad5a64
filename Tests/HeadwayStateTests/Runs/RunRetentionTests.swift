import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayState

/// Which runs stay in a state folder.
struct RunRetentionTests {
  /// Writes runs that are over, from 20200101-000010 to 20200101-000039.
  private func writeRuns(_ folder: Folder, process: pid_t = 1, size: Int = 1) {
    for number in 10..<40 {
      let run = "runs/20200101-0000\(number)-\(process)"
      folder.write("\(run)/run.json", "{}\n")
      folder.write("\(run)/journal.jsonl", "")
      folder.write("\(run)/logs/a.log", String(repeating: "x", count: size))
    }
  }

  /// Begins a run, for which old ones are removed.
  @discardableResult
  private func beginRun(
    _ folder: Folder, _ retention: RunRetention = RunRetention()
  ) throws -> StateFolder {
    let state = try StateFolder(path: folder.path, plan: "p")
    state.removeOldRuns(retention)
    return state
  }

  /// The names of the runs in a state folder.
  private func runs(_ folder: Folder) -> [String] {
    folderEntries("\(folder.path)/runs").filter { $0.hasPrefix("20") }.sorted()
  }

  @Test func `Only the newest runs are kept, and foreign files stay`() throws {
    let folder = Folder()
    writeRuns(folder)
    folder.write("runs/20200101-000010-1/mine.txt", "x")
    folder.write("runs/20200101-000011-1/logs/mine.txt", "x")
    try beginRun(folder)
    // With the run that begins, and the two folders in which something is left.
    #expect(runs(folder).count == RunRetention().runs + 2)
    #expect(folderEntries("\(folder.path)/runs/20200101-000010-1") == ["mine.txt"])
    #expect(folderEntries("\(folder.path)/runs/20200101-000011-1") == ["logs"])
    #expect(folderEntries("\(folder.path)/runs/20200101-000011-1/logs") == ["mine.txt"])
  }

  @Test func `The number of runs that are kept can be chosen`() throws {
    let folder = Folder()
    writeRuns(folder)
    var retention = RunRetention()
    retention.runs = 3
    let state = try beginRun(folder, retention)
    #expect(
      runs(folder) == ["20200101-000038-1", "20200101-000039-1", state.run])
  }

  @Test func `The oldest runs are removed until the rest fits into the size`() throws {
    let folder = Folder()
    writeRuns(folder, size: 1000)
    var retention = RunRetention()
    retention.bytes = 3500
    try beginRun(folder, retention)
    #expect(runs(folder).dropLast().map { $0.dropFirst(13) } == ["37-1", "38-1", "39-1"])
  }

  @Test func `The newest earlier run is kept whatever its size`() throws {
    let folder = Folder()
    writeRuns(folder, size: 1000)
    var retention = RunRetention()
    retention.bytes = 1
    try beginRun(folder, retention)
    #expect(runs(folder).dropLast() == ["20200101-000039-1"])
  }

  @Test func `The sizes of runs are counted once`() throws {
    let folder = Folder()
    writeRuns(folder, size: 1000)
    try beginRun(folder)
    let sizes = "\(folder.path)/runs/\(RunRetention.sizesName)"
    let text = String(decoding: readFile(sizes, most: 1 << 16), as: UTF8.self)
    #expect(text.split(separator: "\n").count == 19)
    #expect(text.hasPrefix("20200101-000021-1 1003\n"))
    // Then they are believed.
    folder.write("runs/sizes", "20200101-000039-1 \(2 << 30)\n20200101-000038-1 nonsense\n\u{0}")
    try beginRun(folder)
    #expect(runs(folder).filter { $0.hasSuffix("-1") } == ["20200101-000039-1"])
  }

  @Test func `A folder with the name of a run that no run has created is not touched`() throws {
    let folder = Folder()
    for number in 10..<40 { folder.write("runs/20200101-0000\(number)-1/a.log", "x") }
    try beginRun(folder)
    for number in 10..<40 {
      #expect(folderEntries("\(folder.path)/runs/20200101-0000\(number)-1") == ["a.log"])
    }
  }

  @Test func `The folder of a run that was killed before it had a header is removed`() throws {
    let folder = Folder()
    folder.write("runs/20200101-000010-1/journal.jsonl", "")
    unsafe mkdir("\(folder.path)/runs/20200101-000010-1/logs", 0o755)
    unsafe mkdir("\(folder.path)/runs/20200101-000011-1", 0o755)
    let state = try beginRun(folder)
    #expect(runs(folder) == [state.run])
  }

  @Test func `A run that has made its folder and not yet locked its journal is kept`() throws {
    let folder = Folder()
    let names = ["20200101-000010-\(getpid())", "20200101-000011-\(getpid())"]
    folder.write("runs/\(names[0])/journal.jsonl", "")
    unsafe mkdir("\(folder.path)/runs/\(names[0])/logs", 0o755)
    unsafe mkdir("\(folder.path)/runs/\(names[1])", 0o755)
    let state = try beginRun(folder)
    #expect(runs(folder) == names + [state.run])
  }

  @Test func `Folders of others beside the runs are not touched`() throws {
    let folder = Folder()
    for number in 10..<40 { folder.write("runs/202601\(number)/run.json", "x") }
    for name in [
      "2020-01-01", "20200101-000000", "20200101-000000-", "20200101-000000-1-2",
      "20200101-00000x-1",
      "20200101-000000-+1", "20200101-000000-99999999999",
    ] {
      folder.write("runs/\(name)/run.json", "x")
    }
    let before = folderEntries("\(folder.path)/runs").sorted()
    try beginRun(folder)
    try beginRun(folder)
    for name in before { #expect(folderEntries("\(folder.path)/runs/\(name)") == ["run.json"]) }
  }

  @Test func `Links in place of a run or its logs are not followed`() throws {
    let folder = Folder()
    let target = Folder()
    target.write("run.json", "{}\n")
    target.write("a.log", "x")
    // First, because of headers that cannot be read the one that was written last is the newest.
    folder.write("runs/20200101-000002-1/run.json", "{}\n")
    writeRuns(folder)
    unsafe symlink(target.path, "\(folder.path)/runs/20200101-000001-1")
    unsafe symlink(target.path, "\(folder.path)/runs/20200101-000002-1/logs")
    try beginRun(folder)
    #expect(folderEntries(target.path).sorted() == ["a.log", "run.json"])
    #expect(folderEntries("\(folder.path)/runs/20200101-000002-1") == ["logs"])
  }

  @Test func `A run that goes on is kept, and so is one whose process may be alive`() throws {
    let folder = Folder()
    let locked = "runs/20200101-000000-1"
    folder.write("\(locked)/run.json", "{}\n")
    let directory = try PrivateDirectory(path: "\(folder.path)/\(locked)", creates: false)
    let journal = Journal(in: directory, names: [])
    // Without a journal, the number of the process decides.
    let unlocked = "runs/20200101-000001-\(getpid())"
    folder.write("\(unlocked)/run.json", "{}\n")
    writeRuns(folder)
    try beginRun(folder)
    #expect(
      folderEntries("\(folder.path)/\(locked)").sorted() == ["journal.jsonl", "run.json"])
    #expect(folderEntries("\(folder.path)/\(unlocked)") == ["run.json"])
    journal.close()
    try beginRun(folder)
    #expect(!folderEntries("\(folder.path)/runs").contains("20200101-000000-1"))
  }
}
