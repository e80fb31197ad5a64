import HeadwayBar
import HeadwayCollections
import HeadwayProgress
import HeadwayTestSupport
import HeadwayText
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Bars that follow a progress tree, on a terminal in memory, with a clock that the test sets.
struct NodeBarsTests {
  /// A node with a child that are reported at random times, and the board that shows them.
  private struct Work {
    var random: SplitMix64
    let root: ProgressNode
    let child: ProgressNode
    var board: BarBoard
    var bars = NodeBars()
    var screen = TerminalScreen(size: TerminalSize(columns: 80, rows: 24))
    var now = Duration.zero

    init(seed: UInt64, _ interface: BarsInterface) {
      random = SplitMix64(seed: seed)
      root = ProgressNode("root", total: Int.random(in: 2...10_000, using: &random))
      // A child that stands for nothing, so that each fraction is that of the counts beside it.
      child = root.child("child", units: 0, total: Int.random(in: 2...10, using: &random))
      board = BarBoard(style: .gray, interface: interface)
    }

    /// Completes a random part of what is left, often in a burst.
    mutating func report() {
      for node in [root, child] {
        let total = node.total ?? 0
        let most = Bool.random(using: &random) ? total : 1 + total / 100
        node.complete(Int.random(in: 0...most, using: &random).clamped(to: total - node.completed))
      }
      bars.show(root.snapshot(), on: &board, at: now)
    }

    /// Draws all frames until the next report, and checks the output of each.
    mutating func draw(_ check: (Work, String) -> Void) {
      let end = now + .milliseconds(Int64.random(in: 1...20_000, using: &random))
      while let next = board.nextFrame(after: now), next < end {
        now = max(now, next)
        var output: [UInt8] = []
        board.frame(at: now, size: screen.size, into: &output)
        screen.write(output)
        check(self, String(decoding: output, as: UTF8.self))
      }
      now = end
    }

    /// What must be beside the bar of a node.
    func counts(of node: ProgressNode) -> String {
      let total = node.total ?? 0
      // A node is complete only when it has finished.
      return
        "\(min(99, node.completed * 100 / total))%, \(grouped(node.completed)) / \(grouped(total))"
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `In a terminal counted work is shown as it is counted`(seed: UInt64) throws {
    var work = Work(seed: seed, .live)
    for _ in 0..<20 {
      work.report()
      work.draw { work, _ in
        let rows = work.screen.text.split(separator: "\n")
        #expect(rows.count == 2)
        for (row, node) in zip(rows, [work.root, work.child]) {
          guard
            let shown = row.wholeMatch(of: /[• a-z]+([━╸─]+) +(\d+%)  ([0-9,]+ \/ [0-9,]+)( · .*)?/)
          else {
            Issue.record("\(row)")
            continue
          }
          #expect("\(shown.2), \(shown.3)" == work.counts(of: node))
          let cells = shown.1.reduce(0.0) { $0 + ($1 == "━" ? 1 : $1 == "╸" ? 0.5 : 0) }
          let counted = Double(node.completed) / Double(node.total ?? 0)
          #expect(abs(cells - counted * Double(shown.1.count)) <= 1, "\(row)")
        }
      }
    }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `Lines say exactly what is counted`(seed: UInt64) {
    var work = Work(seed: seed, .lines)
    for _ in 0..<20 {
      work.report()
      work.draw { work, output in
        for line in output.split(separator: "\n") {
          let node = line.hasPrefix("root:") ? work.root : work.child
          let counts = "\(node === work.root ? "root" : "root > child"): \(work.counts(of: node))"
          #expect(line == counts || line.hasPrefix(counts + ", "), "\(line)")
        }
      }
    }
  }

  @Test func `A burst is shown at once, and slow work after it stands between its reports`() {
    var work = Work(seed: 0, .live)
    let node = ProgressNode("burst", total: 1000)
    var shown: [Substring] = []
    for (milliseconds, units) in [(300, 900), (800, 5), (800, 5)] {
      node.complete(units)
      work.now += .milliseconds(milliseconds)
      work.bars.show(node.snapshot(), on: &work.board, at: work.now)
      work.draw { work, _ in
        let row = work.screen.text.firstMatch(of: /[0-9]+%  [0-9]+/)?.0 ?? "none"
        if row != shown.last { shown.append(row) }
      }
    }
    #expect(shown == ["90%  900", "90%  905", "91%  910"])
  }

  /// A change of a node, and when it is drawn afterwards.
  private typealias Step = (second: Double, change: (ProgressNode) -> Void)

  /// Draws a node at the seconds that are given, after each change.
  private func rows(
    of node: ProgressNode, _ changes: [Step]
  ) -> [String] {
    var board = BarBoard(style: .gray)
    var bars = NodeBars()
    var screen = TerminalScreen(size: TerminalSize(columns: 100, rows: 24))
    bars.show(node.snapshot(), on: &board, at: .zero)
    var rows: [String] = []
    for (second, change) in changes {
      change(node)
      var output: [UInt8] = []
      bars.show(node.snapshot(), on: &board, at: .seconds(second))
      board.frame(at: .seconds(second), size: screen.size, into: &output)
      screen.write(output)
      rows.append(screen.text)
    }
    bars.end(.succeeded, on: &board, at: .seconds(changes.last?.second ?? 0))
    var output: [UInt8] = []
    board.withdraw(into: &output)
    screen.write(output)
    rows.append(screen.text)
    return rows
  }

  @Test func `Work that nothing counts has no counts, no speed and no remaining time`() {
    let node = ProgressNode("sign in", total: 1_000_000)
    node.kind = .estimated
    let rows = rows(
      of: node,
      (1...8).map { second in (Double(second), { $0.complete(100_000) }) })
    for row in rows {
      #expect(!row.contains("/") && !row.contains("left") && !row.contains("000"), "\(row)")
    }
    #expect(rows[7].hasSuffix("80%"))
    #expect(rows[8].hasPrefix("✓ sign in") && rows[8].hasSuffix("s"))
  }

  @Test func `The remaining time that a node says wins over that of its counts`() {
    let node = ProgressNode("copy", total: 100)
    let rows = rows(
      of: node,
      [
        (1, { $0.complete(10) }), (2, { $0.complete(10) }),
        (3, { $0.remainingTime = .seconds(40) }),
        (4, { $0.remainingTime = nil }),
      ])
    #expect(rows[1].hasSuffix("8 s left") && rows[2].hasSuffix("40 s left"))
    #expect(!rows[3].hasSuffix("40 s left") && rows[3].hasSuffix("s left"))
  }

  @Test func `A task that begins to count after it was shown by its duration shows its counts`() {
    let node = ProgressNode("task", total: 1_000_000)
    node.kind = .estimated
    let rows = rows(
      of: node,
      [
        (1, { $0.setCompleted(400_000) }),
        (
          2,
          { node in
            node.setCompleted(0)
            (node.kind, node.total) = (.work, 10)
          }
        ), (3, { $0.complete(5) }),
      ])
    #expect(!rows[0].contains("/") && rows[2].contains("5 / 10"))
  }

  @Test func `A bar goes back together with the counts beside it`() {
    let node = ProgressNode("jobs", total: 1)
    let rows = rows(
      of: node,
      [
        (1, { $0.complete(1) }), (2, { $0.addToTotal(9) }), (3, { $0.complete(4) }),
        (4, { $0.takeBack(2) }),
      ]
    ).dropLast()
    // The cells of the bar that are full, of ten.
    let tenths = rows.map { row in
      let cells = row.filter { "━╸─".contains($0) }
      return (20 * cells.count { $0 == "━" } + cells.count) / max(2 * cells.count, 1)
    }
    // What is taken back stays in both.
    #expect(tenths == [10, 1, 5, 5], "\(rows)")
    #expect(rows[1].contains("1 / 10") && rows[3].contains("5 / 10"))
  }

  @Test func `A bar stays where it is while a part of the work that is not counted begins again`() {
    let node = ProgressNode("jobs", total: 4)
    node.complete(1)
    let child = node.child("job", units: 2, total: 10)
    let rows = rows(
      of: node, [(1, { _ in child.complete(5) }), (2, { _ in child.setCompleted(0) })]
    ).dropLast()
    #expect(
      rows.map { $0.split(separator: "\n")[0].firstMatch(of: /[0-9]+%  1 \/ 4/)?.0 }
        == ["50%  1 / 4", "50%  1 / 4"])
  }

  @Test func `Units that a tree skips do not count as speed`() {
    let root = ProgressNode("all", total: 10)
    let child = root.child("files", units: 10, total: 1_000)
    let skipping = (1...8).map { step -> Step in (Double(step) * 0.2, { _ in child.skip(100) }) }
    let working = (1...10).map { step -> Step in (2 + Double(step), { _ in child.complete(1) }) }
    let screens = rows(of: root, skipping + working)
    // 190 at one a second, in both rows, rounded up.
    let rows = screens[17].split(separator: "\n")
    #expect(rows.count == 2 && rows.allSatisfy { $0.hasSuffix("4 min left") }, "\(rows)")
    #expect(root.snapshot().completed == 0 && child.completed == 810)
  }

  @Test func `The bar of a child disappears when the child finishes`() {
    let root = ProgressNode("root", total: 2)
    let child = root.child("child", units: 1, total: 10)
    var board = BarBoard(style: .gray)
    var bars = NodeBars()
    var screen = TerminalScreen(size: TerminalSize(columns: 80, rows: 24))
    for second in 1...2 {
      if second == 2 { child.finish() }
      bars.show(root.snapshot(), on: &board, at: .seconds(second))
      var output: [UInt8] = []
      board.frame(at: .seconds(second), size: screen.size, into: &output)
      screen.write(output)
      let names = screen.text.split(separator: "\n").map { $0.prefix { !"━╸─".contains($0) } }
      #expect(names == (second == 1 ? ["root     ", "• child  "] : ["root     "]))
    }
  }

  /// The lines that the children of a tree leave.
  private func lines(
    limit: Int = 1000, _ body: (ProgressNode) -> [() -> Void]
  ) -> [String] {
    let root = ProgressNode("root", total: 2)
    var board = BarBoard(style: .gray, interface: .lines)
    var bars = NodeBars(leavesChildLines: true)
    var output: [UInt8] = []
    bars.show(root.snapshot(limit: limit), on: &board, at: .zero)
    for (index, step) in body(root).enumerated() {
      let now = Duration.seconds(index + 1)
      step()
      bars.show(root.snapshot(limit: limit), on: &board, at: now)
      board.frame(at: now, size: TerminalSize(columns: 80, rows: 24), into: &output)
    }
    return String(decoding: output, as: UTF8.self).split(separator: "\n")
      .filter { !$0.contains("%") }.map { String($0) }
  }

  @Test func `Children leave a line each if they are asked to, the inner ones first`() {
    let lines = lines { root in
      let outer = root.child("outer", units: 1, total: 4)
      let inner = outer.child("inner", units: 1, total: 10)
      let other = root.child("other", units: 1, total: 10)
      return [
        { inner.complete(3) },
        {
          inner.complete(7)
          inner.finish()
          outer.finish()
        },
        { other.cancel() },
        { other.finish() },
      ]
    }
    #expect(
      lines == [
        "root > outer > inner: done in 1.0s, 10, 7.0/s", "root > outer: done in 1.0s, 4, 3.7/s",
        "root > other: stopped after 3.0s, cancelled",
      ])
  }

  @Test func `A child that is left out because there are too many has not ended`() {
    var children: [ProgressNode] = []
    let lines = lines(limit: 3) { root in
      children.append(root.child("outer", units: 1, total: 4))
      return [
        { children.append(children[0].child("inner", units: 1, total: 10)) },
        { children.append(root.child("other", units: 1, total: 10)) },
        { children[0].complete(1) },
      ]
    }
    #expect(lines.isEmpty)
  }

  @Test func `A line of a bar that glides says what was reported`() {
    var board = BarBoard(style: .gray, interface: .lines)
    let bar = board.add("fetch", .init(source: .forecast), at: .zero)
    board.update(bar) { $0.report(0.52, rate: 0.1, at: .seconds(1)) }
    var output: [UInt8] = []
    for second in 1...70 {
      board.frame(at: .seconds(second), size: TerminalSize(columns: 80, rows: 24), into: &output)
    }
    #expect(String(decoding: output, as: UTF8.self) == "fetch: 52%\nfetch: 52%\n")
  }
}

extension Int {
  /// The number, or the limit if it is greater.
  fileprivate func clamped(to limit: Int) -> Int { Swift.min(self, limit) }
}
