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

  /// A server in Python, which makes a file once it accepts connections.
  ///
  /// It sleeps until the run ends it; no test waits for that time.
  private static func server(on port: Int) -> String {
    """
    import socket, time
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    s.bind(("127.0.0.1", \(port)))
    s.listen()
    open("accepting", "w")
    time.sleep(300)
    """
  }

  /// Binds a port without accepting connections, so that no other program gets it.
  private func reservePort() throws -> (socket: Int32, port: Int) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var one: Int32 = 1
    unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEPORT, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(socket, pointer, size) == 0 && getsockname(socket, pointer, &size) == 0
      }
    }
    try #require(isBound)
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static let watch = ["watch", "--once"]

  @Test(arguments: ["", "  tidy: { run: 'true', always: true }\n", "on_end: { run: 'true' }\n"])
  func `Services alone have neither a percentage nor a remaining time, wherever they are shown`(
    rest: String
  ) {
    let sandbox = Sandbox(
      plan:
        "tasks:\n  dev: { run: 'echo up; read x < gate', service: true, after: a }\n  a: { run: 'true' }\n\(rest)"
    )
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(tool.wait(for: "a succeeded"))
    // Other programs of this user are watched as well.
    func shows(_ words: [String]) -> String {
      let lines = RunningTool.run(words, in: sandbox).text.split(separator: "\n")
      return lines.filter { words != Self.watch || $0.hasPrefix("\(tool.runner).") }
        .joined(separator: "\n")
    }
    // The publication may come after the line.
    let isShown = eventually {
      let text = shows(Self.watch)
      return text.contains("plan") && !text.contains("%")
    }
    #expect(isShown)
    for words in [["status"], ["runs"], ["runs", "--json"], Self.watch] {
      let text = shows(words)
      #expect(text.contains("plan"), "\(text)")
      for word in ["%", "longer than", " left", "fraction"] {
        #expect(!text.contains(word), "\(words): \(text)")
      }
    }
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .code(0))
  }

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
    let (socket, port) = try reservePort()
    defer { close(socket) }
    let sandbox = Sandbox(
      plan: """
        tasks:
          server: { run: python3 server.py, service: { ready: { port: \(port), interval: 10ms } } }
          test: { run: touch tested, after: server }
        """)
    sandbox.write(Self.server(on: port), to: "server.py")
    let first = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(first.end(within: RunningTool.usualLimit) == .code(0), "\(first.text)")
    #expect(sandbox.has("tested"))
    // Now something else accepts connections there.
    unsafe unlink("\(sandbox.path)/accepting")
    sandbox.write(
      "tasks: { other: { run: python3 server.py, service: { ready: { file: accepting } } } }\n",
      to: "other.yaml")
    let other = RunningTool(["run", "other.yaml", "--ui", "plain"], in: sandbox)
    #expect(other.wait(for: "other ready"))
    let second = RunningTool(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(second.end(within: RunningTool.usualLimit) == .code(1))
    #expect(second.text.contains("port \(port) is already in use"))
    kill(other.pid, SIGTERM)
    #expect(other.end(within: RunningTool.usualLimit) == .code(0))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Services alone stay until a signal, end in order and are a success`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          db: { run: "trap 'echo db >> ends; exit 1' TERM; touch a; while :; do sleep 0.02; done", service: { ready: { file: a } } }
          web: { run: "trap 'echo web >> ends; exit 0' TERM; touch b; while :; do sleep 0.02; done", service: { ready: { file: b } }, after: db }
          up: { after: web }
        on_failure: touch failed
        on_end: touch ended
        """)
    let tool = RunningTool(["run", "plan.yaml", "--ui", "plain", "up"], in: sandbox)
    #expect(tool.wait(for: "web ready"))
    kill(tool.pid, SIGINT)
    #expect(tool.end(within: RunningTool.usualLimit) == .code(0))
    #expect(sandbox.read("ends") == "web\ndb\n")
    #expect(tool.text.contains("4 succeeded"))
    #expect(sandbox.has("ended") && !sandbox.has("failed"))
    // How long they stay cannot be predicted, whatever is known from before.
    let again = RunningTool(["run", "plan.yaml", "--ui", "plain", "up"], in: sandbox)
    #expect(again.wait(for: "web ready"))
    kill(again.pid, SIGINT)
    #expect(again.end() == .code(0) && !again.text.contains("predicted"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A service that is never ready says what it waited for`() {
    let result = run(
      """
      tasks:
        db: { run: "echo hello; sleep 300", service: { ready: { output: bye, timeout: 10s } } }
        test: { run: touch tested, after: db }
      """)
    #expect(result.end == .code(124))
    #expect(result.text.contains("hello\n"))
    #expect(result.text.contains("db not ready after 10s\n"))
    #expect(
      result.text.contains("ended before it was ready: no line of its output contains \"bye\""))
    #expect(result.text.contains("test skipped: needs db, which was not ready in time"))
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
    #expect(result.text.contains("a service must stay in the foreground, but"))
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
