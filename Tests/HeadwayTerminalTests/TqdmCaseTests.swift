import HeadwayBar
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Cases of tqdm (`tests/tests_tqdm.py`) for a board of bars; a comment names each case.
struct TqdmCaseTests {
  // MARK: Pictures

  // test_ascii: 1, 2 and 3 of 15 in ten columns, in eighths and with a character for each cell.
  @Test(arguments: [(1, "▋", "-"), (2, "█▎", "#-"), (3, "██", "##")])
  func `A fifteenth of ten columns is shown in eighths, and in whole characters as far as it goes`(
    done: Int, eighths: String, ascii: String
  ) {
    let fraction = Double(done) / 15
    #expect(CellBar(.eighths).text(fraction: fraction, columns: 10).hasPrefix(eighths))
    #expect(CellBar(.ascii).text(fraction: fraction, columns: 10).hasPrefix(ascii))
  }

  // test_ascii, its bars of characters that a program has chosen; test_bar_formatspec.
  @Test func `A cell goes through the characters that a program has chosen`() {
    var glyphs = BarGlyphs.ascii
    glyphs.left = [".", "o", "O", "0"]
    (glyphs.right, glyphs.track) = ([], " ")
    let pictures = (0...4).map { CellBar(glyphs).text(fraction: Double($0) / 4, columns: 1) }
    #expect(pictures == [" ", ".", "o", "O", "0"])
    #expect(CellBar(glyphs).text(fraction: 0.5, columns: 2) == "0 ")
    #expect(CellBar(glyphs).text(fraction: 0.3, columns: 5) == "0o   ")
  }

  // test_format_meter: ncols of 10, 20 and 30, and of the default.
  @Test(arguments: [5, 10, 20, 30, 49, 50, 80, 200])
  func `A row is narrower than its terminal, and what has no room is left out`(columns: Int) {
    var scene = BoardScene(columns: columns)
    let bar = scene.add("a label of some length", 0.231)
    scene.board.setFacts(["231 of 1000", "06:32 < 21:44", "1.70 s each"], of: bar)
    scene.draw()
    let lines = scene.screen.allText.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].count < columns)
    // The percentage is the last thing to be cut.
    #expect(columns < 10 || lines[0].contains(" 23%"))
    #expect(columns < 10 || !lines[0].contains("23%…"))
    #expect((lines[0].contains("━")) == (columns >= 49))
  }

  // test_format_meter, its wide characters.
  @Test(arguments: ["ｆｕｌｌｗｉｄｔｈ", "ニッポン [ﾆｯﾎﾟﾝ]"])
  func `A label of wide characters takes the columns that it has on a screen`(label: String) {
    var (wide, plain) = (BoardScene(columns: 68), BoardScene(columns: 68))
    let columns = label == "ｆｕｌｌｗｉｄｔｈ" ? 18 : 16
    _ = wide.add(label, 0.5)
    _ = plain.add(String(repeating: "x", count: columns), 0.5)
    wide.draw()
    plain.draw()
    let rest = plain.screen.text.dropFirst(columns)
    #expect(wide.screen.text == label + rest)
  }

  // test_ansi_escape_codes.
  @Test func `Colors in a label take no room, because they are left out`() {
    var (colored, plain) = (BoardScene(columns: 60), BoardScene(columns: 60))
    _ = colored.add("\u{1B}[1m\u{1B}[91mColored\u{1B}[0m description", 0.5)
    _ = plain.add("Colored description", 0.5)
    colored.draw()
    plain.draw()
    #expect(colored.screen.text == plain.screen.text)
    #expect(!colored.written.contains(0x6D))
  }

  // test_screen_shape: ncols of 50 and nrows of 2, where there is a line for the bars that are hidden.
  @Test
  func `In a low terminal there is a count of the bars that are not shown, and later bars move up`()
  {
    var scene = BoardScene(columns: 50, rows: 3)
    let one = scene.add("one")
    scene.draw()
    #expect(scene.rows == ["one 0%"])
    let two = scene.add("two", in: one)
    _ = scene.add("three", in: two)
    scene.draw()
    #expect(scene.rows == ["one 0%", "  … and 2 more"])
    scene.end(two, .removed)
    scene.draw()
    #expect(scene.rows == ["one 0%"])
    _ = scene.add("four")
    scene.end(one, .removed)
    scene.draw()
    #expect(scene.rows == ["four 0%"])
    #expect(scene.screen.allText.split(separator: "\n").allSatisfy { $0.count < 50 })
  }

  // test_colour.
  @Test(arguments: [(false, ""), (true, "\u{1B}[38;2;190;239;237m")])
  func `A bar has the color of its style if it is asked to and the terminal has it`(
    usesOwnColors: Bool, code: String
  ) {
    var style = TerminalStyle.full
    style.colors = .all
    var board = BarBoard(style: style, usesOwnColors: usesOwnColors)
    var model = ProgressBar()
    model.isReadOnly = true
    model.setStyle(.cells, at: .zero)
    model.changeStyle(at: .zero) {
      ($0.defaultColor, $0.inProgressColor) = (BarColor(0xBEEFED), BarColor(0xBEEFED))
    }
    model.setValue(0.5, at: .zero)
    _ = board.add("load", model, at: .zero)
    var output: [UInt8] = []
    board.frame(at: .seconds(1), size: TerminalSize(columns: 80, rows: 24), into: &output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains("38;2;190;239;237") == !code.isEmpty)
  }

  // MARK: Frames

  // test_delay.
  @Test func `Work that is over before the first frame leaves a line and no bar`() {
    var board = BarBoard(style: .gray)
    var output: [UInt8] = []
    let bar = board.add("load", ProgressBar(), at: .zero)
    board.frame(at: .milliseconds(100), size: TerminalSize(columns: 80, rows: 24), into: &output)
    board.end(bar, .succeeded, at: .milliseconds(150))
    #expect(output.isEmpty)
    board.withdraw(into: &output)
    #expect(String(decoding: output, as: UTF8.self).hasPrefix("✓ load  "))
    #expect(!String(decoding: output, as: UTF8.self).contains("━"))
  }

  // test_min_interval, test_big_min_interval, test_min_iters: there, the counts between two pictures can be chosen, too.
  @Test func `However many counts there are, a picture comes once in a tenth of a second`() {
    var scene = BoardScene()
    let bar = scene.add("load")
    scene.draw()
    var pictures: [String] = []
    for count in 1...1_000 {
      scene.set(bar, Double(count) / 1_000)
      scene.draw(after: .milliseconds(1))
      if !scene.written.isEmpty { pictures += scene.rows }
    }
    #expect(pictures == (1...10).map { "load \($0 * 10)%" })
  }

  // test_max_interval, test_dynamic_min_iters, test_smoothed_dynamic_min_iters, test_monitoring_and_cleanup: there, the
  // counts between two pictures are learned, and a thread corrects them when work becomes slow.
  @Test func `Slow counts after fast ones are shown as soon as they come`() {
    var scene = BoardScene()
    let bar = scene.add("load")
    scene.draw()
    for count in 1...500 {
      scene.set(bar, Double(count) / 1_000)
      scene.draw(after: .milliseconds(1))
    }
    scene.draw()
    for count in 51...55 {
      scene.set(bar, Double(count) / 100)
      scene.draw(after: .seconds(10))
      #expect(scene.rows == ["load \(count)%"])
    }
  }

  // test_refresh, test_update: what is drawn is the latest state, also when a total changes or a count goes back.
  @Test func `A frame shows the latest of all changes since the one before`() {
    var scene = BoardScene()
    let bar = scene.add("load")
    scene.draw()
    #expect(scene.rows == ["load 0%"])
    for fraction in [1.0, 0.25, 0.75] { scene.set(bar, fraction) }
    scene.board.setLabel("load four", of: bar)
    #expect(scene.rows == ["load 0%"])
    scene.draw()
    #expect(scene.rows == ["load four 75%"])
  }

  // test_clear, test_disabled_refresh: cleared bars come back with the next frame.
  @Test func `Bars that are taken away leave no cell, and come back with the next frame`() {
    var scene = BoardScene()
    _ = scene.add("first")
    _ = scene.add("second")
    scene.draw()
    #expect(scene.rows == ["first 0%", "second 0%"])
    scene.withdraw()
    #expect(scene.screen.allText == "")
    scene.draw()
    #expect(scene.rows == ["first 0%", "second 0%"])
  }

  // MARK: Ends

  // test_leave_option, test_close.
  @Test(arguments: [BarBoard.Outcome.succeeded, .failed, .removed])
  func `A bar that ends leaves a line unless it is removed, once`(outcome: BarBoard.Outcome) {
    var scene = BoardScene()
    let bar = scene.add("load", 1)
    scene.draw()
    scene.end(bar, outcome, note: "3 of 3")
    scene.end(bar, outcome, note: "again")
    scene.withdraw()
    let lines = scene.screen.text.split(separator: "\n")
    #expect(lines.count == (outcome == .removed ? 0 : 1))
    #expect(lines.allSatisfy { $0.hasSuffix("3 of 3") })
    #expect(scene.board.isEmpty)
  }

  // MARK: Positions

  // test_position: loops in loops, each with a bar for every round.
  @Test func `Bars of nested loops stand below each other in every round`() {
    var scene = BoardScene()
    var most = 0
    let outer = scene.add("outer")
    for first in 0..<2 {
      let middle = scene.add("middle", in: outer)
      for second in 0..<2 {
        let inner = scene.add("inner", in: middle)
        scene.draw()
        #expect(
          scene.rows == ["outer \(first * 50)%", "• middle \(second * 50)%", "  • inner 0%"])
        most = max(most, scene.screen.allText.split(separator: "\n").count)
        scene.end(inner, .removed)
        scene.set(middle, Double(second + 1) / 2)
      }
      scene.end(middle, .removed)
      scene.set(outer, Double(first + 1) / 2)
    }
    scene.draw()
    #expect(scene.rows == ["outer 100%"] && most == 3)
  }

  // test_position: a bar in the middle is closed before the others, and a new one comes.
  @Test func `The bars below one that ends move up, and a new one comes last`() {
    var scene = BoardScene()
    let bars = ["1", "2", "3"].map { scene.add($0) }
    scene.draw()
    #expect(scene.rows == ["1 0%", "2 0%", "3 0%"])
    scene.end(bars[1], .removed)
    let fourth = scene.add("4")
    for bar in [bars[0], bars[2], fourth] { scene.set(bar, 0.1) }
    scene.draw()
    #expect(scene.rows == ["1 10%", "3 10%", "4 10%"])
  }

  // MARK: Texts

  // test_set_description.
  @Test func `A label can be changed, emptied and set again, with any letters`() {
    var scene = BoardScene()
    let bar = scene.add("Hello")
    for label in ["World", "", "Bye", "áéíóú"] {
      scene.board.setLabel(label, of: bar)
      scene.draw()
      #expect(scene.rows == [label.isEmpty ? " 0%" : "\(label) 0%"])
    }
  }

  // test_postfix, test_postfix_direct.
  @Test func `Facts stand behind the bar in their order, and new ones replace them`() {
    var scene = BoardScene()
    let bar = scene.add("load", 0.5)
    scene.board.setFacts(["loss 0.321", "step 543", ""], of: bar)
    scene.draw()
    #expect(scene.screen.text.hasSuffix(" 50%  loss 0.321 · step 543"))
    scene.board.setFacts(["loss 0.25"], of: bar)
    scene.draw()
    #expect(scene.screen.text.hasSuffix(" 50%  loss 0.25"))
  }

  // test_write, test_file_redirection, test_external_write.
  @Test func `Each message stands in a line of its own above all bars`() {
    var scene = BoardScene()
    let bars = (0..<3).map { scene.add("bar \($0)", 0.1) }
    scene.draw()
    let before = scene.rows
    scene.board.print("Hello world")
    scene.draw()
    scene.board.print("Hello world")
    scene.draw()
    #expect(scene.rows == ["Hello world", "Hello world"] + before)
    for bar in bars { scene.set(bar, 0.2) }
    scene.draw()
    #expect(scene.rows.prefix(2) == ["Hello world", "Hello world"])
  }

  // test_disable, test_disabled_unpause, test_disabled_reset, test_disabled_refresh, test_clear_disabled; rich:
  // test_no_output_if_progress_is_disabled, test_live_is_not_started_if_progress_is_disabled; indicatif: multi_is_hidden,
  // multi_progress_hidden.
  @Test func `Hidden bars can be told everything, need no frame and write nothing`() {
    var scene = BoardScene(.gray, .hidden)
    let bar = scene.add("load")
    let count = scene.board.add("count", total: 10, at: scene.now)
    scene.draw()
    scene.set(bar, 0.9)
    scene.board.complete(9, of: count, at: scene.now)
    #expect(scene.board.nextFrame(after: scene.now) == nil)
    scene.draw()
    for isPaused in [true, false] {
      scene.board.setPaused(isPaused, of: count, at: scene.now)
      scene.draw()
    }
    scene.board.setTotal(12, of: count, at: scene.now)
    scene.board.setLabel("load again", of: bar)
    scene.board.setFacts(["loss 0.3"], of: bar)
    scene.board.update(bar) { $0 = ProgressBar(range: 0...12, source: .forecast) }
    scene.draw()
    scene.withdraw()
    #expect(scene.written.isEmpty)
    scene.draw()
    scene.end(bar, .succeeded, note: "3 of 3")
    scene.end(count, .failed)
    scene.draw()
    #expect(scene.written.isEmpty)
    #expect(scene.screen.text == "")
    #expect(scene.board.isEmpty)
    #expect(scene.board.nextFrame(after: scene.now) == nil)
  }

  // test_autodisable_disable: there, a bar without a terminal writes nothing.
  @Test func `Without a terminal a bar is a few lines, and short work is its end only`() {
    var scene = BoardScene(.gray, .lines)
    let bar = scene.add("load")
    scene.draw()
    #expect(scene.written.isEmpty)
    scene.end(bar, .succeeded, note: "3 of 3")
    scene.draw()
    #expect(String(decoding: scene.written, as: UTF8.self) == "load: done in 0.1s, 3 of 3\n")
    scene.draw()
    #expect(scene.written.isEmpty)
  }
}
