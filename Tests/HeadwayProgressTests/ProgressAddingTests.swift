import HeadwayProgress
import HeadwayTestSupport
import Testing

/// Trees that become part of others.
struct ProgressAddingTests {
  @Test func `An added root counts as its share, with what it has done before`() throws {
    let run = ProgressNode(total: 4)
    let other = ProgressNode(total: 10)
    other.complete(5)
    try run.add(other, units: 2)
    #expect(run.fraction == 0.25)
    other.finish()
    #expect(run.fraction == 0.5)
    #expect(run.completed == 2)
  }

  @Test func `An older tree can be added to a younger one`() throws {
    let older = ProgressNode(total: 10)
    let younger = ProgressNode(total: 4)
    older.complete(5)
    try younger.add(older, units: 2)
    #expect(younger.fraction == 0.25)
    #expect(younger.brokenInvariants() == [])
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

  @Test func `A root that has finished cannot be added`() {
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

  @Test func `Fewer units than none count as none`() throws {
    let root = ProgressNode(total: 4)
    let other = ProgressNode(total: 1)
    try root.add(other, units: -5)
    other.finish()
    #expect(root.completed == 0)
  }

  @Test func `What has changed above a place is not lost when another tree is added there`() throws
  {
    let older = ProgressNode(total: 1)
    let younger = ProgressNode(total: 2)
    let middle = younger.child(units: 1, total: 2)
    let leaf = middle.child(units: 1, total: 1)
    #expect(younger.fraction == 0)
    leaf.finish()
    try younger.add(older, units: 1)
    #expect(younger.fraction == 0.25)
  }

  @Test func `What has changed is not lost when adding fails`() {
    let older = ProgressNode(total: 1)
    let younger = ProgressNode(total: 1)
    let middle = younger.child(units: 1, total: 2)
    let leaf = middle.child(units: 1, total: 1)
    #expect(younger.fraction == 0)
    leaf.finish()
    #expect(throws: ProgressError.notARoot) { try older.add(middle, units: 1) }
    #expect(younger.fraction == 0.5)
  }

  @Test func `A finished node with a live child leaves a tree that was added`() throws {
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
  func `The nodes of one tree keep different numbers`(isOlderAdded: Bool) throws {
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

  @Test(arguments: 0..<40)
  func `A feed goes on in the tree that has taken its node in`(changes: Int) throws {
    let count = try withVirtualTime(limit: 100) { clock in
      let older = ProgressNode(total: 10)
      let younger = ProgressNode(total: 10)
      var feed = younger.feed(every: .seconds(1), clock: clock).makeAsyncIterator()
      for number in 0..<20 { younger.label = "\(number)" }
      _ = await feed.next()
      for number in 0..<changes { older.label = "\(number)" }
      try older.add(younger, units: 1)
      younger.complete(5)
      // Another reader has taken note of everything already.
      _ = older.fraction
      return await feed.next()?.completed
    }
    #expect(count == 5)
  }

  @Test func `A cancel and a pause above reach what is added`() throws {
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
