public import HeadwayForecast
internal import HeadwayLock
public import HeadwayProgress
public import HeadwayTime

/// Runs `SimulatedProgress` on a clock: updates a node as time passes, and notifies listeners.
///
/// ```swift
/// let run = SimulatedProgressRun("Signing in", strategy: .average)
/// try run.setUp(steps: 3, weights: [0.2, 0.5, 1])
/// try run.start(expecting: .seconds(2))
/// connect()
/// try run.finishStep()
/// ```
///
/// The node joins the current node, so that its parent also moves. It stays below its end until the last step has
/// finished. A reset returns it to its beginning; the shown fraction of its parent does not go back.
///
/// A call that is not allowed in the current state throws and changes nothing. Listeners are called one after the
/// other, in the order of the changes, on any thread and without a lock, so they may call back. While the value does
/// not move, nothing wakes up.
///
/// **Thread safety.** All members can be used from any thread.
public final class SimulatedProgressRun: Sendable {
  /// A function that is called with each new value, from 0 to 1.
  fileprivate typealias ProgressListener = @Sendable (Double) -> Void
  /// A function that is called when all steps have finished.
  fileprivate typealias CompletionListener = @Sendable () -> Void

  /// A call of a listener that is due.
  fileprivate enum Call {
    case value(Double)
    case completion
  }

  /// The state that the lock protects.
  fileprivate struct State: Sendable {
    var progress: SimulatedProgress
    var progressListener: ProgressListener?
    var completionListener: CompletionListener?
    /// The calls of listeners that are due.
    var calls: [Call] = []
    /// Whether a thread is calling the listeners.
    var isNotifying = false
    /// The node that is updated.
    var node: ProgressNode
    /// The value of the latest call.
    var latest = 0.0
    /// The timer for the next value, nil until the value has moved.
    var timer: TimerService.Handle?
  }

  /// The node that is updated.
  ///
  /// A node that has finished stays so. After a reset of work that had finished, this is a new node with the same label, outside
  /// of the current node, whose units are done.
  public var node: ProgressNode { state.withLock { $0.node } }
  private let timers: TimerService
  /// The time of the timers that counts as zero, in nanoseconds.
  private let zero: UInt64
  /// The time between two values while the value moves.
  private let interval: Duration
  private let state: Guarded<State>

  /// The total of the node.
  private static let resolution = 1_000_000

  /// Creates a run that has not started.
  ///
  /// - Parameters:
  ///   - label: The label of the node.
  ///   - strategy: How the durations of steps are estimated.
  ///   - units: The units of the current node that the work stands for; nil for all remaining ones.
  ///   - interval: The time between two values while the value moves, at least a millisecond.
  ///   - timers: The timers; `TimerService(clock:)` creates them for any clock.
  public init(
    _ label: String = "", strategy: SimulatedProgress.Strategy = .recent, units: Int? = nil,
    interval: Duration = .milliseconds(100), timers: TimerService = .suspending
  ) {
    let node = ProgressNode.joinCurrent(label, units: units, total: Self.resolution)
    node.kind = .estimated
    self.timers = timers
    self.interval = max(interval, .milliseconds(1))
    zero = timers.nanoseconds
    state = Guarded(State(progress: SimulatedProgress(strategy: strategy), node: node))
  }

  deinit { state.withLock { $0.timer }?.cancel() }

  /// The current state of the work.
  public var currentState: SimulatedProgress.State {
    let now = now
    return state.withLock { $0.progress.state(at: now) }
  }

  /// The raw value, from 0 to 1; see `SimulatedProgress.fraction(at:)`.
  public var fraction: Double {
    let now = now
    return state.withLock { $0.progress.fraction(at: now) }
  }

  /// Sets the steps; see `SimulatedProgress.setUp(steps:concurrencies:weights:)`.
  ///
  /// - Parameters:
  ///   - count: The number of steps.
  ///   - concurrencies: How often `finishStep` must be called for each; 1 if nil.
  ///   - weights: The accumulated weights; equal steps if nil.
  /// - Throws: `SimulatedProgressError`.
  public func setUp(
    steps count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil
  ) throws(SimulatedProgressError) {
    try change { progress, _ throws(SimulatedProgressError) in
      try progress.setUp(steps: count, concurrencies: concurrencies, weights: weights)
      return []
    }
  }

  /// Replaces the listeners; a reset does not remove them.
  ///
  /// They are retained until they are replaced, so they must not retain the run.
  ///
  /// - Parameters:
  ///   - progress: Called with each new value.
  ///   - completion: Called once when all steps have finished, but not by a reset.
  /// - Throws: `SimulatedProgressError` unless the state is initialized or reset.
  public func setListeners(
    progress: (@Sendable (Double) -> Void)?, completion: (@Sendable () -> Void)?
  ) throws(SimulatedProgressError) {
    let now = now
    let (old, error) = state.withLock {
      state -> ((ProgressListener?, CompletionListener?), SimulatedProgressError?) in
      let allowed: [SimulatedProgress.State] = [.initialized, .reset]
      let present = state.progress.state(at: now)
      if !allowed.contains(present) {
        return ((nil, nil), .state(present, allowed: allowed))
      }
      // Released outside the lock.
      let old = (state.progressListener, state.completionListener)
      (state.progressListener, state.completionListener) = (progress, completion)
      return (old, nil)
    }
    withExtendedLifetime(old) {}
    if let error { throw error }
  }

  /// Starts the first step; see `SimulatedProgress.start(expecting:at:)`.
  ///
  /// - Parameter estimate: The expected duration of the first step, above zero.
  /// - Throws: `SimulatedProgressError`.
  public func start(expecting estimate: Duration) throws(SimulatedProgressError) {
    try change { progress, now throws(SimulatedProgressError) in
      try progress.start(expecting: estimate, at: now)
    }
  }

  /// Adds steps; see `SimulatedProgress.addSteps(_:concurrencies:weights:at:)`.
  ///
  /// - Parameters:
  ///   - count: The number of steps.
  ///   - concurrencies: How often `finishStep` must be called for each; 1 if nil.
  ///   - weights: The accumulated weights; if nil, the remaining weight is divided equally.
  /// - Throws: `SimulatedProgressError`.
  public func addSteps(
    _ count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil
  ) throws(SimulatedProgressError) {
    try change { progress, now throws(SimulatedProgressError) in
      try progress.addSteps(count, concurrencies: concurrencies, weights: weights, at: now)
    }
  }

  /// Reports that a step or a part of it has finished; see `SimulatedProgress.finishStep(at:)`.
  ///
  /// - Throws: `SimulatedProgressError`.
  public func finishStep() throws(SimulatedProgressError) {
    try change { progress, now throws(SimulatedProgressError) in
      try progress.finishStep(at: now)
    }
  }

  /// Returns to the beginning; see `SimulatedProgress.reset(at:)`.
  ///
  /// - Throws: `SimulatedProgressError`.
  public func reset() throws(SimulatedProgressError) {
    try change { progress, now throws(SimulatedProgressError) in
      try progress.reset(at: now)
      return []
    }
  }

  // MARK: Following the value

  private var now: Duration { .nanoseconds(Int64(clamping: timers.nanoseconds &- zero)) }

  /// Changes the value, and handles the consequences.
  private func change(
    _ body: (inout SimulatedProgress, Duration) throws(SimulatedProgressError) ->
      [SimulatedProgress.State]
  ) throws(SimulatedProgressError) {
    let now = now
    let error = state.withLock { state -> SimulatedProgressError? in
      do throws(SimulatedProgressError) {
        let entered = try body(&state.progress, now)
        state.record(entered, at: now)
        setTimer(&state, at: now)
        return nil
      } catch {
        return error
      }
    }
    if let error { throw error }
    notifyListeners()
  }

  /// Sets the timer to the next value, or to the time at which the value stops.
  private func setTimer(_ state: inout State, at now: Duration) {
    guard let end = state.progress.standsStill else { return }
    let delay = max(min(interval, end - now), .zero)
    if state.timer?.reschedule(after: delay) ?? false { return }
    state.timer = timers.schedule(after: delay) { [weak self] in self?.timerFired() }
  }

  /// Advances the value to the current time.
  private func timerFired() {
    let now = now
    state.withLock { state in
      state.record(state.progress.advance(to: now), at: now)
      setTimer(&state, at: now)
    }
    notifyListeners()
  }

  /// The node, or a new one if work that had finished begins again.
  private func unfinishedNode() -> ProgressNode {
    let node = node
    guard node.isFinished else { return node }
    let next = ProgressNode(node.label, total: Self.resolution)
    next.kind = .estimated
    // Dropped outside of the lock.
    let last = state.withLock { state in
      defer { state.node = next }
      return state.node
    }
    withExtendedLifetime(last) {}
    return next
  }

  /// Makes the calls that are due, one after the other; a thread that comes meanwhile leaves its calls to the first.
  private func notifyListeners() {
    while let (call, progress, completion) = state.withLock({ $0.takeCall() }) {
      switch call {
      case .value(let value):
        unfinishedNode().setCompleted(
          min(Int(value * Double(Self.resolution)), Self.resolution - 1))
        progress?(value)
      case .completion:
        node.finish()
        completion?()
      }
      state.withLock { $0.isNotifying = false }
    }
  }
}

extension SimulatedProgressRun.State {
  /// Records the calls of listeners that are due.
  ///
  /// - Parameters:
  ///   - entered: The states that were entered.
  ///   - now: The time.
  fileprivate mutating func record(_ entered: [SimulatedProgress.State], at now: Duration) {
    let value = progress.fraction(at: now)
    if value != latest {
      calls.append(.value(value))
      latest = value
    }
    if entered.contains(.finished) { calls.append(.completion) }
  }

  /// Takes the next call that is due, with the listeners.
  ///
  /// - Returns: Nil if there is none, or if another thread is calling the listeners.
  fileprivate mutating func takeCall() -> (
    SimulatedProgressRun.Call, SimulatedProgressRun.ProgressListener?,
    SimulatedProgressRun.CompletionListener?
  )? {
    guard !isNotifying, !calls.isEmpty else { return nil }
    isNotifying = true
    return (calls.removeFirst(), progressListener, completionListener)
  }
}
