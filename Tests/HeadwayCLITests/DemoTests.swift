import Glibc
import HeadwayTerminal
import HeadwayTestSupport
import ProcessFixtures
import TerminalFixtures
import Testing

/// The demo of the bars, of the built tool.
struct DemoTests {
  /// The size of the terminal.
  private let size = TerminalSize(columns: 80, rows: 24)

  /// Starts the demo in a terminal and waits until it is drawn.
  private func start(in sandbox: Sandbox) throws -> RunningTool {
    let tool = RunningTool(["demo", "bar"], in: sandbox, terminal: size)
    try #require(tool.wait(for: "unknown  "))
    return tool
  }

  @Test func `In a pipe it prints every look and ends`() {
    let result = RunningTool.run(["demo", "bar"], in: Sandbox())
    #expect(result.end == .code(0))
    #expect(result.text.contains("eighths        █████████████████████████▊"))
    #expect(!result.text.contains("\u{1B}"))
  }

  @Test(arguments: [[], ["video"], ["bar", "more"]])
  func `There is one demo`(words: [String]) {
    let result = RunningTool.run(["demo"] + words, in: Sandbox())
    #expect(result.end == .code(2))
    #expect(result.text.hasPrefix("headway: name what to show: headway demo bar"))
  }

  @Test func `q quits, and leaves the last picture and the terminal as it was`() throws {
    let sandbox = Sandbox()
    let tool = try start(in: sandbox)
    #expect(!tool.hasEcho)
    tool.type(" ")
    #expect(tool.wait(for: "paused"))
    tool.type("q")
    #expect(tool.end() == .code(0))
    #expect(tool.hasEcho)
    var screen = TerminalScreen(size: size)
    screen.write(tool.output)
    #expect(screen.allText.components(of: "right to left") == 1)
    #expect(screen.isCursorVisible && !screen.isUpdating)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func `A signal ends it by that signal, and the terminal is as it was`(signal: Int32) throws {
    let sandbox = Sandbox()
    let tool = try start(in: sandbox)
    if signal == SIGINT { tool.type("\u{3}") } else { kill(tool.pid, signal) }
    #expect(tool.end() == .signal(signal))
    #expect(tool.hasEcho)
    var screen = TerminalScreen(size: size)
    screen.write(tool.output)
    #expect(screen.isCursorVisible && screen.text == "")
  }

  @Test func `Killed, it leaves the terminal with its echo`() throws {
    let sandbox = Sandbox()
    let shell = RunningTool(
      ["-c", "\(RunningTool.path) demo bar; echo it is over; read x"], in: sandbox,
      terminal: size, program: "/bin/sh")
    try #require(shell.wait(for: "unknown  "))
    #expect(!shell.hasEcho)
    let victim = RunningTool.firstChild(of: shell.pid)
    try #require(victim > 0)
    kill(victim, SIGKILL)
    #expect(shell.wait(for: "it is over"))
    #expect(eventually { shell.hasEcho && sandbox.states(of: "demo bar; ").count == 1 })
    #expect(!shell.text.contains("headway:"))
    shell.type("\n")
    _ = shell.end()
    var screen = TerminalScreen(size: size)
    screen.write(shell.output)
    #expect(screen.isCursorVisible && !screen.isUpdating)
    // They are left where they were, which a line of others does not move.
    #expect(screen.text.contains("unknown  "))
    #expect(sandbox.survivors() == [])
  }

  @Test func `It goes on if the process that would restore the terminal is killed`() throws {
    let sandbox = Sandbox()
    let tool = try start(in: sandbox)
    let other = tool.supervisor
    try #require(other > 0)
    kill(other, SIGKILL)
    #expect(eventually { state(of: other).map { $0 == "Z" } ?? true })
    tool.type("q")
    #expect(tool.end() == .code(0))
    #expect(tool.hasEcho)
  }

  @Test func `While it is stopped, the terminal is as it was`() throws {
    let sandbox = Sandbox()
    // An interactive shell would itself restore the terminal.
    let shell = RunningTool(
      ["-c", "set -m; \(RunningTool.path) demo bar; echo it is over; read x; fg"], in: sandbox,
      terminal: size, program: "/bin/bash")
    try #require(shell.wait(for: "unknown  "))
    #expect(!shell.hasEcho)
    shell.type("\u{1A}")
    try #require(shell.wait(for: "it is over"))
    #expect(shell.hasEcho)
    let stopped = shell.output.count
    shell.type("\n")
    #expect(shell.wait(for: "unknown  ", from: stopped))
    #expect(!shell.hasEcho)
    shell.type("q")
    #expect(shell.end() == .code(0))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Killed while it is stopped, it leaves the prompt as it is`() throws {
    let sandbox = Sandbox()
    sandbox.write("PS1='prompt> '; set -m\n", to: "rc")
    let shell = RunningTool(
      ["--noprofile", "--rcfile", "rc", "-i"], in: sandbox, terminal: size, program: "/bin/bash")
    shell.type("\(RunningTool.path) demo bar\n")
    try #require(shell.wait(for: "unknown  "))
    shell.type("\u{1A}")
    try #require(shell.wait(for: "Stopped"))
    shell.type("kill -9 %1\n")
    #expect(eventually { sandbox.states(of: "demo bar").isEmpty })
    // The shell reads keys one by one; the settings of the start would make it wait for whole lines.
    #expect(eventually { shell.terminalSettings.map { $0.c_lflag & tcflag_t(ICANON) } == 0 })
    shell.type("echo $((40 + 2))x\n")
    #expect(shell.wait(for: "42x"))
    #expect(eventually { shell.terminalSettings.map { $0.c_lflag & tcflag_t(ICANON) } == 0 })
    // Twice: bash may not have noticed yet that the stopped job is over, and warns of it the first time.
    shell.type("exit\nexit\n")
    _ = shell.end()
    #expect(sandbox.survivors() == [])
  }

  @Test func `Ctrl-Z takes it away and stops it, and fg shows it again`() {
    let sandbox = Sandbox()
    sandbox.write("set -m\n", to: "rc")
    let shell = RunningTool(
      ["--noprofile", "--rcfile", "rc", "-i"], in: sandbox, terminal: size, program: "/bin/bash")
    shell.type("\(RunningTool.path) demo bar\n")
    #expect(shell.wait(for: "unknown  "))
    shell.type("\u{1A}")
    #expect(shell.wait(for: "Stopped"))
    var screen = TerminalScreen(size: size)
    screen.write(shell.output)
    #expect(!screen.text.contains("unknown  "))
    let stopped = shell.output.count
    shell.type("fg\n")
    #expect(shell.wait(for: "unknown  ", from: stopped))
    shell.type("q")
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
}
