internal import CTime

/// The machine's monotonic clock, for the shells that own a clock; cores take `now` as an argument.
package enum MonotonicTime {
  /// The time since an arbitrary moment before the program started.
  ///
  /// It never goes back and stands still while the machine sleeps, so a suspended laptop does not use up the
  /// time of tasks that could not run. Safe from any thread.
  package static var now: Duration {
    .nanoseconds(Int64(clamping: hw_clock_now(HW_CLOCK_SUSPENDING)))
  }
}
