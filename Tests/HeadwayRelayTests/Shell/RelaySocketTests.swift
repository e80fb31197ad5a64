#if os(Linux)
  import CRelay
  import CToolDriver
  import Glibc
  import HeadwaySystem
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// Sockets between processes of one user.
  struct RelaySocketTests {
    /// A directory with a socket that listens, and connections to it.
    private struct Server {
      let folder = Folder()
      let directory: RuntimeDirectory
      let name = RuntimeDirectory.newSocketName()
      let socket: RelaySocket

      init() throws {
        directory = RuntimeDirectory(in: folder.path)
        socket = try RelaySocket.listen(in: directory, name: name)
      }

      /// Both ends of a new connection.
      func pair() throws -> (client: RelaySocket, server: RelaySocket) {
        let client = try RelaySocket.connect(in: directory, name: name)
        guard case .accepted(let server) = socket.accept() else {
          throw RelaySocket.ConnectError.busy
        }
        return (client, server)
      }
    }

    /// The error that connecting throws, nil if it throws none.
    private static func refusal(
      _ directory: RuntimeDirectory, _ name: String
    ) -> RelaySocket.ConnectError? {
      do throws(RelaySocket.ConnectError) {
        _ = try RelaySocket.connect(in: directory, name: name)
        return nil
      } catch {
        return error
      }
    }

    @Test func `What one end sends the other receives, until it is closed`() throws {
      let server = try Server()
      var ends: (client: RelaySocket, server: RelaySocket)? = try server.pair()
      let accepted = try #require(ends?.server)
      var bytes: [UInt8] = []
      #expect(accepted.receive(into: &bytes) == .wouldBlock)
      #expect(ends?.client.send([]) == .done(0))
      #expect(ends?.client.send(Array("hello".utf8)[1...]) == .done(4))
      #expect(accepted.receive(into: &bytes, most: 3) == .done(3))
      #expect(accepted.receive(into: &bytes) == .done(1))
      #expect(bytes == Array("ello".utf8))
      ends = nil
      #expect(accepted.receive(into: &bytes) == .ended)
      #expect(accepted.send([1]) == .ended)
    }

    @Test func `Both ends know the process at the other end`() throws {
      let server = try Server()
      let (client, accepted) = try server.pair()
      let me = RelaySocket.Peer(user: geteuid(), process: getpid())
      #expect(client.peer == me && accepted.peer == me && server.socket.peer == me)
    }

    @Test func `A full connection takes a part, and then nothing until there is room`() throws {
      let server = try Server()
      let (client, accepted) = try server.pair()
      let bytes = [UInt8](repeating: 7, count: 4_000_000)
      guard case .done(let first) = client.send(bytes[...]) else {
        Issue.record("nothing was sent")
        return
      }
      var sent = first
      while case .done(let count) = client.send(bytes[...]) { sent += count }
      #expect(first > 0 && sent < 40_000_000)
      #expect(client.send([1]) == .wouldBlock)
      var received: [UInt8] = []
      while received.count < sent, case .done = accepted.receive(into: &received) {}
      #expect(received.count == sent)
      #expect(accepted.receive(into: &received) == .wouldBlock)
      #expect(client.send([1]) == .done(1))
    }

    @Test func `A connection that is closed with unread bytes has ended`() throws {
      let server = try Server()
      var ends: (client: RelaySocket, server: RelaySocket)? = try server.pair()
      let client = try #require(ends?.client)
      #expect(client.send([1, 2, 3]) == .done(3))
      ends = nil
      var bytes: [UInt8] = []
      #expect(client.receive(into: &bytes) == .ended)
      #expect(client.send([1]) == .ended)
    }

    @Test func `Nobody is waiting until somebody connects`() throws {
      let server = try Server()
      guard case .none = server.socket.accept() else {
        Issue.record("somebody has connected")
        return
      }
      let poller = Poller()
      #expect(poller.add(server.socket.descriptor, token: 1))
      #expect(poller.wait(for: .zero).isEmpty)
      let client = try RelaySocket.connect(in: server.directory, name: server.name)
      #expect(poller.wait(for: .seconds(120)).map(\.token) == [1])
      guard case .accepted = server.socket.accept() else {
        Issue.record("nobody has connected")
        return
      }
      _ = client
    }

    @Test func `A socket is for its user only, and is found only when it listens`() throws {
      let server = try Server()
      #expect(folderEntries(server.directory.path) == [server.name])
      var status = stat()
      #expect(unsafe lstat("\(server.directory.path)/\(server.name)", &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600)
    }

    @Test func `A directory with a very long path has sockets too`() throws {
      let folder = Folder()
      var parent = folder.path
      while parent.utf8.count < 300 { parent += "/long-name-of-a-directory" }
      #expect(makeFolder(parent) == 0)
      let directory = RuntimeDirectory(in: parent)
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: directory, name: name)
      #expect(directory.socketNames() == [name])
      _ = try RelaySocket.connect(in: directory, name: name)
      guard case .accepted = socket.accept() else {
        Issue.record("nobody has connected")
        return
      }
    }

    @Test func `A socket that nobody listens on any more is removed by who connects to it`() throws
    {
      var server: Server? = try Server()
      // Keeps the folder.
      let folder = try #require(server?.folder)
      let directory = RuntimeDirectory(in: folder.path)
      let name = try #require(server?.name)
      server = nil
      #expect(directory.socketNames() == [name])
      #expect(Self.refusal(directory, name) == .ended)
      #expect(directory.socketNames().isEmpty)
      #expect(Self.refusal(directory, name) == .ended)
    }

    @Test func `What is no socket is neither connected to nor removed`() throws {
      let server = try Server()
      let names = ["file.sock", "link.sock"]
      server.folder.write("headway/file.sock", "x")
      unsafe symlink(server.name, "\(server.directory.path)/link.sock")
      for name in names { #expect(Self.refusal(server.directory, name) == .ended) }
      #expect(Set(folderEntries(server.directory.path)) == Set(names + [server.name]))
      let missing = RuntimeDirectory(in: "\(server.folder.path)/none")
      #expect(Self.refusal(missing, server.name) == .ended)
    }

    @Test func `Connecting to a socket that is full says so, and works again later`() throws {
      let folder = Folder()
      let directory = RuntimeDirectory(in: folder.path)
      // Listens for one connection at a time, as a program in another language may do.
      _ = try directory.open(creates: true)
      let listener = unsafe hw_relay_listen("\(directory.path)/1-1.sock")
      defer { hw_relay_close(listener) }
      #expect(listen(listener, 0) == 0)
      var waiting: [RelaySocket] = []
      var error: RelaySocket.ConnectError?
      while error == nil, waiting.count < 10 {
        do throws(RelaySocket.ConnectError) {
          waiting.append(try RelaySocket.connect(in: directory, name: "1-1.sock"))
        } catch let refusal {
          error = refusal
        }
      }
      #expect(error == .busy)
      let connection = hw_relay_accept(listener)
      #expect(connection >= 0)
      hw_relay_close(connection)
      #expect(Self.refusal(directory, "1-1.sock") == nil)
    }

    @Test func `A socket that cannot be created leaves nothing behind, and the error says why`()
      throws
    {
      let folder = Folder(["headway/there.sock/x"])
      let directory = RuntimeDirectory(in: folder.path)
      #expect(
        throws: RelayError.system(
          "cannot create a socket in '\(directory.path)'", reason: errorDescription(EISDIR))
      ) { try RelaySocket.listen(in: directory, name: "there.sock") }
      #expect(folderEntries(directory.path) == ["there.sock"])
    }

    @Test func `Without descriptors, a waiting connection is closed with the spare one`() async {
      await #expect(processExitsWith: .success) {
        let server = try Server()
        var spare = SpareDescriptor()
        let client = try RelaySocket.connect(in: server.directory, name: server.name)
        // Everything above it counts as used.
        limitDescriptors(0)
        guard case .noDescriptor = server.socket.accept() else { exit(1) }
        // The number of the spare one is above the limit as well.
        let refused = spare.refuseConnection(to: server.socket)
        var bytes: [UInt8] = []
        let result = client.receive(into: &bytes)
        exit(!refused && result == .wouldBlock ? 0 : 2)
      }
      await #expect(processExitsWith: .success) {
        let server = try Server()
        var spare = SpareDescriptor()
        let client = try RelaySocket.connect(in: server.directory, name: server.name)
        var used: [Int32] = []
        limitDescriptors(64)
        while let next = Optional(dup(server.socket.descriptor)), next >= 0 { used.append(next) }
        guard case .noDescriptor = server.socket.accept() else { exit(1) }
        guard spare.refuseConnection(to: server.socket) else { exit(2) }
        guard case .none = server.socket.accept() else { exit(3) }
        var bytes: [UInt8] = []
        guard client.receive(into: &bytes) == .ended else { exit(4) }
        exit(used.isEmpty ? 5 : 0)
      }
    }

    @Test func `Dropped sockets leave no descriptor open`() async {
      await #expect(processExitsWith: .success) {
        limitDescriptors(100)
        let server = try Server()
        for _ in 0..<300 {
          let (client, accepted) = try server.pair()
          if client.send([1]) != .done(1) || accepted.send([1]) != .done(1) { exit(1) }
        }
        exit(0)
      }
    }

    @Test func `A program that is started inherits no socket`() throws {
      let server = try Server()
      let (client, accepted) = try server.pair()
      for socket in [server.socket, client, accepted] {
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
      }
    }

    @Test func `A forked copy of the process has none of its sockets, and knows that it is one`()
      throws
    {
      let server = try Server()
      let (client, accepted) = try server.pair()
      let watch = try? ProcessWatch(peerOf: client)
      var descriptors = [server.socket, client, accepted].map(\.descriptor)
      if let watch { descriptors.append(watch.descriptor) }
      descriptors.append(-1)
      // Calls of C only, because locks of other threads may be held in the copy.
      let result = unsafe descriptors.withUnsafeMutableBytes { bytes in
        unsafe td_run_under_signals(
          { context in
            guard let list = unsafe context?.assumingMemoryBound(to: Int32.self) else { return 1 }
            if !hw_relay_is_copy() { return 2 }
            var index = 0
            while unsafe list[index] >= 0 {
              let descriptor = unsafe list[index]
              if hw_relay_owns(descriptor) || fcntl(descriptor, F_GETFD) != -1 { return 3 }
              index += 1
            }
            // A number that is used again is not closed by an object of the original.
            let other = dup(1)
            hw_relay_close(other)
            return fcntl(other, F_GETFD) == -1 ? 4 : 0
          }, bytes.baseAddress)
      }
      #expect(result == 0)
      #expect(!isForkedCopy)
      for descriptor in descriptors.dropLast() { #expect(hw_relay_owns(descriptor)) }
      #expect(client.send([1]) == .done(1))
    }

    @Test func `Closing twice closes nothing else`() throws {
      let spare = hw_relay_open_spare()
      #expect(hw_relay_owns(spare))
      hw_relay_close(spare)
      #expect(!hw_relay_owns(spare))
      hw_relay_close(spare)
      hw_relay_close(-1)
      hw_relay_close(.max)
    }
  }
#endif
