import HeadwayProgress
import Repetitions
import Testing

/// Misuse and extreme sizes.
struct ProgressBadInputTests {
  @Test func `Negative counts are ignored or count as 0`() {
    let node = ProgressNode(total: 10)
    node.complete(3)
    for units in [-1, -(1 << 32), .min] {
      node.complete(units)
      node.takeBack(units)
      #expect(node.completed == 3)
    }
    node.setCompleted(-5)
    #expect(node.completed == 0)
    node.complete(2)
    node.takeBack(.max)
    #expect(node.completed == 0)
  }

  @Test(arguments: [-1, .min, -100])
  func `A negative total is unknown`(total: Int) {
    let node = ProgressNode(total: total)
    #expect(node.total == nil && node.isIndeterminate && node.fraction == 0)
    node.total = 5
    #expect(node.total == 5 && !node.isIndeterminate)
    node.total = total
    #expect(node.total == nil)
    #expect(node.child(units: 1, total: total).total == nil)
  }

  @Test func `A total of 0 reads as complete and not finished`() {
    let root = ProgressNode(total: 2)
    let node = root.child(units: 1, total: 0)
    #expect(node.fraction == 1.nextDown && !node.isIndeterminate)
    #expect(root.fraction == 0.5)
    node.complete(5)
    #expect(node.fraction < 1)
    node.finish()
    #expect(node.fraction == 1 && root.fraction == 0.5)
  }

  @Test func `More units than the total read as complete and not finished`() {
    let root = ProgressNode(total: 2)
    let node = root.child(units: 1, total: 10)
    node.complete(1_000)
    #expect(node.completed == 1_000)
    #expect(node.fraction == 1.nextDown)
    #expect(root.fraction == 0.5)
    #expect(!node.isFinished)
    root.complete(50)
    #expect(root.fraction == 1.nextDown)
  }

  @Test(arguments: [
    (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, (1 << 33) + 7, 1 << 48, 1 << 62,
  ])
  func `Large steps are counted exactly`(units: Int) {
    let root = ProgressNode(total: units)
    let node = root.child(units: units, total: units)
    for wired in [false, true] {
      node.setCompleted(0)
      if wired { _ = root.fraction }
      node.complete(units)
      #expect(node.completed == units)
      node.takeBack(units)
      node.complete(units - 1)
      node.complete(1)
      #expect(node.completed == units)
    }
    node.finish()
    #expect(root.completed == units)
  }

  @Test func `A count past Int.max saturates`() {
    let node = ProgressNode(total: .max)
    node.complete(.max)
    #expect(node.completed == .max)
    for _ in 0..<100_000 { node.complete(1 << 32) }
    node.complete(.max)
    #expect(node.completed == .max)
    #expect(node.fraction == 1.nextDown)
    node.setCompleted(.max)
    #expect(node.completed == .max)
    node.setCompleted(7)
    #expect(node.completed == 7)
  }

  @Test func `A full count does not overflow, however often the largest step is added`() {
    let node = ProgressNode(total: .max)
    node.complete(.max)
    for _ in 0...1 << 16 { node.complete(1 << 32) }
    #expect(node.completed == .max)
  }

  @Test func `A count saturates on several threads`() {
    let node = ProgressNode(total: .max)
    node.complete(1 << 62)
    onThreads(4) { number in
      for _ in 0..<1_000 {
        node.complete(1 << 32)
        if number == 0 { node.complete(1 << 60) }
      }
    }
    #expect(node.completed == .max)
  }

  @Test func `Children with more than Int.max units saturate their parent`() {
    let root = ProgressNode(total: .max)
    for _ in 0..<3 { root.child(units: .max, total: 1).finish() }
    #expect(root.completed == .max)
    #expect(root.fraction == 1.nextDown)
    let live = (0..<3).map { _ in root.child(units: .max, total: 1) }
    for child in live { child.complete(1) }
    #expect(root.fraction == 1.nextDown)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A parent stays complete when the sum of its children overflows 128 bits`() {
    let root = ProgressNode(total: .max)
    let full = (0..<32_768).map { _ in root.child(units: .max, total: 1) }
    for child in full { child.complete(1) }
    let last = root.child(units: .max, total: 1 << 33)
    last.complete(1)
    #expect(root.fraction == 1.nextDown)
    for child in full { child.finish() }
    #expect(root.fraction == 1.nextDown)
  }

  @Test func `A parent stays complete when changed units of its children overflow 128 bits`() {
    let root = ProgressNode(total: .max)
    let children = (0..<7).map { _ in root.child(units: 1, total: 1) }
    for child in children { child.complete(1) }
    #expect(root.fraction < 1e-18)
    for child in children { #expect(child.changeUnits(to: .max)) }
    #expect(root.fraction == 1.nextDown)
  }

  @Test func `A total saturates`() {
    let node = ProgressNode(total: .max)
    node.addToTotal(1)
    #expect(node.total == .max)
    node.addToTotal(.min)
    #expect(node.total == 0)
    node.addToTotal(.min)
    #expect(node.total == 0)
    let unknown = ProgressNode()
    unknown.addToTotal(5)
    #expect(unknown.total == 5)
  }

  @Test func `Repeated calls have no effect`() {
    let root = ProgressNode(total: 2)
    let node = root.child(units: 1)
    node.finish()
    node.finish()
    #expect(root.completed == 1)
    root.finish()
    root.finish()
    #expect(root.isFinished && root.completed == 1 && root.fraction == 1)
  }

  @Test func `Units completed after the end do not count`() {
    let root = ProgressNode(total: 4)
    let node = root.child(units: 1, total: 10)
    node.complete(5)
    #expect(root.fraction == 0.125)
    node.finish()
    for units in [1, 1 << 40] { node.complete(units) }
    node.setCompleted(9)
    node.takeBack(2)
    #expect(node.completed == 5)
    #expect(root.fraction == 0.25 && root.completed == 1)
  }

  @Test func `A child of a finished node does not count`() {
    let root = ProgressNode(total: 2)
    let node = root.child(units: 1)
    node.finish()
    let late = node.child(units: 1, total: 1)
    late.complete(1)
    #expect(root.fraction == 0.5)
    late.finish()
    #expect(root.completed == 1 && node.completed == 0)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A child does not count after its parent has finished`() {
    let root = ProgressNode(total: 2)
    let node = root.child(units: 1, total: 4)
    let child = node.child(units: 2, total: 2)
    child.complete(1)
    #expect(root.fraction == 0.125)
    node.finish()
    child.complete(1)
    child.finish()
    #expect(root.fraction == 0.5 && root.completed == 1)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `Negative units of a child count as 0`() {
    let root = ProgressNode(total: 2)
    root.child(units: -7, total: 1).finish()
    #expect(root.completed == 0)
  }

  @Test func `A chain of ten thousand nodes can be created, cancelled and dropped`() {
    let root = ProgressNode(total: 1)
    var last = root
    for _ in 0..<10_000 { last = last.child(units: 1, total: 1) }
    #expect(root.brokenInvariants() == [])
    root.cancel()
    #expect(last.isCancelled)
    last = root
    #expect(root.fraction > 1 - 1e-12)
    #expect(root.brokenInvariants() == [])
  }

  @Test func `A chain of ten thousand retained nodes has the maximum depth`() {
    var nodes = [ProgressNode(total: 1)]
    while nodes.count < 10_000 { nodes.append(nodes[nodes.count - 1].child(units: 1, total: 1)) }
    nodes[ProgressNode.maximumDepth - 1].total = 2
    nodes[ProgressNode.maximumDepth - 1].complete(1)
    #expect(nodes[0].fraction == 0.5)
    nodes[0].pause()
    #expect(nodes[9_999].isPaused)
    #expect(nodes[0].brokenInvariants() == [])
    for node in nodes.reversed() { node.finish() }
    #expect(nodes[0].brokenInvariants() == [])
  }

  @Test func `The units of a node below the maximum depth count when it finishes`() {
    var nodes = [ProgressNode(total: 1)]
    while nodes.count < ProgressNode.maximumDepth {
      nodes.append(nodes[nodes.count - 1].child(units: 1, total: 2))
    }
    let deep = nodes[nodes.count - 1].child(units: 1, total: 2)
    deep.complete(1)
    #expect(nodes[0].fraction == 0)
    #expect(deep.fraction == 0.5)
    deep.finish()
    #expect(nodes[nodes.count - 1].fraction == 0.5)
  }

  @Test func `Very many children are created and finished`() {
    let count = repetitions(200_000, real: 1_000_000, underSanitizer: 50_000)
    let root = ProgressNode(total: count)
    for _ in 0..<count { root.child(units: 1, total: 1).complete(1) }
    #expect(root.completed == count)
    #expect(root.snapshot().children.isEmpty)
    #expect(root.pendingNodeCount() == 0)
  }

  @Test func `Very many children can be live at once`() {
    let count = repetitions(200_000, real: 1_000_000, underSanitizer: 50_000)
    let root = ProgressNode(total: count)
    var children = (0..<count).map { _ in root.child(units: 1, total: 2) }
    for child in children { child.complete(1) }
    #expect(abs(root.fraction - 0.5) < 1e-12)
    #expect(root.snapshot().omitsChildren)
    root.cancel()
    #expect(children[count - 1].isCancelled)
    children = []
    #expect(root.completed == count)
  }

  @Test func `A label can be any string`() {
    let node = ProgressNode(String(repeating: "\u{0}\u{202E}👩‍👩‍👧", count: 1_000), total: 1)
    #expect(node.label.count == 3_000 || node.snapshot().label == node.label)
  }
}
