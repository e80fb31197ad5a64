import HeadwayTime
import Testing

/// Changes of a wheel inside its callbacks.
struct TimingWheelCallbackTests {
  /// An error to throw.
  struct Refusal: Error, Equatable {}

  /// A wheel with timers that are all due at tick 10.
  ///
  /// - Parameter count: The number of timers, which are numbered from 0.
  /// - Returns: The wheel and the handles of its timers.
  private func wheel(
    of count: Int
  ) -> (box: TestWheel<Int>, handles: [TimingWheel<Int>.Handle]) {
    let box = TestWheel<Int>()
    return (box, (0..<count).map { box.schedule($0, at: 10) })
  }

  // MARK: Cancelling

  @Test func `A callback finds its own handle stale`() {
    let (box, handles) = wheel(of: 1)
    box.advance(to: 10) { wheel, _ in
      let payload = wheel.cancel(handles[0])
      #expect(payload == nil)
      let isArmed = wheel.reschedule(handles[0], to: 20)
      #expect(!isArmed)
      let count = wheel.count
      #expect(count == 0)
    }
  }

  // tokio drop_from_wake: a waker that drops other timers of the slot that is being processed.
  @Test(arguments: [2, 31, 32, 33, 63, 100])
  func `A callback can cancel the next timer of its slot`(count: Int) {
    let (box, handles) = wheel(of: count)
    var seen: [Int] = []
    box.advance(to: 10) { wheel, timer in
      seen.append(timer.payload)
      guard timer.payload + 1 < count else { return }
      let payload = wheel.cancel(handles[timer.payload + 1])
      #expect(payload == timer.payload + 1)
    }
    #expect(seen == Array(stride(from: 0, to: count, by: 2)))
    #expect(box.isEmpty)
  }

  @Test func `A callback can cancel all timers that are due with its own`() {
    let (box, handles) = wheel(of: 1000)
    var seen: [Int] = []
    box.advance(to: 10) { wheel, timer in
      seen.append(timer.payload)
      for handle in handles { wheel.cancel(handle) }
    }
    #expect(seen == [0])
    #expect(box.isEmpty)
    #expect(box.brokenInvariants() == [])
  }

  @Test func `A timer that expired in this advance cannot be cancelled any more`() {
    let (box, handles) = wheel(of: 40)
    box.advance(to: 10) { wheel, timer in
      for handle in handles[0...timer.payload] {
        let payload = wheel.cancel(handle)
        #expect(payload == nil)
      }
      let count = wheel.count
      #expect(count == 39 - timer.payload)
    }
  }

  // MARK: Scheduling

  // folly TestSchedulingWithinCallback, Go TestReset: a timer that reschedules itself.
  @Test func `A timer that a callback schedules for a later tick of the advance expires in it`() {
    let (box, _) = wheel(of: 1)
    var seen: [UInt64] = []
    box.advance(to: 100) { wheel, timer in
      seen.append(wheel.now)
      wheel.schedule(0, at: timer.deadline + 7)
    }
    #expect(seen == Array(stride(from: 10, through: 100, by: 7)))
    #expect(box.nextExpiry == 101)
  }

  // libuv's busy loop: a time-out of zero that starts itself again must not hold the loop up.
  @Test(arguments: [0, 9, 10] as [UInt64])
  func `A timer that a callback schedules for a passed tick waits for the next advance`(
    deadline: UInt64
  ) {
    let (box, _) = wheel(of: 100)
    for round in 0..<4 {
      var seen = 0
      box.advance(to: 10) { wheel, timer in
        seen += 1
        let first = wheel.schedule(timer.payload, at: deadline)
        let payload = wheel.cancel(first)
        #expect(payload == timer.payload)
        wheel.schedule(timer.payload, at: deadline)
      }
      #expect(seen == 100, "in round \(round)")
      #expect(box.brokenInvariants() == [])
    }
  }

  @Test func `A timer that is scheduled for a passed tick waits at most one tick`() {
    let (box, _) = wheel(of: 1)
    box.schedule(1, at: 12)
    var seen: [[UInt64]] = []
    box.advance(to: 13) { wheel, timer in
      seen.append([UInt64(timer.payload), wheel.now])
      if timer.payload == 0 { wheel.schedule(2, at: 10) }
    }
    #expect(seen == [[0, 10], [2, 12], [1, 12]])
  }

  @Test func `A new timer that reuses the node of a cancelled one does not expire in its place`() {
    let (box, handles) = wheel(of: 3)
    var seen: [Int] = []
    box.advance(to: 10) { wheel, timer in
      seen.append(timer.payload)
      guard timer.payload == 0 else { return }
      wheel.cancel(handles[2])
      wheel.schedule(7, at: 10)
    }
    #expect(seen == [0, 1])
    #expect(box.payloads(upTo: 10) == [7])
  }

  @Test
  func `A new timer that reuses the node of a cancelled late one does not expire in its place`() {
    let box = TestWheel<Int>(now: 10)
    let handles = (0..<3).map { box.schedule($0, at: 5) }
    var seen: [Int] = []
    box.advance(to: 10) { wheel, timer in
      seen.append(timer.payload)
      guard timer.payload == 0 else { return }
      wheel.cancel(handles[2])
      wheel.schedule(7, at: 5)
    }
    #expect(seen == [0, 1])
    #expect(box.payloads(upTo: 10) == [7])
  }

  // tokio reset_future, reset_earlier: the sleeper has to learn of an earlier deadline.
  @Test func `A timer that a callback schedules before all others expires next`() {
    let (box, _) = wheel(of: 1)
    box.schedule(1, at: 500_000)
    box.advance(to: 10) { wheel, _ in
      wheel.schedule(2, at: 12)
      let tick = wheel.nextExpiry
      #expect(tick == 12)
    }
    #expect(box.nextExpiry == 12)
  }

  // MARK: Moving

  // ratas reschedule_from_timer.
  @Test func `A callback can move a timer that is due with its own to a later tick`() {
    let (box, handles) = wheel(of: 50)
    var seen: [Int] = []
    box.advance(to: 20) { wheel, timer in
      seen.append(timer.payload)
      guard timer.payload % 2 == 0, timer.deadline == 10 else { return }
      let isArmed = wheel.reschedule(handles[timer.payload + 1], to: 15)
      #expect(isArmed)
    }
    let (even, odd) = (stride(from: 0, to: 50, by: 2), stride(from: 1, to: 50, by: 2))
    #expect(seen == Array(even) + Array(odd))
  }

  @Test func `A late timer that a callback schedules and moves expires in its new order`() {
    let (box, _) = wheel(of: 1)
    box.schedule(1, at: 50)
    var seen: [[UInt64]] = []
    box.advance(to: 100) { wheel, timer in
      seen.append([UInt64(timer.payload), wheel.now])
      guard timer.payload == 0 else { return }
      for (number, tick) in [20, 50, 100].enumerated() {
        let handle = wheel.schedule(2 + number, at: 0)
        wheel.reschedule(handle, to: UInt64(tick))
      }
    }
    #expect(seen.map { $0[1] } == [10, 20, 50, 50, 100])
    #expect(box.isEmpty)
  }

  @Test func `A callback can move a timer to the current tick and it expires in the next advance`()
  {
    let (box, _) = wheel(of: 1)
    let later = box.schedule(1, at: 300)
    var seen: [Int] = []
    box.advance(to: 10) { wheel, timer in
      seen.append(timer.payload)
      wheel.reschedule(later, to: 3)
    }
    #expect(seen == [0])
    #expect(box.nextExpiry == 10)
    #expect(box.payloads(upTo: 10) == [1])
  }

  @Test func `Reading the next expiry in a callback does not delay the timers of this tick`() {
    // At 256 the late timer expires first, while those of that tick are still in their slot.
    let box = TestWheel<Int>()
    box.schedule(0, at: 100)
    box.advance(to: 10) { _, _ in }
    let handles = (1...3).map { box.schedule($0, at: 256) }
    var seen: [Int] = []
    box.advance(to: 256) { wheel, timer in
      seen.append(timer.payload)
      switch timer.payload {
      case 0: wheel.schedule(4, at: 0)
      case 4:
        wheel.cancel(handles[0])
        let tick = wheel.nextExpiry
        #expect(tick == 256)
      default: break
      }
    }
    #expect(seen == [0, 4, 2, 3])
  }

  // MARK: Other wheels

  // folly DeleteWheelInTimeout: the wheel goes while it calls.
  @Test(arguments: [1, 2, 31, 32, 200])
  func `A callback can assign another wheel to the one that calls it`(count: Int) {
    let (box, handles) = wheel(of: count)
    box.schedule(8, at: 12)
    var seen: [Int] = []
    let result = box.advance(to: 100) { wheel, timer in
      seen.append(timer.payload)
      wheel = TimingWheel(now: 20)
      wheel.schedule(7, at: 15)
      wheel.schedule(9, at: 30)
    }
    #expect(result == .caughtUp)
    #expect(seen == [0])
    #expect(box.now == 20)
    #expect(box.count == 2)
    #expect(count < 3 || box.deadline(of: handles[2]) == nil)
    #expect(box.payloads(upTo: 30) == [7, 9])
  }

  @Test(arguments: [1, 2, 31, 32, 200])
  func `A wheel that a callback moved away continues where it is`(count: Int) {
    let (box, handles) = wheel(of: count)
    let store = TestWheel<Int>()
    store.schedule(-1, at: 10)
    var seen: [Int] = []
    box.advance(to: 10) { wheel, timer in
      seen.append(timer.payload)
      swap(&wheel, &store.value)
    }
    #expect(seen == [0])
    #expect(box.count == 1)
    #expect(store.cancel(handles[0]) == nil)
    store.schedule(count, at: 11)
    #expect(store.payloads(upTo: 11) == Array(1...count))
    #expect(box.payloads(upTo: 10) == [-1])
  }

  @Test func `A wheel that a callback assigned is not advanced by the running call`() {
    let (box, _) = wheel(of: 3)
    let other = TestWheel<Int>()
    other.schedule(7, at: 50)
    #expect(other.payloads(upTo: 20) == [])
    var seen: [Int] = []
    box.advance(to: 100) { wheel, timer in
      seen.append(timer.payload)
      swap(&wheel, &other.value)
    }
    #expect(seen == [0])
    #expect(box.now == 20)
    #expect(box.payloads(upTo: 100) == [7])
  }

  @Test func `A callback can assign another wheel and throw`() {
    let (box, _) = wheel(of: 3)
    #expect(throws: Refusal()) {
      try box.advance(to: 10) { wheel, _ throws(Refusal) in
        wheel = TimingWheel(now: 5)
        wheel.schedule(9, at: 6)
        throw Refusal()
      }
    }
    #expect(box.now == 5)
    #expect(box.payloads(upTo: 6) == [9])
  }

  @Test func `A callback can advance another wheel`() {
    let (box, _) = wheel(of: 2)
    let other = TestWheel<Int>()
    other.schedule(8, at: 1)
    var seen: [[Int]] = []
    box.advance(to: 10) { _, _ in seen.append(other.payloads(upTo: 5)) }
    #expect(seen == [[8], []])
  }

  // MARK: Misuse

  // Caffeine advance_exception_restoresChain.
  @Test(arguments: [0, 1, 30, 31, 61, 99])
  func `A throw loses only the timer that had expired`(victim: Int) {
    let (box, _) = wheel(of: 100)
    box.schedule(100, at: 11)
    var seen: [Int] = []
    #expect(throws: Refusal()) {
      try box.advance(to: 20) { _, timer throws(Refusal) in
        seen.append(timer.payload)
        if timer.payload == victim { throw Refusal() }
      }
    }
    #expect(box.count == 100 - victim)
    #expect(box.now == 10)
    #expect(box.nextExpiry == (victim == 99 ? 11 : 10))
    #expect(seen + box.payloads(upTo: 20) == Array(0...100))
  }

  @Test func `A wheel can be advanced again after a throw`() {
    let (box, _) = wheel(of: 2)
    for _ in 0..<2 {
      #expect(throws: Refusal()) {
        try box.advance(to: 10) { _, _ throws(Refusal) in throw Refusal() }
      }
    }
    #expect(box.isEmpty)
  }

  @Test func `An advance inside a callback of the same wheel traps`() async {
    await #expect(processExitsWith: .failure) {
      var wheel = TimingWheel<Int>()
      wheel.schedule(1, at: 1)
      wheel.advance(to: 1) { wheel, _ in wheel.advance(to: 2) { _, _ in } }
    }
  }

  @Test func `An advance of a wheel that a callback moved away traps until the callback returns`()
    async
  {
    await #expect(processExitsWith: .failure) {
      let store = TestWheel<Int>()
      var wheel = TimingWheel<Int>()
      wheel.schedule(1, at: 1)
      wheel.advance(to: 1) { wheel, _ in
        swap(&wheel, &store.value)
        store.value.advance(to: 2) { _, _ in }
      }
    }
  }
}
