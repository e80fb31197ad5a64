import Glibc
import ProcessFixtures
import Testing

/// Services of plans, with real processes.
struct ServiceCommandTests {
  private func run(_ plan: String, _ arguments: [String] = []) -> (
    end: ProcessEnd, text: String, sandbox: Sandbox
  ) {
    let sandbox = Sandbox(plan: plan)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"] + arguments, in: sandbox)
    let end = tool.end(within: RunningTool.usualLimit)
    #expect(sandbox.survivors() == [])
    return (end, tool.text, sandbox)
  }

  /// A server in Python that writes its port into a file once it accepts connections.
  private static let server = """
    import os, socket, time
    s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
    open("port.new", "w").write(str(s.getsockname()[1])); os.rename("port.new", "port")
    time.sleep(300)
    """

  @Test func `Each sign of readiness lets what waits for it start`() {
    let notify =
      "import os, socket, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); "
      + "s.sendto(b'READY=1', os.environ['NOTIFY_SOCKET']); time.sleep(300)"
    let result = run(
      """
      tasks:
        start: { run: sleep 300, service: true }
        file: { run: "touch made; sleep 301", service: { ready: { file: made } } }
        command: { run: "mkdir made-too; sleep 302", service: { ready: { run: test -d made-too } } }
        output: { run: "echo it is up; sleep 303", service: { ready: { output: is up } } }
        notify: { run: [python3, -c, "\(notify)"], service: { ready: { notify: true } } }
        test: { run: touch tested, after: [start, file, command, output, notify] }
      """, ["-j1"])
    #expect(result.end == .code(0))
    #expect(result.sandbox.has("tested"))
    for name in ["start", "file", "command", "output", "notify"] {
      #expect(result.text.contains("\(name) ready after "), "\(name)")
    }
    #expect(result.text.contains("6 succeeded"))
  }

  @Test func `A port is ready when it accepts connections, and refused when it is taken`() throws {
    let sandbox = Sandbox(plan: "tasks: { a: { run: x } }\n")
    sandbox.write(Self.server, to: "server.py")
    sandbox.write(
      "tasks: { a: { run: python3 server.py, service: { ready: { file: port } } } }\n",
      to: "first.yaml")
    let holder = RunningTool(["run", "first.yaml", "--ui", "plain"], in: sandbox)
    #expect(holder.wait(for: "a ready"))
    let port = sandbox.read("port")
    sandbox.write(
      "tasks:\n  b: { run: sleep 300, service: { ready: { port: \(port) } } }\n  c: { run: x, after: b }\n",
      to: "second.yaml")
    let second = RunningTool(["run", "second.yaml", "--ui", "plain"], in: sandbox)
    #expect(second.end(within: RunningTool.usualLimit) == .code(1))
    #expect(second.text.contains("port \(port) is in use already"))
    kill(holder.pid, SIGTERM)
    #expect(holder.end(within: RunningTool.usualLimit) == .code(0))
    // Now the same port is free, and the service can have it.
    sandbox.write(
      Self.server.replacing("(\"127.0.0.1\", 0)", with: "(\"127.0.0.1\", \(port))")
        .replacing(
          "s = socket.socket();",
          with: "s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1);"),
      to: "server.py")
    sandbox.write(
      """
      tasks:
        b: { run: python3 server.py, service: { ready: { port: \(port) } } }
        c: { run: touch reached, after: b }
      """, to: "third.yaml")
    let third = RunningTool(["run", "third.yaml", "--ui", "plain"], in: sandbox)
    #expect(third.end(within: RunningTool.usualLimit) == .code(0), "\(third.text)")
    #expect(sandbox.has("reached"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Services alone stay until a signal, end in order and are a success`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          db: { run: "trap 'echo db >> ends; exit 1' TERM; touch a; while :; do sleep 0.02; done", service: { ready: { file: a } } }
          web: { run: "trap 'echo web >> ends; exit 0' TERM; touch b; while :; do sleep 0.02; done", service: { ready: { file: b } }, after: db }
          up: { after: web }
        """)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain", "up"], in: sandbox)
    #expect(tool.wait(for: "web ready"))
    kill(tool.pid, SIGINT)
    #expect(tool.end(within: RunningTool.usualLimit) == .code(0))
    #expect(sandbox.read("ends") == "web\ndb\n")
    #expect(tool.text.contains("3 succeeded"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A service that is never ready says what it waited for`() {
    let result = run(
      """
      tasks:
        db: { run: "echo hello; sleep 300", service: { ready: { output: bye, timeout: 50ms } } }
        test: { run: touch tested, after: db }
      """)
    #expect(result.end == .code(124))
    #expect(result.text.contains("hello\n"))
    #expect(
      result.text.contains("ended before it was ready: no line of its output contains \"bye\""))
    #expect(result.text.contains("test skipped: needs db, which timed out"))
    #expect(!result.sandbox.has("tested"))
  }

  @Test func `A service that goes into the background fails with advice`() {
    let result = run(
      """
      tasks:
        db: { run: "sleep 300 & exit 0", service: { ready: { run: "false" } } }
        test: { run: touch tested, after: db }
      """)
    #expect(result.end == .code(1))
    #expect(result.text.contains("start it in the foreground"))
    #expect(result.text.contains("left running, now ended: sleep"))
  }

  @Test func `A service whose check hangs ends with the run, and so does the check`() {
    let result = run(
      """
      tasks:
        db: { run: sleep 300, grace: 100ms, service: { ready: { run: "sleep 301", timeout: 100ms } } }
      """)
    #expect(result.end == .code(124))
  }

  @Test func `The death of the runner ends its services`() {
    let sandbox = Sandbox(
      plan: "tasks: { db: { run: \"setsid sleep 300 & sleep 301\", service: true } }\n")
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "db ready"))
    kill(tool.pid, SIGKILL)
    #expect(tool.end(within: RunningTool.usualLimit) == .signal(SIGKILL))
    #expect(eventually { sandbox.survivors() == [] })
  }
}
