import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// Timers that repeat, and ticks.
struct RepeatingTimerTests {
  private let clock = VirtualClock()
  /// What happened.
  private let log = Log()

  /// A service with ticks of a millisecond.
  private func service(tick: Duration = .milliseconds(1)) -> TimerService {
    TimerService(clock: clock, tick: tick)
  }

  @Test func `An action repeats at multiples of its period until it is cancelled`() {
    let timers = service()
    let timer = timers.schedule(every: .seconds(2)) { [clock, log] in
      log.add("\(clock.now.offset)")
    }
    #expect(timer.isScheduled && timers.count == 1)
    clock.advance(by: .seconds(7))
    #expect(log.lines == ["2.0 seconds", "4.0 seconds", "6.0 seconds"])
    #expect(timer.cancel() && !timer.cancel() && !timer.isScheduled)
    clock.advance(by: .seconds(10))
    #expect(log.lines.count == 3 && timers.count == 0)
  }

  @Test func `Ticks of the service do not add up`() {
    // A period of 1.5 ms ends between the ticks of a millisecond.
    let timers = service()
    timers.schedule(every: .microseconds(1_500)) { [clock, log] in
      log.add("\(clock.now.offset / .milliseconds(1))")
    }
    clock.advance(by: .milliseconds(1_500))
    #expect(log.lines.count == 1_000)
    #expect(log.lines.prefix(4) == ["2.0", "3.0", "5.0", "6.0"])
    #expect(log.lines.last == "1500.0")
  }

  @Test func `What takes longer than a period runs once more for all that was missed`() {
    let timers = service()
    let timer = timers.schedule(every: .seconds(1)) { [clock, log] in
      log.add("\(clock.now.offset / .seconds(1))")
      if log.lines.count == 1 { clock.advance(by: .milliseconds(3_500)) }
    }
    clock.advance(by: .seconds(1))
    while log.lines.count < 3, clock.step() {}
    #expect(log.lines == ["1.0", "4.5", "5.0"])
    timer.cancel()
  }

  @Test func `An action can cancel its own timer`() {
    let timers = service()
    let timer = Guarded<RepeatingTimer?>(nil)
    let new = timers.schedule(every: .seconds(1)) { [log] in
      log.add("run")
      log.add("\(timer.withLock { $0 }?.cancel() ?? false)")
    }
    timer.withLock { $0 = new }
    clock.advance(by: .seconds(5))
    // It is the last run.
    #expect(log.lines == ["run", "false"])
    #expect(timers.count == 0)
  }

  @Test func `It ends with its service`() {
    let timers = service()
    let timer = timers.schedule(every: .seconds(1)) { [log] in log.add("run") }
    #expect(timers.shutDown() == 1)
    clock.advance(by: .seconds(5))
    #expect(log.lines == [] && !timer.isScheduled)
    #expect(!timers.schedule(every: .seconds(1)) {}.cancel())
  }

  @Test func `A timer that was cancelled releases its action`() {
    final class Resource: Sendable {}
    let timers = service()
    weak let weakly: Resource?
    let timer: RepeatingTimer
    do {
      let resource = Resource()
      weakly = resource
      timer = timers.schedule(every: .seconds(1)) { withExtendedLifetime(resource) {} }
    }
    #expect(weakly != nil)
    timer.cancel()
    #expect(weakly == nil)
  }

  @Test func `An action runs at an instant`() {
    let timers = service()
    timers.schedule(at: clock.now.advanced(by: .seconds(3)), clock: clock) { [clock, log] in
      log.add("\(clock.now.offset)")
    }
    timers.schedule(at: clock.now.advanced(by: .seconds(-3)), clock: clock) { [clock, log] in
      log.add("\(clock.now.offset)")
    }
    #expect(log.lines == [])
    clock.advance(by: .seconds(5))
    #expect(log.lines == ["0.0 seconds", "3.0 seconds"])
  }

  @Test func `Ticks are counted, and those that were missed are left out`() throws {
    let numbers = try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      var numbers: [String] = []
      for await tick in timers.ticks(every: .seconds(2)) {
        numbers.append("\(tick) at \(clock.now.offset / .seconds(1))")
        if tick == 2 { try await clock.sleep(for: .seconds(5)) }
        if tick == 5 { break }
      }
      return numbers
    }
    #expect(numbers == ["1 at 2.0", "2 at 4.0", "4 at 9.0", "5 at 10.0"])
  }

  @Test func `Ticks end with their task and with the service`() throws {
    let ends = try withVirtualTime { clock in
      let timers = TimerService(clock: clock, tick: .milliseconds(1))
      let first = Task(executorPreference: StepExecutor.current) {
        for await _ in timers.ticks(every: .seconds(1)) {}
        return clock.now.offset / .seconds(1)
      }
      try await clock.sleep(for: .seconds(3))
      first.cancel()
      let second = Task(executorPreference: StepExecutor.current) {
        for await _ in timers.ticks(every: .seconds(10)) {}
        return clock.now.offset / .seconds(1)
      }
      try await clock.sleep(for: .seconds(1))
      timers.shutDown()
      return await [first.value, second.value]
    }
    #expect(ends == [3, 4])
  }

  @Test func `A timer that is cancelled by another thread begins no further run`() async throws {
    for _ in 0..<50 {
      let timers = TimerService(clock: ContinuousClock(), tick: .microseconds(10))
      let runs = Guarded(0)
      let timer = timers.schedule(every: .microseconds(20)) { runs.withLock { $0 += 1 } }
      while runs.withLock({ $0 }) < 3 { await Task.yield() }
      let willNotRun = timer.cancel()
      let before = runs.withLock { $0 }
      // Time for fifty runs.
      try await timers.sleep(for: .milliseconds(1))
      #expect(runs.withLock { $0 } <= (willNotRun ? before : before + 1))
    }
  }
}
