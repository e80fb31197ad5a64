import HeadwayBar
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Cases of rich (`tests/test_progress.py`, `test_bar.py`, `test_live.py`) for bars and boards; a comment names each case.
struct RichCaseTests {
  // MARK: Bars

  // test_bar: test_render.
  @Test func `Eleven and twelve percent of fifty columns differ by half a cell`() {
    let (eleven, twelve) = (
      CellBar(.line).text(fraction: 0.11, columns: 50),
      CellBar(.line).text(fraction: 0.12, columns: 50)
    )
    #expect(eleven == "━━━━━╸" + String(repeating: "─", count: 44))
    #expect(twelve == "━━━━━━" + String(repeating: "─", count: 44))
  }

  // test_bar: test_init, test_update.
  @Test func `A bar has the part of its range that was reported`() {
    var bar = ProgressBar(range: 0...100)
    bar.setValue(50, at: .zero)
    #expect(bar.fraction(at: .zero) == 0.5)
    bar.setRange(from: 0, to: 20, at: .zero)
    bar.setValue(10, at: .seconds(1))
    #expect(bar.reported == 10 && bar.fraction(at: .seconds(1)) == 0.5)
    bar.setValue(100, at: .seconds(2))
    #expect(bar.fraction(at: .seconds(2)) == 1)
  }

  // test_bar: test_zero_total.
  @Test func `A range without a length can be drawn`() {
    var scene = BoardScene()
    _ = scene.board.add("nothing", ProgressBar(range: 0...0), at: .zero)
    scene.draw()
    #expect(scene.rows == ["nothing 0%"])
  }

  // test_expand_bar.
  @Test(arguments: [1, 10, 77])
  func `A bar is as wide as it is asked to be`(columns: Int) {
    for fraction in [0, 0.3, 1] {
      #expect(CellBar(.line).text(fraction: fraction, columns: columns).count == columns)
    }
  }

  // test_bar: test_pulse; test_progress_with_none_total_renders_a_pulsing_bar: there, a gradient.
  @Test func `Unknown progress is a part that moves from end to end and comes back`() {
    var scene = BoardScene()
    _ = scene.add("wait", nil)
    var begins: Set<Int> = []
    for _ in 0..<100 {
      scene.draw()
      let bar = scene.screen.text.drop { !"━╸╺─".contains($0) }.prefix { "━╸╺─".contains($0) }
      #expect(bar.contains("━") && bar.contains("─"))
      begins.insert(bar.prefix { $0 == "─" }.count)
    }
    #expect(begins.contains(0) && begins.count > 5)
    #expect(scene.board.nextFrame(after: scene.now) == scene.now + .milliseconds(100))
  }

  // MARK: Boards

  // test_progress_create, test_live: test_live_empty.
  @Test func `A board without bars draws nothing and needs no frame`() {
    var scene = BoardScene()
    scene.draw()
    #expect(scene.written.isEmpty && scene.board.isEmpty)
    scene.withdraw()
    #expect(scene.written.isEmpty)
    #expect(scene.board.nextFrame(after: scene.now) == nil)
  }

  // test_render, test_task_ids.
  @Test func `Bars that are added, removed and reported in between are drawn in their order`() {
    var scene = BoardScene()
    _ = scene.add("foo")
    let bar = scene.add("bar")
    scene.set(bar, 16.0 / 30)
    let egg = scene.add("egg")
    scene.end(egg, .removed)
    let last = scene.add("foo2", 0.25)
    scene.set(last, 1)
    scene.draw()
    #expect(scene.rows == ["foo 0%", "bar 53%", "foo2 100%"])
  }

  // test_finished.
  @Test func `A board is empty when its last bar has ended`() {
    var scene = BoardScene()
    let bars = ["a", "b"].map { scene.add($0, 1) }
    #expect(!scene.board.isEmpty)
    scene.end(bars[0], .succeeded)
    #expect(!scene.board.isEmpty)
    scene.end(bars[1], .failed)
    #expect(scene.board.isEmpty)
  }

  // test_task_start, test_time_elapsed_column.
  @Test func `The time beside unknown progress is that since the bar was added`() {
    var scene = BoardScene()
    scene.draw(after: .seconds(100))
    let bar = scene.add("wait", nil)
    scene.draw()
    #expect(scene.rows == ["wait 0s"])
    scene.draw(after: .seconds(2))
    #expect(scene.rows == ["wait 2s"])
    scene.end(bar, .succeeded)
    scene.draw(after: .seconds(60))
    #expect(scene.screen.text == "✓ wait  2.1s")
  }

  // test_reset.
  @Test func `A bar begins again with a new label and a new range`() {
    var scene = BoardScene()
    var model = ProgressBar(range: 0...100)
    model.isReadOnly = true
    let bar = scene.board.add("foo", model, at: scene.now)
    for value in [1, 2, 3, 10] as [Double] {
      scene.board.update(bar) { $0.setValue(value, at: .zero) }
    }
    scene.draw()
    #expect(scene.rows == ["foo 10%"])
    let now = scene.now
    scene.board.update(bar) {
      $0.reset(at: now)
      $0.setRange(from: 0, to: 200, at: now)
      $0.setValue(40, at: now)
    }
    scene.board.setLabel("bar", of: bar)
    scene.board.setFacts(["egg"], of: bar)
    // The position glides from one range to the other.
    scene.draw(after: .seconds(1))
    #expect(scene.rows == ["bar 20%"] && scene.screen.text.contains("  egg"))
  }

  // test_progress_max_refresh: there, a column can be drawn less often than the others.
  @Test func `A label that changes between two frames is drawn with the second`() {
    var scene = BoardScene()
    let bar = scene.add("start")
    scene.draw()
    var labels: [String] = []
    for tick in 0..<6 {
      scene.board.setLabel("tick \(tick)", of: bar)
      scene.draw(after: .milliseconds(50))
      labels += scene.rows
    }
    #expect(
      labels == ["start", "tick 1", "tick 1", "tick 3", "tick 3", "tick 5"].map { "\($0) 0%" })
  }

  // test_live: test_growing_display_file_console.
  @Test func `For a screen reader and in a pipe nothing is redrawn`() {
    for interface in [BarsInterface.lines, .sparseLines] {
      var scene = BoardScene(.full, interface)
      let bar = scene.add("load")
      var text = ""
      for tenth in 1...10 {
        scene.set(bar, Double(tenth) / 10)
        scene.draw(after: .seconds(20))
        text += String(decoding: scene.written, as: UTF8.self)
      }
      #expect(!text.contains("\u{1B}") && !text.contains("\r"))
      #expect(text.hasSuffix("load: 100%\n"))
      #expect(text.split(separator: "\n").count == (interface == .lines ? 10 : 4))
    }
  }

  // MARK: Live rows

  // test_live: test_growing_display.
  @Test func `A region that grows by a row each frame has each of its rows once`() {
    var scene = BoardScene(columns: 60, rows: 80)
    for step in 0..<10 {
      _ = scene.add("Step \(step)")
      scene.draw()
      #expect(scene.rows == (0...step).map { "Step \($0) 0%" })
    }
    #expect(scene.screen.allText.split(separator: "\n").count == 10)
  }

  // test_live: test_growing_display_transient.
  @Test func `A region that has grown is taken away whole`() {
    var scene = BoardScene(columns: 60, rows: 80)
    scene.screen.write("$ ./steps\r\n")
    for step in 0..<10 {
      _ = scene.add("Step \(step)")
      scene.draw()
    }
    scene.withdraw()
    #expect(scene.screen.allText == "$ ./steps")
  }

  // test_live: test_growing_display_overflow_ellipsis, test_growing_display_overflow_crop; test_growing_display_overflow_visible
  // scrolls the screen.
  @Test func `A region that outgrows its terminal ends with a count and does not scroll`() {
    var scene = BoardScene(columns: 60, rows: 5)
    for step in 0..<10 {
      _ = scene.add("Step \(step)")
      scene.draw()
      #expect(scene.screen.allText == scene.screen.text)
    }
    #expect(scene.rows == ["Step 0 0%", "Step 1 0%", "Step 2 0%", "  … and 7 more"])
  }

  // test_live: test_growing_display_console_redirect.
  @Test func `Messages between the frames of a region that grows stay in order above it`() {
    var scene = BoardScene(columns: 60, rows: 80)
    for step in 0..<10 {
      scene.board.print("Running step \(step)")
      scene.draw()
      _ = scene.add("Step \(step)")
      scene.draw()
    }
    #expect(
      scene.rows == (0..<10).map { "Running step \($0)" } + (0..<10).map { "Step \($0) 0%" })
  }

  // test_live: test_growing_display_file_console.
  @Test func `In a file each bar that ends is a line, and nothing is written twice`() {
    var scene = BoardScene(.gray, .lines)
    var text = ""
    for step in 0..<10 {
      let bar = scene.add("Step \(step)")
      scene.draw()
      scene.end(bar, .succeeded)
      scene.draw()
      text += String(decoding: scene.written, as: UTF8.self)
    }
    #expect(text == (0..<10).map { "Step \($0): done in 0.1s\n" }.joined())
  }
}
