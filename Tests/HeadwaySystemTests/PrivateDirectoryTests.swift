import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

/// Who may own a private directory, what links in it can do, and how names in it change.
struct PrivateDirectoryTests {
  /// The user number of nobody, who owns nothing that matters.
  private static let nobody: uid_t = 65534
  private static let isRoot = geteuid() == 0

  /// The error that opening a directory throws, nil if it throws none.
  private func refusal(_ path: String, creates: Bool = false) -> DirectoryError? {
    do throws(DirectoryError) {
      _ = try PrivateDirectory(path: path, creates: creates)
      return nil
    } catch {
      return error
    }
  }

  /// The permission bits of a file or directory.
  private func permissions(_ path: String) -> mode_t {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test func `A directory that others can write to is refused`() {
    for mode: mode_t in [0o775, 0o757, 0o777, 0o1777] {
      let folder = Folder()
      setPermissions(mode, ofFolder: folder.path)
      let error = refusal(folder.path)
      #expect(error?.path == folder.path)
      #expect(error?.reason == "other users can write to it (remove that with 'chmod go-w')")
      #expect(error?.owner == nil)
    }
  }

  @Test(.enabled(if: isRoot, "only root can give files away"))
  func `A directory of another user is refused, and the error names the user`() {
    let folder = Folder()
    unsafe chown(folder.path, Self.nobody, Self.nobody)
    #expect(refusal(folder.path)?.reason == "it belongs to another user (uid 65534)")
    #expect(refusal(folder.path)?.owner == 65534)
  }

  @Test func `What is no directory or not there is refused with a reason`() {
    let folder = Folder(["file"])
    #expect(refusal("\(folder.path)/file")?.reason == "it is not a directory")
    #expect(refusal("\(folder.path)/none")?.reason == errorDescription(ENOENT))
    #expect(refusal("\(folder.path)/file", creates: true) != nil)
  }

  @Test func `A directory is created with those above it, with the permissions that are asked for`()
    throws
  {
    let folder = Folder()
    _ = try PrivateDirectory(path: "\(folder.path)/a/b", creates: true, permissions: 0o700)
    #expect(permissions("\(folder.path)/a") == 0o700)
    #expect(permissions("\(folder.path)/a/b") == 0o700)
    _ = try folder.opened().directory("c", creates: true, permissions: 0o700)
    #expect(permissions("\(folder.path)/c") == 0o700)
    setPermissions(0o750, ofFolder: "\(folder.path)/c")
    _ = try folder.opened().directory("c", creates: true, permissions: 0o700)
    #expect(permissions("\(folder.path)/c") == 0o750, "an existing directory is left as it is")
  }

  @Test func `A planted link is neither written through nor read`() throws {
    let canary = Folder(["file"])
    let folder = Folder()
    let directory = try folder.opened()
    for name in ["record", "record.\(getpid()).new", "a.log"] {
      unsafe symlink("\(canary.path)/file", "\(folder.path)/\(name)")
    }
    #expect(directory.openForAppending("a.log") == -1)
    #expect(directory.contents(of: "record", most: 100).isEmpty)
    #expect(!directory.hasFile("record"))
    #expect(directory.replace("record", with: Array("new".utf8)) == 0)
    #expect(directory.contents(of: "record", most: 100) == Array("new".utf8))
    directory.remove("a.log")
    #expect(readFile("\(canary.path)/file", most: 100) == Array("file".utf8))
  }

  @Test func `A pipe in place of a file does not block`() throws {
    let folder = Folder()
    unsafe mkfifo("\(folder.path)/record", 0o600)
    let directory = try folder.opened()
    #expect(directory.contents(of: "record", most: 100).isEmpty)
    #expect(directory.openForAppending("record") == -1)
  }

  @Test func `A file that cannot be replaced leaves no other file beside it`() throws {
    let folder = Folder(["there/file"])
    #expect(replaceFile("\(folder.path)/there", with: [1]) == EISDIR)
    #expect(try folder.opened().replace("there", with: [1]) == EISDIR)
    #expect(folderEntries(folder.path) == ["there"])
  }

  @Test(arguments: [1, 2, 199, 200, 201, 254, 255]) func `A file of any name is replaced`(
    length: Int
  )
    throws
  {
    let folder = Folder()
    // Names of two bytes for each character, as far as possible.
    let name = String(repeating: "é", count: length / 2) + String(repeating: "x", count: length % 2)
    #expect(name.utf8.count == length)
    #expect(replaceFile("\(folder.path)/\(name)", with: [1]) == 0)
    #expect(try folder.opened().replace(name, with: [2]) == 0)
    #expect(readFile("\(folder.path)/\(name)", most: 10) == [2])
    #expect(folderEntries(folder.path) == [name])
  }

  @Test func `Nobody else can open a file that is locked, also one of an earlier version`() throws {
    let folder = Folder(["old.lock"])
    unsafe chmod("\(folder.path)/old.lock", 0o644)
    let directory = try folder.opened()
    for name in ["old.lock", "new.lock"] {
      let file = directory.openForLocking(name)
      #expect(file >= 0 && directory.has(name, as: file))
      close(file)
      var status = stat()
      #expect(unsafe stat("\(folder.path)/\(name)", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
  }

  @Test func `A file is renamed over another one, and gets a second name only if that is free`()
    throws
  {
    let folder = Folder(["a", "b"])
    let directory = try folder.opened()
    #expect(directory.linkExclusively("a", to: "b") == EEXIST)
    #expect(directory.contents(of: "b", most: 10) == Array("b".utf8))
    #expect(directory.linkExclusively("a", to: "c") == 0)
    #expect(directory.contents(of: "c", most: 10) == Array("a".utf8))
    #expect(directory.rename("a", to: "b") == 0)
    #expect(directory.contents(of: "b", most: 10) == Array("a".utf8))
    #expect(directory.rename("a", to: "b") == ENOENT)
    #expect(Set(directory.names()) == ["b", "c"])
  }

  @Test func `A file is removed only if it has the contents that were read`() throws {
    let folder = Folder(["a"])
    let directory = try folder.opened()
    for other in ["", "b", "ab"] { directory.remove("a", ifIts: Array(other.utf8)) }
    #expect(directory.hasFile("a"))
    directory.remove("a", ifIts: Array("a".utf8))
    #expect(!directory.hasFile("a"))
    directory.remove("a", ifIts: [])
  }

  @Test func `A socket is one, and a link to it is none`() throws {
    let folder = Folder(["file"])
    unsafe mknod("\(folder.path)/socket", S_IFSOCK | 0o600, 0)
    unsafe symlink("socket", "\(folder.path)/link")
    let directory = try folder.opened()
    #expect(directory.isSocket("socket"))
    for name in ["link", "file", "none", "."] { #expect(!directory.isSocket(name)) }
    #expect(!directory.hasFile("socket"))
  }

  @Test func `The path by descriptor is short, and leads into the directory wherever it is`() throws
  {
    let folder = Folder()
    var deep = folder.path
    while deep.utf8.count < 300 { deep += "/long-name-of-a-directory" }
    let directory = try PrivateDirectory(path: deep, creates: true)
    #expect(directory.replace("file", with: [1]) == 0)
    #expect(unsafe rename(deep, "\(folder.path)/moved") == 0)
    let path = directory.descriptorPath("file")
    #expect(path.utf8.count < 64)
    #expect(readFile(path, most: 10) == [1])
    #expect(!directory.isInPlace)
  }

  @Test func `The age of a file is the time since it was written`() throws {
    let folder = Folder(["file"])
    let directory = try folder.opened()
    #expect(directory.age(of: "none") == nil)
    // A thousand seconds after the beginning of 1970, and of 2200.
    for (seconds, isOld) in [(1_000, true), (7_258_118_400, false)] {
      let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
      #expect(unsafe utimensat(AT_FDCWD, "\(folder.path)/file", times, 0) == 0)
      let age = try #require(directory.age(of: "file"))
      #expect(isOld ? age > .seconds(1_000_000_000) : age < .zero)
    }
  }

  @Test func `A limit of the system is named with the command that changes it`() {
    #expect(errorDescription(EMFILE) == "the limit on open files is reached (ulimit -n)")
    #expect(errorDescription(ENOSPC) == "No space left on device")
  }
}
