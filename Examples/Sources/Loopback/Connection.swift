#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A stream of bytes between two ends on this machine; it is closed when nobody holds it any more.
///
/// One thread reads and one writes, and both block; ``interrupt()`` may come from any other. A program that uses it
/// ignores `SIGPIPE`, so that an other end that is gone is an error like any other.
package final class Connection: Sendable {
  /// The socket.
  private let descriptor: Int32

  /// Takes a socket over.
  init(owning descriptor: Int32) { self.descriptor = descriptor }

  /// Connects to a server.
  ///
  /// - Parameter port: The port of the server.
  /// - Throws: `NetworkError` when nobody listens there.
  package init(to port: UInt16) throws(NetworkError) {
    descriptor = try LoopbackSocket.make()
    // From here on the socket is closed with the object, also after an error.
    let isConnected = unsafe LoopbackSocket.withAddress(of: port) { address, size in
      unsafe connect(descriptor, address, size) == 0
    }
    guard isConnected else { throw NetworkError("connecting to port \(port)") }
  }

  deinit { LoopbackSocket.release(descriptor) }

  /// Waits for bytes.
  ///
  /// - Parameter buffer: Where they go, from its start on; must not be empty.
  /// - Returns: How many came; 0 when the other end is done, or the connection was interrupted.
  /// - Throws: `NetworkError` when the connection is broken.
  package func receive(into buffer: inout [UInt8]) throws(NetworkError) -> Int {
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw NetworkError("waiting for an answer") }
    }
  }

  /// Sends bytes, and waits while the other end does not take them.
  ///
  /// - Parameter bytes: What to send.
  /// - Throws: `NetworkError` when nobody takes them any more.
  package func send(_ bytes: ArraySlice<UInt8>) throws(NetworkError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw NetworkError("sending")
      }
    }
  }

  /// Sends text.
  ///
  /// - Parameter text: What to send.
  /// - Throws: `NetworkError` when nobody takes it any more.
  package func send(_ text: String) throws(NetworkError) { try send(Array(text.utf8)[...]) }

  /// Hangs up: who waits in the connection goes on at once, here and at the other end.
  package func interrupt() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}
