import HeadwayBar
import HeadwayLock
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The bar with a clock and a lock.
struct LiveBarTests {
  /// What tests set the time with, and note calls in.
  private final class Notes: Sendable {
    /// The time in seconds.
    let now = Guarded(0.0)
    /// What was called.
    let calls = Guarded<[String]>([])
  }

  @Test func `A completion is told once whether its transition ended`() {
    let notes = Notes()
    let bar = LiveBar(ProgressBar(range: 0...100)) { notes.now.withLock { $0 } }
    bar.setValue(80, duration: 2) { done in notes.calls.withLock { $0.append("80 \(done)") } }
    notes.now.withLock { $0 = 1 }
    #expect(bar.shown == 40 && bar.reported == 80, "both values can be read, apart")
    bar.setValue(20, duration: 2) { done in notes.calls.withLock { $0.append("20 \(done)") } }
    #expect(notes.calls.withLock { $0 } == ["80 false"])
    notes.now.withLock { $0 = 9 }
    bar.advance()
    bar.advance()
    #expect(notes.calls.withLock { $0 } == ["80 false", "20 true"])
    bar.setValue(20, duration: 2) { done in notes.calls.withLock { $0.append("there \(done)") } }
    #expect(notes.calls.withLock { $0 }.last == "there true", "it is there already")
  }

  @Test func `A completion may use the bar`() {
    let notes = Notes()
    let bar = LiveBar(ProgressBar(range: 0...100)) { notes.now.withLock { $0 } }
    bar.setValue(50, duration: 1) { [bar] _ in
      bar.setValue(100, duration: 1) { done in notes.calls.withLock { $0.append("\(done)") } }
    }
    for second in 1...3 {
      notes.now.withLock { $0 = Double(second) }
      bar.advance()
    }
    #expect(bar.shown == 100 && notes.calls.withLock { $0 } == ["true"])
  }

  @Test func `Observers hear of everything, and a copy is drawn alone`() {
    let notes = Notes()
    let bar = LiveBar(ProgressBar(range: 0...100)) { notes.now.withLock { $0 } }
    bar.observe { event in notes.calls.withLock { $0.append("\(event)") } }
    bar.update { bar, now in
      bar.layout = BarLayout(width: 200, height: 24)
      bar.setValue(10, at: now)
    }
    let isTaken = bar.update { $0.pointerDown(x: 100, y: 12, at: $1) }
    #expect(isTaken)
    #expect(notes.calls.withLock { $0 } == ["dragBegan", "dragged(50.0)"])
    var (copy, now) = bar.look()
    copy.cancelDrag(at: now)
    now += 1
    #expect(bar.shown == 50, "what is done to a copy stays there")
  }

  @Test func `Its own clock stands still while the machine sleeps`() {
    // The clock that does not count a sleep, by the system's definition, is the monotonic one.
    func monotonic() -> Double {
      var time = timespec()
      #if canImport(Darwin)
        unsafe clock_gettime(CLOCK_UPTIME_RAW, &time)
      #else
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
      #endif
      return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
    let before = monotonic()
    let bar = LiveBar(ProgressBar())
    let created = monotonic()
    let first = monotonic()
    let now = bar.look().now
    let last = monotonic()
    #expect(now >= first - created - 1e-6 && now <= last - before + 1e-6)
  }

  @Test func `Any number of threads may report and look`() async {
    let bar = LiveBar(ProgressBar(range: 0...1_000))
    let notes = Notes()
    await withTaskGroup { group in
      for worker in 0..<4 {
        group.addTask {
          for value in 0..<250 {
            if worker == 0 {
              bar.setValue(Double(value), duration: 0) { _ in notes.calls.withLock { $0.append("") }
              }
            } else {
              _ = bar.look().bar.fraction(at: 0)
              bar.update { $0.report(Double(value), at: $1) }
            }
          }
        }
      }
    }
    #expect(notes.calls.withLock { $0.count } == 250, "each is told once")
  }
}
