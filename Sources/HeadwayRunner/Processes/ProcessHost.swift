internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTime

/// The supervisor, as the host of a run needs it.
protocol RunSupervisor: AnyObject {
  /// Readable once the supervisor is dead.
  var pipe: Int32 { get }

  /// Readable while a signal is pending.
  var signals: Int32 { get }

  /// The number of forwarded signals that ask for the end of the run.
  var endRequests: Int { get }

  /// Marks signals as handled from now on.
  func begin()

  /// Marks a turn of the run loop.
  func takeTurn()

  /// Takes pending signals; `signals` stays readable while there are more.
  func takeSignals() -> [ReceivedSignal]

  /// Stops this process until it is continued; after Ctrl-Z only if there is a shell that can continue it.
  func stopSelf(isFromTerminal: Bool)

  /// Ends all processes of the run and then this one, because the supervisor is dead.
  func exitAfterItsDeath(restoringTerminal restore: () -> Void) -> Never
}

extension Supervisor: RunSupervisor {}

/// The runner's process as the host of a run: waits for descriptors, receives signals, and watches the supervisor.
///
/// Not thread safe: it belongs to the run loop.
final class ProcessHost: RunHost {
  /// The tokens of the poller that are no task's.
  private enum Token {
    static let signals = UInt64.max
    static let supervisor = UInt64.max - 1
    static let answers = UInt64.max - 2
    static let request = UInt64.max - 3
  }

  private let poller: Poller
  private let supervisor: any RunSupervisor
  private let answers: WaitableEvent
  private let requests: WaitableEvent
  /// The workers of the run, nil if this machine carries out its tasks.
  private let workers: WorkerConnections?
  /// Restores the terminal before the program exits because its supervisor died.
  private let restoreTerminal: () -> Void

  /// Creates the host of a run.
  ///
  /// - Parameters:
  ///   - poller: Waits; its other tokens must be indices of tasks.
  ///   - supervisor: The other process.
  ///   - answers: Set while the checker of contents has answers.
  ///   - requests: Set when something was requested.
  ///   - workers: The workers of the run, nil for none.
  ///   - restoreTerminal: Restores the terminal before the program exits.
  /// - Throws: `RunnerError.system` if a descriptor cannot be waited for.
  init(
    poller: Poller, supervisor: any RunSupervisor, answers: WaitableEvent,
    requests: WaitableEvent, workers: WorkerConnections? = nil,
    restoreTerminal: @escaping () -> Void
  ) throws(RunnerError) {
    self.poller = poller
    self.supervisor = supervisor
    self.answers = answers
    self.requests = requests
    self.workers = workers
    self.restoreTerminal = restoreTerminal
    guard poller.add(supervisor.signals, token: Token.signals),
      poller.add(supervisor.pipe, token: Token.supervisor),
      poller.add(answers.descriptor, token: Token.answers),
      poller.add(requests.descriptor, token: Token.request), workers?.begin(in: poller) ?? true
    else { throw .system("cannot wait for events", errno) }
    supervisor.begin()
  }

  var endRequests: Int { supervisor.endRequests }

  func takeTurn() { supervisor.takeTurn() }

  func wait(for timeout: Duration?) -> [HostEvent] {
    takeTurn()
    var events = workers?.advance() ?? []
    workers?.send()
    if workers?.executor.hasExits == true { events.append(.exits) }
    var timeout = events.isEmpty ? timeout : .zero
    if let moment = workers?.nextMoment {
      timeout = earliest(timeout, max(moment - MonotonicTime.continuous, .zero))
    }
    for event in poller.wait(for: timeout) {
      switch event.token {
      case Token.signals: receiveSignals(into: &events)
      case Token.supervisor: supervisor.exitAfterItsDeath(restoringTerminal: restoreTerminal)
      case Token.answers:
        answers.clear()
        events.append(.answers)
      case Token.request:
        requests.clear()
        events.append(.request)
      case _ where workers?.isToken(event.token) == true:
        events += workers?.receive(event.token) ?? []
      default: events.append(.output(TaskID(Int(event.token))))
      }
    }
    return events
  }

  func stop(isFromTerminal: Bool) {
    // Tasks on other machines are to be stopped, too.
    workers?.send()
    supervisor.stopSelf(isFromTerminal: isFromTerminal)
  }

  private func receiveSignals(into events: inout [HostEvent]) {
    let signals = supervisor.takeSignals()
    for (index, signal) in signals.enumerated() {
      // Continued again before it could stop: nobody would send another SIGCONT.
      if signal.number == SIGTSTP, signals[index...].contains(where: { $0.number == SIGCONT }) {
        continue
      }
      events.append(signal.number == SIGCHLD ? .exits : .signal(signal))
    }
  }
}
