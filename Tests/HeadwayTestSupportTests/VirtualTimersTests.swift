import HeadwayTestSupport
import HeadwayTime
import Testing

/// Timers and deadlines on virtual time.
struct VirtualTimersTests {
  /// The object under test.
  private let bench = Bench()

  @Test func `A clock has one timer service`() {
    let first = bench.clock.timers
    #expect(first === bench.clock.timers)
  }

  @Test func `A timer fires at its nanosecond`() {
    let log = bench.log
    bench.clock.timers.schedule(after: .nanoseconds(1_500)) { log.add("fired") }
    bench.clock.advance(by: .nanoseconds(1_499))
    #expect(log.lines == [])
    bench.clock.advance(by: .nanoseconds(1))
    #expect(log.lines == ["fired"])
  }

  @Test func `A timer that a timer schedules fires in the same advance`() {
    let (clock, log) = (bench.clock, bench.log)
    clock.timers.schedule(after: .seconds(1)) {
      log.add("\(clock.now)")
      clock.timers.schedule(after: .seconds(2)) { log.add("\(clock.now)") }
    }
    clock.advance(by: .seconds(10))
    #expect(log.lines == ["1.0 seconds", "3.0 seconds"])
  }

  @Test func `A step goes to the next timer`() {
    bench.clock.timers.schedule(after: .seconds(90)) {}
    let hasFired = bench.clock.step()
    #expect(hasFired)
    #expect(bench.clock.now.offset == .seconds(90))
  }

  @Test func `A deadline passes on virtual time`() {
    let (clock, log) = (bench.clock, bench.log)
    Task(executorPreference: bench.executor) {
      do {
        try await withDeadline(in: .seconds(5), clock: clock) {
          try await clock.sleep(for: .seconds(3_600))
        }
      } catch {
        log.add("\(error) at \(clock.now)")
      }
    }
    repeat { bench.executor.drain() } while clock.step()
    #expect(log.lines == ["the deadline of 5.0 seconds has passed at 5.0 seconds"])
  }

  @Test func `A clock that is released releases its timers`() {
    /// The payload of a timer.
    final class Mark: Sendable {}
    weak var mark: Mark?
    do {
      let clock = VirtualClock()
      let held = Mark()
      mark = held
      clock.timers.schedule(after: .seconds(1)) { _ = held }
    }
    #expect(mark == nil)
  }
}
