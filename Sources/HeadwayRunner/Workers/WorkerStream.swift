internal import HeadwayRelay
internal import HeadwayRun

/// The bytes of a connection between a runner and a worker, as messages: a line of JSON, and the bytes that it announces, with the
/// end of a line after them.
///
/// What comes after the last whole message is kept until the rest arrives. A pure value.
struct WorkerStream: Sendable {
  /// A message.
  struct Message: Sendable {
    let fields: JSONObject
    /// The bytes after the line.
    let payload: ArraySlice<UInt8>
  }

  /// The most bytes of a line, with its end: more than the arguments and variables of a command may have on Linux.
  static let lineLimit = 8 << 20
  /// The most bytes after a line.
  static let payloadLimit = 1 << 20

  private var buffer = LineBuffer(limit: Self.lineLimit)
  /// A line whose bytes have not arrived, with their number.
  private var begun: (fields: JSONObject, size: Int)?

  init() {}

  /// Appends what has arrived.
  ///
  /// Take all messages with ``next()`` before appending again, or the buffer grows.
  ///
  /// - Parameter arrived: The bytes.
  /// - Complexity: O(arrived bytes + bytes of the unfinished message).
  mutating func append(_ arrived: ArraySlice<UInt8>) { buffer.append(arrived) }

  /// Takes the next message.
  ///
  /// - Returns: The message, nil if no whole one is there.
  /// - Throws: `WorkerMessageError`; afterwards the stream is of no use.
  /// - Complexity: O(bytes that were not searched before).
  mutating func next() throws(WorkerMessageError) -> Message? {
    if begun == nil {
      guard let line = try nextLine() else { return nil }
      let fields: JSONObject
      do throws(DecodingError) {
        fields = try JSONObject(line[...])
      } catch {
        throw WorkerMessageError(description: "a line is not a message: \(error.words)")
      }
      begun = (fields, try Message.payloadSize(fields))
    }
    guard let (fields, size) = begun else { return nil }
    // With the end of a line, if there are any.
    guard let payload = buffer.next(size > 0 ? size + 1 : 0) else { return nil }
    begun = nil
    guard size == 0 || payload.last == UInt8(ascii: "\n") else {
      throw WorkerMessageError(description: "output is longer than it says")
    }
    return Message(fields: fields, payload: payload.prefix(size))
  }

  private mutating func nextLine() throws(WorkerMessageError) -> [UInt8]? {
    do {
      return try buffer.next().map { Array($0) }
    } catch {
      throw WorkerMessageError(description: "a line is too long")
    }
  }
}
