/// Cuts the output of a task into pieces for events: whole lines, and parts of lines that are too long.
///
/// A pure value: it decides how much of the bytes that can be read now is taken.
struct OutputPieces {
  /// The maximum number of bytes of a piece.
  static let maxBytes = 16_384

  /// Takes pieces from the beginning of the unread output.
  ///
  /// - Parameters:
  ///   - bytes: The output that was not taken yet.
  ///   - isWhole: Whether there is no more of this attempt, so that a last line without an end is taken as well.
  /// - Returns: The ranges of the pieces, one after the other from 0.
  static func pieces(of bytes: [UInt8], isWhole: Bool) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = min(start + maxBytes, bytes.count)
      if let newline = bytes[start..<end].lastIndex(of: UInt8(ascii: "\n")) {
        pieces.append(start..<newline + 1)
      } else if end - start == maxBytes {
        pieces.append(start..<characterEnd(in: bytes, start, end))
      } else {
        if isWhole { pieces.append(start..<end) }
        break
      }
      start = pieces[pieces.count - 1].upperBound
    }
    return pieces
  }

  /// The end of the last whole character before a position; the position itself if that is not UTF-8.
  private static func characterEnd(in bytes: [UInt8], _ start: Int, _ end: Int) -> Int {
    var first = end - 1
    while first > max(start, end - 4), bytes[first] & 0xC0 == 0x80 { first -= 1 }
    let length =
      switch bytes[first] {
      case 0xC2..<0xE0: 2
      case 0xE0..<0xF0: 3
      case 0xF0..<0xF5: 4
      default: 1
      }
    return first + length > end && first > start ? first : end
  }
}
