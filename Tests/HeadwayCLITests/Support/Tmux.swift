import Glibc

/// A window of tmux with a server of its own.
struct Tmux {
  /// Where tmux is, nil where it is not installed.
  static let path: String? = installed("tmux")

  private let sandbox: Sandbox
  private let socket: String

  /// Opens a window.
  ///
  /// - Parameters:
  ///   - sandbox: The folder to start in.
  ///   - name: Tells servers of one test apart.
  ///   - columns: The width.
  ///   - command: What runs in it.
  init(_ sandbox: Sandbox, name: String = "tmux", columns: Int = 100, _ command: String) {
    self.sandbox = sandbox
    socket = "\(sandbox.path)/\(name)"
    let tool = start(["new-session", "-d", "-x", "\(columns)", "-y", "24", command])
    // The server, which this starts, lives on and is not waited for.
    while !tool.isOver, tool.read(for: 10_000) {}
  }

  /// What the window shows, and what scrolled away.
  var picture: String { ask(["capture-pane", "-p", "-S", "-"]) }

  /// Presses keys.
  func type(_ keys: [String]) { ask(["send-keys"] + keys) }

  /// Closes the window.
  func end() { ask(["kill-server"]) }

  /// Gives a command to the server.
  @discardableResult
  func ask(_ words: [String]) -> String {
    let tool = start(words)
    _ = tool.end()
    return tool.text
  }

  private func start(_ words: [String]) -> RunningTool {
    RunningTool(
      ["-f", "/dev/null", "-S", socket] + words, in: sandbox, program: Self.path ?? "tmux")
  }
}

/// The path of an installed program, nil where there is none.
func installed(_ program: String) -> String? {
  ["/usr/bin", "/usr/local/bin", "/usr/sbin"].map { "\($0)/\(program)" }.first { path in
    unsafe access(path, X_OK) == 0
  }
}
