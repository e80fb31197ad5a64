import HeadwayText
import Testing

@testable import HeadwayTerminal

/// What is shown of the output of tasks.
struct TaskOutputTextTests {
  @Test(arguments: [
    ("plain\n", ["plain"]),
    ("10%\r20%\r\n", ["20%"]),
    ("10%\r20%\r\u{1B}[K", ["20%"]),
    ("a\r\nb\r\n", ["a", "b"]),
    ("spin |\u{8}/\u{8}-", ["spin -"]),
    ("\u{8}\u{8}x", ["x"]),
    ("\u{1B}[1;31mred\u{1B}[0m", ["red"]),
    ("\u{1B}]0;title\u{7}text", ["text"]),
    ("\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", ["link"]),
    ("\u{1B}[2J\u{1B}[Hhome\u{1B}[10A", ["home"]),
    ("\u{1B}]never ended\nnext", ["next"]),
    ("\u{9B}31mred", ["red"]),
    ("a\tb", ["a       b"]),
    ("文档\tb", ["文档    b"]),
    ("\u{202E}reversed", ["reversed"]), ("\u{61C}a\u{200F}b", ["ab"]),
    ("a\u{1}b\u{7F}c", ["a\u{FFFD}b\u{FFFD}c"]),
    ("\u{1B}(Bset", ["set"]),
    ("end  \n\n", ["end"]),
  ])
  func `Output becomes lines that move no cursor`(output: String, lines: [String]) {
    #expect(TaskOutputText.lines(Array(output.utf8), last: 10) == lines)
  }

  @Test func `Invalid bytes are replaced`() {
    #expect(TaskOutputText.lines([0x61, 0xFF, 0xC3, 0x62], last: 1) == ["a\u{FFFD}\u{FFFD}b"])
  }

  @Test func `A cut output does not begin with half a line`() {
    let bytes: [UInt8] = [0x80, 0xBF] + Array("half\none\ntwo\n".utf8)
    #expect(TaskOutputText.lines(bytes, last: 2, isCut: true) == ["one", "two"])
  }

  @Test func `Every byte alone and after an escape gives text without controls`() {
    for byte in UInt8.min...UInt8.max {
      for prefix in [[], [0x1B], [0x1B, 0x5B], [0xC2]] as [[UInt8]] {
        for line in TaskOutputText.lines(prefix + [byte, 0x41], last: 5) {
          #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
      }
    }
  }

  @Test func `A name with a line end is one line`() {
    #expect(TaskOutputText.line("a\nb\u{1B}[2J") == "a b")
  }
}

/// Durations for people.
struct DurationTextTests {
  @Test(arguments: [
    (0, "0.0s"), (1, "1ms"), (99, "99ms"), (100, "0.1s"), (440, "0.4s"), (12_000, "12.0s"),
    (59_960, "1m00s"), (65_000, "1m05s"),
    (7_380_000, "2h03m"), (273_600_000, "3d04h"), (-5, "0.0s"),
  ])
  func `A measured duration has tenths below a minute, and milliseconds below a tenth`(
    milliseconds: Int, text: String
  ) {
    #expect(DurationText.measured(.milliseconds(milliseconds)) == text)
  }

  @Test func `What is to come is rounded up`() {
    #expect(DurationText.coming(.milliseconds(2001)) == "3s")
    #expect(DurationText.coming(.seconds(2)) == "2s")
    #expect(DurationText.coming(.zero) == "0s")
  }

  @Test func `What somebody chose has the digits it needs`() {
    #expect(DurationText.chosen(.seconds(2)) == "2s")
    #expect(DurationText.chosen(.zero) == "0s")
    #expect(DurationText.chosen(.microseconds(1)) == "1ms")
    #expect(DurationText.chosen(.milliseconds(50)) == "50ms")
    #expect(DurationText.chosen(.milliseconds(2500)) == "2.5s")
  }

  @Test(arguments: [
    Duration.seconds(Int64.max), .seconds(Int64.max) * 2,
    Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
  ])
  func `Even the longest durations have a text`(duration: Duration) {
    let text = "106751991167d07h"
    #expect(DurationText.measured(duration) == text)
    #expect(DurationText.whole(duration) == text)
    #expect(DurationText.chosen(duration) == text)
    #expect(DurationText.coming(duration) == text)
    #expect(DurationText.measured(.zero - duration) == "0.0s")
    #expect(DurationText.chosen(.zero - duration) == "0s")
  }
}

/// What an environment asks for.
struct TerminalStyleTests {
  @Test func `The environment decides on color and characters`() {
    let plain = TerminalStyle(environment: { ["LANG": "C.UTF-8", "TERM": "xterm"][$0] })
    #expect(plain == TerminalStyle(color: true, unicode: true))
    let gray = TerminalStyle(environment: {
      ["NO_COLOR": "1", "TERM": "xterm", "LC_ALL": "C", "LANG": "C.UTF-8"][$0]
    })
    #expect(gray == TerminalStyle(color: false, unicode: false))
    let empty = TerminalStyle(environment: {
      ["NO_COLOR": "", "TERM": "xterm", "LANG": "de_CH.utf8"][$0]
    })
    #expect(empty.color && empty.unicode)
  }

  @Test(arguments: ["dumb", "", nil])
  func `A terminal that nothing is known of gets no color`(term: String?) {
    #expect(!TerminalStyle(environment: { $0 == "TERM" ? term : nil }).color)
  }
}
