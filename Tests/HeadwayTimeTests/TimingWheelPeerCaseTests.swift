import HeadwayTime
import Repetitions
import Testing

/// Cases from the test suites of other timers; a comment names the source of each.
struct TimingWheelPeerCaseTests {
  // MARK: Random walks

  /// The ranges of a random walk.
  struct Walk: CustomTestStringConvertible, Sendable {
    /// The magnitude of the farthest deadline.
    var range: Int
    /// The magnitude of the longest step.
    var step: Int
    /// The number of rounds in which one of them cancels a timer.
    var cancels: Int

    /// The parameters of the walk.
    var testDescription: String { "deadlines to 2^\(range), steps to 2^\(step)" }
  }

  // wahern check_randomized, its four configurations.
  @Test(arguments: [
    Walk(range: 10, step: 4, cancels: 8), Walk(range: 20, step: 12, cancels: 4),
    Walk(range: 36, step: 30, cancels: 4), Walk(range: 52, step: 48, cancels: 2),
  ])
  func `In a random walk each timer expires between the previous step and the current one`(
    walk: Walk
  ) {
    var random = WheelRandom(seed: UInt64(walk.range))
    let box = TestWheel<Int>()
    var armed: [Int: (handle: TimingWheel<Int>.Handle, deadline: UInt64)] = [:]
    var ended = 0
    for number in 0..<4000 {
      let deadline = box.now + 1 + random.next() >> UInt64(64 - walk.range)
      armed[number] = (box.schedule(number, at: deadline), deadline)
      let victim = number - Int.random(in: 0..<200, using: &random)
      if number % walk.cancels == 0, let timer = armed.removeValue(forKey: victim) {
        #expect(box.cancel(timer.handle) == victim)
        ended += 1
      }
      let last = box.now
      let target = last + random.next() >> UInt64(64 - walk.step)
      let first = box.nextExpiry ?? .max
      box.advance(to: target) { wheel, timer in
        if armed[timer.payload]?.deadline != wheel.now || wheel.now < max(first, last) {
          Issue.record("\(timer) expired at \(wheel.now), after \(last), first \(first)")
        }
        armed[timer.payload] = nil
        ended += 1
      }
    }
    box.advance(to: .max) { _, timer in
      if armed.removeValue(forKey: timer.payload) != nil { ended += 1 }
    }
    #expect(ended == 4000)
    #expect(box.isEmpty)
  }

  // wahern check_intervals: primes, factors of 1337, multiples of 5, each also with steps skipped.
  @Test(arguments: [
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 541], [1, 7, 191, 1337], [5, 10, 15, 20, 500],
  ])
  func `Recurring timers expire as often as their intervals say`(intervals: [UInt64]) {
    for skip in [1, 7, 300, 10_000] as [UInt64] {
      let box = TestWheel<Int>(now: 1000)
      var fired = intervals.map { _ in 0 }
      for (place, interval) in intervals.enumerated() { box.schedule(place, at: 1000 + interval) }
      while box.now < 11_000 {
        box.advance(to: box.now + skip) { wheel, timer in
          fired[timer.payload] += 1
          wheel.schedule(timer.payload, at: timer.deadline + intervals[timer.payload])
        }
      }
      let elapsed = box.now - 1000
      #expect(fired == intervals.map { Int(elapsed / $0) })
    }
  }

  // MARK: One timer

  // ratas single_timer_hierarchy: a timer goes down through the levels; tokio process_levels_targeted.
  @Test func `A timer that moves down through all levels stays scheduled until its tick`() {
    let box = TestWheel<Int>()
    let deadline: UInt64 = 0x0304_0506
    let handle = box.schedule(7, at: deadline)
    for tick in [0x0300_0000, 0x0303_FFFF, 0x0304_0000, 0x0304_04FF, 0x0304_0500, 0x0304_0505] {
      #expect(box.payloads(upTo: UInt64(tick)) == [])
      #expect(box.deadline(of: handle) == deadline)
      #expect(box.nextExpiry == deadline)
    }
    #expect(box.payloads(upTo: deadline) == [7])
  }

  // ratas ticks_to_next_event, Caffeine getExpirationDelay_*: from many positions of the wheel.
  @Test func `The next expiry of a single timer is exact at any current tick`() {
    var random = WheelRandom(seed: 9)
    for _ in 0..<2000 {
      let box = TestWheel<Int>(now: random.next() >> UInt64(Int.random(in: 1..<60, using: &random)))
      let distance = random.next() >> UInt64(Int.random(in: 2..<64, using: &random))
      let deadline = box.now + distance + 1
      box.schedule(1, at: deadline)
      if box.nextExpiry != deadline { Issue.record("\(deadline) from \(box.now)") }
      let target = box.now + distance / 2
      box.advance(to: target) { _, _ in Issue.record("\(deadline) came at \(target)") }
      if box.nextExpiry != deadline { Issue.record("\(deadline) from \(box.now)") }
    }
  }

  // tokio process_levels_targeted: 193, looked at from 62 and 192.
  @Test func `A timer does not expire in an advance that stops just before its slot`() {
    let box = TestWheel<Int>(shape: WheelShape(bits: 6, levels: 5))
    box.schedule(1, at: 193)
    for tick in [62, 192, 192] as [UInt64] {
      #expect(box.payloads(upTo: tick) == [])
      #expect(box.nextExpiry == 193)
    }
    #expect(box.payloads(upTo: 193) == [1])
  }

  // tokio process_levels, DelayQueue multi_immediate_delays: one timer for each tick.
  @Test(arguments: [1, 2, 6, 8])
  func `A timer on each tick expires on each tick`(bits: Int) {
    let box = TestWheel<UInt64>(shape: WheelShape(bits: bits, levels: 4))
    for tick in 0..<1024 as Range<UInt64> { box.schedule(tick, at: tick) }
    for tick in 0..<1024 as Range<UInt64> { #expect(box.ticks(upTo: tick) == [tick]) }
  }

  // tokio multi_long_sleeps, very_large_timeout: one after the other, each past the reach of the levels.
  @Test func `Distant timers in sequence expire on their ticks`() {
    let box = TestWheel<Int>(now: 1)
    for round in 1...20 {
      let deadline = box.now + 1 << 36 + UInt64(round)
      box.schedule(round, at: deadline)
      #expect(box.wake(atMost: 9).joined().elementsEqual([round]))
      #expect(box.now == deadline)
    }
  }

  // Netty testOverflow, Go TestOverflowSleep, Caffeine advance_overflow: farther than any clock goes.
  @Test func `A timer beyond the range of a clock does not expire at once`() {
    let box = TestWheel<Int>(now: 1000)
    let handles = [1 << 62, 1 << 63, .max - 1000, .max - 1].map { box.schedule(1, at: $0) }
    #expect(box.payloads(upTo: 1 << 50) == [])
    for handle in handles { #expect(box.cancel(handle) == 1) }
    #expect(box.nextExpiry == nil)
  }

  // MARK: Moving

  // tokio reset_future, DelayQueue reset_entry, Go TestReset.
  @Test func `A timer that was moved expires only at its new tick`() {
    for tick in [1, 49, 50, 51, 200, 300, 100_000, 1 << 34] as [UInt64] {
      let box = TestWheel<Int>()
      let handle = box.schedule(1, at: 50)
      #expect(box.reschedule(handle, to: tick))
      #expect(box.nextExpiry ?? .max <= tick)
      #expect(box.ticks(upTo: 1 << 35) == [tick])
    }
  }

  // tokio drop_after_reschedule_at_new_scheduled_time.
  @Test func `A timer can be moved, reached and cancelled together with its neighbours`() {
    let box = TestWheel<Int>()
    let handles = [3, 4, 3].map { box.schedule(1, at: $0) }
    box.reschedule(handles[0], to: 4)
    #expect(box.ticks(upTo: 3) == [3])
    #expect(box.cancel(handles[0]) == 1)
    #expect(box.cancel(handles[1]) == 1)
    #expect(box.ticks(upTo: 10) == [])
  }

  // DelayQueue remove_at_timer_wheel_threshold.
  @Test func `A timer in the last slot of a level can be removed after its neighbour expired`() {
    let box = TestWheel<Int>(shape: WheelShape(bits: 6, levels: 4))
    let handles = [64, 64].map { box.schedule(1, at: $0) }
    #expect(box.ticks(upTo: 63) == [])
    #expect(box.cancel(handles[1]) == 1)
    #expect(box.ticks(upTo: 80) == [64])
    #expect(box.cancel(handles[0]) == nil)
    #expect(box.brokenInvariants() == [])
  }

  // DelayQueue reset_later_after_slot_starts and reset_earlier_after_slot_starts.
  @Test(
    arguments: [(1600, 1500), (1600, 1560), (1500, 1600), (1536, 1535), (1536, 1537)]
      as [(UInt64, UInt64)])
  func `A timer can be moved after the slot that holds it has begun`(from: UInt64, to: UInt64) {
    for bits in [6, 8] {
      let box = TestWheel<Int>(now: 10, shape: WheelShape(bits: bits, levels: 4))
      let handle = box.schedule(1, at: from)
      #expect(box.ticks(upTo: min(from, to) - 20) == [])
      box.reschedule(handle, to: to)
      #expect(box.nextExpiry ?? .max <= to)
      #expect(box.ticks(upTo: to - 1) == [])
      #expect(box.ticks(upTo: to) == [to])
    }
  }

  // DelayQueue repeatedly_reset_entry_inserted_as_expired.
  @Test func `A timer that was scheduled late can be moved many times`() {
    let box = TestWheel<Int>(now: 500)
    let handle = box.schedule(1, at: 400)
    for tick in [300, 520, 100, 700, 510, 501, 600] as [UInt64] {
      #expect(box.reschedule(handle, to: tick))
      #expect(box.nextExpiry == max(tick, 500))
      #expect(box.brokenInvariants() == [])
    }
    #expect(box.ticks(upTo: 599) == [])
    #expect(box.ticks(upTo: 1000) == [600])
  }

  // DelayQueue expire_first_key_when_reset_to_expire_earlier, reset_inserted_expired.
  @Test func `Of two timers the one that is moved before the other expires first`() {
    let box = TestWheel<Int>()
    let first = box.schedule(1, at: 200)
    let second = box.schedule(2, at: 250)
    box.reschedule(second, to: 100)
    #expect(box.payloads(upTo: 150) == [2])
    box.reschedule(first, to: 151)
    #expect(box.payloads(upTo: 151) == [1])
  }

  // DelayQueue item_expiry_greater_than_wheel: past the last level while a near timer is alive.
  @Test func `A timer beyond the highest level waits next to near ones`() {
    for shape in [WheelShape(bits: 2, levels: 3), WheelShape(bits: 6, levels: 3), .full] {
      let box = TestWheel<Int>(shape: shape)
      box.schedule(1, at: 1 << 33)
      for round in 0..<50 {
        box.schedule(2, at: box.now + 10)
        #expect(box.payloads(upTo: box.now + 10) == [2], "in round \(round)")
      }
      #expect(box.payloads(upTo: 1 << 33) == [1])
    }
  }

  // MARK: Many timers

  // folly SlowFast and Level1: slow and fast timers do not disturb each other.
  @Test func `Slow and fast timers expire on their ticks`() {
    let box = TestWheel<UInt64>()
    let deadlines: [UInt64] = [10, 10, 100, 255, 256, 300, 605, 1024, 66_000]
    for deadline in deadlines { box.schedule(deadline, at: deadline) }
    var seen: [UInt64] = []
    for tick in stride(from: UInt64(0), through: 66_000, by: 5) { seen += box.ticks(upTo: tick) }
    #expect(seen == deadlines)
  }

  // Netty testTimerOverflowWheelLength, hash-wheel increasing_schedule_overflow: round and round a small
  // wheel.
  @Test(arguments: [1, 2, 3])
  func `A timer that reschedules itself goes around a small wheel many times`(bits: Int) {
    let box = TestWheel<UInt64>(shape: WheelShape(bits: bits, levels: 2))
    box.schedule(1, at: 1)
    var seen: [UInt64] = []
    box.advance(to: 20_000) { wheel, timer in
      if timer.deadline != wheel.now { Issue.record("\(timer) at \(wheel.now)") }
      seen.append(timer.payload)
      wheel.schedule(timer.payload + 1, at: timer.deadline + timer.payload)
    }
    #expect(seen == Array(1...200))
  }

  // Kafka testTaskExpiration with a wheel of three slots, hash-wheel increasing_skip.
  @Test(arguments: [1, 3, 40])
  func `Increasing deadlines expire in order in small wheels, whatever is skipped`(skip: UInt64) {
    for levels in 1...5 {
      let box = TestWheel<UInt64>(shape: WheelShape(bits: 2, levels: levels))
      let count = UInt64(repetitions(40, real: 100))
      for number in 0..<count { box.schedule(number * number, at: number * number) }
      var seen: [UInt64] = []
      while box.now < count * count { seen += box.payloads(upTo: box.now + skip) }
      #expect(seen == (0..<count).map { $0 * $0 })
    }
  }

  // Caffeine advance_boundedPerCycle_acrossBuckets.
  @Test func `A limited advance continues across slots`() {
    let box = TestWheel<Int>()
    for number in 0..<60 { box.schedule(number, at: 1 + UInt64(number)) }
    var seen: [Int] = []
    var calls = 0
    while box.advance(to: 100, limit: 7, expire: { _, timer in seen.append(timer.payload) })
      == .limitReached
    {
      calls += 1
      #expect(seen.count == calls * 7)
    }
    #expect(seen == Array(0..<60))
  }

  // NIO testScheduledTasksAreOrdered, Go TestAfterQueuing.
  @Test func `Timers expire in order, in whatever order they were scheduled`() {
    var random = WheelRandom(seed: 4)
    let deadlines = (1...3000).map { UInt64($0) * 37 }
    let box = TestWheel<UInt64>()
    for deadline in deadlines.shuffled(using: &random) { box.schedule(deadline, at: deadline) }
    #expect(box.payloads(upTo: 200_000) == deadlines)
  }

  // NIO testScheduledTaskThatIsImmediatelyCancelledNeverFires, DelayQueue wake_after_remove_last.
  @Test func `A timer that is cancelled at once never expires and does not affect the next expiry`()
  {
    let box = TestWheel<Int>()
    for deadline in [0, 5, 300, 1 << 20, 1 << 40] as [UInt64] {
      let handle = box.schedule(1, at: deadline)
      #expect(box.cancel(handle) == 1)
      #expect(box.nextExpiry == nil)
    }
    #expect(box.payloads(upTo: 1 << 41) == [])
  }
}
