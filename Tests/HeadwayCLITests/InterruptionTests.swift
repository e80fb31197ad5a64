import Glibc
import HeadwayTerminal
import ProcessFixtures
import Repetitions
import Testing

/// Runs that are interrupted: by keys, by signals, and by the death of one of their processes.
struct InterruptionTests {
  /// How often each process is killed.
  private static let kills = UInt64(repetitions(8, real: 20, underSanitizer: 4))

  /// A plan with tasks of every stubborn kind, and a clean-up.
  private let stubborn = """
    defaults: { grace: 200ms }
    workers: 8
    tasks:
      plain: { run: sleep 300 }
      deaf: { run: "trap '' TERM INT HUP; sleep 301; sleep 302" }
      family: { run: "(trap '' TERM; sleep 303; sleep 304) & setsid sh -c 'sleep 305 & sleep 306' & wait; sleep 307" }
      nested: { run: "sh -c 'sh -c \\"sleep 308; true\\"; true'; true" }
      forker: { run: "while :; do sleep 0.01 & setsid sleep 309 & sleep 0.01; done" }
      clean: { run: touch cleaned, always: true, after: [plain, deaf, family, nested, forker] }
    """

  /// Starts the stubborn plan and waits until all of it runs.
  private func start(terminal: TerminalSize? = nil) -> (tool: RunningTool, sandbox: Sandbox) {
    let sandbox = Sandbox(plan: stubborn)
    let tool = RunningTool(
      ["run", "plan.yaml", "--ui", "plain"], in: sandbox, terminal: terminal)
    #expect(tool.wait(for: "forker started"))
    return (tool, sandbox)
  }

  @Test func `Ctrl-C once ends the run in order`() {
    let (tool, sandbox) = start(terminal: TerminalSize(columns: 80, rows: 24))
    tool.type("\u{3}")
    #expect(tool.end() == .signal(SIGINT))
    #expect(sandbox.has("cleaned"))
    #expect(tool.text.contains("5 cancelled"))
    #expect(sandbox.survivors() == [])
  }

  @Test(arguments: 0..<20) func `Ctrl-C twice ends the run at once`(round: Int) {
    let sandbox = Sandbox(
      plan: """
        tasks:
          deaf: { run: "trap '' TERM INT; echo > ready; sleep 300; sleep 300", grace: 10m }
          clean: { run: touch cleaned, always: true, after: deaf }
        """)
    unsafe mkfifo("\(sandbox.path)/ready", 0o600)
    let tool = RunningTool(
      ["run", "plan.yaml", "--ui", "plain"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24))
    // The task writes when it has become deaf; reading waits for that.
    #expect(sandbox.read("ready") == "\n")
    tool.type("\u{3}")
    #expect(tool.wait(for: "cancelling"))
    tool.type("\u{3}")
    #expect(tool.end() == .signal(SIGINT))
    #expect(!sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test(arguments: 0..<20) func `A terminal that is closed ends the run in order`(round: Int) {
    let sandbox = Sandbox(
      plan: """
        tasks:
          long: { run: sleep 300 }
          clean: { run: touch cleaned, always: true, after: long }
        """)
    let shell = RunningTool(
      ["--noprofile", "--norc", "-i"], in: sandbox, terminal: TerminalSize(columns: 80, rows: 24),
      program: "/bin/bash")
    shell.type("\(RunningTool.path) run plan.yaml --ui plain\n")
    #expect(shell.wait(for: "long started"))
    shell.hangUp()
    #expect(eventually { sandbox.survivors() == [] })
    #expect(sandbox.has("cleaned"))
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
  func `A signal ends the run in order`(
    signal: Int32
  ) {
    let (tool, sandbox) = start()
    kill(tool.pid, signal)
    #expect(tool.end() == .signal(signal))
    #expect(sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A signal to each process counts once, as a service manager sends it`() throws {
    let (tool, sandbox) = start()
    let processes = [tool.pid, tool.supervisor, tool.runner]
    try #require(processes.allSatisfy { $0 > 0 })
    for process in processes { kill(process, SIGTERM) }
    #expect(tool.end() == .signal(SIGTERM))
    #expect(sandbox.has("cleaned"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Nothing survives what kills all processes named headway`() {
    let (tool, sandbox) = start()
    let processes = [tool.pid, tool.supervisor, tool.runner].filter { pid in
      bytes(ofFile: "/proc/\(pid)/comm") == Array("headway\n".utf8)
    }
    for process in processes { kill(process, SIGKILL) }
    #expect(tool.end() == .signal(SIGKILL))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A run without its terminal goes on to its end`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'read x < gate; touch done' }\n")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "a started"))
    // Whoever read the output goes away; writing to it fails from now on.
    tool.hangUp()
    sandbox.write("go\n", to: "gate")
    #expect(tool.end() == .code(0))
    #expect(sandbox.has("done"))
  }

  @Test func `A run in a pipe whose reader has enough goes on to its end`() {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: read x < gate }\n  b: { run: touch done, after: a }\n")
    unsafe mkfifo(sandbox.path + "/gate", 0o600)
    let run = "{ \(RunningTool.path) run plan.yaml 2>&1; echo $? > code; }"
    // Only when nobody can read any more is there something more to say.
    let reader = "{ head -n 1; exec < /dev/null; echo go > gate; }"
    let shell = RunningTool(["-c", "\(run) | \(reader)"], in: sandbox, program: "/bin/sh")
    #expect(shell.end() == .code(0))
    #expect(shell.text == "a started\n")
    #expect(sandbox.read("code") == "0\n")
    #expect(sandbox.has("done"))
    #expect(sandbox.survivors() == [])
  }

  /// What is killed.
  enum Victim: CaseIterable, CustomTestStringConvertible {
    case viewer, supervisor, runner
    /// The process group of the tool, as `kill -9 %1` and `timeout -s KILL` do it.
    case group
    /// The two that are not in the group.
    case supervisorAndRunner

    var testDescription: String { "\(self)" }

    func kill(_ tool: RunningTool) {
      let processes: [pid_t] =
        switch self {
        case .viewer: [tool.pid]
        case .supervisor: [tool.supervisor]
        case .runner: [tool.runner]
        case .group: [-tool.pid]
        case .supervisorAndRunner: [tool.supervisor, tool.runner]
        }
      // In the start some of them do not exist yet.
      for process in processes { Glibc.kill(process == 0 ? tool.pid : process, SIGKILL) }
    }
  }

  @Test(arguments: Victim.allCases, 0..<kills)
  func `Nothing survives a kill -9`(victim: Victim, seed: UInt64) {
    let sandbox = Sandbox(plan: stubborn)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 31
    // Some moments lie in the start itself, before the first task.
    if state % 4 != 0 { tool.wait(for: "started") }
    for _ in 0..<state % 60 { tool.read(for: 1) }
    victim.kill(tool)
    let end = tool.end()
    #expect(end == .signal(SIGKILL))
    #expect(sandbox.survivors() == [])
  }
}
