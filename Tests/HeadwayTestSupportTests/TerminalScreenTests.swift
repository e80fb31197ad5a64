import HeadwayTestSupport
import Testing

/// The terminal in memory.
struct TerminalScreenTests {
  /// A screen after some text was written.
  private func screen(_ columns: Int, _ rows: Int, _ text: String) -> TerminalScreen {
    var screen = TerminalScreen(columns: columns, rows: rows)
    screen.write(text)
    return screen
  }

  @Test func `Text wraps and scrolls away`() {
    let screen = screen(4, 2, "abcdef\r\ngh\r\nij")
    #expect(screen.text == "gh\nij")
    #expect(screen.scrollback == ["abcd", "ef"])
  }

  @Test func `Text that may not wrap is cut`() {
    #expect(screen(4, 2, "\u{1B}[?7labcdef").text == "abcf")
  }

  @Test func `The cursor moves and rows are cleared`() {
    #expect(screen(6, 3, "one\r\ntwo\r\n\u{1B}[2A\rO\u{1B}[1B\u{1B}[2GW\u{1B}[K").text == "One\ntW")
    #expect(screen(6, 3, "one\r\ntwo\u{1B}[1A\r\u{1B}[J").text == "")
  }

  @Test(arguments: ["A", "B", "C", "D", "G", "H", "K"])
  func `No parameter moves the cursor out of the screen`(final: String) {
    for number in ["\(Int.max)", "99999999999999999999", "-1", "\(Int.min)", ""] {
      let cursor = screen(6, 3, "one\r\ntwo\u{1B}[\(number)\(final)").cursor
      #expect((0..<3).contains(cursor.row) && (0..<6).contains(cursor.column))
    }
  }

  @Test func `The cursor goes back to the place that was noted`() {
    #expect(screen(6, 3, "one\r\ntwo\u{1B}7\u{1B}[1A\rO\u{1B}8!").text == "One\ntwo!")
  }

  @Test func `A wide character that has no room goes to the next row`() {
    #expect(screen(3, 2, "a文档").text == "a文\n档")
  }

  @Test func `Half a wide character is never left`() {
    #expect(screen(4, 1, "文档\r\u{1B}[2Gx").text == " x档")
  }

  @Test func `Marks join the character before them`() {
    let screen = screen(4, 1, "e\u{301}👨‍👩‍👧x")
    #expect(screen.text == "e\u{301}👨‍👩‍👧x")
    #expect(screen.cursor.column == 4)
  }

  @Test func `A narrower screen wraps lines again and a wider one joins them`() {
    var screen = screen(6, 4, "abcdef\r\nxy\r\n")
    screen.resize(columns: 4, rows: 4)
    #expect(screen.text == "abcd\nef\nxy")
    #expect(screen.cursor == TerminalScreen.Place(row: 3, column: 0))
    screen.resize(columns: 10, rows: 4)
    #expect(screen.text == "abcdef\nxy")
    #expect(screen.cursor == TerminalScreen.Place(row: 2, column: 0))
  }

  @Test func `Modes are known`() {
    let screen = screen(4, 1, "\u{1B}[?25l\u{1B}[?2026h")
    #expect(!screen.isCursorVisible && screen.isUpdating)
  }
}
