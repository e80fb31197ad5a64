import Glibc
import HeadwayTerminal
import ProcessFixtures
import Testing

/// Which signals viewer and supervisor pass on to the runner, and what they do if it does not respond.
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

  @Test func `The second signal ends the run at once`() {
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
    // Of another kind, because a second one of the same kind that comes at once is the same request.
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .signal(SIGTERM))
    #expect(!sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `SIGTSTP stops the tasks, and SIGCONT continues them`() throws {
    let sleep = longSleep()
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: \(sleep) }\n")
    // A shell with job control: without one the system does not let a process group stop.
    let shell = RunningTool(
      ["-c", "set -m; \(RunningTool.path) run plan.yaml --ui plain & read x"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24), program: "/bin/bash")
    #expect(shell.wait(for: "a started"))
    #expect(eventually { sandbox.states(of: sleep) == ["S"] })
    let viewer = RunningTool.firstChild(of: shell.pid)
    // 0 would signal the tests themselves.
    try #require(viewer > 0)
    kill(viewer, SIGTSTP)
    // As a shell does, which continues a job that it has seen stop: a stop that is still under way discards a SIGCONT.
    #expect(eventually { sandbox.states(of: sleep) == ["T"] && state(of: viewer) == "T" })
    kill(viewer, SIGCONT)
    #expect(eventually { sandbox.states(of: sleep) == ["S"] })
    kill(viewer, SIGTERM)
    #expect(shell.wait(for: "1 cancelled"))
    shell.type("\n")
    _ = shell.end()
    #expect(sandbox.survivors() == [])
  }

  @Test(arguments: [true, false])
  func `A viewer that is stopped does not stop the run, and shows it once it is continued`(
    isLive: Bool
  ) throws {
    let sandbox = Sandbox(plan: "name: demo\ntasks:\n  a: { run: 'read x < gate; touch done' }\n")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    let tool =
      isLive
      ? RunningTool(
        ["run", "plan.yaml"], in: sandbox, terminal: TerminalSize(columns: 80, rows: 24))
      : RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: isLive ? "• a" : "a started"))
    kill(tool.pid, SIGSTOP)
    #expect(eventually { state(of: tool.pid) == "T" })
    sandbox.write("go\n", to: "gate")
    #expect(
      eventually {
        sandbox.read(".headway/runs/latest/journal.jsonl").contains("run_ended")
      })
    kill(tool.pid, SIGCONT)
    #expect(tool.wait(for: "demo: 1 succeeded"))
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("done") && sandbox.survivors() == [])
  }

  @Test(arguments: [0, 1, 10, 100, 1_000])
  func `Stopping and continuing a process at once leaves no process stopped`(yields: Int) throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'read x < gate; touch done' }\n")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "a started"))
    let supervisor = RunningTool.firstChild(of: tool.pid)
    let runner = RunningTool.firstChild(of: supervisor)
    try #require(supervisor > 0 && runner > 0)
    for process in [supervisor, runner, tool.pid, supervisor, supervisor] {
      kill(process, SIGSTOP)
      // The other processes may notice the stop before the process is continued, or only afterwards.
      for _ in 0..<yields { sched_yield() }
      kill(process, SIGCONT)
    }
    sandbox.write("go\n", to: "gate")
    // A process that is left stopped, even one that stops later, does not end.
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("done") && sandbox.survivors() == [])
  }

  @Test func `Ctrl-C is one request, although timeout passes it on as well`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: '\(longSleep())' }
          clean: { run: touch cleaned, always: true, after: a }
        """)
    let tool = RunningTool(
      ["--foreground", "600", RunningTool.path, "run", "plan.yaml", "--ui", "plain"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24), program: "/usr/bin/timeout")
    #expect(tool.wait(for: "a started"))
    tool.type("\u{3}")
    _ = tool.end()
    #expect(sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `The supervisor outlives signals that it does not handle, and cleans up`() throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: '\(longSleep())' }\n")
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "a started"))
    let supervisor = RunningTool.firstChild(of: tool.pid)
    let runner = RunningTool.firstChild(of: supervisor)
    try #require(supervisor > 0 && runner > 0)
    // Nobody but the supervisor runs when the others get the signals that end them.
    kill(runner, SIGSTOP)
    #expect(eventually { state(of: runner) == "T" })
    for number in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO, SIGPIPE] {
      kill(supervisor, number)
    }
    kill(runner, SIGUSR2)
    kill(tool.pid, SIGUSR1)
    kill(runner, SIGCONT)
    kill(tool.pid, SIGCONT)
    #expect(tool.end() == .signal(SIGUSR1))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Ctrl-Z has no effect where no shell could continue the run`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'read x < gate; touch done' }\n")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    // The leader of the terminal's session, as with `xterm -e` and `docker run -it`.
    let tool = RunningTool(
      ["run", "plan.yaml", "--ui", "plain"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24))
    #expect(tool.wait(for: "a started"))
    tool.type("\u{1A}")
    tool.type("\u{3}")
    #expect(tool.end() == .signal(SIGINT))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Signals that come together, as at the end of a session, are one request`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: \(longSleep()) }
          clean: { run: touch cleaned, always: true, after: a }
        """)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "a started"))
    kill(tool.pid, SIGSTOP)
    #expect(eventually { state(of: tool.pid) == "T" })
    kill(tool.pid, SIGTERM)
    kill(tool.pid, SIGHUP)
    kill(tool.pid, SIGCONT)
    // Of two pending signals the system delivers the one with the lower number first.
    #expect(tool.end() == .signal(SIGHUP))
    #expect(sandbox.has("cleaned") && sandbox.survivors() == [])
  }

  @Test(arguments: ["supervisor", "runner"])
  func `A run whose runner is stopped ends if one of its processes is killed`(name: String) throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: \(longSleep()) }\n")
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "a started"))
    let (supervisor, runner) = (tool.supervisor, tool.runner)
    try #require(supervisor > 0 && runner > 0)
    kill(runner, SIGSTOP)
    #expect(eventually { state(of: runner) == "T" })
    kill(name == "supervisor" ? supervisor : runner, SIGKILL)
    #expect(tool.end() == .signal(SIGKILL))
    #expect(sandbox.survivors() == [])
  }

  @Test func `SIGCONT to headway continues it although its supervisor was stopped, too`() throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'read x < gate; touch done' }\n")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "a started"))
    let supervisor = tool.supervisor
    try #require(supervisor > 0)
    kill(tool.pid, SIGSTOP)
    #expect(eventually { state(of: tool.pid) == "T" })
    kill(supervisor, SIGSTOP)
    #expect(eventually { state(of: supervisor) == "T" })
    kill(tool.pid, SIGCONT)
    sandbox.write("go\n", to: "gate")
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("done") && sandbox.survivors() == [])
  }

  @Test func `A runner that does not respond is killed after the second signal`() throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: \(longSleep()) }\n")
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "a started"))
    let (supervisor, runner) = (tool.supervisor, tool.runner)
    try #require(supervisor > 0 && runner > 0)
    // A stopped process responds as little as one that waits for a dead disk.
    kill(runner, SIGSTOP)
    #expect(eventually { state(of: runner) == "T" })
    // Of two pending signals the system delivers the one with the lower number first.
    kill(supervisor, SIGINT)
    kill(supervisor, SIGTERM)
    #expect(tool.wait(for: "headway: the run did not respond and was killed; processes ended:"))
    #expect(tool.end() == .signal(SIGINT))
    #expect(sandbox.survivors() == [])
  }

  /// To the process that the shell sees, or to the one that the header tells.
  @Test(arguments: [false, true])
  func `SIGTERM that is sent again ends the run at once`(toRunner: Bool) throws {
    let sandbox = Sandbox(
      plan: """
        tasks:
          deaf: { run: "trap '' TERM; echo > ready; sleep 300; sleep 300", grace: 10m }
          clean: { run: touch cleaned, always: true, after: deaf }
        """)
    unsafe mkfifo("\(sandbox.path)/ready", 0o600)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(sandbox.read("ready") == "\n")
    let runner = tool.runner
    try #require(runner > 0)
    let target = toRunner ? runner : tool.pid
    kill(target, SIGTERM)
    #expect(tool.wait(for: "cancelling"))
    // Within 20 ms of the first one it repeats that, so it is sent until it has an effect.
    #expect(
      eventually {
        kill(target, SIGTERM)
        return kill(runner, 0) != 0
      })
    #expect(tool.end() == .signal(SIGTERM))
    #expect(!sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `The signals of a service manager to supervisor and viewer are one request`() throws {
    let sandbox = Sandbox(
      plan: """
        tasks:
          deaf:
            run: "trap '' TERM; echo > ready; until test -e go; do sleep 0.01; done"
            grace: 10m
          clean: { run: touch cleaned, always: true, after: deaf }
        """)
    unsafe mkfifo("\(sandbox.path)/ready", 0o600)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(sandbox.read("ready") == "\n")
    let supervisor = tool.supervisor
    try #require(supervisor > 0)
    kill(supervisor, SIGTERM)
    #expect(tool.wait(for: "cancelling"))
    kill(tool.pid, SIGTERM)
    kill(supervisor, SIGHUP)
    // First the viewer passes the signal on, then the supervisor does.
    for process in [tool.pid, supervisor] {
      #expect(eventually { !hasPendingSignals(process) && state(of: process) != "R" })
    }
    sandbox.write("", to: "go")
    #expect(tool.end() == .signal(SIGTERM))
    #expect(sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  /// Whether signals to a process wait for it to take them.
  private func hasPendingSignals(_ process: pid_t) -> Bool {
    let text = String(decoding: bytes(ofFile: "/proc/\(process)/status"), as: UTF8.self)
    return !text.isEmpty && !text.contains("\nShdPnd:\t0000000000000000\n")
  }

  @Test func `A live run in the background ends if its supervisor and its runner are killed`()
    throws
  {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'echo > ready; \(longSleep())' }\n")
    unsafe mkfifo("\(sandbox.path)/ready", 0o600)
    let run = "\(RunningTool.path) run plan.yaml"
    let shell = RunningTool(
      ["-c", "set -m; \(run) & wait $!; echo code=$?"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24), program: "/bin/bash")
    #expect(sandbox.read("ready") == "\n")
    let supervisor = RunningTool.firstChild(of: RunningTool.firstChild(of: shell.pid))
    let runner = RunningTool.firstChild(of: supervisor)
    try #require(supervisor > 0 && runner > 0)
    // The viewer is left, which restores the terminal.
    kill(supervisor, SIGKILL)
    kill(runner, SIGKILL)
    #expect(shell.wait(for: "code=\(128 + SIGKILL)"))
    _ = shell.end()
    #expect(sandbox.survivors() == [])
  }

  @Test func `The terminal is restored if viewer and runner are killed together`() throws {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: \(longSleep()) }\n")
    let shell = RunningTool(
      ["-c", "\(RunningTool.path) run plan.yaml; echo it is over; read x"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24), program: "/bin/sh")
    #expect(shell.wait(for: "• a"))
    let viewer = RunningTool.firstChild(of: shell.pid)
    let supervisor = RunningTool.firstChild(of: viewer)
    let runner = RunningTool.firstChild(of: supervisor)
    try #require(supervisor > 0 && runner > 0)
    // The end of the viewer continues the supervisor, which hears of both at once.
    kill(supervisor, SIGSTOP)
    #expect(eventually { state(of: supervisor) == "T" })
    let begin = shell.output.count
    kill(runner, SIGKILL)
    kill(viewer, SIGKILL)
    #expect(shell.wait(for: "it is over", from: begin))
    #expect(shell.wait(for: "\u{1B}[?25h", from: begin))
    #expect(shell.wait(for: "headway: the runner died; processes ended: ", from: begin))
    #expect(eventually { shell.hasEcho && sandbox.survivors().count == 1 })
    shell.type("\n")
    _ = shell.end()
    #expect(sandbox.survivors() == [])
  }

  @Test func `Under nohup, too, a run ends with its viewer`() throws {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: '\(longSleep())' }
          clean: { run: touch cleaned, always: true, after: a }
        """)
    let tool = RunningTool(
      ["-c", "trap '' HUP; exec \(RunningTool.path) run plan.yaml --ui plain"], in: sandbox,
      program: "/bin/sh")
    #expect(tool.wait(for: "a started"))
    kill(tool.pid, SIGKILL)
    #expect(tool.end() == .signal(SIGKILL))
    #expect(sandbox.has("cleaned") && sandbox.survivors() == [])
  }

  @Test func `A signal ends a run that is still reading its plan`() {
    let sandbox = Sandbox()
    // Opening it waits for a writer.
    unsafe mkfifo("\(sandbox.path)/pipe.yaml", 0o600)
    let tool = RunningTool(["run", "pipe.yaml"], in: sandbox)
    #expect(eventually { tool.runner > 0 })
    kill(tool.pid, SIGTERM)
    #expect(tool.end() == .signal(SIGTERM))
    #expect(tool.text == "")
  }

  @Test(arguments: ["inputs", "outputs"])
  func `A signal ends a run that reads a huge file`(list: String) {
    // Reading all of it would take longer than any test may.
    let plan = """
      tasks:
        a: { run: "truncate -s 4T huge; touch done", inputs: in, outputs: done }
        b: { run: "true", inputs: huge, after: a }
        c: { run: "truncate -s 4T large", inputs: in, outputs: large }
      """
    let sandbox = Sandbox(plan: plan)
    sandbox.write("", to: "in")
    let tool = RunningTool(
      ["run", "plan.yaml", "--ui", "plain", list == "inputs" ? "b" : "c"], in: sandbox)
    if list == "inputs" {
      #expect(tool.wait(for: "a succeeded"))
    } else {
      #expect(tool.wait(for: "c started"))
      #expect(eventually { sandbox.has("large") })
    }
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .signal(SIGINT))
    #expect(sandbox.survivors() == [])
  }
}
