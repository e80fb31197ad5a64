import HeadwayTime
import Testing

/// Deadlines around the powers of two at which a timer changes its level, and ticks at which a clock of fewer bits
/// would wrap.
struct TimingWheelBoundaryTests {
  /// Distances around the range of each level.
  static let distances: [UInt64] = [8, 16, 24, 32].flatMap { around($0) }

  /// Ticks to begin at: zero, the edges of slots, and others.
  static let starts: [UInt64] =
    [0, 1, 100, 0x1234_5678_9ABC] + [8, 16, 24, 32, 40].flatMap { around($0) }

  /// A power of two, the number before and the number after it.
  private static func around(_ bits: UInt64) -> [UInt64] {
    let power: UInt64 = 1 << bits
    return [power - 1, power, power + 1]
  }

  @Test(arguments: distances, starts)
  func `A timer at a boundary expires at its tick and not one tick early`(
    distance: UInt64, start: UInt64
  ) {
    let box = TestWheel<UInt64>(now: start)
    box.schedule(distance, at: start + distance)
    #expect(box.nextExpiry == start + distance)
    #expect(box.payloads(upTo: start + distance - 1) == [])
    #expect(box.nextExpiry == start + distance)
    #expect(box.payloads(upTo: start + distance) == [distance])
    #expect(box.isEmpty)
  }

  @Test(arguments: starts)
  func `Timers at all boundaries expire in order, in steps of any size`(start: UInt64) {
    for step in [1, 2, 3, 5, 1000] {
      let box = TestWheel<UInt64>(now: start)
      for distance in Self.distances.reversed() { box.schedule(distance, at: start + distance) }
      var seen: [UInt64] = []
      for distance in Self.distances where step != 1000 {
        let target = start + distance
        let steps = (0..<UInt64(step)).map { target - min(target - box.now, 300 * $0) }
        for tick in steps.reversed() { seen += box.payloads(upTo: tick) }
        #expect(box.now == target)
      }
      seen += box.payloads(upTo: start + 1 << 33)
      #expect(seen == Self.distances)
    }
  }

  @Test(arguments: distances, starts)
  func `A timer that is scheduled on the way to a boundary expires with the one scheduled before`(
    distance: UInt64, start: UInt64
  ) {
    let box = TestWheel<Int>(now: start)
    let deadline = start + distance
    box.schedule(0, at: deadline)
    var number = 1
    for rest in [70_000, 65_536, 1000, 257, 256, 255, 2, 1] as [UInt64] where rest < distance {
      #expect(box.payloads(upTo: deadline - rest) == [])
      box.schedule(number, at: deadline)
      number += 1
    }
    #expect(box.payloads(upTo: deadline).sorted() == Array(0..<number))
  }

  @Test(arguments: distances, starts)
  func `A timer can be moved across a boundary and back`(distance: UInt64, start: UInt64) {
    let box = TestWheel<Int>(now: start)
    let handle = box.schedule(7, at: start + distance)
    for other in Self.distances {
      #expect(box.reschedule(handle, to: start + other))
      #expect(box.nextExpiry ?? 0 <= start + other)
      #expect(box.brokenInvariants() == [])
    }
    box.reschedule(handle, to: start + distance)
    #expect(box.payloads(upTo: start + distance - 1) == [])
    #expect(box.payloads(upTo: start + distance) == [7])
    #expect(box.payloads(upTo: start + 1 << 34) == [])
  }

  @Test(arguments: distances, starts)
  func `A timer at a boundary can be cancelled at the tick before`(distance: UInt64, start: UInt64)
  {
    let box = TestWheel<Int>(now: start)
    let handle = box.schedule(7, at: start + distance)
    box.schedule(8, at: start + distance)
    #expect(box.payloads(upTo: start + distance - 1) == [])
    #expect(box.cancel(handle) == 7)
    #expect(box.payloads(upTo: start + distance) == [8])
  }

  // tokio #8334: near timers came years late when a far one was alive; #5536: panic after 2³⁶ ticks.
  @Test(arguments: [30, 32, 36, 40, 48, 63], [true, false])
  func `A clock that crosses a power of two does not disturb timers next to a distant one`(
    bits: Int, isArmedEarly: Bool
  ) {
    let power: UInt64 = 1 << UInt64(bits)
    let box = TestWheel<UInt64>(now: isArmedEarly ? 5 : power - 2000)
    box.schedule(0, at: power + power / 2)
    box.schedule(1, at: power)
    #expect(box.payloads(upTo: power - 1500) == [])
    for distance in stride(from: UInt64(1), to: 3000, by: 7) {
      box.schedule(power - 1500 + distance, at: power - 1500 + distance)
    }
    var seen: [UInt64] = []
    while box.now < power + 2000 {
      let target = box.now + 1
      box.advance(to: target) { wheel, timer in
        #expect(wheel.now == target)
        seen.append(timer.payload == 1 ? power : timer.payload)
      }
    }
    let near = stride(from: power - 1499, to: power + 1500, by: 7)
    #expect(seen == (Array(near) + [power]).sorted())
    #expect(box.nextExpiry == power + power / 2 || bits < 33)
    #expect(box.payloads(upTo: power + power / 2) == [0])
  }

  @Test(arguments: [1 << 32, 1 << 63] as [UInt64])
  func `Ticks with equal low halves are distinguished`(distance: UInt64) {
    let box = TestWheel<Int>(now: 1000)
    let moved = box.schedule(0, at: 1500 + distance)
    box.schedule(1, at: 1500 + distance)
    box.schedule(2, at: 1500)
    box.reschedule(moved, to: 1500)
    #expect(box.payloads(upTo: 1500).sorted() == [0, 2])
    #expect(box.payloads(upTo: 1499 + distance) == [])
    #expect(box.payloads(upTo: 1500 + distance) == [1])
  }

  // MARK: The last tick

  // NIO testScheduleMaximum, tokio exactly_max and no_out_of_bounds_close_to_max, Netty testOverflow.
  @Test func `A deadline of never does not expire at the last tick`() {
    let box = TestWheel<Int>()
    let never = box.schedule(1, at: .max)
    #expect(box.nextExpiry == .max)
    #expect(box.payloads(upTo: .max - 1) == [])
    #expect(box.payloads(upTo: .max) == [])
    #expect(box.nextExpiry == .max)
    #expect(box.deadline(of: never) == .max)
    #expect(box.cancel(never) == 1)
    #expect(box.nextExpiry == nil)
  }

  @Test func `The last tick counts as the tick before`() {
    let box = TestWheel<Int>()
    #expect(box.payloads(upTo: .max) == [])
    #expect(box.now == UInt64.max - 1)
    #expect(TestWheel<Int>(now: .max).now == UInt64.max - 1)
  }

  @Test(arguments: [0, 1 << 32, .max - 70_000, .max - 256, .max - 1, .max] as [UInt64])
  func `A deadline of never that is scheduled or moved at the last tick does not expire`(
    start: UInt64
  ) {
    let box = TestWheel<Int>(now: start)
    box.schedule(0, at: .max)
    box.advance(to: .max) { _, _ in }
    box.schedule(1, at: .max)
    let moved = box.schedule(2, at: 5)
    box.reschedule(moved, to: .max)
    let back = box.schedule(3, at: .max)
    #expect(box.payloads(upTo: .max) == [])
    #expect(box.nextExpiry == .max)
    box.reschedule(back, to: 7)
    #expect(box.nextExpiry == UInt64.max - 1)
    #expect(box.payloads(upTo: .max) == [3])
    #expect(box.count == 3)
  }

  @Test func `Timers near the last tick expire in order`() {
    for start in [0, 1 << 63, .max - 70_000, .max - 300, .max - 10] as [UInt64] {
      let box = TestWheel<UInt64>(now: start)
      let deadlines = (1...9).map { UInt64.max - $0 }
      for deadline in deadlines { box.schedule(deadline, at: deadline) }
      box.schedule(0, at: .max)
      #expect(box.payloads(upTo: .max - 6) == deadlines[5...].reversed())
      #expect(box.payloads(upTo: .max) == deadlines[..<5].reversed())
      #expect(box.count == 1)
    }
  }

  @Test func `Distant deadlines of every size expire in order`() {
    let deadlines: [UInt64] = [
      1 << 31, 1 << 32, 1 << 33, 1 << 62, UInt64(Int64.max) - 1, UInt64(Int64.max), 1 << 63,
      1 << 63 + 1, .max - 1 << 32, .max - 1,
    ]
    let box = TestWheel<UInt64>(now: 17)
    for deadline in deadlines.reversed() { box.schedule(deadline, at: deadline) }
    for deadline in deadlines {
      #expect(box.payloads(upTo: deadline - 1) == [])
      #expect(box.payloads(upTo: deadline) == [deadline])
    }
  }
}
