import HeadwayCollections
import HeadwayProgress
import HeadwayTestSupport
import Repetitions
import Testing

/// Cases of Go's contexts without deadlines (`src/context/x_test.go`, `context_test.go`) for the cancellation of nodes; a
/// comment names each case.
struct GoCancellationCaseTests {
  // TestWithCancel.
  @Test func `A cancel has reached a node and all below it when it returns`() {
    let root = ProgressNode(total: 1)
    let child = root.child(units: 1)
    let grandchild = child.child(units: 1)
    let nodes = [root, child, grandchild]
    #expect(nodes.allSatisfy { !$0.isCancelled })
    root.cancel()
    #expect(nodes.allSatisfy { $0.isCancelled })
    for node in nodes { #expect(throws: CancellationError.self) { try node.blockingCheckpoint() } }
  }

  // TestParentFinishesChild.
  @Test func `A cancel reaches a child, a child behind another one, and what comes later`() {
    let parent = ProgressNode(total: 3)
    let child = parent.child(units: 1)
    let between = parent.child("key", units: 1)
    let behind = between.child(units: 1)
    parent.cancel()
    #expect([child, between, behind].allSatisfy { $0.isCancelled })
    let late = parent.child(units: 1)
    #expect(late.isCancelled)
  }

  // TestChildFinishesFirst.
  @Test(arguments: [false, true])
  func `A child that is cancelled leaves its parent as it is`(isFinished: Bool) {
    let parent = ProgressNode(total: 2)
    let child = parent.child(units: 1, total: 1)
    child.cancel()
    #expect(child.isCancelled && !parent.isCancelled)
    if isFinished {
      child.finish()
      #expect(parent.snapshot().children.isEmpty && parent.completed == 1)
    }
    #expect(throws: Never.self) { try parent.blockingCheckpoint() }
  }

  // TestWithCancelCanceledParent.
  @Test func `A child of a cancelled node is cancelled from the start`() {
    let parent = ProgressNode(total: 1)
    parent.cancel()
    let calls = Box(0)
    let child = parent.share(of: 1).start()
    child.onCancel { calls.change { $0 += 1 } }
    #expect(child.isCancelled && calls.value == 1)
  }

  // TestWithCancelSimultaneouslyCanceledParent.
  @Test func `A child that is made while its parent is cancelled ends up cancelled`() {
    for _ in 0..<repetitions(100, underSanitizer: 20) {
      let parent = ProgressNode(total: 1)
      let child = Box<ProgressNode?>(nil)
      onThreads(2) { number in
        if number == 0 { parent.cancel() } else { child.value = parent.child(units: 1) }
      }
      #expect(child.value?.isCancelled == true)
    }
  }

  // TestSimultaneousCancels.
  @Test func `All nodes of a tree can be cancelled at once, in any order`() {
    let root = ProgressNode(total: 4)
    var nodes = [root]
    for place in 0..<25 { for _ in 0..<4 { nodes.append(nodes[place].child(units: 1, total: 4)) } }
    let calls = Box(0)
    for node in nodes { node.onCancel { calls.change { $0 += 1 } } }
    let all = nodes
    onThreads(4) { number in
      var random = SplitMix64(seed: UInt64(number))
      for node in all.shuffled(using: &random) { node.cancel() }
    }
    #expect(nodes.allSatisfy { $0.isCancelled })
    #expect(calls.value == 101)
  }

  // TestInterlockedCancels.
  @Test func `The handler of a node may cancel a child of it`() {
    let parent = ProgressNode(total: 1)
    let child = parent.child(units: 1)
    let calls = Box<[String]>([])
    child.onCancel { calls.change { $0.append("child") } }
    parent.onCancel {
      calls.change { $0.append("parent") }
      child.cancel()
    }
    parent.cancel()
    #expect(calls.value == ["parent", "child"])
  }

  // TestLayersCancel.
  @Test(arguments: 0..<10 as Range<UInt64>)
  func `The deepest of thirty levels is cancelled with any level above it`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var chain = [ProgressNode(total: 1)]
    for _ in 0..<30 { chain.append(chain[chain.count - 1].child(units: 1, total: 1)) }
    let place = random.number(below: 31)
    chain[place].cancel()
    #expect(chain.map(\.isCancelled) == chain.indices.map { $0 >= place })
  }

  // TestCancelRemoves.
  @Test func `Children that were cancelled and have ended leave nothing in their parent`() {
    let parent = ProgressNode(total: 2)
    weak var gone: ProgressNode?
    do {
      let child = parent.child(units: 1)
      gone = child
      #expect(parent.snapshot().children.count == 1)
      child.cancel()
    }
    #expect(gone == nil && parent.snapshot().children.isEmpty)
  }

  // TestAfterFuncCalledAfterCancel, TestAfterFuncNotCalledAfterStop.
  @Test(arguments: [false, true])
  func `A handler is called by a cancel unless it was removed before`(isRemoved: Bool) {
    let node = ProgressNode(total: 1)
    let calls = Box(0)
    let handler = node.onCancel { calls.change { $0 += 1 } }
    #expect(calls.value == 0)
    if isRemoved { handler.remove() }
    node.cancel()
    handler.remove()
    node.cancel()
    #expect(calls.value == (isRemoved ? 0 : 1))
  }

  // TestAfterFuncCalledImmediately.
  @Test func `A handler of a node that was cancelled before is called at once`() {
    let node = ProgressNode(total: 1)
    node.cancel()
    let calls = Box(0)
    node.onCancel { calls.change { $0 += 1 } }
    #expect(calls.value == 1)
  }

  // TestAfterFuncCalledAsynchronously: there, a handler runs on a goroutine of its own.
  @Test func `A cancel waits for its handlers, which hand long work on`() throws {
    let lines = try withVirtualTime { clock in
      let lines = Box<[String]>([])
      let executor = StepExecutor.current
      let node = ProgressNode(total: 1)
      node.onCancel {
        lines.change { $0.append("called") }
        Task(executorPreference: executor) {
          try? await clock.sleep(for: .seconds(1))
          lines.change { $0.append("cleaned up") }
        }
      }
      node.cancel()
      lines.change { $0.append("cancelled") }
      try await clock.sleep(for: .seconds(2))
      return lines.value
    }
    #expect(lines == ["called", "cancelled", "cleaned up"])
  }
}
