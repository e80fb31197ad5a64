import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// The folder with copies of a run's files.
struct CopiedFolderTests {
  private let cache = Folder()

  private var names: [String] { folderEntries("\(cache.path)/headway/files").sorted() }

  private func make(_ folder: String) {
    unsafe mkdir("\(cache.path)/headway/files/\(folder)", 0o700)
  }

  private func write(_ text: String, to path: String) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(file) }
    let bytes = Array(text.utf8)
    #expect(unsafe Glibc.write(file, bytes, bytes.count) == bytes.count)
  }

  @Test func `A folder is removed once no worker of its run uses it`() throws {
    let first = try CopiedFolder(below: cache.path, run: "20260101-1")
    let second = try CopiedFolder(below: cache.path, run: "20260101-1")
    #expect(first.path == second.path && first.path == "\(cache.path)/headway/files/20260101-1")
    make("20260101-1/sub")
    unsafe symlink("/etc", "\(first.path)/sub/link")
    #expect(names == ["20260101-1", "20260101-1.lock"])
    first.remove()
    #expect(names == ["20260101-1", "20260101-1.lock"])
    withExtendedLifetime(second) {}
  }

  @Test func `What is left over is removed by the next worker, and nothing else`() throws {
    let alive = try CopiedFolder(below: cache.path, run: "20260101-1")
    do { _ = try CopiedFolder(below: cache.path, run: "20260101-2") }
    #expect(names.contains("20260101-2"))
    make("mine")
    let next = try CopiedFolder(below: cache.path, run: "20260101-4")
    #expect(
      names == [
        "20260101-1", "20260101-1.lock", "20260101-4", "20260101-4.lock", "mine",
      ])
    next.remove()
    alive.remove()
    #expect(names == ["mine"])
  }

  @Test(arguments: ["", "x", "headway worker\nand more"])
  func `What no worker has made stays, whatever its name, and with a lock of another program`(
    lock: String
  ) throws {
    try CopiedFolder(below: cache.path, run: "20260101-1").remove()
    make("20260101-2")
    make("20260101-2/sub")
    make("20260101-3")
    write(lock, to: "\(cache.path)/headway/files/20260101-3.lock")
    try CopiedFolder(below: cache.path, run: "20260101-4").remove()
    #expect(names == ["20260101-2", "20260101-3", "20260101-3.lock"])
    #expect(folderEntries("\(cache.path)/headway/files/20260101-2") == ["sub"])
  }

  /// How the folder of a run cannot be used, nil if it can.
  private func problem(_ run: String = "20260101-2") -> String? {
    do throws(RunnerError) {
      try CopiedFolder(below: cache.path, run: run).remove()
      return nil
    } catch {
      return error.message
    }
  }

  @Test(arguments: ["headway", "headway/files"])
  func `A folder that others can change is neither used nor emptied`(name: String) throws {
    try CopiedFolder(below: cache.path, run: "20260101-1").remove()
    setPermissions(0o777, ofFolder: "\(cache.path)/\(name)")
    let problem = try #require(self.problem())
    #expect(problem.contains("'\(cache.path)/\(name)': other users can write to it"))
    #expect(names == [])
    setPermissions(0o700, ofFolder: "\(cache.path)/\(name)")
    // Only the first user of the system can give something away.
    guard geteuid() == 0 else { return }
    unsafe chown("\(cache.path)/\(name)", 65_534, 65_534)
    #expect(self.problem()?.contains("it belongs to another user (uid 65534)") == true)
  }

  @Test func `Links in place of folders and locks are not followed`() throws {
    let victim = Folder()
    unsafe mkdir("\(victim.path)/2024", 0o700)
    write("headway worker\n", to: "\(victim.path)/2024.lock")
    unsafe mkdir("\(cache.path)/headway", 0o700)
    let files = "\(cache.path)/headway/files"
    unsafe symlink(victim.path, files)
    #expect(problem()?.contains("'\(files)': it is not a directory") == true)
    unsafe unlink(files)
    unsafe mkdir(files, 0o700)
    unsafe symlink(victim.path, "\(files)/20260101-2")
    #expect(problem()?.contains("'\(files)/20260101-2': it is not a directory") == true)
    unsafe unlink("\(files)/20260101-2")
    unsafe symlink("\(victim.path)/new", "\(files)/20260101-3.lock")
    #expect(problem("20260101-3")?.contains("cannot lock") == true)
    #expect(folderEntries(victim.path).sorted() == ["2024", "2024.lock"])
  }

  @Test func `Nobody else can open a lock, and so lock it`() throws {
    let folder = try CopiedFolder(below: cache.path, run: "20260101-1")
    var status = stat()
    #expect(unsafe stat("\(folder.path).lock", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }
}
