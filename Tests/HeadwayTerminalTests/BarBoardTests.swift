import HeadwayBar
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Several bars on a terminal in memory, with a clock that the test sets.
struct BarBoardTests {
  /// A board, the terminal that it draws on, and the bytes of the last step.
  private struct Stage {
    /// The board.
    var board: BarBoard
    /// The terminal.
    var screen: TerminalScreen
    /// The bytes of the last frame.
    var written: [UInt8] = []

    /// Creates a board on an empty terminal.
    init(
      _ style: TerminalStyle = .gray, _ interface: BarsInterface = .live, columns: Int = 80,
      rows: Int = 24
    ) {
      board = BarBoard(style: style, interface: interface)
      screen = TerminalScreen(size: TerminalSize(columns: columns, rows: rows))
    }

    /// Draws a frame.
    mutating func draw(_ seconds: Double) {
      written = []
      board.frame(at: .milliseconds(Int(seconds * 1000)), size: screen.size, into: &written)
      screen.write(written)
    }

    /// Takes the bars away.
    mutating func withdraw() {
      written = []
      board.withdraw(into: &written)
      screen.write(written)
    }

    /// Adds work of which a part is done.
    mutating func add(
      _ label: String, _ fraction: Double?, in parent: BarBoard.ID? = nil, at seconds: Double = 0
    ) -> BarBoard.ID {
      var bar = ProgressBar(source: .forecast)
      bar.isReadOnly = true
      bar.isIndeterminate = fraction == nil
      if let fraction { bar.setValue(fraction, at: seconds) }
      return board.add(label, bar, in: parent, at: .milliseconds(Int(seconds * 1000)))
    }

    /// The bytes of the last step as text.
    var text: String { String(decoding: written, as: UTF8.self) }
  }

  @Test func `Bars are nested, with facts at the right, and what is printed stays above`() {
    var stage = Stage()
    stage.screen.write("$ ./release\r\n")
    let release = stage.add("release", 0.46)
    let build = stage.add("build", 0.28, in: release)
    _ = stage.add("文档 e\u{301}\u{1B}[2J", nil, in: release)
    _ = stage.add("link", 0, in: build)
    let fetch = stage.add("fetch", 1)
    stage.board.setFacts(["5 of 11", "4.1 MB/s"], of: release)
    stage.draw(0.2)
    #expect(
      stage.screen.text == """
        $ ./release
        release   ━━━━━━━━╸──────────   46%  5 of 11 · 4.1 MB/s
        • build   ━━━━━──────────────   28%
          • link  ───────────────────    0%
        • 文档 é  ──━━━━━╸───────────    0s
        fetch     ━━━━━━━━━━━━━━━━━━━  100%
        """)
    stage.board.print("main.c: warning\nsecond line")
    stage.board.end(fetch, note: "214 files", at: .seconds(2))
    stage.board.end(build, .failed, note: "exit 1", at: .seconds(3))
    stage.draw(3)
    #expect(
      stage.screen.text == """
        $ ./release
        main.c: warning
        second line
        ✓ fetch    2.0s  214 files
        ✗ build    3.0s  exit 1
        release   ━━━━━━━━╸──────────   46%  5 of 11 · 4.1 MB/s
        • 文档 é  ━━━━━╸─────────────    3s
        """)
    #expect(stage.screen.isCursorVisible)
    stage.withdraw()
    #expect(stage.screen.text.hasSuffix("✗ build    3.0s  exit 1"))
  }

  @Test func `A bar with ranges and marks but no style of its own is drawn in cells`() {
    var stage = Stage()
    var bar = ProgressBar(range: 0...100)
    bar.changeStyle(at: .zero) { ($0.bufferedRanges, $0.marks) = ([0...50], [75]) }
    bar.setValue(20, at: .zero)
    _ = stage.board.add("film", bar, at: .zero)
    stage.draw(1)
    #expect(stage.screen.text == "film  ━━━╸══════────┃────   20%")
  }

  @Test func `Nothing is drawn in the first moment, and nothing wakes when nothing moves`() {
    var stage = Stage()
    #expect(stage.board.nextFrame(after: .zero) == nil)
    let id = stage.add("fetch", 0)
    stage.draw(0.199)
    #expect(stage.written.isEmpty)
    #expect(stage.board.nextFrame(after: .zero) == .milliseconds(200))
    stage.draw(0.2)
    #expect(!stage.written.isEmpty)
    #expect(stage.board.nextFrame(after: .milliseconds(200)) == nil)
    stage.board.update(id) { $0.report(0.5, at: 1) }
    #expect(stage.board.nextFrame(after: .seconds(1)) == .milliseconds(300))
    stage.draw(1)
    #expect(stage.screen.text.contains("  0%"))
    stage.draw(1.25)
    #expect(stage.screen.text.contains(" 25%"))
    stage.draw(1.6)
    // One more look after the last movement, then none.
    #expect(stage.screen.text.contains(" 50%"))
    stage.draw(1.7)
    #expect(stage.written.isEmpty)
    #expect(stage.board.nextFrame(after: .milliseconds(1700)) == nil)
  }

  @Test func `There are at most ten frames a second, and what takes more than a row is one update`()
  {
    var stage = Stage()
    let id = stage.add("fetch", 0)
    _ = stage.add("build", 0)
    stage.draw(1)
    #expect(stage.text.hasPrefix("\u{1B}[?2026h") && stage.text.hasSuffix("\u{1B}[?2026l"))
    #expect(stage.text.ranges(of: "\u{1B}[?2026").count == 2)
    stage.board.update(id) { $0.setValue(0.5, at: 1) }
    stage.draw(1.099)
    #expect(stage.written.isEmpty)
    stage.draw(1.1)
    #expect(stage.screen.text.contains(" 50%") && !stage.text.contains("2026"))
  }

  @Test func `A new label is drawn with the next frame`() {
    var stage = Stage()
    let id = stage.add("fetch", 0.5)
    stage.draw(1)
    #expect(stage.screen.text.hasPrefix("fetch  "))
    stage.board.setLabel("build", of: id)
    #expect(stage.board.nextFrame(after: .seconds(1)) == .milliseconds(1100))
    stage.draw(1.1)
    #expect(stage.screen.text.hasPrefix("build  "))
  }

  @Test func `Bars that are removed leave no row on the screen`() {
    var stage = Stage()
    stage.screen.write("$ ./release\r\n")
    let release = stage.add("release", 0.5)
    let build = stage.add("build", 0.25, in: release)
    _ = stage.add("link", 0, in: build)
    stage.draw(1)
    stage.board.end(build, .removed, at: .seconds(2))
    stage.draw(2)
    stage.screen.write("below")
    #expect(
      stage.screen.allText == """
        $ ./release
        release   ━━━━━━━━━╸─────────   50%
        below
        """)
  }

  @Test func `A row on whose widths terminals disagree is written whole, and cut`() {
    var stage = Stage()
    let family = stage.add("👩‍👩‍👧", 0)
    stage.draw(1)
    stage.board.update(family) { $0.setValue(0.5, at: 2) }
    stage.draw(2)
    #expect(stage.text.contains("\r👩‍👩‍👧") && stage.text.contains(" 50%\u{1B}[K"))
    #expect(stage.text.contains("\u{1B}[?7l") && stage.text.contains("\u{1B}[?7h"))
  }

  @Test func `Rows that are too long after all are cut and not wrapped`() {
    // A terminal that has become narrower while the frame was on its way.
    var stage = Stage()
    _ = stage.add("a bar with a long name", 0.5)
    stage.screen = TerminalScreen(size: TerminalSize(columns: 20, rows: 10))
    var output: [UInt8] = []
    stage.board.frame(at: .seconds(1), size: TerminalSize(columns: 80, rows: 10), into: &output)
    stage.screen.write(output)
    #expect(stage.screen.allText.split(separator: "\n").count == 1)
    stage.screen.write("A line of others is wrapped as ever")
    #expect(stage.screen.allText.split(separator: "\n").count == 3)
  }

  @Test func `A pause stops a glide exactly, and nothing is written any more`() {
    var stage = Stage()
    let id = stage.add("video", 0)
    stage.board.update(id) { $0.report(0.5, at: 1) }
    stage.draw(1.2)
    stage.board.update(id) { $0.pause(at: 1.2) }
    let before = stage.screen.text
    for frame in 13...60 { stage.draw(Double(frame) / 10) }
    #expect(stage.screen.text == before)
    #expect(stage.board.nextFrame(after: .seconds(7)) == nil)
  }

  @Test func `One of ten bars that moved one cell writes at most forty bytes`() {
    for style in [TerminalStyle.full, .gray, .ascii] {
      var stage = Stage(style, columns: 100)
      var ids: [BarBoard.ID] = []
      for number in 0..<10 { ids.append(stage.add("bar \(number)", 0.5)) }
      stage.draw(1)
      for (place, id) in ids.enumerated() {
        stage.board.update(id) { $0.setValue(0.55, at: 2) }
        stage.draw(2 + Double(place))
        let changed = stage.screen.text.split(separator: "\n").filter { $0.contains(" 55%") }
        #expect(changed.count == place + 1)
        #expect(stage.written.count <= 40, "\(stage.text.debugDescription)")
        stage.draw(2.5 + Double(place))
        #expect(stage.written.isEmpty)
      }
    }
  }

  @Test(arguments: [60, 45, 40, 79, 81, 200])
  func `A new width leaves nothing of the old bars`(columns: Int) {
    var stage = Stage()
    let top = stage.add("top of all", 0.5)
    for number in 0..<5 { _ = stage.add("inner \(number) 文档", 0.5, in: top) }
    stage.draw(1)
    stage.screen.resize(to: TerminalSize(columns: columns, rows: 24))
    stage.draw(2)
    let all = stage.screen.allText
    for number in 0..<5 { #expect(all.ranges(of: "inner \(number)").count == 1, "\(all)") }
    #expect(all.split(separator: "\n").count == 6)
    stage.withdraw()
    #expect(stage.screen.allText == "")
  }

  @Test func `A name has as much room as the new width gives it`() {
    var stage = Stage(columns: 100)
    _ = stage.add("compile the documentation", 0.5)
    stage.draw(1)
    #expect(stage.screen.text.hasPrefix("compile the documentation  ━━━"))
    stage.screen.resize(to: TerminalSize(columns: 60, rows: 24))
    stage.draw(2)
    #expect(stage.screen.text == "compile the docume…  ━━━━────   50%")
    stage.screen.resize(to: TerminalSize(columns: 100, rows: 24))
    stage.draw(3)
    #expect(stage.screen.text.hasPrefix("compile the documentation  ━━━"))
  }

  @Test(arguments: [3, 7, 12, 24, 40])
  func `A new height draws anew what still fits`(rows: Int) {
    var stage = Stage(.ascii, columns: 50, rows: 30)
    for number in 0..<10 { _ = stage.add("bar \(number)", 0.25) }
    stage.draw(1)
    stage.screen.resize(to: TerminalSize(columns: 50, rows: rows))
    stage.draw(2)
    var fresh = Stage(.ascii, columns: 50, rows: rows)
    for number in 0..<10 { _ = fresh.add("bar \(number)", 0.25) }
    fresh.draw(2)
    #expect(stage.screen.text == fresh.screen.text)
    stage.withdraw()
    #expect(stage.screen.text == "")
  }

  @Test func `Where others have written below, the bars are drawn again below that`() {
    var stage = Stage(.ascii, columns: 50)
    let id = stage.add("fetch", 0.25)
    stage.draw(1)
    let bar = stage.screen.text
    stage.screen.write("$ make\r\n$ fg\r\n")
    stage.board.forget()
    #expect(stage.board.nextFrame(after: .seconds(2)) != nil)
    stage.draw(2)
    #expect(stage.screen.text == "\(bar)\n$ make\n$ fg\n\(bar)")
    stage.screen.write("$ ")
    stage.board.forget()
    stage.board.end(id, .removed, at: .seconds(3))
    stage.withdraw()
    #expect(stage.written.isEmpty)
  }

  @Test func `The line of a bar that ends while boards share a terminal comes with the next pass`()
  {
    var stage = Stage(.ascii, columns: 50)
    let ended = stage.add("fetch", 0.25)
    _ = stage.add("build", 0.25)
    stage.draw(1)
    var output: [UInt8] = []
    stage.board.erase(into: &output)
    stage.board.printLines(into: &output)
    // Between the lines and the rows of a pass.
    stage.board.end(ended, .succeeded, at: .seconds(1))
    let isUrgent = stage.board.hurry()
    #expect(isUrgent)
    stage.board.frame(at: .seconds(1), size: stage.screen.size, into: &output)
    stage.screen.write(output)
    #expect(!stage.screen.text.contains("fetch"))
    #expect(stage.board.nextFrame(after: .seconds(1)) == .seconds(1))
    // By now the other board may be gone.
    stage.draw(1)
    #expect(
      stage.screen.text.split(separator: "\n").map { $0.prefix(5) } == ["+ fet", "build"],
      "\(stage.screen.text)")
  }

  @Test func `What is printed while boards share the rows of a terminal comes above all of them`() {
    let size = TerminalSize(columns: 50, rows: 24)
    var screen = TerminalScreen(size: size)
    var boards = [Stage(.ascii, columns: 50), Stage(.ascii, columns: 50)]
    for (index, name) in ["fetch", "build"].enumerated() {
      _ = boards[index].add(name, 0.25)
      boards[index].board.print("\(name) 1")
    }
    for pass in 1...3 {
      var output: [UInt8] = []
      for index in boards.indices.reversed() { boards[index].board.erase(into: &output) }
      for index in boards.indices { boards[index].board.printLines(into: &output) }
      for index in boards.indices {
        // A thread prints while the rows of the first board are there already.
        if index == 1, pass == 2 {
          boards[0].board.print("fetch 2")
          boards[1].board.print("build 2")
        }
        boards[index].board.frame(at: .seconds(pass), size: size, into: &output)
      }
      screen.write(output)
      if pass == 2 {
        #expect(boards[1].board.nextFrame(after: .seconds(2)) == .seconds(2) + .milliseconds(100))
      }
    }
    #expect(
      screen.text == """
        fetch 1
        build 1
        fetch 2
        build 2
        fetch  ##------   25%
        build  ##------   25%
        """)
  }

  @Test(arguments: [(1, 1), (1, 2), (2, 2), (1, 24), (80, 1), (3, 3), (80, 2)])
  func `No size is too small`(columns: Int, rows: Int) {
    var stage = Stage(columns: columns, rows: rows)
    let top = stage.add("top", 0.5)
    for number in 0..<40 { _ = stage.add("inner \(number)", 0.5, in: top) }
    stage.draw(1)
    stage.board.end(top, at: .seconds(2))
    stage.draw(2)
    #expect(stage.screen.isCursorVisible && stage.board.isEmpty)
  }

  @Test func `A fact that just fits is shown, and one that is a column longer is not`() {
    var stage = Stage()
    let id = stage.add("fetch", 0.5)
    stage.draw(1)
    let room = stage.board.columns.noteWidth - "first · ".count
    let fact = String(repeating: "x", count: room)
    stage.board.setFacts(["first", fact], of: id)
    stage.draw(2)
    #expect(stage.screen.text.hasSuffix("  first · \(fact)"))
    stage.board.setFacts(["first", fact + "x"], of: id)
    stage.draw(3)
    #expect(stage.screen.text.hasSuffix("  first"))
  }

  @Test func `A region that is shown again hides the cursor again`() {
    var region = ScreenRegion(style: .gray, hidesCursor: true)
    let size = TerminalSize(columns: 20, rows: 10)
    var screen = TerminalScreen(size: size)
    for _ in 0..<2 {
      var output: [UInt8] = []
      region.show([Row("row")], above: [], size: size, into: &output)
      screen.write(output)
      #expect(!screen.isCursorVisible)
      output = []
      region.withdraw(printing: [], width: size.columns, into: &output)
      screen.write(output)
      #expect(screen.isCursorVisible)
    }
  }

  @Test func `More bars than rows fold into a count`() {
    var stage = Stage(.ascii, columns: 50, rows: 10)
    for number in 0..<9 { _ = stage.add("bar \(number)", 0.25) }
    stage.draw(1)
    #expect(
      stage.screen.text == """
        bar 0  ##------   25%
        bar 1  ##------   25%
        bar 2  ##------   25%
        bar 3  ##------   25%
        bar 4  ##------   25%
          ... and 4 more
        """)
  }

  @Test func `As many bars as there are rows for are shown without a count`() {
    var stage = Stage(.ascii, columns: 50, rows: 10)
    for number in 0..<6 { _ = stage.add("bar \(number)", 0.25) }
    stage.draw(1)
    #expect(
      stage.screen.text == """
        bar 0  ##------   25%
        bar 1  ##------   25%
        bar 2  ##------   25%
        bar 3  ##------   25%
        bar 4  ##------   25%
        bar 5  ##------   25%
        """)
  }

  @Test func `In lines there is one for each tenth, five seconds apart, and one a minute`() {
    var stage = Stage(.gray, .lines)
    let id = stage.add("fetch", 0)
    var lines: [String] = []
    for second in 0...240 {
      // A report each second for a minute, then nothing more.
      if second <= 60 {
        stage.board.update(id) { $0.setValue(Double(second) / 100, at: Double(second)) }
      }
      stage.draw(Double(second))
      for line in stage.text.split(separator: "\n") { lines.append("\(second) \(line)") }
    }
    #expect(
      lines == [
        "10 fetch: 10%", "20 fetch: 20%", "30 fetch: 30%", "40 fetch: 40%", "50 fetch: 50%",
        "60 fetch: 60%", "120 fetch: 60%", "180 fetch: 60%", "240 fetch: 60%",
      ])
    stage.board.end(id, note: "\u{1B}[31m214 files", at: .seconds(250))
    stage.withdraw()
    #expect(stage.text == "fetch: done in 4m10s, 214 files\n")
  }

  @Test func `Quick work is five seconds from line to line`() {
    var stage = Stage(.gray, .lines)
    let id = stage.add("fetch", 0)
    var times: [Int] = []
    for tenth in 0...200 {
      stage.board.update(id) { $0.setValue(Double(tenth) / 200, at: Double(tenth) / 10) }
      stage.draw(Double(tenth) / 10)
      if !stage.written.isEmpty { times.append(tenth) }
    }
    #expect(times == [20, 70, 120, 170])
  }

  @Test func `For a screen reader lines are few and static`() {
    var stage = Stage(.full, .sparseLines)
    let id = stage.add("fetch", 0)
    let unknown = stage.add("wait", nil)
    var text = ""
    for second in 0...60 {
      stage.board.update(id) { $0.setValue(Double(second) / 60, at: Double(second)) }
      stage.draw(Double(second))
      text += stage.text
    }
    #expect(
      text == """
        fetch: 25%
        fetch: 50%
        fetch: 75%
        fetch: 100%
        wait: still running, 1m00s

        """)
    stage.board.end(unknown, .removed, at: .seconds(61))
    stage.withdraw()
    #expect(stage.written.isEmpty)
  }

  @Test func `The taskbar gets whole percent when they change, and nothing at the end`() {
    var style = TerminalStyle.gray
    style.showsTaskbar = true
    var stage = Stage(style)
    let id = stage.add("fetch", nil)
    /// The output for the taskbar in the last step.
    func told() -> [Substring] {
      stage.text.split(separator: "\u{1B}]").dropFirst(stage.text.hasPrefix("\u{1B}]") ? 0 : 1)
        .map { $0.prefix { $0 != "\u{1B}" } }
    }
    stage.draw(1)
    #expect(told() == ["9;4;3"])
    stage.board.update(id) {
      $0.setValue(0.421, at: 2)
      $0.isIndeterminate = false
    }
    stage.draw(2)
    #expect(stage.text.hasSuffix("\u{1B}]9;4;1;42\u{1B}\\"))
    stage.board.update(id) { $0.setValue(0.422, at: 3) }
    stage.draw(3)
    #expect(told() == [])
    stage.board.update(id) { $0.pause(at: 4) }
    stage.draw(4)
    #expect(told() == ["9;4;4;42"])
    let other = stage.add("link", 0, at: 5)
    stage.board.end(other, .failed, at: .seconds(5))
    stage.board.update(id) { $0.resume(at: 5) }
    stage.draw(5)
    #expect(told() == ["9;4;2;42"])
    stage.withdraw()
    #expect(told() == ["9;4;0"] && stage.text.hasSuffix("\u{1B}]9;4;0\u{1B}\\"))
    stage.withdraw()
    #expect(stage.written.isEmpty)
  }
}
