internal import CSpawn
internal import HeadwayLibc
internal import HeadwaySystem
internal import HeadwayTime

/// The supervisor: the process beside the runner, as the runner sees it.
///
/// The program splits before any thread is started into three processes: the proxy, which the calling shell sees, the
/// supervisor and the runner. If some of them are killed, another one ends all processes of the run.
@safe
package final class Supervisor {
  private let shared: UnsafeMutablePointer<hw_shared>
  /// Readable once the supervisor is dead.
  let pipe: Int32
  /// Readable while a signal is pending.
  let signals: Int32
  /// The number of signals that programs have sent to this process alone and that ask for the end of the run.
  private var ownRequests = 0
  private var requests = EndRequests()

  /// How long the runner tries to end what is left of a run.
  private static let cleanupMilliseconds: Int32 = 10_000
  /// The maximum number of signals of one call.
  private static let signalCapacity = 16
  /// The exit code after the supervisor was killed.
  private static let exitCode: Int32 = 70

  /// Splits the program; returns in the runner only.
  ///
  /// Must be called before any thread is started.
  ///
  /// - Throws: `RunnerError.system` if no process can be created.
  package init() throws(RunnerError) {
    var page: UnsafeMutablePointer<hw_shared>?
    var pipe: Int32 = -1
    let error = unsafe hw_supervisor_split(&page, &pipe)
    guard error == 0, let shared = unsafe page else {
      throw .system("cannot start the run", error)
    }
    unsafe self.shared = shared
    self.pipe = pipe
    signals = unsafe hw_signals_open(shared)
    if signals < 0 { throw .system("cannot receive signals", errno) }
  }

  /// Runs a function in a child process, and waits for its end.
  ///
  /// Signals that ask for the end reach the child. If there was one, or the child was ended by a signal, this process ends by it as
  /// well, so that this returns only if another run may begin. Must be called before any thread is started.
  ///
  /// - Parameter body: The function; its result is the exit code of the child.
  /// - Throws: `RunnerError.system` if no process can be created.
  package static func inChild(_ body: () -> Int32) throws(RunnerError) {
    let child = hw_fork_run()
    if child < 0 { throw .system("cannot start the run", errno) }
    if child == 0 { hw_exit(body()) }
    let signal = hw_wait_for_run(child)
    if signal != 0 { hw_die_by_signal(signal) }
  }

  /// Prepares the process: opens standard streams that are closed, so that no log gets their descriptor, makes a limit on the
  /// size of files an error of the write that exceeds it instead of the end of the program, and says so if memory runs out.
  package static func prepareProcess() {
    hw_note_process()
    hw_open_standard_streams()
    hw_explain_failed_allocations()
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Ends this process, on a thread on which Swift's locks work.
  ///
  /// - Parameter code: The exit code.
  package static func exit(_ code: Int32) -> Never { hw_exit(code) }

  /// Runs a function on a new thread of the runner, and waits for its end.
  ///
  /// All of the run belongs there: Swift's locks do not work on the thread that went through the split while there are
  /// other threads.
  ///
  /// - Parameter body: The run.
  /// - Throws: `RunnerError.system` if no thread can be created.
  package func onRunThread(_ body: @escaping () -> Void) throws(RunnerError) {
    final class Box {
      let body: () -> Void
      init(_ body: @escaping () -> Void) { self.body = body }
    }
    let shared = unsafe shared
    let box = Box {
      // Until the run has begun, nobody waits for the end of the supervisor.
      unsafe hw_die_with_supervisor(shared)
      body()
    }
    let error = unsafe hw_on_new_thread(
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().body()
        }
      }, Unmanaged.passUnretained(box).toOpaque())
    withExtendedLifetime(box) {}
    if error != 0 { throw .system("cannot start the run", error) }
  }

  /// Marks signals as handled from now on; before, a signal that asks for the end kills this process.
  package func begin() { unsafe hw_begin(shared) }

  /// Marks a turn of the run loop, which shows the supervisor that it responds.
  func takeTurn() { unsafe hw_take_turn(shared) }

  /// Lets the supervisor kill this process, a worker, and end its tasks unless this is called again within a time.
  ///
  /// - Parameter duration: The time, which also passes while this process is stopped or the machine is suspended.
  func setLease(_ duration: Duration) {
    unsafe hw_set_lease(shared, max(Int64(duration / .milliseconds(1)), 0))
  }

  /// The three processes.
  var processes: Set<pid_t> {
    unsafe [shared.pointee.proxy, shared.pointee.supervisor, getpid()]
  }

  /// What the supervisor of a worker says once nothing of the run is left on its machine.
  static var nothingLeft: String { unsafe String(cString: hw_nothing_left()) }

  /// Runs a function that changes the terminal.
  ///
  /// Until `terminalIsRestored()` is called, the supervisor restores the terminal if the runner dies.
  /// Settings that another program has changed since, such as a shell that shows its prompt, stay as they are.
  ///
  /// - Parameter change: Changes the settings of standard input.
  /// - Returns: The result of the function.
  package func withTerminalChange<Result>(_ change: () -> Result) -> Result {
    // Before it too: the runner may die in between.
    unsafe hw_terminal_will_change(shared)
    defer { unsafe hw_terminal_did_change(shared) }
    return change()
  }

  /// Tells the supervisor that there is nothing left to restore in the terminal.
  package func terminalIsRestored() { unsafe hw_terminal_is_restored(shared) }

  /// Whether the supervisor must clear the desktop's taskbar if the runner dies.
  package var showsTaskbar: Bool {
    get { unsafe shared.pointee.shows_taskbar != 0 }
    set { unsafe shared.pointee.shows_taskbar = newValue ? 1 : 0 }
  }

  /// Whether SIGHUP detaches the run instead of asking for its end.
  package var detachesOnHangup: Bool {
    get { unsafe shared.pointee.detaches_on_hangup != 0 }
    set { unsafe shared.pointee.detaches_on_hangup = newValue ? 1 : 0 }
  }

  /// Leaves the session of the calling shell, for which the program then ends with exit code 0.
  ///
  /// The terminal must have been restored. Standard input and output become `/dev/null`.
  ///
  /// - Parameter errors: The file that becomes standard error, of the supervisor too; -1 for `/dev/null`.
  /// - Returns: 0, or an errno if the program stays in its session.
  package func detach(errors: Int32) -> Int32 { unsafe hw_detach(shared, errors) }

  /// Limits supervision to the terminal, for a program that starts no processes.
  ///
  /// If one of the two processes is killed, the other restores the terminal: the runner does so on SIGTERM. Must be called
  /// on the run's thread.
  package func superviseTerminalOnly() {
    unsafe shared.pointee.is_orderly = 1
    begin()
    unsafe hw_terminate_with_supervisor(shared)
  }

  /// Ends supervision, because nothing of the run is left.
  ///
  /// - Parameter keepsSignals: Whether signals stay blocked, because one that has asked for the end may come once more: a key reaches
  ///   this process from the terminal and from the supervisor. Otherwise they have their default effect again.
  package func release(keepsSignals: Bool = false) {
    unsafe shared.pointee.is_orderly = 1
    unsafe hw_die_with_supervisor(shared)
    if !keepsSignals { unsafe pthread_sigmask(SIG_UNBLOCK, &shared.pointee.signals, nil) }
  }

  /// Ends the program by a signal, so that the calling shell sees the reason.
  package func exit(signal: Int32) -> Never { hw_die_by_signal(signal) }

  /// The number of signals that ask for the end of the run: those that were forwarded, or those that were sent to this process
  /// alone, whichever are more, because a service manager sends each signal to each process.
  var endRequests: Int { max(unsafe Int(hw_end_requests(shared)), ownRequests) }

  /// Takes pending signals; `signals` stays readable while there are more.
  func takeSignals() -> [ReceivedSignal] {
    unsafe [hw_received_signal](unsafeUninitializedCapacity: Self.signalCapacity) { buffer, count in
      count = unsafe hw_signals_take(signals, buffer.baseAddress, Self.signalCapacity)
    }.map { signal in
      count(signal)
      return ReceivedSignal(number: signal.number, isFromTerminal: signal.is_from_terminal)
    }
  }

  /// Counts a signal that a program has sent to this process and that asks for the end of the run.
  private func count(_ signal: hw_received_signal) {
    let supervisor = unsafe shared.pointee.supervisor
    guard [SIGINT, SIGTERM, SIGHUP].contains(signal.number), !signal.is_from_terminal,
      signal.sender != supervisor
    else { return }
    let now = MonotonicTime.now / .milliseconds(1)
    let next = EndRequest(number: signal.number, isFromTerminal: false, milliseconds: Int64(now))
    if requests.add(next) { ownRequests += 1 }
  }

  /// Stops this process until it is continued; after Ctrl-Z only if there is a shell that can continue it.
  package func stopSelf(isFromTerminal: Bool) { unsafe hw_stop_self(shared, isFromTerminal) }

  /// Ends all processes of the run and then this one, because the supervisor is dead.
  func exitAfterItsDeath(restoringTerminal restore: () -> Void) -> Never {
    var ended = 0
    let left = unsafe hw_end_descendants(Self.cleanupMilliseconds, &ended, nil, 0)
    restore()
    // It may have been stopped with this process.
    let proxy = unsafe shared.pointee.proxy
    if getppid() == proxy { kill(proxy, SIGCONT) }
    // The proxy restores what this process has not.
    terminalIsRestored()
    var line = "headway: the supervisor was killed; processes of the run ended: \(ended)\n"
    if unsafe shared.pointee.lease_end != 0, left == 0 { line += "\(Self.nothingLeft)\n" }
    _ = writeAll(STDERR_FILENO, Array(line.utf8))
    _exit(Self.exitCode)
  }
}
