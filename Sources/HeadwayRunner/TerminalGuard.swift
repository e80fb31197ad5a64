internal import CSpawn
internal import HeadwayLibc

/// The terminal of this process, with another process that restores it if this one is killed.
@safe
package final class TerminalGuard {
  private let shared: UnsafeMutablePointer<hw_shared>

  /// Takes over the terminal of a viewer, whose supervisor restores it.
  init(_ shared: UnsafeMutablePointer<hw_shared>) { unsafe self.shared = shared }

  /// Starts the other process, for a program that starts no others.
  ///
  /// Must be called before any thread is started.
  ///
  /// - Throws: `RunnerError.system` if no process can be created.
  package init() throws(RunnerError) {
    var page: UnsafeMutablePointer<hw_shared>?
    let error = unsafe hw_terminal_guard(&page)
    guard error == 0, let shared = unsafe page else {
      throw .system("cannot start a process for the terminal", error)
    }
    unsafe self.shared = shared
  }

  /// Runs a function that changes the terminal.
  ///
  /// Until ``noteRestored()`` is called, the other process restores the terminal if this one is killed. Settings that another program has
  /// changed since, such as a shell that shows its prompt, stay as they are.
  ///
  /// - Parameter change: Changes the settings of standard input.
  /// - Returns: The result of the function.
  package func withChange<Result>(_ change: () -> Result) -> Result {
    // Before it too: this process may be killed in between.
    unsafe hw_terminal_will_change(&shared.pointee.terminal)
    defer { unsafe hw_terminal_did_change(&shared.pointee.terminal) }
    return change()
  }

  /// Notes that there is nothing left to restore in the terminal.
  package func noteRestored() { unsafe hw_terminal_is_restored(&shared.pointee.terminal) }

  /// Whether the desktop's taskbar must be cleared, too.
  package var showsTaskbar: Bool {
    get { unsafe shared.pointee.terminal.shows_taskbar != 0 }
    set { unsafe shared.pointee.terminal.shows_taskbar = newValue ? 1 : 0 }
  }

  /// Stops this process until it is continued; after Ctrl-Z only if there is a shell that can continue it.
  ///
  /// SIGTSTP and SIGCONT must be blocked.
  package static func stopProcess(isFromTerminal: Bool) { hw_stop_self(isFromTerminal) }
}
