import HeadwayLock
import HeadwayTestSupport
import Repetitions
import Testing

@testable import HeadwayProgress

/// Combinations of features and races.
struct ProgressSoundnessTests {
  /// Runs each job at once, on the thread that enqueues it.
  private final class EagerExecutor: TaskExecutor {
    init() {}

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  @Test func `Changes before a tree is added count in the new tree`() throws {
    let top = ProgressNode(total: 4)
    let young = ProgressNode(total: 4)
    let children = (0..<4).map { _ in young.child(units: 1, total: 2) }
    children[0].complete(1)
    children[1].complete(1)
    let late = young.child(units: 0, total: 2)
    try top.add(young, units: 2)
    #expect(top.brokenInvariants() == [])
    #expect(top.fraction == 0.125)
    children[2].complete(1)
    late.finish()
    #expect(top.fraction == 0.1875)
  }

  @Test func `Cancel and pause reach a child of a finished node`() {
    let root = ProgressNode(total: 2)
    let middle = root.child(units: 1)
    let inner = middle.child(units: 1)
    inner.finish()
    middle.finish()
    root.pause()
    let child = inner.child(units: 1)
    #expect(child.isPaused)
    root.resume()
    #expect(!child.isPaused)
    root.cancel()
    #expect(child.isCancelled)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `Cancel and pause reach a root added to a finished node`() throws {
    let root = ProgressNode(total: 2)
    let middle = root.child(units: 1)
    middle.finish()
    root.pause()
    let other = ProgressNode(total: 1)
    try middle.add(other, units: 1)
    #expect(other.isPaused)
    root.cancel()
    #expect(other.isCancelled)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `Cancel reaches a new child of a finished node in an added tree`() throws {
    let root = ProgressNode(total: 2)
    let other = ProgressNode(total: 1)
    let middle = other.child(units: 1)
    middle.finish()
    try root.child(units: 1).add(other, units: 1)
    let child = middle.child(units: 1)
    root.cancel()
    #expect(child.isCancelled)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A finished node is released with its last child`() {
    let root = ProgressNode(total: 2)
    weak var gone: ProgressNode?
    do {
      let middle = root.child(units: 1)
      middle.finish()
      middle.child(units: 1).finish()
      gone = middle
    }
    #expect(gone == nil)
    #expect(root.completed == 1)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A walk reaches all nodes if the next one finishes while the lock is free`() {
    let root = ProgressNode(total: 1)
    let children = (0..<1_500).map { _ in root.child(units: 1) }
    let walk = TreeWalk(from: root.reference)
    var visited = 0
    let isDone = root.withTree { state, _ in
      state.walks.append(walk)
      return walk.visitSome { _, _ in
        visited += 1
        return true
      }
    }
    #expect(!isDone)
    // The first hold of the lock was enough for the root and the children before this one.
    children[ProgressTree.nodesPerHold - 1].finish()
    let isDoneNow = root.withTree { _, _ in
      walk.visitSome { _, _ in
        visited += 1
        return true
      }
    }
    #expect(isDoneNow)
    #expect(visited == 1_500)
  }

  @Test func `A feed of a node below the maximum depth delivers its increments`() throws {
    let counts = try withVirtualTime { clock in
      var node = ProgressNode(total: 1)
      for _ in 0..<ProgressNode.maximumDepth { node = node.child(units: 1, total: 10) }
      let last = node
      let feed = last.feed(every: .seconds(1), clock: clock)
      async let counts = feed.reduce(into: [Int]()) { $0.append($1.completed) }
      for _ in 0..<3 {
        try await clock.sleep(for: .seconds(10))
        last.complete(1)
      }
      try await clock.sleep(for: .seconds(10))
      last.finish()
      return await counts
    }
    #expect(counts == [0, 1, 2, 3, 3])
  }

  @Test func `A node created below the maximum depth starts cancelled`() {
    var node = ProgressNode(total: 1)
    for _ in 0..<ProgressNode.maximumDepth { node = node.child(units: 1, total: 10) }
    node.cancel()
    #expect(node.child(units: 1).isCancelled)
  }

  @Test func `A count that is saturated by a child wakes no waiter under the lock`() async {
    let node = ProgressNode(total: .max)
    node.complete(1 << 62)
    let child = node.child(units: .max - 1, total: 1)
    let seen = Box<[Int]>([])
    let feed = node.feed(every: .milliseconds(1), clock: StandingClock())
    let watching = Task(executorPreference: EagerExecutor()) {
      for await snapshot in feed { seen.change { $0.append(snapshot.completed) } }
    }
    child.finish()
    node.finish()
    await watching.value
    #expect(seen.value.first == 1 << 62)
    #expect(seen.value.last == .max)
  }

  @Test func `Sums of bytes are up to date without a previous read`() {
    let node = ProgressNode(total: 100)
    node.kind = .file(.copying)
    let child = node.child(units: 100, total: 4)
    child.complete(2)
    #expect(node.sum(of: ProgressKeys.CompletedByteCount.self) == 50)
    child.complete(1)
    #expect(node.sum(of: ProgressKeys.CompletedByteCount.self) == 75)
  }

  @Test func `The last snapshot of a feed has the typed values of live children`() async {
    let node = ProgressNode(total: 1)
    let child = node.child(units: 1)
    child.totalFileCount = 3
    let feed = node.feed(clock: StandingClock())
    node.finish()
    #expect(node.snapshot().sum(of: ProgressKeys.TotalFileCount.self) == 3)
    for await snapshot in feed {
      #expect(snapshot.sum(of: ProgressKeys.TotalFileCount.self) == 3)
    }
    child.finish()
  }

  @Test func `A handler that is added during a pause is called once`() {
    for _ in 0..<repetitions(1_000, underSanitizer: 50) {
      let node = ProgressNode()
      let calls = Box(0)
      onThreads(2) { number in
        if number == 0 {
          node.pause()
        } else {
          node.onPause { calls.change { $0 += 1 } }
        }
      }
      #expect(calls.value == 1)
    }
  }

  @Test func `Only one of two callers calls a handler for a pause`() {
    let list = HandlerList()
    let calls = Box(0)
    let id = list.add(.pause) { calls.change { $0 += 1 } }
    list.takePauseCall(id, of: 1)?()
    list.call(.pause, pause: 1)
    #expect(calls.value == 1)
    list.call(.pause, pause: 2)
    #expect(calls.value == 2)
  }

  @Test func `A pause handler is called for each pause`() {
    let node = ProgressNode()
    let calls = Box(0)
    node.pause()
    node.onPause { calls.change { $0 += 1 } }
    #expect(calls.value == 1)
    node.resume()
    node.pause()
    #expect(calls.value == 2)
    node.pause()
    #expect(calls.value == 2)
  }

  @Test func `Handlers can be removed in any order`() {
    let node = ProgressNode()
    let called = Box<[Int]>([])
    let handlers = (0..<100).map { number in
      node.onCancel { called.change { $0.append(number) } }
    }
    for number in 0..<100 where number % 7 != 3 { handlers[number].remove() }
    let late = node.onCancel { called.change { $0.append(100) } }
    node.cancel()
    late.remove()
    #expect(called.value == (0..<100).filter { $0 % 7 == 3 } + [100])
  }

  @Test func `Many feeds and waiters can come and go`() async {
    let node = ProgressNode()
    let feeds = (0..<repetitions(20_000, underSanitizer: 200)).map { _ in
      node.feed(clock: StandingClock())
    }
    node.pause()
    let waiting = (0..<repetitions(2_000, underSanitizer: 100)).map { _ in
      Task {
        do { try await node.checkpoint() } catch { return true }
        return false
      }
    }
    for task in waiting { task.cancel() }
    for task in waiting { #expect(await task.value) }
    node.finish()
    for await snapshot in feeds[0] { #expect(snapshot.isFinished) }
  }
}

/// A clock that stands still, on which no task sleeps.
private struct StandingClock: Clock {
  struct Instant: InstantProtocol {
    func advanced(by duration: Duration) -> Instant { self }

    func duration(to other: Instant) -> Duration { .zero }

    static func < (left: Instant, right: Instant) -> Bool { false }
  }

  var now: Instant { Instant() }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
