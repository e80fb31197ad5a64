import HeadwayTime
import Testing

/// Deadlines against a plain sorted list.
struct DeadlineWheelTests {
  @Test func `The earliest deadline expires first and never early`() {
    var queue = DeadlineWheel<String>()
    queue.schedule("c", at: .seconds(3))
    queue.schedule("a", at: .seconds(1))
    #expect(queue.earliest == .seconds(1))
    #expect(queue.popExpired(at: .milliseconds(999)) == nil)
    #expect(queue.popExpired(at: .seconds(1)) == "a")
    #expect(queue.popExpired(at: .seconds(2)) == nil)
  }

  @Test func `A deadline between two microseconds expires at the later one`() {
    var queue = DeadlineWheel<String>()
    queue.schedule("a", at: .nanoseconds(1_500))
    #expect(queue.earliest == .microseconds(2))
    #expect(queue.popExpired(at: .nanoseconds(1_999)) == nil)
    #expect(queue.popExpired(at: .nanoseconds(2_000)) == "a")
  }

  @Test func `Deadlines at the same time expire in the order of scheduling`() {
    var queue = DeadlineWheel<Int>()
    for number in 0..<20 { queue.schedule(number, at: .seconds(1)) }
    #expect((0..<20).map { _ in queue.popExpired(at: .seconds(1)) } == Array(0..<20))
  }

  @Test func `A cancelled deadline is gone and its handle is stale`() {
    var queue = DeadlineWheel<String>()
    let handle = queue.schedule("a", at: .seconds(1))
    #expect(queue.cancel(handle) == "a")
    #expect(queue.cancel(handle) == nil)
    queue.schedule("b", at: .seconds(1))
    #expect(queue.cancel(handle) == nil)
    #expect(queue.popExpired(at: .seconds(9)) == "b")
  }

  @Test func `A payload is released when its deadline is cancelled`() {
    /// An object whose lifetime is observable.
    final class Witness {}
    var queue = DeadlineWheel<Witness>()
    weak var weakly: Witness?
    do {
      let witness = Witness()
      weakly = witness
      let handle = queue.schedule(witness, at: .seconds(1))
      queue.cancel(handle)
    }
    #expect(weakly == nil)
  }

  @Test(arguments: 0..<20) func `Random operations agree with a list`(seed: Int) {
    var generator = Generator(state: UInt64(seed))
    var queue = DeadlineWheel<Int>()
    var model: [(at: Int, number: Int, handle: DeadlineWheel<Int>.Handle)] = []
    var now = 0
    for number in 0..<2000 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        let at = now + Int.random(in: -2..<50, using: &generator)
        model.append((at, number, queue.schedule(number, at: .seconds(at))))
      case 2 where !model.isEmpty:
        let place = Int.random(in: 0..<model.count, using: &generator)
        let gone = model.remove(at: place)
        #expect(queue.cancel(gone.handle) == gone.number)
      default:
        now += Int.random(in: 0..<9, using: &generator)
        let due = model.filter { $0.at <= now }
        model.removeAll { $0.at <= now }
        var expired: Set<Int> = []
        while let number = queue.popExpired(at: .seconds(now)) { expired.insert(number) }
        #expect(expired == Set(due.map(\.number)))
      }
      #expect(queue.count == model.count)
      let earliest = queue.earliest
      #expect((earliest == nil) == model.isEmpty)
      #expect(earliest ?? .zero <= .seconds(max(now, model.map(\.at).min() ?? now)))
    }
  }

  /// Reproducible random numbers.
  struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
    }
  }
}
