import HeadwayCollections
import HeadwayProgress
import HeadwayTestSupport
import Repetitions
import Synchronization
import Testing

/// Several threads that use one tree.
struct ProgressConcurrencyTests {
  /// The number of operations of each thread.
  private static let rounds = repetitions(20_000, underSanitizer: 3_000)

  @Test(arguments: [1, 2, 4, 8])
  func `No increment of a leaf is lost`(threads: Int) {
    let root = ProgressNode(total: 1)
    let leaf = root.child(units: 1, total: threads * Self.rounds * 2)
    onThreads(threads) { _ in
      for _ in 0..<Self.rounds { leaf.complete(1) }
    }
    #expect(leaf.completed == threads * Self.rounds)
    #expect(root.fraction == 0.5)
  }

  @Test func `No change is lost while a reader reads in a loop`() {
    let root = ProgressNode(total: 2)
    let leaves = (0..<2).map { _ in root.child(units: 1, total: Self.rounds * 2) }
    let writers = Atomic<Int>(2)
    let wentBack = Atomic<Bool>(false)
    onThreads(3) { number in
      if number < 2 {
        for _ in 0..<Self.rounds { leaves[number].complete(1) }
        writers.subtract(1, ordering: .releasing)
      } else {
        var last = 0.0
        while writers.load(ordering: .acquiring) > 0 {
          let fraction = root.fraction
          if fraction < last { wentBack.store(true, ordering: .relaxed) }
          last = fraction
        }
      }
    }
    #expect(root.fraction == 0.5)
    let backwards = wentBack.load(ordering: .relaxed)
    #expect(!backwards)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `Children that are created and dropped count once during reads`() {
    let root = ProgressNode(total: 4 * Self.rounds)
    let workers = Atomic<Int>(2)
    onThreads(4) { number in
      if number < 2 {
        for round in 0..<Self.rounds {
          let child = root.child(units: 1, total: 2)
          child.complete(1)
          if round % 2 == 0 { child.finish() }
          child.complete(1)
        }
        workers.subtract(1, ordering: .releasing)
      } else {
        while workers.load(ordering: .acquiring) > 0 {
          if number == 2 { _ = root.fraction } else { _ = root.snapshot(limit: 10) }
        }
      }
    }
    #expect(root.completed == 2 * Self.rounds)
    #expect(root.fraction == 0.5)
    #expect(root.snapshot().children.isEmpty)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A node can be dropped while a reader pops it from the stack`() {
    let root = ProgressNode(total: 64 * Self.rounds)
    let workers = Atomic<Int>(2)
    onThreads(3) { number in
      if number < 2 {
        for _ in 0..<(Self.rounds / 16) {
          let children = (0..<16).map { _ in root.child(units: 1, total: 2) }
          // Sets their wires.
          _ = root.fraction
          for child in children { child.complete(1) }
          if number == 0 { for child in children { child.finish() } }
        }
        workers.subtract(1, ordering: .releasing)
      } else {
        while workers.load(ordering: .acquiring) > 0 { _ = root.fraction }
      }
    }
    #expect(root.completed == 2 * (Self.rounds / 16) * 16)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A finished node can be dropped right after a reader has popped it`() {
    let root = ProgressNode(total: 1_000)
    // The steps of the two threads; relaxed, so that only the tree itself orders what they do to it.
    let step = Atomic<Int>(0)
    onThreads(2) { number in
      for round in 0..<100 {
        if number == 0 {
          let child = root.child(units: 1, total: 2)
          // Makes the node clean, makes it dirty, finishes it.
          _ = root.fraction
          child.complete(1)
          child.finish()
          step.store(2 * round + 1, ordering: .relaxed)
          withExtendedLifetime(child) {
            while step.load(ordering: .relaxed) != 2 * round + 2 {}
          }
        } else {
          while step.load(ordering: .relaxed) != 2 * round + 1 {}
          _ = root.fraction
          step.store(2 * round + 2, ordering: .relaxed)
        }
      }
    }
    #expect(root.completed == 100)
  }

  @Test func `The invariants hold under all operations at once`() {
    let root = ProgressNode(total: 1 << 40)
    let live = root.child("live", units: 1, total: 1 << 40)
    onThreads(6) { number in
      var random = SplitMix64(seed: UInt64(number))
      var held: [ProgressNode] = [live]
      for _ in 0..<(Self.rounds / 10) {
        let index = random.number(below: held.count)
        let node = held[index]
        switch random.number(below: 14) {
        case 0...2:
          if held.count < 20 { held.append(node.child(units: 3, total: 10)) }
        case 3: node.complete(1)
        case 4: _ = node.fraction
        case 5: _ = node.snapshot(limit: 20)
        case 6: if index > 0 { node.finish() }
        case 7, 8: if index > 0 { held.remove(at: index) }
        case 9: random.isOne(in: 2) ? node.pause() : node.resume()
        case 10: node.isPausable.toggle()
        case 11: node.isCancellable.toggle()
        case 12: node.completedFileCount = 1
        default:
          let other = ProgressNode(total: 5)
          let leaf = other.child(units: 1, total: 5)
          leaf.complete(2)
          try? node.add(other, units: 1)
          held.append(leaf)
        }
      }
    }
    #expect(root.brokenInvariants() == [])
    _ = root.fraction
    #expect(root.brokenInvariants() == [])
    root.cancel()
    live.isCancellable = true
    #expect(live.isCancelled)
  }

  @Test func `Of two threads that add one root only one succeeds`() {
    for _ in 0..<(Self.rounds / 20) {
      let parents = [ProgressNode(total: 2), ProgressNode(total: 2)]
      let root = ProgressNode(total: 1)
      let wins = Atomic<Int>(0)
      onThreads(3) { number in
        if number == 2 { return root.complete(1) }
        if (try? parents[number].add(root, units: 1)) != nil { wins.add(1, ordering: .relaxed) }
      }
      let won = wins.load(ordering: .relaxed)
      #expect(won == 1)
      #expect(parents.map(\.fraction).max() ?? 0 > 0.49)
      #expect(parents.map(\.fraction).min() == 0)
    }
  }

  @Test func `A node that finishes on two threads counts once`() {
    for _ in 0..<(Self.rounds / 20) {
      let root = ProgressNode(total: 2)
      let child = root.child(units: 1)
      onThreads(2) { _ in child.finish() }
      #expect(root.completed == 1)
    }
  }

  @Test func `Concurrent additions to the total all count`() {
    let node = ProgressNode(total: 0)
    onThreads(4) { _ in
      for _ in 0..<(Self.rounds / 10) { node.addToTotal(1) }
    }
    #expect(node.total == 4 * (Self.rounds / 10))
  }

  @Test func `Units taken back and added again are counted correctly`() {
    let node = ProgressNode(total: 10)
    node.complete(1_000_000)
    onThreads(4) { number in
      for _ in 0..<Self.rounds { number % 2 == 0 ? node.complete(3) : node.takeBack(3) }
    }
    #expect(node.completed == 1_000_000)
  }

  @Test func `A feed delivers the last of a million changes by two threads`() async {
    let changes = repetitions(1_000_000, underSanitizer: 50_000)
    let root = ProgressNode(total: 2)
    let leaves = (0..<2).map { _ in root.child(units: 1, total: changes) }
    let feed = root.feed(clock: HastyClock())
    let watcher = Task {
      var counts: [Int] = []
      var fractions: [Double] = []
      for await snapshot in feed {
        counts.append(snapshot.children.reduce(0) { $0 + $1.completed })
        fractions.append(snapshot.fraction)
        if snapshot.children.count == 2, counts.last == changes { break }
      }
      return (counts: counts, fractions: fractions)
    }
    onThreads(2) { number in
      for _ in 0..<(changes / 2) { leaves[number].complete(1) }
    }
    let seen = await watcher.value
    #expect(seen.counts.last == changes)
    #expect(seen.counts == seen.counts.sorted())
    #expect(seen.fractions == seen.fractions.sorted())
    #expect(root.fraction == 0.5)
  }

  @Test func `Feeds end while their nodes finish and drop on other threads`() async {
    for round in 0..<(Self.rounds / 20) {
      let root = ProgressNode(total: 3)
      var children = (0..<3).map { _ in root.child(units: 1, total: 2) }
      let feeds = children.map { $0.feed(clock: HastyClock()) }
      let watchers = feeds.map { feed in
        Task {
          var last: ProgressSnapshot?
          for await snapshot in feed { last = snapshot }
          return last
        }
      }
      for child in children { child.complete(1) }
      if round % 2 == 0 {
        for child in children { child.finish() }
      } else {
        children = []
      }
      for watcher in watchers {
        let last = await watcher.value
        #expect(last?.isFinished == true)
        #expect(last?.completed == 1)
      }
    }
  }
}

/// A clock that advances by a second each time it is read, so that no task sleeps.
private final class HastyClock: Clock {
  struct Instant: InstantProtocol {
    let time: Duration

    func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
    func duration(to other: Instant) -> Duration { other.time - time }
    static func < (left: Instant, right: Instant) -> Bool { left.time < right.time }
  }

  private let looks = Atomic<Int>(0)

  let minimumResolution = Duration.seconds(1)
  var now: Instant {
    Instant(time: .seconds(looks.wrappingAdd(1, ordering: .relaxed).newValue))
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
