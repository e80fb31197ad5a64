import Loopback

/// A network path to the server of the app.
struct NetworkPath: Hashable, Sendable {
  /// The name of the path.
  let name: String
  /// The port of its first server.
  let port: UInt16
}

/// The servers that the app uses, all on the local network of this machine.
///
/// Of the four paths to the data server, one is direct, one goes through a relay and is longer, one is closed, and one
/// accepts requests and never answers.
final class Surroundings: Sendable {
  /// The newest version of the app.
  static let newest = "2.4.0"

  /// The paths to the data server.
  let paths: [NetworkPath]
  /// The port of the version server.
  let updates: UInt16
  /// All servers.
  private let servers: [LoopbackServer]
  /// A closed port: the end of the closed path.
  private let closed: ClosedPort

  /// Starts the servers.
  ///
  /// - Parameters:
  ///   - failing: The tasks that should fail.
  ///   - size: The number of bytes of data.
  /// - Throws: `NetworkError` if the system has no free ports.
  init(failing: Set<StartStep>, size: Int) throws(NetworkError) {
    let data = try LoopbackServer(pages: { page in
      switch page {
      // A failing server hangs up, which the client notices only later than an answer.
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

  /// Shuts the servers down.
  func close() { for server in servers { server.close() } }
}
