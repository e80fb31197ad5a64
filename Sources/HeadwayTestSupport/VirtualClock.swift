internal import HeadwayLock
public import HeadwayTime

/// A clock that advances only when it is told to, so that a test of 27 hours takes no time and is deterministic.
///
/// Pass it to code that takes a `Clock`. Then advance it by hand, or let ``withVirtualTime(seed:limit:_:)`` do so:
///
/// ```swift
/// let clock = VirtualClock()
/// let start = clock.now
/// clock.advance(by: .seconds(90))
/// let passed = start.duration(to: clock.now)  // 90 seconds
/// ```
///
/// **Contract.** All members are safe from any thread. A sleep ends in the first `advance` or `step` that reaches its
/// deadline, never earlier, or at once when its task is cancelled. Sleeps end in the order of their deadlines, and
/// those with the same deadline in the order in which they began. Time never goes back. The clock counts nanoseconds
/// from 0 to ``Instant/last``, 584 years later. A later instant is never reached, so a sleep until then can only be
/// cancelled.
///
/// **Design.** Everything that waits is in one `TimingWheel` with ticks of a nanosecond, behind one lock. An advance
/// goes from deadline to deadline: it removes what is due under the lock and resumes it outside. So a timer that
/// another one schedules for a deadline on the way still fires at that deadline.
public final class VirtualClock: Clock {
  /// The time of the clock, which its wake sources share.
  let timeline = Timeline()
  /// The timer service of the clock, created on first use.
  private let service = Guarded<TimerService?>(nil)

  /// Creates a clock at ``Instant/zero``.
  public init() {}

  /// The current instant.
  public var now: Instant { Instant(tick: timeline.now) }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of tasks that sleep on the clock.
  ///
  /// - Complexity: O(1).
  package var sleeperCount: Int { timeline.sleeperCount }

  /// Sleeps until an instant; returns at once if it has passed.
  ///
  /// - Parameters:
  ///   - deadline: The instant.
  ///   - tolerance: Ignored, because virtual time is exact.
  /// - Throws: `CancellationError` if the task is cancelled before or during the sleep.
  /// - Complexity: O(1).
  public func sleep(
    until deadline: Instant, tolerance: Duration? = nil
  ) async throws(CancellationError) {
    if Task.isCancelled { throw CancellationError() }
    try await timeline.sleep(until: deadline.tick)
  }
}

// MARK: - Advancing

extension VirtualClock {
  /// Advances the clock by a duration.
  ///
  /// - Parameter duration: The duration. A negative one has no effect, and the clock stops at ``Instant/last``.
  /// - Complexity: O(1) for each sleep or timer that ends, amortized.
  public func advance(by duration: Duration) { advance(to: now.advanced(by: duration)) }

  /// Advances the clock to an instant.
  ///
  /// Timers fire inside this call, each at its own instant. Sleeping tasks only become ready: they usually run on their
  /// executors after this call, and then see the instant to which the clock has advanced. To run each task at its own
  /// instant, call ``step()``.
  ///
  /// - Parameter deadline: The instant. One before ``now`` has no effect.
  /// - Complexity: O(1) for each sleep or timer that ends, amortized.
  public func advance(to deadline: Instant) { timeline.advance(to: deadline.tick) }

  /// Advances the clock to the next instant that something waits for.
  ///
  /// - Returns: Whether something waited; otherwise the clock has not advanced. Sleeps until an instant after
  ///   ``Instant/last`` do not count.
  /// - Complexity: O(1) for each sleep or timer that ends, amortized.
  @discardableResult
  public func step() -> Bool { timeline.step() }
}

// MARK: - Timers

extension VirtualClock: TimerClock {
  /// The timer service of the clock, which `withDeadline` uses; its timers fire to the nanosecond.
  public var timers: TimerService {
    if let known = service.withLock({ $0 }) { return known }
    // Created outside the lock, because it reads the clock. If two threads get here, one of the services is dropped.
    let made = TimerService(source: makeWakeSource(), tick: .nanoseconds(1), shards: 1)
    return service.withLock { service in
      let timers = service ?? made
      service = timers
      return timers
    }
  }
}

extension VirtualClock: WakeSourceClock {
  /// Makes a wake source that calls its handler on the thread that advances the clock.
  package func makeWakeSource() -> any WakeSource { VirtualWakeSource(on: timeline) }
}
