import Dispatch
import Glibc
import HeadwayProgress
import HeadwayTerminal
import HeadwayTestSupport
import ProcessFixtures
import Synchronization
import TerminalFixtures
import Testing

/// Several owners of bars, and a program that prints, on one terminal.
struct SharedTerminalTests {
  /// A number that threads change.
  private final class Counter: Sendable {
    private let value: Atomic<Int>

    init(_ value: Int) { self.value = Atomic(value) }

    var isZero: Bool { value.load(ordering: .sequentiallyConsistent) == 0 }

    func countDown() { value.subtract(1, ordering: .sequentiallyConsistent) }
  }

  /// Writes to a terminal as another part of the program does.
  private func write(_ text: String, to terminal: Pty) {
    var text = text
    text.withUTF8 { _ = unsafe Glibc.write(terminal.slave, $0.baseAddress, $0.count) }
  }

  /// The lines on the screen, without times.
  private func lines(_ terminal: Pty) -> [String] {
    while terminal.read(for: 0) {}
    return terminal.screen.text.split(separator: "\n").map {
      String($0).replacing(#/  +[0-9.]+m?s.*/#, with: "")
    }
  }

  private func bars(on terminal: Pty) -> LiveBars {
    LiveBars(output: terminal.slave, style: .gray, interface: .live)
  }

  @Test func `Two owners of bars draw below each other, and print above both`() {
    let terminal = Pty(columns: 60, rows: 20)
    let (first, second) = (bars(on: terminal), bars(on: terminal))
    let fetch = first.add("fetch", total: 100)
    let resize = second.add("resize", total: 30)
    #expect(terminal.wait(for: "resize"))
    #expect(terminal.wait(for: "fetch"))
    for step in 1...10 {
      fetch.complete(3)
      resize.complete()
      if step == 4 { first.print("a line of the first") }
      if step == 6 { second.print("a line of the second") }
      #expect(terminal.wait(for: "\(3 * step) / 100"))
      #expect(terminal.wait(for: " \(step) / 30"))
    }
    #expect(terminal.wait(for: "of the second"))
    let names = lines(terminal).map { $0.prefix { $0 != "━" && $0 != "─" && $0 != "╸" } }
    #expect(
      names.map { $0.replacing(#/ +$/#, with: "") } == [
        "a line of the first", "a line of the second", "fetch", "resize",
      ])
    fetch.end()
    first.finish()
    resize.end()
    second.finish()
    write("Done!\r\n", to: terminal)
    #expect(
      lines(terminal) == [
        "a line of the first", "a line of the second", "✓ fetch", "✓ resize", "Done!",
      ])
  }

  @Test func `More owners than rows share them`() {
    let terminal = Pty(columns: 60, rows: 14)
    let owners = (0..<3).map { _ in bars(on: terminal) }
    let all = owners.enumerated().flatMap { number, bars in
      (0..<5).map { bars.add("bar \(number).\($0)", total: 10) }
    }
    #expect(terminal.wait(for: "bar 2.1"))
    for bar in all { bar.complete(5) }
    #expect(terminal.wait(for: "50%"))
    for bar in all { bar.end(.removed) }
    for bars in owners { bars.finish() }
    write("after\r\n", to: terminal)
    #expect(lines(terminal) == ["after"])
    #expect(terminal.screen.allText.split(separator: "\n") == ["after"])
  }

  @Test func `A terminal is left to others until all of them have given it back`() {
    let terminal = Pty(columns: 60, rows: 20)
    let (first, second) = (bars(on: terminal), bars(on: terminal))
    let fetch = first.add("fetch", total: 10)
    #expect(terminal.wait(for: "fetch"))
    first.withoutBars {
      write("outer 1\r\n", to: terminal)
      second.withoutBars { write("inner\r\n", to: terminal) }
      first.withoutBars { write("inner\r\n", to: terminal) }
      fetch.complete(5)
      // A pass of the thread that draws must not end what still goes on.
      first.resume()
      #expect(first.suspend(within: .seconds(60)))
      #expect(first.suspend(within: .seconds(60)))
      first.resume()
      write("outer 2\r\n", to: terminal)
      #expect(lines(terminal) == ["outer 1", "inner", "inner", "outer 2"])
    }
    #expect(terminal.wait(for: "50%"))
    fetch.end()
    first.finish()
    second.finish()
    #expect(lines(terminal) == ["outer 1", "inner", "inner", "outer 2", "✓ fetch"])
  }

  @Test(arguments: [true, false])
  func `What is written after the end of the last bar comes after its line`(isShown: Bool) {
    let terminal = Pty(columns: 60, rows: 20)
    let bars = bars(on: terminal)
    let fetch = bars.add("fetch", total: 10)
    if isShown { #expect(terminal.wait(for: "fetch")) }
    fetch.end()
    write("after a bar\r\n", to: terminal)
    for _ in (0..<3).reporting("loop", in: bars) {}
    write("after a loop\r\n", to: terminal)
    do {
      for number in (0..<3).reporting("thrown", in: bars) where number == 1 {
        throw CancellationError()
      }
    } catch {}
    write("after an error\r\n", to: terminal)
    #expect(
      lines(terminal) == [
        "✓ fetch", "after a bar", "✓ loop", "after a loop", "⊘ thrown", "after an error",
      ])
    bars.finish()
  }

  @Test func `What is written after a followed tree comes after its line`() async {
    let terminal = Pty(columns: 60, rows: 20)
    let bars = bars(on: terminal)
    await bars.follow(ProgressNode("tree", total: 2)) {}
    write("after a tree\r\n", to: terminal)
    #expect(lines(terminal) == ["✓ tree", "after a tree"])
    bars.finish()
  }

  @Test func `A terminal that takes nothing holds up the end of many bars once`() {
    let terminal = Pty(columns: 60, rows: 20)
    let bars = bars(on: terminal)
    #expect(tcflow(terminal.slave, TCOOFF) == 0)
    // Each would wait for half a second; the end of the test is the limit of the suite.
    for number in 0..<1_000 { bars.add("bar \(number)", total: 1).end() }
    #expect(tcflow(terminal.slave, TCOON) == 0)
    #expect(terminal.wait(for: "bar 999"))
    bars.finish()
  }

  @Test func `What a program prints while bars are shown comes above them`() async {
    await #expect(processExitsWith: .success) {
      let terminal = Pty(columns: 60, rows: 20)
      dup2(terminal.slave, STDOUT_FILENO)
      dup2(terminal.slave, STDERR_FILENO)
      let bars = LiveBars(style: .gray, interface: .live)
      print("before")
      let bar = bars.add("files", total: 4)
      #expect(terminal.wait(for: "files"))
      for number in 1...4 {
        print("result \(number)")
        unsafe perror("warning \(number)")
        bar.complete()
        #expect(terminal.wait(for: "\(number) / 4"))
        #expect(terminal.wait(for: "warning \(number)"))
      }
      print("What is your name? ", terminator: "")
      fflush(nil)
      #expect(terminal.wait(for: "name?"))
      print("Ada")
      #expect(terminal.wait(for: "Ada"))
      #expect(terminal.wait(for: "4 / 4"))
      bar.end()
      print("after")
      bars.finish()
      print("the end")
      while terminal.read(for: 0) {}
      let lines = terminal.screen.text.split(separator: "\n").map {
        $0.hasPrefix("warning") ? $0.prefix { $0 != ":" } : $0
      }
      #expect(
        lines.filter { !$0.hasPrefix("✓ files") } == [
          "before", "result 1", "warning 1", "result 2", "warning 2", "result 3", "warning 3",
          "result 4", "warning 4", "What is your name? Ada", "after", "the end",
        ], "\(terminal.screen.text)")
      #expect(lines.firstIndex { $0.hasPrefix("✓ files") } == 10)
    }
  }

  @Test func `Threads that print while bars come and go lose no line`() async {
    await #expect(processExitsWith: .success) {
      let terminal = Pty(columns: 60, rows: 1_000)
      dup2(terminal.slave, STDOUT_FILENO)
      let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
      let left = Counter(4)
      for thread in 0..<4 {
        DispatchQueue(label: "printer").async {
          for number in 0..<50 {
            if number % 10 == thread { bars.add("bar \(thread).\(number)", total: 1).end(.removed) }
            if number % 7 == 0 {
              bars.withoutBars { print("line \(thread).\(number)") }
            } else {
              print("line \(thread).\(number)")
            }
          }
          left.countDown()
        }
      }
      while !left.isZero { terminal.read(for: 20) }
      bars.finish()
      while terminal.read(for: 0) {}
      let lines = terminal.screen.allText.split(separator: "\n")
      #expect(lines.count == 200, "\(terminal.screen.allText)")
      #expect(Set(lines).count == 200)
    }
  }

  @Test(arguments: [true, false])
  func `Following a tree ends with it, also if nothing can be drawn`(isClosed: Bool) async {
    let terminal = Pty(columns: 60, rows: 20)
    let pipe = Pipe()
    close(pipe.reader)
    let bars = LiveBars(
      output: isClosed ? pipe.writer : terminal.slave, style: .gray, interface: .live)
    if !isClosed { bars.suspend(within: .seconds(60)) }
    let node = ProgressNode("tree", total: 1_000)
    let following = Task { await bars.follow(node) }
    for _ in 0..<1_000 {
      node.complete(1)
      bars.print("a line")
      await Task.yield()
    }
    node.finish()
    await following.value
    bars.finish()
    close(pipe.writer)
  }

  @Test func `A followed bar moves while every thread of Swift's pool computes`() async {
    await #expect(processExitsWith: .success) {
      let terminal = Pty(columns: 60, rows: 20)
      let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
      let node = ProgressNode("work", total: 100)
      let left = Counter(1)
      let following = Task { await bars.follow(node) }
      #expect(terminal.wait(for: "work"))
      for _ in 0..<2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)) {
        Task { while !left.isZero {} }
      }
      for step in 1...3 {
        node.complete(10)
        #expect(terminal.wait(for: " \(step * 10)%"))
      }
      left.countDown()
      node.finish()
      await following.value
      #expect(terminal.wait(for: "✓ work"))
      bars.finish()
    }
  }
}
