import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// A timer service on virtual time and on the machine's clocks.
struct TimerServiceTests {
  private let clock = VirtualClock()
  /// What happened.
  private let log = Log()

  /// A service with ticks of a millisecond.
  private func service(tick: Duration = .milliseconds(1)) -> TimerService {
    TimerService(clock: clock, tick: tick)
  }

  /// An action that logs a name and the time.
  private func note(_ name: String) -> @Sendable () -> Void {
    { [clock, log] in log.add("\(name) at \(clock.now.offset)") }
  }
}

// MARK: - Scheduling

extension TimerServiceTests {
  @Test func `Actions run in the order of their times`() {
    let timers = service()
    timers.schedule(after: .seconds(3), note("c"))
    timers.schedule(after: .seconds(1), note("a"))
    timers.schedule(after: .seconds(2), note("b"))
    clock.advance(by: .seconds(5))
    #expect(log.lines == ["a at 1.0 seconds", "b at 2.0 seconds", "c at 3.0 seconds"])
  }

  @Test func `An action runs at the next tick, never early`() {
    let timers = service()
    timers.schedule(after: .microseconds(1_200), note("a"))
    clock.advance(by: .microseconds(1_200))
    #expect(log.lines == [])
    clock.advance(by: .microseconds(799))
    #expect(log.lines == [])
    clock.advance(by: .microseconds(1))
    #expect(log.lines == ["a at 0.002 seconds"])
  }

  @Test(arguments: [Duration.zero, .seconds(-5), Duration(attoseconds: .min)])
  func `An action with a delay of zero or less runs at once, not inside the call`(delay: Duration) {
    let timers = service()
    timers.schedule(after: delay, note("a"))
    #expect(log.lines == [])
    clock.advance(by: .zero)
    _ = clock.step()
    #expect(log.lines == ["a at 0.0 seconds"])
  }

  @Test(arguments: [
    Duration(attoseconds: .max), .seconds(Int64.max), .seconds(1 << 50), .nanoseconds(Int64.max),
  ])
  func `An action with a delay beyond the range of the clock never runs and can be cancelled`(
    delay: Duration
  ) {
    let timers = service()
    let timer = timers.schedule(after: delay, note("a"))
    clock.advance(by: .seconds(86_400 * 365))
    #expect(log.lines == [])
    #expect(timer.isScheduled)
    #expect(timer.cancel())
  }

  @Test func `The sum of now and a delay is clamped`() {
    let timers = service()
    clock.advance(by: .seconds(1 << 33))
    let timer = timers.schedule(after: .nanoseconds(Int64.max), note("a"))
    timers.schedule(after: .seconds(1), note("b"))
    clock.advance(by: .seconds(2))
    #expect(log.lines == ["b at 8589934593.0 seconds"])
    #expect(timer.isScheduled)
  }

  @Test func `A tolerance makes timers coincide`() {
    let timers = service()
    for milliseconds in [1_001, 1_005, 1_020, 1_023] {
      timers.schedule(
        after: .milliseconds(milliseconds), tolerance: .milliseconds(40), note("\(milliseconds)"))
    }
    clock.advance(by: .seconds(2))
    #expect(log.lines.count == 4)
    #expect(log.lines.allSatisfy { $0.hasSuffix(" at 1.024 seconds") })
  }

  @Test func `A tolerance is not exceeded`() {
    let timers = service()
    for delay in 1...300 {
      for slack in [1, 3, 7, 100] {
        let due = clock.now.offset + .milliseconds(delay)
        timers.schedule(after: .milliseconds(delay), tolerance: .milliseconds(slack)) {
          [clock, log] in
          let late = clock.now.offset - due
          if late < .zero || late > .milliseconds(slack) { log.add("\(delay) \(slack): \(late)") }
        }
      }
    }
    clock.advance(by: .seconds(2))
    #expect(log.lines == [])
    #expect(timers.count == 0)
  }

  @Test func `A jump of a year fires every timer once, in order`() {
    let timers = service()
    for day in (1...300).reversed() {
      timers.schedule(after: .seconds(day * 86_400), note("\(day)"))
    }
    clock.advance(by: .seconds(86_400 * 366))
    #expect(log.lines.map { $0.split(separator: " ")[0] } == (1...300).map { "\($0)" })
  }
}

// MARK: - Clocks that go back

extension TimerServiceTests {
  /// A clock that is set by hand.
  private final class HandClock: Clock {
    private let time = Guarded(VirtualClock.Instant(offset: .seconds(1_000)))
    var now: VirtualClock.Instant { time.withLock { $0 } }
    var minimumResolution: Duration { .nanoseconds(1) }

    /// Sets the time.
    func set(_ seconds: Int) { time.withLock { $0 = .init(offset: .seconds(seconds)) } }

    func sleep(until deadline: VirtualClock.Instant, tolerance: Duration?) async throws {
      while now < deadline {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `On a clock that goes back no timer fires early`() async throws {
    let clock = HandClock()
    let timers = TimerService(clock: clock)
    clock.set(1_500)
    let first = Events<Void>()
    timers.schedule(after: .zero) { first.put(()) }
    _ = await first.next()
    clock.set(1_100)
    let log = self.log
    let timer = timers.schedule(after: .seconds(10)) { log.add("fired") }
    clock.set(1_505)
    let second = Events<Void>()
    timers.schedule(after: .seconds(-1)) { second.put(()) }
    _ = await second.next()
    #expect(log.lines == [])
    #expect(timer.isScheduled)
    clock.set(1_511)
    try await untilNot { timer.isScheduled || log.lines.isEmpty }
    #expect(log.lines == ["fired"])
  }
}

// MARK: - Cancelling and moving

extension TimerServiceTests {
  @Test func `A cancelled action does not run, and the handle returns which`() {
    let timers = service()
    let timer = timers.schedule(after: .seconds(1), note("a"))
    #expect(timers.count == 1)
    #expect(timer.cancel())
    #expect(!timer.cancel())
    #expect(!timer.isScheduled)
    #expect(timers.count == 0)
    clock.advance(by: .seconds(2))
    #expect(log.lines == [])
  }

  @Test func `Cancelling after the action has run changes nothing`() {
    let timers = service()
    let timer = timers.schedule(after: .seconds(1), note("a"))
    clock.advance(by: .seconds(2))
    #expect(!timer.cancel())
    #expect(!timer.reschedule(after: .seconds(1)))
    clock.advance(by: .seconds(2))
    #expect(log.lines == ["a at 1.0 seconds"])
  }

  @Test func `An action is released when it is cancelled`() {
    /// An object that an action retains.
    final class Mark: Sendable {}
    let timers = service()
    var timer: TimerService.Handle?
    weak var mark: Mark?
    do {
      let held = Mark()
      mark = held
      timer = timers.schedule(after: .seconds(1_000)) { _ = held }
    }
    #expect(mark != nil)
    timer?.cancel()
    #expect(mark == nil)
  }

  @Test func `A timer is rescheduled to a later and to an earlier time`() {
    let timers = service()
    let late = timers.schedule(after: .seconds(1), note("later"))
    let early = timers.schedule(after: .seconds(9), note("earlier"))
    #expect(late.reschedule(after: .seconds(5)))
    #expect(early.reschedule(after: .seconds(2)))
    clock.advance(by: .seconds(10))
    #expect(log.lines == ["earlier at 2.0 seconds", "later at 5.0 seconds"])
  }

  @Test func `An action may cancel, reschedule and schedule`() {
    let timers = service()
    let cancelled = timers.schedule(after: .seconds(3), note("cancelled"))
    let moved = timers.schedule(after: .seconds(4), note("moved"))
    let next = note("next")
    let first = note("first")
    timers.schedule(after: .seconds(1)) {
      first()
      cancelled.cancel()
      moved.reschedule(after: .seconds(1))
      timers.schedule(after: .milliseconds(500), next)
    }
    clock.advance(by: .seconds(10))
    #expect(log.lines == ["first at 1.0 seconds", "next at 1.5 seconds", "moved at 2.0 seconds"])
  }

  @Test func `An action that reschedules itself at once does not block the others`() {
    let timers = service()
    let log = self.log
    /// Keeps rescheduling itself.
    @Sendable func again(_ left: Int) {
      guard left > 0 else { return }
      timers.schedule(after: .zero) { again(left - 1) }
    }
    again(1_000)
    timers.schedule(after: .milliseconds(1)) { log.add("other") }
    clock.advance(by: .milliseconds(1))
    #expect(log.lines == ["other"])
  }
}

// MARK: - Shutting down

extension TimerServiceTests {
  @Test func `A service that is shut down releases its timers and accepts no more`() {
    let timers = service()
    let timer = timers.schedule(after: .seconds(1), note("a"))
    #expect(timers.shutDown() == 1)
    #expect(!timer.cancel())
    let refused = timers.schedule(after: .zero, note("b"))
    #expect(!refused.isScheduled)
    #expect(!refused.cancel())
    #expect(!refused.reschedule(after: .zero))
    clock.advance(by: .seconds(9))
    #expect(log.lines == [])
    #expect(timers.shutDown() == 0)
  }

  @Test func `A service that is released releases its timers`() {
    /// An object that an action retains.
    final class Mark: Sendable {}
    weak var mark: Mark?
    let timer: TimerService.Handle
    do {
      let timers = service()
      let held = Mark()
      mark = held
      timer = timers.schedule(after: .seconds(1)) { _ = held }
    }
    #expect(mark == nil)
    #expect(!timer.cancel())
    clock.advance(by: .seconds(9))
  }

  @Test func `Handles of a service that is released change nothing`() {
    let handles: [TimerService.Handle]
    do {
      let timers = service()
      handles = (0..<3).map { _ in timers.schedule(after: .seconds(1)) {} }
      #expect(handles[0].cancel())
    }
    for handle in handles {
      #expect(!handle.isScheduled)
      #expect(!handle.reschedule(after: .seconds(2)))
      #expect(!handle.cancel())
    }
  }

  @Test(arguments: [TimerService.continuous, .suspending])
  func `A handle of a shared service changes its timer`(timers: TimerService) {
    let timer = timers.schedule(after: .seconds(1_000_000)) { [log] in log.add("early") }
    #expect(timer.isScheduled)
    #expect(timer.reschedule(after: .seconds(2_000_000)))
    #expect(timer.cancel())
    #expect(!timer.isScheduled)
    #expect(!timer.reschedule(after: .zero))
    #expect(!timer.cancel())
    #expect(log.lines == [])
  }

  @Test func `The shared services cannot be shut down`() async throws {
    #expect(TimerService.continuous.shutDown() == 0)
    #expect(TimerService.suspending.shutDown() == 0)
    try await TimerService.continuous.sleep(for: .nanoseconds(1))
    try await TimerService.suspending.sleep(for: .nanoseconds(1))
  }
}

// MARK: - Sleeping

extension TimerServiceTests {
  /// Runs tasks on virtual time until none is waiting.
  private func drive(_ executor: StepExecutor) {
    repeat { executor.drain() } while clock.step()
  }

  @Test func `Sleepers wake at their times`() {
    let executor = StepExecutor()
    let timers = service()
    for seconds in [3, 1, 2] {
      Task(executorPreference: executor) { [clock, log] in
        try await timers.sleep(for: .seconds(seconds))
        log.add("\(seconds) at \(clock.now.offset)")
      }
    }
    drive(executor)
    #expect(log.lines == ["1 at 1.0 seconds", "2 at 2.0 seconds", "3 at 3.0 seconds"])
  }

  @Test func `A sleeper that is cancelled wakes at once and leaves no timer`() {
    let executor = StepExecutor()
    let timers = service()
    let sleeper = Task(executorPreference: executor) { [clock, log] in
      do {
        try await timers.sleep(for: .seconds(100))
      } catch {
        log.add("\(error) at \(clock.now.offset), \(timers.count) left")
      }
    }
    timers.schedule(after: .seconds(2)) { sleeper.cancel() }
    drive(executor)
    #expect(log.lines == ["CancellationError() at 2.0 seconds, 0 left"])
  }

  @Test func `A sleep throws nothing but CancellationError`() async {
    let timers = service()
    let sleeper = Task { () async -> CancellationError? in
      do throws(CancellationError) { try await timers.sleep(for: .seconds(100)) } catch {
        return error
      }
      return nil
    }
    sleeper.cancel()
    #expect(await sleeper.value != nil)
  }

  @Test func `A task that is already cancelled does not sleep`() {
    let executor = StepExecutor()
    let timers = service()
    let sleeper = Task(executorPreference: executor) { [log] in
      do { try await timers.sleep(for: .seconds(100)) } catch { log.add("\(error)") }
    }
    sleeper.cancel()
    executor.drain()
    #expect(log.lines == ["CancellationError()"])
    #expect(timers.count == 0)
  }

  @Test func `Sleepers of a service that is shut down are cancelled`() {
    let executor = StepExecutor()
    let timers = service()
    for duration in [Duration.seconds(100), .seconds(Int64.max)] {
      Task(executorPreference: executor) { [log] in
        do { try await timers.sleep(for: duration) } catch { log.add("\(error)") }
      }
    }
    executor.drain()
    #expect(timers.shutDown() == 2)
    Task(executorPreference: executor) { [log] in
      do { try await timers.sleep(for: .seconds(1)) } catch { log.add("\(error)") }
    }
    executor.drain()
    #expect(log.lines == ["CancellationError()", "CancellationError()", "CancellationError()"])
  }

  @Test func `A sleep of zero does not suspend`() {
    let executor = StepExecutor()
    let timers = service()
    Task(executorPreference: executor) { [log] in
      try await timers.sleep(for: .zero)
      try await timers.sleep(for: .seconds(-1))
      log.add("awake")
    }
    executor.drain()
    #expect(log.lines == ["awake"])
  }
}
