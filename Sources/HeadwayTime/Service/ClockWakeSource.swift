internal import HeadwayLock
internal import Synchronization

/// A wake source on any clock: a task that sleeps on the clock until the earliest requested moment.
final class ClockWakeSource<C: Clock>: WakeSource where C.Duration == Duration {
  private struct State {
    /// The earliest requested moment, `UInt64.max` if there is none.
    var moment: UInt64 = .max
    /// The task that sleeps until then.
    var sleeper: Task<Void, Never>?
    /// Counts the requests: after a wake the same moment may be requested again.
    var request = 0
    var handler: (@Sendable () -> Void)?
    /// Whether the handler is running.
    var isRunning = false
    /// Whether the handler has to run again afterwards.
    var runsAgain = false
  }

  private let clock: C
  private let origin: C.Instant
  /// The latest time that the clock has shown.
  private let latest = Atomic<UInt64>(0)
  private let state = Guarded(State())

  init(_ clock: C) {
    self.clock = clock
    origin = clock.now
  }

  deinit { state.withLock { $0.sleeper }?.cancel() }

  var now: UInt64 {
    // Rounded down, so that nothing is due early. If the clock goes back, this time stands still: a delay then counts
    // from the latest time, or it would be over at once.
    latest.max(origin.duration(to: clock.now).nanosecondsDown, ordering: .relaxed).newValue
  }

  func start(_ handler: @escaping @Sendable () -> Void) {
    state.withLock { $0.handler = handler }
  }

  func requestWake(at moment: UInt64) {
    let instant = origin.advanced(by: .nanoseconds(Int64(clamping: moment)))
    let clock = self.clock
    let request = state.withLock { state -> Int? in
      guard state.handler != nil, moment < state.moment else { return nil }
      state.moment = moment
      state.request += 1
      return state.request
    }
    guard let request else { return }
    let sleeper = Task { [weak self] in
      // A sleep that ends early, because the clock threw, wakes early, which a source may.
      try? await clock.sleep(until: instant, tolerance: nil)
      guard !Task.isCancelled else { return }
      self?.wake()
    }
    // A later request is for an earlier moment or follows a wake; either way this sleeper is not needed.
    let spare = state.withLock { state -> Task<Void, Never>? in
      guard state.request == request, state.handler != nil else { return sleeper }
      defer { state.sleeper = sleeper }
      return state.sleeper
    }
    spare?.cancel()
  }

  func stop() {
    let sleeper = state.withLock { state in
      state.handler = nil
      state.moment = .max
      return state.sleeper.take()
    }
    sleeper?.cancel()
  }

  /// Calls the handler, never twice at a time: a call during a call makes the handler run once more.
  func wake() {
    var handler = state.withLock { state -> (@Sendable () -> Void)? in
      state.moment = .max
      state.sleeper = nil
      if state.isRunning {
        state.runsAgain = true
        return nil
      }
      state.isRunning = state.handler != nil
      return state.handler
    }
    while let call = handler {
      call()
      handler = state.withLock { state in
        state.isRunning = state.runsAgain && state.handler != nil
        state.runsAgain = false
        return state.isRunning ? state.handler : nil
      }
    }
  }
}
