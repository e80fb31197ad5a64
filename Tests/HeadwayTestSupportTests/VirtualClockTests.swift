import Testing

@testable import HeadwayTestSupport

/// Advancing a virtual clock, and the sleeps that this ends.
struct VirtualClockTests {
  /// The object under test.
  private let bench = Bench()

  @Test func `A new clock is at zero and has no sleepers`() {
    #expect(bench.clock.now == .zero)
    #expect(bench.clock.sleeperCount == 0)
    #expect(bench.clock.minimumResolution == .nanoseconds(1))
  }

  @Test func `A clock advances by the given duration`() {
    bench.clock.advance(by: .seconds(3))
    bench.clock.advance(to: VirtualClock.Instant(offset: .seconds(5)))
    #expect(bench.clock.now.offset == .seconds(5))
  }

  @Test func `Time never goes back`() {
    bench.clock.advance(by: .seconds(3))
    bench.clock.advance(by: .seconds(-1))
    bench.clock.advance(to: .zero)
    #expect(bench.clock.now.offset == .seconds(3))
  }

  @Test func `A sleep ends at its deadline and not a nanosecond earlier`() {
    bench.sleeper("woken", until: .seconds(27 * 3600))
    bench.clock.advance(by: .seconds(27 * 3600) - .nanoseconds(1))
    bench.executor.drain()
    #expect(bench.log.lines == [])
    #expect(bench.clock.sleeperCount == 1)
    bench.clock.advance(by: .nanoseconds(1))
    bench.executor.drain()
    #expect(bench.log.lines == ["woken"])
    #expect(bench.clock.sleeperCount == 0)
  }

  @Test func `A fraction of a nanosecond is rounded up`() {
    bench.sleeper("woken", until: Duration(attoseconds: 1))
    bench.clock.step()
    #expect(bench.clock.now.offset == .nanoseconds(1))
  }

  @Test func `An advance wakes sleepers in the order of their deadlines, then of their beginnings`()
  {
    for (name, milliseconds) in [("d", 900), ("b", 20), ("a", 7), ("c", 20), ("e", 70_000)] {
      bench.sleeper(name, until: .milliseconds(milliseconds))
    }
    bench.clock.advance(by: .seconds(100))
    bench.executor.drain()
    #expect(bench.log.lines == ["a", "b", "c", "d", "e"])
  }

  @Test
  func
    `Sleepers with the same deadline wake in the order of their beginnings, however distant it was`()
  {
    let deadline = Duration.nanoseconds(300)
    bench.sleeper("from 0", until: deadline)
    bench.clock.advance(by: .nanoseconds(200))
    bench.sleeper("from 200", until: deadline)
    bench.clock.advance(by: .nanoseconds(90))
    bench.sleeper("from 290", until: deadline)
    bench.clock.advance(by: .nanoseconds(10))
    bench.executor.drain()
    #expect(bench.log.lines == ["from 0", "from 200", "from 290"])
  }

  @Test func `A step advances to the next deadline and wakes all its sleepers`() {
    bench.sleeper("later", until: .seconds(60))
    bench.sleeper("one", until: .seconds(2))
    bench.sleeper("two", until: .seconds(2))
    let hasWoken = bench.clock.step()
    bench.executor.drain()
    #expect(hasWoken)
    #expect(bench.clock.now.offset == .seconds(2))
    #expect(bench.log.lines == ["one", "two"])
  }

  @Test func `A step without sleepers does not advance the clock`() {
    bench.clock.advance(by: .seconds(1))
    let hasWoken = bench.clock.step()
    #expect(!hasWoken)
    #expect(bench.clock.now.offset == .seconds(1))
  }

  @Test(arguments: [Duration.seconds(4), .seconds(5), .seconds(-1)])
  func `A sleep until an instant that has passed returns at once`(deadline: Duration) {
    bench.clock.advance(by: .seconds(5))
    bench.sleeper("woken", until: deadline)
    #expect(bench.log.lines == ["woken"])
    #expect(bench.clock.now.offset == .seconds(5))
  }

  @Test func `A cancelled sleep ends at once and is removed`() {
    let task = bench.sleeper("sleep", until: .seconds(9))
    task.cancel()
    #expect(bench.clock.sleeperCount == 0)
    bench.executor.drain()
    #expect(bench.log.lines == ["sleep cancelled"])
    let hasWoken = bench.clock.step()
    #expect(!hasWoken)
    #expect(bench.clock.now == .zero)
  }

  @Test(arguments: [Duration.seconds(9), .zero])
  func `A task that is already cancelled does not sleep on the clock`(deadline: Duration) {
    let (clock, log) = (bench.clock, bench.log)
    let task = Task(executorPreference: bench.executor) {
      do {
        try await clock.sleep(until: VirtualClock.Instant(offset: deadline))
      } catch {
        log.add("\(type(of: error))")
      }
    }
    task.cancel()
    bench.executor.drain()
    #expect(log.lines == ["CancellationError"])
    #expect(clock.sleeperCount == 0)
  }

  @Test func `A cancellation that comes while a sleep begins ends it`() {
    let log = bench.log
    // Bypasses the check for cancellation at the beginning of a sleep.
    let timeline = bench.clock.timeline
    let task = Task(executorPreference: bench.executor) {
      do {
        try await timeline.sleep(until: 9)
      } catch {
        log.add("\(type(of: error))")
      }
    }
    task.cancel()
    bench.executor.drain()
    #expect(log.lines == ["CancellationError"])
    #expect(bench.clock.sleeperCount == 0)
  }

  @Test func `A cancellation after the end of a sleep changes nothing`() {
    let task = bench.sleeper("woken", until: .seconds(1))
    bench.clock.advance(by: .seconds(1))
    task.cancel()
    bench.executor.drain()
    #expect(bench.log.lines == ["woken"])
  }

  @Test func `A sleep for the longest duration lasts until it is cancelled`() {
    let task = bench.sleeper("sleep", until: Duration(attoseconds: .max))
    let hasWoken = bench.clock.step()
    #expect(!hasWoken)
    #expect(bench.clock.now == .zero)
    bench.clock.advance(by: Duration(attoseconds: .max))
    bench.executor.drain()
    #expect(bench.clock.now == .last)
    #expect(bench.clock.sleeperCount == 1)
    #expect(bench.log.lines == [])
    task.cancel()
    bench.executor.drain()
    #expect(bench.log.lines == ["sleep cancelled"])
  }

  @Test func `The last instant is reached`() {
    bench.sleeper("woken", until: VirtualClock.Instant.last.offset)
    let hasWoken = bench.clock.step()
    bench.executor.drain()
    #expect(hasWoken)
    #expect(bench.log.lines == ["woken"])
    #expect(bench.clock.now == .last)
  }

  @Test
  func
    `Thousands of sleepers wake in order, those with the same deadline in the order of beginning`()
  {
    let moments = (0..<5_000).map { $0 * 7_919 % 1_000 }
    for (number, moment) in moments.enumerated() {
      bench.sleeper("\(number)", until: .microseconds(moment))
    }
    while bench.clock.step() { bench.executor.drain() }
    let expected = moments.indices.sorted { (moments[$0], $0) < (moments[$1], $1) }
    // Those that waited for instant zero did not sleep, and come first anyway.
    #expect(bench.log.lines == expected.map(String.init))
  }

  @Test func `No sleeper is lost when threads sleep, cancel and advance at once`() async {
    let (clock, log) = (bench.clock, bench.log)
    await withTaskGroup { group in
      for number in 0..<400 {
        group.addTask {
          let task = Task { try await clock.sleep(for: .milliseconds(number % 20 + 1)) }
          if number % 3 == 0 { task.cancel() }
          // As long as some thread advances the clock, every sleep ends.
          let driver = Task {
            while !Task.isCancelled {
              clock.advance(by: .milliseconds(1))
              await Task.yield()
            }
          }
          log.add((try? await task.value) == nil ? "cancelled" : "woken")
          driver.cancel()
        }
      }
    }
    #expect(log.lines.count == 400)
    #expect(clock.sleeperCount == 0)
  }
}

/// Instants, up to the limits of `Duration`.
struct VirtualClockInstantTests {
  /// The longest duration.
  private let longest = Duration(attoseconds: .max)
  /// The most negative duration.
  private let lowest = Duration(attoseconds: .min)

  @Test func `Instants are ordered by their distance from zero`() {
    let early = VirtualClock.Instant(offset: .seconds(1))
    let late = early.advanced(by: .seconds(2))
    #expect(early < late)
    #expect(late.offset == .seconds(3))
    #expect(early.duration(to: late) == .seconds(2))
    #expect(late.duration(to: early) == .seconds(-2))
    #expect("\(late)" == "3.0 seconds")
  }

  @Test func `A sum beyond the longest duration is clamped`() {
    let moment = VirtualClock.Instant(offset: .seconds(1))
    #expect(moment.advanced(by: longest).offset == longest)
    #expect(VirtualClock.Instant(offset: .seconds(-1)).advanced(by: lowest).offset == lowest)
  }

  @Test func `A distance beyond the longest duration is clamped`() {
    let first = VirtualClock.Instant(offset: lowest)
    let end = VirtualClock.Instant(offset: longest)
    #expect(first.duration(to: end) == longest)
    #expect(end.duration(to: first) == lowest)
  }
}
