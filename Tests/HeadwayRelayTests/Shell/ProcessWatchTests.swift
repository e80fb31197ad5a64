#if os(Linux)
  import Glibc
  import HeadwaySystem
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// Noticing the end of other processes.
  struct ProcessWatchTests {
    /// Starts a program that waits for the end of its input.
    ///
    /// - Returns: Its number.
    private func startReader(of pipe: Pipe) throws -> pid_t {
      var actions = unsafe posix_spawn_file_actions_t()
      unsafe posix_spawn_file_actions_init(&actions)
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      unsafe posix_spawn_file_actions_adddup2(&actions, pipe.reader, 0)
      var process: pid_t = 0
      let cat = unsafe strdup("cat")
      defer { unsafe free(cat) }
      var arguments = unsafe [cat, nil]
      let error = unsafe posix_spawnp(&process, "cat", &actions, nil, &arguments, nil)
      try #require(error == 0)
      return process
    }

    @Test func `A process that ends is noticed, and one that was reaped is not found`() throws {
      let pipe = Pipe()
      let process = try startReader(of: pipe)
      close(pipe.reader)
      let watch = try ProcessWatch(process: process)
      let poller = Poller()
      #expect(poller.add(watch.descriptor, token: 1))
      #expect(poller.wait(for: .zero).isEmpty)
      close(pipe.writer)
      #expect(poller.wait(for: .seconds(120)).map(\.token) == [1])
      // Also by those who begin to watch before it is reaped.
      let second = try ProcessWatch(process: process)
      #expect(poller.add(second.descriptor, token: 2))
      #expect(Set(poller.wait(for: .seconds(120)).map(\.token)) == [1, 2])
      var status: Int32 = 0
      while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
      #expect(throws: ProcessWatch.Failure.ended) { try ProcessWatch(process: process) }
    }

    @Test func `The process at the other end of a connection is watched`() throws {
      let folder = Folder()
      let directory = RuntimeDirectory(in: folder.path)
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: directory, name: name)
      let client = try RelaySocket.connect(in: directory, name: name)
      let watch = try ProcessWatch(peerOf: client)
      let poller = Poller()
      #expect(poller.add(watch.descriptor, token: 1))
      // It is this one.
      #expect(poller.wait(for: .zero).isEmpty)
      #expect(fcntl(watch.descriptor, F_GETFD) & FD_CLOEXEC != 0)
      _ = socket
    }

    @Test func `What is no process is not watched`() {
      #expect(throws: ProcessWatch.Failure.unavailable(EINVAL)) { try ProcessWatch(process: 0) }
      #expect(throws: ProcessWatch.Failure.unavailable(EINVAL)) { try ProcessWatch(process: -1) }
      #expect(throws: ProcessWatch.Failure.ended) { try ProcessWatch(process: 4_194_305) }
    }

    @Test func `Dropped watches leave no descriptor open`() async {
      await #expect(processExitsWith: .success) {
        limitDescriptors(100)
        for _ in 0..<200 { _ = try ProcessWatch(process: getpid()) }
        exit(0)
      }
    }
  }
#endif
