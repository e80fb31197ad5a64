import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// Cases of Go's timers and tickers (`src/time/sleep_test.go`, `tick_test.go`); a comment names each case.
struct GoTimerCaseTests {
  private let clock = VirtualClock()
  private let log = Log()

  /// A service with ticks of a millisecond.
  private var timers: TimerService { TimerService(clock: clock, tick: .milliseconds(1)) }

  /// The time of the clock in milliseconds.
  private static func milliseconds(_ clock: VirtualClock) -> Int {
    Int(clock.now.offset / .milliseconds(1))
  }
}

// MARK: - Timers

extension GoTimerCaseTests {
  // TestSleep, TestAfter.
  @Test func `A sleep is not cut short by what another task does meanwhile`() throws {
    let end = try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      async let other: Void = timers.sleep(for: .milliseconds(50))
      try await timers.sleep(for: .milliseconds(100))
      try await other
      return clock.now.offset
    }
    #expect(end == .milliseconds(100))
  }

  // TestAfterTick.
  @Test func `Ten sleeps in a row take ten times as long as one`() throws {
    let end = try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      for _ in 0..<10 { try await timers.sleep(for: .milliseconds(100)) }
      return clock.now.offset
    }
    #expect(end == .seconds(1))
  }

  // TestAfterFunc.
  @Test func `An action that schedules itself without delay ten times is done at the same time`() {
    let (timers, log) = (timers, log)
    /// Schedules itself until nothing is left.
    @Sendable func again(_ left: Int) {
      log.add("\(left)")
      if left > 0 { timers.schedule(after: .zero) { again(left - 1) } }
    }
    timers.schedule(after: .zero) { again(10) }
    while clock.step() {}
    #expect(log.lines == (0...10).reversed().map { "\($0)" })
    #expect(clock.now == .zero)
  }

  // TestAfterStop.
  @Test func `Timers that are cancelled among others do not fire, and only the first call counts`()
  {
    let (timers, log) = (timers, log)
    timers.schedule(after: .milliseconds(100)) { log.add("kept") }
    let first = timers.schedule(after: .milliseconds(50)) { log.add("first") }
    let second = timers.schedule(after: .milliseconds(150)) { log.add("second") }
    timers.schedule(after: .milliseconds(200)) { log.add("last") }
    #expect(first.cancel() && second.cancel())
    clock.advance(by: .milliseconds(300))
    #expect(log.lines == ["kept", "last"])
    #expect(!first.cancel() && !second.cancel())
  }

  // TestAfterQueuing: the same delays, several of them twice.
  @Test func `Sleepers wake in the order of their times, however they began`() throws {
    let slots = [5, 3, 6, 6, 6, 1, 1, 2, 7, 9, 4, 8, 0]
    let ends = try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      return try await withThrowingTaskGroup(of: [Int].self) { group in
        for slot in slots {
          group.addTask {
            try await timers.sleep(for: .milliseconds(20 * slot))
            return [slot, Self.milliseconds(clock)]
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(ends == slots.sorted().map { [$0, 20 * $0] })
  }

  // TestTimerStopStress.
  @Test func `A hundred tasks that cancel their timers in time see none of them fire`() throws {
    let (fired, cancelled) = try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      let log = Log()
      let cancelled = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<100 {
          group.addTask {
            let timer = timers.schedule(after: .seconds(2)) { log.add("\(number)") }
            try? await clock.sleep(for: .seconds(1))
            return timer.cancel()
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      try await clock.sleep(for: .seconds(2))
      return (log.lines, cancelled)
    }
    #expect(fired == [] && cancelled == 100)
  }

  // TestReset.
  @Test func `Moving a timer tells whether it was still to fire`() {
    let (timers, log) = (timers, log)
    let timer = timers.schedule(after: .milliseconds(50)) { log.add("fired") }
    clock.advance(by: .milliseconds(25))
    #expect(timer.reschedule(after: .milliseconds(75)))
    clock.advance(by: .milliseconds(50))
    #expect(log.lines == [])
    clock.advance(by: .milliseconds(50))
    #expect(log.lines == ["fired"])
    #expect(!timer.reschedule(after: .milliseconds(50)))
  }

  // TestOverflowSleep.
  @Test
  func `The longest delay never ends, the shortest ends at once, and neither disturbs others`() {
    let (timers, log) = (timers, log)
    for (name, delay) in [
      ("longest", Duration(attoseconds: .max)), ("usual", .milliseconds(25)),
      ("shortest", Duration(attoseconds: .min)),
    ] {
      timers.schedule(after: delay) { log.add(name) }
    }
    clock.advance(by: .seconds(1))
    #expect(log.lines == ["shortest", "usual"])
    #expect(timers.count == 1)
  }

  // TestZeroTimer: a timer without delay that the thread misses waits for ever.
  @Test(.timeLimit(.minutes(60)))
  func `A thousand timers without delay in a row all fire`() async {
    let timers = TimerService(clock: ContinuousClock(), tick: .microseconds(1))
    let fired = Events<Int>()
    var seen: [Int] = []
    for number in 0..<1_000 {
      timers.schedule(after: .zero) { fired.put(number) }
      if let number = await fired.next() { seen.append(number) }
    }
    #expect(seen == Array(0..<1_000))
  }

  // TestTimerModifiedEarlier.
  @Test func `Timers that are moved to the past again and again fire once each`() {
    let (timers, log) = (timers, log)
    clock.advance(by: .seconds(3_600))
    for number in 0..<1_000 {
      let timer = timers.schedule(after: .seconds(3_600)) { log.add("\(number)") }
      for round in 0..<10 { #expect(timer.reschedule(after: .seconds(-3_600 - round))) }
    }
    #expect(clock.step())
    #expect(Set(log.lines).count == 1_000 && log.lines.count == 1_000)
    #expect(clock.now.offset == .seconds(3_600))
  }

  // TestAdjustTimers.
  @Test func `Timers that are moved far, cancelled and made anew in random order lose no expiry`() {
    let timers = timers
    let fired = Guarded([Int](repeating: 0, count: 100))
    var random = WheelRandom(seed: 47_762)
    var open = Array(0..<100)
    var state = [Int](repeating: 0, count: 100)
    var handles = [TimerService.Handle?](repeating: nil, count: 100)
    while let place = open.indices.randomElement(using: &random) {
      let number = open[place]
      state[number] += 1
      switch state[number] {
      // Short, then three times long and cancelled, then short again.
      case 1, 8: timers.schedule(after: .zero) { fired.withLock { $0[number] += 1 } }
      case 2, 4, 6:
        handles[number] = timers.schedule(after: .seconds(60 * state[number])) {
          fired.withLock { $0[number] += 1_000 }
        }
      case 3, 5, 7: #expect(handles[number]?.cancel() == true)
      case 9: clock.advance(by: .milliseconds(1))
      default: open.remove(at: place)
      }
    }
    clock.advance(by: .seconds(3_600))
    #expect(fired.withLock { $0 } == [Int](repeating: 2, count: 100))
    #expect(timers.count == 0)
  }

  // TestChan, the part on stale values: there, after Stop no value of before arrives.
  @Test func `Of two timers that are due together the first may be too late to cancel the second`()
  {
    let (timers, log) = (timers, log)
    let second = Guarded<TimerService.Handle?>(nil)
    timers.schedule(after: .seconds(1)) {
      let isCancelled = second.withLock { $0 }?.cancel() ?? false
      log.add(isCancelled ? "cancelled" : "too late")
    }
    let handle = timers.schedule(after: .seconds(1)) { log.add("second") }
    second.withLock { $0 = handle }
    clock.advance(by: .seconds(2))
    // The answer is true if and only if the second one does not run.
    #expect(log.lines == ["cancelled"] || log.lines == ["too late", "second"])
    #expect(!handle.isScheduled)
  }
}

// MARK: - Tickers

extension GoTimerCaseTests {
  // TestTicker.
  @Test func `A ticker ticks at its period, then at twice the period, and then no more`() throws {
    let times = try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      var times: [Int] = []
      for period in [20, 40] {
        var left = 5
        for await _ in timers.ticks(every: .milliseconds(period)) {
          times.append(Self.milliseconds(clock))
          left -= 1
          if left == 0 { break }
        }
      }
      try await clock.sleep(for: .milliseconds(400))
      #expect(timers.count == 0)
      return times
    }
    #expect(times == [20, 40, 60, 80, 100, 140, 180, 220, 260, 300])
  }

  // TestTeardown.
  @Test(.timeLimit(.minutes(60)))
  func `Tickers that are left after their first tick end without a deadlock`() async {
    let timers = TimerService(clock: ContinuousClock())
    var first: [Int] = []
    for _ in 0..<3 {
      for await tick in timers.ticks(every: .milliseconds(1)) {
        first.append(tick)
        break
      }
    }
    // On a busy machine the first tick may be a later one.
    #expect(first.count == 3 && first.allSatisfy { $0 >= 1 })
    #expect(timers.count == 0)
  }

  // TestAfterStress: a ticker of a nanosecond, which the wheel cannot follow.
  @Test func `A period below the tick of the service runs once in each tick`() {
    let (timers, log) = (timers, log)
    let timer = timers.schedule(every: .nanoseconds(1)) { log.add("run") }
    clock.advance(by: .milliseconds(100))
    #expect(log.lines.count == 100)
    #expect(timer.cancel())
  }

  // TestNewTickerLtZeroDuration.
  @Test func `A negative period of a repeating timer traps`() async {
    await #expect(processExitsWith: .failure) {
      TimerService(clock: VirtualClock()).schedule(every: .nanoseconds(-1)) {}
    }
  }

  // TestTick: there, the channel of a negative duration is nil and never ticks.
  @Test func `A negative period of ticks traps when their iteration begins`() async {
    await #expect(processExitsWith: .failure) {
      for await _ in TimerService(clock: VirtualClock()).ticks(every: .nanoseconds(-1)) {}
    }
  }

  // TestTickTimes, TestAfterTimes: what is received late still says when it was due.
  @Test func `A tick that is taken late has the number of its time`() throws {
    let tick = try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      var iterator = timers.ticks(every: .milliseconds(10)).makeAsyncIterator()
      try await clock.sleep(for: .milliseconds(505))
      return (await iterator.next(isolation: #isolation), Self.milliseconds(clock))
    }
    #expect(tick == (50, 505))
  }
}
