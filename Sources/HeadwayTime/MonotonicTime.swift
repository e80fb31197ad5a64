#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The machine's monotonic clock, for the shells that own a clock; cores take `now` as an argument.
package enum MonotonicTime {
  /// The time since an arbitrary moment before the program started.
  ///
  /// It never goes back and stands still while the machine sleeps, so a suspended laptop does not use up the
  /// time of tasks that could not run. Safe from any thread.
  package static var now: Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
