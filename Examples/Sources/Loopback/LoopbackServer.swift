import Foundation
import Synchronization

/// A server on the local network of this machine, with a thread for each connection.
///
/// Safe to use from any thread. It runs until ``close()``.
package final class LoopbackServer: Sendable {
  /// The open connections.
  private struct State {
    /// The connections that are being served.
    var connections: [ObjectIdentifier: Connection] = [:]
    /// Whether no more connections are accepted.
    var isClosed = false
  }

  /// The maximum number of connections that wait to be accepted.
  private static let queueLength: Int32 = 64

  /// The port of the server.
  package let port: UInt16
  /// The listening socket, closed by the thread that uses it.
  private let listener: Int32
  private let state = Mutex(State())

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - port: The port, 0 for one that is free.
  ///   - answer: Serves a connection, on a thread that may block; then the connection is closed. Its errors are
  ///     ignored, because they mean that the client has gone.
  /// - Throws: `NetworkError` if the port is in use.
  package init(
    port: UInt16 = 0, _ answer: @escaping @Sendable (Connection) throws -> Void
  ) throws(NetworkError) {
    (listener, self.port) = try LoopbackSocket.bound(to: port)
    guard listen(listener, Self.queueLength) == 0 else {
      let error = NetworkError("listening on port \(self.port)")
      LoopbackSocket.release(listener)
      throw error
    }
    Thread.detachNewThread { self.letIn(answer) }
  }

  /// Accepts no more connections, and closes all open ones.
  package func close() {
    let connections = state.withLock { state in
      state.isClosed = true
      return state.connections.values.map(\.self)
    }
    for connection in connections { connection.interrupt() }
    // Wakes the accepting thread by a connection, because no system call for that exists on all systems.
    _ = try? Connection(to: port)
  }

  /// Accepts connections until the server is closed.
  private func letIn(_ answer: @escaping @Sendable (Connection) throws -> Void) {
    defer { LoopbackSocket.release(listener) }
    while true {
      let descriptor = accept(listener, nil, nil)
      if descriptor < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        return
      }
      let connection = Connection(owning: descriptor)
      let id = ObjectIdentifier(connection)
      let isOpen = state.withLock { state in
        if !state.isClosed { state.connections[id] = connection }
        return !state.isClosed
      }
      guard isOpen else { return }
      Thread.detachNewThread {
        try? answer(connection)
        self.state.withLock { $0.connections[id] = nil }
      }
    }
  }
}

extension LoopbackServer {
  /// A server that accepts requests and never answers.
  ///
  /// - Returns: The server.
  /// - Throws: `NetworkError` if no port is free.
  package static func silent() throws(NetworkError) -> LoopbackServer {
    try LoopbackServer { connection in
      var question = [UInt8](repeating: 0, count: 1_024)
      while try connection.receive(into: &question) > 0 {}
    }
  }

  /// A server that forwards each request to another server, and its response back.
  ///
  /// - Parameter port: The port of the other server.
  /// - Returns: The server.
  /// - Throws: `NetworkError` if no port is free.
  package static func relay(to port: UInt16) throws(NetworkError) -> LoopbackServer {
    try LoopbackServer { connection in
      let other = try Connection(to: port)
      var piece = [UInt8](repeating: 0, count: HTTP.pieceSize)
      let count = try connection.receive(into: &piece)
      try other.send(piece[..<count])
      while true {
        let count = try other.receive(into: &piece)
        if count == 0 { return }
        try connection.send(piece[..<count])
      }
    }
  }
}
