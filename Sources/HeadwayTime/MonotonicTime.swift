internal import CTime

/// The monotonic clock of the machine, for code that owns a clock; cores take `now` as an argument.
package enum MonotonicTime {
  /// The time since an arbitrary moment before the program started.
  ///
  /// It never goes back, and it stops while the machine sleeps, so that a suspended laptop does not use up the
  /// time-outs of tasks that could not run. Safe from any thread.
  package static var now: Duration {
    .nanoseconds(hw_clock_now(HW_CLOCK_SUSPENDING))
  }

  /// The time since the machine was started, which does not stop while it sleeps.
  ///
  /// Safe from any thread.
  package static var continuous: Duration {
    .nanoseconds(hw_clock_now(HW_CLOCK_CONTINUOUS))
  }
}
