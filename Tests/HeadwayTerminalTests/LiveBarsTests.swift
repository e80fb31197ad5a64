import Dispatch
import Glibc
import HeadwayBar
import HeadwayProgress
import HeadwayTerminal
import HeadwayTestSupport
import ProcessFixtures
import TerminalFixtures
import Testing

/// Bars in the terminal of a program.
struct LiveBarsTests {
  /// An error of some work.
  private struct Mishap: Error {}

  @Test func `In a terminal bars are drawn, printed above, suspended and taken away`() {
    let terminal = Pty(columns: 60, rows: 10)
    let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
    let fetch = bars.add("fetch", total: 200)
    fetch.setFacts("3.2 MB/s")
    let unpack = fetch.add("unpack", total: nil)
    fetch.report(100)
    #expect(terminal.wait(for: "3.2 MB/s"))
    bars.print("a line above")
    #expect(terminal.wait(for: "a line above"))
    #expect(terminal.wait(for: "50%"))
    let isFree = bars.suspend(within: .seconds(60))
    #expect(isFree)
    while terminal.read(for: 0) {}
    #expect(terminal.screen.text == "a line above")
    bars.withoutBars { _ = unsafe write(terminal.slave, "from outside\r\n", 14) }
    bars.resume()
    #expect(terminal.wait(for: "from outside\nfetch"))
    unpack.end(.removed)
    fetch.end(note: "200 files")
    #expect(bars.finish())
    while terminal.read(for: 0) {}
    let lines = terminal.screen.text.split(separator: "\n")
    #expect(lines.prefix(2) == ["a line above", "from outside"])
    #expect(lines.count == 3 && lines[2].hasPrefix("✓ fetch"), "\(terminal.screen.text)")
    #expect(lines[2].hasSuffix("s  200 files"))
    #expect(!terminal.output.contains { $0 == 0x07 })
    // The cursor was never hidden, so that nothing has to show it again.
    #expect(terminal.output.firstRange(of: Array("?25".utf8)) == nil)
  }

  @Test func `A narrower terminal is drawn anew without a stale cell`() {
    let terminal = Pty(columns: 100, rows: 20)
    let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
    let all = (0..<5).map { bars.add("bar number \($0)", total: 10) }
    #expect(terminal.wait(for: "number 4"))
    // Suspended, so that no frame is under way while the size changes.
    #expect(bars.suspend(within: .seconds(60)))
    while terminal.read(for: 0) {}
    bars.resume()
    #expect(terminal.wait(for: "number 4"))
    while terminal.read(for: 0) {}
    terminal.resize(columns: 30, rows: 20)
    all[2].report(9)
    #expect(terminal.wait(for: "90%"))
    let screen = terminal.screen
    for number in 0..<5 {
      #expect(screen.allText.ranges(of: "bar number \(number)").count == 1, "\(screen.allText)")
    }
    #expect(screen.allText.split(separator: "\n").count == 5)
    bars.finish()
  }

  @Test func `Bars that stand still are drawn anew in a new size`() {
    let terminal = Pty(columns: 100, rows: 20)
    let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
    for number in 0..<3 { _ = bars.add("bar number \(number)", total: 10) }
    #expect(terminal.wait(for: "number 2"))
    while terminal.read(for: 0) {}
    #expect(!terminal.screen.text.contains("number 2    0%"))
    terminal.resize(columns: 30, rows: 20)
    #expect(terminal.wait(for: "number 2    0%"))
    #expect(terminal.screen.allText.split(separator: "\n").count == 3)
    terminal.resize(columns: 30, rows: 3)
    #expect(terminal.wait(for: "and 2 more"))
    // No room for a single bar, and room again.
    terminal.resize(columns: 30, rows: 1)
    #expect(terminal.read(for: 120_000))
    terminal.resize(columns: 30, rows: 20)
    #expect(terminal.wait(for: "number 2    0%"))
    bars.finish()
  }

  @Test func `A bar that is added while the others stand still is drawn`() throws {
    let terminal = Pty(columns: 60, rows: 20)
    let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
    for number in 1...3 {
      _ = bars.add("bar number \(number)", total: 10)
      try #require(terminal.wait(for: "bar number \(number)"))
    }
    bars.finish()
  }

  @Test func `In a pipe there are lines, and nothing before two hundred milliseconds`() {
    let pipe = Pipe()
    let bars = LiveBars(output: pipe.writer, style: .full, interface: .lines)
    let quick = bars.add("quick")
    quick.report(1)
    quick.end(.removed)
    let work = bars.add("work", total: 4)
    work.report(2)
    work.end(.failed, note: "no room")
    bars.print("\u{1B}[2Jand more")
    #expect(bars.finish())
    #expect(bars.finish())
    let text = pipe.readAll()
    #expect(
      text.wholeMatch(of: /work: failed after [0-9.]+m?s, no room\nand more\n/) != nil, "\(text)")
  }

  @Test func `What was printed to a pipe before comes before the lines of bars`() async {
    await #expect(processExitsWith: .success) {
      let pipe = Pipe()
      dup2(pipe.writer, STDOUT_FILENO)
      print("before")
      let bars = LiveBars(output: STDOUT_FILENO, style: .gray, interface: .lines)
      bars.print("a line of the bars")
      bars.finish()
      let text = "before\na line of the bars\n"
      let bytes = (0..<text.utf8.count).compactMap { _ in pipe.nextByte() }
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }

  @Test func `A reader that is gone ends the report and nothing else`() {
    let pipe = Pipe()
    close(pipe.reader)
    let bars = LiveBars(output: pipe.writer, style: .gray, interface: .live)
    let bar = bars.add("work", total: 1000)
    for step in 0..<1000 {
      bar.report(Double(step))
      bars.print("line \(step)")
    }
    #expect(bars.finish())
    close(pipe.writer)
  }

  /// A thread of its own for tasks: those of all tests stand in one queue, and may have to wait for long.
  private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "tasks")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  @Test func `A progress tree is followed to its end`() async throws {
    let terminal = Pty(columns: 80, rows: 20)
    let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
    let root = ProgressNode("release", total: 4)
    let child = root.child("build", units: 4, total: 10)
    try await withTaskExecutorPreference(OwnThread()) {
      async let following: Void = bars.follow(root)
      // The first snapshot contains this, as the thread is still busy here.
      child.complete(5)
      try #require(await terminal.sees("• build"))
      try #require(await terminal.sees("5 / 10"))
      try #require(await terminal.sees(" 50%"))
      child.complete(5)
      child.finish()
      root.finish()
      await following
    }
    bars.finish()
    while terminal.read(for: 0) {}
    let screen = terminal.screen
    #expect(screen.text.hasPrefix("✓ release") && screen.text.split(separator: "\n").count == 1)
  }

  @Test(
    arguments: [
      (nil, false, "done in"), (Mishap(), false, "failed after"), (Mishap(), true, "stopped after"),
      (CancellationError(), false, "stopped after"),
    ] as [((any Error)?, Bool, String)])
  func `The line of a node says how its work ended`(
    error: (any Error)?, isCancelled: Bool, words: String
  ) async {
    let pipe = Pipe()
    let bars = LiveBars(output: pipe.writer, style: .gray, interface: .lines)
    let node = ProgressNode("fetch", total: 2)
    do {
      let size = try await bars.follow(node) {
        node.complete(1)
        if isCancelled { node.cancel() }
        node.finish()
        if let error { throw error }
        return 7
      }
      #expect(error == nil && size == 7)
    } catch let thrown {
      #expect(error != nil, "\(thrown)")
    }
    bars.finish()
    let text = pipe.readAll()
    #expect(text.contains("fetch: \(words)") && text.split(separator: "\n").count == 1, "\(text)")
  }

  @Test(arguments: [
    (true, ["TERM": "xterm"], BarsInterface.live), (false, ["TERM": "xterm"], .lines),
    (true, ["TERM": "dumb"], .lines), (true, [:], .lines),
    (true, ["TERM": "x", "CI": "1"], .lines),
    (true, ["TERM": "x", "CI": ""], .live), (true, ["TERM": "x", "ACCESSIBLE": "1"], .sparseLines),
    (true, ["TERM": "x", "NO_COLOR": "1"], .live),
  ])
  func `The way to show bars fits the output`(
    isTerminal: Bool, environment: [String: String], way: BarsInterface
  ) {
    #expect(
      BarsInterface.fitting(isTerminal: isTerminal, environment: { environment[$0] }) == way)
  }
}
