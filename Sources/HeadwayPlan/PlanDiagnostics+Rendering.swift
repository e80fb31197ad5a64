extension PlanDiagnostics: CustomStringConvertible {
  /// The same as `rendered()`.
  package var description: String { rendered() }

  /// Returns each diagnostic as `file:line:column: message`, with its source line and a caret under the column.
  ///
  /// The text contains no control characters, so that a file cannot change the terminal.
  package func rendered() -> String {
    var lines: [String] = []
    let file = visible(file)
    for diagnostic in diagnostics {
      guard diagnostic.line > 0 else {
        lines.append("\(file): \(diagnostic.message)")
        continue
      }
      lines.append("\(file):\(diagnostic.line):\(diagnostic.column): \(diagnostic.message)")
      let window = SourceWindow(diagnostic.source, around: diagnostic.column)
      if !window.text.isEmpty { lines += [window.text, window.caret] }
    }
    if omitted > 0 { lines.append("and \(counted(omitted, "more error"))") }
    return lines.joined(separator: "\n")
  }
}

/// The part of a source line that is shown above the caret.
struct SourceWindow {
  /// The maximum number of characters; a longer line is cut on both sides.
  private static let width = 100
  let text: String
  /// Spaces and tabs, and the caret under the column.
  let caret: String

  /// Cuts a line around a column, counted from 1.
  init(_ source: String, around column: Int) {
    let scalars = source.unicodeScalars
    let target = max(column - 1, 0)
    let first = target < Self.width * 3 / 4 ? 0 : target - Self.width / 2
    guard first == 0 || scalars.count > first else {
      // The column is beyond the part of the line that was kept.
      text = ""
      caret = ""
      return
    }
    let shown = scalars.dropFirst(first).prefix(Self.width)
    var text = first > 0 ? "…" : ""
    var caret = first > 0 ? " " : ""
    for (offset, scalar) in shown.enumerated() {
      let isTab = scalar == "\t"
      text += isTab || !isControl(scalar) ? String(scalar) : "\u{FFFD}"
      guard first + offset < target else { continue }
      // A tab under a tab aligns the caret whatever the width of a tab is.
      caret += isTab ? "\t" : String(repeating: " ", count: Self.columns(of: scalar))
    }
    if shown.endIndex < scalars.endIndex { text += "…" }
    self.text = text
    self.caret = caret + "^"
  }

  /// Returns the number of terminal columns of a character.
  private static func columns(of scalar: Unicode.Scalar) -> Int {
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch scalar.value {
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
