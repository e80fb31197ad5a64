import HeadwayCollections
import HeadwayProgress
import HeadwayTestSupport
import Testing

/// Feeds of nodes.
struct ProgressFeedTests {
  /// The time and the count of a snapshot.
  private struct Frame: Equatable, Sendable {
    var second: Int64
    var completed: Int
  }

  private static func frames(
    of feed: some AsyncSequence<ProgressSnapshot, Never> & Sendable, _ clock: VirtualClock
  ) async -> [Frame] {
    var frames: [Frame] = []
    for await snapshot in feed {
      frames.append(
        Frame(second: clock.now.offset.components.seconds, completed: snapshot.completed))
    }
    return frames
  }

  @Test func `The first snapshot comes at once, and then one per frame`() throws {
    let frames = try withVirtualTime { clock in
      let node = ProgressNode(total: 1_000)
      async let frames = Self.frames(of: node.feed(every: .seconds(10), clock: clock), clock)
      for _ in 0..<35 {
        try await clock.sleep(for: .seconds(1))
        node.complete(1)
      }
      node.finish()
      return await frames
    }
    #expect(frames.map(\.second) == [0, 10, 20, 30, 40])
    #expect(frames.first?.completed == 0)
    #expect(frames.last?.completed == 35)
    #expect(frames.map(\.completed) == frames.map(\.completed).sorted())
  }

  @Test func `A change after a quiet period comes at once`() throws {
    let frames = try withVirtualTime { clock in
      let node = ProgressNode(total: 10)
      async let frames = Self.frames(of: node.feed(every: .seconds(1), clock: clock), clock)
      try await clock.sleep(for: .seconds(100))
      node.complete(1)
      try await clock.sleep(for: .seconds(100))
      node.finish()
      return await frames
    }
    #expect(frames.map(\.second) == [0, 100, 200])
  }

  @Test func `A tree that is added comes at once`() throws {
    let frames = try withVirtualTime { clock in
      let (root, other) = (ProgressNode(total: 10), ProgressNode(total: 10))
      async let frames = Self.frames(of: root.feed(every: .seconds(1), clock: clock), clock)
      try await clock.sleep(for: .seconds(100))
      try root.add(other, units: 5)
      try await clock.sleep(for: .seconds(100))
      other.finish()
      root.finish()
      return await frames
    }
    #expect(frames.map(\.second) == [0, 100, 200])
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `The last value is always delivered`(seed: UInt64) throws {
    let last = try withVirtualTime(seed: seed) { clock in
      let root = ProgressNode(total: 30)
      let feed = root.feed(every: .milliseconds(70), clock: clock)
      async let frames = Self.frames(of: feed, clock)
      var random = SplitMix64(seed: seed)
      var done = 0
      while done < 30 {
        try await clock.sleep(for: .milliseconds(random.number(below: 200)))
        let child = root.child(units: 1, total: 2)
        child.complete(1)
        done += 1
      }
      // What comes within the last frame is not left out.
      root.takeBack(3)
      try await clock.sleep(for: .seconds(1))
      let seen = root.completed
      root.finish()
      return (await frames, seen)
    }
    #expect(last.1 == 27)
    #expect(last.0.dropLast().last?.completed == 27)
  }

  @Test func `A feed does not wake while nothing changes`() throws {
    try withVirtualTime { clock in
      let executor = StepExecutor()
      let watched = VirtualClock()
      let node = ProgressNode(total: 10)
      let count = Box(0)
      let feed = node.feed(every: .seconds(1), clock: watched)
      let task = Task(executorPreference: executor) {
        for await _ in feed { count.change { $0 += 1 } }
      }
      executor.drain()
      // One frame passes, after which the feed waits for a change and not for the clock.
      watched.advance(by: .seconds(1))
      executor.drain()
      for _ in 0..<100 {
        watched.advance(by: .seconds(1))
        #expect(executor.jobCount == 0)
        #expect(watched.sleeperCount == 0)
      }
      #expect(count.value == 1)
      node.complete(1)
      #expect(executor.jobCount == 1)
      // Further changes wake no task.
      for _ in 0..<100 { node.complete(0) }
      #expect(executor.jobCount == 1)
      executor.drain()
      #expect(count.value == 2)
      task.cancel()
      executor.drain()
      await task.value
    }
  }

  @Test func `A feed wakes once per frame, however much changes`() {
    let executor = StepExecutor()
    let clock = VirtualClock()
    let root = ProgressNode(total: 1_000_000)
    let leaves = (0..<10).map { _ in root.child(units: 1, total: 100_000) }
    let feed = root.feed(every: .seconds(1), clock: clock)
    let count = Box(0)
    let task = Task(executorPreference: executor) {
      for await _ in feed { count.change { $0 += 1 } }
    }
    executor.drain()
    var wakes = 0
    for _ in 0..<50 {
      clock.advance(by: .seconds(1))
      for _ in 0..<20 {
        for leaf in leaves { leaf.complete(1) }
        wakes += executor.jobCount > 0 ? 1 : 0
        executor.drain()
      }
    }
    #expect(wakes == 50)
    #expect(count.value == 51)
    task.cancel()
    executor.drain()
  }

  @Test func `A feed waits again after a change of another node`() {
    let executor = StepExecutor()
    let clock = VirtualClock()
    let root = ProgressNode(total: 2)
    let watched = root.child(units: 1, total: 10)
    let other = root.child(units: 1, total: 1_000)
    let feed = watched.feed(every: .seconds(1), clock: clock)
    let count = Box(0)
    let task = Task(executorPreference: executor) {
      for await _ in feed { count.change { $0 += 1 } }
    }
    executor.drain()
    for _ in 0..<20 {
      other.complete(1)
      clock.advance(by: .seconds(1))
      executor.drain()
    }
    #expect(count.value == 1)
    clock.advance(by: .seconds(1))
    executor.drain()
    clock.advance(by: .seconds(1))
    executor.drain()
    #expect(clock.sleeperCount == 0 && executor.jobCount == 0)
    watched.complete(1)
    executor.drain()
    #expect(count.value == 2)
    task.cancel()
    executor.drain()
  }

  @Test func `A feed ends with the last value when its node is dropped`() throws {
    let frames = try withVirtualTime { clock in
      var node: ProgressNode? = ProgressNode(total: 10)
      let feed = node?.feed(every: .seconds(1), clock: clock)
      guard let feed else { return [Frame]() }
      async let frames = Self.frames(of: feed, clock)
      try await clock.sleep(for: .seconds(5))
      node?.complete(3)
      node = nil
      return await frames
    }
    #expect(frames.last == Frame(second: 5, completed: 3))
  }

  @Test func `A feed does not retain its node`() {
    weak var seen: ProgressNode?
    var node: ProgressNode? = ProgressNode(total: 10)
    seen = node
    let feed = node?.feed()
    let iterator = feed?.makeAsyncIterator()
    node = nil
    #expect(seen == nil)
    withExtendedLifetime(iterator) {}
  }

  @Test func `A feed of a finished node delivers its last value and ends`() throws {
    let frames = try withVirtualTime { clock in
      let node = ProgressNode(total: 10)
      node.complete(4)
      node.finish()
      let feed = node.feed(every: .seconds(1), clock: clock)
      return await [Self.frames(of: feed, clock), Self.frames(of: feed, clock)]
    }
    #expect(frames == Array(repeating: [Frame(second: 0, completed: 4)], count: 2))
  }

  @Test func `Several feeds and several iterators of one feed each get all snapshots`() throws {
    let frames = try withVirtualTime { clock in
      let node = ProgressNode(total: 10)
      let feed = node.feed(every: .seconds(1), clock: clock)
      let slow = node.feed(every: .seconds(3), clock: clock)
      async let first = Self.frames(of: feed, clock)
      async let second = Self.frames(of: feed, clock)
      async let third = Self.frames(of: slow, clock)
      for _ in 0..<7 {
        try await clock.sleep(for: .milliseconds(1_500))
        node.complete(1)
      }
      node.finish()
      return await [first, second, third]
    }
    #expect(frames[0] == frames[1])
    #expect(frames.allSatisfy { $0.last?.completed == 7 })
    #expect(frames[2].map(\.second) == [0, 3, 6, 9, 12])
  }

  @Test(arguments: [false, true])
  func `A feed ends when the iterating task is cancelled`(isQuiet: Bool) throws {
    let count = try withVirtualTime { clock in
      let node = ProgressNode(total: 10)
      let feed = node.feed(every: .seconds(10), clock: clock)
      let task = Task(executorPreference: StepExecutor.current) {
        await Self.frames(of: feed, clock).count
      }
      try await clock.sleep(for: .seconds(isQuiet ? 50 : 5))
      task.cancel()
      let count = await task.value
      #expect(clock.now == VirtualClock.zero(after: .seconds(isQuiet ? 50 : 5)))
      #expect(!node.isFinished)
      return count
    }
    #expect(count == 1)
  }

  @Test func `A feed delivers cancel, pause, labels and children`() throws {
    let seen = try withVirtualTime { clock in
      let node = ProgressNode(total: 10)
      var feed = node.feed(every: .seconds(1), clock: clock).makeAsyncIterator()
      var seen: [Bool] = []
      _ = try await feed.next()
      node.pause()
      seen.append(try await feed.next()?.isPaused == true)
      node.label = "words"
      seen.append(try await feed.next()?.label == "words")
      let child = node.child(units: 1)
      seen.append(try await feed.next()?.children.count == 1)
      child.finish()
      seen.append(try await feed.next()?.children.count == 0)
      node.cancel()
      seen.append(try await feed.next()?.isCancelled == true)
      node.total = 20
      seen.append(try await feed.next()?.total == 20)
      node.finish()
      seen.append(try await feed.next()?.isFinished == true)
      seen.append(try await feed.next() == nil)
      seen.append(try await feed.next() == nil)
      return seen
    }
    #expect(seen == Array(repeating: true, count: 9))
  }

  @Test func `An increment deep in the tree reaches the feed of the root`() throws {
    try withVirtualTime { clock in
      let root = ProgressNode(total: 1)
      var nodes = [root]
      while nodes.count < 64 { nodes.append(nodes[nodes.count - 1].child(units: 1, total: 1)) }
      nodes[63].total = 4
      var feed = root.feed(every: .seconds(1), clock: clock).makeAsyncIterator()
      _ = try await feed.next()
      async let change: Void = {
        try await clock.sleep(for: .seconds(30))
        nodes[63].complete(1)
      }()
      let fraction = try await feed.next()?.fraction
      #expect(fraction == 0.25)
      try await change
    }
  }
}
