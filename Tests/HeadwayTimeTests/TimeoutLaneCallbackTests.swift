import HeadwayTime
import Testing

/// Changes of a lane inside its callbacks.
struct TimeoutLaneCallbackTests {
  /// An error to throw.
  struct Refusal: Error, Equatable {}

  /// A lane with timers that are all due at tick 1.
  ///
  /// - Parameter count: The number of timers, which are numbered from 0.
  /// - Returns: The lane and the handles of its timers.
  private func lane(
    of count: Int
  ) -> (box: TestLane<Int>, handles: [TimeoutLane<Int>.Handle]) {
    let box = TestLane<Int>(duration: 1)
    return (box, (0..<count).map { box.schedule($0, now: 0) })
  }

  @Test func `A callback can cancel a timer that is due in the same advance`() {
    let (box, handles) = lane(of: 4)
    var seen: [Int] = []
    box.advance(to: 1) { lane, expired in
      seen.append(expired.payload)
      if expired.payload == 0 {
        let payloads = [lane.cancel(handles[1]), lane.cancel(handles[3])]
        #expect(payloads == [1, 3])
      }
    }
    #expect(seen == [0, 2])
  }

  @Test func `A callback finds its own handle stale`() {
    let (box, handles) = lane(of: 1)
    box.advance(to: 1) { lane, _ in
      let payload = lane.cancel(handles[0])
      #expect(payload == nil)
      let isArmed = lane.restart(handles[0], now: 1)
      #expect(!isArmed)
      let count = lane.count
      #expect(count == 0)
    }
  }

  @Test func `A callback can restart a timer that is due in the same advance`() {
    let (box, handles) = lane(of: 3)
    var seen: [Int] = []
    box.advance(to: 9) { lane, expired in
      seen.append(expired.payload)
      guard expired.payload == 0 else { return }
      let isArmed = lane.restart(handles[1], now: 9)
      #expect(isArmed)
    }
    #expect(seen == [0, 2])
    #expect(box.deadline(of: handles[1]) == 10)
    #expect(box.payloads(upTo: 10) == [1])
  }

  @Test func `A callback can schedule timers endlessly`() {
    let (box, _) = lane(of: 3)
    for tick in 1...1000 {
      var seen = 0
      box.advance(to: UInt64(tick)) { lane, expired in
        seen += 1
        lane.schedule(expired.payload, now: UInt64(tick))
      }
      #expect(seen == 3)
    }
    #expect(box.count == 3)
    #expect(box.invariantViolation() == nil)
  }

  @Test func `A later tick from a callback does not extend the advance`() {
    let box = TestLane<Int>(duration: 10)
    box.schedule(0, now: 0)
    box.schedule(1, now: 5)
    var seen: [Int] = []
    box.advance(to: 10) { lane, expired in
      seen.append(expired.payload)
      lane.schedule(2, now: 100)
    }
    #expect(seen == [0])
    #expect(box.payloads(upTo: 0) == [1])
    #expect(box.nextExpiry == 110)
  }

  @Test func `A timer that a callback schedules waits even if the ring is compacted`() {
    let box = TestLane<Int>(duration: 0)
    let handles = (0..<1000).map { box.schedule($0, now: 0) }
    var seen: [Int] = []
    box.advance(to: 0) { lane, expired in
      seen.append(expired.payload)
      guard expired.payload == 0 else { return }
      for number in 1000..<1005 { lane.schedule(number, now: 0) }
      let before = lane.entryCount
      for number in 1..<1000 where number % 10 != 0 { lane.cancel(handles[number]) }
      let after = lane.entryCount
      #expect(after < before / 2)
      for number in 1005..<1010 { lane.schedule(number, now: 0) }
    }
    #expect(seen == Array(stride(from: 0, to: 1000, by: 10)))
    #expect(box.payloads(upTo: 0) == Array(1000..<1010))
  }

  @Test func `A throw loses only the timer that had expired`() {
    let (box, _) = lane(of: 4)
    var seen: [Int] = []
    #expect(throws: Refusal()) {
      try box.advance(to: 1) { _, expired throws(Refusal) in
        seen.append(expired.payload)
        if expired.payload == 1 { throw Refusal() }
      }
    }
    #expect(box.count == 2)
    #expect(box.nextExpiry == 1)
    #expect(box.payloads(upTo: 1) == [2, 3])
    #expect(seen == [0, 1])
  }

  @Test func `A callback can assign another lane to the one that calls it`() {
    let (box, handles) = lane(of: 100)
    var seen: [Int] = []
    let progress = box.advance(to: 1) { lane, expired in
      seen.append(expired.payload)
      lane = TimeoutLane(duration: 0, now: 1)
      lane.schedule(7, now: 1)
    }
    #expect(progress == .caughtUp)
    #expect(seen == [0])
    #expect(box.deadline(of: handles[99]) == nil)
    #expect(box.payloads(upTo: 1) == [7])
  }

  @Test func `A lane that a callback moved away continues where it is`() {
    let (box, _) = lane(of: 3)
    let store = TestLane<Int>(duration: 5)
    store.schedule(7, now: 0)
    var seen: [Int] = []
    box.advance(to: 1) { lane, expired in
      seen.append(expired.payload)
      swap(&lane, &store.value)
    }
    #expect(seen == [0])
    #expect(store.payloads(upTo: 1) == [1, 2])
    #expect(box.payloads(upTo: 5) == [7])
  }

  @Test func `A lane that a callback assigned is not advanced by the running call`() {
    let (box, _) = lane(of: 3)
    let other = TestLane<Int>(duration: 5)
    other.schedule(7, now: 0)
    #expect(other.payloads(upTo: 1) == [])
    var seen: [Int] = []
    box.advance(to: 100) { lane, expired in
      seen.append(expired.payload)
      swap(&lane, &other.value)
    }
    #expect(seen == [0])
    #expect(box.payloads(upTo: 100) == [7])
  }

  @Test func `A lane can be advanced again after a throw`() {
    let (box, _) = lane(of: 2)
    for _ in 0..<2 {
      #expect(throws: Refusal()) {
        try box.advance(to: 1) { _, _ throws(Refusal) in throw Refusal() }
      }
    }
    #expect(box.count == 0)
  }

  @Test func `An advance inside a callback of the same lane traps`() async {
    await #expect(processExitsWith: .failure) {
      var lane = TimeoutLane<Int>(duration: 1)
      lane.schedule(1, now: 0)
      lane.advance(to: 1) { lane, _ in lane.advance(to: 2) { _, _ in } }
    }
  }
}
