#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls that deal with addresses: all of this machine's own network.
enum LoopbackSocket {
  /// Makes a socket for a stream of bytes.
  ///
  /// - Returns: Its descriptor.
  /// - Throws: `NetworkError` when there is none left.
  static func make() throws(NetworkError) -> Int32 {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw NetworkError("making a socket") }
    return descriptor
  }

  /// Makes a socket that has a port, and does not listen yet.
  ///
  /// - Parameter port: The port, 0 for one that is free.
  /// - Returns: Its descriptor, and the port that it has.
  /// - Throws: `NetworkError` when the port is taken.
  static func bound(to port: UInt16) throws(NetworkError) -> (descriptor: Int32, port: UInt16) {
    let descriptor = try make()
    do throws(NetworkError) {
      var yes: Int32 = 1
      // So that a server that has just ended can come back at once.
      _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      let isBound = unsafe withAddress(of: port) { address, size in
        unsafe bind(descriptor, address, size) == 0
      }
      guard isBound else { throw NetworkError("taking port \(port)") }
      return (descriptor, try self.port(of: descriptor))
    } catch {
      release(descriptor)
      throw error
    }
  }

  /// Gives a socket back to the system.
  static func release(_ descriptor: Int32) { close(descriptor) }

  /// Reads which port a socket has.
  private static func port(of descriptor: Int32) throws(NetworkError) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      // An Internet address is one of the forms of an address, and has the room that is told.
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe getsockname(descriptor, pointer, &size) == 0
      }
    }
    guard isKnown else { throw NetworkError("asking for the port of a socket") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Gives the address of a port of this machine to a system call.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - body: The call, with the address and its size.
  /// - Returns: What the call returns.
  static func withAddress(
    of port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    return unsafe withUnsafePointer(to: address) { pointer in
      // An Internet address is one of the forms of an address.
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

/// A port of this machine at which nobody listens: who asks there is refused.
package final class ClosedPort: Sendable {
  /// The port.
  package let port: UInt16
  /// The socket that keeps others from listening there.
  private let descriptor: Int32

  /// Takes a free port.
  ///
  /// - Throws: `NetworkError` when there is none.
  package init() throws(NetworkError) {
    (descriptor, port) = try LoopbackSocket.bound(to: 0)
  }

  deinit { LoopbackSocket.release(descriptor) }
}
