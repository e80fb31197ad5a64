/// A source of time for a timer service: a clock that can call back at a requested moment.
///
/// For the clocks of the machine it is a sleeping thread, for any other clock a sleeping task. A virtual clock calls
/// back while it is advanced.
package protocol WakeSource: AnyObject, Sendable {
  /// The current time in nanoseconds since an arbitrary origin; it never goes back.
  var now: UInt64 { get }

  /// Sets the handler to call; called once, before any request.
  ///
  /// - Parameter handler: Called on any thread, never inside `requestWake(at:)` and never twice at a time.
  func start(_ handler: @escaping @Sendable () -> Void)

  /// Requests a call of the handler.
  ///
  /// Earlier requests stay in force: the source calls the handler at the earliest requested moment, then forgets all
  /// requests. It may call early or without need, but it always calls eventually. Safe from any thread and from the
  /// handler.
  ///
  /// - Parameter moment: The moment, in nanoseconds like `now`. For a moment that has passed the handler is called at
  ///   once, but not inside this call.
  func requestWake(at moment: UInt64)

  /// Stops calling the handler, except for a call that has already begun.
  func stop()
}

/// A clock that makes wake sources of its own, as a virtual clock does.
package protocol WakeSourceClock: Clock where Duration == Swift.Duration {
  /// Makes a wake source on this clock's time.
  func makeWakeSource() -> any WakeSource
}

/// A clock with a timer service of its own, which `withDeadline` uses.
///
/// `ContinuousClock` and `SuspendingClock` each have one for the whole process, and so does the virtual clock of
/// HeadwayTestSupport. For any other clock, `withDeadline` creates a service for each call. Programs cannot conform, because
/// the protocol is not public.
package protocol TimerClock: Clock where Duration == Swift.Duration {
  /// The timer service of the clock.
  var timers: TimerService { get }
}
