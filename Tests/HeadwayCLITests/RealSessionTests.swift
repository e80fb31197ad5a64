import Glibc
import HeadwayTerminal
import ProcessFixtures
import Testing

/// Whole sessions: windows of tmux that are closed, and connections of SSH that break.
struct RealSessionTests {
  /// A plan that runs until its gates are opened.
  private func sandbox() -> Sandbox {
    let tasks = (1...2).map { "  task\($0): { run: 'echo line; read x < gate\($0)' }\n" }
    let sandbox = Sandbox(plan: "name: demo\nworkers: 2\ntasks:\n" + tasks.joined())
    for number in 1...2 { unsafe mkfifo("\(sandbox.path)/gate\(number)", 0o600) }
    return sandbox
  }

  @Test(.enabled(if: Tmux.path != nil, "tmux is not installed"))
  func `A run that was left in a window of tmux goes on in another one`() {
    let sandbox = sandbox()
    let shell = "env PS1='$ ' bash --noprofile --norc -i"
    let first = Tmux(sandbox, name: "first", shell)
    first.type(["\(RunningTool.path) run plan.yaml", "Enter"])
    #expect(eventually { first.picture.contains("Tab for keys") })
    first.type(["Tab"])
    #expect(eventually { first.picture.contains("Esc done") })
    first.type(["d"])
    #expect(eventually { first.picture.contains("headway attach 2") })
    first.end()
    let second = Tmux(sandbox, name: "second", shell)
    second.type(["\(RunningTool.path) attach; echo code $?", "Enter"])
    #expect(eventually { second.picture.contains("task2") })
    second.type(["Tab"])
    #expect(eventually { second.picture.contains("Esc done") })
    second.type(["Space"])
    #expect(eventually { second.picture.contains("paused, Space resumes") })
    // From a third terminal.
    let run = entries("\(sandbox.path)/.headway/runs").first { $0.hasPrefix("2") } ?? ""
    #expect(RunningTool.run(["unpause", run], in: sandbox).end == .code(0))
    #expect(eventually { !second.picture.contains("paused, Space resumes") })
    for number in 1...2 { sandbox.write("\n", to: "gate\(number)") }
    #expect(eventually { second.picture.contains("code 0") }, "\(second.picture)")
    #expect(second.picture.contains("demo: 2 succeeded"))
    second.end()
    #expect(eventually { sandbox.survivors() == [] })
  }

  // MARK: SSH

  /// A server of SSH on loopback, with keys of its own.
  private struct Server {
    static let path = installed("sshd")
    static let isInstalled =
      path != nil && installed("ssh") != nil && installed("ssh-keygen") != nil

    let sandbox: Sandbox
    private let tool: RunningTool
    private let port: Int

    /// Starts the server, and waits until it listens.
    init?(_ sandbox: Sandbox) {
      self.sandbox = sandbox
      for key in ["host", "user"] {
        let words = ["-q", "-t", "ed25519", "-N", "", "-f", "\(sandbox.path)/\(key)"]
        _ = RunningTool.run(words, in: sandbox, program: installed("ssh-keygen"))
      }
      // Where sshd wants an empty folder if root starts it.
      if geteuid() == 0 { unsafe mkdir("/run/sshd", 0o755) }
      guard let port = Self.freePort() else { return nil }
      self.port = port
      sandbox.write(
        """
        ListenAddress 127.0.0.1
        Port \(port)
        HostKey \(sandbox.path)/host
        AuthorizedKeysFile \(sandbox.path)/user.pub
        PidFile none
        StrictModes no
        UsePAM no
        PasswordAuthentication no

        """, to: "sshd.conf")
      tool = RunningTool(
        ["-D", "-e", "-f", "\(sandbox.path)/sshd.conf"], in: sandbox, program: Self.path ?? "sshd")
      guard tool.wait(for: "Server listening") else { return nil }
    }

    /// Runs a command through a connection, in a terminal.
    func connect(_ command: String) -> RunningTool {
      let options = [
        "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR",
        "IdentitiesOnly=yes",
      ]
      return RunningTool(
        ["-tt", "-F", "/dev/null", "-i", "\(sandbox.path)/user", "-p", "\(port)"]
          + options.flatMap { ["-o", $0] } + ["127.0.0.1", command], in: sandbox,
        terminal: TerminalSize(columns: 100, rows: 24), program: installed("ssh") ?? "ssh")
    }

    func end() { kill(tool.pid, SIGTERM) }

    /// A port of loopback that nobody listens on.
    private static func freePort() -> Int? {
      let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
        }
      }
      return isBound ? Int(address.sin_port.bigEndian) : nil
    }
  }

  @Test(.enabled(if: Server.isInstalled, "sshd is not installed"), arguments: [true, false])
  func `A run goes on after its connection was killed, if it was asked to`(detaches: Bool) throws {
    let sandbox = sandbox()
    let server = try #require(Server(sandbox))
    defer { server.end() }
    let option = detaches ? "--on-hangup detach" : ""
    let client = server.connect(
      "cd \(sandbox.path) && \(sandbox.mark) \(RunningTool.path) run plan.yaml \(option)")
    #expect(client.wait(for: "task2"), "\(client.text)")
    kill(client.pid, SIGKILL)
    _ = client.endOfProxy()
    guard detaches else {
      let journal = ".headway/runs/latest/journal.jsonl"
      #expect(eventually { sandbox.read(journal).contains("run_ended") })
      #expect(sandbox.read(journal).contains("\"outcome\":\"cancelled\""))
      return
    }
    let terminal = server.connect(
      "cd \(sandbox.path) && \(sandbox.mark) \(RunningTool.path) attach; echo code $?")
    #expect(terminal.wait(for: "task2"), "\(terminal.text)")
    for number in 1...2 { sandbox.write("\n", to: "gate\(number)") }
    #expect(terminal.wait(for: "code 0"), "\(terminal.text)")
    _ = terminal.endOfProxy()
  }
}
