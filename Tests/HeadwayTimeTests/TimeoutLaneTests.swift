import HeadwayTime
import Testing

/// The guarantees of a lane, one for each test; `TimeoutLaneModelTests` combines them.
struct TimeoutLaneTests {
  @Test func `A timer expires at its deadline and not one tick before`() {
    let lane = TestLane<String>(duration: 30, now: 100)
    lane.schedule("a", now: 105)
    #expect(lane.payloads(upTo: 134) == [])
    #expect(lane.payloads(upTo: 135) == ["a"])
    #expect(lane.payloads(upTo: 1000) == [])
  }

  @Test func `Timers expire in the order of their deadlines`() {
    let lane = TestLane<Int>(duration: 10)
    for tick in 0..<8 { lane.schedule(tick, now: UInt64(tick)) }
    #expect(lane.payloads(upTo: 14) == Array(0..<5))
    #expect(lane.payloads(upTo: 500) == Array(5..<8))
  }

  @Test func `Timers with the same deadline expire in the order of scheduling`() {
    let lane = TestLane<Int>(duration: 5)
    for number in 0..<100 { lane.schedule(number, now: 7) }
    #expect(lane.payloads(upTo: 12) == Array(0..<100))
  }

  @Test func `A callback gets the deadline, however late the advance is`() {
    let lane = TestLane<Void>(duration: 5)
    lane.schedule((), now: 2)
    lane.schedule((), now: 4)
    var deadlines: [UInt64] = []
    lane.advance(to: 1000) { _, expired in deadlines.append(expired.deadline) }
    #expect(deadlines == [7, 9])
  }

  @Test func `The next expiry is exact whichever timers are cancelled or restarted`() {
    let lane = TestLane<Int>(duration: 10)
    #expect(lane.nextExpiry == nil)
    let handles = (0..<5).map { lane.schedule($0, now: UInt64($0)) }
    #expect(lane.nextExpiry == 10)
    lane.cancel(handles[1])
    #expect(lane.nextExpiry == 10)
    lane.cancel(handles[0])
    #expect(lane.nextExpiry == 12)
    #expect(lane.restart(handles[3], now: 4))
    #expect(lane.restart(handles[2], now: 6))
    #expect(lane.nextExpiry == 14)
    lane.cancel(handles[4])
    #expect(lane.nextExpiry == 14)
    lane.cancel(handles[3])
    #expect(lane.nextExpiry == 16)
    lane.cancel(handles[2])
    #expect(lane.nextExpiry == nil)
  }

  @Test func `The count is exact`() {
    let lane = TestLane<Int>(duration: 10)
    #expect(lane.count == 0)
    let handles = (0..<5).map { lane.schedule($0, now: 0) }
    #expect(lane.count == 5)
    lane.cancel(handles[2])
    #expect(lane.count == 4)
    #expect(lane.restart(handles[1], now: 5))
    #expect(lane.count == 4)
    lane.advance(to: 10) { _, _ in }
    #expect(lane.count == 1)
    lane.cancel(handles[1])
    #expect(lane.count == 0)
  }

  // MARK: Handles

  @Test func `Cancelling returns the payload once`() {
    let lane = TestLane<String>(duration: 10)
    let handle = lane.schedule("a", now: 0)
    #expect(lane.cancel(handle) == "a")
    #expect(lane.cancel(handle) == nil)
    #expect(lane.payloads(upTo: 50) == [])
  }

  @Test func `A handle is stale once its timer has expired`() {
    let lane = TestLane<String>(duration: 10)
    let handle = lane.schedule("a", now: 0)
    lane.advance(to: 10) { _, _ in }
    #expect(lane.cancel(handle) == nil)
    #expect(!lane.restart(handle, now: 11))
    #expect(lane.deadline(of: handle) == nil)
    #expect(lane.count == 0)
  }

  @Test func `A stale handle does not affect the timer that reuses its slot`() {
    let lane = TestLane<String>(duration: 10)
    let stale = lane.schedule("a", now: 0)
    lane.cancel(stale)
    let handle = lane.schedule("b", now: 1)
    #expect(stale != handle)
    #expect(lane.cancel(stale) == nil)
    #expect(!lane.restart(stale, now: 5))
    #expect(lane.deadline(of: stale) == nil)
    #expect(lane.deadline(of: handle) == 11)
    #expect(lane.payloads(upTo: 11) == ["b"])
  }

  @Test func `A handle of a lane with more timers is stale in this one`() {
    let other = TestLane<Int>(duration: 10)
    let handles = (0..<100).map { other.schedule($0, now: 0) }
    let lane = TestLane<Int>(duration: 10)
    lane.schedule(1, now: 0)
    #expect(lane.cancel(handles[99]) == nil)
    #expect(lane.deadline(of: handles[50]) == nil)
    #expect(lane.count == 1)
  }

  @Test func `No handle of a slot is reused after its generations are used up`() {
    let lane = TestLane<Int>(duration: 10, now: 0, generationLimit: 6)
    var handles: [TimeoutLane<Int>.Handle] = []
    for number in 0..<100 {
      let handle = lane.schedule(number, now: 0)
      for stale in handles { #expect(lane.cancel(stale) == nil) }
      handles.append(handle)
      if number % 2 == 0 {
        lane.cancel(handle)
      } else {
        lane.advance(to: lane.now + 10) { _, _ in }
      }
    }
    #expect(Set(handles).count == 100)
    #expect(lane.invariantViolation() == nil)
  }

  @Test func `A handle takes 8 bytes`() {
    #expect(MemoryLayout<TimeoutLane<String>.Handle>.size == 8)
  }

  // MARK: Restarting

  @Test func `A restarted timer waits its full duration again, and its handle stays valid`() {
    let lane = TestLane<String>(duration: 10)
    let handle = lane.schedule("a", now: 0)
    for tick in 1...1000 { #expect(lane.restart(handle, now: UInt64(tick) * 9)) }
    #expect(lane.deadline(of: handle) == 9010)
    #expect(lane.payloads(upTo: 9009) == [])
    #expect(lane.payloads(upTo: 9010) == ["a"])
  }

  @Test func `A restarted timer expires after those that were scheduled before`() {
    let lane = TestLane<String>(duration: 10)
    let handle = lane.schedule("a", now: 0)
    lane.schedule("b", now: 3)
    #expect(lane.restart(handle, now: 3))
    #expect(lane.payloads(upTo: 13) == ["b", "a"])
  }

  @Test func `A second restart in the same tick adds no entry`() {
    let lane = TestLane<String>(duration: 10)
    let handle = lane.schedule("a", now: 0)
    lane.schedule("b", now: 0)
    let bytes = lane.memoryFootprint
    for _ in 0..<10_000 { #expect(lane.restart(handle, now: 0)) }
    #expect(lane.memoryFootprint == bytes)
    #expect(lane.payloads(upTo: 10) == ["a", "b"])
  }

  // MARK: Time

  @Test func `An earlier tick counts as the latest one`() {
    let lane = TestLane<String>(duration: 10, now: 100)
    let first = lane.schedule("a", now: 50)
    #expect(lane.deadline(of: first) == 110)
    let second = lane.schedule("b", now: 105)
    #expect(lane.restart(first, now: 60))
    #expect(lane.deadline(of: first) == 115)
    #expect(lane.deadline(of: second) == 115)
    #expect(lane.payloads(upTo: 1) == [])
    #expect(lane.now == 105)
  }

  @Test(arguments: [UInt64.max - 1, 1 << 63, 1] as [UInt64])
  func `A deadline beyond the last tick becomes the last tick`(now: UInt64) {
    let lane = TestLane<String>(duration: .max)
    let handle = lane.schedule("a", now: now)
    #expect(lane.deadline(of: handle) == .max)
    #expect(lane.payloads(upTo: .max - 1) == [])
    #expect(lane.payloads(upTo: .max) == ["a"])
  }

  @Test func `A timer that a callback schedules at the last tick waits for the next advance`() {
    let lane = TestLane<Int>(duration: 10, now: .max - 5)
    lane.schedule(0, now: .max)
    for round in 0..<3 {
      var seen: [Int] = []
      lane.advance(to: .max) { lane, expired in
        seen.append(expired.payload)
        lane.schedule(expired.payload + 1, now: .max)
      }
      #expect(seen == [round])
    }
  }

  @Test func `With duration 0 a timer expires in the next advance, and so does its successor`() {
    let lane = TestLane<Int>(duration: 0)
    lane.schedule(0, now: 7)
    for round in 0..<3 {
      var seen: [Int] = []
      lane.advance(to: 7) { lane, expired in
        seen.append(expired.payload)
        lane.schedule(expired.payload + 1, now: 7)
      }
      #expect(seen == [round])
      #expect(lane.nextExpiry == 7)
    }
  }

  @Test func `A jump to the last tick expires all timers in order`() {
    let lane = TestLane<Int>(duration: 1 << 40)
    for number in 0..<1000 { lane.schedule(number, now: UInt64(number) << 20) }
    #expect(lane.payloads(upTo: .max) == Array(0..<1000))
  }

  // MARK: Limits

  @Test func `A limit leaves due timers to the next call`() {
    let lane = TestLane<Int>(duration: 1)
    for number in 0..<10 { lane.schedule(number, now: 0) }
    lane.schedule(10, now: 5)
    var seen: [Int] = []
    var told: [AdvanceResult] = []
    for _ in 0..<3 {
      told.append(lane.advance(to: 5, limit: 4) { _, expired in seen.append(expired.payload) })
      #expect(lane.invariantViolation() == nil)
    }
    #expect(told == [.limitReached, .limitReached, .caughtUp])
    #expect(seen == Array(0..<10))
  }

  @Test func `A limit that is just large enough is not reached`() {
    let lane = TestLane<Int>(duration: 1)
    for number in 0..<4 { lane.schedule(number, now: 0) }
    let progress = lane.advance(to: 1, limit: 4) { _, _ in }
    #expect(progress == .caughtUp)
  }

  @Test(arguments: [0, -1, .min])
  func `A limit below 1 counts as 1`(limit: Int) {
    let lane = TestLane<Int>(duration: 1)
    for number in 0..<2 { lane.schedule(number, now: 0) }
    var seen: [Int] = []
    let progress = lane.advance(to: 1, limit: limit) { _, expired in seen.append(expired.payload) }
    #expect(progress == .limitReached)
    #expect(seen == [0])
  }

  @Test func `A lane can be sent to another thread when its payloads can`() {
    /// Accepts `Sendable` types.
    func accept<Value: Sendable & ~Copyable>(_ type: Value.Type) -> Bool { true }
    #expect(accept(TimeoutLane<String>.self))
  }
}
