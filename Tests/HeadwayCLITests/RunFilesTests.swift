import Foundation
import Glibc
import HeadwayRun
import ProcessFixtures
import Testing

/// The files of `headway run` for programs: `--events`, `--junit` and `--summary`.
struct RunFilesTests {
  /// A plan with a failure.
  private static let plan = """
    name: release
    tasks:
      fetch: { run: "true" }
      build: { run: "echo 'no such header' >&2; exit 3", after: fetch }
      pack: { run: "true", after: build }
    """

  /// Runs a shell command line, in which `headway` is the tool.
  private func shell(_ line: String, in sandbox: Sandbox) -> (end: ProcessEnd, text: String) {
    let tool = RunningTool(
      ["-c", "headway() { '\(RunningTool.path)' \"$@\"; }; \(line)"], in: sandbox,
      program: "/bin/sh")
    return (tool.end(), tool.text)
  }

  /// The events of a file.
  private func events(_ text: String) -> [RunEvent] {
    text.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(RunEvent.self, from: Data($0.utf8))
    }
  }

  @Test func `Events are written to a file beside any display`() {
    let sandbox = Sandbox(plan: Self.plan)
    let result = RunningTool.run(
      ["run", "plan.yaml", "--ui", "quiet", "--events", "events.jsonl"], in: sandbox)
    #expect(result.end == .code(1) && !result.text.contains("{\"event\""))
    let events = events(sandbox.read("events.jsonl"))
    #expect(events.first?.kind == .runStarted(tasks: 3, workers: events.first.map(workers) ?? 0))
    #expect(events.last?.kind == .runEnded)
  }

  private func workers(_ event: RunEvent) -> Int {
    if case .runStarted(_, let workers) = event.kind { workers } else { 0 }
  }

  @Test func `The output of tasks comes as events, before their end`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: "printf 'one\\\\ntwo \\\\377'; exit $((HEADWAY_ATTEMPT == 1))", retries: { limit: 1, backoff: 1ms } }
          b: { run: "true" }
        """)
    let result = RunningTool.run(
      ["run", "plan.yaml", "--ui", "quiet", "--events", "e", "--events-output"], in: sandbox)
    #expect(result.end == .code(0))
    let lines = sandbox.read("e").split(separator: "\n").filter { $0.contains("\"id\":0") }
    let texts = lines.filter { $0.contains("task_output") }.map { line in
      (
        line.contains("\"attempt\":1"),
        String((line.split(separator: "\"text\":\"").last ?? "").dropLast(2))
      )
    }
    // The note about the second attempt ends the line of the first.
    let first = texts.filter(\.0).map(\.1).joined()
    #expect(["one\\ntwo \u{FFFD}", "one\\ntwo \u{FFFD}\\n"].contains(first), "\(lines)")
    #expect(texts.filter { !$0.0 }.map(\.1).joined() == "one\\ntwo \u{FFFD}", "\(lines)")
    #expect(lines.last?.contains("task_ended") == true)
    let retry = lines.firstIndex { $0.contains("task_retrying") } ?? 0
    #expect(lines[..<retry].contains { $0.contains("task_output") })
    let alone = RunningTool.run(["run", "plan.yaml", "--events-output"], in: sandbox)
    #expect(alone.end == .code(2) && alone.text == "headway: --events-output needs --events FILE\n")
  }

  @Test func `A number is an open descriptor`() {
    let sandbox = Sandbox(plan: Self.plan)
    let result = shell(
      "headway run plan.yaml --ui quiet --events 3 3>&1 >/dev/null 2>&1 | grep -c '\"event\"'",
      in: sandbox)
    #expect(Int(result.text.split(separator: "\n").first ?? "") ?? 0 >= 6)
  }

  @Test func `A descriptor that is not open is an error before anything runs`() {
    let sandbox = Sandbox(plan: "tasks: { a: { run: touch ran } }")
    let result = RunningTool.run(["run", "plan.yaml", "--events", "77"], in: sandbox)
    #expect(result.end == .code(2) && !sandbox.has("ran"))
    #expect(result.text == "headway: --events 77: descriptor 77 is not open for writing\n")
  }

  @Test func `Events reach a named pipe, and a reader that leaves is no error`() {
    let sandbox = Sandbox(plan: "tasks: { a: { run: \"true\" } }")
    unsafe mkfifo("\(sandbox.path)/pipe", 0o600)
    let result = shell(
      "head -n 1 pipe >first & headway run plan.yaml --ui quiet --events pipe; code=$?; wait; exit $code",
      in: sandbox)
    #expect(result.end == .code(0))
    #expect(sandbox.read("first").hasPrefix("{\"event\":\"run_started\""))
  }

  @Test func `Lost events are named, and the run does not count as a success`() {
    let sandbox = Sandbox(plan: "tasks: { a: { run: \"true\" } }")
    let result = RunningTool.run(
      ["run", "plan.yaml", "--ui", "quiet", "--events", "/dev/full"], in: sandbox)
    #expect(result.end == .code(69))
    #expect(result.text == "headway: cannot write the events: No space left on device\n")
  }

  @Test func `The JUnit file replaces an old one, and the summary is appended`() {
    let sandbox = Sandbox(plan: Self.plan)
    sandbox.write("old", to: "junit.xml")
    sandbox.write("before\n", to: "summary.md")
    let result = RunningTool.run(
      ["run", "plan.yaml", "--ui", "quiet", "--junit", "junit.xml", "--summary", "summary.md"],
      in: sandbox)
    #expect(result.end == .code(1))
    let xml = sandbox.read("junit.xml")
    #expect(xml.hasPrefix("<?xml") && xml.contains("<failure message=\"exit 3\" type=\"exited\">"))
    #expect(!xml.contains("<system-out>"))
    let summary = sandbox.read("summary.md")
    #expect(summary.hasPrefix("before\n\n## ✗ release failed in "))
    #expect(summary.contains("| build | exit 3 |") && summary.contains("<pre>no such header</pre>"))
  }

  @Test func `The files are written for a plan in another folder, and after Ctrl-C`() {
    let sandbox = Sandbox(plan: "")
    sandbox.makeFolder("sub")
    sandbox.write("name: x\ntasks: { a: { run: echo ready; sleep 300 } }", to: "sub/plan.yaml")
    let tool = RunningTool(
      ["run", "sub/plan.yaml", "--ui", "plain", "--junit", "j.xml", "--summary", "s.md"],
      in: sandbox)
    #expect(tool.wait(for: "a started"))
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .signal(SIGINT))
    #expect(sandbox.read("j.xml").contains("<skipped message=\"cancelled\"/>"))
    #expect(sandbox.read("s.md").contains("## ⊘ x was cancelled after "))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A file that cannot be written is a line, and 69 if the run succeeded`() {
    let sandbox = Sandbox(plan: "tasks: { a: { run: \"true\" } }")
    let result = RunningTool.run(
      ["run", "plan.yaml", "--ui", "quiet", "--junit", "none/j.xml", "--summary", "/dev/full"],
      in: sandbox)
    #expect(result.end == .code(69))
    #expect(
      result.text == """
        headway: cannot write 'none/j.xml': No such file or directory
        headway: cannot write '/dev/full': No space left on device

        """)
  }
}
