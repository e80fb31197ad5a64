import HeadwayTime
import Testing

/// The guarantees of a wheel, with many random timers; `TimingWheelModelTests` combines them.
struct TimingWheelPropertyTests {
  /// Deadlines of every magnitude.
  ///
  /// - Parameters:
  ///   - count: The number.
  ///   - start: The tick that they come after.
  ///   - bits: The magnitude of the farthest.
  ///   - random: The random numbers.
  /// - Returns: The deadlines, in random order.
  private func deadlines(
    _ count: Int, after start: UInt64, bits: Int, _ random: inout WheelRandom
  ) -> [UInt64] {
    (0..<count).map { _ in
      start + 1 + random.next() >> UInt64(64 - Int.random(in: 1...bits, using: &random))
    }
  }

  // MARK: Time

  @Test(arguments: [8, 16, 24, 32, 40, 62])
  func `A timer never expires before its deadline, whatever the steps`(bits: Int) {
    var random = WheelRandom(seed: UInt64(bits))
    let box = TestWheel<Int>(now: 12_345)
    let deadlines = deadlines(500, after: box.now, bits: bits, &random)
    for (number, deadline) in deadlines.enumerated() { box.schedule(number, at: deadline) }
    var expired = 0
    while !box.isEmpty {
      let step = random.next() >> UInt64(64 - Int.random(in: 1...bits, using: &random))
      let target = box.now + step + 1
      box.advance(to: target) { wheel, timer in
        expired += 1
        #expect(timer.deadline == deadlines[timer.payload])
        #expect(timer.deadline == wheel.now)
        #expect(timer.deadline <= target)
      }
    }
    #expect(expired == 500)
  }

  @Test func `Advanced tick by tick, every timer expires in the tick of its deadline`() {
    var random = WheelRandom(seed: 2)
    let box = TestWheel<UInt64>(now: 65_000)
    for deadline in deadlines(2000, after: box.now, bits: 13, &random) {
      box.schedule(deadline, at: deadline)
    }
    var expired = 0
    for tick in box.now...box.now + 8200 {
      box.advance(to: tick) { _, timer in
        expired += 1
        #expect(timer.payload == tick)
      }
    }
    #expect(expired == 2000)
  }

  @Test(arguments: [6, 12, 20, 34, 50])
  func `Two steps do the same as one step over both`(bits: Int) {
    var random = WheelRandom(seed: UInt64(bits))
    for _ in 0..<40 {
      let start = random.next() >> 8
      let deadlines = deadlines(60, after: start, bits: bits, &random)
      let ends = [deadlines[0], deadlines[1]].sorted()
      /// Schedules the timers again and advances in steps.
      func ticks(_ steps: [UInt64]) -> [UInt64] {
        let box = TestWheel<Int>(now: start)
        for (number, deadline) in deadlines.enumerated() { box.schedule(number, at: deadline) }
        return steps.flatMap { box.ticks(upTo: $0) }
      }
      let whole = ticks([ends[1]])
      #expect(whole == ticks(ends))
      #expect(whole == deadlines.filter { $0 <= ends[1] }.sorted())
    }
  }

  @Test func `Two steps do the same as one for timers that schedule others`() {
    /// Advances a wheel in which each timer schedules the next one.
    func ticks(_ steps: [UInt64]) -> [UInt64] {
      let box = TestWheel<UInt64>()
      for interval in [1, 3, 40, 255, 256, 1000] as [UInt64] {
        box.schedule(interval, at: interval)
      }
      var seen: [UInt64] = []
      for step in steps {
        box.advance(to: step) { wheel, timer in
          seen.append(timer.deadline)
          wheel.schedule(timer.payload, at: timer.deadline + timer.payload)
        }
      }
      return seen
    }
    #expect(ticks([3000]) == ticks([1, 2, 300, 301, 1024, 3000]))
  }

  // Caffeine advance_backwards, tokio #3619: time that goes back is no time that passes.
  @Test func `An earlier time counts as the current one`() {
    let box = TestWheel<Int>(now: 1000)
    let late = box.schedule(1, at: 1010)
    #expect(box.payloads(upTo: 1005) == [])
    #expect(box.payloads(upTo: 0) == [])
    #expect(box.payloads(upTo: 999) == [])
    #expect(box.now == 1005)
    #expect(box.nextExpiry == 1010)
    box.schedule(2, at: 500)
    #expect(box.payloads(upTo: 3) == [2])
    #expect(box.deadline(of: late) == 1010)
    #expect(box.payloads(upTo: 1010) == [1])
  }

  @Test func `Timers that a limit left over expire even if the next advance goes back`() {
    let box = TestWheel<Int>()
    box.schedule(0, at: 256)
    #expect(box.payloads(upTo: 10) == [])
    for number in 1...5 { box.schedule(number, at: 256) }
    box.schedule(6, at: 257)
    var seen: [Int] = []
    var results: [AdvanceResult] = []
    for target in [256, 0, 0, 0, 0, 0, 0, 0] as [UInt64] {
      results.append(
        box.advance(to: target, limit: 1) { _, timer in seen.append(timer.payload) })
    }
    #expect(seen.sorted() == Array(0...5))
    #expect(results.last == .caughtUp)
    #expect(box.now == 256)
  }

  // MARK: Once

  @Test func `Every timer expires once or is cancelled once`() {
    var random = WheelRandom(seed: 3)
    let box = TestWheel<Int>()
    let deadlines = deadlines(3000, after: 0, bits: 36, &random)
    let handles = deadlines.enumerated().map { box.schedule($0, at: $1) }
    var ends = [Int](repeating: 0, count: 3000)
    while !box.isEmpty {
      for _ in 0..<20 {
        let number = Int.random(in: 0..<3000, using: &random)
        let before = ends[number]
        let payload = box.cancel(handles[number])
        #expect(payload == (before == 0 ? number : nil))
        if payload != nil { ends[number] += 1 }
      }
      let step = random.next() >> UInt64(Int.random(in: 28..<64, using: &random))
      box.advance(to: box.now + step) { _, timer in ends[timer.payload] += 1 }
    }
    #expect(ends.allSatisfy { $0 == 1 })
  }

  @Test func `A handle is stale after cancel, after expiry, and when its node is reused`() {
    let box = TestWheel<String>()
    let cancelled = box.schedule("a", at: 10)
    #expect(box.cancel(cancelled) == "a")
    #expect(box.cancel(cancelled) == nil)
    let expired = box.schedule("b", at: 10)
    #expect(box.payloads(upTo: 10) == ["b"])
    let user = box.schedule("c", at: 20)
    for stale in [cancelled, expired] {
      #expect(stale != user)
      #expect(box.cancel(stale) == nil)
      #expect(!box.reschedule(stale, to: 11))
      #expect(box.deadline(of: stale) == nil)
    }
    #expect(box.deadline(of: user) == 20)
    #expect(box.payloads(upTo: 20) == ["c"])
  }

  // MARK: Next expiry

  @Test(arguments: [2, 4, 8])
  func `The next expiry is never late, and exact within the slots of the lowest level`(bits: Int) {
    var random = WheelRandom(seed: UInt64(bits))
    let box = TestWheel<Int>(now: 77, shape: WheelShape(bits: bits, levels: 4))
    var armed: [(handle: TimingWheel<Int>.Handle, deadline: UInt64)] = []
    var exact = 0
    for round in 0..<6000 {
      if armed.count < 400 || round % 3 == 0 {
        let deadline = deadlines(1, after: box.now, bits: bits * 2, &random)[0]
        armed.append((box.schedule(round, at: deadline), deadline))
      } else {
        let last = armed.remove(at: Int.random(in: 0..<armed.count, using: &random))
        #expect(box.cancel(last.handle) != nil)
      }
      guard round % 4 == 0 else { continue }
      let earliest = armed.map(\.deadline).min() ?? .max
      let tick = box.nextExpiry ?? .max
      #expect(tick <= earliest)
      if earliest >> UInt64(bits) == box.now >> UInt64(bits) {
        exact += 1
        #expect(tick == earliest)
      }
      guard round % 16 == 0 else { continue }
      box.advance(to: tick) { _, _ in }
      let now = box.now
      armed.removeAll { $0.deadline <= now }
    }
    #expect(exact > 100)
  }

  @Test func `Sleeping until the next expiry makes progress, with few needless wake-ups`() {
    var random = WheelRandom(seed: 5)
    let box = TestWheel<Int>()
    let deadlines = deadlines(1000, after: 0, bits: 45, &random)
    for (number, deadline) in deadlines.enumerated() { box.schedule(number, at: deadline) }
    let turns = box.wake(atMost: 5000)
    #expect(turns.joined().count == 1000)
    // A sleeper wakes early at most once for each slot that moves to lower levels.
    #expect(turns.count <= 3 * 1000)
  }

  @Test func `The next expiry is exact, however many timers before it were cancelled`() {
    let box = TestWheel<Int>()
    var handles: [TimingWheel<Int>.Handle] = []
    for tick in 1...60 { for _ in 0..<8 { handles.append(box.schedule(tick, at: UInt64(tick))) } }
    box.schedule(99, at: 200)
    for handle in handles { box.cancel(handle) }
    #expect(box.nextExpiry == 200)
  }

  @Test func `A late timer that is cancelled or moved does not affect the next expiry`() {
    let box = TestWheel<Int>(now: 100)
    let late = (0..<70).map { box.schedule($0, at: 50) }
    let kept = box.schedule(70, at: 50)
    for handle in late { box.cancel(handle) }
    #expect(box.nextExpiry == 100)
    box.reschedule(kept, to: 130)
    #expect(box.nextExpiry == 130)
    #expect(box.payloads(upTo: 129) == [])
    #expect(box.payloads(upTo: 130) == [70])
  }

  @Test func `The next expiry accounts for a distant timer that was moved`() {
    let box = TestWheel<Int>()
    let first = box.schedule(1, at: 1 << 40)
    box.schedule(2, at: 1 << 42)
    box.reschedule(first, to: 1 << 41)
    #expect(box.nextExpiry == 1 << 41)
    box.reschedule(first, to: 1 << 43)
    #expect(box.nextExpiry == 1 << 42)
    box.reschedule(first, to: 1 << 39)
    #expect(box.nextExpiry == 1 << 39)
    #expect(box.payloads(upTo: 1 << 44) == [1, 2])
  }

  // MARK: Jumps

  @Test(arguments: [86_400_000, 31_557_600_000, 1 << 63] as [UInt64])
  func `The cost of a jump depends on the slots it passes, not on the distance`(distance: UInt64) {
    // Every examined entry counts against the limit, and every call examines at least one.
    let box = TestWheel<Int>(now: 3)
    box.schedule(0, at: distance)
    box.schedule(1, at: distance / 3)
    box.schedule(2, at: 1 << 62)
    box.schedule(3, at: .max - 1)
    var seen: [Int] = []
    let result = box.advance(to: 3 + distance, limit: 24) { _, timer in seen.append(timer.payload) }
    #expect(result == .caughtUp)
    #expect(seen == (distance < 1 << 62 ? [1, 0] : [1, 2, 0]))
    #expect(box.now == 3 + distance)
  }

  @Test func `A jump over empty slots examines nothing`() {
    let box = TestWheel<Int>()
    for number in 0..<1000 { box.schedule(number, at: 1 << 63 + UInt64(number)) }
    #expect(box.advance(to: 1 << 62, limit: 1) { _, _ in } == .caughtUp)
  }

  // ratas: the tick of a far timer; wahern wakes 65,538 times for it.
  @Test(arguments: [20, 33, 40, 52, 63])
  func `A distant timer wakes its owner at most eight times`(bits: Int) {
    let box = TestWheel<Int>(now: 1000)
    box.schedule(7, at: 1 << UInt64(bits))
    let turns = box.wake(atMost: 20)
    #expect(turns.count <= 8)
    #expect(turns.last == [7])
  }
}
