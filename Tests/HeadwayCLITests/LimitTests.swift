import Glibc
import ProcessFixtures
import Testing

/// What the tool cannot work with is told, and is not taken for nothing.
struct LimitTests {
  @Test(arguments: [
    "attach latest --ui plain", "logs", "status", "runs", "history", "report", "resume",
  ])
  func `Too few descriptors to look at a run are told, and not that there is nothing`(
    command: String
  ) {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'echo hi' }\n")
    #expect(RunningTool.run(["run", "plan.yaml"], in: sandbox).end == .code(0))
    for limit in [8, 12, 16, 24, 31] {
      let tool = RunningTool(
        ["-c", "ulimit -n \(limit); exec '\(RunningTool.path)' \(command)"], in: sandbox,
        program: "/bin/sh")
      #expect(tool.end() == .code(69), "\(limit)")
      #expect(tool.text.contains("the limit on open files is \(limit), and headway needs 32"))
    }
    let tool = RunningTool(
      ["-c", "ulimit -Sn 12; exec '\(RunningTool.path)' logs"], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(0) && tool.text == "hi\n")
  }
}
