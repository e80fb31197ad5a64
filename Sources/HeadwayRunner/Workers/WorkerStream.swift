internal import HeadwayRun

/// The bytes of a connection between a runner and a worker, as messages: a line of JSON, and the bytes that it announces.
///
/// What comes after the last whole message is kept until the rest arrives. A pure value.
struct WorkerStream: Sendable {
  /// A message.
  struct Message: Sendable {
    let fields: JSONLineFields
    /// The bytes after the line.
    let payload: ArraySlice<UInt8>
  }

  /// The most bytes of a line, with its end: more than the arguments and variables of a command may have on Linux.
  static let lineLimit = 8 << 20
  /// The most bytes after a line.
  static let payloadLimit = 1 << 20
  /// A buffer above this size is freed once it is empty.
  private static let keptCapacity = 1 << 17

  /// The bytes from the first message that was not returned on, after some that were.
  private var bytes: [UInt8] = []
  private var start = 0
  /// Up to here, there is no end of the line that begins at `start`.
  private var searched = 0

  init() {}

  /// The bytes after the last message.
  var rest: [UInt8] { Array(bytes[start...]) }

  /// Appends what has arrived.
  ///
  /// Take all messages with ``next()`` before appending again, or the buffer grows.
  ///
  /// - Parameter arrived: The bytes.
  /// - Complexity: O(arrived bytes + bytes of the unfinished message).
  mutating func append(_ arrived: some Collection<UInt8>) {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
    } else if start > 0 {
      bytes.removeFirst(start)
    }
    searched -= start
    start = 0
    bytes += arrived
  }

  /// Takes the next message.
  ///
  /// - Returns: The message, nil if no whole one is there.
  /// - Throws: `WorkerMessageError`; afterwards the stream is of no use.
  /// - Complexity: O(bytes that were not searched before).
  mutating func next() throws(WorkerMessageError) -> Message? {
    let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n"))
    searched = end ?? bytes.count
    guard searched - start < Self.lineLimit else {
      throw WorkerMessageError(description: "a line is too long")
    }
    guard let end else { return nil }
    guard let fields = JSONLineFields(bytes, in: start..<end) else {
      throw WorkerMessageError(description: "a line is not a message")
    }
    let size = try Message.payloadSize(fields)
    let rest = end + 1
    guard bytes.count - rest >= size else { return nil }
    start = rest + size
    searched = start
    return Message(fields: fields, payload: bytes[rest..<start])
  }
}
