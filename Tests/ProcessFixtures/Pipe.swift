internal import CToolDriver
internal import Glibc

/// A pipe whose ends are inherited by no process.
///
/// A child of a test that runs at the same time could otherwise keep the pipe from coming to its end. The ends are plain
/// descriptors, which the test closes.
public struct Pipe: Sendable {
  /// The end that is read from.
  public let reader: Int32
  /// The end that is written to.
  public let writer: Int32

  /// Creates a pipe.
  public init() {
    var (reader, writer) = (-1 as Int32, -1 as Int32)
    let error = unsafe td_open_pipe(&reader, &writer)
    precondition(error == 0, "no pipe: error \(error)")
    (self.reader, self.writer) = (reader, writer)
  }

  /// Writes a text, which must be small enough to fit into the pipe.
  public func write(_ text: String) {
    let bytes = Array(text.utf8)
    let count = unsafe Glibc.write(writer, bytes, bytes.count)
    precondition(count == bytes.count, "cannot write to a pipe: error \(errno)")
  }

  /// Reads the next byte.
  ///
  /// - Returns: The byte, nil at the end or if none comes within two minutes.
  public func nextByte() -> UInt8? {
    guard isReadable(reader) else { return nil }
    var byte: UInt8 = 0
    return unsafe Glibc.read(reader, &byte, 1) == 1 ? byte : nil
  }

  /// Whether the pipe comes to its end within two minutes, without another byte.
  public func hasEnded() -> Bool {
    guard isReadable(reader) else { return false }
    var byte: UInt8 = 0
    return unsafe Glibc.read(reader, &byte, 1) == 0
  }

  /// Reads until a text was written.
  ///
  /// - Parameter text: The text.
  /// - Returns: All that was read; without the text if nothing was written for two minutes.
  public func read(until text: String) -> String {
    var all: [UInt8] = []
    while !String(decoding: all, as: UTF8.self).contains(text), all.count < 1_000_000 {
      let bytes = readSome()
      guard !bytes.isEmpty else { break }
      all += bytes
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Closes the writing end, reads all that was written, and closes the reading end.
  ///
  /// - Returns: The text; what there is of it if the pipe does not come to its end.
  public func readAll() -> String {
    close(writer)
    var all: [UInt8] = []
    while true {
      let bytes = readSome()
      guard !bytes.isEmpty else { break }
      all += bytes
    }
    close(reader)
    return String(decoding: all, as: UTF8.self)
  }

  /// Reads some bytes; none at the end, or if none come within two minutes.
  public func readSome() -> ArraySlice<UInt8> {
    guard isReadable(reader) else { return [] }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(reader, $0.baseAddress, $0.count)
    }
    return bytes.prefix(max(count, 0))
  }
}

/// Ends a connection, so that the other end sees it at once.
///
/// `close` alone does not: a child that another test starts has a copy of every descriptor until it begins its program.
///
/// - Parameter socket: The socket, which is closed.
public func hangUp(_ socket: Int32) {
  shutdown(socket, Int32(SHUT_RDWR))
  close(socket)
}
