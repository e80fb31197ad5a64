import Loopback

/// A registry of servers, which accepts announcements and never answers.
struct Registry: Sendable {
  /// The server of the registry.
  private let server: LoopbackServer

  /// Starts the registry.
  ///
  /// - Throws: `NetworkError` if no port is free.
  init() throws(NetworkError) { server = try .silent() }

  /// Announces a server like a client without time limits: blocks until there is an answer.
  ///
  /// - Parameter port: The port of the server.
  /// - Throws: `NetworkError` if the connection breaks.
  func announce(_ port: UInt16) throws(NetworkError) {
    let connection = try Connection(to: server.port)
    try connection.send("SERVER \(port)\n")
    var answer = [UInt8](repeating: 0, count: 64)
    _ = try connection.receive(into: &answer)
  }

  /// Shuts the registry down, which ends all waiting clients.
  func close() { server.close() }
}
