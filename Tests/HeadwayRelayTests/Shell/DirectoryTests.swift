#if os(Linux)
  import CToolDriver
  import Glibc
  import HeadwaySystem
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// Directories, files and limits that are not as they should be: the work goes on in any case.
  struct DirectoryTests {
    /// The user number of nobody, who owns nothing that matters.
    private static let nobody: uid_t = 65534
    private static let isRoot = geteuid() == 0

    private let folder = Folder()

    private var directory: String { folder.path + "/headway" }

    private func start(_ words: String..., variables: [String] = []) throws -> PeerProcess {
      try PeerProcess(words, in: folder.path, variables: variables)
    }

    /// Whether the work of a process goes on.
    private func works(_ publisher: PeerProcess) -> Bool {
      publisher.send("complete 1")
      return publisher.line("done complete") != nil
    }

    /// Publishes and watches with a directory that cannot be used: both take the next place.
    private func expectNextPlace(_ reason: String) throws {
      let publisher = try start("publish", "work")
      #expect(publisher.line("id") != nil)
      #expect(works(publisher))
      let watcher = try start("watch", "own")
      let problem = watcher.line("problem")
      #expect(problem?.contains(directory) == true, "\(problem ?? "no problem")")
      #expect(problem?.contains(reason) == true, "\(problem ?? "no problem")")
      #expect(watcher.line("began \(publisher.pid).1 ") != nil)
      publisher.send("finish")
      #expect(watcher.line("ended work") == "ended work finished")
    }

    @Test func `A link in the place of the directory is not followed`() throws {
      let target = Folder()
      unsafe symlink(target.path, directory)
      try expectNextPlace("it is not a directory")
      #expect(folderEntries(target.path).isEmpty)
    }

    @Test func `A file in the place of the directory stays as it is`() throws {
      folder.write("headway", "a file")
      try expectNextPlace("it is not a directory")
      #expect(folderEntries(folder.path) == ["headway"])
    }

    @Test(.enabled(if: isRoot, "only root can give files away"))
    func `The directory of another user is not used`() throws {
      unsafe mkdir(directory, 0o700)
      unsafe chown(directory, Self.nobody, Self.nobody)
      try expectNextPlace("belongs to user 65534")
      #expect(folderEntries(directory).isEmpty)
    }

    @Test func `A directory that others can write to is not used`() throws {
      unsafe mkdir(directory, 0o700)
      setPermissions(0o777, ofFolder: directory)
      try expectNextPlace("other users can write to it")
      #expect(folderEntries(directory).isEmpty)
    }

    @Test func `A path of more than 300 bytes works`() throws {
      let long = String(repeating: "/" + String(repeating: "long", count: 25), count: 3)
      folder.write("\(long)/x", "x")
      let path = folder.path + long
      #expect(path.utf8.count > 300)
      let publisher = try PeerProcess(["publish", "work"], in: path)
      #expect(publisher.line("id") != nil)
      #expect(works(publisher))
      let watcher = try PeerProcess(["watch", "own"], in: path)
      #expect(watcher.line("state work 1") != nil)
      publisher.end(SIGKILL)
      #expect(watcher.line("ended work died") != nil)
    }

    @Test
    func `A socket left behind under the number of a living process is found out and removed`()
      throws
    {
      let living = try start("publish", "living")
      #expect(living.line("id") != nil)
      // The socket has its name once it can be connected to.
      #expect(RawPeer(to: folder)?.line("hello") != nil)
      let names = folderEntries(directory)
      let stale = "\(living.pid)-0123456789abcdef.sock"
      // Closed without its name being removed, as after a kill.
      _ = try FakePublisher(in: folder, name: stale)
      #expect(Set(folderEntries(directory)) == Set(names + [stale]))
      let watcher = try start("watch", "own")
      #expect(
        watcher.line("began") == "began \(living.pid).1 living \(kind) old=true pid=\(living.pid)")
      #expect(
        eventually { Set(folderEntries(directory)) == Set(names) },
        "\(folderEntries(directory)), not \(names)")
      #expect(works(living))
    }

    /// The kind of what is published in the folder.
    private var kind: String { "kind-\(folder.path.split(separator: "/").last ?? "")" }

    @Test func `The directory is removed and comes again while there are publishers and watchers`()
      throws
    {
      let watcher = try start("watch", "own")
      #expect(watcher.line("watching") != nil)
      let first = try start("publish", "first")
      #expect(watcher.line("began \(first.pid).1 ") != nil)
      for name in folderEntries(directory) { unsafe unlink("\(directory)/\(name)") }
      #expect(unsafe rmdir(directory) == 0)
      let second = try start("publish", "second")
      #expect(watcher.line("began \(second.pid).1 ") != nil)
      first.send("finish")
      #expect(watcher.line("ended first finished") != nil)
      second.send("exit")
      #expect(second.waitForEnd() == 0)
      #expect(watcher.line("ended second") != nil)
    }

    // MARK: Limits

    /// A file system that has room for the directory and nothing else.
    private func withFullDisk(_ body: (_ path: String) throws -> Void) throws -> Bool {
      let path = folder.path + "/disk"
      unsafe mkdir(path, 0o700)
      guard unsafe mount("none", path, "tmpfs", 0, "size=4k,nr_inodes=2,mode=700") == 0 else {
        return false
      }
      defer { unsafe umount2(path, Int32(MNT_DETACH)) }
      try body(path)
      return true
    }

    @Test(.enabled(if: isRoot, "only root can mount a file system"))
    func `On a full disk the work goes on, and one line says why nobody can see it`() throws {
      let isMounted = try withFullDisk { path in
        let publisher = try PeerProcess(["publish", "work"], in: path)
        let problem = publisher.line("problem")
        #expect(problem?.contains("No space left on device") == true, "\(problem ?? "nothing")")
        #expect(works(publisher))
        #expect(folderEntries(path + "/headway").isEmpty)
        publisher.send("exit")
        #expect(publisher.waitForEnd() == 0)
      }
      if !isMounted { try Test.cancel("this system lets nobody mount a file system") }
    }

    @Test(arguments: 3...24)
    func `With few descriptors the work goes on`(limit: Int) throws {
      let publisher = try start("publish", "work", variables: ["PEER_FILES=\(limit)"])
      #expect(publisher.line("id") != nil)
      #expect(works(publisher))
      // The runtime of Swift itself ends a process that has fewer for its tasks.
      if limit >= 8 {
        let watcher = try start("watch", "own", variables: ["PEER_FILES=\(limit)"])
        #expect(watcher.line("watching") != nil)
      }
      publisher.send("finish")
      #expect(publisher.line("done finish") != nil)
      publisher.send("exit")
      #expect(publisher.waitForEnd() == 0)
    }

    @Test func `Without descriptors watchers are refused, and come later`() throws {
      let publisher = try start("publish", "work")
      #expect(publisher.line("id") != nil)
      let good = try #require(RawPeer(to: folder))
      #expect(good.send(#"{"request":"subscribe","id":1}"#))
      #expect(good.line(#""event":"answer""#) != nil)
      publisher.send("limit 64")
      publisher.send("fill")
      #expect(publisher.line("done fill") != nil)
      for _ in 0..<10 {
        let refused = try #require(RawPeer(to: folder))
        #expect(refused.waitForEnd())
      }
      #expect(
        publisher.line("")
          == "problem: a watcher was not accepted: the limit on open files is reached")
      #expect(works(publisher))
      #expect(good.line(#""completed":1"#) != nil)
      publisher.send("free")
      #expect(publisher.line("done free") != nil)
      let later = try start("watch", "own")
      #expect(later.line("began \(publisher.pid).1 ") != nil)
    }

    /// The descriptors that this process may open.
    private static let descriptorLimit: UInt = {
      var limit = rlimit()
      unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      return limit.rlim_cur
    }()

    @Test(.enabled(if: descriptorLimit >= 4_096, "ulimit -n must be at least 4,096"))
    func `A thousand watchers see one publisher, and one too many is told so`() throws {
      let publisher = try start("publish", "work")
      #expect(publisher.line("id") != nil)
      var watchers: [RawPeer] = []
      for _ in 0..<1_024 {
        let watcher = try #require(RawPeer(to: folder))
        watcher.send(#"{"request":"subscribe","id":1}"#)
        watchers.append(watcher)
      }
      for watcher in watchers { #expect(watcher.line(#""id":1,"ok":true"#) != nil) }
      let refused = try #require(RawPeer(to: folder))
      #expect(refused.line("too_many")?.contains("more than 1024 watchers") == true)
      #expect(refused.waitForEnd())
      #expect(publisher.line("problem")?.contains("more than 1024 watchers") == true)
      for number in 1...3 {
        publisher.send("complete 1")
        for watcher in watchers { #expect(watcher.line(#""completed":\#(number)"#) != nil) }
      }
      // All at once.
      let descriptors = publisher.descriptors
      watchers = []
      #expect(eventually { publisher.descriptors <= descriptors - 1_024 })
      let next = try #require(RawPeer(to: folder))
      next.send(#"{"request":"subscribe","id":1}"#)
      #expect(next.line(#""completed":3"#) != nil)
    }

    // MARK: Ends

    @Test func `A handler of a cancel may end the process`() throws {
      let (publisher, watcher) = (try start("publish", "work"), try start("watch", "own"))
      #expect(watcher.line("began") != nil)
      publisher.send("exit-on-cancel")
      #expect(publisher.line("done") != nil)
      watcher.send("cancel")
      #expect(publisher.waitForEnd().map { ProcessEnd(status: $0) } == .code(7))
      #expect(watcher.line("ended work") != nil)
    }

    @Test func `A handler that never returns does not keep the process from ending`() throws {
      let (publisher, watcher) = (try start("publish", "work"), try start("watch", "own"))
      #expect(watcher.line("began") != nil)
      publisher.send("block-on-cancel")
      #expect(publisher.line("done") != nil)
      watcher.send("cancel")
      #expect(publisher.line("blocked") != nil)
      publisher.send("exit")
      #expect(publisher.waitForEnd() == 0)
      #expect(watcher.line("ended work died") != nil)
    }

    @Test
    func `Work that was cancelled, finished or dropped while watched is not watched any more`()
      throws
    {
      let (publisher, watcher) = (try start("publish", "work"), try start("watch", "own"))
      #expect(watcher.line("began") != nil)
      #expect(
        eventually {
          publisher.send("watched")
          return publisher.line("watched") == "watched true"
        })
      publisher.send("complete 100\nfinish")
      #expect(watcher.line("ended work finished") != nil)
      #expect(
        eventually {
          publisher.send("watched")
          return publisher.line("watched") == "watched false"
        })
    }

    @Test(.disabled(if: td_has_sanitizer(), "a copy of many threads hangs in the sanitizer"))
    func `Copies that count on published work end, whatever the threads of the first process do`()
      throws
    {
      let (publisher, watcher) = (try start("publish", "work"), try start("watch", "own"))
      #expect(watcher.line("began") != nil)
      #expect(publisher.line("id") != nil)
      publisher.send("copies 1000")
      // The next line, so no copy has failed.
      #expect(publisher.line("") == "done copies")
      publisher.send("finish")
      #expect(watcher.line("ended work finished") != nil)
    }
  }
#endif
