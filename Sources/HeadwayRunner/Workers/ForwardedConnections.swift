internal import HeadwayRelay
internal import HeadwaySystem

/// Connections between programs and the socket to which they report, whose two ends are on different machines.
///
/// ```
///   task ── socket ── worker ── ssh ── runner ── socket ── the progress of the run
/// ```
///
/// The worker and its runner have one of these each, and carry the bytes. Not thread safe.
struct ForwardedConnections {
  /// Identifies a connection.
  struct Key: Hashable {
    /// The number of the worker; 0 in a worker, which has no others.
    let worker: Int
    /// The number of the connection, given by the worker.
    let number: Int
  }

  /// What has happened to a connection.
  enum Event: Equatable {
    /// Bytes have come from its program.
    case received(Key, [UInt8])
    /// It was closed.
    case closed(Key)
  }

  private struct Connection {
    let socket: RelaySocket
    let key: Key
    /// The bytes for its program that were not sent.
    var pending: [UInt8] = []
  }

  /// The most bytes for a program that does not read.
  private static let mostPending = 1 << 20
  /// The most connections at once.
  private static let mostConnections = 100_000

  private let firstToken: UInt64
  private var nextToken: UInt64 = 0
  /// The connections, by their tokens in the poller.
  private var connections: [UInt64: Connection] = [:]
  private var tokens: [Key: UInt64] = [:]

  /// Creates an empty collection.
  ///
  /// - Parameter lastToken: The highest of the tokens that its connections have in a poller.
  init(lastToken: UInt64) { firstToken = lastToken - UInt64(Self.mostConnections) + 1 }

  /// Whether a token of the poller belongs to a connection, or did.
  func contains(token: UInt64) -> Bool {
    token >= firstToken && token - firstToken < UInt64(Self.mostConnections)
  }

  /// Adds a connection.
  ///
  /// - Returns: Whether there was room for it.
  mutating func add(_ socket: RelaySocket, as key: Key, in poller: Poller) -> Bool {
    guard connections.count < Self.mostConnections, tokens[key] == nil else { return false }
    repeat {
      nextToken = (nextToken + 1) % UInt64(Self.mostConnections)
    } while connections[firstToken + nextToken] != nil
    let token = firstToken + nextToken
    guard poller.add(socket.descriptor, token: token) else { return false }
    connections[token] = Connection(socket: socket, key: key)
    tokens[key] = token
    return true
  }

  /// Handles an event of the poller.
  ///
  /// - Returns: What has happened, nil if it is nothing to tell.
  mutating func handle(_ token: UInt64, in poller: Poller) -> Event? {
    guard let connection = connections[token] else { return nil }
    if !connection.pending.isEmpty, !send([], to: connection.key, in: poller) {
      return .closed(connection.key)
    }
    var bytes: [UInt8] = []
    switch connection.socket.receive(into: &bytes) {
    case .done: return .received(connection.key, bytes)
    case .wouldBlock: return nil
    case .ended, .failed:
      close(connection.key, in: poller)
      return .closed(connection.key)
    }
  }

  /// Sends bytes to the program of a connection, as much as there is room for; others follow later.
  ///
  /// - Returns: Whether the connection is still open; there is nothing to tell of one that was closed before.
  mutating func send(_ bytes: [UInt8], to key: Key, in poller: Poller) -> Bool {
    guard let token = tokens[key], var connection = connections[token] else { return true }
    let waited = !connection.pending.isEmpty
    connection.pending += bytes
    // Without a second copy of the bytes.
    connections[token] = nil
    sending: while !connection.pending.isEmpty {
      switch connection.socket.send(connection.pending[...]) {
      case .done(let count): connection.pending.removeFirst(count)
      case .wouldBlock: break sending
      // What the program has said last can still be read.
      case .ended, .failed: connection.pending = []
      }
    }
    connections[token] = connection
    guard connection.pending.count <= Self.mostPending else {
      close(key, in: poller)
      return false
    }
    let waits = !connection.pending.isEmpty
    if waits != waited {
      _ = poller.change(
        connection.socket.descriptor, token: token, interest: waits ? [.read, .write] : .read)
    }
    return true
  }

  /// Closes a connection, if it is open.
  mutating func close(_ key: Key, in poller: Poller) {
    guard let token = tokens.removeValue(forKey: key),
      let connection = connections.removeValue(forKey: token)
    else { return }
    poller.remove(connection.socket.descriptor)
  }

  /// Closes all connections of a worker.
  mutating func closeAll(of worker: Int, in poller: Poller) {
    for key in tokens.keys where key.worker == worker { close(key, in: poller) }
  }
}
