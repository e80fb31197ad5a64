import Glibc
import ProcessFixtures
import Testing

/// `headway run` inside a task of a run: it belongs to that.
struct NestedRunTests {
  private static let tool = "\"\(RunningTool.path)\""

  /// A plan with a task `outer` that runs a command, in which `headway` is the tool.
  private func sandbox(
    _ command: String, settings: String = ""
  ) -> Sandbox {
    Sandbox(
      plan: """
        \(settings)
        tasks:
          outer:
            run: |
              headway() { \(Self.tool) "$@"; }
              \(command)
          one: { run: echo from one }
          two: { run: echo from two }
          bad: { run: 'echo from bad; test -e good' }
        """)
  }

  private func run(_ sandbox: Sandbox, _ options: [String] = []) -> (end: ProcessEnd, text: String)
  {
    RunningTool.run(["run", "plan.yaml", "outer"] + options, in: sandbox)
  }

  @Test func `An inner run shows what its tasks print, and nothing of its own`() {
    let sandbox = sandbox("headway run plan.yaml one && headway run plan.yaml two")
    let result = run(sandbox, ["--ui", "quiet", "--output", "stream"])
    #expect(result.end == .code(0))
    #expect(result.text == "from one\nfrom two\n", "\(result.text)")
    #expect(sandbox.read(".headway/runs/latest/logs/outer.log") == "from one\nfrom two\n")
  }

  @Test func `A failure of an inner run is shown, and its words can be asked for`() {
    let sandbox = sandbox("headway run plan.yaml --ui plain two; headway run plan.yaml bad")
    let result = run(sandbox)
    #expect(result.end == .code(1))
    for words in ["two started\n", "two succeeded in", "from bad\n", "bad failed with exit 1"] {
      #expect(result.text.contains(words), "\(result.text)")
    }
    #expect(!result.text.contains("bad started") && !result.text.contains("another run"))
  }

  @Test func `What an inner run prints can be used by its task`() {
    let sandbox = sandbox("v=$(headway run plan.yaml one 2>all); echo \"[$v]\"; cat all")
    let result = run(sandbox, ["--ui", "quiet", "--output", "stream"])
    #expect(result.text == "[from one]\n", "\(result.text)")
  }

  @Test func `An inner run of another plan hides the secrets of the outer one`() throws {
    let sandbox = sandbox(
      "headway run other.yaml --ui plain \"V=$TOKEN\"", settings: "secrets: [TOKEN]")
    sandbox.write(
      """
      vars: { V: { default: x } }
      tasks:
        show: { run: 'echo "shows $TOKEN"; echo "names $HEADWAY_SECRETS"; exit 3' }
        detached: { run: 'echo "has ($TOKEN)"', detach: true, always: true }
      """, to: "other.yaml")
    let tool = RunningTool(
      ["run", "plan.yaml", "outer"], in: sandbox, variables: ["TOKEN=hunter2-hunter2"])
    #expect(tool.end(within: RunningTool.usualLimit) == .code(1))
    #expect(!tool.text.contains("hunter2"), "\(tool.text)")
    let inner = try #require(sandbox.runs.last)
    let folder = ".headway/runs/\(inner)"
    #expect(sandbox.read("\(folder)/logs/show.log") == "shows ***\nnames TOKEN\n")
    #expect(sandbox.read("\(folder)/logs/detached.log") == "has ()\n")
    let header = sandbox.read("\(folder)/run.json")
    #expect(header.contains("\"set\":[\"V=***\"]") && !header.contains("hunter2"), "\(header)")
    // Its value is nowhere, so it is not run with three asterisks.
    let resumed = RunningTool.run(["resume", inner], in: sandbox)
    #expect(resumed.end != .code(0) && resumed.text.contains("had a secret"), "\(resumed.text)")
  }

  @Test func `A message about another plan hides the secrets of the outer run`() {
    let sandbox = sandbox(
      "headway check other.yaml \"V=$TOKEN\" 2>message || :", settings: "secrets: [TOKEN]")
    sandbox.write(
      """
      vars: { V: { default: x, values: [x, y] } }
      tasks: { show: { run: echo } }
      """, to: "other.yaml")
    let tool = RunningTool(
      ["run", "plan.yaml", "outer"], in: sandbox, variables: ["TOKEN=hunter2-hunter2"])
    #expect(tool.end(within: RunningTool.usualLimit) == .code(0))
    let message = sandbox.read("message")
    #expect(message.contains("***") && !message.contains("hunter2"), "\(message)")
  }

  @Test func `Whoever names no run gets the outer one`() throws {
    let sandbox = sandbox("headway run plan.yaml one; headway run plan.yaml bad")
    #expect(run(sandbox).end == .code(1))
    let outer = try #require(sandbox.runs.first)
    #expect(sandbox.runs.count == 3)
    func says(_ words: [String]) -> String { RunningTool.run(words, in: sandbox).text }
    #expect(says(["status"]).contains(" \(outer): failed"))
    #expect(says(["status", "latest"]).contains(" \(outer): failed"))
    #expect(says(["status", "plan"]).contains(" \(outer): failed"))
    #expect(says(["logs"]).contains("from one\n"))
    #expect(says(["report", "-o", "-"]).contains(outer))
    #expect(sandbox.read(".headway/runs/latest/run.json").contains("\"run\":\"\(outer)\""))
    let inner = try #require(sandbox.runs.last)
    #expect(says(["logs", inner]) == "from bad\n")
    let again = says(["run", "plan.yaml", "--failed"])
    #expect(again.contains("resuming run \(outer), which failed"), "\(again)")
    sandbox.write("", to: "good")
    let resumed = says(["resume"])
    #expect(!resumed.contains("resuming run \(inner)"), "\(resumed)")
    #expect(resumed.contains("resuming run ") && resumed.contains("1 succeeded"), "\(resumed)")
  }

  @Test func `The bar of a task is not full after an inner run, nor moved by the next one`() throws
  {
    let sandbox = sandbox(
      "headway run plan.yaml one; echo between; read x < gate; headway run plan.yaml two; read x < gate"
    )
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let tool = RunningTool(
      ["run", "plan.yaml", "outer", "--ui", "plain", "--output", "stream"], in: sandbox)
    /// What watchers see of the task, once an inner run has ended.
    func node(_ label: String) -> String {
      let text = RunningTool.run(["watch", "\(tool.runner).1", "--once", "--json"], in: sandbox)
        .text
      return text.split(separator: "{").last { $0.contains("\"label\":\"\(label)\"") }.map {
        String($0)
      } ?? ""
    }
    for words in ["between\n", "from two\n"] {
      #expect(tool.wait(for: words))
      #expect(
        eventually {
          let outer = node("outer")
          return !outer.isEmpty && !outer.contains("total") && !outer.contains("completed")
        }, "\(node("outer"))")
      sandbox.write("\n", to: "gate")
    }
    #expect(tool.end() == .code(0))
  }

  @Test func `Inner runs are listed below the outer one`() throws {
    let sandbox = sandbox("headway run plan.yaml one; headway run plan.yaml two")
    #expect(run(sandbox).end == .code(0))
    let lines = RunningTool.run(["runs"], in: sandbox).text.split(separator: "\n")
    let names = lines.dropFirst().map {
      $0.prefix { $0 == " " } + $0.drop { $0 == " " }.prefix { $0 != " " }
    }
    let runs = sandbox.runs
    #expect(runs.count == 3)
    #expect(names.map { String($0) } == [runs[0], "  \(runs[1])", "  \(runs[2])"], "\(lines)")
    let json = RunningTool.run(["runs", "--json"], in: sandbox).text.split(separator: "\n")
    #expect(json.count { $0.contains("\"outer\":\"\(runs[0])\"") } == 2)
  }

  @Test(arguments: [
    ("", ["--exclusive"], ""), ("exclusive: true", [], ""), ("", ["--exclusive"], "--exclusive"),
    ("exclusive: true", [], "--wait 1h"), ("", [], ""),
  ])
  func `The lock of the outer run is that of the inner one`(
    settings: String, options: [String], inner: String
  ) {
    let sandbox = sandbox("headway run plan.yaml one \(inner)", settings: settings)
    #expect(run(sandbox, options).end == .code(0))
  }

  @Test(arguments: ["", "--wait 1h"])
  func `An inner run alone cannot be exclusive, and does not wait for the outer one`(wait: String) {
    let sandbox = sandbox("headway run plan.yaml one --exclusive \(wait) || echo \"code $?\"")
    let result = run(sandbox)
    #expect(result.end == .code(0))
    #expect(
      result.text.contains("of 'plan', which is not exclusive; begin that one with --exclusive"))
    #expect(result.text.contains("code 69\n"), "\(result.text)")
  }

  @Test func `Another run is still kept out by an exclusive one`() {
    let sandbox = sandbox("headway run plan.yaml one; echo ready; read x < gate")
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let first = RunningTool(
      ["run", "plan.yaml", "outer", "--exclusive", "--ui", "plain"], in: sandbox)
    #expect(first.wait(for: "ready"))
    #expect(RunningTool.run(["run", "plan.yaml", "two"], in: sandbox).end == .code(69))
    sandbox.write("\n", to: "gate")
    #expect(first.end() == .code(0))
  }

  @Test func `Inner runs are kept with the outer one and do not count`() throws {
    let sandbox = sandbox(
      "headway run plan.yaml one; headway run plan.yaml two; headway run plan.yaml one",
      settings: "keep: { runs: 2 }")
    for _ in 0..<2 { #expect(run(sandbox).end == .code(0)) }
    // Of the inner runs as many are kept.
    #expect(sandbox.runs.count == 2 * 3)
    for _ in 0..<2 {
      #expect(RunningTool.run(["run", "plan.yaml", "one"], in: sandbox).end == .code(0))
    }
    #expect(sandbox.runs.count == 2)
  }

  @Test func `A run that a dead run has left in its environment is none of its parts`() {
    let sandbox = sandbox("true")
    let first = RunningTool(["run", "plan.yaml", "one"], in: sandbox)
    let dead = first.pid
    #expect(first.end() == .code(0))
    let second = RunningTool(
      ["run", "plan.yaml", "two"], in: sandbox,
      variables: ["HEADWAY_TASK_ID=20261121-101500-\(dead).0"])
    #expect(second.end() == .code(0))
    #expect(second.text.contains("two started"))
    #expect(RunningTool.run(["logs"], in: sandbox).text == "from two\n")
  }
}
