internal import HeadwayLock

/// The moments of something that repeats: multiples of a period after a beginning, so that no delay adds up.
struct RepeatedMoments: Sendable {
  let begin: UInt64
  let period: UInt64
  /// The number of the latest moment that was taken, 0 before the first.
  private var latest: UInt64 = 0

  /// Creates moments in nanoseconds; the first one is a period after the beginning.
  init(begin: UInt64, period: Duration) {
    precondition(period > .zero, "the period of a repeating timer must be positive, not \(period)")
    self.begin = begin
    self.period = period.nanosecondsUp
  }

  /// Takes the latest moment that has come since the one that was taken before.
  ///
  /// - Parameter now: The time in nanoseconds.
  /// - Returns: Its number, from 1; nil if none has come.
  mutating func take(at now: UInt64) -> UInt64? {
    let number = (now - begin) / period
    guard number > latest else { return nil }
    latest = number
    return number
  }

  /// The time from now until the next moment, zero if it has come.
  func delay(at now: UInt64) -> Duration {
    let (offset, isBeyond) = period.multipliedReportingOverflow(by: latest + 1)
    if isBeyond { return .seconds(Int64.max) }
    let elapsed = now - begin
    return offset <= elapsed ? .zero : .nanoseconds(Int64(clamping: offset - elapsed))
  }
}

/// A timer that repeats; see ``TimerService/schedule(every:tolerance:_:)``.
///
/// All members are safe from any thread and inside the action.
///
/// ```swift
/// final class Heartbeat: Sendable {
///   private let timer: RepeatingTimer
///
///   init(_ timers: TimerService, ping: @escaping @Sendable () -> Void) {
///     timer = timers.schedule(every: .seconds(30), ping)
///   }
///
///   deinit { timer.cancel() }
/// }
/// ```
public final class RepeatingTimer: Sendable {
  private enum Phase: Sendable {
    /// The action will run when the timer expires.
    case waiting(TimerService.Handle)
    /// The action runs, or the timer is being scheduled.
    case acting
    /// The action does not run any more.
    case over
  }

  private struct State: Sendable {
    var phase = Phase.acting
    var moments: RepeatedMoments
    /// The action, nil once it does not run any more.
    var action: (@Sendable () -> Void)?
  }

  private let core: TimerCore
  private let tolerance: Duration
  private let state: Guarded<State>

  init(
    _ core: TimerCore, every period: Duration, tolerance: Duration,
    _ action: @escaping @Sendable () -> Void
  ) {
    self.core = core
    self.tolerance = tolerance
    state = Guarded(
      State(moments: RepeatedMoments(begin: core.nanoseconds, period: period), action: action))
    schedule()
  }

  /// Cancels the timer and releases its action.
  ///
  /// - Returns: Whether the action will not run any more. If not, it is running at the moment, for the last time; or the timer
  ///   was cancelled before, or the service had been shut down.
  /// - Complexity: O(1).
  @discardableResult
  public func cancel() -> Bool {
    // The action is released outside the lock, because that may call back.
    let (phase, action) = state.withLock { state in
      defer { (state.phase, state.action) = (.over, nil) }
      return (state.phase, state.action)
    }
    defer { withExtendedLifetime(action) {} }
    switch phase {
    case .waiting(let timer):
      timer.cancel()
      return true
    case .acting, .over: return false
    }
  }

  /// Whether the timer is scheduled, or its action runs and will run again.
  ///
  /// - Complexity: O(1).
  public var isScheduled: Bool {
    state.withLock { state in
      switch state.phase {
      // Also while its expiry waits behind those of other timers.
      case .waiting: !core.isShutDown
      case .acting: true
      case .over: false
      }
    }
  }

  /// Schedules the next expiry, unless the timer was cancelled.
  private func schedule() {
    // Released outside the lock, because that may call back.
    var ended: (@Sendable () -> Void)?
    defer { withExtendedLifetime(ended) {} }
    state.withLock { state in
      guard case .acting = state.phase else { return }
      // It cannot expire before the phase is set, because `expire` takes the lock.
      let timer = core.schedule(
        TimerAction { self.expire() }, after: state.moments.delay(at: core.nanoseconds),
        tolerance: tolerance)
      state.phase = timer.wasRefused ? .over : .waiting(timer)
      if timer.wasRefused { ended = state.action.take() }
    }
  }

  /// Runs the action and schedules the next expiry.
  private func expire() {
    let action = state.withLock { state -> (@Sendable () -> Void)? in
      guard case .waiting = state.phase else { return nil }
      state.phase = .acting
      return state.moments.take(at: core.nanoseconds) == nil ? nil : state.action
    }
    action?()
    schedule()
  }
}

extension TimerService {
  /// Schedules an action at a constant rate.
  ///
  /// ```swift
  /// let heartbeat = TimerService.continuous.schedule(every: .seconds(30)) { connection.ping() }
  /// heartbeat.cancel()
  /// ```
  ///
  /// The action runs one period from now for the first time, and then at multiples of the period from now, so delays do not
  /// add up. If it takes longer than a period, or the machine was busy, the runs that were missed are combined into one, which
  /// starts at once.
  ///
  /// - Parameters:
  ///   - period: The time from one run to the next, which must be positive. A period below a tick of the service is a tick.
  ///   - tolerance: How much later each run may be.
  ///   - action: The action, which runs on the thread of the service and must not block.
  /// - Returns: The timer. It goes on if you discard it.
  /// - Complexity: O(1), for each run, too.
  @discardableResult
  public func schedule(
    every period: Duration, tolerance: Duration = .zero, _ action: @escaping @Sendable () -> Void
  ) -> RepeatingTimer {
    RepeatingTimer(core, every: period, tolerance: tolerance, action)
  }

  /// Schedules an action at an instant of a clock.
  ///
  /// - Parameters:
  ///   - instant: The instant; if it has passed, the action runs at once, but never inside this call.
  ///   - clock: The clock of the instant, `ContinuousClock` by default; it should be that of the service.
  ///   - tolerance: How much later the action may run.
  ///   - action: The action, which runs on the thread of the service and must not block.
  /// - Returns: A handle that cancels or reschedules the timer.
  /// - Complexity: O(1).
  @discardableResult
  public func schedule<C: Clock>(
    at instant: C.Instant, clock: C = ContinuousClock(), tolerance: Duration = .zero,
    _ action: @escaping @Sendable () -> Void
  ) -> Handle where C.Duration == Duration {
    schedule(after: clock.now.duration(to: instant), tolerance: tolerance, action)
  }

  /// Ticks at a constant rate, as an asynchronous sequence.
  ///
  /// ```swift
  /// for await tick in TimerService.continuous.ticks(every: .seconds(1)) {
  ///   show("\(tick) s")
  /// }
  /// ```
  ///
  /// The first tick comes a period after the iteration began, and the others at multiples of it, so delays do not add up.
  /// An element is the number of its tick, from 1. If the loop takes longer than a period, the next tick comes at once, and
  /// those before it are left out. The sequence ends when the task is cancelled or the service is shut down.
  ///
  /// - Parameters:
  ///   - period: The time from one tick to the next, which must be positive.
  ///   - tolerance: How much later each tick may be.
  /// - Returns: The ticks. Each iteration begins anew.
  public func ticks(every period: Duration, tolerance: Duration = .zero)
    -> some AsyncSequence<Int, Never> & Sendable
  {
    TimerTicks(service: self, period: period, tolerance: tolerance)
  }
}

/// The ticks of a service.
private struct TimerTicks: AsyncSequence, Sendable {
  typealias Element = Int
  typealias Failure = Never

  let service: TimerService
  let period: Duration
  let tolerance: Duration

  func makeAsyncIterator() -> Iterator {
    Iterator(
      service: service, tolerance: tolerance,
      moments: RepeatedMoments(begin: service.nanoseconds, period: period))
  }

  struct Iterator: AsyncIteratorProtocol {
    let service: TimerService
    let tolerance: Duration
    var moments: RepeatedMoments
    private var hasEnded = false

    init(service: TimerService, tolerance: Duration, moments: RepeatedMoments) {
      self.service = service
      self.tolerance = tolerance
      self.moments = moments
    }

    /// Waits for the next tick.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The number of the tick; nil if the task is cancelled or the service is shut down.
    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Int? {
      while !hasEnded, !Task.isCancelled, !service.core.isShutDown {
        if let number = moments.take(at: service.nanoseconds) { return Int(clamping: number) }
        do {
          try await service.sleep(
            for: moments.delay(at: service.nanoseconds), tolerance: tolerance)
        } catch {
          break
        }
      }
      hasEnded = true
      return nil
    }

    /// Waits for the next tick.
    mutating func next() async -> Int? { await next(isolation: nil) }
  }
}
