import CProbe
import HeadwayTime

/// The cases with our timing wheel.
///
/// `trial.hpp` of timer-peers has the same with the peers; change both together.
@safe
struct Trial: ~Copyable {
  /// The wheel; the payload of a timer is its number.
  private var wheel = TimingWheel<UInt64>()
  /// The number of timers.
  private let count: Int
  /// The handles of the timers, by their number.
  private let handles: UnsafeMutablePointer<TimingWheel<UInt64>.Handle>
  /// The state of the random numbers.
  private var state = probe_seed
  /// The current tick.
  private var now: UInt64 = 0
  /// The timers that have expired.
  private var expired: UInt64 = 0
  /// The sum of their numbers.
  private var sum: UInt64 = 0

  /// Creates the cases for a number of timers.
  init(count: Int) {
    self.count = count
    var wheel = TimingWheel<UInt64>()
    let any = wheel.schedule(0, at: 1)
    unsafe handles = .allocate(capacity: count)
    unsafe handles.initialize(repeating: any, count: count)
  }

  deinit { unsafe handles.deallocate() }

  /// Schedules all timers and cancels them in another random order; the second round is measured.
  ///
  /// - Returns: The nanoseconds for a timer.
  mutating func armAndCancel() -> [Double] {
    var order = (0..<count).map { UInt32($0) }
    for place in order.indices {
      order.swapAt(place, Int(probe_below(random(), UInt64(place) + 1)))
    }
    var start: UInt64 = 0
    for _ in 0..<2 {
      start = probe_cpu()
      fill()
      for timer in order { cancel(Int(timer)) }
    }
    return [per(probe_cpu() - start, count)]
  }

  /// Cancels a random timer and schedules it again, while so little time passes that one in 200 expires.
  ///
  /// Two changes are measured for each timer, after one for each has brought everything to its usual state.
  ///
  /// - Returns: The nanoseconds for both, the bytes for a timer, and the part that expired.
  mutating func churn() -> [Double] {
    let before = probe_bytes()
    fill()
    change(count)
    let start = probe_cpu()
    change(2 * count)
    let taken = probe_cpu() - start
    return [
      per(taken, 2 * count), per(probe_bytes() - before, count),
      Double(expired) / Double(3 * count),
    ]
  }

  /// Cancels the oldest of all timers, which have the same delay, and schedules it again.
  ///
  /// - Returns: The nanoseconds for both.
  mutating func fifo() -> [Double] {
    for timer in 0..<count { schedule(timer, at: probe_span) }
    turn()
    let start = probe_cpu()
    turn()
    return [per(probe_cpu() - start, count)]
  }

  /// Expires all, tick by tick.
  ///
  /// - Returns: The nanoseconds per timer, and the bytes of a scheduled one.
  mutating func expire() -> [Double] {
    let before = probe_bytes()
    fill()
    let bytes = probe_bytes() - before
    let start = probe_cpu()
    for tick in 1...probe_span { advance(to: tick) }
    let taken = probe_cpu() - start
    check()
    return [per(taken, count), per(bytes, count)]
  }

  /// Expires all timers in one step.
  ///
  /// - Returns: The nanoseconds for a timer.
  mutating func jump() -> [Double] {
    fill()
    let start = probe_cpu()
    advance(to: probe_span)
    let taken = probe_cpu() - start
    check()
    return [per(taken, count)]
  }

  /// Expires all timers tick by tick, and finds the slowest tick.
  ///
  /// - Returns: Its milliseconds of this thread's processor time, so that other programs do not count.
  mutating func worst() -> [Double] {
    fill()
    var worst: UInt64 = 0
    for tick in 1...probe_span {
      let start = probe_thread()
      advance(to: tick)
      worst = max(worst, probe_thread() - start)
    }
    check()
    return [Double(worst) / 1e6]
  }

  /// Jumps over 30 days of milliseconds to the only timer, which is scheduled again each time.
  ///
  /// - Returns: The microseconds of a jump.
  mutating func month() -> [Double] {
    let days: UInt64 = 30 * 24 * 60 * 60 * 1000
    let jumps = 1000
    let start = probe_cpu()
    for _ in 0..<jumps {
      wheel.schedule(0, at: now + days)
      now += days
      advance(to: now)
    }
    let taken = probe_cpu() - start
    if expired != jumps { fail() }
    return [per(taken, jumps) / 1e3]
  }

  /// Advances from one next expiry to the next until a timer 2^40 ticks away is due.
  ///
  /// - Returns: The number of advances.
  mutating func far() -> [Double] {
    var turns = 0.0
    wheel.schedule(0, at: 1 << 40)
    while expired == 0, let next = wheel.nextExpiry {
      advance(to: next)
      turns += 1
    }
    return [turns]
  }
}

extension Trial {
  /// The next random number.
  @inline(__always)
  private mutating func random() -> UInt64 {
    state = probe_next(state)
    return state
  }

  /// Schedules a timer.
  @inline(__always)
  private mutating func schedule(_ timer: Int, at deadline: UInt64) {
    // Every timer's number is below the count.
    unsafe handles[timer] = wheel.schedule(UInt64(truncatingIfNeeded: timer), at: deadline)
  }

  /// Cancels a scheduled timer.
  @inline(__always)
  private mutating func cancel(_ timer: Int) {
    // Every timer's number is below the count.
    unsafe wheel.cancel(handles[timer])
  }

  /// Expires timers that are due, and counts them.
  @inline(__always)
  private mutating func advance(to tick: UInt64) {
    var expired = expired
    var sum = sum
    wheel.advance(to: tick) { _, timer in
      expired &+= 1
      sum &+= timer.payload
    }
    self.expired = expired
    self.sum = sum
  }

  /// Schedules all timers at random deadlines.
  private mutating func fill() {
    for timer in 0..<count { schedule(timer, at: probe_delay(random())) }
  }

  /// Cancels random timers and schedules them again, in ticks of count/300.
  private mutating func change(_ times: Int) {
    let most = count / 300 + 1
    var times = times
    while times > 0 {
      let some = min(times, most)
      for _ in 0..<some {
        let timer = Int(truncatingIfNeeded: probe_below(random(), UInt64(count)))
        cancel(timer)
        schedule(timer, at: now + probe_delay(random()))
      }
      times -= some
      now += 1
      rearm()
    }
  }

  /// Schedules expired timers again.
  private mutating func rearm() {
    var state = state
    var expired = expired
    let (now, handles) = unsafe (now, handles)
    wheel.advance(to: now) { wheel, timer in
      state = probe_next(state)
      let place = Int(truncatingIfNeeded: timer.payload)
      // Every timer's number is below the count.
      unsafe handles[place] = wheel.schedule(timer.payload, at: now + probe_delay(state))
      expired &+= 1
    }
    self.state = state
    self.expired = expired
  }

  /// Cancels all timers from the oldest on and schedules each again, in ticks of count/300.
  private mutating func turn() {
    let most = count / 300 + 1
    for first in stride(from: 0, to: count, by: most) {
      for timer in first..<min(first + most, count) {
        cancel(timer)
        schedule(timer, at: now + probe_span)
      }
      now += 1
      advance(to: now)
      if expired > 0 { fail() }
    }
  }

  /// Exits unless every timer has expired once.
  private func check() {
    if expired != count || sum != UInt64(count) * UInt64(count - 1) / 2 { fail() }
  }
}

/// Exits because timers were lost or duplicated.
func fail() -> Never { fatalError("the wrong timers expired") }

/// A sum divided by a count.
func per(_ sum: UInt64, _ count: Int) -> Double { Double(sum) / Double(count) }
