import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

/// Noticing that something in folders has changed.
struct FolderWatchTests {
  private let folder = Folder(["a", "deep/b"])

  private func watch(_ names: [String]) -> FolderWatch {
    let watch = FolderWatch()
    for name in names { #expect(watch.add(Array("\(folder.path)/\(name)".utf8)) == 0) }
    return watch
  }

  @Test func `A change is noticed once, also if it happened before the wait`() {
    let watch = watch([""])
    #expect(!watch.wait(for: .zero))
    folder.write("a", "new")
    #expect(watch.wait(for: .seconds(120)))
    #expect(!watch.wait(for: .zero))
  }

  @Test(arguments: ["write", "create", "remove", "rename"])
  func `Each kind of change is noticed`(_ change: String) {
    let watch = watch([""])
    let path = "\(folder.path)/a"
    switch change {
    case "write": folder.write("a", "more")
    case "create": folder.write("new", "")
    case "remove": unsafe unlink(path)
    default: unsafe rename(path, "\(folder.path)/other")
    }
    #expect(watch.wait(for: .seconds(120)))
  }

  @Test func `What happens in a folder below is noticed only if that is added`() {
    let top = watch([""])
    let both = watch(["", "deep"])
    folder.write("deep/b", "new")
    #expect(both.wait(for: .seconds(120)))
    #expect(!top.wait(for: .zero))
  }

  @Test func `A folder that does not exist is an error`() {
    #expect(FolderWatch().add(Array("\(folder.path)/none".utf8)) == ENOENT)
    #expect(FolderWatch().add(Array("\(folder.path)/a".utf8)) == ENOTDIR)
  }
}
