import Glibc
import HeadwayTerminal
import ProcessFixtures
import Testing

/// Whole sessions: windows of tmux that are closed, and connections of SSH that break.
struct RealSessionTests {
  /// A plan of tasks that wait until their gates are opened; the third one fails until something is repaired.
  private func sandbox() -> Sandbox {
    let sandbox = Sandbox(
      plan: """
        name: demo
        workers: 4
        tasks:
          task1: { run: 'echo line; read x < gate1' }
          task2: { run: 'echo line; read x < gate2' }
          task3: { run: 'read x < gate3; test -e repaired' }
          task4: { run: 'read x < gate4; exit 4' }
        """)
    for number in 1...4 { unsafe mkfifo("\(sandbox.path)/gate\(number)", 0o600) }
    return sandbox
  }

  /// A terminal in which a person types, and looks at what it shows.
  private protocol Seat {
    /// Types words and presses Enter.
    func enter(_ command: String)
    /// Presses a key.
    func press(_ key: String)
    /// Waits until the terminal shows something.
    func shows(_ text: String) -> Bool
  }

  /// What a person does with a run from a terminal that is not the one in which it was started.
  ///
  /// - Parameters:
  ///   - seat: A terminal with a shell in the folder of the plan.
  ///   - sandbox: The folder.
  /// - Throws: If there is no run.
  private func steer(_ seat: some Seat, in sandbox: Sandbox) throws {
    let tool = RunningTool.path
    let run = try #require(
      folderEntries("\(sandbox.path)/.headway/runs").first { $0.hasPrefix("2") })
    let journal = ".headway/runs/\(run)/journal.jsonl"
    func happened(_ text: String) -> Bool { eventually { sandbox.read(journal).contains(text) } }

    seat.enter("\(tool) attach; echo code $?")
    #expect(seat.shows("task4"))
    seat.press("Tab")
    #expect(seat.shows("Esc done"))
    seat.press("Space")
    #expect(seat.shows("paused, Space resumes"))
    // The other requests come from commands.
    #expect(RunningTool.run(["unpause", run], in: sandbox).end == .code(0))
    #expect(happened("run_resumed"))
    #expect(RunningTool.run(["cancel", run, "task2"], in: sandbox).end == .code(0))
    #expect(happened("\"task\":\"task2\",\"id\":1,\"outcome\":\"cancelled\""))
    sandbox.write("\n", to: "gate3")
    #expect(happened("run_held"))
    #expect(seat.shows("held by task3"))
    sandbox.write("", to: "repaired")
    seat.press("Tab")
    #expect(seat.shows("Esc done"))
    seat.press("r")
    #expect(happened("run_proceeding"))
    sandbox.write("\n", to: "gate3")
    #expect(happened("\"task\":\"task3\",\"id\":2,\"outcome\":\"succeeded\""))
    sandbox.write("\n", to: "gate4")
    #expect(seat.shows("held by task4"))
    seat.press("Tab")
    #expect(seat.shows("Esc done"))
    seat.press("e")
    #expect(happened("run_ended"))
    #expect(seat.shows("code 1"))
    #expect(seat.shows("1 succeeded, 1 failed, 2 cancelled"))
  }

  /// A window of tmux.
  private struct Window: Seat {
    let tmux: Tmux

    /// What runs in a window: a shell that waits for commands.
    static let shell = "env PS1='$ ' bash --noprofile --norc -i"

    init(_ sandbox: Sandbox, _ name: String, _ command: String = Window.shell) {
      tmux = Tmux(sandbox, name: name, command)
    }

    func enter(_ command: String) { tmux.type([command, "Enter"]) }
    func press(_ key: String) { tmux.type([key]) }
    func shows(_ text: String) -> Bool { eventually { tmux.picture.contains(text) } }
  }

  @Test(.enabled(if: Tmux.path != nil, "tmux is not installed"))
  func `A run that was left in a window of tmux is steered to its end from another one`() throws {
    let sandbox = sandbox()
    let first = Window(sandbox, "first")
    first.enter("\(RunningTool.path) run plan.yaml --on-failure hold")
    #expect(first.shows("Tab for keys"))
    first.press("Tab")
    #expect(first.shows("Esc done"))
    first.press("d")
    #expect(first.shows("headway attach 2"))
    first.tmux.end()
    let second = Window(sandbox, "second")
    try steer(second, in: sandbox)
    second.tmux.end()
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

    /// Starts the server, and waits until it listens; nil if it does not.
    init?(_ sandbox: Sandbox) {
      self.sandbox = sandbox
      for key in ["host", "user"] {
        let words = ["-q", "-t", "ed25519", "-N", "", "-f", "\(sandbox.path)/\(key)"]
        _ = RunningTool.run(words, in: sandbox, program: installed("ssh-keygen"))
      }
      // Where sshd wants an empty folder if root starts it.
      if geteuid() == 0 { unsafe mkdir("/run/sshd", 0o755) }
      // Another program may take the port first; then the next one is tried.
      for _ in 0..<20 {
        guard let port = Self.freePort() else { return nil }
        let tool = Self.start(sandbox, port)
        guard tool.wait(for: "Server listening") else { continue }
        (self.tool, self.port) = (tool, port)
        return
      }
      return nil
    }

    private static func start(_ sandbox: Sandbox, _ port: Int) -> RunningTool {
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
      return RunningTool(
        ["-D", "-e", "-f", "\(sandbox.path)/sshd.conf"], in: sandbox, program: path ?? "sshd")
    }

    /// The arguments of ssh that run a command in the folder, in a terminal.
    func arguments(_ command: String) -> [String] {
      let options = [
        "StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR",
        "IdentitiesOnly=yes",
      ]
      return ["-tt", "-F", "/dev/null", "-i", "\(sandbox.path)/user", "-p", "\(port)"]
        + options.flatMap { ["-o", $0] }
        + [
          "127.0.0.1",
          "cd \(sandbox.path) && env \(sandbox.variables.joined(separator: " ")) \(command)",
        ]
    }

    /// Runs a command through a connection, in a terminal.
    func connect(_ command: String) -> RunningTool {
      RunningTool(
        arguments(command), in: sandbox, terminal: TerminalSize(columns: 100, rows: 24),
        program: installed("ssh") ?? "ssh")
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

  @Test(
    .enabled(if: Server.isInstalled && Tmux.path != nil, "sshd or tmux is not installed"))
  func `A run whose connection was killed is steered to its end through another one`() throws {
    let sandbox = sandbox()
    let server = try #require(Server(sandbox))
    defer { server.end() }
    let client = server.connect(
      "\(RunningTool.path) run plan.yaml --on-failure hold --on-hangup detach")
    #expect(client.wait(for: "task4"), "\(client.text)")
    kill(client.pid, SIGKILL)
    _ = client.endOfViewer()
    let words = server.arguments(Window.shell).map { "\"\($0)\"" }
    let other = Window(sandbox, "ssh", "ssh \(words.joined(separator: " "))")
    try steer(other, in: sandbox)
    other.tmux.end()
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test(.enabled(if: Server.isInstalled, "sshd is not installed"))
  func `A run ends in order when its connection was killed, if nothing else was asked for`() throws
  {
    let sandbox = sandbox()
    let server = try #require(Server(sandbox))
    defer { server.end() }
    let client = server.connect("\(RunningTool.path) run plan.yaml")
    #expect(client.wait(for: "task4"), "\(client.text)")
    kill(client.pid, SIGKILL)
    _ = client.endOfViewer()
    let journal = ".headway/runs/latest/journal.jsonl"
    #expect(eventually { sandbox.read(journal).contains("run_ended") })
    #expect(sandbox.read(journal).contains("\"outcome\":\"cancelled\""))
    #expect(eventually { sandbox.survivors() == [] })
  }
}
