import HeadwayLock
import HeadwayTestSupport
import Synchronization
import Testing

@testable import HeadwayTime

/// The defects of the published time wheel and its task manager, which `docs/dev/origins.md` names:
/// each test fails there and passes here.
@Suite(.timeLimit(.minutes(60)))
struct SourceDefectTests {
  private let clock = VirtualClock()
  /// Blocks the functions.
  private let semaphore = Semaphore()
  /// The keys of the functions that have started.
  private let begun = Events<String>()
  private let outcomes = Events<String>()

  /// Submits a function that waits on the semaphore.
  private func submit(_ name: String, key: String, to runner: TimeoutRunner<String, String>) throws
  {
    try runner.submit(key) { [begun, semaphore] in
      begun.put(name)
      semaphore.wait()
      return name
    } completion: { [outcomes] in
      outcomes.put("\(name): \($0.word)")
    }
  }

  @Test func `Slots are never emptied, because a copy is cleared: here expired timers are gone`() {
    /// An object that a timer retains.
    final class Witness {}
    weak var witness: Witness?
    var wheel = TimingWheel<Witness>()
    do {
      let held = Witness()
      witness = held
      _ = wheel.schedule(held, at: 3)
    }
    var expired = 0
    // Many rotations of the first level.
    for tick in 1...2_000 as ClosedRange<UInt64> {
      wheel.advance(to: tick) { _, _ in expired += 1 }
    }
    let count = wheel.count
    #expect(expired == 1)
    #expect(count == 0)
    #expect(witness == nil)
  }

  @Test(arguments: [Duration.milliseconds(1), .milliseconds(250), .seconds(2)])
  func `The interval is ignored and is always one second: here the tick is the chosen one`(
    tick: Duration
  ) {
    let timers = TimerService(clock: clock, tick: tick)
    let fired = Atomic<Int>(0)
    timers.schedule(after: tick * 3) { fired.add(1, ordering: .relaxed) }
    clock.advance(by: tick * 3 - .nanoseconds(1))
    let before = fired.load(ordering: .relaxed)
    clock.advance(by: .nanoseconds(1))
    let after = fired.load(ordering: .relaxed)
    #expect(before == 0)
    #expect(after == 1)
  }

  @Test(arguments: [0, 1, 500, 999])
  func `Time-outs come up to an interval early, 9 seconds for 10: here never`(offset: Int) {
    clock.advance(by: .milliseconds(offset))
    let timers = TimerService(clock: clock, tick: .seconds(1))
    let fired = Atomic<Int>(0)
    timers.schedule(after: .seconds(10)) { fired.add(1, ordering: .relaxed) }
    clock.advance(by: .seconds(10) - .nanoseconds(1))
    let early = fired.load(ordering: .relaxed)
    clock.advance(by: .seconds(1))
    let late = fired.load(ordering: .relaxed)
    #expect(early == 0)
    #expect(late == 1)
  }

  @Test(arguments: [RepeatedKeyPolicy.join, .replace])
  func `A repeated key overwrites the first caller, who never gets an answer: here both do`(
    policy: RepeatedKeyPolicy
  ) async throws {
    let runner = TimeoutRunner<String, String>(
      .init(timeout: .seconds(10), repeatedKey: policy, timers: clock.timers))
    try submit("first", key: "host", to: runner)
    _ = await begun.next()
    try submit("second", key: "host", to: runner)
    semaphore.post(2)
    let answers = Set(await outcomes.next(2))
    #expect(
      answers
        == (policy == .join
          ? ["first: first", "second: first"] : ["first: TimeoutRunnerError", "second: second"]))
  }

  @Test(arguments: [RepeatedKeyPolicy.join, .replace])
  func
    `The stale entry of a repeated key times the second caller out early: here it has its own deadline`(
      policy: RepeatedKeyPolicy
    ) async throws
  {
    let runner = TimeoutRunner<String, String>(
      .init(timeout: .seconds(10), repeatedKey: policy, timers: clock.timers))
    try submit("first", key: "host", to: runner)
    _ = await begun.next()
    clock.advance(by: .seconds(6))
    try submit("second", key: "host", to: runner)
    clock.advance(by: .seconds(4))
    _ = await outcomes.next()
    #expect(runner.statistics.waiting == 1)
    clock.advance(by: .seconds(6) - .nanoseconds(1))
    #expect(runner.statistics.waiting == 1)
    clock.advance(by: .nanoseconds(1))
    #expect(await outcomes.next()?.hasPrefix("second: timed out") == true)
    semaphore.post(2)
  }

  @Test
  func `After a cleanup a new task is lost and the next tick traps: here the wheel keeps working`()
  {
    var wheel = TimingWheel<Int>()
    _ = wheel.schedule(1, at: 5)
    wheel.removeAll { _ in }
    _ = wheel.schedule(2, at: 7)
    var expired: [Int] = []
    wheel.advance(to: 10) { _, timer in expired.append(timer.payload) }
    #expect(expired == [2])
  }

  @Test func `After the end a new task is lost silently: here it is refused`() throws {
    let timers = TimerService(clock: clock)
    timers.shutDown()
    let timer = timers.schedule(after: .seconds(1)) {}
    #expect(!timer.isScheduled)
    let runner = TimeoutRunner<String, String>(.init(timeout: .seconds(1), timers: clock.timers))
    runner.shutDown()
    #expect(throws: TimeoutRunnerError.shutDown) { try submit("late", key: "late", to: runner) }
    clock.advance(by: .seconds(2))
  }

  @Test func `The timer never stops if there is nothing to do: here nothing wakes up`() {
    let timers = TimerService(clock: clock)
    timers.schedule(after: .seconds(1)) {}
    while clock.step() {}
    let fired = clock.now
    clock.advance(by: .seconds(3_600))
    let isWaiting = clock.step()
    #expect(fired.duration(to: clock.now) == .seconds(3_600))
    #expect(!isWaiting)
  }

  @Test func `Late results are dropped silently: here a handler gets them and they are counted`()
    async throws
  {
    let late = Events<String>()
    let runner = TimeoutRunner<String, String>(
      .init(timeout: .seconds(10), timers: clock.timers) { late.put($0.result.word) })
    try submit("slow", key: "host", to: runner)
    _ = await begun.next()
    clock.advance(by: .seconds(10))
    semaphore.post()
    #expect(await late.next() == "slow")
    #expect(runner.statistics.late == 1)
  }

  @Test func `Every task may take a thread, without a limit: here the threads are limited`()
    async throws
  {
    let runner = TimeoutRunner<String, String>(
      .init(timeout: .seconds(10), threads: 3, stuckLimit: 0, timers: clock.timers))
    let running = Atomic<Int>(0)
    let most = Atomic<Int>(0)
    for number in 0..<200 {
      try runner.submit("host-\(number)") { [begun, semaphore] in
        let now = running.add(1, ordering: .sequentiallyConsistent).newValue
        most.max(now, ordering: .sequentiallyConsistent)
        begun.put("\(number)")
        semaphore.wait()
        running.subtract(1, ordering: .sequentiallyConsistent)
        return "done"
      } completion: { [outcomes] in
        outcomes.put($0.word)
      }
    }
    _ = await begun.next(3)
    #expect(runner.statistics.threads == 3)
    semaphore.post(200)
    #expect(await outcomes.next(200).allSatisfy { $0 == "done" })
    let peak = most.load(ordering: .relaxed)
    #expect(peak == 3)
  }
}
