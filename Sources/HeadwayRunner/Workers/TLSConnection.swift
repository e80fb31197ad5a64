internal import CTLS
internal import HeadwayLibc

/// One end of a connection over TCP with TLS 1.3, and the socket of this process whose bytes it carries.
///
/// ```
///   this process ◀─ socket pair ─▶ `inner` │ TLSConnection │ `network` ◀─ TLS 1.3 over TCP ─▶ the other end
///                       outgoing ────────────────▶
///                       ◀──────────────── incoming
/// ```
///
/// Not thread safe. It is to be ended with ``end()``.
@safe
struct TLSConnection {
  /// Where a connection is.
  enum State: Hashable {
    /// The handshake goes on: the other end has not proved that it has the key.
    case handshaking
    /// Bytes go in both directions.
    case open
    /// The process has closed its socket, all that it has sent is sent, and the other end has not closed the connection.
    case ending
    /// Nothing more can be carried.
    case over
  }

  /// The most bytes that are read at once, and that wait in one direction.
  private static let pieceSize = 1 << 16

  // Not used after `end`.
  private let tls: OpaquePointer
  /// The socket of the network.
  let network: Int32
  /// The socket of this process, -1 before the connection is open.
  private(set) var inner: Int32 = -1
  private(set) var state = State.handshaking
  /// Whether the other end does not have the key.
  private(set) var isRefused = false
  /// What has come from the network and has no room in `inner`.
  private var incoming: [UInt8] = []
  /// What has come from `inner` and has no room in the network.
  private var outgoing: [UInt8] = []
  /// Whether TLS has to write before it goes on.
  private var waitsToWrite = false
  /// Whether the network, or the process, sends nothing more.
  private var (isNetworkOver, isInnerOver) = (false, false)
  /// Whether the network, or the process, takes nothing more; what is for it is dropped.
  private var (isNetworkClosed, isInnerClosed) = (false, false)

  /// Creates the server of a connection; nil if there is no memory left, and then the socket is not closed.
  ///
  /// - Parameters:
  ///   - network: Its socket, which is closed with the connection.
  ///   - key: The key.
  init?(server network: Int32, key: [UInt8]) {
    guard let tls = unsafe hw_tls_accept(network, key) else { return nil }
    unsafe self.tls = unsafe tls
    self.network = network
  }

  /// Creates the client of a connection; nil if there is no memory left, and then the socket is not closed.
  ///
  /// - Parameters:
  ///   - network: Its socket, which is closed with the connection.
  ///   - key: The key.
  ///   - name: The identity of the client, which the server gets.
  init?(client network: Int32, key: [UInt8], name: String) {
    guard let tls = unsafe hw_tls_connect(network, key, name) else { return nil }
    unsafe self.tls = unsafe tls
    self.network = network
  }

  /// The identity that the client has sent, nil unless the connection is open.
  var name: String? {
    guard state == .open || state == .ending, let name = unsafe hw_tls_name(tls) else {
      return nil
    }
    return unsafe String(cString: name)
  }

  /// Whether ``advance()`` can do something once the network can be written to.
  var waitsForRoomInNetwork: Bool { waitsToWrite }

  /// Whether ``advance()`` can do something once the network can be read.
  var waitsForNetwork: Bool { !isNetworkOver && incoming.isEmpty }

  /// Whether ``advance()`` can do something once the process has written.
  var waitsForProcess: Bool { state == .open && !isInnerOver && outgoing.isEmpty }

  /// Whether ``advance()`` can do something once the process can be written to.
  var waitsForRoomInProcess: Bool { !incoming.isEmpty }

  /// Says which socket of the process it is, once it is open.
  ///
  /// - Parameter socket: The socket, which does not block, and is closed with the connection.
  mutating func carry(_ socket: Int32) { inner = socket }

  /// Reads and writes as much as is possible without blocking.
  mutating func advance() {
    if state == .handshaking {
      let result = unsafe hw_tls_handshake(tls)
      waitsToWrite = result == HW_TLS_WAITS_TO_WRITE.rawValue
      if result == 0 {
        state = .open
      } else if result == HW_TLS_FAILED.rawValue || result == HW_TLS_REFUSED.rawValue {
        isRefused = result == HW_TLS_REFUSED.rawValue
        state = .over
      }
    }
    guard inner >= 0, state == .open || state == .ending else { return }
    waitsToWrite = false
    carryIncoming()
    carryOutgoing()
    if state == .open, isInnerOver, outgoing.isEmpty {
      state = .ending
      unsafe hw_tls_end(tls)
      // Closing it now could drop what was sent, if something has arrived that nobody has read.
      shutdown(network, Int32(SHUT_WR))
      carryIncoming()
    }
    if isNetworkOver, incoming.isEmpty { state = .over }
  }

  /// Carries bytes from the network to the process, as many as there are and have room.
  private mutating func carryIncoming() {
    while true {
      if isInnerClosed { incoming = [] }
      if !incoming.isEmpty {
        let count = unsafe incoming.withUnsafeBytes {
          unsafe send(inner, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count > 0 {
          incoming.removeFirst(count)
        } else if errno != EINTR {
          if errno == EAGAIN { return }
          isInnerClosed = true
        }
        continue
      }
      if isNetworkOver { return }
      var result = 0
      incoming = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { room, count in
        result = unsafe hw_tls_read(tls, room.baseAddress, room.count)
        count = max(result, 0)
      }
      if result == Int(HW_TLS_WAITS_TO_WRITE.rawValue) { waitsToWrite = true }
      if result == 0 || result == Int(HW_TLS_FAILED.rawValue) { isNetworkOver = true }
      if result <= 0 { return }
    }
  }

  /// Carries bytes from the process to the network, as many as there are and have room.
  private mutating func carryOutgoing() {
    while true {
      if isNetworkClosed { outgoing = [] }
      if !outgoing.isEmpty {
        let result = unsafe outgoing.withUnsafeBytes {
          unsafe hw_tls_write(tls, $0.baseAddress, $0.count)
        }
        if result > 0 {
          outgoing.removeFirst(result)
          continue
        }
        if result == Int(HW_TLS_WAITS_TO_WRITE.rawValue) { waitsToWrite = true }
        if result != Int(HW_TLS_FAILED.rawValue) { return }
        isNetworkClosed = true
        continue
      }
      if isInnerOver { return }
      var result = 0
      outgoing = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { room, count in
        repeat {
          result = unsafe read(inner, room.baseAddress, room.count)
        } while result < 0 && errno == EINTR
        count = max(result, 0)
      }
      if result == 0 || result < 0 && errno != EAGAIN { isInnerOver = true }
      if result <= 0 { return }
    }
  }

  /// Closes both sockets, and tells the other end that nothing more comes.
  func end() {
    unsafe hw_tls_free(tls)
    close(network)
    if inner >= 0 { close(inner) }
  }
}
