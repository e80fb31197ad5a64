import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayState

/// Who may own a state folder, and what links in place of its parts can do.
struct StateFolderOwnerTests {
  /// The user number of nobody, who owns nothing that matters.
  private static let nobody: uid_t = 65534
  private static let isRoot = geteuid() == 0

  /// The message of the error that opening a state folder throws, nil if it throws none.
  private func refusal(_ path: String) -> String? {
    do {
      _ = try StateFolder(path: path, plan: "p")
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `A state folder that others can write to is refused`() {
    for mode: mode_t in [0o775, 0o757, 0o777, 0o1777] {
      let folder = Folder()
      setPermissions(mode, ofFolder: folder.path)
      #expect(
        refusal(folder.path)
          == "cannot use '\(folder.path)': other users can write to it (remove that with 'chmod go-w'); "
          + "name another folder with --state DIR")
      #expect(folderEntries(folder.path).isEmpty)
    }
  }

  @Test func `A folder of runs that others can write to is refused, not taken for an empty one`() {
    let folder = Folder()
    unsafe mkdir("\(folder.path)/runs", 0o700)
    setPermissions(0o777, ofFolder: "\(folder.path)/runs")
    let error = #expect(throws: StateError.self) { try RunFolder.all(in: folder.path) }
    #expect(error?.message.contains("other users can write to it") ?? false)
  }

  @Test(.enabled(if: isRoot, "only root can give files away"))
  func `A state folder of another user is refused`() {
    let folder = Folder()
    unsafe chown(folder.path, Self.nobody, Self.nobody)
    #expect(refusal(folder.path)?.contains("it belongs to another user (uid 65534)") == true)
    #expect(folderEntries(folder.path).isEmpty)
  }

  @Test(.enabled(if: isRoot, "only root can give links away"))
  func `A link of another user is not followed, one's own is`() throws {
    let folder = Folder()
    let target = Folder()
    let link = "\(folder.path)/.headway"
    unsafe symlink(target.path, link)
    _ = try StateFolder(path: link, plan: "p")
    #expect(!folderEntries(target.path).isEmpty)
    let other = Folder()
    unsafe unlink(link)
    unsafe symlink(other.path, link)
    unsafe lchown(link, Self.nobody, Self.nobody)
    #expect(refusal(link)?.contains("it is not a directory") == true)
    #expect(folderEntries(other.path).isEmpty)
  }

  @Test(arguments: ["runs", "contents", "contents/p"])
  func `A link in place of a folder is refused`(name: String) {
    let folder = Folder()
    let target = Folder()
    if name.contains("/") { folder.write("contents/q", "") }
    unsafe symlink(target.path, "\(folder.path)/\(name)")
    #expect(refusal(folder.path)?.contains("/\(name)': it is not a directory") == true)
    #expect(folderEntries(target.path).isEmpty)
  }

  @Test func `A file that is not a link is not replaced by the link to the newest run`() throws {
    let folder = Folder(["runs/latest"])
    _ = try StateFolder(path: folder.path, plan: "p")
    #expect(readFile("\(folder.path)/runs/latest", most: 100) == Array("runs/latest".utf8))
  }

  @Test func `A folder that was removed or replaced is noticed`() throws {
    let folder = Folder()
    let path = "\(folder.path)/state"
    let state = try StateFolder(path: path, plan: "p")
    #expect(state.losses.isEmpty)
    let logs = try #require(state.logs)
    unsafe rename(logs.path, "\(folder.path)/moved")
    #expect(state.losses == ["'\(logs.path)' was removed during the run; its logs are lost"])
    let run = try #require(state.runFolder)
    unsafe rename(run.path, "\(folder.path)/moved-run")
    #expect(
      state.losses == [
        "'\(run.path)' was removed during the run; its journal and its logs are lost"
      ])
    unsafe rename(path, "\(folder.path)/other")
    _ = try StateFolder(path: path, plan: "p")
    #expect(
      state.losses == [
        "'\(path)' was removed during the run; its journal, its logs and its history are lost"
      ])
  }
}
