import HeadwayTestSupport
import Testing

/// The examples of the documentation.
struct DocumentationTests {
  /// Fails once and succeeds after a backoff.
  private func retried<C: Clock<Duration>>(backoff: Duration, clock: C) async throws -> Int {
    try await clock.sleep(for: backoff)
    return 2
  }

  /// Waits for half a minute.
  private func work(_ clock: VirtualClock) async throws -> String {
    try await clock.sleep(for: .seconds(30))
    return "done"
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `The slower of two answers is cancelled`(seed: UInt64) throws {
    let end = try withVirtualTime(seed: seed) { clock in
      await withThrowingTaskGroup { group in
        group.addTask { try await clock.sleep(for: .seconds(90)) }
        group.addTask { try await clock.sleep(for: .seconds(27 * 3_600)) }
        try? await group.next()
        group.cancelAll()
      }
      return clock.now.offset
    }
    #expect(end == .seconds(90))
  }

  @Test func `The second attempt comes after the backoff`() throws {
    let attempts = try withVirtualTime(seed: 1) { clock in
      try await retried(backoff: .seconds(3_600), clock: clock)
    }
    #expect(attempts == 2)
  }

  @Test func `A clock is advanced by hand`() {
    let clock = VirtualClock()
    let start = clock.now
    clock.advance(by: .seconds(90))
    #expect(start.duration(to: clock.now) == .seconds(90))
  }

  @Test func `A clock and an executor are driven by hand`() async throws {
    let clock = VirtualClock()
    let executor = StepExecutor()
    let task = Task(executorPreference: executor) { try await work(clock) }
    executor.drain()  // runs until the task waits
    clock.advance(by: .seconds(30))  // wakes the task
    executor.drain()  // lets it continue
    let outcome = try await task.value
    #expect(outcome == "done")
  }
}
