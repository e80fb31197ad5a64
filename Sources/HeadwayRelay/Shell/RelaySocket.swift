#if os(Linux)
  internal import CRelay
  internal import HeadwayLibc
  internal import HeadwaySystem

  /// What a call that never waits has done.
  package enum IOResult: Hashable, Sendable {
    /// So many bytes were sent or received, at least one unless none was asked for.
    case done(Int)
    /// There is nothing to receive, or no room to send: wait for the descriptor.
    case wouldBlock
    /// The other side has closed the connection.
    case ended
    /// The system refused it, with an error number.
    case failed(Int32)
  }

  /// A Unix socket that never waits: one that listens, or one end of a connection.
  ///
  /// The descriptor is closed with this object, when the program starts another one, and in a copy of the process that
  /// `fork` has made. It must be removed from a `Poller` before. Safe from any thread; what two threads send at the same
  /// time is mixed.
  package final class RelaySocket: Sendable {
    /// The process at the other end.
    package struct Peer: Hashable, Sendable {
      /// The number of its user.
      package let user: UInt32
      /// Its number when it connected or began to listen, 0 if it is not visible here, as in another container.
      package let process: Int32
    }

    /// The reason why there is no connection.
    package enum ConnectError: Error, Hashable, Sendable {
      /// Nobody listens. If the socket was left over, it has been removed.
      case ended
      /// Too many connections wait to be accepted: try again later.
      case busy
      /// Something else is wrong.
      case failed(RelayError)
    }

    /// What a call of `accept()` has found.
    package enum Acceptance: Sendable {
      /// A process of this user has connected.
      case accepted(RelaySocket)
      /// A process of another user has connected; that connection is closed.
      case otherUser(UInt32)
      /// No connection is waiting.
      case none
      /// A connection is waiting, but there is no descriptor or memory for it; it goes on waiting.
      case noDescriptor
      /// The socket cannot be used any more, with an error number.
      case failed(Int32)
    }

    /// The descriptor, for a `Poller`.
    package let descriptor: Int32
    /// The process at the other end; for a socket that listens, this one.
    package let peer: Peer

    /// Takes over a descriptor.
    private init(_ descriptor: Int32, _ peer: Peer) {
      self.descriptor = descriptor
      self.peer = peer
    }

    deinit { hw_relay_close(descriptor) }

    // MARK: Creating

    /// Listens for connections of this user's processes.
    ///
    /// Others find the socket as soon as they can connect to it. When it is not needed any more, its name must be removed, with
    /// `RuntimeDirectory.remove(_:)`, before the socket is closed.
    ///
    /// - Parameters:
    ///   - directory: The directory, which is created if necessary.
    ///   - name: The name of the socket, from `RuntimeDirectory.newSocketName()`.
    /// - Returns: The socket.
    /// - Throws: `RelayError` if the directory cannot be used, or the system has no room or no descriptor left. Then
    ///   nothing is left behind.
    package static func listen(
      in directory: RuntimeDirectory, name: String
    ) throws(RelayError) -> RelaySocket {
      let folder = try directory.open(creates: true)
      let temporary = RuntimeDirectory.temporaryName(for: name)
      let descriptor = unsafe hw_relay_listen(folder.descriptorPath(temporary))
      guard descriptor >= 0 else { throw failure(errno, in: folder, "create a socket") }
      let socket = RelaySocket(descriptor, Peer(user: geteuid(), process: getpid()))
      let error = folder.rename(temporary, to: name)
      guard error == 0 else {
        folder.remove(temporary)
        throw failure(error, in: folder, "create a socket")
      }
      return socket
    }

    /// Connects to a socket without waiting, and checks that it belongs to a process of this user.
    ///
    /// That the connection exists does not mean that the process is alive: a child of it may hold the socket. See
    /// ``ProcessWatch``.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - name: The name of the socket.
    /// - Returns: The connection.
    /// - Throws: `ConnectError`.
    package static func connect(
      in directory: RuntimeDirectory, name: String
    ) throws(ConnectError) -> RelaySocket {
      guard directory.exists else { throw .ended }
      let folder: PrivateDirectory
      do throws(RelayError) {
        folder = try directory.open(creates: false)
      } catch {
        throw .failed(error)
      }
      // Links are not followed, and what is no socket is not ours.
      guard folder.isSocket(name) else { throw .ended }
      let descriptor = unsafe hw_relay_connect(folder.descriptorPath(name))
      guard descriptor >= 0 else {
        switch errno {
        case ECONNREFUSED:
          folder.remove(name)
          throw .ended
        case ENOENT, EPROTOTYPE: throw .ended
        case EAGAIN: throw .busy
        default: throw .failed(failure(errno, in: folder, "connect to a socket"))
        }
      }
      guard let peer = peer(of: descriptor) else {
        let error = errno
        hw_relay_close(descriptor)
        throw .failed(failure(error, in: folder, "connect to a socket"))
      }
      let socket = RelaySocket(descriptor, peer)
      guard peer.user == geteuid() else {
        throw .failed(.otherUser(path: "\(folder.path)/\(name)", uid: peer.user))
      }
      return socket
    }

    /// The process at the other end of a connection, nil if there is an error in `errno`.
    private static func peer(of descriptor: Int32) -> Peer? {
      var user: uid_t = 0
      var process: pid_t = 0
      let error = unsafe hw_relay_peer(descriptor, &user, &process)
      guard error == 0 else {
        errno = error
        return nil
      }
      return Peer(user: user, process: process)
    }

    /// The error for an error number.
    private static func failure(
      _ code: Int32, in folder: PrivateDirectory, _ action: String
    ) -> RelayError {
      code == ENAMETOOLONG
        ? .noDirectory(path: folder.path, reason: "its path is too long for a socket")
        : .system("cannot \(action) in '\(folder.path)'", reason: errorDescription(code))
    }

    // MARK: Using

    /// Accepts the next connection to a socket that listens, without waiting.
    ///
    /// - Returns: What was found. After anything but `.none` there may be more.
    package func accept() -> Acceptance {
      let connection = hw_relay_accept(descriptor)
      guard connection >= 0 else {
        switch errno {
        case EAGAIN: return .none
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .noDescriptor
        default: return .failed(errno)
        }
      }
      guard let peer = Self.peer(of: connection) else {
        let error = errno
        hw_relay_close(connection)
        return .failed(error)
      }
      let socket = RelaySocket(connection, peer)
      return peer.user == geteuid() ? .accepted(socket) : .otherUser(peer.user)
    }

    /// Sends as many bytes as there is room for, without waiting.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: What was done; all bytes were sent only if the number is theirs.
    package func send(_ bytes: ArraySlice<UInt8>) -> IOResult {
      if bytes.isEmpty { return .done(0) }
      let count = unsafe bytes.withUnsafeBytes {
        unsafe hw_relay_send(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 { return .done(count) }
      return Self.result(of: errno)
    }

    /// Receives the next bytes without waiting.
    ///
    /// - Parameters:
    ///   - bytes: They are added to these.
    ///   - limit: The most bytes to add, at least 1.
    /// - Returns: What was done; there may be more bytes only if their number is the limit.
    package func receive(into bytes: inout [UInt8], most limit: Int = 65_536) -> IOResult {
      unsafe withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { room in
        let count = unsafe hw_relay_receive(descriptor, room.baseAddress, limit)
        if count < 0 { return Self.result(of: errno) }
        if count == 0 { return .ended }
        unsafe bytes.append(contentsOf: room[..<count])
        return .done(count)
      }
    }

    /// What an error number means.
    private static func result(of code: Int32) -> IOResult {
      switch code {
      case EAGAIN: .wouldBlock
      // Unread bytes of ours in its socket make a closed connection a reset one.
      case EPIPE, ECONNRESET, ENOTCONN: .ended
      default: .failed(code)
      }
    }
  }

  /// A descriptor that is kept to have one when the process has no other.
  ///
  /// A connection that cannot be accepted keeps a socket readable, so its loop would spin. With this descriptor it is
  /// accepted and closed at once. Not thread safe.
  package struct SpareDescriptor: ~Copyable {
    private var descriptor: Int32

    /// Takes a descriptor, if there is one.
    package init() { descriptor = hw_relay_open_spare() }

    deinit { hw_relay_close(descriptor) }

    /// Closes the next waiting connection.
    ///
    /// - Parameter listener: The socket, whose `accept()` has returned `.noDescriptor`.
    /// - Returns: Whether one was closed. If not, wait a while: another thread has taken the descriptor.
    package mutating func refuseConnection(to listener: RelaySocket) -> Bool {
      hw_relay_close(descriptor)
      let connection = hw_relay_accept(listener.descriptor)
      hw_relay_close(connection)
      descriptor = hw_relay_open_spare()
      return connection >= 0
    }
  }

  /// Whether this process is a copy, made by `fork`, of one that has used sockets, processes or directories of this module.
  ///
  /// The state of the original cannot be used in it, and its locks may be held forever: ask before taking one. It costs a
  /// system call. Safe from any thread.
  package var isForkedCopy: Bool { hw_relay_is_copy() }
#endif
