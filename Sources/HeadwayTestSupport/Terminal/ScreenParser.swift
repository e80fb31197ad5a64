/// Parses the bytes that a program writes to a terminal into characters and sequences.
struct ScreenParser: Sendable {
  /// A control sequence.
  struct Sequence: Hashable, Sendable {
    /// Whether it is a private sequence, with a question mark.
    var isPrivate = false
    /// The parameters.
    var parameters: [Int] = []
    /// The final letter.
    var final: UInt8 = 0
  }

  /// The result of a byte.
  enum Step {
    /// Nothing is complete yet.
    case nothing
    /// A character.
    case character(Unicode.Scalar)
    /// A control character.
    case control(UInt8)
    /// An escape with one character.
    case escape(UInt8)
    /// A control sequence.
    case sequence(Sequence)
  }

  /// The states of the parser.
  private enum State {
    /// Text.
    case text
    /// After an escape.
    case escape
    /// A control sequence.
    case sequence
    /// A string for the terminal, up to a bell or an escape.
    case string
  }

  /// The current state.
  private var state = State.text
  /// The bytes of the sequence so far.
  private var collected: [UInt8] = []
  /// The bytes of an unfinished character.
  private var character: [UInt8] = []

  /// Parses the next byte.
  mutating func take(_ byte: UInt8) -> Step {
    switch state {
    case .text: return takeText(byte)
    case .escape:
      collected = []
      switch byte {
      case UInt8(ascii: "["): state = .sequence
      case UInt8(ascii: "]"), UInt8(ascii: "P"): state = .string
      default:
        state = .text
        return .escape(byte)
      }
    case .sequence:
      guard (0x40...0x7E).contains(byte) else {
        collected.append(byte)
        return .nothing
      }
      state = .text
      return .sequence(Self.sequence(collected, final: byte))
    case .string:
      if byte == 0x07 { state = .text }
      if byte == 0x1B { state = .escape }
    }
    return .nothing
  }

  /// Parses a byte of text.
  private mutating func takeText(_ byte: UInt8) -> Step {
    if byte == 0x1B {
      state = .escape
      return .nothing
    }
    if byte < 0x20 || byte == 0x7F { return .control(byte) }
    if byte < 0x80 || byte >= 0xC0 { character = [] }
    character.append(byte)
    let length = character[0] < 0x80 ? 1 : character[0] < 0xE0 ? 2 : character[0] < 0xF0 ? 3 : 4
    guard character.count >= length else { return .nothing }
    defer { character = [] }
    let text = String(decoding: character, as: UTF8.self).unicodeScalars
    return text.first.map(Step.character) ?? .nothing
  }

  /// The largest parameter, far more than a screen has cells in a row; terminals have such a limit, too.
  private static let largestParameter = 65_535

  /// The parameters of a sequence.
  private static func sequence(_ bytes: [UInt8], final: UInt8) -> Sequence {
    let isPrivate = bytes.first == UInt8(ascii: "?")
    let fields = bytes.dropFirst(isPrivate ? 1 : 0).split(
      separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let numbers = fields.map {
      min(max(Int(String(decoding: $0, as: UTF8.self)) ?? 0, 0), largestParameter)
    }
    return Sequence(isPrivate: isPrivate, parameters: numbers, final: final)
  }
}
