import FuzzSupport
import HeadwayTerminal
import HeadwayText

/// Measures, truncates and repairs arbitrary text: the result must fit and must be safe to show.
@main
enum TextFuzzer {
  static func main() { fuzz(check) }

  /// Checks one input: the width, and a text.
  private static func check(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let columns = input.number(below: 64)
    let text = input.lastText()
    checkWidths(text, columns: columns)
    checkRow(text, columns: columns)
    checkRepair(text)
    checkSuggestion(text)
  }

  /// Checks that widths add up, and that a truncated text fits.
  private static func checkWidths(_ text: String, columns: Int) {
    let width = TextWidth.columns(of: text)
    expect(
      width == text.reduce(0) { $0 + TextWidth.columns(of: $1) }, "widths that do not add up")
    expect(text.allSatisfy { (0...2).contains(TextWidth.columns(of: $0)) }, "a wrong width")
    let short = TextWidth.truncated(text, to: columns)
    expect(TextWidth.columns(of: short) <= columns, "a truncated text that does not fit")
    expect(width > columns || short == text, "a text that fits was truncated")
    expect(TextWidth.truncated(text, to: -1).isEmpty || width < 0, "text in no room")
  }

  /// Checks that a row has the width of its text, and fits after it was cut.
  private static func checkRow(_ text: String, columns: Int) {
    var row = Row(text)
    expect(row.columns == TextWidth.columns(of: text), "a row with a wrong width")
    expect(row.height(at: max(columns, 1)) >= 1, "a row without height")
    row.append(row)
    expect(row.columns == row.cells.reduce(0) { $0 + Int($1.columns) }, "a wrong sum")
    row.cut(to: columns, ellipsis: "…")
    expect(row.columns <= columns, "a cut row that does not fit")
    var output: [UInt8] = []
    Row.print([row], color: false, into: &output)
    expect(output.popLast() == UInt8(ascii: "\n"), "a line without an end")
    let shown = String(decoding: output, as: UTF8.self)
    expect(shown.isOnlyShown, "a control character in a row")
  }

  /// Checks that a repaired text is safe, and that repairing changes nothing else.
  private static func checkRepair(_ text: String) {
    let safe = text.sanitized
    expect(!safe.hasUnsafeCharacters && safe.isOnlyShown, "an unsafe character")
    expect(safe.unicodeScalars.count == text.unicodeScalars.count, "a lost character")
    expect(
      zip(text.unicodeScalars, safe.unicodeScalars).allSatisfy { $0 == $1 || $1 == "\u{FFFD}" },
      "a safe character was replaced")
  }

  /// Checks that a suggestion is one of the known names.
  private static func checkSuggestion(_ text: String) {
    let names = text.split(separator: "\n").map(String.init)
    var spelling = SpellingSuggestion(budget: 20)
    guard let wrong = names.first, let found = spelling.name(for: wrong, in: names.dropFirst())
    else { return }
    expect(names.dropFirst().contains(found), "a suggestion that does not exist")
  }
}
