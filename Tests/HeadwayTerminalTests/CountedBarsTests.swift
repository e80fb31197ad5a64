import HeadwayBar
import HeadwayProgress
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Bars of counted work on a terminal in memory, with a clock that the test sets.
struct CountedBarsTests {
  /// A board, the terminal that it draws on, and the bytes of the last frame.
  private struct Stage {
    var board: BarBoard
    var screen: TerminalScreen
    var written: [UInt8] = []
    var now = Duration.zero

    init(
      _ interface: BarsInterface = .live, _ language: TerminalLanguage = .english,
      style: TerminalStyle = .gray, columns: Int = 100
    ) {
      var style = style
      style.language = language
      board = BarBoard(style: style, interface: interface)
      screen = TerminalScreen(size: TerminalSize(columns: columns, rows: 24))
    }

    /// Goes to a time and draws.
    mutating func draw(_ seconds: Double) {
      now = .milliseconds(Int((seconds * 1000).rounded()))
      written = []
      board.frame(at: now, size: screen.size, into: &written)
      screen.write(written)
    }

    /// Draws all frames up to a time, and counts those that wrote something.
    mutating func drawAll(to seconds: Double) -> Int {
      var frames = 0
      let end = Duration.milliseconds(Int((seconds * 1000).rounded()))
      while let next = board.nextFrame(after: now), next <= end {
        draw(next / .seconds(1))
        if !written.isEmpty { frames += 1 }
        if next == now, board.nextFrame(after: now) == now { break }
      }
      now = end
      return frames
    }

    /// What is to the right of the only bar.
    var facts: String {
      String(screen.text.split(separator: "%", maxSplits: 1).last ?? "").trimmed
    }

    var text: String { String(decoding: written, as: UTF8.self) }
  }

  // MARK: What is beside a bar

  @Test func `A download says its bytes, its speed and the remaining time`() {
    var stage = Stage()
    let id = stage.board.add(
      "fetch", total: 5e6, kind: .file(.downloading), at: .zero)
    for tenth in 1...32 {
      stage.board.report(Double(tenth) * 130_000, of: id, at: .milliseconds(tenth * 100))
      stage.draw(Double(tenth) / 10)
    }
    #expect(stage.facts == "4.1 / 5.0 MB · 1.3 MB/s · 1 s left")
    #expect(stage.screen.text.contains(" 83%"))
    stage.board.complete(0.84e6, of: id, at: .milliseconds(3300))
    stage.draw(3.3)
    #expect(stage.facts == "5.0 / 5.0 MB")
    stage.board.end(id, at: .seconds(4))
    stage.draw(4)
    #expect(stage.screen.text == "✓ fetch  4.0s  5.0 MB · 1.3 MB/s")
  }

  @Test func `Things are counted with separators, and slow ones by the minute or the hour`() {
    for (rate, text) in [
      (2_345_678.0, "2.3M/s"), (12_345, "12,345/s"), (12, "12/s"), (2.44, "2.4/s"),
      (0.2, "12/min"), (0.05, "3.0/min"), (0.001, "3.6/h"),
    ] {
      var stage = Stage()
      let id = stage.board.add("count", total: nil, at: .zero)
      for second in 1...3 {
        let time = Duration.seconds(Double(second) / rate * max(rate, 1))
        stage.board.report(Double(second) * max(rate, 1), of: id, at: time)
      }
      stage.draw(3 / rate * max(rate, 1))
      #expect(stage.screen.text.hasSuffix(" · \(text)"), "\(stage.screen.text)")
    }
  }

  @Test func `Without reports the remaining time counts down, once a second`() {
    var stage = Stage()
    let id = stage.board.add("work", total: 100, at: .zero)
    for second in 1...20 {
      stage.board.report(Double(second) * 2, of: id, at: .seconds(second))
      stage.draw(Double(second))
    }
    #expect(stage.facts == "40 / 100 · 2.0/s · 30 s left")
    // A gap that is usual for this work.
    #expect(stage.drawAll(to: 21.9) == 1)
    #expect(stage.facts == "40 / 100 · 2.0/s · 29 s left")
  }

  @Test func `Work that stands still says so after ten seconds, once a second, then once a minute`()
  {
    var stage = Stage()
    let id = stage.board.add("work", total: 100, at: .zero)
    for second in 1...20 {
      stage.board.report(Double(second), of: id, at: .seconds(second))
      stage.draw(Double(second))
    }
    // Longer than is usual for this work, but not long for who waits.
    _ = stage.drawAll(to: 29.9)
    #expect(stage.facts == "20 / 100")
    #expect(stage.drawAll(to: 32.9) == 3)
    #expect(stage.facts == "20 / 100 · no progress for 12 s")
    _ = stage.drawAll(to: 80)
    #expect(stage.facts == "20 / 100 · no progress for 1 min")
    #expect(stage.drawAll(to: 139.9) == 0)
    #expect(stage.drawAll(to: 140) == 1)
    #expect(stage.facts == "20 / 100 · no progress for 2 min")
    stage.board.report(21, of: id, at: .seconds(141))
    stage.draw(141)
    #expect(stage.facts.hasPrefix("21 / 100 · ") && !stage.facts.contains("no progress"))
  }

  @Test
  func `Slow work stands still only after several of its gaps, and not before the first count`() {
    var stage = Stage()
    let id = stage.board.add("work", total: 100, at: .zero)
    _ = stage.drawAll(to: 20)
    #expect(stage.facts == "0 / 100")
    for count in 1...3 {
      stage.board.report(Double(count), of: id, at: .seconds(20 + count * 10))
      stage.draw(20 + Double(count) * 10)
    }
    // The 30 seconds before the first count were a slow start, and the other gaps are ten seconds.
    _ = stage.drawAll(to: 89)
    #expect(!stage.facts.contains("no progress"))
    _ = stage.drawAll(to: 91)
    #expect(stage.facts == "3 / 100 · no progress for 41 s")
  }

  @Test func `A pause is no standstill, and neither is work at its end`() {
    var stage = Stage()
    let paused = stage.board.add("paused", total: 100, at: .zero)
    let full = stage.board.add("full", total: 10, at: .zero)
    for second in 1...10 {
      stage.board.report(Double(second), of: paused, at: .seconds(second))
      stage.board.report(Double(second), of: full, at: .seconds(second))
      stage.draw(Double(second))
    }
    stage.board.setPaused(true, of: paused, at: .seconds(10))
    _ = stage.drawAll(to: 100)
    #expect(stage.screen.text.contains("10 / 100 · paused"))
    #expect(!stage.screen.text.contains("no progress"))
    #expect(stage.board.nextFrame(after: .seconds(100)) == nil)
  }

  @Test func `A bar with nested bars stands still only when they have ended`() {
    var stage = Stage()
    let outer = stage.board.add("outer", total: 100, at: .zero)
    for second in 1...10 {
      stage.board.report(Double(second), of: outer, at: .seconds(second))
      stage.draw(Double(second))
    }
    let inner = stage.board.add("inner", total: nil, in: outer, at: .seconds(10))
    _ = stage.drawAll(to: 60)
    #expect(!stage.screen.text.contains("no progress"))
    stage.board.end(inner, .removed, at: .seconds(60))
    _ = stage.drawAll(to: 69.9)
    #expect(!stage.screen.text.contains("no progress"))
    _ = stage.drawAll(to: 72.5)
    #expect(stage.facts == "10 / 100 · no progress for 12 s")
  }

  @Test func `A line says once that there is no progress`() {
    var stage = Stage(.lines)
    let id = stage.board.add("work", total: 100, at: .zero)
    var text = ""
    func draw(_ stage: inout Stage, to seconds: Double) {
      while let next = stage.board.nextFrame(after: stage.now), next <= .seconds(seconds) {
        stage.draw(next / .seconds(1))
        text += stage.text
      }
    }
    for second in 1...9 {
      stage.board.report(Double(second), of: id, at: .seconds(second))
      stage.draw(Double(second))
    }
    draw(&stage, to: 78)
    #expect(text == "work: 9%, 9 / 100, no progress for 10 s\n")
    draw(&stage, to: 80)
    #expect(text.hasSuffix("10 s\nwork: 9%, 9 / 100, no progress for 1 min\n"))
    stage.board.report(10, of: id, at: .seconds(81))
    text = ""
    draw(&stage, to: 84)
    #expect(text.hasPrefix("work: 10%, 10 / 100"), "\(text)")
  }

  // MARK: Nothing to do, and another time

  @Test func `A bar of no units is complete`() {
    var stage = Stage()
    let id = stage.board.add("none", total: 0, at: .zero)
    stage.draw(1)
    #expect(stage.screen.text.contains("100%"))
    stage.board.setTotal(4, of: id, at: .seconds(2))
    stage.draw(2)
    #expect(stage.facts == "0 / 4" && stage.screen.text.contains("  0%"))
    stage.board.setTotal(0, of: id, at: .seconds(3))
    stage.board.report(3, of: id, at: .seconds(3))
    stage.board.update(id) { $0.setValue(1, at: Duration.seconds(3)) }
    _ = stage.board.add("late", total: -1, at: .seconds(3))
    stage.draw(3)
    #expect(stage.screen.text.contains("100%"))
    stage.board.endAll(at: .seconds(4))
    stage.draw(4)
    #expect(stage.screen.text == "✓ none  4.0s\n⊘ late  1.0s  stopped")
  }

  @Test func `A reset begins the count, the times and the texts again`() {
    var stage = Stage()
    let id = stage.board.add("fetch", total: 100, completed: 50, at: .zero)
    stage.board.setFacts(["first try"], of: id)
    for second in 1...20 {
      stage.board.report(Double(50 + second), of: id, at: .seconds(second))
      stage.draw(Double(second))
    }
    stage.board.setPaused(true, of: id, at: .seconds(20))
    stage.board.reset(id, at: .seconds(20))
    stage.draw(20.5)
    #expect(stage.facts == "0 / 100" && stage.screen.text.contains("  0%"))
    for second in 1...2 {
      stage.board.report(Double(second) * 10, of: id, at: .seconds(20 + second))
      stage.draw(Double(20 + second))
    }
    #expect(stage.facts == "20 / 100 · 10/s · 8 s left")
    stage.board.reset(id, total: 40, at: .seconds(30))
    stage.board.report(40, of: id, at: .seconds(34))
    stage.board.end(id, at: .seconds(34))
    stage.draw(34)
    #expect(stage.screen.text == "✓ fetch  4.0s  40 · 10/s")
  }

  @Test func `A bar that has ended can begin again, where it was nested`() {
    var style = TerminalStyle.gray
    style.showsTaskbar = true
    var stage = Stage(style: style)
    let outer = stage.board.add("outer", total: 10, at: .zero)
    let inner = stage.board.add("inner", total: 10, in: outer, at: .zero)
    _ = stage.board.add("other", total: 10, at: .zero)
    stage.board.setLabel("changed", of: inner)
    stage.board.end(inner, .failed, at: .seconds(1))
    stage.draw(1)
    #expect(stage.text.contains("\u{1B}]9;4;2;"))
    stage.board.reset(inner, total: 5, at: .seconds(2))
    stage.board.report(1, of: inner, at: .seconds(3))
    stage.draw(3)
    // The attempt that failed is not the last word.
    #expect(stage.text.contains("\u{1B}]9;4;1;"))
    let rows = stage.screen.text.split(separator: "\n")
    #expect(rows.count == 4 && rows[2].hasPrefix("• changed") && rows[2].contains("1 / 5"))
    // A bar that ended with its parent, which is gone, is an outermost one.
    stage.board.end(outer, .removed, at: .seconds(4))
    stage.board.reset(inner, at: .seconds(5))
    stage.draw(5)
    let last = stage.screen.text.split(separator: "\n").last ?? ""
    #expect(last.hasPrefix("changed") && last.contains("0 / 5"))
  }

  @Test func `A bar that ended long before many others is not kept`() {
    var stage = Stage()
    let first = stage.board.add("first", total: 10, at: .zero)
    stage.board.end(first, .removed, at: .zero)
    for _ in 0..<2 * EndedBars.limit {
      let id = stage.board.add("other", total: 10, at: .zero)
      stage.board.end(id, .removed, at: .zero)
    }
    stage.board.reset(first, at: .seconds(1))
    #expect(stage.board.isEmpty)
  }

  @Test func `A reset of a model of its own keeps its range, and whether its progress is known`() {
    var stage = Stage()
    var model = ProgressBar(range: 0...20)
    model.setValue(10, at: Duration.zero)
    let known = stage.board.add("known", model, at: .zero)
    model.isIndeterminate = true
    let unknown = stage.board.add("unknown", model, at: .zero)
    stage.board.reset(known, total: 5, at: .seconds(1))
    stage.board.reset(unknown, at: .seconds(1))
    stage.board.update(known) { bar in
      #expect(bar.range == 0...20)
      bar.setValue(5, at: Duration.seconds(2))
    }
    stage.draw(2)
    let rows = stage.screen.text.split(separator: "\n")
    #expect(rows[0].hasSuffix(" 25%") && rows[1].hasSuffix(" 1s"), "\(rows)")
  }

  // MARK: Lines of nested bars

  @Test
  func `Nested loops in a pipe leave the lines of their ends, and those of the outer one between`()
  {
    var stage = Stage(.lines)
    var text = ""
    let outer = stage.board.add("albums", total: 3, at: .zero)
    for (index, name) in ["first", "second", "third"].enumerated() {
      let inner = stage.board.add(name, total: 100, in: outer, at: .seconds(index * 2))
      for song in 1...100 {
        stage.board.complete(of: inner, at: .seconds(index * 2) + .milliseconds(song * 20))
        stage.draw(Double(index * 2) + Double(song) / 50)
        text += stage.text
      }
      stage.board.end(inner, at: .seconds(index * 2 + 2))
      stage.board.complete(of: outer, at: .seconds(index * 2 + 2))
      stage.draw(Double(index * 2 + 2))
      text += stage.text
    }
    stage.board.end(outer, at: .seconds(6))
    stage.draw(6)
    #expect(
      text + stage.text == """
        albums > first: done in 2.0s, 100, 50/s
        albums: 33%, 1 / 3, 30/min, 4 s left
        albums > second: done in 2.0s, 100, 50/s
        albums > third: done in 2.0s, 100, 50/s
        albums: done in 6.0s, 3, 30/min

        """)
  }

  @Test func `Nested bars that go on at the same time share one line in five seconds`() {
    var stage = Stage(.lines)
    let outer = stage.board.add("all", total: 400, at: .zero)
    let inner = (1...4).map { stage.board.add("part \($0)", total: 100, in: outer, at: .zero) }
    var times: [Int] = []
    var names: Set<Substring> = []
    for second in 1...60 {
      for id in inner { stage.board.complete(of: id, at: .seconds(second)) }
      stage.board.complete(4, of: outer, at: .seconds(second))
      stage.draw(Double(second))
      let lines = stage.text.split(separator: "\n")
      times += lines.map { _ in second }
      names.formUnion(lines.map { $0.prefix { $0 != ":" } })
    }
    #expect(times.count >= 6 && zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 5 })
    // The one without a line for longest is the next.
    #expect(names == ["all", "all > part 1", "all > part 2", "all > part 3", "all > part 4"])
  }

  @Test func `A pause says so, and does not count`() {
    var stage = Stage()
    let id = stage.board.add("work", total: 100, at: .zero)
    for second in 1...20 {
      stage.board.report(Double(second), of: id, at: .seconds(second))
      stage.draw(Double(second))
    }
    stage.board.setPaused(true, of: id, at: .seconds(20))
    stage.draw(20.5)
    #expect(stage.facts == "20 / 100 · paused")
    #expect(stage.board.nextFrame(after: .seconds(21)) == nil)
    stage.board.setPaused(false, of: id, at: .seconds(1000))
    stage.draw(1000)
    #expect(stage.facts == "20 / 100 · 1.0/s · 1 min left" || stage.facts.hasSuffix("2 min left"))
    stage.board.end(id, .succeeded, at: .seconds(1000))
    stage.draw(1001)
    #expect(stage.screen.text.hasSuffix("20 · 1.0/s"))
  }

  @Test func `What was done at the beginning is no speed`() {
    var stage = Stage()
    let id = stage.board.add(
      "fetch", total: 1000, completed: 900, at: .zero)
    stage.draw(0.5)
    #expect(stage.screen.text.contains(" 90%  900 / 1,000"))
    for second in 1...4 {
      stage.board.complete(of: id, at: .seconds(second))
      stage.draw(Double(second))
    }
    #expect(stage.facts == "904 / 1,000 · 1.0/s · 2 min left")
  }

  @Test func `What took no work is no part of the speed of the whole`() {
    var stage = Stage()
    let bar = stage.board.add("fetch", total: 1_000, at: .zero)
    stage.board.skip(900, of: bar, at: .zero)
    for second in 1...4 { stage.board.complete(20, of: bar, at: .seconds(second)) }
    stage.board.end(bar, at: .seconds(4))
    stage.draw(4)
    #expect(stage.screen.text == "✓ fetch  4.0s  980 · 20/s")
  }

  @Test func `Work of which all was skipped has no speed`() {
    var stage = Stage()
    let bar = stage.board.add("fetch", total: 10, completed: 5, at: .zero)
    stage.board.skip(5, of: bar, at: .seconds(1))
    stage.board.end(bar, at: .seconds(2))
    stage.draw(2)
    #expect(stage.screen.text == "✓ fetch  2.0s  10")
  }

  @Test func `A fraction has a percentage and a remaining time`() {
    var stage = Stage()
    let id = stage.board.add("render", total: 1, at: .zero)
    for second in 1...5 {
      stage.board.report(Double(second) / 10, of: id, at: .seconds(second))
      stage.draw(Double(second))
    }
    #expect(stage.facts == "5 s left")
    stage.board.end(id, at: .seconds(10))
    stage.draw(10)
    #expect(stage.screen.text.hasSuffix("10.0s"))
  }

  @Test func `A total that comes late makes work countable, and another one is believed at once`() {
    var stage = Stage()
    let id = stage.board.add("work", total: nil, at: .zero)
    stage.board.report(30, of: id, at: .seconds(1))
    stage.draw(1)
    #expect(stage.screen.text.hasSuffix("1s  30 · 30/s"))
    stage.board.setTotal(60, of: id, at: .seconds(2))
    stage.draw(2)
    #expect(stage.facts.hasPrefix("30 / 60") && stage.screen.text.contains(" 50%"))
    stage.board.setTotal(300, of: id, at: .seconds(3))
    stage.draw(3)
    #expect(stage.facts.hasPrefix("30 / 300") && stage.screen.text.contains(" 10%"))
    stage.board.setTotal(nil, of: id, at: .seconds(4))
    stage.draw(4)
    #expect(!stage.screen.text.contains("%"))
  }

  @Test func `Neither counts nor bars step back, and odd numbers do no harm`() {
    var stage = Stage()
    let id = stage.board.add("work", total: 10, at: .zero)
    for value: Double in [4, 3, .nan, .infinity, -1 * .infinity, -1] {
      stage.board.report(value, of: id, at: .seconds(1))
    }
    stage.draw(1)
    #expect(stage.screen.text.contains(" 40%  4 / 10"))
    stage.board.report(1e300, of: id, at: .seconds(2))
    stage.board.setTotal(.nan, of: id, at: .seconds(2))
    stage.draw(2)
    for total in [Double.nan, .infinity, -1, 0, 1e300] {
      let odd = stage.board.add("odd", total: total, completed: .nan, at: .seconds(2))
      stage.board.complete(.nan, of: odd, at: .seconds(3))
      stage.board.complete(5, of: odd, at: .seconds(3))
      stage.board.complete(5, of: odd, at: .seconds(5))
      stage.board.end(odd, at: .seconds(6))
    }
    stage.draw(7)
    #expect(stage.screen.text.split(separator: "\n").count == 6)
  }

  @Test(arguments: [
    (Double(UInt64.max), "18,446,744,073,709,551,615"),
    (Double(Int.max), "9,223,372,036,854,775,807"),
    (1e19, "10,000,000,000,000,000,000"), (0x1p60, "1,152,921,504,606,846,976"),
    (1e300, "18,446,744,073,709,551,615"),
  ])
  func `The largest totals are shown as they are`(total: Double, text: String) {
    var stage = Stage()
    let id = stage.board.add("work", total: total, at: .zero)
    stage.board.complete(3, of: id, at: .seconds(1))
    stage.draw(1)
    #expect(stage.facts.hasPrefix("3 / \(text)") && stage.screen.text.contains("  0%"))
    stage.board.report(total / 2, of: id, at: .seconds(2))
    stage.draw(2)
    #expect(stage.screen.text.contains(total < 1e20 ? " 50%" : "100%"))
    stage.board.report(total, of: id, at: .seconds(3))
    stage.draw(3)
    #expect(stage.facts == "\(text) / \(text)" && stage.screen.text.contains("100%"))
    stage.board.end(id, at: .seconds(3))
    stage.draw(4)
    #expect(stage.screen.text.hasPrefix("✓ work  3.0s  \(text)"))
  }

  @Test func `A glide between reports has exact counts beside it`() {
    var stage = Stage()
    let id = stage.board.add("work", total: 100, at: .zero)
    stage.board.report(10, rate: 10, of: id, at: .seconds(1))
    stage.draw(1)
    stage.draw(3)
    #expect(stage.facts.hasPrefix("10 / 100"))
    #expect(!stage.screen.text.contains(" 10%"))
  }

  @Test func `A change of the model is counted, too`() {
    var stage = Stage()
    let id = stage.board.add("work", total: 100, at: .zero)
    stage.board.update(id) { $0.setValue(25, at: Duration.seconds(1)) }
    stage.draw(1)
    #expect(stage.screen.text.contains(" 25%  25 / 100"))
    stage.board.update(id) { $0.pause(at: Duration.seconds(2)) }
    stage.draw(2)
    #expect(stage.facts == "25 / 100 · paused")
  }

  @Test func `Texts of the program stand before the counts`() {
    var stage = Stage()
    let id = stage.board.add("work", total: 100, at: .zero)
    stage.board.setFacts(["main.c"], of: id)
    stage.board.report(25, of: id, at: .seconds(1))
    stage.draw(1)
    #expect(stage.facts.hasPrefix("main.c · 25 / 100"))
  }

  @Test func `In twenty columns there are a label and a percentage`() {
    var stage = Stage(columns: 20)
    let id = stage.board.add("download the archive", total: 100, at: .zero)
    for second in 1...3 { stage.board.report(Double(second), of: id, at: .seconds(second)) }
    stage.draw(3)
    #expect(stage.screen.text == "download the…    3%")
  }

  // MARK: Languages

  @Test func `In Chinese the words are Chinese`() {
    var stage = Stage(.live, .chinese)
    let id = stage.board.add("下载", total: 5e9, kind: .file(.downloading), at: .zero)
    for second in 1...10 {
      stage.board.report(Double(second) * 1_200_000, of: id, at: .seconds(second))
      stage.draw(Double(second))
    }
    #expect(stage.facts == "0.0 / 5.0 GB · 1.2 MB/秒 · 剩余 1 小时 10 分钟")
    stage.board.setPaused(true, of: id, at: .seconds(10))
    stage.draw(10.5)
    #expect(stage.facts == "0.0 / 5.0 GB · 已暂停")
    stage.board.endAll(at: .seconds(11))
    stage.draw(11)
    #expect(stage.screen.text.hasSuffix("已停止 · 0.0 / 5.0 GB"))
  }

  @Test func `Lines in Chinese`() {
    var stage = Stage(.lines, .chinese)
    let id = stage.board.add("下载", total: 100, at: .zero)
    let other = stage.board.add("测试", total: nil, at: .zero)
    stage.board.report(50, of: id, at: .seconds(10))
    stage.draw(10)
    #expect(stage.text == "下载：50%，50 / 100，5.0/秒，剩余 10 秒\n")
    stage.draw(60)
    #expect(stage.text == "下载：50%，50 / 100，已 50 秒无进展\n测试：仍在进行，1m00s\n")
    stage.board.end(id, .failed, at: .seconds(70))
    stage.board.end(other, note: "3 个文件", at: .seconds(70))
    stage.draw(70)
    #expect(stage.text == "下载：失败，用时 1m10s，50 / 100\n测试：完成，用时 1m10s，3 个文件\n")
  }

  @Test(arguments: [
    (["LANG": "zh_CN.UTF-8"], TerminalLanguage.chinese), (["LANG": "zh_TW.UTF-8"], .english),
    (["LANG": "zh_Hant_SG.UTF-8"], .english), (["LANG": "en_US.UTF-8"], .english), ([:], .english),
    (["LANG": "zh_CN.GB18030"], .english), (["LANG": "zh_SG.UTF-8", "LC_ALL": ""], .chinese),
    (["LANG": "de_DE.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"], .chinese),
    (["LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"], .english),
  ])
  func `The language is that of messages, if the terminal can show it`(
    environment: [String: String], language: TerminalLanguage
  ) {
    #expect(TerminalStyle(environment: { environment[$0] }).language == language)
  }

  // MARK: Ends

  @Test func `Bars that have not ended say so, and full ones are done`() {
    var stage = Stage()
    let half = stage.board.add("half", total: 10, at: .zero)
    let full = stage.board.add("full", total: 10, at: .zero)
    _ = stage.board.add("nested", total: 10, in: half, at: .zero)
    _ = stage.board.add("unknown", total: nil, at: .zero)
    stage.board.report(5, of: half, at: .seconds(1))
    stage.board.report(10, of: full, at: .seconds(1))
    stage.draw(1)
    stage.board.endAll(at: .seconds(2))
    stage.draw(2)
    #expect(
      stage.screen.text == """
        ⊘ half     2.0s  stopped · 5 / 10
        ✓ full     2.0s  10 · 5.0/s
        ⊘ unknown  2.0s  stopped
        """)
  }

  @Test func `A stopped bar is no failure on the taskbar`() {
    var style = TerminalStyle.gray
    style.showsTaskbar = true
    var stage = Stage(style: style)
    let first = stage.board.add("first", total: 10, at: .zero)
    let second = stage.board.add("second", total: 10, at: .zero)
    stage.board.report(5, of: second, at: .zero)
    stage.board.end(first, .stopped, at: .seconds(1))
    stage.draw(1)
    #expect(stage.text.contains("\u{1B}]9;4;1;50\u{1B}\\"), "\(stage.text.debugDescription)")
  }

  @Test func `Hidden bars leave nothing but what is printed`() {
    var stage = Stage(.hidden)
    let id = stage.board.add("work", total: 10, at: .zero)
    stage.board.report(9, of: id, at: .seconds(1))
    #expect(stage.board.nextFrame(after: .seconds(1)) == nil)
    stage.draw(1)
    #expect(stage.written.isEmpty)
    stage.board.print("a line")
    #expect(stage.board.nextFrame(after: .seconds(2)) != nil)
    stage.board.end(id, .failed, at: .seconds(2))
    stage.draw(200)
    #expect(stage.text == "a line\n")
  }

  // MARK: Cost

  @Test func `A bar of ten that counts one writes only what changed`() {
    var stage = Stage()
    let ids = (0..<10).map { stage.board.add("bar \($0)", total: 1000, at: .zero) }
    for second in 1...10 {
      for id in ids { stage.board.report(Double(second * 10), of: id, at: .seconds(second)) }
      stage.draw(Double(second))
    }
    for id in ids { stage.board.report(105, of: id, at: .milliseconds(10_500)) }
    stage.draw(10.5)
    stage.board.report(106, of: ids[3], at: .milliseconds(10_700))
    stage.draw(10.7)
    #expect(stage.written.count <= 20, "\(stage.text.debugDescription)")
    #expect(stage.screen.text.split(separator: "\n")[3].contains("106 / 1,000"))
  }
}

extension String {
  /// The text without blanks around it.
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
