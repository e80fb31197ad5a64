// The signals that cancel a run.

internal import HeadwayLock
internal import HeadwaySystem

extension Launcher {
  /// Begins to watch signals; called when the run begins.
  func watchSignals() {
    options.signalCenter.watch(options.cancellationSignals, for: self)
    // Another thread may have ended the run before there was anything to remove.
    if guarded.withLock({ $0.end != nil }) { unwatchSignals() }
  }

  /// Ends watching signals; nothing happens if there are none.
  func unwatchSignals() {
    if options.cancellationSignals.isEmpty { return }
    options.signalCenter.unwatch(ObjectIdentifier(self))
  }

  /// The launchers that this one is a task of at present.
  var outer: [Launcher] { guarded.withLock { $0.outer } }

  /// Ends the run because of a signal, or makes its end more urgent.
  ///
  /// - Returns: Whether the run goes on, or is still ending.
  func receive(_ signal: LauncherSignal, _ request: EndRequest) -> Bool {
    change { state, now in
      guard state.end == nil, !state.core.isFinished else { return false }
      if let urgency = state.signals.add(signal, request) {
        state.core.end(urgency, at: .nanoseconds(now))
      }
      return true
    }
  }
}

/// The signals that have asked for the end of a run.
struct CancellationSignals: Sendable {
  /// The first signal, nil if there was none.
  private(set) var first: LauncherSignal?
  private var kinds: Set<LauncherSignal> = []
  private var requests = EndRequests()

  init() {}

  /// Adds a signal.
  ///
  /// - Returns: How urgent the end is by this signal; nil if it only repeats another one.
  mutating func add(_ signal: LauncherSignal, _ request: EndRequest) -> LaunchCore.Urgency? {
    guard requests.add(request) else { return nil }
    first = first ?? signal
    // Different signals may come from different sides, which each ask once.
    return kinds.insert(signal).inserted ? .graceful : .immediate
  }
}
