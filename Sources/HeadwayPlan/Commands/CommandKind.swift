extension Plan.Command {
  /// Shells and interpreters: what they do is in the script.
  private static let interpreters: Set<String> = [
    "sh", "bash", "dash", "ash", "ksh", "zsh", "fish", "python", "pypy", "perl", "ruby", "node",
    "php", "lua",
  ]
  /// Programs that run another one, which can be any.
  private static let wrappers: Set<String> = [
    "busybox", "env", "nice", "nohup", "parallel", "setsid", "stdbuf", "sudo", "timeout", "xargs",
  ]

  /// A name that commands which do similar things have in common; empty if the command has none.
  ///
  /// It is the name of the program, or that of the script if the program is a shell or an interpreter. A text for a shell, or a
  /// command after `sudo`, has no such name, because what follows can be anything.
  ///
  /// - Complexity: O(length).
  package var kind: String {
    switch self {
    case .program(let words): Self.kind(of: words)
    case .shell(let text):
      Self.kind(of: PlainCommand.split(text) ?? [PlainCommand.program(of: text)])
    }
  }

  private static func kind(of words: [String]) -> String {
    guard let first = words.first else { return "" }
    let program = PlainCommand.lastComponent(first)
    if wrappers.contains(program) { return "" }
    // `python3.12` is a Python.
    let name = program.utf8.prefix { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) }
    guard interpreters.contains(String(decoding: name, as: UTF8.self)) else { return program }
    guard let script = words.dropFirst().first, !script.hasPrefix("-"),
      script.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") })
    else { return "" }
    return PlainCommand.lastComponent(script)
  }
}
