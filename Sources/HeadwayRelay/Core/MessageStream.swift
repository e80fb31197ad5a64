package import HeadwayRun

/// The bytes of a connection between two processes of a run, as messages: a line of JSON, and the bytes that it announces, with the
/// end of a line after them.
///
/// A runner and its workers, and a runner and the view that has started it, talk in such messages. What comes after the last whole
/// message is kept until the rest arrives. A pure value.
package struct MessageStream: Sendable {
  /// A message.
  package struct Message: Sendable {
    package let fields: JSONObject
    /// The bytes after the line.
    package let payload: ArraySlice<UInt8>
  }

  /// The most bytes of a line, with its end: more than the arguments and variables of a command may have on Linux.
  package static let lineLimit = 8 << 20
  /// The most bytes after a line.
  package static let payloadLimit = 1 << 20
  /// The field with the number of bytes after the line.
  package static let bytesField = "bytes"

  private var buffer = LineBuffer(limit: Self.lineLimit)
  /// A line whose bytes have not arrived, with their number.
  private var begun: (fields: JSONObject, size: Int)?
  private let payloadLimit: Int

  /// Creates a stream from which nothing has arrived.
  ///
  /// - Parameter payloadLimit: The most bytes after a line.
  package init(payloadLimit: Int = Self.payloadLimit) { self.payloadLimit = payloadLimit }

  /// Appends what has arrived.
  ///
  /// Take all messages with ``next()`` before appending again, or the buffer grows.
  ///
  /// - Parameter arrived: The bytes.
  /// - Complexity: O(arrived bytes + bytes of the unfinished message).
  package mutating func append(_ arrived: ArraySlice<UInt8>) { buffer.append(arrived) }

  /// Takes the next message.
  ///
  /// - Returns: The message, nil if no whole one is there.
  /// - Throws: `MessageError`; afterwards the stream is of no use.
  /// - Complexity: O(bytes that were not searched before).
  package mutating func next() throws(MessageError) -> Message? {
    if begun == nil {
      guard let line = try nextLine() else { return nil }
      let fields: JSONObject
      do throws(DecodingError) {
        fields = try JSONObject(line[...])
      } catch {
        throw MessageError(description: "a line is not a message: \(error.words)")
      }
      begun = (fields, try payloadSize(fields))
    }
    guard let (fields, size) = begun else { return nil }
    // With the end of a line, if there are any.
    guard let payload = buffer.next(size > 0 ? size + 1 : 0) else { return nil }
    begun = nil
    guard size == 0 || payload.last == UInt8(ascii: "\n") else {
      throw MessageError(description: "output is longer than it says")
    }
    return Message(fields: fields, payload: payload.prefix(size))
  }

  private mutating func nextLine() throws(MessageError) -> [UInt8]? {
    do {
      return try buffer.next().map { Array($0) }
    } catch {
      throw MessageError(description: "a line is too long")
    }
  }

  /// The number of bytes that follow a line.
  private func payloadSize(_ fields: JSONObject) throws(MessageError) -> Int {
    guard fields.contains(Self.bytesField) else { return 0 }
    guard let count = try? fields.number(Self.bytesField), (0...payloadLimit) ~= count else {
      throw MessageError(description: "a message has an impossible size")
    }
    return count
  }
}

/// A message that no program of this version sends.
package struct MessageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with it, for people.
  package let description: String

  /// Creates an error.
  ///
  /// - Parameter description: What is wrong with the message, for people.
  package init(description: String) { self.description = description }
}

extension MessageStream.Message {
  /// Reads the fields of the message.
  package func read<Value>(
    _ body: (JSONObject) throws -> Value
  ) throws(MessageError) -> Value {
    do {
      return try body(fields)
    } catch let error as MessageError {
      throw error
    } catch {
      let reason = (error as? DecodingError)?.words ?? "\(error)"
      throw MessageError(description: "a message cannot be read: \(reason)")
    }
  }
}

extension JSONLine {
  /// Ends a message.
  ///
  /// - Parameter payload: The bytes that it has announced.
  package mutating func endMessage(with payload: [UInt8] = []) {
    end()
    bytes.append(UInt8(ascii: "\n"))
    if payload.isEmpty { return }
    bytes += payload
    // `srun` keeps what it carries back until the line is whole.
    bytes.append(UInt8(ascii: "\n"))
  }
}
