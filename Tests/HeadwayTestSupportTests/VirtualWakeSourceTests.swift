import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// Wake sources on virtual time, as a timer service uses them.
struct VirtualWakeSourceTests {
  private let clock = VirtualClock()
  /// The calls of the handlers, in nanoseconds.
  private let log = Log()

  /// Makes a source whose handler logs the time.
  private func source(_ name: String = "") -> any WakeSource {
    let source = clock.makeWakeSource()
    let (clock, log) = (clock, log)
    source.start { log.add("\(name)\(clock.now.offset / .nanoseconds(1))") }
    return source
  }

  @Test func `A handler is called at the requested moment, once`() {
    let source = source()
    source.requestWake(at: 500)
    clock.advance(by: .nanoseconds(499))
    #expect(log.lines == [])
    clock.advance(by: .nanoseconds(1_000))
    #expect(log.lines == ["500.0"])
    #expect(source.now == 1_499)
  }

  @Test func `Of several requests the earliest counts`() {
    let source = source()
    for moment in [500, 300, 400] as [UInt64] { source.requestWake(at: moment) }
    clock.advance(by: .nanoseconds(1_000))
    #expect(log.lines == ["300.0"])
  }

  @Test
  func `A request for a past moment calls the handler in the next step, not inside the request`() {
    clock.advance(by: .nanoseconds(70))
    let source = source()
    source.requestWake(at: 20)
    #expect(log.lines == [])
    let hasWoken = clock.step()
    #expect(hasWoken)
    #expect(log.lines == ["70.0"])
  }

  @Test func `A handler that requests the next wake is called at each moment on the way`() {
    let source = clock.makeWakeSource()
    let log = log
    source.start { [unowned source] in
      log.add("\(source.now)")
      source.requestWake(at: source.now + 10)
    }
    source.requestWake(at: 10)
    clock.advance(by: .nanoseconds(35))
    #expect(log.lines == ["10", "20", "30"])
  }

  @Test func `A stopped source calls no handler, and nothing waits for it`() {
    let source = source()
    source.requestWake(at: 10)
    source.stop()
    source.requestWake(at: 20)
    let hasWoken = clock.step()
    #expect(!hasWoken)
    #expect(log.lines == [])
  }

  @Test func `A source stops when it is released`() {
    do { source().requestWake(at: 10) }
    let hasWoken = clock.step()
    #expect(!hasWoken)
  }

  @Test func `Sources do not count as sleepers, and are called in the order of their requests`() {
    let sources = ["a", "b", "c"].map(source)
    for source in sources.reversed() { source.requestWake(at: 10) }
    #expect(clock.sleeperCount == 0)
    clock.step()
    #expect(log.lines == ["c10.0", "b10.0", "a10.0"])
  }

  @Test func `A handler that advances the clock finishes before it is called again`() {
    let source = clock.makeWakeSource()
    let (clock, log) = (clock, log)
    source.start { [unowned source] in
      let now = source.now
      log.add("\(now) begins")
      if now < 30 {
        source.requestWake(at: now + 10)
        clock.advance(by: .nanoseconds(10))
      }
      log.add("\(now) ends")
    }
    source.requestWake(at: 10)
    clock.advance(by: .nanoseconds(10))
    #expect(
      log.lines == [
        "10 begins", "10 ends", "20 begins", "20 ends", "30 begins", "30 ends",
      ])
  }
}
