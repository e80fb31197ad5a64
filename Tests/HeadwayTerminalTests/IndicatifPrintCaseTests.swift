import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures
import Testing

/// Cases of indicatif about what is printed beside bars, and about bars that are cleared (`tests/render.rs`); a comment
/// names each case.
struct IndicatifPrintCaseTests {
  /// Two sentences, longer than a row.
  private static let long =
    "The first sentence of this message is longer than a row of the terminal, as it has to be. The second one is not."

  // multi_progress_println.
  @Test func `Messages stand above the bars in their order, and stay when the bars go`() {
    var scene = BoardScene()
    let bars = ["one", "two", "three"].map { scene.add($0, 0.2) }
    scene.board.print("message printed")
    scene.draw()
    #expect(scene.rows == ["message printed", "one 20%", "two 20%", "three 20%"])
    scene.board.print("another one")
    scene.set(bars[1], 0.4)
    scene.board.print("and the last")
    scene.draw()
    #expect(
      scene.rows == [
        "message printed", "another one", "and the last", "one 20%", "two 40%", "three 20%",
      ])
    for bar in bars { scene.end(bar, .removed) }
    scene.draw()
    #expect(scene.rows == ["message printed", "another one", "and the last"])
  }

  // multi_progress_suspend.
  @Test func `What others write while the bars are away stays above them`() {
    var scene = BoardScene()
    let bar = scene.add("one", 0.2)
    scene.board.print("message printed")
    scene.draw()
    scene.withdraw()
    scene.screen.write("from outside\r\nmore of it\r\n\r\n")
    scene.draw()
    #expect(scene.rows == ["message printed", "from outside", "more of it", "", "one 20%"])
    _ = scene.add("two", 0.1)
    scene.board.print("another line")
    scene.draw()
    #expect(
      scene.rows == [
        "message printed", "from outside", "more of it", "", "another line", "one 20%", "two 10%",
      ])
    scene.end(bar, .removed)
    scene.withdraw()
    #expect(scene.rows == ["message printed", "from outside", "more of it", "", "another line"])
  }

  // multi_progress_clear_println.
  @Test func `Taking no bars away leaves what was printed`() {
    var scene = BoardScene()
    scene.board.print("a message")
    scene.draw()
    scene.withdraw()
    #expect(scene.screen.text == "a message")
  }

  // basic_progress_bar_newline.
  @Test func `Empty lines of a message are printed`() {
    var scene = BoardScene()
    let bar = scene.add("load")
    scene.board.print("\nhello")
    scene.draw()
    #expect(scene.rows == ["", "hello", "load 0%"])
    scene.set(bar, 0.1)
    scene.board.print("")
    scene.draw()
    #expect(scene.rows == ["", "hello", "", "load 10%"])
    scene.end(bar, .succeeded)
    scene.draw()
    #expect(scene.rows.prefix(3) == ["", "hello", ""] && scene.rows[3].hasPrefix("✓ load"))
  }

  // spinner_terminal_cleared_log_line_with_ansi_codes.
  @Test func `A message of escape sequences alone is an empty line`() {
    var scene = BoardScene(columns: 100, rows: 10)
    scene.board.print("\u{1B}[1m")
    scene.board.print("text\u{1B}[0m")
    scene.draw()
    #expect(scene.screen.text == "\ntext")
  }

  // multi_progress_println_terminal_wrap.
  @Test func `A message that is longer than a row is wrapped, and the bars stand below all of it`()
  {
    var scene = BoardScene(columns: 50, rows: 10)
    let bars = ["one", "two"].map { scene.add($0, 0.2) }
    scene.board.print("message that is longer than the terminal is wide, by a few words")
    scene.draw()
    scene.board.print("another message")
    scene.draw()
    let message = [
      "message that is longer than the terminal is wide, ", "by a few words", "another message",
    ].map { String($0.reversed().drop { $0 == " " }.reversed()) }
    #expect(scene.rows == message + ["one 20%", "two 20%"])
    for bar in bars { scene.end(bar, .removed) }
    scene.draw()
    #expect(scene.rows == message)
  }

  // barless_text_wrapping.
  @Test func `Long messages in several frames are wrapped alike, before there is any bar`() {
    var scene = BoardScene()
    for _ in 0..<2 {
      scene.board.print(Self.long)
      scene.draw()
    }
    let lines = [String(Self.long.prefix(80)), String(Self.long.dropFirst(80))]
    #expect(scene.rows == lines + lines)
  }

  // orphan_lines, orphan_lines_message_above_progress_bar, orphan_lines_message_above_multi_progress_bar.
  @Test func `Messages of more lines than the terminal has end directly above the bar`() {
    var scene = BoardScene(rows: 10)
    let bar = scene.add("load")
    scene.draw()
    for lines in 5...15 {
      scene.set(bar, Double(lines - 5) / 10)
      let end = String(repeating: "-", count: lines * 11)
      scene.board.print(String(repeating: "\n", count: lines - 1) + end)
      scene.draw()
      // The message wraps too.
      let rest = String(end.suffix(lines * 11 % 80))
      #expect(scene.screen.text.split(separator: "\n").dropLast().last ?? "" == rest)
      #expect(scene.rows.last == "load \((lines - 5) * 10)%")
      #expect(scene.screen.allText.ranges(of: "load").count == 1)
    }
  }

  // multi_progress_clear_zombies_no_ticks, _one_tick, _two_ticks.
  @Test(arguments: [0, 1, 2])
  func `Bars are taken away whole, however many frames have passed since one ended`(frames: Int) {
    var scene = BoardScene()
    let first = scene.add("first", nil)
    _ = scene.add("second", nil)
    scene.draw()
    scene.end(first, .removed)
    for _ in 0..<frames { scene.draw() }
    scene.withdraw()
    #expect(scene.screen.text == "")
  }

  // multi_zombie_handling.
  @Test
  func `Bars that end in any order, with messages between, leave the messages and their lines`() {
    var scene = BoardScene()
    let bars = ["pb1", "pb2", "pb3"].map { scene.add($0, nil) }
    scene.draw()
    scene.board.print("pb1 done!")
    scene.end(bars[0], .succeeded)
    scene.draw()
    scene.board.print("pb3 done!")
    scene.draw()
    scene.end(bars[2], .succeeded)
    scene.draw()
    scene.board.print("pb2 done!")
    scene.end(bars[1], .succeeded)
    scene.draw()
    let lines = scene.rows.map { $0.hasPrefix("✓") ? "✓ \($0.split(separator: " ")[1])" : $0 }
    #expect(lines == ["pb1 done!", "✓ pb1", "pb3 done!", "✓ pb3", "pb2 done!", "✓ pb2"])
    scene.withdraw()
    #expect(scene.rows.count == 6)
  }

  // multi_progress_prune_zombies, multi_progress_prune_zombies_2.
  @Test func `Bars that are drawn again after they were taken away erase nothing above them`() {
    var scene = BoardScene()
    let first = scene.add("first", 0.1)
    let second = scene.add("second")
    scene.draw()
    scene.end(first, .removed)
    scene.withdraw()
    scene.screen.write("do not erase this\r\n")
    scene.draw()
    #expect(scene.rows == ["do not erase this", "second 0%"])
    scene.board.print("a friend")
    let third = scene.add("third")
    scene.draw()
    scene.end(second, .removed)
    scene.draw()
    scene.withdraw()
    scene.screen.write("nor this\r\n")
    scene.set(third, 0.25)
    scene.draw()
    #expect(scene.rows == ["do not erase this", "a friend", "nor this", "third 25%"])
    scene.end(third, .removed)
    scene.draw()
    #expect(scene.rows == ["do not erase this", "a friend", "nor this"])
  }
}
