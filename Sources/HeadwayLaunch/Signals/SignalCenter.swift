// Delivers the signals of the process to the launchers that watch them.
//
//   handler (any thread) ── pipe ──▶ threads ──▶ center ──▶ launchers that watch the signal, the outermost first
//                                                  │
//                                                  └── none has taken it: the signal again, with its previous effect
//
// The handler of a signal is installed while a run that watches it goes on. A signal may be on its way when the last of these
// runs ends, or its launcher is released; it then has the effect that it had before.

internal import HeadwayLock
internal import HeadwaySystem

/// The handlers of a process, which tests replace by some in memory.
protocol SignalHandling: Sendable {
  /// Starts to pass on what handlers receive; called before the first handler is installed, and again after a loss.
  ///
  /// - Parameters:
  ///   - receive: Receives the signals; a second one is received even if the first call has not returned.
  ///   - onLoss: Called if no more signals can be received.
  /// - Returns: Whether that is possible.
  func start(
    _ receive: @escaping @Sendable (EndRequest) -> Void, onLoss: @escaping @Sendable () -> Void
  ) -> Bool

  /// Installs the handler of a signal, unless the signal is ignored; nothing happens if it is installed.
  func install(_ number: Int32)

  /// Installs the previous handler of a signal again, unless somebody else has installed one since.
  func restore(_ number: Int32)

  /// Sends a signal to the process.
  func send(_ number: Int32)
}

extension SignalHandlers: SignalHandling {}

/// The launchers that watch signals.
///
/// Safe to use from any thread. The lock is not held while a launcher handles a signal.
final class SignalCenter: Sendable {
  /// The center of the process.
  static let shared = SignalCenter(SignalHandlers())

  /// A launcher and the signals that it watches.
  private struct Watch: Sendable {
    /// The number of the watch; an address may belong to another launcher later.
    let number: Int
    let id: ObjectIdentifier
    weak let launcher: Launcher?
    let signals: Set<LauncherSignal>
  }

  private struct State: Sendable {
    /// The watches, in the order in which they began.
    var watches: [Watch] = []
    var nextNumber = 0
    /// Whether signals can be received.
    var isStarted = false
    /// The signals that were received since there were no watches, and that have had their effect.
    var received = EndRequests()

    /// Whether a launcher watches a signal.
    func isWatched(_ signal: LauncherSignal) -> Bool {
      watches.contains { $0.signals.contains(signal) }
    }

    /// Removes watches.
    ///
    /// The launchers are not read, because the last reference to one must not be released under the lock.
    ///
    /// - Returns: The signals that nobody watches any more.
    mutating func remove(where isOver: (Watch) -> Bool) -> [LauncherSignal] {
      let gone = watches.filter(isOver).flatMap(\.signals)
      watches.removeAll(where: isOver)
      return gone.filter { !isWatched($0) }
    }
  }

  private let handlers: any SignalHandling
  private let guarded = Guarded(State())

  init(_ handlers: any SignalHandling) { self.handlers = handlers }

  /// Begins to deliver signals to a launcher, which is not retained.
  ///
  /// If the system has no thread or descriptors left for that, signals keep the effect that they have.
  func watch(_ signals: Set<LauncherSignal>, for launcher: Launcher) {
    guarded.withLock { state in
      if !state.isStarted {
        state.isStarted = handlers.start(
          { [weak self] in self?.deliver($0) }, onLoss: { [weak self] in self?.lose() })
      }
      guard state.isStarted else { return }
      if state.watches.isEmpty { state.received = EndRequests() }
      state.watches.append(
        Watch(
          number: state.nextNumber, id: ObjectIdentifier(launcher), launcher: launcher,
          signals: signals))
      state.nextNumber += 1
      for signal in signals { handlers.install(signal.number) }
    }
  }

  /// Ends the delivery to a launcher, which may be about to be released; nothing happens if there is none.
  func unwatch(_ launcher: ObjectIdentifier) {
    guarded.withLock { state in
      for signal in state.remove(where: { $0.id == launcher }) {
        handlers.restore(signal.number)
      }
    }
  }

  /// Ends the delivery to all launchers, because signals can no longer be received.
  private func lose() {
    guarded.withLock { state in
      state.isStarted = false
      for signal in state.remove(where: { _ in true }) { handlers.restore(signal.number) }
    }
  }

  /// Delivers a signal.
  func deliver(_ request: EndRequest) {
    guard let signal = LauncherSignal(number: request.number) else { return }
    let (isCopy, watches) = guarded.withLock { state in
      let watches = state.watches.filter { $0.signals.contains(signal) }
      return (!state.received.add(request), watches.map { ($0.number, $0.launcher) })
    }
    // The last reference to a launcher must not be released under the lock.
    defer { withExtendedLifetime(watches) {} }
    let launchers = watches.compactMap(\.1)
    var delivery = Delivery(signal, request, to: launchers)
    // All of them, not only up to the first one that takes it.
    if launchers.map({ delivery.reaches($0) }).contains(true) { return }
    // A copy of the signal that has just ended the last run has had its effect.
    if isCopy { return }
    let over = Set(watches.map(\.0))
    guarded.withLock { state in
      // Their launchers have ended or are being released, and are about to remove them.
      let unwatched = state.remove { over.contains($0.number) }
      for signal in unwatched { handlers.restore(signal.number) }
      // Even if it was restored before: somebody may have kept our handler and installed it again.
      if !state.isWatched(signal) { handlers.restore(signal.number) }
      // It may come back to a run that has just begun.
      state.received = EndRequests()
    }
    handlers.send(signal.number)
  }
}

/// The way of one signal to the launchers that watch it.
private struct Delivery {
  private let signal: LauncherSignal
  private let request: EndRequest
  private let watching: Set<ObjectIdentifier>
  /// Whether the signal has reached a launcher, for those that were asked.
  private var reached: [ObjectIdentifier: Bool] = [:]

  init(_ signal: LauncherSignal, _ request: EndRequest, to launchers: [Launcher]) {
    self.signal = signal
    self.request = request
    watching = Set(launchers.map { ObjectIdentifier($0) })
  }

  /// Delivers the signal to a launcher, unless one of which it is a task, directly or through others, has taken it: that one
  /// ends its tasks in its own order.
  ///
  /// - Returns: Whether one of them has taken it.
  mutating func reaches(_ launcher: Launcher) -> Bool {
    let id = ObjectIdentifier(launcher)
    if let known = reached[id] { return known }
    // For a launcher that is a task of itself.
    reached[id] = false
    var isReached = false
    for outer in launcher.outer where reaches(outer) { isReached = true }
    if !isReached, watching.contains(id) { isReached = launcher.receive(signal, request) }
    reached[id] = isReached
    return isReached
  }
}
