import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// Timers that are started again.
struct ReusableTimerTests {
  private let clock = VirtualClock()
  private let log = Log()

  /// A timer that notes when it expires.
  private func timer(_ timers: TimerService) -> ReusableTimer {
    timers.makeTimer { [clock, log] in log.add("\(clock.now.offset)") }
  }

  @Test func `A timer that has expired can be started again`() {
    let timers = TimerService(clock: clock)
    let timer = timer(timers)
    #expect(!timer.isRunning && timers.count == 0)
    #expect(!timer.start(after: .seconds(2)))
    #expect(timer.isRunning && timers.count == 1)
    clock.advance(by: .seconds(3))
    #expect(log.lines == ["2.0 seconds"] && !timer.isRunning)
    #expect(!timer.start(after: .seconds(2)))
    clock.advance(by: .seconds(3))
    #expect(log.lines == ["2.0 seconds", "5.0 seconds"])
  }

  @Test(arguments: [Duration.zero, .milliseconds(1)])
  func `A start while it runs replaces the one before`(tolerance: Duration) {
    let timers = TimerService(clock: clock)
    let timer = timer(timers)
    timer.start(after: .seconds(2))
    clock.advance(by: .seconds(1))
    #expect(timer.start(after: .seconds(2), tolerance: tolerance))
    #expect(timers.count == 1)
    clock.advance(by: .milliseconds(1_999))
    #expect(log.lines.isEmpty)
    clock.advance(by: .milliseconds(2))
    #expect(log.lines.count == 1)
  }

  @Test func `A cancelled timer can be started again, and one that is released does not expire`() {
    let timers = TimerService(clock: clock)
    var timer: ReusableTimer? = timer(timers)
    timer?.start(after: .seconds(2))
    #expect(timer?.cancel() == true)
    #expect(timer?.cancel() == false)
    clock.advance(by: .seconds(3))
    #expect(log.lines.isEmpty)
    #expect(timer?.start(after: .seconds(2)) == false)
    timer = nil
    #expect(timers.count == 0)
    clock.advance(by: .seconds(3))
    #expect(log.lines.isEmpty)
  }

  @Test func `An action can start its own timer`() {
    let timers = TimerService(clock: clock)
    let own = Guarded<ReusableTimer?>(nil)
    let timer = timers.makeTimer { [clock, log] in
      log.add("\(clock.now.offset)")
      if log.lines.count < 3 { own.withLock { $0 }?.start(after: .seconds(1)) }
    }
    own.withLock { $0 = timer }
    timer.start(after: .seconds(1))
    clock.advance(by: .seconds(10))
    #expect(log.lines == ["1.0 seconds", "2.0 seconds", "3.0 seconds"])
    own.withLock { $0 = nil }
  }

  @Test func `A timer of a service that was shut down never runs`() {
    let timers = TimerService(clock: clock)
    let timer = timer(timers)
    timer.start(after: .seconds(1))
    timers.shutDown()
    #expect(!timer.isRunning && !timer.start(after: .seconds(1)) && !timer.isRunning)
  }

  @Test func `An idle connection is closed`() {
    let connection = Connection()
    let idle: ReusableTimer = TimerService.continuous.makeTimer { connection.close() }
    idle.start(after: .seconds(30))
    idle.start(after: .seconds(30))  // true: the connection was used, and its time begins again
    idle.cancel()  // true: the action will not run
    idle.start(after: .seconds(30))  // false: it was not running
    #expect(idle.cancel())
  }

  private struct Connection: Sendable {
    func close() {}
  }
}
