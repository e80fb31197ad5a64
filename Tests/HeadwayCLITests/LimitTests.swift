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

  @Test func `A folder whose path is not UTF-8 is refused, and no other one is made`() {
    let sandbox = Sandbox()
    for command in ["run", "status", "logs", "list", "history", "resume"] {
      let tool = RunningTool(
        [
          "-c",
          "d=$(printf 'x\\377y'); mkdir -p \"$d\"; cd \"$d\"; echo 'tasks: { a: { run: \"true\" } }' > plan.yaml; exec '\(RunningTool.path)' \(command)",
        ], in: sandbox, program: "/bin/sh")
      #expect(tool.end() == .code(2), "\(command)")
      #expect(tool.text.contains("the path of this folder is not valid UTF-8"), "\(tool.text)")
    }
    let named = RunningTool(
      ["-c", "exec '\(RunningTool.path)' run plan.yaml --state \"$(printf 's\\377')\""],
      in: sandbox,
      program: "/bin/sh")
    #expect(named.end() == .code(2))
    #expect(named.text.contains("is not valid UTF-8; rename what it stands for"))
    // The plan of the sandbox, and the folder.
    #expect(entries(sandbox.path).count == 2)
  }
}
