import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

/// What is known of files, and the parts of their paths.
struct FileStatusTests {
  private let folder = Folder()

  @Test func `Each kind of file is told apart, and a link is followed or not`() throws {
    let path = folder.path
    folder.write("file", "text")
    unsafe symlink("file", "\(path)/link")
    unsafe symlink("nothing", "\(path)/lost")
    unsafe mkfifo("\(path)/pipe", 0o600)
    let kinds: [(String, FileStatus.Kind?, FileStatus.Kind?)] = [
      ("\(path)/file", .file, .file), (path, .folder, .folder), ("\(path)/link", .file, .link),
      ("\(path)/lost", nil, .link), ("\(path)/pipe", .pipe, .pipe),
      ("/dev/null", .device, .device), ("\(path)/nothing", nil, nil),
    ]
    for (path, followed, own) in kinds {
      #expect(FileStatus(path)?.kind == followed, "\(path)")
      #expect(FileStatus(path, followsLinks: false)?.kind == own, "\(path)")
    }
  }

  @Test func `The identity is that of the file, not of its path`() throws {
    let (first, second) = ("\(folder.path)/first", "\(folder.path)/second")
    folder.write("first", "text")
    folder.write("second", "text")
    let identity = try #require(FileStatus(first)?.identity)
    #expect(FileStatus(second)?.identity != identity)
    unsafe link(first, "\(folder.path)/again")
    #expect(FileStatus("\(folder.path)/again")?.identity == identity)
    let file = unsafe open(first, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    #expect(FileStatus(descriptor: file)?.identity == identity)
    #expect(FileStatus(descriptor: -1) == nil)
  }

  @Test func `Size, owner, permissions and time are those of the file`() throws {
    let path = "\(folder.path)/file"
    folder.write("file", "12345")
    unsafe chmod(path, 0o4640)
    var times = [timespec(tv_sec: 7, tv_nsec: 8), timespec(tv_sec: 1_000_000_000, tv_nsec: 9)]
    unsafe utimensat(AT_FDCWD, path, &times, 0)
    let status = try #require(FileStatus(path))
    #expect(status.size == 5)
    #expect(status.owner == geteuid() && status.group == getegid())
    #expect(status.permissions == 0o4640)
    #expect(status.modified == .seconds(1_000_000_000) + .nanoseconds(9))
  }

  @Test(arguments: [
    ("/srv/a", "/srv", "a"), ("/a", "/", "a"), ("a", ".", "a"), ("a/b/c", "a/b", "c"),
    ("a/", "a", ""), ("", ".", ""),
  ])
  func `A path has a folder and a name`(path: String, folder: String, name: String) {
    #expect(splitPath(path) == (folder, name))
  }
}
