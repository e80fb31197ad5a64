#if os(Linux)
  import Glibc
  import HeadwaySystem
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// Where the sockets of a user are, and whose directories are refused.
  struct RuntimeDirectoryTests {
    /// The user number of nobody, who owns nothing that matters.
    private static let nobody: uid_t = 65534
    private static let isRoot = geteuid() == 0

    /// The error that opening a directory throws, nil if it throws none.
    private func refusal(_ directory: RuntimeDirectory, creates: Bool = true) -> RelayError? {
      do throws(RelayError) {
        _ = try directory.open(creates: creates)
        return nil
      } catch {
        return error
      }
    }

    @Test func `The places are those of the environment, of the session and of all users`() {
      let paths = { (variable: String?) in
        RuntimeDirectory.places(user: 1000, variable: variable).map(\.path)
      }
      let usual = ["/run/user/1000/headway", "/tmp/headway-1000"]
      #expect(paths(nil) == usual)
      #expect(paths("/run/user/1000") == usual)
      #expect(paths("/run/user/1000//") == usual)
      #expect(paths("/mine") == ["/mine/headway"] + usual)
      #expect(paths("/") == ["/headway"] + usual)
      // As the specification of the variable says.
      #expect(paths("relative") == usual)
    }

    @Test func `A directory is created for this user only, in one that exists`() throws {
      let folder = Folder()
      let directory = RuntimeDirectory(in: folder.path)
      #expect(refusal(directory, creates: false) != nil)
      #expect(refusal(directory) == nil)
      var status = stat()
      #expect(unsafe stat(directory.path, &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o700)
      let missing = RuntimeDirectory(in: "\(folder.path)/none")
      #expect(
        refusal(missing)?.description
          == "cannot use the directory '\(folder.path)/none': No such file or directory; "
          + "set XDG_RUNTIME_DIR to a directory of your own")
      #expect(folderEntries(folder.path) == ["headway"])
    }

    @Test func `A link, a file and a directory that others can write to are refused`() {
      let target = Folder()
      let folder = Folder(["file/headway"])
      unsafe symlink(target.path, "\(folder.path)/headway")
      let link = RuntimeDirectory(in: folder.path)
      #expect(refusal(link) == .noDirectory(path: link.path, reason: "it is not a directory"))
      let file = RuntimeDirectory(in: "\(folder.path)/file")
      #expect(refusal(file) == .noDirectory(path: file.path, reason: "it is not a directory"))
      let open = Folder(["headway/x"])
      setPermissions(0o777, ofFolder: "\(open.path)/headway")
      #expect(refusal(RuntimeDirectory(in: open.path)) != nil)
      setPermissions(0o700, ofFolder: "\(open.path)/headway")
      #expect(refusal(RuntimeDirectory(in: open.path)) == nil)
      // Whoever can write above it can replace it.
      setPermissions(0o777, ofFolder: open.path)
      #expect(refusal(RuntimeDirectory(in: open.path)) != nil)
      #expect(folderEntries(target.path).isEmpty)
    }

    @Test(.enabled(if: isRoot, "only root can give files away"))
    func `A directory of another user is refused, and so is one in a directory of that user`() {
      let folder = Folder(["headway/x"])
      let directory = RuntimeDirectory(in: folder.path)
      unsafe chown(directory.path, Self.nobody, Self.nobody)
      #expect(refusal(directory) == .otherUser(path: directory.path, uid: 65534))
      // As with `sudo`, which keeps the variable of the user.
      let other = Folder()
      unsafe chown(other.path, Self.nobody, Self.nobody)
      let kept = RuntimeDirectory(in: other.path, isChosen: true)
      #expect(
        refusal(kept)
          == .noDirectory(path: other.path, reason: "it belongs to another user (uid 65534)"))
      #expect(folderEntries(other.path).isEmpty)
      // It is no problem if there is another place.
      unsafe mkdir(kept.path, 0o700)
      let own = Folder()
      let mine = RuntimeDirectory(in: own.path)
      let all = RuntimeDirectory.all(of: [kept, mine])
      #expect(all.directories == [mine] && all.problems.isEmpty)
      #expect(RuntimeDirectory.all(of: [kept]).problems.count == 1)
    }

    @Test func `The first place that can be used is taken`() throws {
      let (folder, shared) = (Folder(), Folder())
      let places = [
        RuntimeDirectory(in: "\(folder.path)/none", isChosen: true),
        RuntimeDirectory(in: folder.path),
        RuntimeDirectory(shared: "\(shared.path)/headway-1"),
      ]
      #expect(try RuntimeDirectory.first(of: places) == places[1])
      #expect(folderEntries(folder.path) == ["headway"])
      #expect(folderEntries(shared.path).isEmpty)
    }

    @Test func `Without a place, the error is about the one that the environment names`() {
      let folder = Folder(["headway-1"])
      for isChosen in [true, false] {
        let places = [
          RuntimeDirectory(in: "\(folder.path)/none", isChosen: isChosen),
          RuntimeDirectory(shared: "\(folder.path)/headway-1"),
        ]
        #expect(
          throws: RelayError.noDirectory(
            path: isChosen ? "\(folder.path)/none" : places[1].path,
            reason: isChosen ? errorDescription(ENOENT) : "it is not a directory")
        ) { try RuntimeDirectory.first(of: places) }
      }
    }

    @Test func `All places that exist are watched, each directory once`() throws {
      let (folder, shared) = (Folder(), Folder(["headway-1/x"]))
      unsafe symlink(folder.path, "\(shared.path)/same")
      let places = [
        RuntimeDirectory(in: folder.path, isChosen: true),
        RuntimeDirectory(in: "\(shared.path)/same"),
        RuntimeDirectory(in: "\(shared.path)/none"),
        RuntimeDirectory(shared: "\(shared.path)/headway-1"),
      ]
      let all = RuntimeDirectory.all(of: places)
      #expect(all.directories == [places[0], places[3]])
      #expect(all.problems.isEmpty)
      setPermissions(0o777, ofFolder: places[3].path)
      let others = RuntimeDirectory.all(of: places)
      #expect(others.directories == [places[0]])
      #expect(others.problems.count == 1)
    }

    @Test func `Names of sockets are unique and say which process has made them`() {
      let names = Set((0..<1000).map { _ in RuntimeDirectory.newSocketName() })
      #expect(names.count == 1000)
      for name in names {
        #expect(RuntimeDirectory.isSocketName(name))
        #expect(RuntimeDirectory.process(of: name) == getpid())
        #expect(name.utf8.count == "\(getpid())".utf8.count + 22)
        let temporary = RuntimeDirectory.temporaryName(for: name)
        #expect(!RuntimeDirectory.isSocketName(temporary))
        #expect(temporary.hasPrefix(".") && temporary.hasSuffix(".new"))
      }
      #expect(!RuntimeDirectory.isSocketName(".hidden.sock"))
      #expect(!RuntimeDirectory.isSocketName("readme"))
      for name in ["", "-", "x-1.sock", "99999999999-1.sock"] {
        #expect(RuntimeDirectory.process(of: name) == nil)
      }
    }

    @Test func `What dead processes have left is removed, and nothing else`() throws {
      let folder = Folder()
      let directory = RuntimeDirectory(in: folder.path)
      let opened = try directory.open(creates: true)
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: directory, name: name)
      // Above the largest number of a process.
      let dead = "4194305-0000000000000001.sock"
      let mine = "\(getpid())-0000000000000002.sock"
      for left in [dead, mine] {
        unsafe mknod("\(directory.path)/\(left)", S_IFSOCK | 0o600, 0)
      }
      for file in [".1-1.new", ".2-2.new", "notes"] {
        #expect(opened.replace(file, with: []) == 0)
      }
      let long = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
      unsafe utimensat(AT_FDCWD, "\(directory.path)/.1-1.new", long, 0)
      unsafe utimensat(AT_FDCWD, "\(directory.path)/notes", long, 0)
      directory.removeLeftovers()
      #expect(Set(opened.names()) == [name, mine, ".2-2.new", "notes"])
      #expect(Set(directory.socketNames()) == [name, mine])
      directory.remove(mine)
      #expect(directory.socketNames() == [name])
      _ = socket
    }

    @Test func `A directory that is gone has no names, and removing from it does nothing`() {
      let directory = RuntimeDirectory(in: "/nowhere")
      #expect(directory.socketNames().isEmpty)
      directory.remove("x.sock")
      directory.removeLeftovers()
      #expect(!directory.exists)
    }
  }
#endif
