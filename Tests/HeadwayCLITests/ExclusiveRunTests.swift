import Glibc
import ProcessFixtures
import Testing

/// Two runs of a plan in one folder.
struct ExclusiveRunTests {
  /// A plan that runs until its gate is opened.
  private func sandbox(_ settings: String = "") -> Sandbox {
    let sandbox = Sandbox(plan: "\(settings)tasks:\n  a: { run: 'echo line; read x < gate' }\n")
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    return sandbox
  }

  private func start(_ sandbox: Sandbox, _ options: [String] = []) -> RunningTool {
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"] + options, in: sandbox)
    #expect(tool.wait(for: "line"))
    return tool
  }

  @Test func `A second run says that another one goes on, and both keep their logs`() {
    let sandbox = sandbox()
    let first = start(sandbox)
    let second = start(sandbox)
    #expect(second.text.contains("another run of 'plan' goes on: "))
    #expect(!first.text.contains("another run"))
    sandbox.write("\n\n", to: "gate")
    // One of them may have read both lines.
    while !first.isOver || !second.isOver {
      if !first.isOver, first.read(for: 20) { continue }
      if !second.isOver, second.read(for: 20) { continue }
      let gate = unsafe open("\(sandbox.path)/gate", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      if gate >= 0 {
        _ = unsafe write(gate, "\n", 1)
        close(gate)
      }
    }
    #expect(first.end() == .code(0) && second.end() == .code(0))
    let logs = folderEntries("\(sandbox.path)/.headway/runs").filter { $0.hasPrefix("2") }
    #expect(logs.count == 2)
    for log in logs { #expect(sandbox.read(".headway/runs/\(log)/logs/a.log") == "line\n") }
  }

  @Test(arguments: [
    ("exclusive: true\n", [String](), [String]()), ("", ["--exclusive"], [String]()),
    ("", [String](), ["--exclusive"]),
  ])
  func `An exclusive run excludes others, whichever comes first`(
    settings: String, first: [String], second: [String]
  ) {
    let sandbox = sandbox(settings)
    let tool = start(sandbox, first)
    let refused = RunningTool.run(["run", "plan.yaml"] + second, in: sandbox)
    #expect(refused.end == .code(69))
    #expect(refused.text.contains("another run of 'plan' goes on: 2"))
    #expect(folderEntries("\(sandbox.path)/.headway/runs").filter { $0.hasPrefix("2") }.count == 1)
    // Another plan is another matter.
    sandbox.write("tasks:\n  b: { run: 'true' }\n", to: "other.yaml")
    #expect(RunningTool.run(["run", "other.yaml"] + second, in: sandbox).end == .code(0))
    sandbox.write("\n", to: "gate")
    #expect(tool.end() == .code(0))
  }

  @Test func `A run waits for another one, also for one that is killed`() {
    let sandbox = sandbox()
    let first = start(sandbox)
    let second = RunningTool(
      ["run", "plan.yaml", "--ui", "plain", "--exclusive", "--wait", "1h"], in: sandbox)
    #expect(second.wait(for: "waits for another run of this plan: 2"))
    kill(first.runner, SIGKILL)
    #expect(second.wait(for: "line"))
    sandbox.write("\n", to: "gate")
    #expect(second.end() == .code(0))
    _ = first.end()
  }

  @Test func `A time to wait that is none is an error`() {
    let result = RunningTool.run(["run", "plan.yaml", "--wait", "soon"], in: sandbox())
    #expect(result.end == .code(2) && result.text.contains("--wait: "))
  }
}
