import Loopback

/// A way to the server of the app.
struct NetworkPath: Hashable, Sendable {
  /// What it is called.
  let name: String
  /// The port at which it begins.
  let port: UInt16
}

/// The servers that the app finds when it starts, all on this machine's own network.
///
/// Of the four ways to the data one is direct, one leads over a relay and is longer, one is closed, and one takes
/// questions and never answers.
final class Surroundings: Sendable {
  /// The newest version of the app.
  static let newest = "2.4.0"

  /// The ways to the server of the data.
  let paths: [NetworkPath]
  /// The port of the server that knows the newest version.
  let updates: UInt16
  /// All servers.
  private let servers: [LoopbackServer]
  /// The end of the way that is closed.
  private let closed: ClosedPort

  /// Starts the servers.
  ///
  /// - Parameters:
  ///   - failing: The tasks that are to fail.
  ///   - size: How many bytes of data there are.
  /// - Throws: `NetworkError` when the machine does not let them be.
  init(failing: Set<StartStep>, size: Int) throws(NetworkError) {
    let data = try LoopbackServer(pages: { page in
      switch page {
      // Who fails here hangs up, and hears of it later than it would by an answer.
      case "/ping": failing.contains(.choosePath) ? nil : .page("pong\n")
      case "/initial-data":
        .page(InitialData.make(size: size), sent: failing.contains(.loadData) ? size / 2 : nil)
      default: .notFound
      }
    })
    let versions = try LoopbackServer(pages: { page in
      guard page == "/version" else { return .notFound }
      return failing.contains(.checkVersion) ? .broken : .page("\(Self.newest)\n")
    })
    let relay = try LoopbackServer.relay(to: data.port)
    let silent = try LoopbackServer.silent()
    closed = try ClosedPort()
    paths = [
      NetworkPath(name: "silent", port: silent.port),
      NetworkPath(name: "closed", port: closed.port),
      NetworkPath(name: "direct", port: data.port),
      NetworkPath(name: "relay", port: relay.port),
    ]
    updates = versions.port
    servers = [data, versions, relay, silent]
  }

  /// Ends the servers.
  func close() { for server in servers { server.close() } }
}
