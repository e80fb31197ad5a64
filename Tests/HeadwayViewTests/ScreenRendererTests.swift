import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The live region over a run.
struct ScreenRendererTests {
  /// A run of five tasks, up to the moment when three of them run.
  private func started(
    style: TerminalStyle = .gray, columns: Int = 80, rows: Int = 24
  ) -> Rehearsal {
    let sample = sample(
      ["fetch", "build", "lint", "文档 docs", "publish"],
      expected: [.seconds(1), .seconds(10), .seconds(2), nil, .seconds(1)],
      tails: [1: "[1/9] core.c\n[2/9] \u{1B}[31mmain.c\u{1B}[0m\n", 2: "error: \u{1B}[2Jx\n"]
    ) { graph in
      graph.addDependency(of: 4, on: 2)
    }
    var run = Rehearsal(sample, style: style, hidesCursor: true, columns: columns, rows: rows)
    run.screen.write("$ headway run release.yaml\r\n")
    run.draw(0)
    run.play(0, .runStarted(tasks: 5, workers: 3))
    run.play(0, .taskStarted(0, attempt: 1))
    run.play(0.9, .taskEnded(0, .succeeded, attempts: 1, ran: .milliseconds(900)))
    run.play(1, .taskStarted(1, attempt: 1))
    run.play(1, .taskStarted(2, attempt: 1))
    run.play(1, .taskStarted(3, attempt: 1))
    return run
  }

  @Test func `Nothing is drawn in the first moment`() {
    var run = Rehearsal(sample(["fetch"]), style: .full)
    run.play(0, .runStarted(tasks: 1, workers: 1))
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(0.199)
    #expect(run.written.isEmpty)
    #expect(run.renderer.nextFrame(after: .zero) == ScreenRegion.delay)
    run.draw(0.2)
    #expect(!run.written.isEmpty)
  }

  @Test func `While no machine has started, the header says why, and the bar stands still`() {
    var run = Rehearsal(
      sample(["fetch", "build"], expected: [.seconds(4), .seconds(4)]), style: .gray, columns: 100)
    func wait(_ seconds: Double, _ count: Int, _ reason: String, _ advice: String? = nil) {
      run.play(
        seconds,
        .workersWaiting(
          RunEvent.WorkersWaiting(
            count: count, reason: reason, start: .seconds(100), advice: advice)))
    }
    run.play(0, .runStarted(tasks: 2, workers: 1))
    wait(0, 1, "")
    wait(2, 1, "Priority")
    run.draw(40)
    #expect(
      run.screen.text == """
        release    ────────────────────────    0%  0 of 2 · 40s · 1 job queued (Priority), in about 1m00s
        """)
    wait(41, 1, "JobHeldUser", "scontrol release 3 lets it start")
    run.draw(42)
    #expect(
      run.screen.text.hasPrefix(
        "waiting for 1 Slurm job (JobHeldUser), in about 59s; scontrol release 3 lets it start\n"))
    #expect(run.screen.text.contains("  0%"))
    wait(50, 0, "")
    run.play(50, .taskStarted(0, attempt: 1))
    run.draw(51)
    #expect(run.screen.text.contains("fetch"))
    #expect(!run.screen.text.contains("queued"))
  }

  @Test func `A running plan is a header, a row a task and the output of one`() {
    var run = started()
    run.draw(4)
    #expect(
      run.screen.text == """
        $ headway run release.yaml
        ✓ fetch          0.9s
        release      ━━━━╸──────────────   24%  1 of 5 · 4s · up to 20 s left
        ▸ build      ━━━━━╸─────────────    3s  about 7 s left
        • lint       ━━━━━━━━━━━━━──────    3s  usually 2.0s
        • 文档 docs  ─────────━━━━━╸────    3s
          │ [1/9] core.c
          │ [2/9] main.c
        """)
    #expect(!run.screen.isCursorVisible && !run.screen.isUpdating)
  }

  @Test func `The cursor is hidden only where somebody shows it again whatever happens`() {
    var run = Rehearsal(sample(["fetch"]), style: .gray)
    run.play(0, .runStarted(tasks: 1, workers: 1))
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(1)
    #expect(run.screen.text.contains("fetch") && run.screen.isCursorVisible)
  }

  @Test func `A failure stays above with the end of its log`() {
    var run = started()
    run.draw(4)
    run.play(4, .taskEnded(2, .failed(.exited(code: 7)), attempts: 1, ran: .seconds(3)))
    run.play(
      4, .taskRetrying(3, attempt: 2, delay: .seconds(3), because: .failed(.signalled(number: 9))))
    run.play(4, .runEnding(.failure(2)))
    run.draw(5)
    #expect(
      run.screen.text == """
        $ headway run release.yaml
        ✓ fetch          0.9s
        ✗ lint           3.0s  exit 7
          │ error: x
            log: logs/2.log
        ↻ 文档 docs            failed on signal 9 (SIGKILL), attempt 2 in 3s
        release      ━━━━━━╸────────────   35%  2/5 · 1 failed · 5s · 6s left
        ▸ build      ━━━━━━━╸───────────    4s  about 6 s left
        ↻ 文档 docs  ───────────────────    4s  again in 2s
          │ [1/9] core.c
          │ [2/9] main.c
        """)
  }

  @Test func `At the end there is the result and nothing live`() {
    var run = started()
    run.draw(4)
    run.play(4, .taskEnded(2, .failed(.exited(code: 7)), attempts: 1, ran: .seconds(3)))
    run.play(9, .taskEnded(3, .timedOut(limit: .seconds(2)), attempts: 2, ran: .seconds(8)))
    run.draw(9)
    run.play(11, .taskEnded(1, .skipped(.upToDate), attempts: 0, ran: .zero))
    run.play(11, .taskEnded(4, .skipped(.needs(2)), attempts: 0, ran: .zero))
    run.play(11, .runEnded)
    #expect(
      run.screen.allText == """
        $ headway run release.yaml
        ✓ fetch          0.9s
        ✗ lint           3.0s  exit 7
          │ error: x
            log: logs/2.log
        ✗ 文档 docs      8.0s  timed out after 2s  attempt 2
        = build    up to date

          task     state        time  usually
        ○ publish  skipped         –     1.0s  needs lint, which failed

        release: 1 succeeded, 1 up to date, 1 failed, 1 timed out, 1 skipped in 11.0s
        """)
    #expect(run.screen.isCursorVisible)
    run.draw(12)
    #expect(run.written.isEmpty && run.renderer.nextFrame(after: .seconds(12)) == nil)
  }

  @Test func `The table has all tasks once their lines have left the screen`() {
    var run = started(rows: 7)
    run.draw(4)
    for (task, time) in [(1, 5.0), (2, 6), (3, 7), (4, 8)] {
      run.play(time, .taskEnded(TaskID(task), .succeeded, attempts: 1, ran: .seconds(1)))
      run.draw(time)
    }
    run.play(9, .runEnded)
    #expect(
      run.screen.allText.hasSuffix(
        """
        ✓ publish        1.0s

          task       state        time  usually
        ✓ fetch      succeeded    0.9s     1.0s
        ✓ build      succeeded    1.0s    10.0s
        ✓ lint       succeeded    1.0s     2.0s
        ✓ 文档 docs  succeeded    1.0s        –
        ✓ publish    succeeded    1.0s     1.0s

        release: 5 succeeded in 9.0s (16.2s predicted)
        """), "\(run.screen.allText)")
  }

  @Test func `A short plan prints each result once`() {
    var run = started()
    run.draw(4)
    for task in 1...4 {
      run.play(5, .taskEnded(TaskID(task), .succeeded, attempts: 1, ran: .seconds(1)))
    }
    run.play(9, .runEnded)
    #expect(
      run.screen.allText == """
        $ headway run release.yaml
        ✓ fetch          0.9s
        ✓ build          1.0s
        ✓ lint           1.0s
        ✓ 文档 docs      1.0s
        ✓ publish        1.0s

        release: 5 succeeded in 9.0s (16.2s predicted)
        """)
  }

  @Test func `A wide terminal has wide bars`() {
    var run = started(columns: 200)
    run.draw(4)
    #expect(
      run.screen.text == """
        $ headway run release.yaml
        ✓ fetch          0.9s
        release      ━━━━━━━━━━━━─────────────────────────────────────   24%  1 of 5 · 4s · up to 20 s left
        ▸ build      ━━━━━━━━━━━━━━╸──────────────────────────────────    3s  about 7 s left
        • lint       ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸───────────────    3s  usually 2.0s
        • 文档 docs  ───────────────────────━━━━━━━━━━━━━━╸───────────    3s
          │ [1/9] core.c
          │ [2/9] main.c
        """)
  }

  @Test func `A frame in which nothing changed writes nothing, and one that moved little`() {
    var run = Rehearsal(sample(["fetch", "build"], expected: [.seconds(100), nil]), style: .gray)
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(4.1)
    run.draw(4.2)
    #expect(run.writtenText == "")
    run.draw(5.2)
    #expect(run.screen.text.contains("5s") && run.written.count < 80)
    run.draw(5.3)
    #expect(run.writtenText == "\u{1B}7\u{1B}[1A\u{1B}[12G━\u{1B}8")
  }

  @Test func `Frames keep their distance`() {
    var run = started()
    run.draw(4)
    run.play(4, .taskEnded(1, .succeeded, attempts: 1, ran: .seconds(3)))
    run.draw(4.05)
    #expect(run.written.isEmpty)
    #expect(run.renderer.nextFrame(after: .milliseconds(4050)) == .milliseconds(4100))
  }

  @Test func `A narrow terminal shows names and times`() {
    var run = started(columns: 20, rows: 8)
    run.draw(4)
    #expect(
      run.screen.text == """
        ✓ fetch        0.9s
        release 24% 1/5
        ▸ build        3s
        • lint         3s
        • 文档 docs    3s
          │ [1/9] core.c
          │ [2/9] main.c
        """)
  }

  @Test(arguments: [(1, 1), (1, 2), (2, 2), (1, 24), (80, 1), (3, 3), (80, 2)])
  func `No size is too small`(columns: Int, rows: Int) {
    var run = started(columns: columns, rows: rows)
    run.draw(4)
    run.play(5, .taskEnded(1, .failed(.exited(code: 1)), attempts: 1, ran: .seconds(1)))
    run.draw(6)
    run.play(7, .runEnded)
    #expect(run.screen.isCursorVisible)
  }

  @Test(arguments: [60, 45, 40, 79, 81, 200])
  func `A new width leaves nothing of the old region`(columns: Int) {
    var run = started()
    run.draw(4)
    run.resize(columns: columns, rows: 24)
    run.draw(5)
    run.play(6, .taskEnded(3, .succeeded, attempts: 1, ran: .seconds(5)))
    run.draw(7)
    let all = run.screen.allText
    for part in ["• build", "▸ build", "core.c", "release  "] {
      #expect(all.split(separator: part, omittingEmptySubsequences: false).count <= 2, "\(all)")
    }
  }

  @Test(arguments: [70, 60, 55, 50])
  func `A frame for the old width on a screen that is narrower already leaves nothing`(
    columns: Int
  ) {
    var run = started()
    run.draw(4)
    run.resize(columns: columns, rows: 24)
    // The program learns of the new size a moment later.
    for time in [4.5, 5.1] {
      var bytes: [UInt8] = []
      run.renderer.frame(
        at: .milliseconds(Int(time * 1000)), size: TerminalSize(columns: 80, rows: 24), into: &bytes
      )
      #expect(!bytes.isEmpty)
      run.screen.write(bytes)
    }
    run.draw(6)
    let all = run.screen.allText
    for part in ["build", "lint", "docs", "core.c", "release  "] {
      #expect(all.components(of: part) == 1, "\(all)")
    }
    #expect(all.split(separator: "\n").count == 8)
  }

  @Test func `Many tasks fold into a count`() {
    let names = (0..<70).map { "shard \($0)" }
    var run = Rehearsal(sample(names), style: .ascii, columns: 60, rows: 16)
    run.play(0, .runStarted(tasks: 70, workers: 64))
    for place in 0..<64 { run.play(0, .taskStarted(TaskID(place), attempt: 1)) }
    run.draw(2)
    #expect(
      run.screen.text == """
        release     --------    8%  0/70, 2s
        * shard 0   ----##--    2s
        * shard 1   ----##--    2s
        * shard 2   ----##--    2s
        * shard 3   ----##--    2s
        * shard 4   ----##--    2s
        * shard 5   ----##--    2s
          ... and 58 more running
        """)
  }

  @Test func `A key shows the output of another task`() {
    let sample = sample(["one", "two"], tails: [0: "first\n", 1: "second\n"])
    var run = Rehearsal(sample, style: .gray)
    run.play(0, .taskStarted(0, attempt: 1))
    run.play(0, .taskStarted(1, attempt: 1))
    run.draw(1)
    #expect(run.screen.text.contains("▸ one") && run.screen.text.contains("│ first"))
    run.renderer.press(0x09)
    run.draw(2)
    #expect(run.screen.text.contains("▸ two") && run.screen.text.contains("│ second"))
    run.renderer.press(UInt8(ascii: "1"))
    run.draw(3)
    #expect(run.screen.text.contains("▸ one"))
    run.renderer.press(UInt8(ascii: "p"))
    run.renderer.press(UInt8(ascii: "x"))
    run.draw(4)
    #expect(run.screen.text.contains("▸ two"))
    run.play(5, .taskEnded(1, .succeeded, attempts: 1, ran: .seconds(5)))
    run.draw(5)
    #expect(run.screen.text.contains("▸ one"))
  }

  @Test func `Keys go to the next and the previous task, and around the ends`() {
    let names = ["one", "two", "three"]
    var run = Rehearsal(sample(names, tails: [0: "1\n", 1: "2\n", 2: "3\n"]), style: .gray)
    for index in names.indices { run.play(0, .taskStarted(TaskID(index), attempt: 1)) }
    run.draw(1)
    #expect(run.screen.text.contains("▸ one"))
    let presses: [(Character, String)] = [
      ("p", "three"), ("k", "two"), ("n", "three"), ("j", "one"), ("\t", "two"), ("p", "one"),
    ]
    for (place, (key, chosen)) in presses.enumerated() {
      run.renderer.press(key.asciiValue ?? 0)
      run.draw(2 + Double(place))
      #expect(run.screen.text.contains("▸ \(chosen)"), "after the key number \(place)")
    }
  }

  @Test func `Long output is shown from the beginning of a line`() {
    let output = String(repeating: "x", count: 3_000) + "\nfirst\nsecond\nthird\n"
    var run = Rehearsal(sample(["build"], tails: [0: output]), style: .gray)
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(1)
    #expect(run.screen.text.hasSuffix("\n  │ first\n  │ second\n  │ third"))
    #expect(!run.screen.text.contains("xxx"))
  }

  @Test func `Without color there is no color but a live bar`() {
    var run = started(style: .gray)
    run.draw(4)
    #expect(!run.writtenText.contains("m━") && !run.writtenText.contains("[0"))
    #expect(run.writtenText.contains("━"))
    var ascii = started(style: .ascii)
    ascii.draw(4)
    #expect(ascii.screen.text.contains("#") && !ascii.writtenText.contains("━"))
  }

  @Test func `A large run prints failures and counts successes`() {
    let names = (0..<101).map { "shard \($0)" }
    var run = Rehearsal(sample(names), style: .ascii)
    for place in 0..<101 {
      run.play(0, .taskStarted(TaskID(place), attempt: 1))
      let outcome = place == 7 ? Outcome.failed(.notStarted(reason: "no\nshell")) : .succeeded
      run.play(1, .taskEnded(TaskID(place), outcome, attempts: 1, ran: .seconds(1)))
    }
    run.play(2, .runEnded)
    #expect(
      run.screen.allText == """
        x shard 7        1.0s  not started: no shell

        release: 100 succeeded, 1 failed in 2.0s
        """)
  }

  @Test func `Withdrawn is gone, and the next frame draws it again`() {
    var run = started()
    run.draw(4)
    var bytes: [UInt8] = []
    run.renderer.withdraw(into: &bytes)
    run.screen.write(bytes)
    #expect(run.screen.text == "$ headway run release.yaml\n✓ fetch          0.9s")
    #expect(run.screen.isCursorVisible)
    run.draw(4.01)
    #expect(run.screen.text.contains("▸ build"))
  }

  @Test func `Without an estimate, the bar of a run does not go beyond its forecasts`() {
    var run = Rehearsal(sample(["short", "long"]), style: .gray)
    for task in [0, 1] { run.play(0, .taskStarted(TaskID(task), attempt: 1)) }
    for tick in 1...60 {
      // A forecast each second: the first ones grow fast.
      run.draw(Double(tick) / 10, forecasts: tick % 10 == 0)
      let header = run.screen.text.split(separator: "\n").first { $0.hasPrefix("release") } ?? ""
      let percent = header.split(separator: " ").first { $0.hasSuffix("%") }?.dropLast()
      let shown = percent.flatMap { Int($0) } ?? 0
      #expect(Double(shown) <= (run.forecast?.fraction ?? 0) * 100 + 1, "\(tick): \(header)")
    }
    #expect(run.forecast.map { $0.remaining == nil && $0.fraction > 0.1 } == true)
  }

  @Test func `A narrow result has further rows, and no torn words`() {
    let names = ["compile the whole core", "publish"]
    var run = Rehearsal(sample(names), style: .gray, columns: 46)
    run.draw(0)
    run.play(0, .taskStarted(0, attempt: 1))
    run.play(1, .taskEnded(0, .failed(.signalled(number: 11)), attempts: 1, ran: .seconds(1)))
    run.play(1, .taskEnded(1, .skipped(.needs(0)), attempts: 0, ran: .zero))
    run.play(1, .runEnded)
    #expect(
      run.screen.text == """
        ✗ compile the whole core      1.0s
          signal 11 (SIGSEGV)

          task     state        time
        ○ publish  skipped         –
            needs compile the whole core, which failed

        release: 1 failed, 1 skipped in 1.0s
        """)
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
