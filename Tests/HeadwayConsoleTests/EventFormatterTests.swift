import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayConsole

/// The lines of tasks that ended.
struct EventFormatterTests {
  /// The row of the only task, in columns.
  private func row(_ outcome: Outcome, attempts: Int = 1, isOptional: Bool = false) -> String {
    let description = RunDescription(name: "release", names: ["probe"], optional: [isOptional])
    let formatter = EventFormatter(description: description, style: .gray)
    let row = formatter.ended(0, outcome, attempts: attempts, ran: .seconds(3), nameWidth: 5)
    return text(of: [row])
  }

  @Test func `A failure is marked if the task is optional`() {
    #expect(
      row(.failed(.exited(code: 7)), isOptional: true)
        == "✗ probe      3.0s  exit 7  (optional)\n")
    #expect(row(.failed(.exited(code: 7))) == "✗ probe      3.0s  exit 7\n")
    #expect(row(.succeeded, isOptional: true) == "✓ probe      3.0s\n")
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
    let rest = "… more left out; all of it is in logs/0.log"
    let shown = ([rest] + lines + ["log: logs/0.log"]).map { "    \($0)\n" }.joined()
    #expect(text(of: formatter.tail(0, edge: "    ")) == shown)
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
