import Dispatch
import HeadwayLock
import HeadwayTestSupport
import HeadwayTime
import Testing

/// The examples beside the declarations.
@Suite(.timeLimit(.minutes(60)))
struct SnippetTests {
  private let clock = VirtualClock()
  private let notes = SnippetNotes()

  @Test func `A wheel returns expired timers`() {
    var wheel = TimingWheel<String>()
    let fetch = wheel.schedule("fetch", at: 500)
    wheel.schedule("ping", at: 90)
    let next = wheel.nextExpiry  // 90
    #expect(next == 90)
    var expired: [String] = []
    wheel.advance(to: 100) { wheel, timer in
      expired.append(timer.payload)  // ping
      wheel.schedule("ping", at: timer.deadline + 90)  // the closure may use the wheel
    }
    #expect(expired == ["ping"])
    let first = wheel.cancel(fetch)  // "fetch"
    let second = wheel.cancel(fetch)  // nil: the timer is gone
    #expect(first == "fetch" && second == nil)
  }

  @Test func `A wheel gives memory back`() {
    var wheel = TimingWheel<Int>()
    let handles = (0..<100_000).map { wheel.schedule($0, at: 500) }
    for handle in handles.dropFirst() { wheel.cancel(handle) }
    let full = wheel.memoryFootprint
    wheel.shrinkToFit()  // 3 MB less
    let left = wheel.cancel(handles[0])  // 0
    let released = full - wheel.memoryFootprint
    #expect(left == 0)
    #expect((2_500_000..<3_500_000).contains(released))
  }

  @Test func `The timers of a wheel are kept by their handles`() {
    var wheel = TimingWheel<String>()
    var timeouts: [String: TimingWheel<String>.Handle] = [:]
    timeouts["host-1"] = wheel.schedule("host-1", at: 500)
    if let timeout = timeouts.removeValue(forKey: "host-1") { wheel.cancel(timeout) }
    let isEmpty = wheel.isEmpty
    #expect(isEmpty)
  }

  @Test func `A lane keeps a timer that is restarted`() {
    var lane = TimeoutLane<String>(duration: 30)
    let handle = lane.schedule("connection 7", now: 0)
    let next = lane.nextExpiry  // 30
    #expect(next == 30)
    let isOpen = lane.restart(handle, now: 12)  // true: there was activity
    #expect(isOpen)
    var idle: [String] = []
    lane.advance(to: 42) { _, timer in idle.append(timer.payload) }  // connection 7
    #expect(idle == ["connection 7"])
  }

  @Test func `The timers of a lane are kept by their handles`() {
    var lane = TimeoutLane<Int>(duration: 30)
    var timeouts: [Int: TimeoutLane<Int>.Handle] = [:]
    timeouts[7] = lane.schedule(7, now: 0)
    if let timeout = timeouts[7] { lane.restart(timeout, now: 12) }  // there was activity
    let next = lane.nextExpiry
    #expect(next == 42)
  }

  @Test func `A timer that expires has its payload and its tick`() {
    var wheel = TimingWheel<String>()
    wheel.schedule("ping", at: 90)
    var due: [String] = []
    wheel.advance(to: 100) { (_, timer: consuming ExpiredTimer<String>) in
      due.append("\(timer.payload) was due at \(timer.deadline)")  // ping was due at 90
    }
    #expect(due == ["ping was due at 90"])
  }

  @Test func `An advance is cut into batches`() {
    var wheel = TimingWheel<Int>()
    for number in 0..<3_000 { wheel.schedule(number, at: 90) }
    var expired: [Int] = []
    var batches = 0
    func handleOtherWork() { batches += 1 }
    var result = AdvanceResult.limitReached
    while result == .limitReached {
      result = wheel.advance(to: 100, limit: 1_000) { _, timer in expired.append(timer.payload) }
      handleOtherWork()
    }
    #expect(expired.count == 3_000 && batches > 0)
  }

  @Test func `A repeated key replaces the one before`() async throws {
    var configuration = TimeoutRunner<String, String>.Configuration(timeout: .seconds(10))
    configuration.repeatedKey = .replace  // of the searches for one field, only the last one counts
    let search = TimeoutRunner(configuration)
    #expect(try await search.run("field") { "found" } == "found")
  }

  @Test func `A late result has its key`() async throws {
    let notes = notes
    let (late, came) = AsyncStream.makeStream(of: Void.self)
    @Sendable func show(_ note: String) {
      notes.add(note)
      came.yield()
    }
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let gate = SnippetGate()
    var configuration = TimeoutRunner<String, Int>.Configuration(
      timeout: .seconds(10), timers: clock.timers)
    configuration.lateResult = { (late: TimeoutRunner<String, Int>.LateResult) in
      show("\(late.key) came \(late.overdue) too late")
    }
    let runner = TimeoutRunner(configuration)
    try runner.submit("slow") {
      start.yield()
      gate.wait()
      return 1
    } completion: { _ in
    }
    for await _ in starts { break }
    clock.advance(by: .seconds(12))
    gate.open()
    for await _ in late { break }
    #expect(notes.all == ["slow came 2.0 seconds too late"])
  }

  @Test func `A stuck function has run for some time`() async throws {
    let show = notes.add
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    let gate = SnippetGate()
    let runner = TimeoutRunner<String, Int>(
      TimeoutRunner.Configuration(timeout: .seconds(10), timers: clock.timers))
    try runner.submit("slow") {
      start.yield()
      gate.wait()
      return 1
    } completion: { _ in
    }
    for await _ in starts { break }
    clock.advance(by: .seconds(12))
    let stuck: [TimeoutRunner<String, Int>.StuckFunction] = runner.stuck
    for function in stuck {
      show("\(function.key) has run for \(function.running)")
    }
    gate.open()
    #expect(notes.all == ["slow has run for 12.0 seconds"])
  }

  @Test func `A runner counts its answers`() async throws {
    let show = notes.add
    let runner = TimeoutRunner<String, Int>(timeout: .seconds(3_600))
    _ = try await runner.run("one") { 1 }
    let statistics: TimeoutRunnerStatistics = runner.statistics
    show("\(statistics.finished) of \(statistics.submitted) in time, \(statistics.stuck) stuck")
    #expect(notes.all == ["1 of 1 in time, 0 stuck"])
  }

  @Test func `A connection has a heartbeat`() {
    let notes = notes
    let timers = clock.timers
    let ping: @Sendable () -> Void = { notes.add("ping") }
    final class Heartbeat: Sendable {
      private let timer: RepeatingTimer

      init(_ timers: TimerService, ping: @escaping @Sendable () -> Void) {
        timer = timers.schedule(every: .seconds(30), ping)
      }

      deinit { timer.cancel() }
    }
    do {
      let heartbeat = Heartbeat(timers, ping: ping)
      clock.advance(by: .seconds(60))
      withExtendedLifetime(heartbeat) {}
    }
    clock.advance(by: .seconds(60))
    #expect(notes.all == ["ping", "ping"])
  }

  @Test func `A document is saved when nobody types`() {
    let notes = notes
    struct Autosave {
      let timers: TimerService
      let save: @Sendable () -> Void
      var timer: TimerService.Handle?

      mutating func keyWasPressed() {
        if timer?.reschedule(after: .seconds(1)) == true { return }
        timer = timers.schedule(after: .seconds(1), save)
      }
    }
    var autosave = Autosave(timers: clock.timers, save: { notes.add("saved") })
    autosave.keyWasPressed()
    clock.advance(by: .milliseconds(900))
    autosave.keyWasPressed()
    clock.advance(by: .milliseconds(900))
    #expect(notes.all == [])
    clock.advance(by: .milliseconds(100))
    #expect(notes.all == ["saved"])
    autosave.keyWasPressed()
    clock.advance(by: .seconds(1))
    #expect(notes.all == ["saved", "saved"])
  }
}

/// Keeps what examples show.
private final class SnippetNotes: Sendable {
  private let kept = Guarded<[String]>([])

  var all: [String] { kept.withLock { $0 } }

  func add(_ note: String) { kept.withLock { $0.append(note) } }
}

/// Blocks a thread until it is opened.
private final class SnippetGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() { semaphore.wait() }
  func open() { semaphore.signal() }
}
