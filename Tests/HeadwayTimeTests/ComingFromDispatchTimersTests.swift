import Dispatch
import Foundation
import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// The examples of the page about dispatch timers; `DocumentedNamesTests` compares them with the page.
@Suite(.timeLimit(.minutes(60)))
struct ComingFromDispatchTimersTests {
  private let clock = VirtualClock()

  @Test func `A document is saved when nobody has typed for a while`() {
    let timers = clock.timers
    let document = FlushedLog()
    let save = timers.schedule(after: .milliseconds(300)) { document.save() }
    #expect(save.isScheduled)
    clock.advance(by: .milliseconds(299))
    save.reschedule(after: .milliseconds(300))  // another key was pressed
    clock.advance(by: .milliseconds(299))
    #expect(document.lines == [])
    clock.advance(by: .milliseconds(1))
    #expect(document.lines == ["saved"])
    #expect(!save.isScheduled)
  }

  @Test func `A timer is dropped before it fires`() {
    let timers = clock.timers
    let document = FlushedLog()
    let save = timers.schedule(after: .milliseconds(300)) { document.save() }
    save.reschedule(after: .milliseconds(300))  // another key was pressed
    let isOff = save.cancel()  // true: it will not be saved by this timer
    #expect(isOff)
    clock.advance(by: .seconds(1))
    #expect(document.lines == [])
  }

  @Test func `Longer work is passed on to a queue`() {
    let timers = clock.timers
    let queue = DispatchQueue(label: "log")
    let log = FlushedLog()
    let flush = timers.schedule(every: .seconds(5), tolerance: .seconds(1)) {
      queue.async { log.flush() }
    }
    clock.advance(by: .seconds(16))
    flush.cancel()
    clock.advance(by: .seconds(16))
    queue.sync {}
    #expect(log.lines == ["flushed", "flushed", "flushed"])
  }

  @Test func `What follows the loop is the cancel handler`() async {
    let timers = clock.timers
    let log = FlushedLog()
    let flushing = Task {
      for await _ in timers.ticks(every: .seconds(5)) { log.flush() }
      log.close()
    }
    flushing.cancel()
    await flushing.value  // the log is closed
    #expect(log.lines == ["closed"])
  }

  @Test func `The first time is not a period from the beginning`() throws {
    let log = FlushedLog()
    try withVirtualTime { clock in
      let timers = clock.timers
      log.clock.withLock { $0 = clock }
      try await timers.sleep(for: .seconds(2))
      log.flush()
      for await _ in timers.ticks(every: .seconds(5)).prefix(2) { log.flush() }
    }
    #expect(
      log.lines == ["flushed at 2.0 seconds", "flushed at 7.0 seconds", "flushed at 12.0 seconds"])
  }

  @Test func `A date is reached although the time of day is set`() {
    let timers = clock.timers
    let wall = Wall()
    let log = FlushedLog()
    @Sendable func run(at date: Date, _ action: @escaping @Sendable () -> Void) {
      let left = date.timeIntervalSince(wall.now)
      if left <= 0 { return action() }
      timers.schedule(after: .seconds(min(left, 60))) { run(at: date, action) }
    }
    let begin = wall.now
    run(at: begin + 90) { log.flush() }
    wall.now = begin + 60
    clock.advance(by: .seconds(60))
    wall.now = begin - 3_600  // somebody sets it back
    clock.advance(by: .seconds(30))
    #expect(log.lines == [] && timers.count == 1)
    wall.now = begin + 7_200  // and forward
    clock.advance(by: .seconds(60))
    #expect(log.lines == ["flushed"] && timers.count == 0)
    run(at: begin) { log.flush() }
    #expect(log.lines == ["flushed", "flushed"])
  }
}

/// What was done to a document or a log.
private final class FlushedLog: Sendable {
  /// The clock whose time is noted, if there is one.
  let clock = Guarded<VirtualClock?>(nil)
  private let kept = Guarded<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func save() { note("saved") }
  func flush() { note("flushed") }
  func close() { note("closed") }

  private func note(_ what: String) {
    let time = clock.withLock { $0 }.map { " at \($0.now.offset)" } ?? ""
    kept.withLock { $0.append(what + time) }
  }
}

/// A wall clock that can be set.
private final class Wall: Sendable {
  private let date = Guarded(Date(timeIntervalSince1970: 1_800_000_000))

  var now: Date {
    get { date.withLock { $0 } }
    set { date.withLock { $0 = newValue } }
  }
}
