internal import HeadwayLibc
internal import HeadwayRelay
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
  func takeSignals() -> [Int32]

  /// Whether the run goes on if its terminal is closed.
  var ignoresHangup: Bool { get }

  /// Ends all processes of the run and then this one, because the supervisor is dead.
  func exitAfterItsDeath(saying say: (String) -> Void) -> Never
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
    static let view = UInt64.max - 4
  }

  private let poller: Poller
  private let supervisor: any RunSupervisor
  private let answers: WaitableEvent
  private let control: RunControl
  /// The view that has started the run, nil for none.
  private let view: ViewStream?
  /// What is waited for of the view; nil once it has left.
  private var viewInterest: Poller.Interest?
  /// The workers of the run, nil if this machine carries out its tasks.
  private let workers: WorkerConnections?

  /// Creates the host of a run.
  ///
  /// - Parameters:
  ///   - poller: Waits; its other tokens must be indices of tasks.
  ///   - supervisor: The other process.
  ///   - answers: Set while the checker of contents has answers.
  ///   - control: Wakes the loop when something was requested.
  ///   - view: The view that has started the run, nil for none.
  ///   - workers: The workers of the run, nil for none.
  /// - Throws: `RunnerError.system` if a descriptor cannot be waited for.
  init(
    poller: Poller, supervisor: any RunSupervisor, answers: WaitableEvent,
    control: RunControl, view: ViewStream? = nil, workers: WorkerConnections? = nil
  ) throws(RunnerError) {
    self.poller = poller
    self.supervisor = supervisor
    self.answers = answers
    self.control = control
    self.view = view
    self.workers = workers
    guard poller.add(supervisor.signals, token: Token.signals),
      poller.add(supervisor.pipe, token: Token.supervisor),
      poller.add(answers.descriptor, token: Token.answers),
      poller.add(control.wake.descriptor, token: Token.request), workers?.begin(in: poller) ?? true
    else { throw .system("cannot wait for events", errno) }
    supervisor.begin()
    if let view {
      if view.isOpen, poller.add(view.descriptor, token: Token.view) {
        viewInterest = .read
      } else {
        viewHasLeft()
      }
    }
  }

  var endRequests: Int { supervisor.endRequests }

  var ignoresHangup: Bool { supervisor.ignoresHangup }

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
    watchView()
    for event in poller.wait(for: timeout) {
      switch event.token {
      case Token.signals: receiveSignals(into: &events)
      case Token.supervisor: supervisor.exitAfterItsDeath { say($0) }
      case Token.answers:
        answers.clear()
        events.append(.answers)
      case Token.request:
        control.wake.clear()
        events.append(.request)
      case Token.view: receiveFromView()
      case _ where workers?.isToken(event.token) == true:
        events += workers?.receive(event.token) ?? []
      default: events.append(.output(TaskID(Int(event.token))))
      }
    }
    return events
  }

  private func receiveSignals(into events: inout [HostEvent]) {
    for signal in supervisor.takeSignals() {
      events.append(signal == SIGCHLD ? .exits : .signal(signal))
    }
  }

  /// Says a last line.
  private func say(_ line: String) {
    guard let view, view.say(line) else {
      _ = writeAll(STDERR_FILENO, Array("headway: \(line)\n".utf8))
      return
    }
    view.finish(within: .seconds(1))
  }

  /// Waits for room in the stream to the view only while something waits for it.
  private func watchView() {
    guard let view, let before = viewInterest else { return }
    guard view.isOpen else { return viewHasLeft() }
    let wanted: Poller.Interest = view.hasPending ? [.read, .write] : .read
    guard wanted != before else { return }
    _ = poller.change(view.descriptor, token: Token.view, interest: wanted)
    viewInterest = wanted
  }

  /// Passes the requests of the view on, and sends what waits for it.
  private func receiveFromView() {
    guard let view, viewInterest != nil else { return }
    view.flush()
    guard let questions = view.receive() else { return viewHasLeft() }
    for question in questions {
      control.requests.ask(question.request) { view.answer(question.number, refusal: $0) }
    }
  }

  private func viewHasLeft() {
    viewInterest = nil
    control.noteViewHasLeft()
  }
}
