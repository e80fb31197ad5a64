import Glibc
import HeadwayTerminal
import HeadwayTestSupport
import ProcessFixtures
import TerminalFixtures
import Testing

/// The sequences that a run sends to the terminal besides text, and their effect in a real terminal.
struct DesktopTests {
  /// A plan of a task that waits for its gate.
  private func sandbox() -> Sandbox {
    let sandbox = Sandbox(plan: "name: demo\ntasks:\n  task1: { run: 'read x < gate' }\n")
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    return sandbox
  }

  /// The size of the terminal.
  private let size = TerminalSize(columns: 80, rows: 24)

  @Test func `The taskbar of the desktop shows a run until its end`() throws {
    let sandbox = sandbox()
    let tool = RunningTool(
      ["run", "plan.yaml"], in: sandbox, terminal: size, variables: ["HEADWAY_TASKBAR=on"])
    try #require(tool.wait(for: "\u{1B}]9;4;1;"))
    sandbox.write("\n", to: "gate")
    #expect(tool.end() == .code(0))
    #expect(tool.text.components(of: "\u{1B}]9;4;0\u{1B}\\") == 1)
    var screen = TerminalScreen(size: size)
    screen.write(tool.output)
    #expect(screen.text.contains("demo: 1 succeeded") && !screen.text.contains("9;4"))
  }

  @Test func `A killed runner leaves nothing in the taskbar`() throws {
    let sandbox = sandbox()
    let tool = RunningTool(
      ["run", "plan.yaml"], in: sandbox, terminal: size, variables: ["HEADWAY_TASKBAR=on"])
    try #require(tool.wait(for: "\u{1B}]9;4;1;"))
    kill(tool.runner, SIGKILL)
    #expect(tool.end() == .signal(SIGKILL))
    #expect(tool.text.components(of: "\u{1B}]9;4;0\u{1B}\\") == 1)
    #expect(tool.hasEcho)
  }

  @Test func `Ctrl-C removes the run from the taskbar`() throws {
    let sandbox = sandbox()
    let tool = RunningTool(
      ["run", "plan.yaml"], in: sandbox, terminal: size, variables: ["HEADWAY_TASKBAR=on"])
    try #require(tool.wait(for: "\u{1B}]9;4;1;"))
    tool.type("\u{3}")
    #expect(tool.end() == .signal(SIGINT))
    let last = tool.text.ranges(of: "\u{1B}]9;4;").last.map { tool.text[$0.upperBound...] }
    #expect(last?.hasPrefix("0\u{1B}\\") == true)
  }

  @Test func `A killed runner that has not used the taskbar sends nothing to it`() throws {
    let sandbox = sandbox()
    let tool = RunningTool(["run", "plan.yaml"], in: sandbox, terminal: size)
    try #require(tool.wait(for: "task1"))
    let runner = tool.runner
    try #require(runner > 0)
    kill(runner, SIGKILL)
    #expect(tool.end() == .signal(SIGKILL))
    #expect(tool.hasEcho)
    #expect(tool.text.components(of: "\u{1B}]9;") == 0)
  }

  @Test func `Where it is not asked for, nothing is told`() {
    let sandbox = sandbox()
    let tool = RunningTool(["run", "plan.yaml"], in: sandbox, terminal: size)
    #expect(tool.wait(for: "task1"))
    sandbox.write("\n", to: "gate")
    #expect(tool.end() == .code(0))
    #expect(tool.text.components(of: "\u{1B}]9;") == 0)
  }

  // MARK: tmux

  /// For how many seconds the first task runs, as a picture says.
  private func seconds(in picture: String) -> Int {
    let row = picture.split(separator: "\n").first { $0.contains("task1") } ?? ""
    let words = row.split(separator: " ").filter { $0.hasSuffix("s") }
    return words.compactMap { Int($0.dropLast()) }.first ?? 0
  }

  @Test(
    .enabled(if: Tmux.path != nil, "tmux is not installed"), arguments: [40, 60, 99])
  func `A narrower window of tmux in mid-run has no stale cell`(columns: Int) {
    let sandbox = Sandbox(
      plan: """
        name: demo
        workers: 3
        tasks:
          task1: { run: 'sleep 300' }
          task2: { run: 'sleep 300' }
          task3: { run: 'sleep 300' }
        """)
    // Below other lines: of a region at the very top tmux moves what it wraps beyond every reach.
    let command = "sh -c 'seq -f before%g 5; exec \(RunningTool.path) run plan.yaml'"
    let tmux = Tmux(sandbox, columns: 120, command)
    #expect(eventually { tmux.picture.contains("task3") })
    for columns in [columns, 120] {
      tmux.ask(["resize-window", "-x", "\(columns)"])
      // Two seconds of frames later there is one row for the run, one for each task and one about keys, and nothing else.
      let start = seconds(in: tmux.picture)
      #expect(eventually { seconds(in: tmux.picture) >= start + 2 })
      let text = tmux.picture
      #expect(text.components(of: "demo") == 1, "\(text)")
      for task in 1...3 { #expect(text.components(of: "task\(task)") == 1, "\(text)") }
      #expect(text.split(separator: "\n").count == 5 + 5, "\(text)")
    }
    tmux.end()
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test(.enabled(if: Tmux.path != nil, "tmux is not installed"))
  func `What is typed and pasted during a run in tmux pauses nothing and reaches the shell`() {
    let sandbox = sandbox()
    let shell = "env PS1='$ ' bash --noprofile --norc -i"
    let tmux = Tmux(sandbox, shell)
    tmux.type(["\(RunningTool.path) run plan.yaml", "Enter"])
    #expect(eventually { tmux.picture.contains("Tab for keys") })
    tmux.type(["     "])
    tmux.type(["echo $((40 + 2))x", "Enter"])
    tmux.ask(["set-buffer", "echo $((50 + 1))y\necho $((60 + 3))z\n"])
    tmux.ask(["paste-buffer"])
    #expect(eventually { tmux.picture.contains("your input waits for the shell") })
    #expect(!tmux.picture.contains("paused") && tmux.picture.contains("task1"))
    sandbox.write("\n", to: "gate")
    #expect(eventually { tmux.picture.contains("63z") }, "\(tmux.picture)")
    let text = tmux.picture
    #expect(text.contains("demo: 1 succeeded"), "\(text)")
    #expect(text.contains("\n42x") && text.contains("\n51y"), "\(text)")
    tmux.end()
    #expect(eventually { sandbox.survivors() == [] })
  }
}
