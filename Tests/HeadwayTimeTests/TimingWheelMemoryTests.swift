import HeadwayTime
import Testing

/// The lifetime of payloads in a wheel, and the memory of a wheel.
struct TimingWheelMemoryTests {
  // MARK: Payloads

  // NIO testCancelledScheduledTasksDoNotHoldOnToRunClosure, Go #75935.
  @Test func `A payload is released when its timer is cancelled, not when its entry is swept`() {
    let ledger = Ledger()
    let box = TestWheel<Witness>()
    let handles = (0..<3).map { box.schedule(Witness(ledger), at: 1 << UInt64($0 * 20)) }
    for (number, handle) in handles.enumerated() {
      box.cancel(handle)
      #expect(ledger.alive == 2 - number)
    }
    #expect(box.storedEntries == 3)
  }

  @Test func `A payload is released when its callback returns or throws`() {
    let ledger = Ledger()
    let box = TestWheel<Witness>()
    for _ in 0..<3 { box.schedule(Witness(ledger), at: 10) }
    #expect(throws: CancellationError.self) {
      try box.advance(to: 10) { _, _ in throw CancellationError() }
    }
    #expect(ledger.alive == 2)
    var alive: [Int] = []
    box.advance(to: 10) { _, _ in alive.append(ledger.alive) }
    #expect(alive == [2, 1])
    #expect(ledger.alive == 0)
  }

  // Netty testStopTimerCancelsPendingTasks, folly DestroyTimeoutSet.
  @Test func `All payloads are released with the wheel, cancelled and expired ones not twice`() {
    let ledger = Ledger()
    do {
      let box = TestWheel<Witness>()
      let handles = (0..<3000).map { box.schedule(Witness(ledger), at: UInt64($0) << 22) }
      for place in stride(from: 0, to: 3000, by: 3) { box.cancel(handles[place]) }
      box.advance(to: 299 << 22) { _, _ in }
      #expect(ledger.alive == 1800)
    }
    #expect(ledger.alive == 0)
  }

  @Test func `The payloads of a wheel that a callback releases are released`() {
    let ledger = Ledger()
    let box = TestWheel<Witness>()
    for number in 0..<100 { box.schedule(Witness(ledger), at: 10 + UInt64(number) / 50) }
    box.advance(to: 20) { wheel, _ in
      wheel = TimingWheel()
      #expect(ledger.alive == 1)
    }
    #expect(ledger.alive == 0)
  }

  @Test func `Payloads of every size and alignment are returned unchanged`() {
    check((0..<3000).map { UInt8(truncatingIfNeeded: $0) })
    check((0..<3000).map { UInt32($0) })
    check((0..<3000).map { "a string that is not stored inline, number \($0)" })
    check((0..<3000).map { SIMD8<Double>(repeating: Double($0)) })
    check((0..<3000).map { $0 % 2 == 0 ? nil : [$0] })
    check([Void?](repeating: (), count: 3000).map { $0 != nil })
  }

  /// Sends payloads through a wheel and compares what comes out.
  private func check<Payload: Equatable>(_ payloads: [Payload]) {
    let box = TestWheel<Payload>()
    let handles = payloads.enumerated().map { box.schedule($1, at: 1 + UInt64($0) * 1000) }
    #expect(handles[0..<100].map { box.cancel($0) } == payloads[0..<100].map { $0 })
    var seen: [Payload] = []
    box.advance(to: .max) { _, timer in seen.append(timer.payload) }
    #expect(seen == Array(payloads[100...]))
  }

  // MARK: Entries

  /// The maximum number of entries for timers, however they got there: three for each, 1,024, 64 beyond the levels, and
  /// two chunks.
  private func bound(_ count: Int) -> Int { 3 * count + 1024 + 64 + 2 * 31 }

  @Test(arguments: [1, 10, 1000, 5000])
  func `Repeated scheduling and cancelling keeps the entries below three for each timer`(count: Int)
  {
    var random = WheelRandom(seed: UInt64(count))
    let box = TestWheel<Int>()
    var handles = (0..<count).map { box.schedule($0, at: 30_000) }
    for step in 0..<60_000 {
      let place = Int.random(in: 0..<count, using: &random)
      #expect(box.cancel(handles[place]) != nil)
      let distance = random.next() >> UInt64(Int.random(in: 24..<60, using: &random))
      handles[place] = box.schedule(place, at: 1 + distance + UInt64(step))
      if box.storedEntries > bound(count) { Issue.record("\(box.storedEntries) at \(step)") }
    }
    #expect(box.brokenInvariants() == [])
  }

  @Test
  func `Slots whose timers come and go reuse their memory before half of the entries is live`() {
    var random = WheelRandom(seed: 8)
    let box = TestWheel<Int>()
    var handles = (0..<5000).map { box.schedule($0, at: 1 + UInt64($0) * 12) }
    for step in 0..<60_000 {
      let place = Int.random(in: 0..<5000, using: &random)
      box.cancel(handles[place])
      handles[place] = box.schedule(place, at: UInt64.random(in: 1...60_000, using: &random))
      if box.storedEntries > 5 * 5000 / 2 + 512 { Issue.record("\(box.storedEntries) at \(step)") }
    }
    #expect(box.brokenInvariants() == [])
  }

  @Test func `Cancelling all timers leaves at most the entries that are never swept`() {
    for order in 0..<3 {
      let box = TestWheel<Int>()
      var handles = (0..<40_000).map { box.schedule($0, at: UInt64($0 % 7) << 20 + 5) }
      if order == 1 { handles.reverse() }
      if order == 2 { handles.sort { $0.hashValue < $1.hashValue } }
      for handle in handles { box.cancel(handle) }
      #expect(box.storedEntries <= bound(0))
      #expect(box.brokenInvariants() == [])
    }
  }

  // DelayQueue compact_*: what is kept follows the scheduled timers.
  @Test func `Entries that are swept last are not many more`() {
    // All live entries are in one slot, all dead ones in another.
    let box = TestWheel<Int>()
    for number in 0..<20_000 { box.schedule(number, at: 1000) }
    var most = 0
    for number in 0..<100_000 {
      box.cancel(box.schedule(number, at: 70_000))
      most = max(most, box.storedEntries - bound(20_000))
    }
    #expect(most <= 3 * 20_000 / 9)
  }

  // tokio-util #849, Netty #5647: scheduling for a tick again and again must not accumulate entries.
  @Test(arguments: [5, 300, 70_000, 1 << 40] as [UInt64])
  func `Entries do not accumulate if timers are cancelled and scheduled for the same tick`(
    deadline: UInt64
  ) {
    let box = TestWheel<Int>()
    var handles = (0..<1000).map { box.schedule($0, at: deadline) }
    for round in 0..<60 {
      for place in 0..<1000 {
        box.cancel(handles[place])
        handles[place] = box.schedule(place, at: deadline)
      }
      if box.storedEntries > 4 * 1000 + 2048 + 31 {
        Issue.record("\(box.storedEntries) in \(round)")
      }
    }
    #expect(box.brokenInvariants() == [])
    #expect(box.payloads(upTo: deadline - 1) == [])
    #expect(box.payloads(upTo: deadline).sorted() == Array(0..<1000))
  }

  @Test func `Entries do not accumulate if late timers are cancelled and scheduled again`() {
    let box = TestWheel<Int>(now: 100)
    var handles = (0..<1000).map { box.schedule($0, at: 50) }
    for _ in 0..<30 {
      for place in 0..<1000 {
        box.cancel(handles[place])
        handles[place] = box.schedule(place, at: 60)
      }
    }
    #expect(box.storedEntries <= 4 * 1000 + 2048 + 31)
    #expect(box.payloads(upTo: 100).sorted() == Array(0..<1000))
  }

  @Test(arguments: [150, 100_000, 1 << 35] as [UInt64])
  func `Entries do not accumulate if timers are moved back and forth`(far: UInt64) {
    let box = TestWheel<Int>(now: 100)
    let handles = (0..<100).map { box.schedule($0, at: far) }
    for round in 0..<400 {
      for handle in handles {
        box.reschedule(handle, to: round % 2 == 0 ? 7 : 101)
        box.reschedule(handle, to: far)
        box.reschedule(handle, to: 5)
        box.reschedule(handle, to: 4)
        box.reschedule(handle, to: far)
      }
      if box.storedEntries > 4 * 100 + 2 * 2048 { Issue.record("\(box.storedEntries) in \(round)") }
    }
    #expect(box.brokenInvariants() == [])
    #expect(box.payloads(upTo: far).sorted() == Array(0..<100))
  }

  @Test(arguments: [5000, 1 << 20, 1 << 40] as [UInt64])
  func `Entries do not accumulate if a timer is postponed to the same tick again`(
    far: UInt64
  ) {
    // 10 of 1,000 are moved at each tick, so that few of the entries are dead at any time.
    let box = TestWheel<Int>()
    let handles = (0..<1000).map { box.schedule($0, at: far) }
    for tick in 1...4000 as ClosedRange<UInt64> {
      for place in 0..<10 {
        let handle = handles[(Int(tick) * 10 + place) % 1000]
        box.reschedule(handle, to: tick)
        box.reschedule(handle, to: far)
      }
      box.advance(to: tick) { _, timer in Issue.record("\(timer) expired") }
      let most = 4 * 1000 + 2 * 2048
      if box.storedEntries > most { Issue.record("\(box.storedEntries) at \(tick)") }
    }
    #expect(box.brokenInvariants() == [])
    #expect(box.payloads(upTo: far).sorted() == Array(0..<1000))
  }

  @Test func `Timers that are cancelled after a limit cut an advance short are swept too`() {
    let box = TestWheel<Int>()
    let handles = (0..<20_000).map { box.schedule($0, at: 10) }
    #expect(box.advance(to: 10, limit: 5) { _, _ in } == .limitReached)
    for handle in handles { box.cancel(handle) }
    #expect(box.storedEntries <= bound(0))
    #expect(box.brokenInvariants() == [])
    #expect(box.payloads(upTo: 10) == [])
    #expect(box.storedEntries == 0)
  }

  @Test func `Timers of its own slot that a callback cancels are swept, and the others expire`() {
    let box = TestWheel<Int>()
    let handles = (0..<20_000).map { box.schedule($0, at: 10) }
    var seen: [Int] = []
    var stored = 0
    box.advance(to: 10) { wheel, timer in
      if seen.isEmpty {
        for place in 1..<20_000 where place % 1000 != 0 { wheel.cancel(handles[place]) }
        stored = wheel.storedEntries
      }
      seen.append(timer.payload)
    }
    #expect(stored <= bound(19))
    #expect(seen.sorted() == Array(stride(from: 0, to: 20_000, by: 1000)))
    #expect(box.brokenInvariants() == [])
  }

  // MARK: Memory

  @Test func `A wheel that was as full before allocates nothing`() {
    let box = TestWheel<Int>()
    /// Schedules the same number of timers in each round, at the same distances.
    func fill() {
      for number in 0..<5000 { box.schedule(number, at: box.now + 1 + UInt64(number)) }
    }
    fill()
    box.advance(to: box.now + 65_536) { _, _ in }
    fill()
    let bytes = box.memoryFootprint
    for _ in 0..<10 {
      box.advance(to: box.now + 65_536) { _, _ in }
      fill()
      #expect(box.memoryFootprint == bytes)
    }
  }

  @Test(arguments: 0..<3)
  func `A wheel whose timers were cancelled in any order has memory for as many`(order: Int) {
    var random = WheelRandom(seed: 3)
    let box = TestWheel<Int>()
    var bytes: [Int] = []
    for _ in 0..<4 {
      var handles = (0..<5000).map { box.schedule($0, at: box.now + 1 + UInt64($0)) }
      #expect(Set(handles).count == 5000)
      #expect(box.brokenInvariants() == [])
      bytes.append(box.memoryFootprint)
      if order == 1 { handles.reverse() }
      if order == 2 { handles.shuffle(using: &random) }
      for handle in handles { #expect(box.cancel(handle) != nil) }
      #expect(box.brokenInvariants() == [])
    }
    // Until all timers of a round are scheduled, entries of the round before may be left.
    #expect(bytes[3] == bytes[1])
  }

  @Test func `A scheduled timer with a payload of 8 bytes takes at most 36 bytes`() {
    let box = TestWheel<Int>()
    let empty = box.memoryFootprint
    for number in 0..<102_400 { box.schedule(number, at: 1 + UInt64(number) * 13) }
    #expect(box.memoryFootprint - empty <= 36 * 102_400)
  }

  @Test func `A handle takes 8 bytes`() {
    #expect(MemoryLayout<TimingWheel<String>.Handle>.size == 8)
  }

  // MARK: Generations

  @Test(arguments: [1, 2, 3, 7] as [UInt32])
  func `No handle of a node is reused after its generations are used up`(
    generations: UInt32
  ) {
    let box = TestWheel<Int>(shape: WheelShape(bits: 8, levels: 4, generations: generations))
    var handles: [TimingWheel<Int>.Handle] = []
    for number in 0..<300 {
      let handle = box.schedule(number, at: box.now + 1)
      for stale in handles.suffix(50) {
        #expect(box.cancel(stale) == nil)
        #expect(box.deadline(of: stale) == nil)
      }
      handles.append(handle)
      if number % 2 == 0 { box.cancel(handle) } else { box.advance(to: box.now + 1) { _, _ in } }
    }
    #expect(Set(handles).count == 300)
    #expect(Set(handles.map(\.hashValue)).count > 250)
    #expect(box.isEmpty)
    #expect(box.brokenInvariants() == [])
  }
}
