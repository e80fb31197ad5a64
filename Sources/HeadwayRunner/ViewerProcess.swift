internal import CSpawn
internal import HeadwayLibc
internal import HeadwayTime

/// The viewer: the process of a run that the calling shell sees, and that owns the terminal.
///
/// It passes signals on to the supervisor, and ends as that ends. Not thread safe.
@safe
package final class ViewerProcess {
  /// Something that has happened to the viewer.
  package enum Event: Hashable, Sendable {
    /// Ctrl-Z was pressed, or another program asks this process to stop.
    case stop(isFromTerminal: Bool)
    /// The process was continued.
    case continued
    /// A signal has asked for the end of the run, and was passed on.
    case endRequest(Int32)
    /// The terminal was closed, and the run is to go on without it.
    case hangup
    /// Supervisor and runner have ended.
    case ended
  }

  private let shared: UnsafeMutablePointer<hw_shared>
  /// The terminal, which the supervisor restores if this process is killed.
  package let terminal: TerminalGuard
  /// Readable while there are events.
  package let signals: Int32
  /// How the supervisor has ended, as `waitpid` tells; nil before.
  private var status: Int32?

  init(_ shared: UnsafeMutablePointer<hw_shared>) throws(RunnerError) {
    unsafe self.shared = shared
    terminal = unsafe TerminalGuard(shared)
    signals = unsafe hw_signals_open(shared)
    if signals < 0 { throw .system("cannot receive signals", errno) }
  }

  /// Whether the run goes on if its terminal is closed or this process is killed.
  package var detachesOnHangup: Bool {
    get { unsafe shared.pointee.detaches_on_hangup != 0 }
    set { unsafe shared.pointee.detaches_on_hangup = newValue ? 1 : 0 }
  }

  /// Runs a function on a new thread, and waits for its end.
  ///
  /// All of the view belongs there: this process may have been made by a fork.
  ///
  /// - Parameter body: The view.
  /// - Throws: `RunnerError.system` if no thread can be created.
  package func onViewThread(_ body: @escaping () -> Void) throws(RunnerError) {
    try Supervisor.onNewThread(body)
  }

  /// Takes what has happened, and passes on what asks for the end of the run.
  ///
  /// ``signals`` stays readable while there is more.
  package func takeEvents() -> [Event] {
    // What is pending together has come together, however long it takes to handle it.
    let now = MonotonicTime.now / .milliseconds(1)
    return Supervisor.takeSignals(from: signals).compactMap { signal -> Event? in
      switch signal.number {
      case SIGTSTP: return .stop(isFromTerminal: signal.is_from_terminal)
      case SIGCONT:
        // Somebody may have stopped it, too, and it alone tells the end of the run.
        if status == nil { unsafe hw_continue_supervisor(shared) }
        return .continued
      case SIGCHLD:
        var status: Int32 = 0
        guard unsafe hw_has_supervisor_ended(shared, &status) else { return nil }
        self.status = status
        return .ended
      case SIGHUP where detachesOnHangup: return .hangup
      case let number:
        // Once the supervisor was waited for, its number may be that of another process.
        if status == nil {
          unsafe hw_pass_on(shared, number, signal.is_from_terminal, Int64(now))
        }
        return .endRequest(number)
      }
    }
  }

  /// Notes that this process is about to end while the run goes on.
  package func leave() { unsafe hw_leave(shared) }

  /// Why the runner could not be started, 0 if it was.
  package var startError: Int32 { unsafe shared.pointee.error }

  /// What is said about the death of the run, a line each; empty if it has ended by itself, and before it has ended.
  package var deathWords: [String] {
    guard status != nil, unsafe shared.pointee.is_over != 0,
      unsafe shared.pointee.death.reason != hw_death_none
    else { return [] }
    let words = unsafe String(cString: hw_death_words(&shared.pointee.death))
    var lines = unsafe ["\(words); processes ended: \(shared.pointee.death.ended)"]
    let left = unsafe withUnsafeBytes(of: &shared.pointee.death.left) {
      unsafe Array($0.bindMemory(to: pid_t.self))
    }
    for process in unsafe left.prefix(Int(shared.pointee.death.left_count)) {
      var name = [CChar](repeating: 0, count: 64)
      unsafe hw_process_name(process, &name, name.count)
      let text = String(
        decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      lines.append("could not end process \(process) (\(text))")
    }
    return lines
  }

  /// Waits until nothing of the run is left, once it has ended, if the supervisor was killed.
  package func cleanUp() { unsafe hw_clean_up_after_supervisor(shared) }

  /// Whether the run has ended by itself, and was neither killed nor ended by a signal; known once it has ended.
  package var hasEndedByItself: Bool {
    status.map { $0 & 0x7f == 0 } ?? false && deathWords.isEmpty
  }

  /// Ends as the supervisor has, which has ended as the runner has: by the same signal, if there was one.
  ///
  /// - Returns: The exit code of the run.
  package func end() -> Int32 {
    guard let status else { return 0 }
    let signal = status & 0x7f
    if signal != 0 { hw_die_by_signal(signal) }
    return status >> 8 & 0xff
  }
}
