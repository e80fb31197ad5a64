public import HeadwayForecast
internal import HeadwayLock
public import HeadwayProgress
public import HeadwayTime

/// Runs `SimulatedProgress` on a clock: moves a node while time passes, and tells listeners.
///
/// ```swift
/// let run = SimulatedProgressRun("Signing in", strategy: .average)
/// try run.setUp(steps: 3, weights: [0.2, 0.5, 1])
/// try run.start(expecting: .seconds(2))
/// connect()
/// try run.finishStep()
/// ```
///
/// The node joins the current one, so that what it is part of moves as well. It stays below its end until the last step
/// has finished, and is taken back to its beginning by a reset; what was shown of a tree that it is part of stays.
///
/// A call that the state does not allow throws and changes nothing. Listeners are called one after the other, in the
/// order of what happened, outside of any lock, on whichever thread that is; they may call back. While the value
/// stands, nothing wakes up.
///
/// **Thread safety.** All members, from any thread.
public final class SimulatedProgressRun: Sendable {
  fileprivate typealias ProgressListener = @Sendable (Double) -> Void
  fileprivate typealias CompletionListener = @Sendable () -> Void

  /// What a listener is told.
  fileprivate enum News {
    /// A new value.
    case value(Double)
    /// The end.
    case completion
  }

  /// What is guarded by the lock.
  fileprivate struct State: Sendable {
    /// The value.
    var progress: SimulatedProgress
    /// Takes values.
    var progressListener: ProgressListener?
    /// Takes the end.
    var completionListener: CompletionListener?
    /// What was not told yet.
    var news: [News] = []
    /// Whether somebody is telling it.
    var isTelling = false
    /// The value that was told last.
    var told = 0.0
    /// Moves the value, nil before it first moves.
    var timer: TimerService.Handle?
  }

  /// The node, which this moves.
  public let node: ProgressNode
  /// Measures the time.
  private let timers: TimerService
  /// The time of the timers that counts as zero, in nanoseconds.
  private let zero: UInt64
  /// The time from one value to the next while it moves.
  private let interval: Duration
  /// The state.
  private let state: Guarded<State>

  /// The parts of the node.
  private static let resolution = 1_000_000

  /// Creates a run that has not begun.
  ///
  /// - Parameters:
  ///   - label: The words that name the work.
  ///   - strategy: From what the durations of steps are estimated.
  ///   - units: The units of the current node that the work stands for; nil for all that are left.
  ///   - interval: The time from one value to the next while it moves, at least a millisecond.
  ///   - timers: Measures the time; `TimerService(clock:)` does it on any clock.
  public init(
    _ label: String = "", strategy: SimulatedProgress.Strategy = .recent, units: Int? = nil,
    interval: Duration = .milliseconds(100), timers: TimerService = .suspending
  ) {
    node = ProgressNode.joinCurrent(label, units: units, total: Self.resolution)
    self.timers = timers
    self.interval = max(interval, .milliseconds(1))
    zero = timers.nanoseconds
    state = Guarded(State(progress: SimulatedProgress(strategy: strategy)))
  }

  deinit { state.withLock { $0.timer }?.cancel() }

  /// Where the work stands.
  public var currentState: SimulatedProgress.State {
    let now = now
    return state.withLock { $0.progress.state(at: now) }
  }

  /// The raw value, from 0 to 1; see `SimulatedProgress.fraction(at:)`.
  public var fraction: Double {
    let now = now
    return state.withLock { $0.progress.fraction(at: now) }
  }

  /// Sets the steps up; see `SimulatedProgress.setUp(steps:concurrencies:weights:)`.
  ///
  /// - Parameters:
  ///   - count: The number of steps.
  ///   - concurrencies: How often `finishStep` has to be called for each; 1 when nil.
  ///   - weights: The accumulated weights; equal steps when nil.
  /// - Throws: `SimulatedProgressError`.
  public func setUp(
    steps count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil
  ) throws(SimulatedProgressError) {
    try change { progress, _ throws(SimulatedProgressError) in
      try progress.setUp(steps: count, concurrencies: concurrencies, weights: weights)
      return []
    }
  }

  /// Sets the listeners in place of those before; a reset leaves them.
  ///
  /// They are held until they are replaced: what they capture must not hold the run.
  ///
  /// - Parameters:
  ///   - progress: Takes each new value.
  ///   - completion: Is called once when all steps have finished, and not by a reset.
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
      // Let go of outside the lock.
      let old = (state.progressListener, state.completionListener)
      (state.progressListener, state.completionListener) = (progress, completion)
      return (old, nil)
    }
    withExtendedLifetime(old) {}
    if let error { throw error }
  }

  /// Begins the first step; see `SimulatedProgress.start(expecting:at:)`.
  ///
  /// - Parameter estimate: How long the first step is expected to take; above zero.
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
  ///   - concurrencies: How often `finishStep` has to be called for each; 1 when nil.
  ///   - weights: The accumulated weights; what is left, divided equally, when nil.
  /// - Throws: `SimulatedProgressError`.
  public func addSteps(
    _ count: Int, concurrencies: [Int]? = nil, weights: [Double]? = nil
  ) throws(SimulatedProgressError) {
    try change { progress, now throws(SimulatedProgressError) in
      try progress.addSteps(count, concurrencies: concurrencies, weights: weights, at: now)
    }
  }

  /// Takes note that a step, or a part of it, has finished; see `SimulatedProgress.finishStep(at:)`.
  ///
  /// - Throws: `SimulatedProgressError`.
  public func finishStep() throws(SimulatedProgressError) {
    try change { progress, now throws(SimulatedProgressError) in
      try progress.finishStep(at: now)
    }
  }

  /// Goes back to the beginning; see `SimulatedProgress.reset(at:)`.
  ///
  /// - Throws: `SimulatedProgressError`.
  public func reset() throws(SimulatedProgressError) {
    try change { progress, now throws(SimulatedProgressError) in
      try progress.reset(at: now)
      return []
    }
  }

  // MARK: Following the value

  /// The time of the run.
  private var now: Duration { .nanoseconds(Int64(clamping: timers.nanoseconds &- zero)) }

  /// Changes the value, and does what follows from that.
  private func change(
    _ body: (inout SimulatedProgress, Duration) throws(SimulatedProgressError) ->
      [SimulatedProgress.State]
  ) throws(SimulatedProgressError) {
    let now = now
    let error = state.withLock { state -> SimulatedProgressError? in
      do throws(SimulatedProgressError) {
        let entered = try body(&state.progress, now)
        state.note(entered, at: now)
        setTimer(&state, at: now)
        return nil
      } catch {
        return error
      }
    }
    if let error { throw error }
    notifyListeners()
  }

  /// Sets the timer to the next value, or to the moment at which the value stands still.
  private func setTimer(_ state: inout State, at now: Duration) {
    guard let end = state.progress.standsStill else { return }
    let delay = max(min(interval, end - now), .zero)
    if state.timer?.reschedule(after: delay) ?? false { return }
    state.timer = timers.schedule(after: delay) { [weak self] in self?.timeCame() }
  }

  /// Looks how far it is.
  private func timeCame() {
    let now = now
    state.withLock { state in
      state.note(state.progress.advance(to: now), at: now)
      setTimer(&state, at: now)
    }
    notifyListeners()
  }

  /// Tells what was not told yet, one after the other; whoever comes meanwhile leaves it to the first.
  private func notifyListeners() {
    while let (news, progress, completion) = state.withLock({ $0.takeNews() }) {
      switch news {
      case .value(let value):
        node.setCompleted(min(Int(value * Double(Self.resolution)), Self.resolution - 1))
        progress?(value)
      case .completion:
        node.finish()
        completion?()
      }
      state.withLock { $0.isTelling = false }
    }
  }
}

extension SimulatedProgressRun.State {
  /// Notes what has to be told.
  ///
  /// - Parameters:
  ///   - entered: The states that were entered.
  ///   - now: The time.
  fileprivate mutating func note(_ entered: [SimulatedProgress.State], at now: Duration) {
    let value = progress.fraction(at: now)
    if value != told {
      news.append(.value(value))
      told = value
    }
    if entered.contains(.finished) { news.append(.completion) }
  }

  /// Takes the next thing to tell, with those who take it.
  ///
  /// - Returns: Nil when there is none, or somebody else is telling.
  fileprivate mutating func takeNews() -> (
    SimulatedProgressRun.News, SimulatedProgressRun.ProgressListener?,
    SimulatedProgressRun.CompletionListener?
  )? {
    guard !isTelling, !news.isEmpty else { return nil }
    isTelling = true
    return (news.removeFirst(), progressListener, completionListener)
  }
}
