internal import CSpawn
internal import Glibc

/// The other process of a run, seen from the runner.
///
/// The program splits before any thread exists: the parent keeps, the child runs. Whichever is killed, the
/// other ends every process of the run.
@safe
package final class Keeper {
  /// A signal that came to the run.
  struct Signal {
    /// The number of the signal.
    var number: Int32
    /// Whether the terminal sent it.
    var isFromTerminal: Bool
  }

  /// What both processes share.
  private let shared: UnsafeMutablePointer<hw_shared>
  /// Can be read when the keeper is gone.
  let alive: Int32
  /// Can be read when a signal has come.
  let signals: Int32

  /// How long what is left of a run is ended before the runner gives up.
  private static let patienceMilliseconds: Int32 = 10_000
  /// The most signals that are taken at once.
  private static let mostSignals = 16
  /// The exit code when the keeper was killed; nobody is left to see it but a log of the system.
  private static let lostCode: Int32 = 70

  /// Splits the program; only the runner returns.
  ///
  /// Call it before any thread exists.
  ///
  /// - Throws: `RunnerError.system` when no process can be made.
  package init() throws(RunnerError) {
    var place: UnsafeMutablePointer<hw_shared>?
    var alive: Int32 = -1
    let error = unsafe hw_keeper_split(&place, &alive)
    guard error == 0, let shared = unsafe place else {
      throw .system("cannot start the run", error)
    }
    unsafe self.shared = shared
    self.alive = alive
    signals = unsafe hw_signals_open(shared)
    if signals < 0 { throw .system("cannot receive signals", errno) }
  }

  /// Makes sure that the standard streams are open, so that no log is taken for them.
  package static func openStandardStreams() { hw_open_standard_streams() }

  /// Runs a body in the runner, on a thread that lives as long as the run.
  ///
  /// All of the run belongs there: the thread that went through the split must not meet other threads in
  /// Swift's runtime, which remembers a wrong number for it.
  ///
  /// - Parameter body: The run.
  /// - Throws: `RunnerError.system` when no thread can be made.
  package func onRunThread(_ body: @escaping () -> Void) throws(RunnerError) {
    /// Carries the body to the thread.
    final class Carrier {
      /// What the thread runs.
      let body: () -> Void
      /// Creates a carrier.
      init(_ body: @escaping () -> Void) { self.body = body }
    }
    let carrier = Carrier(body)
    let error = unsafe hw_on_new_thread(
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<Carrier>.fromOpaque(context).takeUnretainedValue().body()
        }
      }, Unmanaged.passUnretained(carrier).toOpaque())
    withExtendedLifetime(carrier) {}
    if error != 0 { throw .system("cannot start the run", error) }
  }

  /// Tells the keeper that the terminal must be put right if the runner dies.
  package var isTerminalChanged: Bool {
    get { unsafe shared.pointee.is_terminal_changed != 0 }
    set { unsafe shared.pointee.is_terminal_changed = newValue ? 1 : 0 }
  }

  /// Tells the keeper that the task bar of the desktop must be told that the run is over if the runner dies.
  package var showsTaskbar: Bool {
    get { unsafe shared.pointee.shows_taskbar != 0 }
    set { unsafe shared.pointee.shows_taskbar = newValue ? 1 : 0 }
  }

  /// Has the two processes look after the terminal only, because nothing else will be left to end.
  ///
  /// Whichever is killed, the other puts the terminal right: the keeper by itself, the runner when it is told to end. To
  /// be called on the thread of the run, which waits for signals.
  package func keepTerminalOnly() {
    unsafe shared.pointee.is_orderly = 1
    unsafe shared.pointee.is_terminal_changed = 1
    unsafe hw_end_with_keeper(shared)
  }

  /// Lets signals do again what they do to any program, because nothing of the run is left.
  package func letGo() {
    unsafe shared.pointee.is_orderly = 1
    unsafe hw_die_with_keeper(shared)
    unsafe pthread_sigmask(SIG_UNBLOCK, &shared.pointee.signals, nil)
  }

  /// Ends the program as the given signal would, so that a calling shell sees why.
  package func exit(signal: Int32) -> Never { hw_die_by_signal(signal) }

  /// How many signals that ask for the end the keeper has passed on.
  var wishes: Int { unsafe Int(hw_wishes(shared)) }

  /// Takes the signals that have come; `signals` stays readable while there are more.
  func takeSignals() -> [Signal] {
    unsafe [hw_signal](unsafeUninitializedCapacity: Self.mostSignals) { room, count in
      count = unsafe hw_signals_take(signals, room.baseAddress, Self.mostSignals)
    }.map {
      Signal(number: $0.number, isFromTerminal: $0.is_from_terminal)
    }
  }

  /// Ends the run because the keeper is gone.
  func endWithout(restore: () -> Void) -> Never {
    var ended = 0
    _ = unsafe hw_end_descendants(Self.patienceMilliseconds, &ended, nil, 0)
    restore()
    let line =
      "headway: the keeper of the run was killed; ended the processes of the run (\(ended))\n"
    _ = writeAll(STDERR_FILENO, Array(line.utf8))
    _exit(Self.lostCode)
  }
}
