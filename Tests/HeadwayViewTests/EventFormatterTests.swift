import HeadwayRun
import HeadwayTerminal
import RunFixtures
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The lines of tasks that ended.
struct EventFormatterTests {
  /// The row of the only task, in columns.
  private func row(_ outcome: Outcome, attempts: Int = 1, isOptional: Bool = false) -> String {
    let description = RunDescription(name: "release", names: ["probe"], optional: [isOptional])
    let formatter = EventFormatter(description: description, style: .gray)
    return text(
      of: formatter.ended(
        0, outcome, attempts: attempts, ran: .seconds(3), nameWidth: 5, columns: 80))
  }

  @Test func `A failure is marked if the task is optional`() {
    #expect(
      row(.failed(.exited(code: 7)), isOptional: true)
        == "✗ probe      3.0s  exit 7  (optional)\n")
    #expect(row(.failed(.exited(code: 7))) == "✗ probe      3.0s  exit 7\n")
    #expect(row(.succeeded, isOptional: true) == "✓ probe      3.0s\n")
  }

  @Test(arguments: ["build", "a very long task name that someone wrote as a sentence, nearly"])
  func `A name and what comes after it do not touch`(name: String) {
    let formatter = EventFormatter(
      description: RunDescription(name: "release", names: [name]), style: .gray)
    for width in [4, name.count] {
      for outcome in [Outcome.skipped(.upToDate), .skipped(.doneEarlier), .succeeded] {
        let rows = formatter.ended(
          0, outcome, attempts: 1, ran: .seconds(3_599.9), nameWidth: width, columns: 200)
        #expect(text(of: rows).contains("\(name) "))
      }
    }
  }

  @Test func `A success after the first attempt has the number of its attempt`() {
    #expect(row(.succeeded) == "✓ probe      3.0s\n")
    #expect(row(.succeeded, attempts: 2) == "✓ probe      3.0s  attempt 2\n")
  }

  @Test func `A long log is shown from the beginning of a line`() {
    let lines = (1...9).map { "line \($0)" }
    let log = String(repeating: "x", count: EventFormatter.tailBytes) + "\n"
    let sample = sample(["fetch"], tails: [0: log + lines.joined(separator: "\n") + "\n"])
    let formatter = EventFormatter(description: sample.description, style: .gray)
    let rest = "… 262 kB left out; all of it is in logs/0.log"
    let shown = ([rest] + lines + ["log: logs/0.log"]).map { "    \($0)\n" }.joined()
    #expect(text(of: formatter.tail(0, edge: "    ")) == shown)
  }

  @Test func `What is left out of a log that is too long is counted`() {
    let line = String(repeating: "x", count: 99) + "\n"
    let sample = sample(["fetch"], tails: [0: String(repeating: line, count: 20_000)])
    let formatter = EventFormatter(description: sample.description, style: .gray)
    // 20 lines of 100 bytes are shown.
    let rest = "left out; all of it is in logs/0.log"
    let screen = text(of: formatter.tail(0, edge: "", isOnScreen: true)).split(separator: "\n")
    #expect(screen.first == "… 2.0 MB \(rest)")
    // 250 lines of the beginning, and 750 of the end.
    let all = text(of: formatter.tail(0, edge: "")).split(separator: "\n")
    #expect(all[250] == "… 1.9 MB \(rest)")
    #expect(all.count == 1002)
  }

  @Test func `Lines of a failure fit into a narrow terminal`() {
    var sample = sample(["compile"])
    sample.description.logs = MemoryLogs(
      [0: (1...30).map { "line \($0)\n" }.joined()],
      paths: [0: ".headway/runs/20261121-101500-4711/logs/compile.log"],
      shortPaths: [0: ".headway/runs/latest/logs/compile.log"])
    let formatter = EventFormatter(description: sample.description, style: .gray)
    let rows = formatter.tail(0, edge: "  │ ", isOnScreen: true, columns: 42)
    #expect(text(of: [rows[0]]) == "  │ … 10 lines left out\n")
    #expect(text(of: [rows[rows.count - 1]]) == "    log: .headway/runs/latest/logs/compile.log\n")
    func ended(_ columns: Int) -> [Row] {
      formatter.ended(
        0, .failed(.notStarted(reason: "no such program")), attempts: 2, ran: .seconds(3),
        nameWidth: 7, columns: columns)
    }
    let folded = text(of: ended(30))
    #expect(folded.hasPrefix("✗ compile      3.0s\n  not started: "))
    #expect(folded.split(separator: "\n").allSatisfy { $0.count <= 30 })
    #expect(ended(200).count == 1)
  }

  @Test(arguments: 1...60)
  func `A name and what follows it are two words or two rows in any width`(_ columns: Int) {
    let name = "compile-number-4"
    let description = RunDescription(name: "release", names: [name])
    let formatter = EventFormatter(description: description, style: .gray)
    let nameWidth = max(min(name.count, columns - EventFormatter.timeWidth), 1)
    let failure = Outcome.failed(.exited(code: 7))
    let ended = [Outcome.succeeded, .skipped(.upToDate), failure].map {
      formatter.ended(
        0, $0, attempts: 1, ran: .milliseconds(1200), nameWidth: nameWidth, columns: columns)
    }
    let retrying = formatter.retrying(
      0, 2, .seconds(1), failure, nameWidth: nameWidth, columns: columns)
    for (rows, next) in zip(ended + [retrying], ["1.2s", "up to date", "1.2s", "failed"]) {
      #expect(rows.allSatisfy { $0.columns <= columns })
      let words = text(of: rows).split { $0 == " " || $0 == "\n" }.dropFirst().map(String.init)
      // In fewer columns, the name or the time is cut.
      guard columns >= 2 + name.count else { continue }
      #expect(words.first == name)
      #expect(words.dropFirst().joined(separator: " ").hasPrefix(next))
    }
  }

  @Test func `Rows have the time before them if that is wanted`() {
    var description = RunDescription(name: "release", names: ["probe"])
    description.output.timestamp = { "12:00" }
    let formatter = EventFormatter(description: description, style: .gray)
    #expect(text(of: formatter.stamped([Row("a"), Row("b")])) == "12:00 a\n12:00 b\n")
    #expect(formatter.stamped([]) == [])
    #expect(formatter.stampWidth == 6)
  }

  @Test func `In a failure on GitHub the commands for groups are plain text`() {
    var sample = sample(["a"], tails: [0: "::endgroup::\n::error::x\n"])
    sample.description.output.service = .github
    let formatter = EventFormatter(description: sample.description, style: .gray)
    #expect(
      text(of: formatter.tail(0, edge: "  "))
        == "  | ::endgroup::\n  ::error::x\n  log: logs/0.log\n")
  }

  @Test func `Of a very long failure the beginning and the end are shown`() {
    let log = (1...1_500).map { "line \($0)\n" }.joined()
    let formatter = EventFormatter(
      description: sample(["fetch"], tails: [0: log]).description, style: .gray)
    let lines = text(of: formatter.tail(0, edge: "  ")).split(separator: "\n")
    #expect(lines.count == 1_002)
    #expect(lines[249] == "  line 250")
    #expect(lines[250] == "  … 500 lines left out; all of it is in logs/0.log")
    #expect(lines[251] == "  line 751")
    let screen = formatter.tail(0, edge: "  ", isOnScreen: true)
    #expect(screen.count == 22)
  }

  @Test func `Texts for GitHub are escaped by its rules`() {
    let section = LogSection(service: .github, time: 7)
    #expect(
      section.annotation(title: "a[x:1,2]", "100%\r\nlost: all")
        == "::error title=a[x%3A1%2C2]::100%25%0D%0Alost: all\n")
    #expect(
      section.annotation(title: "a", "b", isWarning: true) == "::warning title=a::b\n")
    #expect(section.begin(3, "a:b") == "::group::a:b\n")
    #expect(section.end(3) == "::endgroup::\n")
  }

  @Test func `Sections of GitLab have a time and an id`() {
    let section = LogSection(service: .gitlab, time: 7)
    #expect(
      section.begin(3, "build")
        == "\u{1B}[0Ksection_start:7:headway_task_3[collapsed=true]\r\u{1B}[0Kbuild\n")
    #expect(section.end(3) == "\u{1B}[0Ksection_end:7:headway_task_3\r\u{1B}[0K\n")
    #expect(section.annotation(title: "a", "b") == "")
  }
}
