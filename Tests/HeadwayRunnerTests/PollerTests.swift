import HeadwaySystem
import HeadwayTime
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// Waiting for events and time.
struct PollerTests {
  @Test func `An event wakes once it is set, until it is cleared`() throws {
    let poller = try Poller()
    let event = WaitableEvent()
    #expect(poller.add(event.descriptor, token: 3))
    #expect(poller.wait(for: .zero) == [])
    event.set()
    event.set()
    #expect(poller.wait(for: .seconds(120)) == [3])
    #expect(poller.wait(for: .zero) == [3])
    event.clear()
    #expect(poller.wait(for: .zero) == [])
    event.set()
    poller.remove(event.descriptor)
    #expect(poller.wait(for: .zero) == [])
  }

  @Test(arguments: [
    Duration.nanoseconds(1), .microseconds(300), .milliseconds(2), .microseconds(2_500),
  ])
  func `A wait never ends early for its time-out`(timeout: Duration) throws {
    let poller = try Poller()
    for _ in 0..<20 {
      let begin = MonotonicTime.now
      #expect(poller.wait(for: timeout) == [])
      #expect(MonotonicTime.now - begin >= timeout)
    }
  }

  @Test func `A wait without a time-out lasts until something happens`() {
    let event = WaitableEvent()
    let found = onOwnThread { () -> [[UInt64]] in
      guard let poller = try? Poller(), poller.add(event.descriptor, token: 3) else { return [] }
      return (0..<50).map { _ in
        guard SystemThread.start(named: "test", { event.set() }) == 0 else { return [] }
        defer { event.clear() }
        return poller.wait(for: nil)
      }
    }
    #expect(found == Array(repeating: [3], count: 50))
  }

  @Test func `A time-out that is over is no wait, and the longest is one`() throws {
    let poller = try Poller()
    #expect(poller.wait(for: .seconds(-5)) == [])
    let event = WaitableEvent()
    #expect(poller.add(event.descriptor, token: 3))
    event.set()
    #expect(poller.wait(for: .zero) == [3])
    let found = onOwnThread { () -> [UInt64] in
      guard let poller = try? Poller(), poller.add(event.descriptor, token: 3) else { return [] }
      return poller.wait(for: .seconds(Int64.max))
    }
    #expect(found == [3])
  }
}
