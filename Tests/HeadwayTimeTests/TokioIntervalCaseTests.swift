import HeadwayTestSupport
import HeadwayTime
import Testing

/// Cases of tokio's intervals and of its paused clock (`tokio/tests/time_interval.rs`, `time_pause.rs`); a comment names
/// each case.
struct TokioIntervalCaseTests {
  private let clock = VirtualClock()
  private let log = Log()

  /// Logs the number of each tick of 300 ms and its time in milliseconds; the loop works for a time after some ticks.
  ///
  /// - Parameters:
  ///   - work: The milliseconds of work after a tick, by its number.
  ///   - last: The number of the last tick.
  /// - Returns: The lines.
  /// - Throws: The reason why the clock could not go on.
  private func ticks(working work: [Int: Int] = [:], upTo last: Int) throws -> [String] {
    try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      var lines: [String] = []
      for await tick in timers.ticks(every: .milliseconds(300)) {
        lines.append("\(tick) at \(Int(clock.now.offset / .milliseconds(1)))")
        if tick >= last { break }
        try await clock.sleep(for: .milliseconds(work[tick] ?? 0))
      }
      return lines
    }
  }
}

// MARK: - Intervals

extension TokioIntervalCaseTests {
  // skip: what was missed is left out, and the next tick is again on a multiple.
  @Test func `After a long round of the loop the ticks stay at multiples of their period`() throws {
    #expect(
      try ticks(working: [1: 650], upTo: 6) == [
        "1 at 300", "3 at 950", "4 at 1200", "5 at 1500", "6 at 1800",
      ])
  }

  // burst: there, each tick that was missed comes by itself, as fast as possible.
  @Test func `Ticks that were missed do not come in a burst`() throws {
    let lines = try ticks(working: [1: 950], upTo: 6)
    #expect(lines == ["1 at 300", "4 at 1250", "5 at 1500", "6 at 1800"])
  }

  // delay: there, the ticks after a long round are a period apart from its end.
  @Test func `A long round of the loop does not move the ticks after it`() throws {
    let lines = try ticks(working: [2: 400], upTo: 5)
    #expect(lines == ["1 at 300", "2 at 600", "3 at 1000", "4 at 1200", "5 at 1500"])
  }

  // interval_zero_duration.
  @Test func `A period of zero traps`() async {
    await #expect(processExitsWith: .failure) {
      TimerService(clock: VirtualClock()).schedule(every: .zero) {}
    }
  }

  // interval_doesnt_panic_max_duration_when_polling.
  @Test func `A period beyond every clock never ends, and its timer can be cancelled`() {
    let timers = TimerService(clock: clock, tick: .milliseconds(1))
    let log = self.log
    let timer = timers.schedule(every: .seconds(Int64.max)) { log.add("tick") }
    clock.advance(by: .seconds(100 * 365 * 86_400))
    #expect(log.lines == [] && timer.isScheduled)
    #expect(timer.cancel() && timers.count == 0)
  }

  // reset, reset_after, reset_at, reset_immediately: there, an interval can be moved.
  @Test(arguments: [300, 20, 40, 1_000])
  func `An interval is moved by one that takes its place`(first: Int) {
    let timers = TimerService(clock: clock, tick: .milliseconds(1))
    let note: @Sendable () -> Void = { [clock, log] in
      log.add("\(Int(clock.now.offset / .milliseconds(1)))")
    }
    let timer = timers.schedule(every: .milliseconds(300), note)
    clock.advance(by: .milliseconds(400))
    #expect(timer.cancel())
    timers.schedule(after: .milliseconds(first)) {
      note()
      timers.schedule(every: .milliseconds(300), note)
    }
    clock.advance(by: .milliseconds(first + 300))
    #expect(log.lines == ["300", "\(400 + first)", "\(700 + first)"])
  }
}

// MARK: - The paused clock

extension TokioIntervalCaseTests {
  // paused_time_is_deterministic.
  @Test func `Ten thousand random sleeps end at the same times in every run`() throws {
    /// Sleeps for random times and returns when each of them ended.
    @Sendable func run(seed: UInt64) throws -> [Duration] {
      try withVirtualTime { clock in
        var random = WheelRandom(seed: seed)
        var ends: [Duration] = []
        for _ in 0..<10_000 {
          try await clock.sleep(
            for: .nanoseconds(Int.random(in: 0..<1_000_000_000, using: &random)))
          ends.append(clock.now.offset)
        }
        return ends
      }
    }
    let first = try run(seed: 1)
    #expect(try run(seed: 1) == first)
    #expect(try run(seed: 2) != first)
  }

  // advance_after_poll, sleep_no_poll, sleep_same_task, sleep_same_task_no_poll.
  @Test(arguments: [false, true])
  func `An advance that ends before a sleep does not end it`(beginsBefore: Bool) {
    let executor = StepExecutor()
    let task = Task(executorPreference: executor) { [clock, log] in
      try await clock.sleep(until: VirtualClock.Instant(offset: .milliseconds(300)))
      log.add("awake")
    }
    if beginsBefore { executor.drain() }
    clock.advance(by: .milliseconds(100))
    executor.drain()
    #expect(clock.now.offset == .milliseconds(100))
    #expect(log.lines == [] && !task.isCancelled)
    clock.advance(by: .milliseconds(200))
    executor.drain()
    #expect(log.lines == ["awake"])
  }

  // interval.
  @Test func `A repeating timer runs as often as advances of any length reach its period`() {
    let timers = TimerService(clock: clock, tick: .milliseconds(1))
    let log = self.log
    timers.schedule(every: .milliseconds(300)) { log.add("tick") }
    var counts: [Int] = []
    for milliseconds in [100, 200, 400, 500] {
      clock.advance(by: .milliseconds(milliseconds))
      counts.append(log.lines.count)
    }
    #expect(counts == [0, 1, 2, 4])
  }

  // test_time_advance_sub_ms, test_time_advance_3ms_and_change, exact_1ms_advance,
  // regression_3710_with_submillis_advance.
  @Test(arguments: [51_592, 1, 3_141_592, 3_123_456, 1_000])
  func `An advance is exact to the microsecond, with and without a sleeper`(microseconds: Int) {
    let executor = StepExecutor()
    let length = Duration.microseconds(microseconds)
    clock.advance(by: length)
    #expect(clock.now.offset == length)
    Task(executorPreference: executor) { [clock, log] in
      try await clock.sleep(for: .seconds(60))
      log.add("awake")
    }
    executor.drain()
    clock.advance(by: length)
    executor.drain()
    #expect(clock.now.offset == length * 2 && log.lines == [])
  }

  // advance_once_with_timer, advance_multi_with_timer.
  @Test(arguments: [[250, 1_500], [250, 250, 250, 250]])
  func `A timer of a millisecond fires in the advance that reaches it`(advances: [Int]) {
    let timers = TimerService(clock: clock, tick: .milliseconds(1))
    let log = self.log
    timers.schedule(after: .milliseconds(1)) { log.add("fired") }
    for (number, microseconds) in advances.enumerated() {
      #expect(log.lines == [], "before advance \(number)")
      clock.advance(by: .microseconds(microseconds))
    }
    #expect(log.lines == ["fired"])
  }
}
