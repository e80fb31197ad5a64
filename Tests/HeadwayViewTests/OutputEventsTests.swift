import HeadwayRun
import RunFixtures
import Testing

@testable import HeadwayView

/// The output of tasks as events.
struct OutputEventsTests {
  /// The pieces of a text.
  private func pieces(_ text: String, isWhole: Bool) -> [String] {
    let bytes = Array(text.utf8)
    return OutputPieces.pieces(of: bytes, isWhole: isWhole).map {
      String(decoding: bytes[$0], as: UTF8.self)
    }
  }

  @Test func `Whole lines are one piece, and the last part waits for its end`() {
    #expect(pieces("", isWhole: true) == [])
    #expect(pieces("a\nb\nc", isWhole: false) == ["a\nb\n"])
    #expect(pieces("a\nb\nc", isWhole: true) == ["a\nb\n", "c"])
    #expect(pieces("abc", isWhole: false) == [])
  }

  @Test func `Long output is cut at lines, and a long line between characters`() {
    let line = String(repeating: "x", count: 1000) + "\n"
    let parts = pieces(String(repeating: line, count: 40), isWhole: false)
    #expect(parts.map { $0.utf8.count } == [16_016, 16_016, 8_008])
    let long = "a" + String(repeating: "é", count: 10_000)
    let cut = pieces(long, isWhole: true)
    #expect(cut.joined() == long && cut.allSatisfy { $0.utf8.count <= OutputPieces.maxBytes })
  }

  @Test func `Bytes that are no UTF-8 are cut as they are`() {
    let bytes = [UInt8](repeating: 0x80, count: 40_000)
    let ranges = OutputPieces.pieces(of: bytes, isWhole: true)
    #expect(ranges.map(\.count) == [16_384, 16_384, 7_232])
  }

  @Test func `The note about the next attempt divides the output of two`() {
    var lines = EventLines(
      RunDescription(name: "x", names: ["a"]),
      logs: MemoryLogs([0: "one\n[headway] attempt 2\ntwo"]))
    func texts(isRetried: Bool) -> [Substring] {
      let bytes = lines.output(
        of: TaskID(0), at: .zero, isOver: true, isRetried: isRetried)
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
        $0.suffix(from: ($0.firstRange(of: "attempt")?.upperBound ?? $0.endIndex))
      }
    }
    func play(_ kind: RunEvent.Kind) {
      let event = RunEvent(time: .zero, kind: kind)
      _ = lines.line(RunUpdate.Event(event, RunState(taskCount: 1)), RunSnapshot())
    }
    play(.taskStarted(TaskID(0), attempt: 1))
    #expect(texts(isRetried: true) == [#"":1,"text":"one\n"}"#])
    play(
      .taskRetrying(TaskID(0), attempt: 2, delay: .zero, because: .failed(.exited(code: 1))))
    play(.taskStarted(TaskID(0), attempt: 2))
    #expect(texts(isRetried: false) == [#"":2,"text":"two"}"#])
  }

  @Test func `Output that is read before the event of the next attempt ends where that begins`() {
    var lines = EventLines(
      RunDescription(name: "x", names: ["a"]),
      logs: MemoryLogs([0: "one\ntwo[headway] attempt 2\nthree\n"]))
    func play(_ kind: RunEvent.Kind) {
      let event = RunEvent(time: .zero, kind: kind)
      _ = lines.line(RunUpdate.Event(event, RunState(taskCount: 1)), RunSnapshot())
    }
    func text(isOver: Bool, isRetried: Bool = false) -> String {
      let bytes = lines.output(of: TaskID(0), at: .zero, isOver: isOver, isRetried: isRetried)
      return String(decoding: bytes, as: UTF8.self)
    }
    play(.taskStarted(TaskID(0), attempt: 1))
    #expect(text(isOver: false).hasSuffix(#""attempt":1,"text":"two"}"# + "\n"))
    #expect(text(isOver: true, isRetried: true) == "")
    play(
      .taskRetrying(TaskID(0), attempt: 2, delay: .zero, because: .failed(.exited(code: 1))))
    play(.taskStarted(TaskID(0), attempt: 2))
    #expect(text(isOver: false).hasSuffix(#""attempt":2,"text":"three\n"}"# + "\n"))
  }

  @Test func `The output of an attempt comes before its end, with the number of the attempt`() {
    let logs = MemoryLogs([1: "one\ntwo\nthr\u{7}\"<ee"])
    var lines = EventLines(RunDescription(name: "x", names: ["a", "b c"]), logs: logs)
    var state = RunState(taskCount: 2)
    func line(_ kind: RunEvent.Kind) -> String {
      let event = RunEvent(time: .seconds(1), kind: kind)
      state.apply(event)
      let update = RunUpdate.Event(event, state)
      return String(decoding: lines.line(update, RunSnapshot(state, nil)), as: UTF8.self)
    }
    func output(isOver: Bool) -> String {
      let bytes = lines.output(of: TaskID(1), at: .seconds(2), isOver: isOver)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(line(.taskStarted(TaskID(1), attempt: 3)).contains("\"task_started\""))
    #expect(lines.running == [TaskID(1)])
    #expect(
      output(isOver: false) == """
        {"event":"task_output","time":2.000,"task":"b c","id":1,"attempt":3,"text":"one\\ntwo\\n"}

        """)
    #expect(output(isOver: false) == "")
    #expect(output(isOver: true).contains("\"text\":\"thr\\u0007\\\"<ee\"}"))
    #expect(output(isOver: true) == "")
    _ = line(.taskEnded(TaskID(1), .succeeded, attempts: 3, ran: .seconds(1)))
    #expect(lines.running == [])
  }
}
