internal import HeadwayText

/// Turns the output of a task into lines that are safe to print.
///
/// Nothing in the result can move a cursor, change a color or reorder other text: escape sequences are removed, control
/// characters and invalid UTF-8 are replaced, tabs are expanded. A carriage return starts the line over, so a child's own
/// progress bar is one line with its latest state.
package enum TaskOutputText {
  /// The columns from one tab stop to the next.
  private static let tabStop = 8
  /// The maximum number of characters of a line: a minified file must not flood the screen.
  private static let longestLine = 2000

  /// Reads the last lines of a task's output.
  ///
  /// - Parameters:
  ///   - bytes: The end of the output.
  ///   - count: The maximum number of lines.
  ///   - isCut: Whether the bytes begin in the middle of the output, so that the first line may be incomplete.
  /// - Returns: The last lines that are not blank.
  /// - Complexity: O(bytes).
  package static func lines(_ bytes: [UInt8], last count: Int, isCut: Bool = false) -> [String] {
    var parser = Parser()
    let whole = bytes.drop { isCut && $0 & 0xC0 == 0x80 }
    for scalar in String(decoding: whole, as: UTF8.self).unicodeScalars { parser.take(scalar) }
    parser.endLine()
    var lines = parser.lines[...]
    if isCut, lines.count > count { lines = lines.dropFirst() }
    return lines.filter { !$0.isEmpty }.suffix(max(count, 0))
  }

  /// Makes a name or a message safe to print inside a line.
  ///
  /// - Parameter text: Any text.
  /// - Returns: The text without control characters and escape sequences; line ends become spaces.
  package static func line(_ text: String) -> String {
    if text.utf8.allSatisfy({ (32..<127).contains($0) }) { return text }
    return lines(Array(text.utf8), last: .max).joined(separator: " ")
  }

  /// The part of the output that the next code point belongs to.
  private enum State {
    /// Text.
    case text
    /// The character after an escape.
    case escape
    /// A control sequence, up to its final letter.
    case control
    /// One more character of a short sequence.
    case single
    /// A string for the terminal, such as a title, up to its terminator.
    case string
    /// An escape inside such a string, which ends it.
    case stringEscape
  }

  /// Reads code points one after the other and gathers lines.
  private struct Parser {
    /// The finished lines.
    var lines: [String] = []
    private var state = State.text
    /// The line so far.
    private var line: [Unicode.Scalar] = []
    /// Whether the next character starts the line over.
    private var returned = false
    /// How many characters the next one overwrites.
    private var backed = 0

    /// Parses the next code point.
    mutating func take(_ scalar: Unicode.Scalar) {
      // A line end ends everything, so that an unfinished sequence cannot hide what follows.
      if scalar == "\n" { return endLine() }
      switch state {
      case .text: takeText(scalar)
      case .escape: state = Self.state(afterEscape: scalar)
      case .control:
        if (0x40...0x7E).contains(scalar.value) { state = .text }
        if scalar == "\u{1B}" { state = .escape }
      case .single: state = .text
      case .string:
        if scalar == "\u{7}" || scalar == "\u{9C}" { state = .text }
        if scalar == "\u{1B}" { state = .stringEscape }
      case .stringEscape: state = .text
      }
    }

    /// The state after an escape and a character.
    private static func state(afterEscape scalar: Unicode.Scalar) -> State {
      switch scalar {
      case "[": .control
      case "]", "P", "X", "^", "_": .string
      case " ", "#", "%", "(", ")", "*", "+", "-", ".", "/": .single
      case "\u{1B}": .escape
      default: .text
      }
    }

    /// Parses a code point of plain text.
    private mutating func takeText(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      case 0x1B: state = .escape
      case 0x9B: state = .control
      case 0x90, 0x98, 0x9D...0x9F: state = .string
      case 0x0D: (returned, backed) = (true, 0)
      case 0x08: backed = min(backed + 1, line.count)
      case 0x07, 0x00: break
      case 0x09: append(scalar)
      case 0x00..<0x20, 0x7F..<0xA0: append("\u{FFFD}")
      // What reorders or hides text.
      case _ where scalar.isUnsafeInText: break
      default: append(scalar)
      }
    }

    /// Appends a character where the cursor of the task would be.
    private mutating func append(_ scalar: Unicode.Scalar) {
      if returned { line.removeAll(keepingCapacity: true) }
      line.removeLast(min(backed, line.count))
      (returned, backed) = (false, 0)
      if line.count < TaskOutputText.longestLine { line.append(scalar) }
    }

    /// Ends the line and starts the next one.
    mutating func endLine() {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: line)
      lines.append(Self.expand(String(text)))
      line.removeAll(keepingCapacity: true)
      (state, returned, backed) = (.text, false, 0)
    }

    /// Expands tabs and drops the blanks at the end.
    private static func expand(_ text: String) -> String {
      var expanded = ""
      var column = 0
      for character in text {
        if character == "\t" {
          let width = tabStop - column % tabStop
          expanded += String(repeating: " ", count: width)
          column += width
        } else {
          expanded.append(character)
          column += TextWidth.columns(of: character)
        }
      }
      while expanded.last == " " { expanded.removeLast() }
      return expanded
    }
  }
}
