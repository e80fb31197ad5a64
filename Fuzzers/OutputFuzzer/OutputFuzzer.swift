import FuzzSupport
import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import HeadwayText
import HeadwayView

/// Shows the output of tasks in a terminal: it must not control the terminal, and must fit.
@main
enum OutputFuzzer {
  static func main() { fuzz(check) }

  /// Checks one input: the part to check, sizes and a key, and the output of a task.
  private static func check(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let part = input.number(below: 4)
    let count = input.number(below: 20)
    let size = TerminalSize(columns: input.number(below: 100), rows: input.number(below: 30))
    let key = input.byte()
    let output = Array(input.rest)
    switch part {
    case 0: checkScreen(output, size: size, key: key)
    case 1: checkTerminal(output, size: size)
    case 2: checkName(String(decoding: output, as: UTF8.self))
    default: checkLines(output, count: count)
    }
  }

  /// Checks that lines are safe, and that each is read as it is without those before it.
  private static func checkLines(_ bytes: [UInt8], count: Int) {
    let all = TaskOutputText.lines(bytes, last: .max)
    expect(all.allSatisfy(isSafe), "a control character in a line")
    expect(
      all.allSatisfy { !$0.isEmpty && !$0.hasSuffix(" ") }, "a line with blanks at its end")
    let longest = all.lazy.map(\.unicodeScalars.count).max() ?? 0
    expect(longest <= 2000 * 8, "a line of \(longest) characters")
    expect(
      TaskOutputText.lines(bytes, last: count) == all.suffix(count), "other lines at the end")
    // A line end resets everything, so the parts before and after it have the lines of the whole.
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return }
    let parts =
      TaskOutputText.lines(Array(bytes[..<end]), last: .max)
      + TaskOutputText.lines(Array(bytes[(end + 1)...]), last: .max)
    expect(parts == all, "a line end does not end everything")
    // A log that is cut in the first line shows all of the others.
    let rest = Array(bytes.dropFirst(min(count, end)))
    let others = TaskOutputText.lines(Array(bytes[(end + 1)...]), last: .max)
    let cut = TaskOutputText.lines(rest, last: others.count, isCut: true)
    expect(cut.suffix(others.count) == others[...], "a cut log hides a line")
  }

  /// Checks that a name is one safe line, and that making it safe again changes nothing.
  private static func checkName(_ text: String) {
    let line = TaskOutputText.line(text)
    expect(isSafe(line), "a control character in a name")
    expect(TaskOutputText.line(line) == line, "a safe name changed")
  }

  /// Shows a run whose task has this output and this name, in lines and on a screen.
  private static func checkScreen(_ bytes: [UInt8], size: TerminalSize, key: UInt8) {
    let name = String(decoding: bytes.prefix(60), as: UTF8.self)
    let description = RunDescription(
      name: name, names: [name, "other"], logs: OneLog(log: bytes, path: name))
    let task = TaskID(0, name: name)
    let failure = Outcome.failed(Failure(.threw(name)))
    let events = [
      RunEvent(time: .zero, kind: .runStarted(tasks: 2, workers: 2)),
      RunEvent(time: .zero, kind: .taskStarted(task, attempt: 1)),
      RunEvent(
        time: .seconds(1),
        kind: .taskRetrying(task, attempt: 2, delay: .seconds(1), because: failure)),
      RunEvent(time: .seconds(2), kind: .taskStarted(task, attempt: 2)),
      RunEvent(time: .seconds(3), kind: .taskEnded(task, failure, attempts: 2, ran: .seconds(3))),
      RunEvent(time: .seconds(3), kind: .runEnding(.failure(task))),
      RunEvent(
        time: .seconds(3),
        kind: .taskEnded(TaskID(1), .skipped(.needs(task)), attempts: 0, ran: .zero)),
      RunEvent(time: .seconds(3), kind: .runEnded),
    ]
    var lines = LineRenderer(description, style: TerminalStyle(color: false, unicode: true))
    var screen = ScreenRenderer(description, style: TerminalStyle(color: true, unicode: true))
    var (plain, drawn) = ([UInt8](), [UInt8]())
    var state = RunState(taskCount: 2)
    for event in events {
      state.apply(event)
      var update = RunUpdate()
      update.events = [RunUpdate.Event(event, state)]
      update.snapshot = RunSnapshot(state, nil)
      lines.update(update, into: &plain)
      screen.update(update, into: &drawn)
      screen.press(key)
      screen.frame(at: event.time + .milliseconds(600), size: size, into: &drawn)
    }
    screen.withdraw(into: &drawn)
    let text = String(decoding: plain, as: UTF8.self).split(separator: "\n")
    expect(text.allSatisfy { isSafe(String($0)) }, "a control character in a line of a run")
    expect(
      hasOnlyOwnSequences(drawn),
      "a foreign sequence on the screen: \(String(decoding: drawn, as: UTF8.self).debugDescription)"
    )
    var terminal = TerminalScreen(columns: max(size.columns, 1), rows: max(size.rows, 1))
    terminal.write(drawn)
    expect(terminal.isCursorVisible, "the cursor stays hidden")
  }

  /// Checks that the terminal in memory takes any bytes, in any portions.
  private static func checkTerminal(_ bytes: [UInt8], size: TerminalSize) {
    let (columns, rows) = (max(size.columns, 1), max(size.rows, 1))
    var whole = TerminalScreen(columns: columns, rows: rows)
    var parts = whole
    whole.write(bytes)
    for byte in bytes { parts.write([byte]) }
    expect(whole.allText == parts.allText && whole.cursor == parts.cursor, "portions matter")
    expect(
      (0..<rows).contains(whole.cursor.row) && (0...columns).contains(whole.cursor.column),
      "the cursor left the screen")
    whole.resize(columns: max(columns / 2, 1), rows: rows)
    whole.resize(columns: columns, rows: max(rows / 2, 1))
  }

  private static func isSafe(_ line: String) -> Bool { line.isOnlyShown }

  /// Whether bytes for a terminal contain only the control characters and sequences that Headway writes.
  private static func hasOnlyOwnSequences(_ bytes: [UInt8]) -> Bool {
    var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      guard scalar == "\u{1B}" else {
        if scalar.isCommand && scalar != "\n" && scalar != "\r" { return false }
        continue
      }
      guard let kind = rest.popFirst() else { return false }
      if kind == "7" || kind == "8" { continue }
      guard kind == "[" else { return false }
      let parameters = rest.prefix { "0123456789;?".unicodeScalars.contains($0) }
      rest = rest.dropFirst(parameters.count)
      guard let final = rest.popFirst(), "ABCDGHJKmhl".unicodeScalars.contains(final) else {
        return false
      }
    }
    return true
  }
}

/// The log of the first task.
private struct OneLog: TaskLogs {
  let log: [UInt8]
  let path: String

  func bytes(of task: TaskID, from offset: Int, most: Int) -> [UInt8] {
    task.index == 0 ? Array(log.dropFirst(offset).prefix(most)) : []
  }
  func tail(_ task: TaskID, most: Int) -> [UInt8] {
    task.index == 0 ? Array(log.suffix(most)) : []
  }
  func size(of task: TaskID) -> Int { task.index == 0 ? log.count : 0 }
  func shownPath(_ task: TaskID) -> String? { path }
  func shortPath(_ task: TaskID) -> String? { nil }
}
