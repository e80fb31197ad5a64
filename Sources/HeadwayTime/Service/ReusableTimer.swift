internal import HeadwayLock

/// A timer with one action that can be started again and again, also after it has expired.
///
/// ```swift
/// let idle: ReusableTimer = TimerService.continuous.makeTimer { connection.close() }
/// idle.start(after: .seconds(30))
/// idle.start(after: .seconds(30))  // true: the connection was used, and its time begins again
/// idle.cancel()  // true: the action will not run
/// idle.start(after: .seconds(30))  // false: it was not running
/// ```
///
/// A ``TimerService/Handle`` can be rescheduled only until its timer has expired. A timer that is released is cancelled.
/// Starting allocates nothing. All members are safe from any thread and inside the action.
public final class ReusableTimer: Sendable {
  private let core: TimerCore
  private let action: @Sendable () -> Void
  /// The timer that was started last, nil before the first start.
  private let latest = Guarded<TimerService.Handle?>(nil)

  init(_ core: TimerCore, _ action: @escaping @Sendable () -> Void) {
    self.core = core
    self.action = action
  }

  deinit { cancel() }

  /// Starts the timer, or starts it anew if it runs already.
  ///
  /// - Parameters:
  ///   - delay: The delay from now, as for ``TimerService/schedule(after:tolerance:_:)``.
  ///   - tolerance: How much later the action may run.
  /// - Returns: Whether the timer was running; then the action does not run for the earlier start. If not, it was never
  ///   started, was cancelled, or its action has run or is about to run for the earlier start, too.
  /// - Complexity: O(1).
  @discardableResult
  public func start(after delay: Duration, tolerance: Duration = .zero) -> Bool {
    latest.withLock { latest in
      if tolerance <= .zero, latest?.reschedule(after: delay) ?? false { return true }
      let wasRunning = latest?.cancel() ?? false
      latest = core.schedule(TimerAction(call: action), after: delay, tolerance: tolerance)
      return wasRunning
    }
  }

  /// Cancels the timer, which can be started again.
  ///
  /// - Returns: Whether the timer was running. If so, the action does not run until the next start.
  /// - Complexity: O(1).
  @discardableResult
  public func cancel() -> Bool { latest.withLock { $0?.cancel() ?? false } }

  /// Whether the timer is running.
  ///
  /// - Complexity: O(1).
  public var isRunning: Bool { latest.withLock { $0?.isScheduled ?? false } }
}

extension TimerService {
  /// Creates a timer that can be started again and again.
  ///
  /// - Parameter action: The action, which runs on the thread of the service and must not block.
  /// - Returns: The timer, which is not running.
  public func makeTimer(_ action: @escaping @Sendable () -> Void) -> ReusableTimer {
    ReusableTimer(core, action)
  }
}
