/// Decodes the keys of `headway watch` from the bytes of a terminal.
///
/// The Esc key sends the byte that also begins the sequence of an arrow key; it counts as the key if nothing follows for
/// a moment. A pure value with the time as an argument.
struct WatchKeys: Sendable {
  /// A pressed key.
  enum Key: Hashable, Sendable {
    case up
    case down
    case escape
    /// A character.
    case character(UInt8)
    /// A key that means nothing here.
    case other
  }

  /// How long to wait for the rest of a sequence, which a slow connection delivers in parts.
  static let patience = Duration.milliseconds(50)
  /// The longest sequence that is read.
  private static let longestSequence = 16
  private static let escapeByte: UInt8 = 0x1B

  /// The keys since the last call of `pressed(at:)`.
  private var waiting: [Key] = []
  /// The bytes of an unfinished sequence.
  private var sequence: [UInt8] = []
  /// When the unfinished sequence was first seen, nil if it was not.
  private var since: Duration?

  /// Decodes the next byte.
  mutating func take(_ byte: UInt8) {
    if byte == Self.escapeByte {
      if sequence == [byte] { waiting.append(.escape) }
      (sequence, since) = ([byte], nil)
      return
    }
    guard !sequence.isEmpty else {
      waiting.append(.character(byte))
      return
    }
    sequence.append(byte)
    let isBegun = sequence.count == 2 && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O"))
    // Parameters, up to the letter at the end.
    let isInside = sequence.count > 2 && (0x20..<0x40).contains(byte)
    if (isBegun || isInside) && sequence.count < Self.longestSequence { return }
    let isArrow = sequence.count == 3
    switch byte {
    case UInt8(ascii: "A") where isArrow: waiting.append(.up)
    case UInt8(ascii: "B") where isArrow: waiting.append(.down)
    default: waiting.append(.other)
    }
    (sequence, since) = ([], nil)
  }

  /// Removes and returns the pressed keys.
  ///
  /// - Parameter now: The time.
  /// - Returns: The keys in their order.
  mutating func pressed(at now: Duration) -> [Key] {
    defer { waiting = [] }
    guard !sequence.isEmpty else { return waiting }
    let begin = since ?? now
    since = begin
    guard now >= begin + Self.patience else { return waiting }
    let isKey = sequence.count == 1
    (sequence, since) = ([], nil)
    return waiting + [isKey ? .escape : .other]
  }

  /// Whether there is something to read now or later.
  var isEmpty: Bool { waiting.isEmpty && sequence.isEmpty }

  /// When the unfinished sequence becomes a key, nil if there is none.
  var due: Duration? { sequence.isEmpty ? nil : since.map { $0 + Self.patience } ?? .zero }
}
