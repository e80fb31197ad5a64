import Loopback

/// Where servers announce themselves: on this machine one that takes announcements and never answers.
struct Registry: Sendable {
  /// The registry.
  private let server: LoopbackServer

  /// Starts the registry.
  ///
  /// - Throws: `NetworkError` when the machine does not let it be.
  init() throws(NetworkError) { server = try .silent() }

  /// Announces a server, in the manner of a client that knows of no limits: it blocks until there is an answer.
  ///
  /// - Parameter port: The port of the server.
  /// - Throws: `NetworkError` when the connection breaks.
  func announce(_ port: UInt16) throws(NetworkError) {
    let connection = try Connection(to: server.port)
    try connection.send("SERVER \(port)\n")
    var answer = [UInt8](repeating: 0, count: 64)
    _ = try connection.receive(into: &answer)
  }

  /// Ends the registry, and with it whoever still waits for an answer.
  func close() { server.close() }
}
