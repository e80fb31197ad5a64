import HeadwayBar
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Cases of indicatif (`tests/render.rs`, and the tests in `src/multi.rs`, `src/progress_bar.rs`, `src/draw_target.rs`,
/// `src/style.rs`); a comment names each case.
struct IndicatifCaseTests {
  // MARK: One bar

  // basic_progress_bar, multi_progress_single_bar_and_leave.
  @Test func `A bar is drawn when time has passed, moves, and leaves a line when it ends`() {
    var scene = BoardScene()
    #expect(scene.screen.text == "")
    let bar = scene.add("load")
    scene.draw()
    #expect(scene.rows == ["load 0%"])
    scene.set(bar, 0.1)
    scene.draw()
    #expect(scene.rows == ["load 10%"])
    scene.end(bar, .succeeded, note: "10 of 10")
    scene.draw()
    #expect(scene.screen.text == "✓ load  0.2s  10 of 10")
  }

  // multi_progress_single_bar_and_clear.
  @Test func `A bar that is removed leaves nothing`() {
    var scene = BoardScene()
    let bar = scene.add("load")
    scene.draw()
    #expect(scene.rows == ["load 0%"])
    scene.end(bar, .removed)
    scene.draw()
    #expect(scene.screen.text == "")
  }

  // progress_bar_builder_method_order.
  @Test(arguments: [false, true])
  func `A label and facts can be set in any order`(isLabelFirst: Bool) {
    var scene = BoardScene()
    let bar = scene.add("load")
    scene.draw()
    if isLabelFirst { scene.board.setLabel("Downloading", of: bar) }
    scene.board.setFacts(["crate"], of: bar)
    if !isLabelFirst { scene.board.setLabel("Downloading", of: bar) }
    scene.draw()
    #expect(scene.rows == ["Downloading 0%"] && scene.screen.text.contains("  crate"))
  }

  // progress_bar_percent_with_no_length: there, it is 0 % as long as the length is unknown.
  @Test func `A bar of unknown length has the time, and a percentage once the length is known`() {
    var scene = BoardScene()
    let bar = scene.add("load", nil)
    scene.draw(after: .seconds(3))
    #expect(scene.rows == ["load 3s"])
    scene.set(bar, 0.1)
    scene.draw()
    #expect(scene.rows == ["load 10%"])
    scene.set(bar, 1)
    scene.draw()
    #expect(scene.rows == ["load 100%"])
  }

  // test_pbar_maxu64, test_pbar_overflow, test_get_position.
  @Test(arguments: [(0, 0x1p64, "0%"), (2, 1, "100%"), (-1, 1, "0%")])
  func `Counts beyond a total, and a total beyond all counts, are drawn`(
    count: Double, total: Double, percent: String
  ) {
    var scene = BoardScene()
    var model = ProgressBar(range: 0...total)
    model.setValue(count, at: .zero)
    _ = scene.board.add("load", model, at: .zero)
    scene.draw()
    #expect(scene.rows == ["load \(percent)"])
  }

  // test_pbar_zero.
  @Test func `A bar of zero units is complete`() {
    var scene = BoardScene()
    _ = scene.board.add("load", total: 0, at: .zero)
    scene.draw()
    #expect(scene.rows == ["load 100%"])
  }

  // test_duration_after_finish_and_leave, test_duration_after_finish_and_clear.
  @Test func `The line of a bar has the time that its work took, however late it is drawn`() {
    var scene = BoardScene()
    let bar = scene.add("load")
    scene.draw(after: .seconds(42))
    scene.end(bar, .succeeded)
    scene.draw(after: .seconds(3_600))
    #expect(scene.screen.text == "✓ load  42.0s")
  }

  // test_atomic_position_large_time_difference.
  @Test func `A frame after the longest time is drawn, and so is the next one`() {
    var scene = BoardScene()
    _ = scene.add("load", nil)
    scene.draw()
    scene.draw(after: .seconds(Int64.max / 4))
    #expect(scene.rows.count == 1)
    scene.draw()
    #expect(scene.rows.count == 1 && scene.screen.text.hasPrefix("load  "))
  }

  // MARK: Several bars

  // multi_progress_two_bars, multi_progress.
  @Test func `Of three bars one leaves its line and the others go, each in its turn`() {
    var scene = BoardScene()
    let bars = ["one", "two", "three"].map { scene.add($0) }
    scene.draw()
    #expect(scene.rows == ["one 0%", "two 0%", "three 0%"])
    scene.end(bars[0], .succeeded)
    scene.draw()
    #expect(scene.screen.text.hasPrefix("✓ one  "))
    #expect(scene.rows.dropFirst() == ["two 0%", "three 0%"])
    scene.end(bars[1], .removed)
    scene.draw()
    #expect(scene.rows.dropFirst() == ["three 0%"])
    scene.end(bars[2], .removed)
    scene.draw()
    #expect(scene.screen.text.split(separator: "\n").count == 1)
  }

  // multi_progress_modifications, multi_progress_multiple_remove.
  @Test func `Bars that end twice do so once, and new ones take their place at the end`() {
    var scene = BoardScene()
    let bars = ["a", "b", "c", "d"].map { scene.add($0) }
    scene.draw()
    for _ in 0..<3 {
      scene.end(bars[2], .removed)
      scene.end(bars[1], .removed)
    }
    let new = scene.add("e")
    scene.set(bars[1], 0.5)
    scene.draw()
    #expect(scene.rows == ["a 0%", "d 0%", "e 0%"])
    scene.end(new, .removed)
    scene.end(new, .succeeded)
    scene.draw()
    #expect(scene.rows == ["a 0%", "d 0%"])
  }

  // ticker_drop.
  @Test func `Spinners that replace each other leave a line each`() {
    var scene = BoardScene()
    var last: BarBoard.ID?
    for number in 0..<5 {
      let bar = scene.add("doing \(number)", nil)
      if let last { scene.end(last, .succeeded) }
      last = bar
      scene.draw()
    }
    if let last { scene.end(last, .succeeded) }
    scene.draw()
    #expect(
      scene.screen.text.split(separator: "\n").map { $0.prefix(9) }
        == (0..<5).map { "✓ doing \($0)" })
  }

  // manually_inc_ticker: there, each call moves the spinner on.
  @Test func `Unknown progress moves with time and not with the calls`() {
    var scene = BoardScene()
    let bar = scene.add("wait", nil)
    scene.draw()
    let (first, now) = (scene.screen.text, scene.now)
    for _ in 0..<10 { scene.board.update(bar) { $0.setValue(0.5, at: now) } }
    scene.board.setLabel("wait", of: bar)
    scene.draw(after: .zero)
    #expect(scene.screen.text == first)
    scene.draw(after: .milliseconds(500))
    #expect(scene.screen.text != first)
  }

  // multi_progress_many_bars, multi_progress_many_spinners: there, bars without a row are hidden.
  @Test func `Bars without a row are counted, and appear when others end`() {
    var scene = BoardScene(rows: 4)
    let bars = (0..<8).map { scene.add("\($0)") }
    scene.draw()
    #expect(scene.rows == ["0 0%", "1 0%", "  … and 6 more"])
    scene.end(bars[5], .removed)
    scene.end(bars[7], .removed)
    scene.draw()
    #expect(scene.rows == ["0 0%", "1 0%", "  … and 4 more"])
    for place in 0..<4 { scene.end(bars[place], .removed) }
    scene.draw()
    #expect(scene.rows == ["4 0%", "6 0%"])
  }

  // MARK: Long rows

  // progress_bar_terminal_wrap: there, the bar wraps into several rows.
  @Test(arguments: [20, 10, 5])
  func `A bar in a narrow terminal is one row`(columns: Int) {
    var scene = BoardScene(columns: columns, rows: 10)
    let bar = scene.add("Downloading a large file", 0.5)
    scene.board.setFacts(["217.98 KiB of 217.98 KiB"], of: bar)
    scene.draw()
    let lines = scene.screen.allText.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].count < columns)
    scene.board.setLabel("Finished", of: bar)
    scene.draw()
    #expect(scene.screen.allText.split(separator: "\n").count == 1)
  }

  // align_truncation, color_align_truncation.
  @Test(arguments: [
    "abcdefghijklmnopqrstuvwxyz0123456789",
    "\u{1B}[1m\u{1B}[31mabcdef\u{1B}[0mghijklmno\u{1B}[32mpqrstuvwxyz0123456789",
  ])
  func `A label that is too long is cut, with and without its colors`(label: String) {
    var scene = BoardScene(columns: 60)
    _ = scene.add(label, 0.5)
    scene.draw()
    #expect(scene.screen.text.hasPrefix("abcdefghijklmnopqr…  ━━━━────   50%"))
  }

  // combining_diacritical_truncation.
  @Test func `A letter keeps its accent where a label is cut`() {
    var scene = BoardScene(columns: 60)
    _ = scene.add("abcdefghijklmnopqr\u{308}stuvwxyz", 0.5)
    scene.draw()
    #expect(scene.screen.text.hasPrefix("abcdefghijklmnopqr\u{308}…  ━━"))
  }

  // basic_tab_expansion, tab_expansion_in_template, progress_style_tab_width_unification: there, a tab is a number of
  // spaces that can be set.
  @Test func `A tab in a label goes on to the next stop`() {
    var scene = BoardScene()
    _ = scene.add("Test\t:)")
    scene.draw()
    #expect(scene.rows == ["Test    :) 0%"])
  }

  // multi_progress_multiline_msg, multiline_handling: there, a message can have several rows.
  @Test func `A label of several lines is one row`() {
    var scene = BoardScene()
    let bar = scene.add("test")
    _ = scene.add("other")
    scene.board.setLabel("test\nline 2\nline 3", of: bar)
    scene.draw()
    #expect(scene.rows == ["test line 2 line 3 0%", "other 0%"])
  }

  // wide_element_style, multicolor_without_current_style.
  @Test func `A half filled bar of eight columns has four cells of each kind`() {
    #expect(CellBar(.ascii).text(fraction: 0.5, columns: 8) == "####----")
    #expect(CellBar(.line).text(fraction: 0.5, columns: 8) == "━━━━────")
  }

  // real_line_count_test.
  @Test(arguments: [
    (["1234567890"], 10, 1), (["1234567890"], 5, 2), (["1234567890"], 4, 3),
    (["1234567890"], 3, 4), (["1234567890", "", "1234567890"], 10, 3),
    (["1234567890", "", "1234567890"], 5, 5), (["1234567890", "", "1234567890"], 4, 7),
    (["aaaaaaaaaaaaa", "", "bbbbbbbbbbbbbbbbb", "", "ccccccc"], 7, 8),
    (["", "", "", "", ""], 6, 5), (["\u{1B}[1m\u{1B}[1m", "\u{1B}[1m"], 5, 2),
    (["a\u{1B}[1m\u{1B}[1ma", "a\u{1B}[1ma"], 5, 2),
    (["aa\u{1B}[1mabcd", "aa\u{1B}[1mabcd"], 5, 4),
  ])
  func `Rows take as many rows of a narrower terminal as their characters need`(
    lines: [String], columns: Int, height: Int
  ) {
    let rows = lines.map { Row(TaskOutputText.line($0)) }
    #expect(rows.reduce(0) { $0 + $1.height(at: columns) } == height)
  }
}
