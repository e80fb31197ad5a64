import HeadwayTime
import Testing

/// The lifetime of payloads in a lane, and the memory of a lane.
struct TimeoutLaneMemoryTests {
  /// The number of living witnesses.
  final class Ledger {
    /// The number of living witnesses.
    var alive = 0
  }

  /// A payload whose lifetime is observable.
  final class Witness {
    /// The counter to use.
    private let ledger: Ledger

    /// Creates a witness and counts it.
    init(_ ledger: Ledger) {
      self.ledger = ledger
      ledger.alive += 1
    }

    deinit { ledger.alive -= 1 }
  }

  @Test func `A payload is released when its timer is cancelled`() {
    let ledger = Ledger()
    let lane = TestLane<Witness>(duration: 10)
    let handles = (0..<3).map { _ in lane.schedule(Witness(ledger), now: 0) }
    lane.cancel(handles[1])
    #expect(ledger.alive == 2)
    lane.cancel(handles[0])
    #expect(ledger.alive == 1)
    lane.advance(to: 5) { _, _ in }
    #expect(ledger.alive == 1)
  }

  @Test func `A payload is released when its callback returns`() {
    let ledger = Ledger()
    let lane = TestLane<Witness>(duration: 10)
    for _ in 0..<3 { lane.schedule(Witness(ledger), now: 0) }
    var alive: [Int] = []
    lane.advance(to: 10) { _, _ in alive.append(ledger.alive) }
    #expect(alive == [3, 2, 1])
    #expect(ledger.alive == 0)
  }

  @Test func `A payload is released when its callback throws`() {
    let ledger = Ledger()
    let lane = TestLane<Witness>(duration: 10)
    for _ in 0..<3 { lane.schedule(Witness(ledger), now: 0) }
    #expect(throws: CancellationError.self) {
      try lane.advance(to: 10) { _, _ in throw CancellationError() }
    }
    #expect(ledger.alive == 2)
  }

  @Test func `All payloads are released with the lane, cancelled and expired ones not twice`() {
    let ledger = Ledger()
    do {
      let lane = TestLane<Witness>(duration: 10)
      let handles = (0..<1000).map { lane.schedule(Witness(ledger), now: UInt64($0 / 100)) }
      for place in stride(from: 0, to: 1000, by: 3) { lane.cancel(handles[place]) }
      lane.advance(to: 14) { _, _ in }
      #expect(ledger.alive == 333)
    }
    #expect(ledger.alive == 0)
  }

  @Test func `The payloads of a lane that a callback replaces are released`() {
    let ledger = Ledger()
    let lane = TestLane<Witness>(duration: 10)
    for _ in 0..<100 { lane.schedule(Witness(ledger), now: 0) }
    lane.advance(to: 10) { lane, _ in
      lane = TimeoutLane(duration: 5)
      #expect(ledger.alive == 1)
    }
    #expect(ledger.alive == 0)
  }

  @Test func `A payload that holds a weak reference survives growth`() {
    /// A payload that is not bitwise movable.
    struct Weak {
      weak var witness: Witness?
    }
    let ledger = Ledger()
    let witnesses = (0..<500).map { _ in Witness(ledger) }
    let lane = TestLane<Weak>(duration: 10)
    for witness in witnesses { lane.schedule(Weak(witness: witness), now: 0) }
    var found: [Witness?] = []
    lane.advance(to: 10) { _, expired in found.append(expired.payload.witness) }
    #expect(found.count == 500)
    #expect(zip(found, witnesses).allSatisfy { $0 === $1 })
  }

  @Test func `Payloads of every size and alignment are returned unchanged`() {
    check((0..<300).map { UInt8(truncatingIfNeeded: $0) })
    check((0..<300).map { UInt32($0) })
    check((0..<300).map { "a string that is not stored inline, number \($0)" })
    check((0..<300).map { SIMD8<Double>(repeating: Double($0)) })
    check((0..<300).map { $0 % 2 == 0 ? nil : [$0] })
  }

  /// Sends payloads through a lane that has to grow for them, and compares what comes out.
  private func check<Payload: Equatable>(_ payloads: [Payload]) {
    let lane = TestLane<Payload>(duration: 10)
    let handles = payloads.map { lane.schedule($0, now: 0) }
    let cancelled = handles[0..<100].map { lane.cancel($0) }
    #expect(cancelled == payloads[0..<100].map { $0 })
    #expect(lane.payloads(upTo: 10) == Array(payloads[100...]))
  }

  @Test func `Restarting one timer forever takes no more memory while another stays`() {
    let lane = TestLane<Int>(duration: 1 << 40)
    lane.schedule(0, now: 0)
    let busy = lane.schedule(1, now: 0)
    for tick in 1...100_000 {
      #expect(lane.restart(busy, now: UInt64(tick)))
      if lane.entryCount > 3 * 2 + 64 { Issue.record("\(lane.entryCount) entries at \(tick)") }
    }
    #expect(lane.entryCapacity <= 128)
    #expect(lane.invariantViolation() == nil)
    #expect(lane.payloads(upTo: .max) == [0, 1])
  }

  @Test
  func `Random scheduling and cancelling keeps the ring within a constant factor of the timers`() {
    var generator = DeadlineWheelTests.Generator(state: 1)
    let lane = TestLane<Int>(duration: 1 << 40)
    var handles = (0..<1000).map { lane.schedule($0, now: 0) }
    for step in 0..<100_000 {
      let place = Int.random(in: 1..<1000, using: &generator)
      lane.cancel(handles[place])
      handles[place] = lane.schedule(place, now: UInt64(step))
      if lane.entryCount > 3 * 1000 + 64 { Issue.record("\(lane.entryCount) at \(step)") }
    }
    #expect(lane.entryCapacity <= 4096)
    #expect(lane.invariantViolation() == nil)
  }

  @Test func `A lane that was as full before allocates nothing`() {
    let lane = TestLane<Int>(duration: 10)
    for number in 0..<5000 { lane.schedule(number, now: 0) }
    let bytes = lane.memoryFootprint
    for round in 1...20 {
      lane.advance(to: UInt64(round) * 100) { _, _ in }
      for number in 0..<5000 { lane.schedule(number, now: UInt64(round) * 100) }
      #expect(lane.memoryFootprint == bytes)
    }
  }

  @Test func `A timer with a payload of 8 bytes takes 40 bytes in a full lane`() {
    let lane = TestLane<Int>(duration: 10)
    for number in 0..<4096 { lane.schedule(number, now: 0) }
    #expect(lane.memoryFootprint == 4096 * 40)
  }
}
