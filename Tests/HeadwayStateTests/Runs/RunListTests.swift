import Glibc
import HeadwaySystem
import ProcessFixtures
import RunFixtures
import Testing

@testable import HeadwayState

/// The order in which runs began.
struct RunListTests {
  /// A moment, in milliseconds since 1970: 2026-11-21 10:15:00 UTC.
  private static let moment: Int64 = 1_795_256_100_000
  private static let hour: Int64 = 3_600_000

  /// Begins a run at a time, and writes its header.
  private func begin(_ folder: Folder, at now: Int64) throws -> StateFolder {
    let state = try StateFolder(path: folder.path, plan: "p") { now }
    var header = RunHeader.sample(["a"])
    (header.began, header.order) = (now, state.order)
    let bytes = header.bytes()
    #expect(state.runFolder?.create(RunHeader.fileName, with: bytes) == 0)
    return state
  }

  /// Writes the header of a run as a version without `order` did.
  private func writeOld(_ folder: Folder, _ run: String, began: Int64) {
    var header = RunHeader.sample(["a"])
    (header.began, header.order) = (began, 0)
    let text = String(decoding: header.bytes(), as: UTF8.self)
    folder.write("runs/\(run)/run.json", text.replacing("\"order\":0,", with: ""))
  }

  private func newestFirst(_ folder: Folder) throws -> [String] {
    try RunFolder.all(in: folder.path).map(\.name)
  }

  private func list(_ folder: Folder) throws -> RunList {
    try #require(try StateFolder(existing: folder.path, plan: "").runs)
  }

  @Test func `A name has the time in UTC, which can be read back`() throws {
    let folder = Folder()
    let state = try begin(folder, at: Self.moment + 999)
    #expect(state.run == "20261121-101500-\(getpid())")
    #expect(StateFolder.time(of: state.run) == Self.moment)
    #expect(StateFolder.time(of: "19700101-000001-1") == 1000)
    #expect(StateFolder.time(of: "latest") == 0)
  }

  @Test(arguments: [
    [0, -hour, hour, 0], [0, hour, 0, -hour], [0, 0, 0, 0], [0, 1, 2, 3],
    [hour * 24 * 365 * 10, 0, 1, -hour],
  ])
  func `A clock that jumps does not change the order`(_ offsets: [Int64]) throws {
    let folder = Folder()
    var runs: [String] = []
    for offset in offsets {
      runs.insert(try begin(folder, at: Self.moment + offset).run, at: 0)
      #expect(try newestFirst(folder) == runs)
      #expect(try RunFolder.named("latest", in: folder.path)?.name == runs[0])
    }
    #expect(try list(folder).names == runs.reversed())
    // They are over: nobody has the lock of their journals.
    for run in runs { folder.write("runs/\(run)/journal.jsonl", "") }
    var retention = RunRetention()
    retention.runs = 3
    let last = try begin(folder, at: Self.moment - 2 * Self.hour)
    last.removeOldRuns(retention)
    #expect(try newestFirst(folder) == [last.run, runs[0], runs[1]])
  }

  @Test func `Runs that began while another goes on are newer, however the clock jumps in between`()
    throws
  {
    let folder = Folder()
    let first = try begin(folder, at: Self.moment)
    let second = try begin(folder, at: Self.moment - Self.hour)
    // The list of a run that began earlier knows the later ones, too.
    #expect(first.runs?.names == [first.run, second.run])
    let third = try begin(folder, at: Self.moment - 1)
    #expect(first.runs?.names == [first.run, second.run, third.run])
    #expect(third.order == first.order + 2)
  }

  @Test func `Of runs that older versions wrote, the time at which they began tells the order`()
    throws
  {
    let folder = Folder()
    let runs = [
      ("20261121-101500-99999", 1), ("20261121-101500-100", 2), ("20261121-101459-500", 9),
      ("20261121-101500-1000", 3), ("20261121-191500-5", 4),
    ]
    for (run, began) in runs { writeOld(folder, run, began: Self.moment + Int64(began)) }
    let names = runs.sorted { $0.1 < $1.1 }.map(\.0)
    #expect(try list(folder).names == names)
    #expect(try newestFirst(folder) == names.reversed())
    let next = try begin(folder, at: Self.moment)
    #expect(next.order == Self.moment + 10)
    #expect(try newestFirst(folder).first == next.run)
  }

  @Test(arguments: [Int64.max, Int64.min, -1, 1 << 53])
  func `A time that cannot be right leaves room for the next run`(_ began: Int64) throws {
    let folder = Folder()
    writeOld(folder, "20200101-000000-1", began: began)
    var header = RunHeader.sample(["a"])
    header.order = began
    folder.write(
      "runs/20200101-000001-1/run.json", String(decoding: header.bytes(), as: UTF8.self))
    let next = try begin(folder, at: Self.moment)
    #expect(try newestFirst(folder).first == next.run)
  }

  /// Contents of headers that cannot be read.
  private static let damaged = ["", "{}\n", "{\"version\":1,\"order\":1\n", "{\"version\":1,\"or"]

  @Test(arguments: damaged)
  func `A run whose header cannot be read is as new as its name or its header`(_ text: String)
    throws
  {
    let folder = Folder()
    let run = try begin(folder, at: Self.moment)
    let now = currentMilliseconds()
    for name in ["20991231-000000-1", "20200101-000000-1"] {
      folder.write("runs/\(name)/run.json", text)
    }
    // The one by its name, the other because it was written after the run had begun, or now if that is later.
    let names = try newestFirst(folder)
    #expect(names.first == "20991231-000000-1")
    #expect(names.firstIndex(of: run.run) == (now > Self.moment ? 2 : 1))
    let next = try begin(folder, at: Self.moment)
    #expect(try newestFirst(folder).first == next.run)
  }

  @Test func `The order of a run of a newer version is known, though its header is not`() throws {
    let folder = Folder()
    let first = try begin(folder, at: Self.moment)
    let second = try begin(folder, at: Self.moment - Self.hour)
    let third = try begin(folder, at: Self.moment - Self.hour)
    var header = RunHeader.sample(["a"])
    header.order = second.order
    let text = String(decoding: header.bytes(), as: UTF8.self)
    folder.write(
      "runs/\(second.run)/run.json",
      text.replacing("\"version\":1,", with: "\"version\":2,").replacing("\"plan\"", with: "\"x\""))
    #expect(try newestFirst(folder) == [third.run, second.run, first.run])
  }

  @Test func `A header that somebody has written anew keeps its place`() throws {
    let folder = Folder()
    let first = try begin(folder, at: Self.moment)
    let second = try begin(folder, at: Self.moment - Self.hour)
    let path = "\(folder.path)/runs/\(second.run)/run.json"
    let text = String(decoding: readFile(path, most: 1 << 16), as: UTF8.self)
    folder.write("runs/\(second.run)/run.json", text.replacing(",\"", with: " , \""))
    #expect(try newestFirst(folder) == [second.run, first.run])
  }

  @Test func `What is read of a header is its beginning, and once`() throws {
    let folder = Folder()
    let first = try begin(folder, at: Self.moment)
    let list = try list(folder)
    #expect(list.names == [first.run])
    // What comes after the beginning is not looked at, and what was read is not read again.
    folder.write("runs/\(first.run)/run.json", "{\"version\":1,\"order\":5,\"run")
    #expect(try self.list(folder).nextOrder(at: 0) == 6)
    #expect(list.nextOrder(at: 0) == first.order + 1)
  }
}
