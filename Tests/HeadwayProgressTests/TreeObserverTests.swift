import HeadwayLock
import ProgressFixtures
import Repetitions
import Synchronization
import Testing

@testable import HeadwayProgress

/// Notifications of changes without a task.
struct TreeObserverTests {
  /// A tree of two nodes and an observer of it that counts its calls.
  private struct Observed {
    let root = ProgressNode("top", total: 10)
    let leaf: ProgressNode
    let calls = Box(0)
    let observer: TreeObserver

    init() {
      leaf = root.child("leaf", units: 1, total: 10)
      let calls = calls
      observer = TreeObserver(root) { calls.change { $0 += 1 } }
    }
  }

  @Test func `A change calls once, and only while the observer is armed`() {
    let observed = Observed()
    observed.leaf.complete(1)
    #expect(observed.calls.value == 0)
    // Nothing was read yet.
    #expect(observed.observer.arm())
    #expect(observed.observer.snapshot(limit: 10)?.children.first?.completed == 1)
    #expect(!observed.observer.arm())
    observed.leaf.complete(1)
    observed.leaf.complete(1)
    observed.root.label = "other"
    #expect(observed.calls.value == 1)
    // What has come since the snapshot.
    #expect(observed.observer.arm())
    observed.leaf.complete(1)
    #expect(observed.calls.value == 1)
    #expect(observed.observer.snapshot(limit: 10)?.children.first?.completed == 4)
    #expect(!observed.observer.arm())
    #expect(!observed.observer.arm())
    observed.leaf.complete(1)
    #expect(observed.calls.value == 2)
  }

  @Test func `An observer that was disarmed is not called`() {
    let observed = Observed()
    _ = observed.observer.snapshot(limit: 10)
    #expect(!observed.observer.arm())
    #expect(observed.observer.disarm())
    #expect(!observed.observer.disarm())
    observed.leaf.complete(1)
    #expect(observed.calls.value == 0)
    #expect(observed.observer.arm())
  }

  @Test func `Reads by others hide no change and are none`() {
    let observed = Observed()
    _ = observed.observer.snapshot(limit: 10)
    observed.leaf.complete(1)
    #expect(observed.root.fraction > 0)
    #expect(observed.observer.arm())
    _ = observed.observer.snapshot(limit: 10)
    #expect(!observed.observer.arm())
    #expect(observed.root.snapshot().fraction > 0)
    #expect(observed.calls.value == 0)
    observed.leaf.complete(1)
    #expect(observed.calls.value == 1)
  }

  @Test(arguments: 0..<13)
  func `Every kind of change calls`(kind: Int) {
    let observed = Observed()
    let leaf = observed.leaf
    _ = observed.observer.snapshot(limit: 10)
    #expect(!observed.observer.arm())
    switch kind {
    case 0: leaf.complete(1)
    case 1: leaf.setCompleted(4)
    case 2: leaf.complete(1 << 40)
    case 3: leaf.total = 20
    case 4: leaf.label = "new"
    case 5: leaf.detail = "new"
    case 6: leaf.totalFileCount = 3
    case 7: _ = leaf.child("new", units: 1)
    case 8: leaf.finish()
    case 9: leaf.pause()
    case 10: observed.root.cancel()
    case 11: leaf.isPausable = false
    default: _ = leaf.changeUnits(to: 5)
    }
    #expect(observed.calls.value == 1)
    #expect(observed.observer.arm())
  }

  @Test func `The end of the node calls, and its last state can be read`() {
    let observed = Observed()
    _ = observed.observer.snapshot(limit: 10)
    #expect(observed.observer.final == nil)
    #expect(!observed.observer.arm())
    observed.root.complete(2)
    _ = observed.observer.snapshot(limit: 10)
    #expect(!observed.observer.arm())
    observed.root.finish()
    #expect(observed.calls.value == 2)
    #expect(observed.observer.arm())
    let last = observed.observer.snapshot(limit: 10)
    #expect(last?.isFinished == true && last?.completed == 2 && last?.children == [])
    #expect(observed.observer.final == last)
    // There is nothing more to come.
    #expect(!observed.observer.arm())
    observed.leaf.complete(1)
    #expect(observed.calls.value == 2)
  }

  @Test func `An observer does not retain its node, and has its last state`() throws {
    var node: ProgressNode? = ProgressNode("top", total: 3)
    weak let seen = node
    let calls = Box(0)
    let observer = try #require(
      node.map { node in TreeObserver(node) { calls.change { $0 += 1 } } })
    _ = observer.snapshot(limit: 1)
    #expect(!observer.arm())
    node = nil
    #expect(seen == nil)
    #expect(calls.value == 1)
    #expect(observer.arm())
    #expect(observer.snapshot(limit: 1) == nil)
    #expect(observer.final?.isFinished == true)
    #expect(!observer.arm())
    let late = ProgressNode("finished")
    late.finish()
    #expect(TreeObserver(late) {}.final?.label == "finished")
  }

  @Test func `An observed tree cannot be added to another`() {
    let observed = Observed()
    #expect(throws: ProgressError.alreadyRead) {
      try ProgressNode("other").add(observed.root, units: 1)
    }
  }

  @Test func `A dropped observer is not called`() {
    let root = ProgressNode("top")
    let calls = Box(0)
    var observer: TreeObserver? = TreeObserver(root) { calls.change { $0 += 1 } }
    _ = observer?.snapshot(limit: 1)
    #expect(observer?.arm() == false)
    observer = nil
    root.complete(1)
    #expect(calls.value == 0)
  }

  @Test func `A tree with values that report no changes has to be polled`() {
    let observed = Observed()
    #expect(!observed.observer.isPolled)
    _ = observed.observer.snapshot(limit: 10)
    #expect(!observed.observer.arm())
    let source = Box(0)
    let leaf = observed.leaf
    leaf.onRead { [weak leaf] in leaf?.setCompleted(source.value) }
    #expect(observed.calls.value == 1)
    #expect(observed.observer.isPolled)
    source.value = 7
    #expect(observed.observer.snapshot(limit: 10)?.children.first?.completed == 7)
    leaf.finish()
    #expect(!observed.observer.isPolled)
  }

  @Test func `The observer can be armed and read inside of a call`() {
    let root = ProgressNode("top", total: 100)
    let held = Box<TreeObserver?>(nil)
    let counts = Box<[Int]>([])
    let observer = TreeObserver(root) {
      let count = held.value?.snapshot(limit: 1)?.completed ?? -1
      counts.change { $0.append(count) }
      _ = held.value?.arm()
    }
    held.value = observer
    _ = observer.snapshot(limit: 1)
    #expect(!observer.arm())
    for _ in 0..<5 { root.complete(1) }
    #expect(counts.value == [1, 2, 3, 4, 5])
    held.value = nil
  }

  @Test func `Several observers and a feed of one tree are all called`() {
    let root = ProgressNode("top")
    let leaf = root.child("leaf", units: 1)
    let calls = Box<[Int]>([])
    let observers = (0..<3).map { number in
      TreeObserver(number == 2 ? leaf : root) { calls.change { $0.append(number) } }
    }
    for observer in observers {
      _ = observer.snapshot(limit: 10)
    }
    for observer in observers { #expect(!observer.arm()) }
    leaf.complete(1)
    #expect(calls.value == [0, 1, 2])
  }

  @Test(arguments: [1, 2, 4])
  func `No change is missed, and each arming calls at most once, under concurrent increments`(
    writers: Int
  ) {
    let rounds = repetitions(50_000, underSanitizer: 3_000)
    let root = ProgressNode("top", total: writers)
    let leaves = (0..<writers).map { root.child("\($0)", units: 1, total: rounds) }
    let semaphore = Semaphore()
    let calls = Atomic<Int>(0)
    let surplus = Atomic<Int>(0)
    let waits = Atomic<Int>(0)
    let observer = TreeObserver(root) {
      calls.wrappingAdd(1, ordering: .relaxed)
      semaphore.post()
    }
    // The reader waits for calls only: if one were missed, it would wait for ever.
    onThreads(writers + 1) { number in
      guard number == writers else {
        for _ in 0..<rounds { leaves[number].complete(1) }
        return
      }
      while true {
        let snapshot = observer.snapshot(limit: 10)
        let done = snapshot?.children.reduce(0) { $0 + $1.completed } ?? 0
        if done == writers * rounds { break }
        if observer.arm() { continue }
        waits.wrappingAdd(1, ordering: .relaxed)
        semaphore.wait()
        // One call for one arming: there is no second one.
        if calls.load(ordering: .relaxed) > waits.load(ordering: .relaxed) {
          surplus.wrappingAdd(1, ordering: .relaxed)
        }
      }
    }
    let more = surplus.load(ordering: .relaxed)
    #expect(more == 0)
    #expect(root.snapshot().children.map(\.completed) == leaves.map { _ in rounds })
    withExtendedLifetime(observer) {}
  }

  @Test func `A mirror that is fed by an observer ends up as the tree is, whatever threads do`() {
    let rounds = repetitions(3_000, underSanitizer: 300)
    let mirror = ProgressMirror(limit: 1_000)
    let root = ProgressNode("top", total: 1_000)
    let semaphore = Semaphore()
    let observer = TreeObserver(root) { semaphore.post() }
    let problems = Box<[String]>([])
    let trees = (0..<2).map { number in
      Box(RandomTree(seed: UInt64(number)))
    }
    for tree in trees {
      do { try root.add(tree.value.root, units: 10) } catch { problems.value = ["\(error)"] }
    }
    let working = Atomic<Int>(trees.count)
    onThreads(trees.count + 1) { number in
      guard number == trees.count else {
        for _ in 0..<rounds { trees[number].change { $0.step() } }
        working.wrappingSubtract(1, ordering: .releasing)
        // The reader may wait for a change, and there is none any more.
        semaphore.post()
        return
      }
      var last: ProgressSnapshot?
      while true {
        let isLast = working.load(ordering: .acquiring) == 0
        if let next = observer.snapshot(limit: 100) {
          do { try mirror.apply(TreeChange(from: last, to: next)) } catch {
            problems.change { $0.append("\(error)") }
          }
          last = next
        }
        if observer.arm() { continue }
        if isLast { break }
        semaphore.wait()
      }
    }
    #expect(problems.value == [])
    let (seen, snapshot) = (mirror.root.snapshot(), root.snapshot(limit: 100))
    #expect(seen.children.map(\.id) == snapshot.children.map(\.id))
    #expect(seen.fraction == snapshot.fraction && seen.completed == snapshot.completed)
    #expect(seen.sums == snapshot.sums)
    #expect(mirror.root.brokenInvariants() == [])
  }
}
