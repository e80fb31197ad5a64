internal import HeadwayLock
public import HeadwayTime

/// A clock whose time passes only when it is told to, so that a test of 27 hours takes no time and
/// always goes the same way.
///
/// Hand it to code that takes a `Clock`, and let the time go on by hand, or leave that to
/// ``withVirtualTime(seed:limit:_:)``:
///
/// ```swift
/// let clock = VirtualClock()
/// let start = clock.now
/// clock.advance(by: .seconds(90))
/// start.duration(to: clock.now)   // 90 seconds
/// ```
///
/// **Contract.** Safe from any thread. A sleep ends in the first `advance` or `step` to its
/// deadline or past it, never before, or at once when its task is cancelled. What waits for one
/// moment wakes in the order in which it began to wait, and all that waits for an earlier moment
/// before it. Time never goes back. The clock counts nanoseconds from 0 to ``Instant/last``, 584
/// years later; a moment beyond that never comes, and who sleeps until then can only be cancelled.
///
/// **Design.** All who wait stand in one `TimingWheel` with ticks of a nanosecond, behind one lock.
/// What has come due is taken out under the lock and woken outside, one moment after the other:
/// what a wakened alarm arms for a moment on the way still wakes at that moment.
public final class VirtualClock: Clock {
  /// The time of the clock, which its alarms share.
  let timeline = Timeline()
  /// The timers of the clock, once somebody has asked for them.
  private let service = Guarded<TimerService?>(nil)

  /// Creates a clock that stands at zero.
  public init() {}

  /// The present moment.
  public var now: Instant { Instant(tick: timeline.now) }

  /// One nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// The number of tasks that sleep on the clock.
  ///
  /// - Complexity: O(1).
  public var sleeperCount: Int { timeline.sleeperCount }

  /// Waits until a moment has come.
  ///
  /// - Parameters:
  ///   - deadline: The moment; one that has come already returns at once.
  ///   - tolerance: Without meaning here: virtual time is exact.
  /// - Throws: `CancellationError` at once when the task is cancelled, before or during the sleep.
  /// - Complexity: O(1).
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    try await timeline.sleep(until: deadline.tick)
  }
}

// MARK: - The passing of time

extension VirtualClock {
  /// Lets time go on by a duration.
  ///
  /// - Parameter duration: How far; a negative one does nothing, and one that leads past
  ///   ``Instant/last`` ends there.
  /// - Complexity: O(1) for each that wakes, amortized.
  public func advance(by duration: Duration) { advance(to: now.advanced(by: duration)) }

  /// Lets time go on to a moment, and wakes what waits for it or an earlier one.
  ///
  /// Alarms ring inside this call, each at its own moment. Sleeping tasks are only made ready: they
  /// run on their executors, mostly afterwards, and then see the moment to which time has gone on.
  /// To have each run at its own moment, go in steps.
  ///
  /// - Parameter deadline: The moment. Time does not go back: an earlier one than the present does
  ///   nothing.
  /// - Complexity: O(1) for each that wakes, amortized.
  public func advance(to deadline: Instant) { timeline.advance(to: deadline.tick) }

  /// Lets time go on to the next moment for which somebody waits, and wakes all who wait for it.
  ///
  /// - Returns: Whether somebody waited; otherwise time has not gone on. Who waits for a moment
  ///   that never comes does not count.
  /// - Complexity: O(1) for each that wakes, amortized.
  @discardableResult
  public func step() -> Bool { timeline.step() }
}

// MARK: - Timers

extension VirtualClock: TimerClock {
  /// The timers of the clock, which `withDeadline` uses: they fire while its time goes on, to the
  /// nanosecond.
  public var timers: TimerService {
    if let known = service.withLock({ $0 }) { return known }
    // Made outside the lock, because it asks the clock; of two threads, one makes it for nothing.
    let made = TimerService(alarm: makeAlarm(), tick: .nanoseconds(1), shards: 1)
    return service.withLock { service in
      let timers = service ?? made
      service = timers
      return timers
    }
  }
}

extension VirtualClock: AlarmClock {
  /// Makes an alarm that rings while this clock's time goes on, on the thread that lets it.
  package func makeAlarm() -> any TimerAlarm { VirtualAlarm(on: timeline) }
}
