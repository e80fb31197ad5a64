/// What wakes a timer service: a clock, and something that rings when a moment has come.
///
/// The seam between a service and time. The machine's clocks have a sleeping thread behind it, any other
/// clock a sleeping task, and a virtual clock nothing but its own steps.
package protocol TimerAlarm: AnyObject, Sendable {
  /// The present moment in nanoseconds since an origin of the alarm's own; it never goes back.
  var now: UInt64 { get }

  /// Says what to do when the alarm rings. It is called once, before anything else but `now`.
  ///
  /// - Parameter ring: What to call, on any thread, never inside a call of `set` and never two at a time.
  func start(_ ring: @escaping @Sendable () -> Void)

  /// Asks to be rung at a moment.
  ///
  /// Earlier wishes stay: the alarm rings at the earliest, forgets all and waits for the next wish. It may
  /// ring early or for nothing, never late for good. Safe from any thread, and while it rings.
  ///
  /// - Parameter moment: In nanoseconds like `now`; one that has passed rings at once, though not inside this
  ///   call.
  func set(_ moment: UInt64)

  /// Ends the alarm: after this it rings no more, but for a ring that is on its way.
  func stop()
}

/// A clock that makes alarms of its own, as a virtual clock does.
package protocol AlarmClock: Clock where Duration == Swift.Duration {
  /// Makes an alarm on this clock's time.
  func makeAlarm() -> any TimerAlarm
}

/// A clock that has a timer service of its own, which `withDeadline` uses.
///
/// `ContinuousClock` and `SuspendingClock` have one for the whole process. A clock without one gets a service
/// for each call, with a wheel of its own: one that is used often should conform.
public protocol TimerClock: Clock where Duration == Swift.Duration {
  /// The service of the clock.
  var timers: TimerService { get }
}
