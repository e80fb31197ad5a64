import HeadwayTestSupport
import HeadwayTime
import Testing

/// Cases of swift-async-algorithms' `AsyncTimerSequence` and of its clock for tests
/// (`Tests/AsyncAlgorithmsTests/TestTimer.swift`, `TestManualClock.swift`); a comment names each case.
struct AsyncTimerCaseTests {
  /// The steps of seven at which a loop over ticks does something, each a second.
  ///
  /// - Parameters:
  ///   - period: The steps from tick to tick.
  ///   - work: The steps that the loop works before it does something.
  /// - Returns: The steps.
  /// - Throws: The reason why the clock could not go on.
  private func steps(every period: Int, working work: Int = 0) throws -> [Int] {
    try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      let log = Log()
      let loop = Task(executorPreference: StepExecutor.current) {
        for await _ in timers.ticks(every: .seconds(period)) {
          if work > 0 { try? await clock.sleep(for: .seconds(work)) }
          if !Task.isCancelled { log.add("\(Int(clock.now.offset / .seconds(1)))") }
        }
      }
      try await clock.sleep(for: .milliseconds(7_500 + 1_000 * work))
      loop.cancel()
      await loop.value
      return log.lines.compactMap { Int($0) }
    }
  }

  // test_tick1, test_tick2, test_tick3.
  @Test(arguments: [(1, [1, 2, 3, 4, 5, 6, 7]), (2, [2, 4, 6]), (3, [3, 6])])
  func `Ticks come at each multiple of their period until the loop is cancelled`(
    period: Int, expected: [Int]
  ) throws {
    #expect(try steps(every: period) == expected)
  }

  // test_tick2_event_skew3: each round takes longer than the period.
  @Test func `A loop that is slower than its ticks has no pause between its rounds`() throws {
    #expect(try steps(every: 2, working: 3) == [5, 8])
  }

  // TestManualClock.test_sleep.
  @Test func `A sleep of three steps ends with the third`() {
    let (clock, executor, log) = (VirtualClock(), StepExecutor(), Log())
    Task(executorPreference: executor) {
      try await clock.sleep(for: .seconds(3))
      log.add("awake")
    }
    for step in 0..<3 {
      executor.drain()
      #expect(log.lines == [], "before step \(step + 1)")
      clock.advance(by: .seconds(1))
    }
    executor.drain()
    #expect(log.lines == ["awake"])
  }

  // TestManualClock.test_sleep_cancel, test_sleep_cancel_before_advance.
  @Test(arguments: [0, 1])
  func `A sleep that is cancelled before or after the first step ends with an error`(steps: Int) {
    let (clock, executor, log) = (VirtualClock(), StepExecutor(), Log())
    let task = Task(executorPreference: executor) {
      do {
        try await clock.sleep(for: .seconds(3))
        log.add("awake")
      } catch {
        log.add("\(error) after \(clock.now.offset)")
      }
    }
    executor.drain()
    clock.advance(by: .seconds(steps))
    task.cancel()
    executor.drain()
    #expect(log.lines == ["CancellationError() after \(Duration.seconds(steps))"])
  }
}
