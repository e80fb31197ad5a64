#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A stream of bytes between two sockets on this machine; it is closed when it is released.
///
/// One thread reads and one writes, and both block; any other thread may call ``interrupt()``. A program that uses it
/// ignores `SIGPIPE`, so that writing to a closed connection is an ordinary error.
package final class Connection: Sendable {
  /// The socket.
  private let descriptor: Int32

  /// Creates a connection that owns a socket.
  init(owning descriptor: Int32) { self.descriptor = descriptor }

  /// Connects to a server.
  ///
  /// - Parameter port: The port of the server.
  /// - Throws: `NetworkError` if the connection is refused.
  package init(to port: UInt16) throws(NetworkError) {
    descriptor = try LoopbackSocket.make()
    // From here on the socket is closed with the object, also after an error.
    let isConnected = unsafe LoopbackSocket.withAddress(of: port) { address, size in
      unsafe connect(descriptor, address, size) == 0
    }
    guard isConnected else { throw NetworkError("connecting to port \(port)") }
  }

  deinit { LoopbackSocket.release(descriptor) }

  /// Reads bytes, and waits if there are none.
  ///
  /// - Parameter buffer: The buffer, which must not be empty.
  /// - Returns: The number of bytes; 0 at the end of the stream or after an interruption.
  /// - Throws: `NetworkError` if the connection is broken.
  package func receive(into buffer: inout [UInt8]) throws(NetworkError) -> Int {
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw NetworkError("waiting for a response") }
    }
  }

  /// Sends bytes, and waits while the buffer of the connection is full.
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: `NetworkError` if the other side has closed the connection.
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
  /// - Parameter text: The text.
  /// - Throws: `NetworkError` if the other side has closed the connection.
  package func send(_ text: String) throws(NetworkError) { try send(Array(text.utf8)[...]) }

  /// Shuts the connection down: threads that wait in it continue at once, on both sides.
  package func interrupt() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}
