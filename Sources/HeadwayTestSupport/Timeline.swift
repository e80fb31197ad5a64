internal import HeadwayLock
internal import HeadwayTime

/// The time of a virtual clock: the line of those who wait behind a lock, and their wakening.
final class Timeline: Sendable {
  /// The last tick that comes: the one behind it is never.
  static let last = UInt64.max - 1

  /// All who wait.
  private let line = Guarded(WaitingLine())

  /// Creates a time that stands at zero.
  init() {}

  /// The present tick.
  var now: UInt64 { line.withLock { $0.now } }

  /// The number of sleeping tasks.
  var sleeperCount: Int { line.withLock { $0.sleeperCount } }

  /// Waits until a tick has come.
  ///
  /// - Parameter tick: The tick; one that has come returns at once.
  /// - Throws: `CancellationError` when the task is cancelled meanwhile.
  /// - Complexity: O(1).
  func sleep(until tick: UInt64) async throws {
    let place = Guarded<WaitingLine.Handle?>(nil)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { task in
        guard let handle = line.withLock({ $0.addSleeper(task, until: tick) }) else {
          return task.resume()
        }
        place.withLock { $0 = handle }
        // A cancellation that came before the place was known found nothing; its mark is seen here.
        if Task.isCancelled { cancel(handle) }
      }
    } onCancel: {
      if let handle = place.withLock({ $0 }) { cancel(handle) }
    }
  }

  /// Wakes a sleeper before its time; one that is awake is left alone.
  private func cancel(_ place: WaitingLine.Handle) {
    line.withLock { $0.removeSleeper(place) }?.resume(throwing: CancellationError())
  }

  /// Lets time go on to a tick, and wakes all who wait for it or an earlier one.
  ///
  /// - Parameter tick: The tick; an earlier one than the present does nothing, a later one than
  ///   `last` counts as that.
  /// - Complexity: O(1) for each that wakes, amortized.
  func advance(to tick: UInt64) {
    let limit = min(tick, Self.last)
    while wake(line.withLock { $0.takeNext(upTo: limit, arrives: true) }) {}
  }

  /// Lets time go on to the next tick for which somebody waits.
  ///
  /// - Returns: Whether somebody waited for a tick that comes; otherwise time stands still.
  /// - Complexity: O(1) for each that wakes, amortized.
  func step() -> Bool {
    wake(line.withLock { $0.takeNext(upTo: Self.last, arrives: false) })
  }

  /// Wakes those who were taken out of the line.
  ///
  /// - Returns: Whether there was anybody.
  private func wake(_ waiters: [WaitingLine.Waiter]) -> Bool {
    for waiter in waiters {
      switch waiter {
      case .task(let task): task.resume()
      case .alarm(let alarm): ring(alarm)
      }
    }
    return !waiters.isEmpty
  }
}

// MARK: - Alarms

extension Timeline {
  /// Makes an alarm and answers with its number.
  func addAlarm() -> Int { line.withLock { $0.addAlarm() } }

  /// Says what to do when an alarm rings.
  func start(_ ring: @escaping @Sendable () -> Void, of alarm: Int) {
    line.withLock { $0.start(ring, of: alarm) }
  }

  /// Sets an alarm.
  func set(_ alarm: Int, to tick: UInt64) { line.withLock { $0.set(alarm, to: tick) } }

  /// Ends an alarm.
  func stop(_ alarm: Int) { line.withLock { $0.stop(alarm) } }

  /// Rings an alarm, on one thread at a time: when it rings on another, that one rings once more.
  private func ring(_ alarm: Int) {
    guard let ring = line.withLock({ $0.beginRing(alarm) }) else { return }
    repeat { ring() } while line.withLock { $0.endRing(alarm) }
  }
}

/// An alarm on virtual time: it rings inside the call that lets the time go on.
final class VirtualAlarm: TimerAlarm {
  /// The time that it waits for.
  private let timeline: Timeline
  /// Its number there.
  private let number: Int

  /// Creates an alarm that is not set.
  init(on timeline: Timeline) {
    self.timeline = timeline
    number = timeline.addAlarm()
  }

  /// Ends the alarm with its owner.
  deinit { timeline.stop(number) }

  /// The present moment in nanoseconds since the clock's zero.
  var now: UInt64 { timeline.now }

  /// Says what to do when the alarm rings.
  func start(_ ring: @escaping @Sendable () -> Void) { timeline.start(ring, of: number) }

  /// Asks to be rung at a moment; for one that has passed, as soon as the clock is told to go on,
  /// before its time does.
  func set(_ moment: UInt64) { timeline.set(number, to: moment) }

  /// Ends the alarm.
  func stop() { timeline.stop(number) }
}
