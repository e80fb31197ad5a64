import Repetitions
import Testing

@testable import HeadwayProgress

/// Adding a tree to another one.
struct ProgressAddingTests {
  @Test func `An added root counts as its share, with units completed before`() throws {
    let run = ProgressNode(total: 4)
    let other = ProgressNode(total: 10)
    other.complete(5)
    try run.add(other, units: 2)
    #expect(run.fraction == 0.25)
    other.finish()
    #expect(run.fraction == 0.5)
    #expect(run.completed == 2)
  }

  @Test func `A node cannot be added to itself or below itself`() {
    let root = ProgressNode(total: 4)
    let child = root.child(units: 1)
    let leaf = child.child(units: 1)
    #expect(throws: ProgressError.isAncestor) { try root.add(root, units: 1) }
    #expect(throws: ProgressError.isAncestor) { try leaf.add(root, units: 1) }
    #expect(throws: ProgressError.isAncestor) { try leaf.add(child, units: 1) }
  }

  @Test func `A node cannot be added to two parents`() throws {
    let first = ProgressNode(total: 4)
    let second = ProgressNode(total: 4)
    let node = ProgressNode(total: 1)
    try first.add(node, units: 1)
    #expect(throws: ProgressError.notARoot) { try second.add(node, units: 1) }
    #expect(throws: ProgressError.notARoot) { try first.add(node, units: 1) }
    #expect(first.snapshot().children.count == 1)
    #expect(second.snapshot().children.isEmpty)
  }

  @Test func `A finished root cannot be added`() {
    let root = ProgressNode(total: 4)
    let done = ProgressNode(total: 1)
    done.finish()
    #expect(throws: ProgressError.notARoot) { try root.add(done, units: 1) }
  }

  @Test func `A tree that would become too deep cannot be added`() throws {
    var chain = [ProgressNode(total: 1)]
    while chain.count < 33 { chain.append(chain[chain.count - 1].child(units: 1, total: 1)) }
    let other = ProgressNode(total: 1)
    var last = other
    var held = [other]
    while held.count < 32 {
      last = last.child(units: 1, total: 1)
      held.append(last)
    }
    #expect(throws: ProgressError.tooDeep) { try chain[32].add(other, units: 1) }
    last.complete(1)
    try chain[31].add(other, units: 1)
    #expect(chain[0].fraction > 1 - 1e-12)
    #expect(chain[0].brokenInvariants() == [])
  }

  @Test func `Negative units count as 0`() throws {
    let root = ProgressNode(total: 4)
    let other = ProgressNode(total: 1)
    try root.add(other, units: -5)
    other.finish()
    #expect(root.completed == 0)
  }

  @Test func `A pending change is not lost when another tree is added`() throws {
    let older = ProgressNode(total: 1)
    let younger = ProgressNode(total: 2)
    let middle = younger.child(units: 1, total: 2)
    let leaf = middle.child(units: 1, total: 1)
    #expect(younger.fraction == 0)
    leaf.finish()
    try younger.add(older, units: 1)
    #expect(younger.fraction == 0.25)
  }

  @Test func `A pending change is not lost when adding fails`() {
    let older = ProgressNode(total: 1)
    let younger = ProgressNode(total: 1)
    let middle = younger.child(units: 1, total: 2)
    let leaf = middle.child(units: 1, total: 1)
    #expect(younger.fraction == 0)
    leaf.finish()
    #expect(throws: ProgressError.notARoot) { try older.add(middle, units: 1) }
    #expect(younger.fraction == 0.5)
  }

  @Test func `A finished node with a live child can be dropped after adding`() throws {
    let older = ProgressNode(total: 1)
    let younger = ProgressNode(total: 1)
    var middle: ProgressNode? = younger.child(units: 1, total: 1)
    var leaf: ProgressNode? = middle?.child(units: 1, total: 1)
    middle?.finish()
    try older.add(younger, units: 1)
    #expect(leaf?.isFinished == false)
    leaf = nil
    middle = nil
    #expect(older.brokenInvariants() == [])
    #expect(older.fraction > 1 - 1e-12)
  }

  @Test(arguments: [false, true])
  func `The nodes of an added tree get unique numbers`(isOlderAdded: Bool) throws {
    let older = ProgressNode(total: 10)
    let younger = ProgressNode(total: 10)
    let nodes = (0..<6).map { ($0 == 0 ? older : younger).child(units: 1, total: 1) }
    let (top, below) = isOlderAdded ? (younger, older) : (older, younger)
    try top.add(below, units: 1)
    let late = (0..<6).map { ($0 % 2 == 0 ? older : younger).child(units: 1, total: 1) }
    var numbers: Set<UInt32> = []
    var count = 0
    func visit(_ snapshot: ProgressSnapshot) {
      numbers.insert(snapshot.id)
      count += 1
      for child in snapshot.children { visit(child) }
    }
    visit(top.snapshot())
    #expect(count == 2 + nodes.count + late.count)
    #expect(numbers.count == count)
  }

  /// Ways to read the progress of a tree.
  enum Reading: CaseIterable {
    case fraction, shownFraction, snapshot, feed, sum

    func read(_ node: ProgressNode) {
      switch self {
      case .fraction: _ = node.fraction
      case .shownFraction: _ = node.shownFraction
      case .snapshot: _ = node.snapshot()
      case .feed: _ = node.feed()
      case .sum: _ = node.sum(of: ProgressKeys.TotalFileCount.self)
      }
    }
  }

  @Test(arguments: Reading.allCases, [false, true])
  func `A tree that was read cannot be added`(reading: Reading, isBelow: Bool) {
    let root = ProgressNode(total: 4)
    let other = ProgressNode(total: 1)
    let child = other.child(units: 1, total: 2)
    reading.read(isBelow ? child : other)
    #expect(throws: ProgressError.alreadyRead) { try root.add(other, units: 1) }
    #expect(root.snapshot().children.isEmpty)
    child.complete(1)
    #expect(other.fraction == 0.5)
  }

  @Test func `A tree can be added to one that was read`() throws {
    let root = ProgressNode(total: 4)
    #expect(root.fraction == 0)
    let other = ProgressNode(total: 1)
    try root.add(other, units: 2)
    other.complete(1)
    #expect(root.fraction > 0.49)
  }

  @Test func `Everything that was set before counts in the new tree`() throws {
    let other = ProgressNode("other", total: 4)
    other.kind = .file(.copying)
    other.onCancel { other.label = "cancelled" }
    let children = (0..<3).map { other.child("\($0)", units: 1, total: 2) }
    children[0].finish()
    children[1].complete(1)
    children[2].totalFileCount = 5
    let root = ProgressNode(total: 2)
    try root.add(other, units: 1)
    #expect(root.brokenInvariants() == [])
    #expect(root.fraction == 0.1875)
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 5)
    #expect(root.snapshot().children.first?.children.map(\.label) == ["1", "2"])
    root.cancel()
    #expect(children[1].isCancelled)
    #expect(other.label == "cancelled")
    #expect(root.brokenInvariants() == [])
  }

  @Test func `Workers may count while their tree is added`() throws {
    for _ in 0..<repetitions(300, underSanitizer: 20) {
      let root = ProgressNode(total: 1)
      let other = ProgressNode(total: 2)
      let child = other.child(units: 2, total: 2_000)
      onThreads(2) { number in
        if number == 0 {
          try? root.add(other, units: 1)
          _ = root.fraction
        } else {
          for _ in 0..<1_000 { child.complete(1) }
        }
      }
      #expect(root.fraction == 0.5)
      #expect(root.brokenInvariants() == [])
    }
  }

  @Test func `A node that is used while its tree is added traps`() async {
    await #expect(processExitsWith: .failure) {
      let node = ProgressNode(total: 1)
      // What `add` does before it links the nodes.
      node.withTree { state, _ in state.isClosed = true }
      node.finish()
    }
  }

  @Test func `An added tree inherits cancel and pause`() throws {
    let root = ProgressNode(total: 1)
    let other = ProgressNode(total: 1)
    let leaf = other.child(units: 1)
    root.pause()
    try root.add(other, units: 1)
    #expect(leaf.isPaused)
    let last = ProgressNode(total: 1)
    root.cancel()
    try root.add(last, units: 1)
    #expect(last.isCancelled && last.isPaused)
    #expect(root.brokenInvariants() == [])
  }
}
