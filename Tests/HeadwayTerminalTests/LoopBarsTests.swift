import Glibc
import HeadwayProgress
import HeadwayTestSupport
import ProcessFixtures
import TerminalFixtures
import Testing

@testable import HeadwayTerminal

/// Loops with a bar.
struct LoopBarsTests {
  /// An error of the tests.
  private struct Trouble: Error, CustomStringConvertible {
    let description = "disk full"
  }

  /// Runs loops whose bars print lines, and returns those of their ends without times.
  private func lines(_ body: (LiveBars) throws -> Void) rethrows -> [String] {
    let pipe = Pipe()
    let bars = LiveBars(output: pipe.writer, style: .gray, interface: .lines)
    try body(bars)
    bars.finish()
    return Self.withoutTimes(pipe.readAll())
  }

  /// As above, for loops of a task.
  private func lines(
    isolation: isolated (any Actor)? = #isolation, _ body: (LiveBars) async throws -> Void
  ) async rethrows -> [String] {
    let pipe = Pipe()
    let bars = LiveBars(output: pipe.writer, style: .gray, interface: .lines)
    try await body(bars)
    bars.finish()
    return Self.withoutTimes(pipe.readAll())
  }

  private static func withoutTimes(_ text: String) -> [String] {
    text.split(separator: "\n").map { line in
      String(line).replacing(/(in|after) [0-9.]+(h[0-9]+m|m[0-9]+s|m?s)/) { "\($0.1) T" }
        .replacing(/, [0-9.,MG]+\/s/, with: "")
    }.filter { !$0.contains(/: [0-9]+%|still running/) }
  }

  @Test func `A loop counts its elements, and its bar is done at its end`() {
    var seen: [Int] = []
    let lines = lines { bars in
      for number in (1...3).reporting("count", in: bars) { seen.append(number) }
    }
    #expect(seen == [1, 2, 3])
    #expect(lines == ["count: done in T, 3"])
  }

  @Test func `A loop that is left has stopped, and its last element does not count`() {
    let lines = lines { bars in
      for number in (1...9).reporting("break", in: bars) where number == 4 { break }
      for _ in [Int]().reporting("empty", in: bars) {}
      do {
        for number in (1...9).reporting("throw", in: bars) where number == 2 { throw Trouble() }
      } catch {}
    }
    #expect(
      lines == [
        "break: stopped after T, 3 / 9", "empty: done in T", "throw: stopped after T, 1 / 9",
      ])
  }

  @Test func `A lazy filter runs once for each element, and has no total`() {
    var calls = 0
    let lines = lines { bars in
      let even = (1...10).lazy.filter {
        calls += 1
        return $0.isMultiple(of: 2)
      }
      for number in even.reporting("filter", in: bars) where number == 6 { break }
    }
    #expect(calls == 6)
    #expect(lines == ["filter: stopped after T, 2"])
  }

  @Test func `A sequence that has more elements than it said has no total`() {
    let lines = lines { bars in
      for number in (1...9).reporting("more", total: 3, in: bars) where number == 6 { break }
      for number in (1...9).reporting("fewer", total: 30, in: bars) where number == 6 { break }
    }
    #expect(lines == ["more: stopped after T, 5", "fewer: stopped after T, 5 / 30"])
  }

  @Test func `Counts and totals can be integers of any type`() {
    let lines = lines { bars in
      let missing: Int? = nil
      let bytes: Int64 = 4_000_000_000
      let first = bars.add("first", total: bytes, completed: 1, kind: .file(.copying))
      first.report(bytes / 2)
      first.complete(UInt8(5))
      first.end(.stopped)
      let second = bars.add("second", total: missing, completed: 3)
      second.setTotal([1, 2, 3, 4].count)
      second.complete(1)
      second.end()
      let third = second.add("third", total: 100)
      third.setTotal(nil)
      third.complete(2.0 + 1)
      third.reset(total: UInt64.max)
      third.reset(total: 5)
      third.complete()
      third.report(3, rate: 2)
      third.end(.stopped)
      bars.add("fourth", total: 2.5).end()
    }
    #expect(
      lines == [
        "first: stopped after T, 2.0 / 4.0 GB", "second: done in T, 4",
        "third: stopped after T, 3 / 5",
        "fourth: done in T",
      ])
  }

  @Test func `A loop without elements is done if its total says so`() {
    let lines = lines { bars in
      let empty = [Int]().lazy.filter { $0 > 0 }
      var iterator = empty.reporting("empty", total: 0, in: bars).makeIterator()
      #expect(iterator.next() == nil)
      for number in (1...3).reporting("more", total: 0, in: bars) where number == 2 { break }
    }
    #expect(lines == ["empty: done in T", "more: stopped after T, 1"])
  }

  @Test func `Loops in loops have nested bars`() {
    let terminal = Pty(columns: 60, rows: 10)
    let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
    let albums = bars.add("albums", total: 2)
    for album in ["first", "second"].reporting(to: albums) {
      for song in (1...4).reporting(album, in: albums) where album == "second" && song == 3 {
        // The picture in the middle of the second loop.
        #expect(terminal.wait(for: "• second"))
        #expect(terminal.wait(for: "2 / 4"))
        #expect(terminal.screen.text.contains("50%  1 / 2"), "\(terminal.screen.text)")
      }
    }
    albums.end()
    bars.finish()
    while terminal.read(for: 0) {}
    #expect(terminal.screen.text.hasPrefix("✓ first"))
    #expect(terminal.screen.text.split(separator: "\n").count == 3)
  }

  @Test func `An asynchronous loop ends with its sequence`() async {
    let lines = await lines { bars in
      let (numbers, source) = AsyncStream.makeStream(of: Int.self)
      for number in 1...3 { source.yield(number) }
      source.finish()
      var sum = 0
      for await number in numbers.reporting("stream", in: bars) { sum += number }
      #expect(sum == 6)
      let failing = AsyncThrowingStream<Int, any Error> { source in
        source.yield(1)
        source.finish(throwing: Trouble())
      }
      await #expect(throws: Trouble.self) {
        for try await _ in failing.reporting("failing", total: 5, in: bars) {}
      }
      let cancelled = AsyncThrowingStream<Int, any Error> { source in
        source.yield(1)
        source.finish(throwing: CancellationError())
      }
      await #expect(throws: CancellationError.self) {
        for try await _ in cancelled.reporting("cancelled", total: 5, in: bars) {}
      }
    }
    #expect(
      lines == [
        "stream: done in T, 3", "failing: failed after T, disk full",
        "cancelled: stopped after T, 1 / 5",
      ])
  }

  @Test func `A stream that ends because its task was cancelled has stopped`() async {
    let lines = await lines { bars in
      let (numbers, source) = AsyncStream.makeStream(of: Int.self)
      source.yield(1)
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let loop = Task {
        for await _ in numbers.reporting("stream", total: 5, in: bars) { begin.yield() }
      }
      for await _ in begun { break }
      loop.cancel()
      await loop.value
    }
    #expect(lines == ["stream: stopped after T, 1 / 5"])
  }

  @Test func `Values are printed above the bars as Swift prints them`() {
    let lines = lines { bars in
      bars.print("a", 1, 2.5)
      bars.print("a", "b", separator: ", ")
      bars.print()
      bars.print("one\ntwo")
    }
    #expect(lines == ["a 1 2.5", "a, b", "one", "two"])
  }

  @Test func `Bars that are left when the program exits leave their lines`() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(3), observing: [\.standardErrorContent]
    ) {
      let bars = LiveBars(style: .gray, interface: .lines)
      let half = bars.add("half", total: 10)
      half.report(5)
      for number in (1...9).reporting("shared") where number == 4 { exit(3) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(Self.withoutTimes(text).contains("half: stopped after T, 5 / 10"), "\(text)")
    #expect(Self.withoutTimes(text).contains("shared: stopped after T, 3 / 9"), "\(text)")
  }

  @Test func `After the end, lines are still written, but no bars`() {
    let lines = lines { bars in
      let late = bars.add("late", total: 10)
      bars.finish()
      bars.print("a message")
      for _ in (1...3).reporting("loop", in: bars) {}
      late.report(5)
    }
    #expect(lines == ["late: stopped after T", "a message", "loop: done in T, 3"])
    let terminal = Pty(columns: 60, rows: 10)
    let bars = LiveBars(output: terminal.slave, style: .gray, interface: .live)
    bars.finish()
    bars.add("never drawn", total: 10).report(5)
    bars.print("a message")
    #expect(terminal.wait(for: "a message"))
    while terminal.read(for: 0) {}
    #expect(terminal.screen.text == "a message")
  }
}
