import Glibc
import HeadwayTerminal
import ProcessFixtures
import TerminalFixtures
import Testing

/// Runs that leave their terminal and go on, and terminals that show them again.
struct DetachTests {
  private static let size = TerminalSize(columns: 100, rows: 24)

  /// A plan that runs until its gates are opened.
  private func sandbox() -> Sandbox {
    let tasks = (1...2).map { "  task\($0): { run: 'echo line; read x < gate\($0)' }\n" }
    let sandbox = Sandbox(plan: "name: demo\nworkers: 2\ntasks:\n" + tasks.joined())
    for number in 1...2 { unsafe mkfifo("\(sandbox.path)/gate\(number)", 0o600) }
    return sandbox
  }

  private func open(_ sandbox: Sandbox) {
    for number in 1...2 { sandbox.write("\n", to: "gate\(number)") }
  }

  /// Shows the run, and waits until its tasks are there.
  private func attach(_ sandbox: Sandbox, _ words: [String] = []) -> RunningTool {
    let tool = RunningTool(["attach"] + words, in: sandbox, terminal: Self.size)
    #expect(tool.wait(for: "task2"))
    return tool
  }

  private func press(_ key: String, _ tool: RunningTool) {
    let begin = tool.output.count
    tool.type("\t")
    #expect(tool.wait(for: "Esc done", from: begin))
    tool.type(key)
  }

  /// The name of a run that began in the background.
  private func startInBackground(_ sandbox: Sandbox, _ options: [String] = []) -> (
    tool: RunningTool, run: String
  ) {
    let tool = RunningTool(["run", "-d", "plan.yaml"] + options, in: sandbox)
    #expect(tool.endOfViewer() == .code(0))
    return (tool, tool.text.split(separator: "\n").first.map { String($0) } ?? "")
  }

  @Test func `The key d leaves the run, which attach shows in any number of terminals to its end`()
  {
    let sandbox = sandbox()
    let tool = RunningTool(["run", "plan.yaml"], in: sandbox, terminal: Self.size)
    #expect(tool.wait(for: "task2"))
    press("d", tool)
    #expect(tool.wait(for: "the run goes on in the background"))
    #expect(tool.endOfViewer() == .code(0))
    let (first, second) = (attach(sandbox), attach(sandbox))
    open(sandbox)
    for terminal in [first, second] {
      #expect(terminal.end() == .code(0))
      #expect(terminal.text.contains("demo: 2 succeeded"))
    }
    #expect(tool.isGone())
    #expect(sandbox.survivors() == [])
  }

  @Test func `A run has a session of its own, and once it is detached no terminal`() {
    let sandbox = sandbox()
    let tool = RunningTool(["run", "plan.yaml"], in: sandbox, terminal: Self.size)
    #expect(tool.wait(for: "task2"))
    let (supervisor, runner) = (tool.supervisor, tool.runner)
    #expect(supervisor > 0 && getsid(supervisor) == supervisor && getsid(runner) == supervisor)
    press("d", tool)
    #expect(tool.endOfViewer() == .code(0))
    for process in [supervisor, runner] {
      for stream in 0...2 {
        #expect(
          eventually {
            let path = Self.target(of: stream, process)
            return path == "/dev/null" || stream == 2 && path.hasSuffix("/messages.log")
          }, "\(Self.target(of: stream, process))")
      }
    }
    open(sandbox)
    #expect(tool.isGone())
  }

  /// What a stream of a process is.
  private static func target(of stream: Int, _ process: pid_t) -> String {
    var target = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/\(process)/fd/\(stream)", &target, target.count - 1)
    return String(
      decoding: target.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  @Test func `A run in the background says its name, and keeps what it would have printed`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'echo why; read x < gate; exit 3' }\n")
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let (tool, run) = startInBackground(sandbox)
    #expect(sandbox.has(".headway/runs/\(run)/journal.jsonl"))
    sandbox.write("\n", to: "gate")
    #expect(tool.isGone())
    let messages = sandbox.read(".headway/runs/\(run)/messages.log")
    #expect(messages.contains("a failed with exit 3") && messages.contains("why"))
    // It is shown as it was, and attach ends as the run did.
    let shown = RunningTool.run(["attach", run], in: sandbox)
    #expect(shown.end == .code(1))
    #expect(shown.text.contains("a failed with exit 3"))
  }

  @Test func `A plan with an error is told before anything is left to the background`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { rum: x }\n")
    let result = RunningTool.run(["run", "-d", "plan.yaml"], in: sandbox)
    #expect(result.end == .code(2) && result.text.contains("rum"))
  }

  @Test func `A run whose name cannot be printed does not go on in the background`() {
    let sandbox = sandbox()
    let tool = RunningTool(
      ["-c", "exec \(RunningTool.path) run -d plan.yaml > /dev/full"], in: sandbox,
      program: "/bin/sh")
    #expect(tool.end() == .code(69))
    #expect(tool.text.contains("No space left on device"))
    #expect(sandbox.survivors() == [])
  }

  @Test(arguments: ["--watch", "--dry-run", "--ui plain", "--output group"])
  func `What needs the terminal cannot be had in the background`(option: String) {
    let words = option.split(separator: " ").map { String($0) }
    let result = RunningTool.run(["run", "-d", "plan.yaml"] + words, in: sandbox())
    #expect(result.end == .code(2))
    #expect(result.text.contains("--detach and \(words[0]) exclude each other"))
  }

  @Test func `Keys of an attached terminal pause the run and leave it`() {
    let sandbox = sandbox()
    let (tool, run) = startInBackground(sandbox)
    let terminal = attach(sandbox, [run])
    press(" ", terminal)
    #expect(terminal.wait(for: "paused, Space resumes"))
    #expect(sandbox.read(".headway/runs/latest/journal.jsonl").contains("run_paused"))
    // Keys still count.
    terminal.type(" d")
    #expect(terminal.wait(for: "the run goes on in the background"))
    #expect(terminal.end() == .code(0))
    let again = attach(sandbox)
    again.type("\u{3}")
    #expect(again.end() == .signal(SIGINT))
    open(sandbox)
    #expect(tool.isGone())
    #expect(
      sandbox.read(".headway/runs/latest/journal.jsonl").contains("\"outcome\":\"succeeded\""))
  }

  @Test func `A terminal that is killed changes nothing`() {
    let sandbox = sandbox()
    let (tool, _) = startInBackground(sandbox)
    let terminal = attach(sandbox)
    kill(terminal.pid, SIGKILL)
    #expect(terminal.end() == .signal(SIGKILL))
    let other = attach(sandbox)
    open(sandbox)
    #expect(other.end() == .code(0))
    #expect(tool.isGone())
  }

  @Test(arguments: [true, false])
  func `When its terminal is closed, a run ends in order or goes on`(detaches: Bool) {
    let sandbox = sandbox()
    let tool = RunningTool(
      ["run", "plan.yaml", "--on-hangup", detaches ? "detach" : "end"], in: sandbox,
      terminal: Self.size)
    #expect(tool.wait(for: "task2"))
    tool.hangUp()
    guard detaches else {
      #expect(tool.isGone())
      #expect(sandbox.read(".headway/runs/latest/journal.jsonl").contains("cancelled"))
      return
    }
    #expect(tool.endOfViewer() == .code(0))
    let terminal = attach(sandbox)
    open(sandbox)
    #expect(terminal.end() == .code(0))
    #expect(tool.isGone())
  }

  @Test func `A run that dies is told as lost`() {
    let sandbox = sandbox()
    let (tool, _) = startInBackground(sandbox)
    let terminal = attach(sandbox)
    let status = sandbox.read(".headway/runs/latest/run.json")
    let runner = status.split(separator: "\"pid\":").last.flatMap {
      pid_t($0.prefix { $0.isNumber })
    }
    kill(runner ?? getpid(), SIGKILL)
    #expect(terminal.end() == .code(75))
    #expect(terminal.text.contains("the run has died; to go on with it: headway resume 2"))
    #expect(tool.isGone())
    #expect(sandbox.survivors() == [])
  }

  @Test func `A run of another folder is found while it goes on`() {
    let sandbox = sandbox()
    let (tool, run) = startInBackground(sandbox)
    let elsewhere = Sandbox(beside: sandbox)
    let terminal = RunningTool(["attach", run], in: elsewhere, terminal: Self.size)
    #expect(terminal.wait(for: "task2"))
    open(sandbox)
    #expect(terminal.end() == .code(0))
    #expect(tool.isGone())
    let late = RunningTool.run(["attach", run], in: elsewhere)
    #expect(late.end == .code(69) && late.text.contains("there is no run '\(run)'"))
  }

  @Test(arguments: ["plain", "json"])
  func `A terminal whose reader is gone leaves the run, although nothing is written`(ui: String) {
    let sandbox = sandbox()
    let (tool, _) = startInBackground(sandbox)
    let other = RunningTool(["attach", "--ui", ui], in: sandbox)
    #expect(other.wait(for: "task2"))
    other.hangUp()
    #expect(other.end() == .signal(SIGPIPE))
    open(sandbox)
    #expect(tool.isGone())
  }

  @Test
  func `A run is named by the beginning of its name, and others are not meant where it is not`() {
    let sandbox = sandbox()
    let (tool, run) = startInBackground(sandbox)
    let elsewhere = Sandbox(beside: sandbox)
    let none = RunningTool.run(["attach", "--state", elsewhere.path], in: elsewhere)
    #expect(none.end == .code(69))
    #expect(none.text == "headway: no run goes on; headway runs lists those that have ended\n")
    let terminal = attach(sandbox, [String(run.dropLast())])
    open(sandbox)
    #expect(terminal.end() == .code(0))
    #expect(tool.isGone())
  }
}
