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
    let shown = (lines + ["log: logs/0.log"]).map { "    \($0)\n" }.joined()
    #expect(text(of: formatter.tail(0, edge: "    ")) == shown)
  }
}
