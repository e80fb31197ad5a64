import CProbe
import HeadwayTime

/// The case for which a lane was made, with our lane: `fifo` of `Trial`.
@safe
struct LaneTrial: ~Copyable {
  /// The lane; the payload of a timer is its number.
  private var lane = TimeoutLane<UInt64>(duration: probe_span)
  /// The number of timers.
  private let count: Int
  /// The handles of the timers, by their number.
  private let handles: UnsafeMutablePointer<TimeoutLane<UInt64>.Handle>
  /// The current tick.
  private var now: UInt64 = 0

  /// Creates the case for a number of timers.
  init(count: Int) {
    self.count = count
    var lane = TimeoutLane<UInt64>(duration: 1)
    let any = lane.schedule(0, now: 0)
    unsafe handles = .allocate(capacity: count)
    unsafe handles.initialize(repeating: any, count: count)
  }

  deinit { unsafe handles.deallocate() }

  /// Cancels the oldest of all timers, which have the same delay, and schedules it again.
  ///
  /// - Returns: The nanoseconds for both, and the bytes of a timer.
  mutating func fifo() -> [Double] {
    let before = probe_bytes()
    for timer in 0..<count { schedule(timer) }
    turn()
    let start = probe_cpu()
    turn()
    return [per(probe_cpu() - start, count), per(probe_bytes() - before, count)]
  }

  /// Schedules a timer.
  @inline(__always)
  private mutating func schedule(_ timer: Int) {
    // Every timer's number is below the count.
    unsafe handles[timer] = lane.schedule(UInt64(truncatingIfNeeded: timer), now: now)
  }

  /// Cancels all timers from the oldest on and schedules each again, in ticks of count/300.
  private mutating func turn() {
    let most = count / 300 + 1
    for first in stride(from: 0, to: count, by: most) {
      for timer in first..<min(first + most, count) {
        // Every timer's number is below the count.
        unsafe lane.cancel(handles[timer])
        schedule(timer)
      }
      now += 1
      lane.advance(to: now) { _, _ in fail() }
    }
  }
}
