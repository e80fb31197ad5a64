#if os(Linux)
  import Glibc
  import HeadwaySystem
  import ProcessFixtures

  @testable import HeadwayRelay

  /// One end of a connection that sends whatever bytes a test wants.
  final class RawPeer {
    private let socket: RelaySocket
    private var received: [UInt8] = []
    /// Whether the other side has closed the connection.
    private(set) var hasEnded = false

    init(_ socket: RelaySocket) { self.socket = socket }

    /// Connects to the process that publishes in a folder; waits until there is one.
    init?(to folder: Folder, named name: String? = nil) {
      let directory = RuntimeDirectory(in: folder.path)
      var found: RelaySocket?
      let isConnected = eventually {
        guard let name = name ?? directory.socketNames().first else { return false }
        found = try? RelaySocket.connect(in: directory, name: name)
        return found != nil
      }
      guard isConnected, let found else { return nil }
      socket = found
    }

    /// Sends as many of the bytes as the other side takes before it closes the connection.
    ///
    /// - Returns: Whether all were sent.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      let isOver = eventually {
        while !rest.isEmpty {
          switch socket.send(rest) {
          case .done(let count): rest = rest.dropFirst(count)
          case .wouldBlock: return false
          case .ended, .failed: return true
          }
        }
        return true
      }
      return isOver && rest.isEmpty
    }

    /// Sends a line.
    @discardableResult
    func send(_ line: String) -> Bool { send(Array("\(line)\n".utf8)) }

    /// Sends bytes again and again, until the other side seems to take no more.
    ///
    /// - Returns: The number of bytes that were sent.
    func flood(_ bytes: [UInt8]) -> Int {
      var (sent, failures) = (0, 0)
      while failures < 20, sent < 50_000_000 {
        if case .done(let count) = socket.send(bytes[(sent % bytes.count)...]) {
          (sent, failures) = (sent + count, 0)
        } else {
          failures += 1
          _ = poll(nil, 0, 1)
        }
      }
      return sent
    }

    /// Waits for a line that contains a text.
    ///
    /// - Parameter text: The text.
    /// - Returns: The first such line, nil if none comes before the end or within two minutes.
    func line(_ text: String) -> String? {
      var found: String?
      _ = eventually {
        while let end = received.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: received[..<end], as: UTF8.self)
          received.removeFirst(end + 1)
          if line.contains(text) {
            found = line
            return true
          }
        }
        return !receive() && hasEnded
      }
      return found
    }

    /// Waits until the other side closes the connection, and drops what it sends before.
    ///
    /// - Returns: Whether it does within two minutes.
    func waitForEnd() -> Bool {
      eventually {
        while receive() { received = [] }
        return hasEnded
      }
    }

    /// Receives what is there.
    private func receive() -> Bool {
      switch socket.receive(into: &received) {
      case .done: return true
      case .wouldBlock: return false
      case .ended, .failed:
        hasEnded = true
        return false
      }
    }
  }

  /// A socket that looks like that of a publishing process, behind which there is a test.
  struct FakePublisher {
    static let hello = #"{"event":"hello","time":0,"version":2,"pid":77,"program":"fake"}"#

    private let directory: RuntimeDirectory
    private let name: String
    private let socket: RelaySocket

    /// Listens.
    init(in folder: Folder, name: String = RuntimeDirectory.newSocketName()) throws {
      directory = RuntimeDirectory(in: folder.path)
      self.name = name
      socket = try RelaySocket.listen(in: directory, name: name)
    }

    /// Waits for the next connection.
    func accept() -> RawPeer? {
      var found: RelaySocket?
      _ = eventually {
        if case .accepted(let connection) = socket.accept() { found = connection }
        return found != nil
      }
      return found.map { RawPeer($0) }
    }

    /// Removes the socket, which is closed with the last copy of this value.
    func remove() { directory.remove(name) }
  }

  /// The beginning of a publication with a tree of one node.
  func began(_ id: String, label: String = "root") -> String {
    """
    {"event":"publication_began","time":0,"publication":"\(id)","kind":"test","accepts":["cancel"]}
    {"event":"progress","time":0,"publication":"\(id)","nodes":[{"node":0,"label":"\(label)","completed":0,"total":10}]}
    """
  }
#endif
