internal import HeadwayTime

/// Wakes the run loop when something is due, through a descriptor that can be read then.
///
/// The time is that of the machine's suspending clock: it stands still while the machine sleeps. Not thread
/// safe: it belongs to the run loop.
final class RunAlarm {
  /// The bell, which the timer rings for as long as either of us needs it.
  private let ringer: Bell
  /// The timer, nil before the first.
  private var timer: TimerService.Handle?
  /// The moment that the alarm is set to, on the time line of the run; nil when it is not set.
  private var moment: Duration?

  /// Can be read when the moment has come.
  var bell: Int32 { ringer.descriptor }

  /// Creates an alarm that is not set.
  ///
  /// - Throws: `RunnerError.system` when the machine has no descriptor left.
  init() throws(RunnerError) {
    ringer = try Bell(for: "the time")
  }

  deinit { timer?.cancel() }

  /// Sets the alarm in place of what it was set to.
  ///
  /// - Parameters:
  ///   - next: When it has to ring, nil for never.
  ///   - now: The present moment.
  func set(_ next: Duration?, now: Duration) {
    guard next != moment else { return }
    moment = next
    guard let next else {
      timer?.cancel()
      return
    }
    if timer?.reschedule(after: next - now) ?? false { return }
    timer = TimerService.suspending.schedule(after: next - now) { [ringer] in
      ringer.ring()
    }
  }

  /// Notes that the alarm has rung.
  func silence() {
    ringer.silence()
    moment = nil
  }
}
