/// The bytes of a stream, as lines of limited length.
///
/// What comes after the last line end is kept until the rest arrives. A pure value.
package struct LineBuffer: Sendable {
  /// A line, or the beginning of one, has more bytes than the limit.
  package struct LineTooLong: Error, Hashable, Sendable {
    package let limit: Int
  }

  /// The end of a line.
  package static let newline = UInt8(ascii: "\n")
  /// A buffer above this size is freed once it is empty.
  private static let keptCapacity = 16_384

  /// The most bytes of a line, with its end.
  private let limit: Int
  /// The bytes from the first line that was not returned on, after some that were.
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to here, there is no end of the line that begins at `start`.
  private var searched = 0

  /// Creates an empty buffer.
  ///
  /// - Parameter limit: The most bytes of a line, with its end.
  package init(limit: Int) { self.limit = limit }

  /// Appends what has arrived.
  ///
  /// Take all lines with ``next()`` before appending again, or the buffer grows.
  ///
  /// - Parameter arrived: The bytes.
  /// - Complexity: O(arrived bytes + bytes of the unfinished line).
  package mutating func append(_ arrived: ArraySlice<UInt8>) {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    } else {
      bytes.removeFirst(start)
    }
    searched -= start
    start = 0
    bytes += arrived
  }

  /// Takes bytes that are no line, such as those that a line has announced.
  ///
  /// - Parameter count: The number of bytes.
  /// - Returns: The bytes, nil if not all are there.
  /// - Complexity: O(1).
  package mutating func next(_ count: Int) -> ArraySlice<UInt8>? {
    guard bytes.count - start >= count else { return nil }
    defer {
      start += count
      searched = start
    }
    return bytes[start..<start + count]
  }

  /// Takes the next line.
  ///
  /// - Returns: The line without its end, nil if no whole line is there.
  /// - Throws: ``LineTooLong``; afterwards the buffer is of no use.
  /// - Complexity: O(bytes that were not searched before).
  package mutating func next() throws(LineTooLong) -> ArraySlice<UInt8>? {
    let end = bytes[searched...].firstIndex(of: Self.newline)
    searched = end ?? bytes.count
    // Without its end, the line has at least one byte more.
    guard searched - start < limit else { throw LineTooLong(limit: limit) }
    guard let end else { return nil }
    defer {
      searched = end + 1
      start = end + 1
    }
    return bytes[start..<end]
  }
}
