internal import CSpawn
internal import HeadwayLibc
internal import HeadwaySystem
internal import HeadwayTime

/// The supervisor: the process beside the runner, as the runner sees it.
///
/// The program splits before any thread is started into three processes: the viewer, which the calling shell sees and which owns
/// the terminal, the supervisor and the runner. If some of them are killed, another one ends all processes of the run.
@safe
package final class Supervisor {
  /// The processes that return from the split of a program.
  package enum Side {
    /// The viewer, with its end of the stream from the runner.
    case viewer(ViewerProcess, stream: Int32)
    /// The runner, with its end of the stream to the viewer.
    case runner(Supervisor, stream: Int32)
  }

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

  /// Splits the program; returns in the viewer, which is this process, and in the runner.
  ///
  /// Must be called before any thread is started.
  ///
  /// - Throws: `RunnerError.system` if no process can be created.
  package static func split() throws(RunnerError) -> Side {
    var split = hw_split()
    split.is_shown = true
    let shared = unsafe try Self.split(&split)
    if split.is_viewer { return unsafe .viewer(try ViewerProcess(shared), stream: split.stream) }
    return unsafe .runner(try Supervisor(shared, split), stream: split.stream)
  }

  /// Splits a program that shows nothing; returns in the runner only.
  ///
  /// The viewer passes signals on, and ends as the runner does. Must be called before any thread is started.
  ///
  /// - Throws: `RunnerError.system` if no process can be created.
  package static func splitWithoutView() throws(RunnerError) -> Supervisor {
    var split = hw_split()
    let shared = unsafe try Self.split(&split)
    if split.is_viewer { unsafe hw_serve(shared) }
    return unsafe try Supervisor(shared, split)
  }

  private static func split(_ split: inout hw_split) throws(RunnerError) -> UnsafeMutablePointer<
    hw_shared
  > {
    var page: UnsafeMutablePointer<hw_shared>?
    let error = unsafe hw_supervisor_split(&page, &split)
    guard error == 0, let shared = unsafe page else {
      throw .system("cannot start the run", error)
    }
    return unsafe shared
  }

  private init(_ shared: UnsafeMutablePointer<hw_shared>, _ split: hw_split) throws(RunnerError) {
    unsafe self.shared = shared
    pipe = split.supervisor_pipe
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
  /// size of files an error of the write that exceeds it instead of the end of the program, lets SIGQUIT end the program, and says so
  /// if memory runs out.
  package static func prepareProcess() {
    hw_note_process()
    hw_open_standard_streams()
    hw_explain_failed_allocations()
    signal(SIGXFSZ, SIG_IGN)
    hw_undo_quit_handler()
  }

  /// Ends this process, on a thread on which Swift's locks work.
  ///
  /// - Parameter code: The exit code.
  package static func exit(_ code: Int32) -> Never { hw_exit(code) }

  /// Runs a function on a new thread of the runner, and waits for its end.
  ///
  /// All of the run belongs there, see ``onNewThread(_:)``.
  ///
  /// - Parameter body: The run.
  /// - Throws: `RunnerError.system` if no thread can be created.
  package func onRunThread(_ body: @escaping () -> Void) throws(RunnerError) {
    let shared = unsafe shared
    try Self.onNewThread {
      // Until the run has begun, nobody waits for the end of the supervisor.
      unsafe hw_die_with_supervisor(shared)
      body()
    }
  }

  /// Runs a function on a new thread, and waits for its end.
  ///
  /// Swift's locks do not work on a thread that went through a fork while there are other threads.
  ///
  /// - Parameter body: The function.
  /// - Throws: `RunnerError.system` if no thread can be created.
  static func onNewThread(_ body: @escaping () -> Void) throws(RunnerError) {
    final class Box {
      let body: () -> Void
      init(_ body: @escaping () -> Void) { self.body = body }
    }
    let box = Box(body)
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
    unsafe [shared.pointee.viewer, shared.pointee.supervisor, getpid()]
  }

  /// What the supervisor of a worker says once nothing of the run is left on its machine.
  static var nothingLeft: String { unsafe String(cString: hw_nothing_left()) }

  /// Whether the run goes on if its terminal is closed.
  var ignoresHangup: Bool {
    unsafe shared.pointee.has_left != 0 || shared.pointee.detaches_on_hangup != 0
  }

  /// Replaces the standard streams, so that neither a terminal nor a pipe of the viewer waits for this process.
  ///
  /// Standard input and output become `/dev/null`.
  ///
  /// - Parameter errors: The file that becomes standard error, of the supervisor too, and is closed; -1 for `/dev/null`.
  package func leaveStreams(to errors: Int32) {
    unsafe hw_leave_streams(shared, errors)
    if errors >= 0 { close(errors) }
  }

  /// Ends supervision, because nothing of the run is left.
  ///
  /// - Parameter keepsSignals: Whether signals stay blocked, because one that has asked for the end may come once more. Otherwise they
  ///   have their default effect again.
  package func release(keepsSignals: Bool = false) {
    unsafe shared.pointee.is_orderly = 1
    unsafe hw_die_with_supervisor(shared)
    if !keepsSignals { unsafe pthread_sigmask(SIG_UNBLOCK, &shared.pointee.signals, nil) }
  }

  /// Ends the program by a signal, so that the calling shell sees the reason.
  package static func exit(signal: Int32) -> Never { hw_die_by_signal(signal) }

  /// The number of signals that ask for the end of the run: those that were forwarded, or those that were sent to this process
  /// alone, whichever are more, because a service manager sends each signal to each process.
  var endRequests: Int { max(unsafe Int(hw_end_requests(shared)), ownRequests) }

  /// Takes pending signals; `signals` stays readable while there are more.
  func takeSignals() -> [Int32] {
    Self.takeSignals(from: signals).map { signal in
      count(signal)
      return signal.number
    }
  }

  /// Takes pending signals from a descriptor.
  static func takeSignals(from signals: Int32) -> [hw_received_signal] {
    unsafe [hw_received_signal](unsafeUninitializedCapacity: signalCapacity) { buffer, count in
      count = unsafe hw_signals_take(signals, buffer.baseAddress, signalCapacity)
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

  /// Ends all processes of the run and then this one, because the supervisor is dead.
  ///
  /// - Parameter say: Says it to the view.
  func exitAfterItsDeath(saying say: (String) -> Void) -> Never {
    var ended = 0
    let left = unsafe hw_end_descendants(Self.cleanupMilliseconds, &ended, nil, 0)
    say("the supervisor was killed; processes of the run ended: \(ended)")
    if unsafe shared.pointee.lease_end != 0, left == 0 {
      _ = writeAll(STDERR_FILENO, Array("\(Self.nothingLeft)\n".utf8))
    }
    _exit(Self.exitCode)
  }
}
