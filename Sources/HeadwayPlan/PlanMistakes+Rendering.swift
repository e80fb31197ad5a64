extension PlanMistakes: CustomStringConvertible {
  /// The mistakes as a person reads them, like `rendered()`.
  package var description: String { rendered() }

  /// Gives each mistake as `file:line:column: message`, the line it stands in and a caret under the column.
  ///
  /// The text has no control characters, so a file cannot change the terminal, and ends without a line break.
  package func rendered() -> String {
    var lines: [String] = []
    let file = visible(file)
    for mistake in mistakes {
      guard mistake.line > 0 else {
        lines.append("\(file): \(mistake.message)")
        continue
      }
      lines.append("\(file):\(mistake.line):\(mistake.column): \(mistake.message)")
      let window = SourceWindow(mistake.source, around: mistake.column)
      if !window.text.isEmpty { lines += [window.text, window.caret] }
    }
    if omitted > 0 { lines.append("and \(counted(omitted, "more mistake"))") }
    return lines.joined(separator: "\n")
  }
}

/// The part of a source line that is shown above a caret.
struct SourceWindow {
  /// The characters shown at most; a longer line is cut on both sides.
  private static let width = 100
  /// The part of the line.
  let text: String
  /// Spaces and tabs that end with a caret under the column.
  let caret: String

  /// Cuts a line around a column, counted from 1.
  init(_ source: String, around column: Int) {
    let letters = source.unicodeScalars
    let place = max(column - 1, 0)
    let first = place < Self.width * 3 / 4 ? 0 : place - Self.width / 2
    guard first == 0 || letters.count > first else {
      // The line is longer than what is quoted of it.
      text = ""
      caret = ""
      return
    }
    let shown = letters.dropFirst(first).prefix(Self.width)
    var text = first > 0 ? "…" : ""
    var caret = first > 0 ? " " : ""
    for (offset, letter) in shown.enumerated() {
      let isTab = letter == "\t"
      text += isTab || !isControl(letter) ? String(letter) : "\u{FFFD}"
      guard first + offset < place else { continue }
      // A tab under a tab keeps the caret in its column whatever the width of a tab is.
      caret += isTab ? "\t" : String(repeating: " ", count: Self.columns(of: letter))
    }
    if shown.endIndex < letters.endIndex { text += "…" }
    self.text = text
    self.caret = caret + "^"
  }

  /// Gives the columns that a character takes in a terminal.
  private static func columns(of letter: Unicode.Scalar) -> Int {
    let properties = letter.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch letter.value {
    case 0x200B...0x200D, 0xFE00...0xFE0F: return 0
    // The wide blocks of East Asian Width: Hangul, CJK, full forms, and the planes of ideographs.
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return properties.isEmojiPresentation ? 2 : 1
    }
  }
}
