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

  /// Reads until a text was written.
  ///
  /// - Parameter text: The text.
  /// - Returns: All that was read; without the text if a minute has passed without output.
  func read(until text: String) -> String {
    var all: [UInt8] = []
    while !String(decoding: all, as: UTF8.self).contains(text), all.count < 1_000_000 {
      var wait = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&wait, 1, 60_000) > 0 else { break }
      let bytes = readSome()
      guard !bytes.isEmpty else { break }
      all += bytes
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Reads what is there, or waits for it; nothing at the end.
  private func readSome() -> ArraySlice<UInt8> {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes {
      unsafe Glibc.read(reader, $0.baseAddress, $0.count)
    }
    return bytes.prefix(max(count, 0))
  }

  /// Reads all that was written, after the writing end was closed.
  func readAll() -> String {
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
}
