#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system calls that use addresses, all of them for the local network of this machine.
enum LoopbackSocket {
  /// Creates a stream socket.
  ///
  /// - Returns: Its descriptor.
  /// - Throws: `NetworkError` if no descriptor is free.
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

  /// Creates a socket that is bound to a port and does not listen yet.
  ///
  /// - Parameter port: The port, 0 for one that is free.
  /// - Returns: The descriptor and the port.
  /// - Throws: `NetworkError` if the port is in use.
  static func bound(to port: UInt16) throws(NetworkError) -> (descriptor: Int32, port: UInt16) {
    let descriptor = try make()
    do throws(NetworkError) {
      var yes: Int32 = 1
      // So that a server can be restarted at once.
      _ = unsafe setsockopt(
        descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      let isBound = unsafe withAddress(of: port) { address, size in
        unsafe bind(descriptor, address, size) == 0
      }
      guard isBound else { throw NetworkError("binding to port \(port)") }
      return (descriptor, try self.port(of: descriptor))
    } catch {
      release(descriptor)
      throw error
    }
  }

  /// Closes a socket.
  static func release(_ descriptor: Int32) { close(descriptor) }

  /// The port of a socket.
  private static func port(of descriptor: Int32) throws(NetworkError) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isKnown = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      // A `sockaddr_in` may be passed as a `sockaddr`, with its size.
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe getsockname(descriptor, pointer, &size) == 0
      }
    }
    guard isKnown else { throw NetworkError("reading the port of a socket") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Calls a system call with the address of a local port.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - body: The call, which receives the address and its size.
  /// - Returns: The result of the call.
  static func withAddress(
    of port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    return unsafe withUnsafePointer(to: address) { pointer in
      // A `sockaddr_in` may be passed as a `sockaddr`.
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe body(pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

/// A local port on which nothing listens: connections to it are refused.
package final class ClosedPort: Sendable {
  /// The port.
  package let port: UInt16
  /// A bound socket that reserves the port.
  private let descriptor: Int32

  /// Reserves a free port.
  ///
  /// - Throws: `NetworkError` if no port is free.
  package init() throws(NetworkError) {
    (descriptor, port) = try LoopbackSocket.bound(to: 0)
  }

  deinit { LoopbackSocket.release(descriptor) }
}
