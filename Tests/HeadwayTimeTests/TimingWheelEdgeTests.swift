import HeadwayTime
import Testing

/// Edge cases, one for each test.
struct TimingWheelEdgeTests {
  // MARK: Late timers

  @Test func `A timer without delay expires in the next advance, not when it is scheduled`() {
    let box = TestWheel<Int>(now: 9)
    box.schedule(1, at: 9)
    #expect(box.count == 1)
    #expect(box.nextExpiry == 9)
    #expect(box.payloads(upTo: 9) == [1])
    #expect(box.nextExpiry == nil)
  }

  // Kafka testAlreadyExpiredTask: delays of -5 to -1.
  @Test func `Timers whose deadline has passed expire in the next advance`() {
    let box = TestWheel<UInt64>(now: 5)
    for tick in 0...4 as ClosedRange<UInt64> { box.schedule(tick, at: tick) }
    #expect(box.nextExpiry == 5)
    #expect(box.payloads(upTo: 5).sorted() == [0, 1, 2, 3, 4])
  }

  @Test func `A callback gets the deadline of a late timer`() {
    let box = TestWheel<Int>(now: 100)
    box.schedule(1, at: 40)
    var deadlines: [UInt64] = []
    box.advance(to: 200) { _, timer in deadlines.append(timer.deadline) }
    #expect(deadlines == [40])
  }

  @Test func `Late timers expire before the others`() {
    let box = TestWheel<Int>(now: 100)
    box.schedule(2, at: 101)
    box.schedule(1, at: 40)
    #expect(box.payloads(upTo: 101) == [1, 2])
  }

  @Test
  func `In a backlog, late timers of each call expire before further timers of the same tick`() {
    let box = TestWheel<String>()
    // From 0 it is in a slot of the second level, and the others of its tick in one of the first.
    box.schedule("far", at: 256)
    box.advance(to: 250) { _, _ in }
    for name in ["near 1", "near 2", "near 3"] { box.schedule(name, at: 256) }
    box.schedule("late 1", at: 5)
    var expired: [String] = []
    while !box.isEmpty {
      box.advance(to: 300, limit: 1) { _, timer in expired.append(timer.payload) }
      if expired.last == "far", box.count == 3 { box.schedule("late 2", at: 7) }
    }
    #expect(expired == ["late 1", "far", "late 2", "near 1", "near 2", "near 3"])
  }

  @Test func `A late timer that is moved to a later tick expires then`() {
    let box = TestWheel<Int>(now: 100)
    let handle = box.schedule(1, at: 40)
    box.schedule(2, at: 120)
    box.reschedule(handle, to: 110)
    #expect(box.nextExpiry == 110)
    #expect(box.payloads(upTo: 200) == [1, 2])
  }

  // tokio reset_sleep_to_past.
  @Test(arguments: [101, 255, 400, 70_000, 1 << 33] as [UInt64])
  func `A timer that is moved to the past expires in the next advance`(deadline: UInt64) {
    let box = TestWheel<Int>(now: 100)
    let handle = box.schedule(1, at: deadline)
    box.schedule(2, at: deadline)
    #expect(box.reschedule(handle, to: 3))
    #expect(box.deadline(of: handle) == 3)
    #expect(box.nextExpiry == 100)
    #expect(box.payloads(upTo: 100) == [1])
    #expect(box.payloads(upTo: deadline) == [2])
  }

  // MARK: Moving

  @Test func `A timer that is moved to an earlier tick expires then`() {
    for (from, to) in [
      (200, 20), (5000, 300), (1 << 20, 1 << 18), (1 << 40, 1 << 39), (1 << 40, 9),
    ] {
      let box = TestWheel<Int>()
      let handle = box.schedule(1, at: UInt64(from))
      #expect(box.reschedule(handle, to: UInt64(to)))
      #expect(box.nextExpiry == UInt64(to))
      #expect(box.payloads(upTo: UInt64(to) - 1) == [])
      #expect(box.payloads(upTo: UInt64(to)) == [1])
      #expect(box.payloads(upTo: UInt64(from)) == [])
    }
  }

  // Go TestTimerModifiedEarlier, TestAdjustTimers: many deadlines are shortened.
  @Test func `Many timers that are moved to earlier ticks all expire then`() {
    var random = WheelRandom(seed: 1)
    let box = TestWheel<Int>()
    let handles = (0..<5000).map { box.schedule($0, at: 1_000_000 + UInt64($0)) }
    var earlier: [Int: UInt64] = [:]
    for place in 0..<5000 where place % 5 != 0 {
      earlier[place] = random.next() % 100_000 + 1
      #expect(box.reschedule(handles[place], to: earlier[place] ?? 0))
    }
    var seen = 0
    box.advance(to: 100_000) { wheel, timer in
      seen += 1
      #expect(earlier[timer.payload] == wheel.now)
    }
    #expect(seen == 4000)
    #expect(box.payloads(upTo: 1_005_000) == Array(stride(from: 0, to: 5000, by: 5)))
  }

  @Test func `A timer that is postponed again and again expires only after the last time`() {
    let box = TestWheel<Int>()
    let handle = box.schedule(1, at: 30)
    for tick in 1...5_000 as ClosedRange<UInt64> {
      #expect(box.reschedule(handle, to: tick + 30))
      if tick % 7 == 0 { #expect(box.payloads(upTo: tick) == []) }
    }
    #expect(box.storedEntries == 1)
    #expect(box.nextExpiry == 5_030)
    #expect(box.payloads(upTo: 5_030) == [1])
  }

  @Test func `Moving a timer to its own deadline changes nothing`() {
    let box = TestWheel<Int>()
    let handle = box.schedule(1, at: 500)
    for _ in 0..<1000 { #expect(box.reschedule(handle, to: 500)) }
    #expect(box.storedEntries == 1)
    #expect(box.payloads(upTo: 500) == [1])
  }

  // MARK: Counts

  // Netty #14959: a timer that is cancelled in the tick in which it was scheduled.
  @Test func `The count is right after timers are scheduled and cancelled in one tick`() {
    let box = TestWheel<Int>()
    for round in 1...100 {
      let handles = (0..<round).map { box.schedule($0, at: UInt64($0 * $0 * 1000)) }
      #expect(box.count == round)
      for (place, handle) in handles.enumerated() {
        box.cancel(handle)
        box.cancel(handle)
        #expect(box.count == round - place - 1)
      }
      #expect(box.isEmpty)
      #expect(box.nextExpiry == nil)
    }
    #expect(box.payloads(upTo: 10_000_000) == [])
  }

  // Netty testPendingTimeoutsShouldBeCountedCorrectly…
  @Test func `The count falls by one with each timer that expires`() {
    let box = TestWheel<Int>()
    for number in 0..<100 { box.schedule(number, at: UInt64(number / 10)) }
    var expected = 100
    box.advance(to: 50) { wheel, _ in
      expected -= 1
      let count = wheel.count
      #expect(count == expected)
    }
    #expect(expected == 0)
  }

  // MARK: Limits

  @Test func `A million timers on one tick expire a hundred at a time`() {
    let box = TestWheel<Int32>()
    for number in 0..<1_000_000 as Range<Int32> { box.schedule(number, at: 77) }
    box.schedule(-1, at: 78)
    var sum = 0
    var calls = 0
    var result = AdvanceResult.limitReached
    while result == .limitReached {
      var handed = 0
      result = box.advance(to: 80, limit: 100) { _, timer in
        handed += 1
        sum += Int(timer.payload)
      }
      calls += 1
      if handed > 100 { Issue.record("\(handed) were handed out") }
    }
    #expect(sum == 999_999 * 500_000 - 1)
    #expect(calls <= 10_002)
    #expect(box.isEmpty)
    #expect(box.now == 80)
  }

  @Test(arguments: [1, 2, 3, 30, 31, 32, 100])
  func `A limit bounds the work of an advance, and no timer is lost`(limit: Int) {
    let box = TestWheel<Int>()
    for number in 0..<200 { box.schedule(number, at: 66_000 + UInt64(number / 50)) }
    var seen: [Int] = []
    var results: [AdvanceResult] = []
    repeat {
      let before = seen.count
      results.append(
        box.advance(to: 70_000, limit: limit) { _, timer in seen.append(timer.payload) })
      #expect(seen.count - before <= limit)
      #expect(box.brokenInvariants() == [])
    } while results.last == .limitReached
    #expect(seen.sorted() == Array(0..<200))
    #expect(seen.map { $0 / 50 } == seen.map { $0 / 50 }.sorted())
    // Each timer moves twice and expires.
    #expect(results.count >= 3 * 200 / limit)
    #expect(box.now == 70_000)
  }

  @Test(arguments: [0, -1, .min])
  func `A limit below 1 counts as 1`(limit: Int) {
    let box = TestWheel<Int>()
    for number in 0..<2 { box.schedule(number, at: 1) }
    var seen: [Int] = []
    let result = box.advance(to: 1, limit: limit) { _, timer in seen.append(timer.payload) }
    #expect(result == .limitReached)
    #expect(seen == [0])
  }

  @Test func `A limit that is just large enough is not reached`() {
    let box = TestWheel<Int>()
    for number in 0..<40 { box.schedule(number, at: 1) }
    #expect(box.advance(to: 1, limit: 40) { _, _ in } == .caughtUp)
    #expect(box.isEmpty)
  }

  // ratas maxexec: timers are scheduled in the middle of a tick that was cut short.
  @Test func `Timers that are scheduled after a limit cut an advance short expire on time`() {
    let box = TestWheel<Int>()
    for number in 0..<10 { box.schedule(number, at: 5) }
    var seen: [Int] = []
    #expect(
      box.advance(to: 20, limit: 4) { _, timer in seen.append(timer.payload) } == .limitReached)
    #expect(box.now == 5)
    #expect(box.nextExpiry == 5)
    box.schedule(10, at: 5)
    box.schedule(11, at: 6)
    box.schedule(12, at: 3)
    #expect(
      box.advance(to: 20, limit: 4) { _, timer in seen.append(timer.payload) } == .limitReached)
    #expect(box.advance(to: 20) { _, timer in seen.append(timer.payload) } == .caughtUp)
    #expect(seen == Array(0..<10) + [10, 12, 11])
  }

  @Test func `A timer that reschedules itself without delay does not block a limited advance`() {
    let box = TestWheel<Int>()
    box.schedule(0, at: 1)
    box.schedule(1, at: 3)
    var seen: [Int] = []
    for _ in 0..<20 {
      box.advance(to: 3, limit: 1) { wheel, timer in
        seen.append(timer.payload)
        if timer.payload == 0 { wheel.schedule(0, at: 0) }
      }
    }
    #expect(seen.contains(1))
    #expect(seen.count <= 20)
    #expect(box.count == 1)
    #expect(box.now == 3)
  }

  @Test func `A wheel can be sent to another thread when its payloads can`() {
    /// Accepts `Sendable` types.
    func accept<Value: Sendable & ~Copyable>(_ type: Value.Type) -> Bool { true }
    #expect(accept(TimingWheel<String>.self))
  }
}
