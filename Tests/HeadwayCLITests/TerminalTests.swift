import Glibc
import HeadwayTerminal
import HeadwayTestSupport
import ProcessFixtures
import TerminalFixtures
import Testing

/// The live region of the built tool, on the terminal in memory.
struct TerminalTests {
  /// A plan that runs until its gates are opened.
  private func sandbox(_ count: Int = 3) -> Sandbox {
    let tasks = (1...count).map { "  task\($0): { run: 'echo line; read x < gate\($0)' }\n" }
    let sandbox = Sandbox(plan: "name: demo\nworkers: \(count)\ntasks:\n" + tasks.joined())
    for number in 1...count { unsafe mkfifo("\(sandbox.path)/gate\(number)", 0o600) }
    return sandbox
  }

  /// Runs the plan in a shell with job control, and waits until its tasks are shown.
  private func startInShell(_ sandbox: Sandbox) -> RunningTool {
    sandbox.write("set -m\n", to: "rc")
    let shell = RunningTool(
      ["--noprofile", "--rcfile", "rc", "-i"], in: sandbox,
      terminal: TerminalSize(columns: 100, rows: 24), program: "/bin/bash")
    shell.type("\(RunningTool.path) run plan.yaml\n")
    #expect(shell.wait(for: "task3"))
    return shell
  }

  /// Asks for keys, and waits until they count.
  private func askForKeys(_ tool: RunningTool) {
    let begin = tool.output.count
    tool.type("\t")
    #expect(tool.wait(for: "Esc done", from: begin))
  }

  /// Pauses the run.
  private func pause(_ tool: RunningTool) {
    askForKeys(tool)
    tool.type(" ")
    #expect(tool.wait(for: "paused, Space resumes"))
  }

  /// Lets tasks end.
  private func open(_ gates: ClosedRange<Int>, _ sandbox: Sandbox) {
    for number in gates { sandbox.write("\n", to: "gate\(number)") }
  }

  @Test func `Running tasks are shown live, and the result takes their place`() {
    let sandbox = sandbox()
    let size = TerminalSize(columns: 80, rows: 24)
    let tool = RunningTool(["run", "plan.yaml"], in: sandbox, terminal: size)
    #expect(tool.wait(for: "task3"))
    open(1...3, sandbox)
    #expect(tool.end() == .code(0))
    var screen = TerminalScreen(size: size)
    screen.write(tool.output)
    #expect(screen.text.contains("demo: 3 succeeded"))
    #expect(!screen.text.contains("0/3"))
    #expect(screen.isCursorVisible)
  }

  @Test func `A narrower terminal in mid-run leaves no stale cell`() {
    let sandbox = sandbox()
    let wide = TerminalSize(columns: 100, rows: 30)
    let narrow = TerminalSize(columns: 44, rows: 20)
    let tool = RunningTool(["run", "plan.yaml"], in: sandbox, terminal: wide)
    #expect(tool.wait(for: "task3"))
    // Stopped, so that no frame is under way while the size changes.
    kill(tool.pid, SIGSTOP)
    #expect(
      eventually {
        tool.read(for: 0)
        return state(of: tool.pid) == "T"
      })
    while !tool.isOver, tool.read(for: 0) {}
    var screen = TerminalScreen(size: wide)
    screen.write(tool.output)
    let before = tool.output.count
    tool.resize(to: narrow)
    screen.resize(to: narrow)
    kill(tool.pid, SIGCONT)
    // The next frame after the change is drawn whole.
    while tool.output.count < before + 200, !tool.isOver, tool.read(for: 60_000) {}
    screen.write(Array(tool.output[before...]))
    let middle = tool.output.count
    #expect(screen.allText.components(of: "task2") == 1)
    open(1...3, sandbox)
    #expect(tool.end() == .code(0))
    screen.write(Array(tool.output[middle...]))
    #expect(screen.allText.components(of: "demo: 3 succeeded") == 1)
  }

  @Test func `A killed runner leaves the terminal with its cursor and its echo`() {
    let sandbox = sandbox()
    let size = TerminalSize(columns: 80, rows: 24)
    let tool = RunningTool(["run", "plan.yaml"], in: sandbox, terminal: size)
    #expect(tool.wait(for: "task3"))
    kill(tool.runner, SIGKILL)
    #expect(tool.end() == .signal(SIGKILL))
    var screen = TerminalScreen(size: size)
    screen.write(tool.output)
    #expect(screen.isCursorVisible)
    #expect(tool.hasEcho)
    #expect(sandbox.survivors() == [])
  }

  @Test func `A killed viewer leaves a terminal that another program uses meanwhile`() throws {
    let sandbox = sandbox()
    // Once the leader of its session is gone, nobody can use a terminal.
    let shell = RunningTool(
      ["-c", "\(RunningTool.path) run plan.yaml; echo it is over; read x"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24), program: "/bin/sh")
    #expect(shell.wait(for: "task3"))
    // As a shell that shows its prompt.
    var settings = try #require(shell.terminalSettings)
    settings.c_iflag &= ~tcflag_t(ICRNL)
    shell.terminalSettings = settings
    let begin = shell.output.count
    kill(RunningTool.firstChild(of: shell.pid), SIGKILL)
    #expect(shell.wait(for: "it is over", from: begin))
    #expect(shell.wait(for: "\u{1B}[?25h", from: begin))
    #expect(eventually { sandbox.states(of: "read x").count == 1 })
    let found = try #require(shell.terminalSettings)
    #expect(found.c_iflag == settings.c_iflag && found.c_lflag == settings.c_lflag)
    // The cursor is shown again, and the line of the prompt stays.
    let rest = String(decoding: shell.output[begin...], as: UTF8.self)
    #expect(!rest.contains("\r\u{1B}[J"))
    shell.type("\n")
    shell.hangUp()
    _ = shell.end()
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test(.enabled(if: unsafe access("/bin/dash", X_OK) == 0))
  func `After a kill -9 the prompt of a shell that changes no settings stays`() throws {
    let sandbox = sandbox()
    sandbox.write("PS1='prompt> '\n", to: "rc")
    let size = TerminalSize(columns: 80, rows: 24)
    let shell = RunningTool(
      ["-i"], in: sandbox, terminal: size, program: "/bin/dash",
      variables: ["ENV=\(sandbox.path)/rc"])
    try #require(shell.wait(for: "prompt> "))
    shell.type("\(RunningTool.path) run plan.yaml\n")
    try #require(shell.wait(for: "task3"))
    let started = shell.output.count
    kill(RunningTool.firstChild(of: shell.pid), SIGKILL)
    #expect(shell.wait(for: "prompt> ", from: started))
    #expect(eventually { sandbox.survivors().count == 1 })
    // What the tool has written before its end is there.
    while !shell.isOver, shell.read(for: 0) {}
    var screen = TerminalScreen(size: size)
    screen.write(shell.output)
    #expect(screen.text.contains("\nprompt>"))
    shell.type("exit\n")
    _ = shell.end()
  }

  @Test func `Ctrl-Z stops the run and its tasks, and fg goes on`() {
    let sandbox = sandbox()
    let shell = startInShell(sandbox)
    shell.type("\u{1A}")
    #expect(shell.wait(for: "Stopped"))
    #expect(eventually { sandbox.states(of: "read x").allSatisfy { $0 == "T" } })
    let stopped = shell.output.count
    shell.type("fg\n")
    #expect(shell.wait(for: "task3", from: stopped))
    open(1...3, sandbox)
    #expect(shell.wait(for: "demo: 3 succeeded"))
    // What is typed while the run gives the terminal back is thrown away, so the shell is asked until it answers.
    #expect(
      eventually {
        shell.type("echo $((40 + 2))x\n")
        _ = shell.read(for: 50)
        return String(decoding: shell.output, as: UTF8.self).contains("42x")
      })
    shell.type("exit\n")
    _ = shell.end()
    #expect(sandbox.survivors() == [])
  }

  @Test(arguments: 1...10)
  func `A run that ends at once after Ctrl-C shows how it ended`(trial: Int) {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'sleep 300' }\n")
    let tool = RunningTool(
      ["run", "plan.yaml"], in: sandbox, terminal: TerminalSize(columns: 80, rows: 24))
    #expect(tool.wait(for: "• a"))
    // It reaches the runner twice: from the terminal, and from the supervisor.
    tool.type("\u{3}")
    #expect(tool.end() == .signal(SIGINT))
    #expect(tool.text.contains("plan: 1 cancelled"))
  }

  @Test func `Space pauses the tasks and the time, and Space resumes`() {
    let sandbox = sandbox()
    let size = TerminalSize(columns: 100, rows: 24)
    let tool = RunningTool(["run", "plan.yaml"], in: sandbox, terminal: size)
    #expect(tool.wait(for: "task3"))
    pause(tool)
    #expect(eventually { sandbox.states(of: "read x") == ["T", "T", "T"] })
    let paused = tool.output.count
    tool.type(" ")
    open(1...3, sandbox)
    #expect(tool.wait(for: "demo: 3 succeeded", from: paused))
    #expect(tool.end() == .code(0))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Ctrl-C ends a paused run, and what always runs is run`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          long: { run: sleep 300 }
          clean: { run: touch cleaned, always: true, after: long }
        """)
    let tool = RunningTool(
      ["run", "plan.yaml"], in: sandbox, terminal: TerminalSize(columns: 100, rows: 24))
    #expect(tool.wait(for: "long"))
    pause(tool)
    tool.type("\u{3}")
    #expect(tool.end() == .signal(SIGINT))
    #expect(sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Ctrl-Z and fg leave a paused run paused`() {
    let sandbox = sandbox()
    let shell = startInShell(sandbox)
    pause(shell)
    shell.type("\u{1A}")
    #expect(shell.wait(for: "Stopped"))
    let stopped = shell.output.count
    shell.type("fg\n")
    #expect(shell.wait(for: "paused, Tab and Space resume", from: stopped))
    #expect(eventually { sandbox.states(of: "read x") == ["T", "T", "T"] })
    askForKeys(shell)
    shell.type(" ")
    open(1...3, sandbox)
    #expect(shell.wait(for: "demo: 3 succeeded"))
    shell.hangUp()
    _ = shell.end()
    // The shell does not wait for the end of the run when it loses its terminal.
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test func `What is typed ahead pauses nothing, and the shell gets it`() {
    let sandbox = sandbox()
    let shell = startInShell(sandbox)
    let started = shell.output.count
    shell.type("     ")
    shell.type("echo $((40 + 2))x  n p 1\n")
    #expect(shell.wait(for: "your input waits for the shell", from: started))
    open(1...3, sandbox)
    #expect(shell.wait(for: "demo: 3 succeeded"))
    #expect(shell.wait(for: "42x n p 1"))
    #expect(!shell.text.contains("paused"))
    shell.type("exit\n")
    _ = shell.end()
    #expect(sandbox.survivors() == [])
  }

  @Test func `Each of many quick presses of Space counts`() {
    for _ in 0..<5 {
      let sandbox = sandbox()
      let tool = RunningTool(
        ["run", "plan.yaml"], in: sandbox, terminal: TerminalSize(columns: 100, rows: 24))
      #expect(tool.wait(for: "task3"))
      askForKeys(tool)
      tool.type(String(repeating: " ", count: 101))
      // An odd number leaves the run paused, and one more lets it go on.
      #expect(eventually { sandbox.states(of: "read x") == ["T", "T", "T"] })
      tool.type(" ")
      open(1...3, sandbox)
      #expect(tool.end() == .code(0))
    }
  }

  @Test func `What was written down in a pause starts what needs it when the run goes on`() {
    let sandbox = Sandbox(
      plan: """
        name: demo
        tasks:
          first: { run: 'read x < gate; touch out', inputs: plan.yaml, outputs: out }
          second: { run: touch last, after: first }
        """)
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let tool = RunningTool(
      ["run", "plan.yaml"], in: sandbox, terminal: TerminalSize(columns: 100, rows: 24))
    #expect(tool.wait(for: "first"))
    #expect(eventually { sandbox.states(of: "read x").count == 1 })
    pause(tool)
    #expect(eventually { sandbox.states(of: "read x") == ["T"] })
    // Somebody else lets the task go on, so that it ends in the pause.
    sandbox.signal(SIGCONT, to: "read x")
    sandbox.write("\n", to: "gate")
    #expect(eventually { sandbox.has(".headway/contents/demo/first") })
    let paused = tool.output.count
    tool.type(" ")
    #expect(tool.wait(for: "demo: 2 succeeded", from: paused))
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("last"))
    #expect(sandbox.survivors() == [])
  }
}

extension String {
  /// How often a text occurs.
  func components(of text: String) -> Int { ranges(of: text).count }
}
