import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

/// Waiting for descriptors and time.
struct PollerTests {
  /// The tokens of the descriptors that are ready.
  private static func tokens(_ poller: Poller, _ timeout: Duration?) -> [UInt64] {
    poller.wait(for: timeout).map(\.token)
  }

  @Test func `An event wakes once it is set, until it is cleared`() {
    let poller = Poller()
    let event = WaitableEvent()
    #expect(poller.add(event.descriptor, token: 3))
    #expect(Self.tokens(poller, .zero) == [])
    event.set()
    event.set()
    #expect(Self.tokens(poller, .seconds(120)) == [3])
    #expect(Self.tokens(poller, .zero) == [3])
    event.clear()
    #expect(Self.tokens(poller, .zero) == [])
    event.set()
    poller.remove(event.descriptor)
    #expect(Self.tokens(poller, .zero) == [])
  }

  @Test(arguments: [
    Duration.nanoseconds(1), .microseconds(300), .milliseconds(2), .microseconds(2_500),
  ])
  func `A wait never ends early for its time-out`(timeout: Duration) {
    let poller = Poller()
    for _ in 0..<20 {
      let begin = SuspendingClock.now
      #expect(Self.tokens(poller, timeout) == [])
      #expect(begin.duration(to: .now) >= timeout)
    }
  }

  @Test func `A wait without a time-out lasts until something happens`() {
    let event = WaitableEvent()
    let found = onOwnThread { () -> [[UInt64]] in
      let poller = Poller()
      guard poller.add(event.descriptor, token: 3) else { return [] }
      return (0..<50).map { _ in
        guard SystemThread.start(named: "test", { event.set() }) == 0 else { return [] }
        defer { event.clear() }
        return Self.tokens(poller, nil)
      }
    }
    #expect(found == Array(repeating: [3], count: 50))
  }

  @Test func `A time-out that is over is no wait, and the longest is one`() {
    let poller = Poller()
    #expect(Self.tokens(poller, .seconds(-5)) == [])
    let event = WaitableEvent()
    #expect(poller.add(event.descriptor, token: 3))
    event.set()
    #expect(Self.tokens(poller, .zero) == [3])
    let found = onOwnThread { () -> [UInt64] in
      let poller = Poller()
      guard poller.add(event.descriptor, token: 3) else { return [] }
      return Self.tokens(poller, .seconds(Int64.max))
    }
    #expect(found == [3])
  }

  @Test func `Each descriptor is watched for what it was added for`() {
    let pipe = Pipe()
    defer { for end in [pipe.reader, pipe.writer] { close(end) } }
    let poller = Poller()
    #expect(poller.add(pipe.reader, token: 1))
    #expect(poller.add(pipe.writer, token: 2, interest: .write))
    let writable = poller.wait(for: .zero)
    #expect(writable.map(\.token) == [2])
    #expect(writable.allSatisfy { $0.isWritable && !$0.isReadable && !$0.isHungUp })
    pipe.write("x")
    #expect(poller.change(pipe.writer, token: 2, interest: []))
    let readable = poller.wait(for: .zero)
    #expect(readable.map(\.token) == [1])
    #expect(readable.allSatisfy { $0.isReadable && !$0.isWritable && !$0.isHungUp })
    #expect(poller.change(pipe.reader, token: 7, interest: []))
    #expect(poller.wait(for: .zero).isEmpty)
    #expect(poller.change(pipe.reader, token: 7, interest: .read))
    #expect(poller.wait(for: .zero).map(\.token) == [7])
  }

  @Test func `The end of the other side is reported, whatever a descriptor is watched for`() {
    let pipe = Pipe()
    defer { close(pipe.reader) }
    let poller = Poller()
    #expect(poller.add(pipe.reader, token: 1, interest: []))
    #expect(poller.wait(for: .zero).isEmpty)
    close(pipe.writer)
    let events = poller.wait(for: .seconds(120))
    #expect(events.map(\.token) == [1])
    #expect(events.allSatisfy { $0.isHungUp && $0.isReadable })
  }

  @Test func `More descriptors than one wait reports are not forgotten`() {
    let poller = Poller()
    let events = (0..<100).map { _ in WaitableEvent() }
    for (index, event) in events.enumerated() {
      #expect(poller.add(event.descriptor, token: UInt64(index)))
      event.set()
    }
    var found: Set<UInt64> = []
    // The system takes turns.
    for _ in 0..<10 where found.count < events.count {
      found.formUnion(Self.tokens(poller, .zero))
    }
    #expect(found.count == events.count)
  }

  @Test func `What cannot be watched is not added, and errno is the reason`() {
    let poller = Poller()
    #expect(!poller.add(-1, token: 1))
    #expect(errno == EBADF)
    #expect(!poller.change(0, token: 1, interest: .read))
  }

  @Test func `Without descriptors a poller is not open, and errno is the reason`() async {
    await #expect(processExitsWith: .success) {
      limitDescriptors(0)
      let poller = Poller()
      exit(!poller.isOpen && errno == EMFILE ? 0 : 1)
    }
  }
}
