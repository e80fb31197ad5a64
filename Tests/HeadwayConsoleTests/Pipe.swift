import Glibc

/// A pipe for tests.
struct Pipe {
  /// The end that is read from.
  let reader: Int32
  /// The end that is written to.
  let writer: Int32

  /// Creates a pipe.
  init() {
    var ends: [Int32] = [-1, -1]
    _ = unsafe ends.withUnsafeMutableBufferPointer { unsafe pipe($0.baseAddress) }
    (reader, writer) = (ends[0], ends[1])
  }

  /// Reads all that was written, after the writing end was closed.
  func readAll() -> String {
    close(writer)
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(reader, $0.baseAddress, $0.count)
      }
      guard count > 0 else { break }
      all += bytes.prefix(count)
    }
    close(reader)
    return String(decoding: all, as: UTF8.self)
  }
}
