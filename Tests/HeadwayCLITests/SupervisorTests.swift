import Glibc
import HeadwayTerminal
import Testing

/// Which signals the supervisor passes on to the runner.
struct SupervisorTests {
  @Test func `A run under nohup survives the end of its terminal`() throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'read x < gate; touch done' }\n")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    let tool = RunningTool(
      ["-c", "trap '' HUP; exec \(RunningTool.path) run plan.yaml --ui plain"], in: sandbox,
      program: "/bin/sh")
    #expect(tool.wait(for: "a started"))
    kill(tool.pid, SIGHUP)
    try #require(tool.runner > 0)
    kill(tool.runner, SIGHUP)
    sandbox.write("go\n", to: "gate")
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("done"))
  }

  @Test func `The second SIGTERM to the supervisor ends the run at once`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          deaf: { run: "trap '' TERM; echo > ready; while :; do sleep 300; done", grace: 10m }
          clean: { run: touch cleaned, always: true, after: deaf }
        """)
    unsafe mkfifo("\(sandbox.path)/ready", 0o600)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    // The task writes once it ignores SIGTERM.
    #expect(sandbox.read("ready") == "\n")
    kill(tool.pid, SIGTERM)
    #expect(tool.wait(for: "cancelling"))
    kill(tool.pid, SIGTERM)
    #expect(tool.end() == .signal(SIGTERM))
    #expect(!sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `SIGTSTP to the supervisor stops the tasks, and SIGCONT continues them`() throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: \(longSleep(401)) }\n")
    // A shell with job control: without one the system does not let a process group stop.
    let shell = RunningTool(
      ["-c", "set -m; \(RunningTool.path) run plan.yaml --ui plain & read x"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24), program: "/bin/bash")
    #expect(shell.wait(for: "a started"))
    #expect(eventually { sandbox.states(of: longSleep(401)) == ["S"] })
    let supervisor = RunningTool.firstChild(of: shell.pid)
    // 0 would signal the tests themselves.
    try #require(supervisor > 0)
    kill(supervisor, SIGTSTP)
    #expect(eventually { sandbox.states(of: longSleep(401)) == ["T"] })
    kill(supervisor, SIGCONT)
    #expect(eventually { sandbox.states(of: longSleep(401)) == ["S"] })
    kill(supervisor, SIGTERM)
    #expect(shell.wait(for: "1 cancelled"))
    shell.type("\n")
    _ = shell.end()
    #expect(sandbox.survivors() == [])
  }
}
