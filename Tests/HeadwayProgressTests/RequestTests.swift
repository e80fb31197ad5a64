import HeadwayCollections
import HeadwayTestSupport
import Repetitions
import Testing

@testable import HeadwayProgress

/// Requests of users of progress libraries.
struct RequestTests {
  @Test func `Increments do not take the lock`() {
    let root = ProgressNode(total: 1)
    let leaf = root.child(units: 1, total: 1_000)
    for isWatched in [false, true] {
      if isWatched { _ = root.fraction }
      // The lock of the tree is held, so taking it again would deadlock.
      root.withTree { _, _ in
        for _ in 0..<100 { leaf.complete(1) }
      }
    }
    #expect(leaf.completed == 200)
    #expect(root.pendingNodeCount() == 1)
    #expect(root.fraction == 0.2)
  }

  @Test func `An increment is atomic`() {
    let rounds = repetitions(100_000, underSanitizer: 10_000)
    let node = ProgressNode(total: 4 * rounds)
    onThreads(4) { number in
      for _ in 0..<rounds { node.complete(number + 1) }
    }
    #expect(node.completed == 10 * rounds)
  }

  @Test func `Several observers and cancel handlers, each on its own executor`() throws {
    try withVirtualTime { clock in
      let node = ProgressNode(total: 2)
      let calls = Box<[String]>([])
      let executors = [StepExecutor(), StepExecutor()]
      for (number, executor) in executors.enumerated() {
        node.onCancel {
          Task(executorPreference: executor) { calls.change { $0.append("executor \(number)") } }
        }
      }
      node.onCancel { calls.change { $0.append("thread") } }
      var feeds = (0..<3).map { _ in
        node.feed(every: .seconds(1), clock: clock).makeAsyncIterator()
      }
      node.complete(1)
      node.cancel()
      #expect(calls.value == ["thread"])
      executors[1].drain()
      executors[0].drain()
      #expect(calls.value == ["thread", "executor 1", "executor 0"])
      for index in feeds.indices {
        let snapshot = try await feeds[index].next()
        #expect(snapshot?.completed == 1 && snapshot?.isCancelled == true)
      }
    }
  }

  private func fetch(_ share: consuming ProgressShare) -> Int {
    let node = share.start("fetch", total: 3)
    node.complete(3)
    return 7
  }

  @Test func `A function that takes a share reports its units once`() {
    let node = ProgressNode(total: 3)
    // A second use of one share does not compile, so that each call has units of its own.
    #expect(fetch(node.share(of: 1)) + fetch(node.share(of: 1)) == 14)
    #expect(node.completed == 2)
  }

  @Test func `An update of a single level reaches the observer of the root`() throws {
    try withVirtualTime { clock in
      let root = ProgressNode(total: 4)
      var feed = root.feed(every: .seconds(1), clock: clock).makeAsyncIterator()
      let first = try await feed.next()
      #expect(first?.completed == 0)
      root.complete(1)
      let second = try await feed.next()
      #expect(second?.completed == 1)
      let child = root.child(units: 1, total: 2)
      child.complete(1)
      let third = try await feed.next()
      #expect(third?.fraction == 0.375)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `The shown fraction is never above 1 and never goes back`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let root = ProgressNode(total: 100)
    var children: [ProgressNode] = []
    var shown = 0.0
    for _ in 0..<500 {
      switch random.number(below: 6) {
      case 0: root.total = random.number(below: 400)
      case 1: children.append(root.child(units: random.number(below: 40), total: 10))
      case 2: children.randomElement(using: &random)?.complete(random.number(below: 30))
      case 3: children.randomElement(using: &random)?.takeBack(random.number(below: 30))
      case 4: root.takeBack(random.number(below: 30))
      default: if random.isOne(in: 4), !children.isEmpty { children.removeFirst() }
      }
      let (fraction, next) = (root.fraction, root.shownFraction)
      #expect(fraction >= 0 && fraction < 1)
      #expect(next >= shown && next < 1)
      shown = next
    }
    root.finish()
    #expect(root.shownFraction == 1)
  }
}
