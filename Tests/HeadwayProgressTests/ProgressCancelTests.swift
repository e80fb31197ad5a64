import HeadwayLock
import HeadwayProgress
import HeadwayTestSupport
import Repetitions
import Testing

/// Cancelling nodes.
struct ProgressCancelTests {
  /// A node and a few levels below it.
  private func chain(_ count: Int) -> [ProgressNode] {
    var nodes = [ProgressNode(total: 1)]
    while nodes.count < count { nodes.append(nodes[nodes.count - 1].child(units: 1, total: 1)) }
    return nodes
  }

  @Test func `A cancel reaches descendants and not ancestors`() {
    let nodes = chain(4)
    let brother = nodes[0].child(units: 1)
    nodes[1].cancel()
    #expect(nodes.map(\.isCancelled) == [false, true, true, true])
    #expect(!brother.isCancelled)
  }

  @Test func `A cancelled node still counts`() {
    let node = ProgressNode(total: 2)
    node.cancel()
    node.complete(1)
    #expect(node.fraction == 0.5)
    #expect(!node.isFinished)
  }

  @Test func `A child of a cancelled node starts cancelled`() {
    let node = ProgressNode(total: 2)
    node.cancel()
    #expect(node.child(units: 1).isCancelled)
    #expect(node.share(of: 1).start().isCancelled)
    #expect(node.withCurrent(units: 1) { ProgressNode.joinCurrent().isCancelled })
  }

  @Test func `A cancel reaches many thousand nodes`() {
    let root = ProgressNode(total: 10)
    let branches = (0..<10).map { _ in root.child(units: 1, total: 700) }
    let leaves = branches.flatMap { branch in (0..<700).map { _ in branch.child(units: 1) } }
    root.cancel()
    #expect(leaves.allSatisfy { $0.isCancelled })
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A cancel skips an uncancellable node and its descendants`() {
    let nodes = chain(4)
    nodes[2].isCancellable = false
    nodes[0].cancel()
    #expect(nodes.map(\.isCancelled) == [true, true, false, false])
    nodes[2].cancel()
    #expect(!nodes[2].isCancelled)
    #expect(!nodes[2].child(units: 1).isCancelled)
  }

  @Test func `A node that becomes cancellable again inherits a cancel`() {
    let nodes = chain(4)
    nodes[2].isCancellable = false
    nodes[0].cancel()
    nodes[2].isCancellable = true
    #expect(nodes[2].isCancelled && nodes[3].isCancelled)
  }

  @Test func `A cancel of an uncancellable node is ignored for good`() {
    let nodes = chain(3)
    nodes[1].isCancellable = false
    nodes[1].cancel()
    nodes[1].isCancellable = true
    #expect(nodes.map(\.isCancelled) == [false, false, false])
  }

  @Test func `All handlers are called in the order in which they were added`() {
    let node = ProgressNode(total: 1)
    let calls = Box<[Int]>([])
    for number in 0..<50 { node.onCancel { calls.change { $0.append(number) } } }
    node.cancel()
    #expect(calls.value == Array(0..<50))
    node.cancel()
    #expect(calls.value.count == 50)
  }

  @Test func `Handlers of parents are called before those of children, after all are marked`() {
    let nodes = chain(3)
    let calls = Box<[String]>([])
    for (number, node) in nodes.enumerated().reversed() {
      node.onCancel { [weak last = nodes[2]] in
        calls.change { $0.append("\(number) \(last?.isCancelled == true)") }
      }
    }
    nodes[0].cancel()
    #expect(calls.value == ["0 true", "1 true", "2 true"])
  }

  @Test func `A handler that was removed is not called`() {
    let node = ProgressNode(total: 1)
    let calls = Box(0)
    let handler = node.onCancel { calls.change { $0 += 1 } }
    node.onCancel { calls.change { $0 += 10 } }
    handler.remove()
    handler.remove()
    node.cancel()
    #expect(calls.value == 10)
    handler.remove()
  }

  @Test func `A handler that another one removes is not called`() {
    let node = ProgressNode(total: 1)
    let calls = Box(0)
    let second = Box<ProgressNode.HandlerRegistration?>(nil)
    node.onCancel { second.value?.remove() }
    second.value = node.onCancel { calls.change { $0 += 1 } }
    node.onCancel { calls.change { $0 += 10 } }
    node.cancel()
    #expect(calls.value == 10)
  }

  @Test func `A handler for a cancelled node is called at once`() {
    let node = ProgressNode(total: 1)
    let calls = Box(0)
    node.cancel()
    node.onCancel { calls.change { $0 += 1 } }
    #expect(calls.value == 1)
    node.finish()
    node.onCancel { calls.change { $0 += 1 } }
    #expect(calls.value == 2)
  }

  @Test func `A handler of a finished node is not called`() {
    let root = ProgressNode(total: 1)
    let node = root.child(units: 1)
    let calls = Box(0)
    node.onCancel { calls.change { $0 += 1 } }
    node.finish()
    root.cancel()
    node.cancel()
    #expect(calls.value == 0)
  }

  @Test func `A handler is released when its node finishes`() {
    /// An object that a handler retains.
    final class Held: Sendable {}
    let node = ProgressNode(total: 1)
    weak var seen: Held?
    do {
      let held = Held()
      seen = held
      node.onCancel { withExtendedLifetime(held) {} }
    }
    #expect(seen != nil)
    node.finish()
    #expect(seen == nil)
  }

  @Test func `A handler can cancel again`() {
    let nodes = chain(2)
    let calls = Box(0)
    nodes[1].onCancel { [weak top = nodes[0]] in
      calls.change { $0 += 1 }
      top?.cancel()
    }
    nodes[0].onCancel { calls.change { $0 += 10 } }
    nodes[1].cancel()
    #expect(calls.value == 11)
    #expect(nodes[0].isCancelled)
  }

  @Test func `A handler can change the tree`() throws {
    let root = ProgressNode(total: 4)
    let nodes = Box((0..<3).map { _ in root.child(units: 1, total: 1) })
    nodes.value[0].onCancel { [weak root] in
      nodes.value[1].finish()
      nodes.change { $0.removeLast() }
      if let child = root?.child("new", units: 1) { nodes.change { $0.append(child) } }
      try? root?.add(ProgressNode("added", total: 1), units: 1)
      root?.pause()
    }
    root.cancel()
    #expect(root.completed == 3)
    #expect(root.snapshot().children.map(\.label) == ["", "new"])
    #expect(root.snapshot().children.allSatisfy { $0.isCancelled && $0.isPaused })
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A handler can add another one, which is called at once`() {
    let node = ProgressNode(total: 1)
    let calls = Box<[Int]>([])
    node.onCancel { [weak node] in
      calls.change { $0.append(1) }
      node?.onCancel { calls.change { $0.append(2) } }
      calls.change { $0.append(3) }
    }
    node.cancel()
    #expect(calls.value == [1, 2, 3])
  }

  @Test func `Each handler is called once while threads add them and cancel`() {
    for _ in 0..<repetitions(300, underSanitizer: 50) {
      let node = ProgressNode(total: 1)
      let calls = Box<[Int: Int]>([:])
      onThreads(3) { number in
        if number == 2 { return node.cancel() }
        for handler in 0..<10 {
          node.onCancel { calls.change { $0[number * 10 + handler, default: 0] += 1 } }
        }
      }
      #expect(calls.value.count == 20)
      #expect(calls.value.values.allSatisfy { $0 == 1 })
    }
  }

  @Test func `Children that are created during a cancel are all cancelled`() {
    for _ in 0..<repetitions(50, underSanitizer: 5) {
      let root = ProgressNode(total: 1)
      let children = Box<[ProgressNode]>((0..<2_000).map { _ in root.child(units: 1, total: 1) })
      onThreads(3) { number in
        if number == 2 { return root.cancel() }
        for _ in 0..<300 {
          let child = root.child(units: 1, total: 1)
          children.change { $0.append(child.child(units: 1)) }
          if number == 0 { children.change { _ = $0.removeFirst() } }
        }
      }
      #expect(children.value.allSatisfy { $0.isCancelled })
      #expect(root.brokenInvariants() == [])
    }
  }
}
