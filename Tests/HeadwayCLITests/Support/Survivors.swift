import Glibc

/// Ends what a test left alive on purpose.
func endSurvivors(of sandbox: Sandbox) {
  for line in sandbox.survivors() {
    if let pid = line.split(separator: " ").first.flatMap({ pid_t($0) }) { kill(pid, SIGKILL) }
  }
}

/// The command lines of all processes of the machine.
func commands() -> Set<String> {
  Set(
    entries("/proc").compactMap { Int32($0) }.map { pid in
      let words = bytes(ofFile: "/proc/\(pid)/cmdline").split(separator: 0)
      return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    })
}
