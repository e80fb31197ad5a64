import HeadwayTestSupport
import HeadwayTime
import Synchronization
import Testing

/// Cases of tokio's sleeps and time-outs (`tokio/tests/time_sleep.rs`, `time_timeout.rs`); a comment names each case.
struct TokioCaseTests {
  /// Runs a body on virtual time, with a timer service whose tick is a millisecond, as that of tokio.
  private func onVirtualTime<Value: Sendable>(
    _ body: @escaping @Sendable (VirtualClock, TimerService) async throws -> Value
  ) throws -> Value {
    try withVirtualTime { clock in
      try await body(clock, TimerService(clock: clock, tick: .milliseconds(1)))
    }
  }
}

// MARK: - Sleeping

extension TokioCaseTests {
  // is_elapsed.
  @Test func `A timer counts as scheduled until it fires`() {
    let clock = VirtualClock()
    let timers = TimerService(clock: clock, tick: .milliseconds(1))
    let timer = timers.schedule(after: .milliseconds(10)) {}
    #expect(timer.isScheduled)
    clock.advance(by: .milliseconds(9))
    #expect(timer.isScheduled)
    clock.advance(by: .milliseconds(1))
    #expect(!timer.isScheduled)
  }

  // delayed_sleep_level_0, delayed_sleep_wrapping_level_0: 60 ms from 5 ms on go past the first 64 slots.
  @Test func `Sleeps of some milliseconds take exactly as long, wherever they begin`() throws {
    let taken = try onVirtualTime { clock, timers in
      var taken: [Duration] = []
      for milliseconds in [1, 10, 60, 5, 60] {
        let start = clock.now
        try await timers.sleep(for: .milliseconds(milliseconds))
        taken.append(start.duration(to: clock.now))
      }
      return taken
    }
    #expect(taken == [1, 10, 60, 5, 60].map { .milliseconds($0) })
  }

  // sub_ms_delayed_sleep.
  @Test func `A sleep that ends a nanosecond after a tick ends with the next tick`() throws {
    let ends = try onVirtualTime { clock, timers in
      var ends: [Duration] = []
      for _ in 0..<5 {
        try await timers.sleep(for: .milliseconds(1) + .nanoseconds(1))
        ends.append(clock.now.offset)
      }
      return ends
    }
    // Never early, and at most one tick late.
    #expect(ends == [2, 4, 6, 8, 10].map { .milliseconds($0) })
  }

  // reset_future_sleep_before_fire, reset_past_sleep_before_turn, reset_past_sleep_before_fire.
  @Test(arguments: [(0, 200), (0, 80), (10, 80)])
  func `A timer that is moved before it fires does so at its new time only`(after: Int, to: Int) {
    let clock = VirtualClock()
    let timers = TimerService(clock: clock, tick: .milliseconds(1))
    let log = Log()
    let timer = timers.schedule(after: .milliseconds(100)) { log.add("\(clock.now.offset)") }
    clock.advance(by: .milliseconds(after))
    #expect(timer.reschedule(after: .milliseconds(to - after)))
    clock.advance(by: .seconds(1))
    #expect(log.lines == ["\(Duration.milliseconds(to))"])
  }

  // reset_sleep_to_past.
  @Test func `A timer that is moved to the past fires at once`() {
    let clock = VirtualClock()
    let timers = TimerService(clock: clock, tick: .milliseconds(1))
    let log = Log()
    let timer = timers.schedule(after: .milliseconds(100)) { log.add("\(clock.now.offset)") }
    clock.advance(by: .milliseconds(50))
    #expect(timer.reschedule(after: .milliseconds(-10)))
    #expect(clock.step())
    #expect(log.lines == ["0.05 seconds"])
  }

  // reset_future_sleep_after_fire: there, a sleep can be used again, as `ReusableTimer` here.
  @Test func `A timer that has fired cannot be moved, and a new one takes its place`() {
    let clock = VirtualClock()
    let timers = TimerService(clock: clock, tick: .milliseconds(1))
    let log = Log()
    let timer = timers.schedule(after: .milliseconds(100)) { log.add("\(clock.now.offset)") }
    clock.advance(by: .milliseconds(100))
    #expect(!timer.reschedule(after: .milliseconds(10)))
    clock.advance(by: .milliseconds(5))
    timers.schedule(after: .milliseconds(5)) { log.add("\(clock.now.offset)") }
    clock.advance(by: .seconds(1))
    #expect(log.lines == ["0.1 seconds", "0.11 seconds"])
  }

  // short_sleeps.
  @Test func `A thousand sleeps of no time take no time`() throws {
    let end = try onVirtualTime { clock, timers in
      for _ in 0..<1_000 { try await timers.sleep(for: .zero) }
      return clock.now
    }
    #expect(end == .zero)
  }

  // greater_than_max, multi_long_sleeps, long_sleeps: five years, then five times one, then ten.
  @Test func `Sleeps of years end on their tick`() throws {
    let ends = try onVirtualTime { clock, timers in
      var ends: [Int] = []
      for years in [5, 1, 1, 1, 1, 1, 10] {
        try await timers.sleep(for: .seconds(years * 365 * 86_400))
        ends.append(Int(clock.now.offset.components.seconds) / (365 * 86_400))
      }
      return ends
    }
    #expect(ends == [5, 6, 7, 8, 9, 10, 20])
  }

  // exactly_max, no_out_of_bounds_close_to_max: there, such a sleep ends after some thirty years.
  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) - .milliseconds(1)])
  func `A sleep for the longest duration lasts until it is cancelled, and no timer stays behind`(
    duration: Duration
  ) throws {
    let line = try onVirtualTime { clock, timers in
      let sleeper = Task(executorPreference: StepExecutor.current) {
        do {
          try await timers.sleep(for: duration)
          return "slept"
        } catch {
          return "\(error) after \(clock.now.offset)"
        }
      }
      try await clock.sleep(for: .seconds(86_400 * 365))
      sleeper.cancel()
      return await "\(sleeper.value), \(timers.count) left"
    }
    #expect(line == "CancellationError() after 31536000.0 seconds, 0 left")
  }

  // issue_5183.
  @Test func `A sleep of billions of years does not hold up one of a nanosecond`() throws {
    let end = try onVirtualTime { clock, timers in
      await withTaskGroup { group in
        for duration in [Duration.seconds(Int64.max / 10), .nanoseconds(1)] {
          group.addTask { try? await timers.sleep(for: duration) }
        }
        await group.next()
        group.cancelAll()
      }
      return clock.now.offset
    }
    #expect(end == .milliseconds(1))
  }
}

// MARK: - Time-outs

extension TokioCaseTests {
  // simultaneous_deadline_future_completion, completed_future_past_deadline.
  @Test(arguments: [Duration.zero, .milliseconds(-1_000)])
  func `Work that is complete at once returns although its deadline has passed`(limit: Duration)
    throws
  {
    let value = try withVirtualTime { clock in
      try await withDeadline(clock.now.advanced(by: limit), clock: clock) { "complete" }
    }
    #expect(value == "complete")
  }

  // future_and_deadline_in_future, future_and_timeout_in_future.
  @Test(arguments: [false, true])
  func `Work that completes just before its deadline returns`(isInstant: Bool) throws {
    let line = try withVirtualTime { clock in
      let work: @Sendable () async throws -> String = {
        try await clock.sleep(for: .milliseconds(90))
        return "complete"
      }
      let value =
        if isInstant {
          try await withDeadline(
            clock.now.advanced(by: .milliseconds(100)), clock: clock, body: work)
        } else {
          try await withDeadline(in: .milliseconds(100), clock: clock, body: work)
        }
      return "\(value) at \(clock.now.offset), \(clock.timers.count) timers"
    }
    #expect(line == "complete at 0.09 seconds, 0 timers")
  }

  // very_large_timeout.
  @Test func `A deadline beyond every clock lets work of ten years complete`() throws {
    let years = try withVirtualTime { clock in
      try await withDeadline(in: .seconds(Int64.max), clock: clock) {
        try await clock.sleep(for: .seconds(10 * 365 * 86_400))
        return clock.now.offset.components.seconds / (365 * 86_400)
      }
    }
    #expect(years == 10)
  }

  // deadline_now_elapses, deadline_future_elapses.
  @Test(arguments: [0, 300])
  func `Work that never completes ends with its deadline`(limit: Int) throws {
    let line = try withVirtualTime { clock in
      do {
        try await withDeadline(in: .milliseconds(limit), clock: clock) {
          try await clock.sleep(for: .seconds(Int64.max))
        }
        return "complete"
      } catch let error as DeadlineExceeded {
        return "\(error.limit) at \(clock.now.offset)"
      }
    }
    let end = Duration.milliseconds(limit)
    #expect(line == "\(end) at \(end)")
  }

  // timeout_is_not_exhausted_by_future: work that is never interrupted by the runtime.
  @Test(.timeLimit(.minutes(60)))
  func `A deadline passes while its work is busy on the only thread it has`() async {
    await #expect(throws: DeadlineExceeded.self) {
      try await withDeadline(in: .milliseconds(1)) {
        var rounds = 0
        while !Task.isCancelled { rounds &+= 1 }
        try Task.checkCancellation()
      }
    }
  }
}

// MARK: - The timer driver

/// Cases of tokio's own timers (`tokio/src/runtime/time/tests/mod.rs`).
extension TokioCaseTests {
  // single_timer.
  @Test(.timeLimit(.minutes(60)))
  func `A timer that another thread waits for fires when time is advanced past it`() async {
    let clock = VirtualClock()
    let timers = TimerService(clock: clock)
    let fired = Events<Void>()
    timers.schedule(after: .seconds(1)) { fired.put(()) }
    clock.advance(by: .seconds(2))
    #expect(await fired.next() != nil)
    #expect(timers.count == 0)
  }

  // drop_timer: there, dropping a timer cancels it.
  @Test func `A timer whose handle is dropped fires all the same`() {
    let clock = VirtualClock()
    let timers = TimerService(clock: clock)
    let log = Log()
    do { _ = timers.schedule(after: .seconds(1)) { log.add("fired") } }
    clock.advance(by: .seconds(2))
    #expect(log.lines == ["fired"])
  }

  // reset_future.
  @Test func `A timer that is moved later does not fire at its first time`() {
    let clock = VirtualClock()
    let timers = TimerService(clock: clock)
    let log = Log()
    let timer = timers.schedule(after: .seconds(1)) { log.add("fired") }
    timer.reschedule(after: .seconds(2))
    clock.advance(by: .milliseconds(1_500))
    #expect(log.lines == [])
    clock.advance(by: .milliseconds(1_000))
    #expect(log.lines == ["fired"])
  }
}
