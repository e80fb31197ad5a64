import Glibc
import ProcessFixtures
import Synchronization

/// Ends what a test left alive on purpose.
func endSurvivors(of sandbox: Sandbox) {
  for line in sandbox.survivors() {
    if let pid = line.split(separator: " ").first.flatMap({ pid_t($0) }) { kill(pid, SIGKILL) }
  }
}

/// Ends the processes with a command line.
func endProcesses(named command: String) {
  for pid in folderEntries("/proc").compactMap({ Int32($0) }) {
    let words = bytes(ofFile: "/proc/\(pid)/cmdline").split(separator: 0)
    let line = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    if line == command { kill(pid, SIGKILL) }
  }
}

extension Sandbox {
  /// The states of the test's processes whose command line holds a text, as the letters of the system.
  func states(of text: String) -> [Character] {
    survivors().filter { $0.contains(text) }.compactMap { line in
      pid_t(line.prefix { $0 != " " }).flatMap { state(of: $0) }
    }
  }

  /// Sends a signal to the test's processes whose command line holds a text.
  func signal(_ number: Int32, to text: String) {
    for line in survivors() where line.contains(text) {
      if let pid = line.split(separator: " ").first.flatMap({ pid_t($0) }) { kill(pid, number) }
    }
  }
}

/// Returns a command that sleeps for longer than any test, and that nobody else uses.
func longSleep() -> String {
  let number = longSleeps.add(1, ordering: .relaxed).newValue
  return "sleep \(10_000 + number).\(getpid())"
}

/// The number of commands that sleep for long; no other memory depends on it.
private let longSleeps = Atomic(0)

/// The command lines of all processes of the machine.
func commands() -> Set<String> {
  Set(
    folderEntries("/proc").compactMap { Int32($0) }.map { pid in
      let words = bytes(ofFile: "/proc/\(pid)/cmdline").split(separator: 0)
      return words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    })
}
