internal import HeadwayRelay
internal import HeadwaySystem

/// The socket of a worker to which the programs of its tasks report their progress, for the runner.
///
/// Not thread safe.
struct ReportListener {
  private let socket: RelaySocket
  private let directory: RuntimeDirectory
  private let name: String
  private let token: UInt64
  private var connections: ForwardedConnections
  /// How many connections there were.
  private var count = 0

  /// Creates the socket; nil if the system refuses it, and then programs do not report.
  ///
  /// - Parameters:
  ///   - poller: Waits for it, until ``stop(in:)``.
  ///   - lastToken: The highest of the tokens that the socket and its connections have there.
  init?(in poller: Poller, lastToken: UInt64) {
    guard let directory = try? RuntimeDirectory.first(of: RuntimeDirectory.places) else {
      return nil
    }
    directory.removeLeftovers()
    name = RuntimeDirectory.newForwardedName()
    guard let socket = try? RelaySocket.listen(in: directory, name: name) else { return nil }
    guard poller.add(socket.descriptor, token: lastToken) else {
      directory.remove(name)
      return nil
    }
    (self.socket, self.directory, token) = (socket, directory, lastToken)
    connections = ForwardedConnections(lastToken: lastToken - 1)
  }

  /// The path of the socket.
  var path: String { "\(directory.path)/\(name)" }

  /// Whether a token of the poller is one of these.
  func contains(token: UInt64) -> Bool { token == self.token || connections.contains(token: token) }

  /// Handles an event of the poller.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - poller: The poller.
  ///   - bytes: The bytes for the runner, to which messages are added.
  mutating func handle(_ token: UInt64, in poller: Poller, _ bytes: inout [UInt8]) {
    if token == self.token { return accept(in: poller, &bytes) }
    switch connections.handle(token, in: poller) {
    case .received(let key, let report):
      WorkerReply.forwarded(key.number, report).write(to: &bytes)
    case .closed(let key): WorkerReply.disconnected(key.number).write(to: &bytes)
    case nil: break
    }
  }

  /// Accepts the connections of programs.
  private mutating func accept(in poller: Poller, _ bytes: inout [UInt8]) {
    while true {
      switch socket.accept() {
      case .accepted(let connection):
        count += 1
        let key = ForwardedConnections.Key(worker: 0, number: count)
        // Otherwise it is closed, and its program does not report.
        guard connections.add(connection, as: key, in: poller) else { continue }
        WorkerReply.connected(count).write(to: &bytes)
      case .otherUser: continue
      case .none: return
      case .noDescriptor, .failed:
        // It would stay readable; programs find no socket then, and do not report.
        return close(in: poller)
      }
    }
  }

  /// Carries out a request about a program that reports; others have no effect.
  mutating func carryOut(_ request: WorkerRequest, in poller: Poller, _ bytes: inout [UInt8]) {
    switch request {
    case .forward(let number, let answer):
      let key = ForwardedConnections.Key(worker: 0, number: number)
      if !connections.send(answer, to: key, in: poller) {
        WorkerReply.disconnected(number).write(to: &bytes)
      }
    case .close(let number):
      connections.close(ForwardedConnections.Key(worker: 0, number: number), in: poller)
    default: break
    }
  }

  /// Closes all connections and the socket.
  mutating func stop(in poller: Poller) {
    connections.closeAll(of: 0, in: poller)
    close(in: poller)
  }

  private func close(in poller: Poller) {
    poller.remove(socket.descriptor)
    directory.remove(name)
  }
}
