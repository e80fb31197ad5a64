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
    make("20260101-3")
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
}
