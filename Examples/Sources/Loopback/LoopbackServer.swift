import Foundation
import Synchronization

/// A server on this machine's own network, with a thread for each connection.
///
/// Safe from any thread. It goes on until ``close()``.
package final class LoopbackServer: Sendable {
  /// Who is connected.
  private struct State {
    /// The connections that are being answered.
    var connections: [ObjectIdentifier: Connection] = [:]
    /// Whether nobody is let in any more.
    var isClosed = false
  }

  /// The most connections that wait to be let in.
  private static let queueLength: Int32 = 64

  /// The port at which it listens.
  package let port: UInt16
  /// The socket that listens; closed by the thread that uses it.
  private let listener: Int32
  /// Who is connected.
  private let state = Mutex(State())

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - port: The port, 0 for one that is free.
  ///   - answer: Deals with a connection, on a thread that may block; afterwards the connection is closed. What it
  ///     throws means that the other end has gone, which is its own affair.
  /// - Throws: `NetworkError` when the port is taken.
  package init(
    port: UInt16 = 0, _ answer: @escaping @Sendable (Connection) throws -> Void
  ) throws(NetworkError) {
    (listener, self.port) = try LoopbackSocket.bound(to: port)
    guard listen(listener, Self.queueLength) == 0 else {
      let error = NetworkError("listening at port \(self.port)")
      LoopbackSocket.release(listener)
      throw error
    }
    Thread.detachNewThread { self.letIn(answer) }
  }

  /// Lets nobody in any more, and hangs up on everybody.
  package func close() {
    let connections = state.withLock { state in
      state.isClosed = true
      return state.connections.values.map(\.self)
    }
    for connection in connections { connection.interrupt() }
    // Wakes the thread that waits for connections: there is no call for that which all systems have.
    _ = try? Connection(to: port)
  }

  /// Lets in whoever comes, until the server is closed.
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
  /// A server that takes questions and never answers.
  ///
  /// - Returns: The server.
  /// - Throws: `NetworkError` when there is no port left.
  package static func silent() throws(NetworkError) -> LoopbackServer {
    try LoopbackServer { connection in
      var question = [UInt8](repeating: 0, count: 1_024)
      while try connection.receive(into: &question) > 0 {}
    }
  }

  /// A server that passes each question on to another one, and the answer back.
  ///
  /// - Parameter port: The port of the other one.
  /// - Returns: The server.
  /// - Throws: `NetworkError` when there is no port left.
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
