internal import HeadwayText

extension PlanDiagnostics: CustomStringConvertible {
  /// The same as `rendered()`.
  package var description: String { rendered() }

  /// Returns each diagnostic as `file:line:column: message`, with its source line and a caret under the column.
  ///
  /// The text contains no control characters, so that a file cannot change the terminal.
  package func rendered() -> String {
    var lines: [String] = []
    for diagnostic in diagnostics {
      let file = (diagnostic.file ?? file).sanitized
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
    let end = first + Self.width
    text =
      (first > 0 ? "…" : "") + Self.safe(source, first..<end) + (scalars.count > end ? "…" : "")
    var caret = first > 0 ? " " : ""
    for character in Self.safe(source, first..<target) {
      // A tab under a tab aligns the caret whatever the width of a tab is.
      let columns = TextWidth.columns(of: character)
      caret += character == "\t" ? "\t" : String(repeating: " ", count: columns)
    }
    self.caret = caret + "^"
  }

  /// Returns a part of a line without unsafe characters other than tabs.
  private static func safe(_ source: String, _ part: Range<Int>) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in source.unicodeScalars.dropFirst(part.lowerBound).prefix(part.count) {
      safe.append(scalar == "\t" || !scalar.isUnsafeInText ? scalar : "\u{FFFD}")
    }
    return String(safe)
  }
}
