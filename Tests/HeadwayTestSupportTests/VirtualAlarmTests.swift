import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// Alarms on virtual time, as a timer service uses them.
struct VirtualAlarmTests {
  /// The clock.
  private let clock = VirtualClock()
  /// When the alarm rang, in nanoseconds.
  private let log = Log()

  /// Makes an alarm that writes down when it rings.
  private func alarm(_ name: String = "") -> any TimerAlarm {
    let alarm = clock.makeAlarm()
    let (clock, log) = (clock, log)
    alarm.start { log.add("\(name)\(clock.now.offset / .nanoseconds(1))") }
    return alarm
  }

  @Test func `An alarm rings at its moment, once`() {
    let alarm = alarm()
    alarm.set(500)
    clock.advance(by: .nanoseconds(499))
    #expect(log.lines == [])
    clock.advance(by: .nanoseconds(1_000))
    #expect(log.lines == ["500.0"])
    #expect(alarm.now == 1_499)
  }

  @Test func `Of several wishes the earliest counts`() {
    let alarm = alarm()
    for moment in [500, 300, 400] as [UInt64] { alarm.set(moment) }
    clock.advance(by: .nanoseconds(1_000))
    #expect(log.lines == ["300.0"])
  }

  @Test func `A moment that has passed rings before time goes on, and not inside the wish`() {
    clock.advance(by: .nanoseconds(70))
    let alarm = alarm()
    alarm.set(20)
    #expect(log.lines == [])
    let hasRung = clock.step()
    #expect(hasRung)
    #expect(log.lines == ["70.0"])
  }

  @Test func `An alarm that sets itself while it rings rings at each moment on the way`() {
    let alarm = clock.makeAlarm()
    let log = log
    alarm.start { [unowned alarm] in
      log.add("\(alarm.now)")
      alarm.set(alarm.now + 10)
    }
    alarm.set(10)
    clock.advance(by: .nanoseconds(35))
    #expect(log.lines == ["10", "20", "30"])
  }

  @Test func `A stopped alarm rings no more and does not count as waiting`() {
    let alarm = alarm()
    alarm.set(10)
    alarm.stop()
    alarm.set(20)
    let hasRung = clock.step()
    #expect(!hasRung)
    #expect(log.lines == [])
  }

  @Test func `An alarm ends with its owner`() {
    do { alarm().set(10) }
    let hasRung = clock.step()
    #expect(!hasRung)
  }

  @Test func `Alarms are no sleepers, and ring in the order in which they were set`() {
    let alarms = ["a", "b", "c"].map(alarm)
    for alarm in alarms.reversed() { alarm.set(10) }
    #expect(clock.sleeperCount == 0)
    clock.step()
    #expect(log.lines == ["c10.0", "b10.0", "a10.0"])
  }

  @Test func `A ring that lets the time go on is followed by the next, never interrupted by it`() {
    let alarm = clock.makeAlarm()
    let (clock, log) = (clock, log)
    alarm.start { [unowned alarm] in
      let now = alarm.now
      log.add("\(now) begins")
      if now < 30 {
        alarm.set(now + 10)
        clock.advance(by: .nanoseconds(10))
      }
      log.add("\(now) ends")
    }
    alarm.set(10)
    clock.advance(by: .nanoseconds(10))
    #expect(
      log.lines == [
        "10 begins", "10 ends", "20 begins", "20 ends", "30 begins", "30 ends",
      ])
  }
}
