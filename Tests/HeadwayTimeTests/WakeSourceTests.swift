import Dispatch
import HeadwayTestSupport
import Synchronization
import Testing

@testable import HeadwayTime

/// The wake sources of a timer service, on their own.
struct WakeSourceTests {
  @Test func `On a clock of the machine a later request does not postpone an earlier one`() {
    let source = SystemWakeSource(isContinuous: true)
    let calls = Atomic<Int>(0)
    let called = DispatchSemaphore(value: 0)
    source.start {
      if calls.add(1, ordering: .relaxed).newValue == 1 {
        // The thread sleeps only after this call, so it finds both.
        source.requestWake(at: source.now)
        source.requestWake(at: source.now + 3_600_000_000_000)
      }
      called.signal()
    }
    source.requestWake(at: source.now)
    for call in 1...2 {
      let result = called.wait(timeout: .now() + .seconds(60))
      #expect(result == .success, "call \(call)")
    }
    source.stop()
  }

  @Test func `On any other clock a wake during a call makes the handler run once more`() {
    let source = ClockWakeSource(VirtualClock())
    let calls = Atomic<Int>(0)
    source.start {
      if calls.add(1, ordering: .relaxed).newValue == 1 { source.wake() }
    }
    source.wake()
    let count = calls.load(ordering: .relaxed)
    #expect(count == 2)
    source.stop()
  }
}
