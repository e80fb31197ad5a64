import HeadwayTestSupport
import HeadwayTime
import Testing

/// Memory that is given back on request, and handles of timers that were in it.
struct TimingWheelShrinkingTests {
  /// Schedules timers on all levels and in the overflow heap.
  ///
  /// - Parameters:
  ///   - box: The wheel.
  ///   - count: The number of timers, whose payloads are their places.
  /// - Returns: Their handles.
  private func fill(_ box: TestWheel<Int>, _ count: Int) -> [TimingWheel<Int>.Handle] {
    (0..<count).map { box.schedule($0, at: box.now + 1 + UInt64($0) * 1_000_003 % (1 << 33)) }
  }

  @Test func `Memory of timers that are over is given back`() {
    let box = TestWheel<Int>()
    let empty = box.memoryFootprint
    for handle in fill(box, 100_000) { box.cancel(handle) }
    let full = box.memoryFootprint
    box.shrinkToFit()
    #expect(full > empty + 2_500_000)
    #expect(box.memoryFootprint < empty + 3_000)
    #expect(box.brokenInvariants() == [])
  }

  @Test func `Memory that was given back is allocated again`() {
    let box = TestWheel<Int>()
    var bytes: [Int] = []
    for _ in 0..<3 {
      let handles = fill(box, 20_000)
      bytes.append(box.memoryFootprint)
      #expect(box.brokenInvariants() == [])
      for handle in handles { #expect(box.cancel(handle) != nil) }
      box.shrinkToFit()
      #expect(box.brokenInvariants() == [])
      bytes.append(box.memoryFootprint)
    }
    // The capacity of an array depends on what malloc returns.
    #expect(bytes[2] < bytes[0] * 5 / 4 && bytes[4] < bytes[0] * 5 / 4)
    #expect(bytes[1] < bytes[0] / 10 && bytes[3] < bytes[0] / 10 && bytes[5] < bytes[0] / 10)
  }

  @Test func `Timers that are scheduled stay, and blocks without any are given back`() {
    let box = TestWheel<Int>()
    let handles = fill(box, 50_000)
    let left = Array(stride(from: 0, to: 50_000, by: 5_000))
    for place in handles.indices where place % 5_000 != 0 { box.cancel(handles[place]) }
    let deadlines = left.map { box.deadline(of: handles[$0]) }
    let full = box.memoryFootprint
    box.shrinkToFit()
    #expect(box.memoryFootprint < full / 3)
    #expect(box.count == left.count)
    #expect(left.map { box.deadline(of: handles[$0]) } == deadlines)
    #expect(box.reschedule(handles[0], to: 1 << 34))
    #expect(box.cancel(handles[5_000]) == 5_000)
    #expect(box.payloads(upTo: .max - 1).sorted() == left.filter { $0 != 5_000 })
  }

  @Test(arguments: [2, 3, 7, 100, .max >> 3] as [UInt32])
  func `No handle of memory that was given back is reused`(generations: UInt32) {
    let box = TestWheel<Int>(shape: WheelShape(bits: 8, levels: 4, generations: generations))
    var random = WheelRandom(seed: 7)
    var scheduled: [TimingWheel<Int>.Handle] = []
    var stale: [TimingWheel<Int>.Handle] = []
    for _ in 0..<20 {
      let some = fill(box, .random(in: 1...2_000, using: &random))
      #expect(some.allSatisfy { box.deadline(of: $0) != nil })
      scheduled += some
      // In half of the rounds all, so that whole blocks are free.
      let left = Bool.random(using: &random) ? 0 : scheduled.count / 2
      while scheduled.count > left {
        let handle = scheduled.removeLast()
        #expect(box.cancel(handle) != nil)
        stale.append(handle)
      }
      box.shrinkToFit()
      #expect(box.brokenInvariants() == [])
      #expect(stale.allSatisfy { box.deadline(of: $0) == nil && box.cancel($0) == nil })
    }
    #expect(box.count == scheduled.count)
    #expect(Set(stale).count == stale.count)
  }

  @Test func `A block with a timer that has spent half of its generations stays`() {
    let box = TestWheel<Int>(shape: WheelShape(bits: 8, levels: 4, generations: 9))
    for _ in 0..<6 { box.cancel(box.schedule(0, at: 1)) }
    box.shrinkToFit()
    #expect(box.brokenInvariants() == [])
    let other = TestWheel<Int>(shape: WheelShape(bits: 8, levels: 4, generations: 9))
    for _ in 0..<4 { other.cancel(other.schedule(0, at: 1)) }
    other.shrinkToFit()
    // A block takes 24.6 kB.
    #expect(other.memoryFootprint < box.memoryFootprint - 24_000)
  }

  @Test func `An advance that a limit has stopped goes on after memory was given back`() {
    let box = TestWheel<Int>()
    // On the lowest level, moving from the second level, and late.
    for number in 0..<100 { box.schedule(number, at: 300 + UInt64(number % 2)) }
    box.advance(to: 200) { _, _ in }
    for number in 100..<150 { box.schedule(number, at: 3) }
    var seen: [Int] = []
    var result = AdvanceResult.limitReached
    while result == .limitReached {
      result = box.advance(to: 301, limit: 7) { _, timer in seen.append(timer.payload) }
      box.shrinkToFit()
      #expect(box.brokenInvariants() == [])
    }
    #expect(seen.sorted() == Array(0..<150))
  }

  @Test func `Inside a callback nothing is given back`() {
    let box = TestWheel<Int>()
    for handle in fill(box, 20_000) { box.cancel(handle) }
    for number in 0..<100 { box.schedule(number, at: 1) }
    let bytes = box.memoryFootprint
    var seen: [Int] = []
    box.advance(to: 1) { wheel, timer in
      wheel.shrinkToFit()
      seen.append(timer.payload)
    }
    #expect(box.memoryFootprint == bytes)
    #expect(seen.sorted() == Array(0..<100))
  }

  @Test func `A service gives memory back and keeps its timers`() {
    let clock = VirtualClock()
    let timers = TimerService(clock: clock)
    let log = Log()
    let handles = (1...20_000).map { number in
      timers.schedule(after: .seconds(number)) { log.add("\(number)") }
    }
    for handle in handles.dropFirst(2) { handle.cancel() }
    let full = timers.memoryFootprint
    timers.shrinkToFit()
    #expect(timers.memoryFootprint < full - 500_000)
    let later = timers.schedule(after: .seconds(4)) { log.add("later") }
    #expect(!handles.dropFirst(2).contains { $0.cancel() })
    #expect(later.isScheduled)
    clock.advance(by: .seconds(5))
    #expect(log.lines == ["1", "2", "later"])
  }
}
