internal import HeadwayLock
internal import Synchronization

/// The alarm of any clock: a task that sleeps on the clock until the earliest wish.
final class ClockAlarm<C: Clock>: TimerAlarm where C.Duration == Duration {
  /// What the wishes have come to.
  private struct State {
    /// The earliest wish that has not been rung, `UInt64.max` when there is none.
    var moment: UInt64 = .max
    /// The task that sleeps until then.
    var sleeper: Task<Void, Never>?
    /// The number of the latest wish: the same moment may be wished for again after it was rung.
    var wish = 0
    /// What to call.
    var ring: (@Sendable () -> Void)?
    /// Whether it is being called.
    var isRinging = false
    /// Whether it has to be called again afterwards.
    var ringsAgain = false
  }

  /// The clock.
  private let clock: C
  /// The moment that counts as zero.
  private let origin: C.Instant
  /// The latest time that the clock has shown.
  private let latest = Atomic<UInt64>(0)
  /// The wishes.
  private let state = Guarded(State())

  /// Creates an alarm on a clock.
  init(_ clock: C) {
    self.clock = clock
    origin = clock.now
  }

  deinit { state.withLock { $0.sleeper }?.cancel() }

  var now: UInt64 {
    // Rounded down, so that nothing is due before its time. A clock that goes back stands still here: what is
    // scheduled then counts from the latest time, or it would be due at once.
    latest.max(origin.duration(to: clock.now).nanosecondsDown, ordering: .relaxed).newValue
  }

  func start(_ ring: @escaping @Sendable () -> Void) {
    state.withLock { $0.ring = ring }
  }

  func set(_ moment: UInt64) {
    let instant = origin.advanced(by: .nanoseconds(Int64(clamping: moment)))
    let clock = self.clock
    let wish = state.withLock { state -> Int? in
      guard state.ring != nil, moment < state.moment else { return nil }
      state.moment = moment
      state.wish += 1
      return state.wish
    }
    guard let wish else { return }
    let sleeper = Task { [weak self] in
      // A sleep that ends early, cancelled or refused, rings early, which an alarm may.
      try? await clock.sleep(until: instant, tolerance: nil)
      guard !Task.isCancelled else { return }
      self?.ring()
    }
    // A later wish is an earlier moment or comes after a ring: either way this sleeper is not needed.
    let spare = state.withLock { state -> Task<Void, Never>? in
      guard state.wish == wish, state.ring != nil else { return sleeper }
      defer { state.sleeper = sleeper }
      return state.sleeper
    }
    spare?.cancel()
  }

  func stop() {
    let sleeper = state.withLock { state in
      state.ring = nil
      state.moment = .max
      return state.sleeper.take()
    }
    sleeper?.cancel()
  }

  /// Rings, never two at a time: who comes while it rings has it ring once more.
  private func ring() {
    var ring = state.withLock { state -> (@Sendable () -> Void)? in
      state.moment = .max
      state.sleeper = nil
      if state.isRinging {
        state.ringsAgain = true
        return nil
      }
      state.isRinging = state.ring != nil
      return state.ring
    }
    while let call = ring {
      call()
      ring = state.withLock { state in
        state.isRinging = state.ringsAgain && state.ring != nil
        state.ringsAgain = false
        return state.isRinging ? state.ring : nil
      }
    }
  }
}
