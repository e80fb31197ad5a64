import HeadwayTime
import Synchronization
import Testing

/// A timer service on the machine's clocks, used by many tasks at once.
@Suite(.timeLimit(.minutes(60)))
struct TimerServiceRaceTests {
  /// Counts from several threads.
  private final class Tally: Sendable {
    /// The number of actions that ran.
    let fired = Atomic<Int>(0)
    /// The number of cancellations that won.
    let cancelled = Atomic<Int>(0)
    /// The number of actions that ran early.
    let early = Atomic<Int>(0)
  }

  @Test(arguments: [TimerService.continuous, .suspending])
  func `A cancellation that races with its timer has one winner`(timers: TimerService) async throws
  {
    let tally = Tally()
    let rounds = 2_000
    let workers = 4
    await withTaskGroup(of: Void.self) { group in
      for worker in 0..<workers {
        group.addTask {
          for round in 0..<rounds {
            let timer = timers.schedule(after: .microseconds((round + worker) % 3 * 500)) {
              tally.fired.add(1, ordering: .relaxed)
            }
            for _ in 0..<round % 5 { await Task.yield() }
            if timer.cancel() { tally.cancelled.add(1, ordering: .relaxed) }
          }
        }
      }
    }
    // Timers that were not cancelled fire; the loop ends when all are accounted for.
    while true {
      let sum =
        tally.fired.load(ordering: .relaxed) + tally.cancelled.load(ordering: .relaxed)
      if sum == rounds * workers { break }
      #expect(sum < rounds * workers)
      try await timers.sleep(for: .milliseconds(1))
    }
  }

  @Test(arguments: [ContinuousClock()])
  func `No timer on a clock of the machine fires early`(clock: ContinuousClock) async throws {
    let tally = Tally()
    let count = 500
    for number in 0..<count {
      let due = clock.now.advanced(by: .microseconds(number * 37))
      TimerService.continuous.schedule(after: .microseconds(number * 37)) {
        if clock.now < due { tally.early.add(1, ordering: .relaxed) }
        tally.fired.add(1, ordering: .relaxed)
      }
    }
    while tally.fired.load(ordering: .relaxed) < count {
      try await TimerService.continuous.sleep(for: .milliseconds(1))
    }
    let early = tally.early.load(ordering: .relaxed)
    #expect(early == 0)
  }

  @Test func `An earlier timer wakes a thread that sleeps for a later one`() async throws {
    let timers = TimerService(clock: ContinuousClock())
    let late = timers.schedule(after: .seconds(3_600)) {}
    // Hangs and fails at its time limit if the thread does not wake for the earlier deadline.
    try await timers.sleep(for: .milliseconds(5))
    #expect(late.cancel())
  }

  @Test func `Services may be released while their timers fire`() async throws {
    let tally = Tally()
    for round in 0..<200 {
      let timers = TimerService(clock: SuspendingClock())
      for _ in 0..<20 {
        timers.schedule(after: .microseconds(round * 5)) {
          tally.fired.add(1, ordering: .relaxed)
        }
      }
      if round % 2 == 0 { await Task.yield() }
    }
    let fired = tally.fired.load(ordering: .relaxed)
    #expect(fired <= 4_000)
  }

  @Test func `A service that is shut down by its own action does not hang`() async throws {
    let timers = TimerService(clock: ContinuousClock())
    await withCheckedContinuation { continuation in
      timers.schedule(after: .milliseconds(1)) {
        timers.shutDown()
        continuation.resume()
      }
    }
    #expect(timers.count == 0)
  }

  /// A clock that stands still, so that all requests are for the same moment; sleeping on it takes no time.
  private struct StandingClock: Clock {
    let now = ContinuousClock.now
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
      try Task.checkCancellation()
    }
  }

  /// Performs an action on a timer service and waits until it has run.
  ///
  /// - Parameters:
  ///   - timers: The service.
  ///   - action: The action.
  /// - Returns: Whether it has run; false if the test has reached its time limit.
  private static func perform(
    on timers: TimerService, _ action: @escaping @Sendable () -> Void = {}
  ) async -> Bool {
    let ends = Events<Void>()
    timers.schedule(after: .zero) {
      action()
      ends.put(())
    }
    return await ends.next() != nil
  }

  @Test func `On any clock no request is lost when many are for the same moment`() async {
    let timers = TimerService(clock: StandingClock())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<2_000 {
            guard await Self.perform(on: timers) else { return }
          }
        }
      }
    }
    #expect(timers.count == 0)
  }

  @Test func `On any clock actions run one after the other`() async {
    let timers = TimerService(clock: StandingClock())
    let running = Tally()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<500 {
            let hasRun = await Self.perform(on: timers) {
              if running.fired.add(1, ordering: .relaxed).newValue > 1 {
                running.early.add(1, ordering: .relaxed)
              }
              running.fired.subtract(1, ordering: .relaxed)
            }
            guard hasRun else { return }
          }
        }
      }
    }
    let overlaps = running.early.load(ordering: .relaxed)
    #expect(overlaps == 0)
  }

  @Test func `Due actions that have not begun when a service is shut down never run`() async {
    let timers = TimerService(clock: ContinuousClock())
    let tally = Tally()
    await withCheckedContinuation { done in
      // One of these shuts the service down; those after it in the same batch do not run.
      for _ in 0..<50 {
        timers.schedule(after: .milliseconds(2)) {
          if tally.fired.add(1, ordering: .relaxed).newValue == 1 {
            timers.shutDown()
            done.resume()
          }
        }
      }
    }
    let fired = tally.fired.load(ordering: .relaxed)
    #expect(fired == 1)
  }

  @Test func `Sleepers that are cancelled while they wake are resumed once`() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let sleeper = Task {
            try? await TimerService.continuous.sleep(for: .microseconds(number % 5 * 300))
          }
          for _ in 0..<number % 9 { await Task.yield() }
          sleeper.cancel()
          await sleeper.value
        }
      }
    }
  }
}
