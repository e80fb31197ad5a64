import HeadwayCollections
import ProgressFixtures
import Repetitions
import Testing

@testable import HeadwayProgress

/// A tree that follows another one by its changes.
struct ProgressMirrorTests {
  /// The seeds, with a number of trees for each.
  private static let seeds = 0..<(20 as UInt64)
  private static let trees = repetitions(60, real: 500, underSanitizer: 20)

  @Test(arguments: seeds)
  func `After each change the mirror reads as the tree does`(seed: UInt64) throws {
    var seeds = SplitMix64(seed: seed)
    for number in 0..<Self.trees {
      var tree = RandomTree(seed: seeds.next())
      let mirror = ProgressMirror(limit: 1_000)
      var last: ProgressSnapshot?
      for _ in 0..<6 {
        for _ in 0..<(1 + tree.number(below: 12)) { tree.step() }
        if tree.isOne(in: 40) { tree.root.finish() }
        // Somebody else reads the tree, too.
        if tree.isOne(in: 3) { _ = tree.root.fraction }
        let snapshot = tree.root.snapshot()
        try mirror.apply(TreeChange(from: last, to: snapshot))
        last = snapshot
        // Not every state is read.
        if tree.isOne(in: 3) { continue }
        let seen = mirror.root.snapshot()
        #expect(seen == snapshot, "tree \(number)")
        if seen != snapshot { return }
      }
      #expect(mirror.root.brokenInvariants() == [])
    }
  }

  @Test(arguments: seeds)
  func `Any mix of changes, whole trees and left out nodes gives the last snapshot`(
    seed: UInt64
  ) throws {
    var seeds = SplitMix64(seed: seed)
    for number in 0..<(Self.trees / 2) {
      var tree = RandomTree(seed: seeds.next())
      let mirror = ProgressMirror(limit: 1_000)
      var last: ProgressSnapshot?
      for _ in 0..<8 {
        for _ in 0..<(1 + tree.number(below: 12)) { tree.step() }
        if tree.isOne(in: 40) { tree.root.finish() }
        let snapshot = tree.root.snapshot(limit: 1 + tree.number(below: 9))
        // Some changes are not sent; a whole tree makes up for them.
        if tree.isOne(in: 4) { continue }
        let isWhole = tree.isOne(in: 2)
        if isWhole {
          try mirror.replace(with: TreeChange(from: nil, to: snapshot))
        } else {
          let before = last ?? snapshot
          if last == nil { try mirror.apply(TreeChange(from: nil, to: before)) }
          try mirror.apply(TreeChange(from: before, to: snapshot))
        }
        last = snapshot
        let seen = mirror.root.snapshot()
        #expect(seen == snapshot, "tree \(number), \(isWhole ? "whole" : "changes")")
        if seen != snapshot { return }
      }
      #expect(mirror.root.brokenInvariants() == [])
    }
  }

  @Test(arguments: seeds)
  func `A mirror of a part of a tree reads as that part does`(seed: UInt64) throws {
    var seeds = SplitMix64(seed: seed)
    for number in 0..<(Self.trees / 5) {
      var tree = RandomTree(seed: seeds.next())
      let above = ProgressNode("above", total: 4)
      try above.add(tree.root, units: 2)
      let mirror = ProgressMirror(limit: 1_000)
      var last: ProgressSnapshot?
      for _ in 0..<6 {
        for _ in 0..<(1 + tree.number(below: 12)) { tree.step() }
        switch tree.number(below: 12) {
        case 0: above.pause()
        case 1: above.resume()
        case 2: if tree.isOne(in: 3) { above.cancel() }
        case 3: _ = tree.root.changeUnits(to: tree.number(below: 4))
        case 4: if tree.isOne(in: 3) { tree.root.finish() }
        default: break
        }
        let snapshot = tree.root.snapshot()
        try mirror.apply(TreeChange(from: last, to: snapshot))
        last = snapshot
        let seen = mirror.root.snapshot()
        let isEqual = PublicFields(seen) == PublicFields(snapshot)
        #expect(isEqual, "tree \(number)")
        // A finished node of a larger tree is not followed any more.
        if !isEqual || snapshot.isFinished { break }
      }
      #expect(mirror.root.brokenInvariants() == [])
    }
  }

  @Test func `A mirror of a mirror reads as the tree does`() throws {
    var tree = RandomTree(seed: 1)
    let mirrors = [ProgressMirror(limit: 100), ProgressMirror(limit: 100)]
    var last: [ProgressSnapshot?] = [nil, nil]
    for round in 0..<200 {
      for _ in 0..<5 { tree.step() }
      var snapshot = tree.root.snapshot(limit: 20)
      for (index, mirror) in mirrors.enumerated() {
        try mirror.apply(TreeChange(from: last[index], to: snapshot))
        last[index] = snapshot
        snapshot = mirror.root.snapshot(limit: 100)
      }
      #expect(snapshot == last[0], "round \(round)")
    }
  }

  @Test func `Nodes that are left out still count in those above them`() throws {
    let root = ProgressNode("all", total: 4)
    let children = (0..<4).map { root.child("child \($0)", units: 1, total: 10) }
    for child in children { child.completedFileCount = 3 }
    children[3].complete(5)
    let mirror = ProgressMirror(limit: 10)
    let first = root.snapshot(limit: 3)
    #expect(first.omitsChildren && first.fraction == 0.125)
    try mirror.apply(TreeChange(from: nil, to: first))
    #expect(mirror.root.snapshot() == first)
    #expect(mirror.root.sum(of: ProgressKeys.CompletedFileCount.self) == 12)
    children[3].complete(3)
    let second = root.snapshot(limit: 3)
    let change = TreeChange(from: first, to: second)
    #expect(change.nodes.map(\.id) == [first.id])
    try mirror.apply(change)
    #expect(mirror.root.fraction == 0.2)
    // Nothing is left out any more, so the numbers follow from the nodes again.
    let third = root.snapshot()
    try mirror.apply(TreeChange(from: second, to: third))
    #expect(mirror.root.snapshot() == third)
    #expect(third.summary == nil && mirror.root.snapshot().summary == nil)
    #expect(mirror.root.brokenInvariants() == [])
  }

  @Test func `Changed units of a child arrive`() throws {
    let root = ProgressNode("all", total: 10)
    let child = root.child("one", units: 2, total: 4)
    child.complete(2)
    let mirror = ProgressMirror(limit: 10)
    let first = root.snapshot()
    try mirror.apply(TreeChange(from: nil, to: first))
    #expect(child.changeUnits(to: 8))
    let change = TreeChange(from: first, to: root.snapshot())
    var moved = NodeChange(first.children[0].id)
    (moved.parent, moved.units) = (first.id, 8)
    #expect(change.nodes == [moved])
    try mirror.apply(change)
    #expect(mirror.root.fraction == 0.4)
    #expect(mirror.root.snapshot() == root.snapshot())
  }

  @Test func `A node whose shares have overflowed reads as complete in a mirror that comes later`()
    throws
  {
    let root = ProgressNode("all", total: 10)
    let children = (0..<5).map { _ in root.child(units: .max, total: 1) }
    for child in children { child.complete(1) }
    _ = root.fraction
    for child in children.dropFirst() { child.takeBack(1) }
    let mirror = ProgressMirror(limit: 10)
    try mirror.apply(TreeChange(from: nil, to: root.snapshot()))
    #expect(mirror.root.snapshot() == root.snapshot())
  }

  @Test func `A mirror is as deep as a tree can be`() throws {
    let root = ProgressNode("1", total: 1)
    var nodes = [root]
    for level in 2...70 { nodes.append(nodes[level - 2].child("\(level)", units: 1, total: 1)) }
    let snapshot = root.snapshot()
    let mirror = ProgressMirror(limit: 100)
    try mirror.apply(TreeChange(from: nil, to: snapshot))
    #expect(mirror.root.snapshot() == snapshot)
    nodes.last?.complete(1)
    try mirror.apply(TreeChange(from: snapshot, to: root.snapshot()))
    #expect(mirror.root.snapshot() == root.snapshot())
    #expect(mirror.root.brokenInvariants() == [])
  }

  @Test func `The sums of a finished node with children at work arrive`() throws {
    let root = ProgressNode("all")
    let child = root.child("one", units: 1)
    child.totalFileCount = 3
    let mirror = ProgressMirror(limit: 10)
    let first = root.snapshot()
    try mirror.apply(TreeChange(from: nil, to: first))
    root.finish()
    let second = root.snapshot()
    try mirror.apply(TreeChange(from: first, to: second))
    #expect(mirror.root.snapshot() == second)
    child.totalFileCount = 5
    let third = root.snapshot()
    try mirror.apply(TreeChange(from: second, to: third))
    #expect(mirror.root.sum(of: ProgressKeys.TotalFileCount.self) == 5)
    #expect(mirror.root.snapshot() == third)
  }

  @Test func `A whole tree keeps the nodes that are still there`() throws {
    let root = ProgressNode("all", total: 3)
    let kept = root.child("kept", units: 1, total: 10)
    let ended = root.child("ended", units: 1)
    kept.detail = "busy"
    kept.complete(7)
    kept.pause()
    let mirror = ProgressMirror(limit: 10)
    try mirror.replace(with: TreeChange(from: nil, to: root.snapshot()))
    let resumed = Box(0)
    let held = try #require(mirror.node(root.snapshot().children[0].id))
    held.onResume { resumed.change { $0 += 1 } }
    kept.detail = nil
    kept.setCompleted(0)
    kept.total = nil
    kept.resume()
    ended.finish()
    let added = root.child("added", units: 1)
    try mirror.replace(with: TreeChange(from: nil, to: root.snapshot()))
    #expect(mirror.root.snapshot() == root.snapshot())
    #expect(!held.isFinished && held.detail == nil && held.total == nil)
    #expect(resumed.value == 1)
    withExtendedLifetime(added) {}
    // A tree without the first node is another tree.
    var other = TreeChange()
    other.nodes = [NodeChange(99)]
    let before = mirror.root.snapshot()
    #expect(throws: MirrorProblem.self) { try mirror.replace(with: other) }
    #expect(throws: MirrorProblem.self) { try mirror.replace(with: TreeChange()) }
    #expect(mirror.root.snapshot() == before)
  }

  @Test func `The end of a mirror finishes its nodes with the counts that they have`() throws {
    let root = ProgressNode("all", total: 10)
    let child = root.child("one", units: 5, total: 10)
    child.complete(4)
    root.complete(2)
    let mirror = ProgressMirror(limit: 10)
    try mirror.apply(TreeChange(from: nil, to: root.snapshot()))
    let held = try #require(mirror.node(root.snapshot().children[0].id))
    mirror.end(detail: "its process ended")
    mirror.end(detail: "again")
    #expect(mirror.root.isFinished && held.isFinished)
    #expect(mirror.root.completed == 2 && held.completed == 4)
    #expect(mirror.root.detail == "its process ended")
    // What comes late is ignored.
    child.complete(1)
    try mirror.apply(TreeChange(from: nil, to: root.snapshot()))
    #expect(held.completed == 4)
    #expect(mirror.root.brokenInvariants() == [])
  }

  @Test func `A mirror that is dropped ends`() throws {
    let root = ProgressNode("all", total: 10)
    let child = root.child("one", units: 5, total: 10)
    var mirror: ProgressMirror? = ProgressMirror(limit: 10)
    try mirror?.apply(TreeChange(from: nil, to: root.snapshot()))
    let top = mirror?.root
    mirror = nil
    #expect(top?.isFinished == true && top?.completed == 0)
    withExtendedLifetime(child) {}
  }

  @Test func `Nodes that are finished or counted by hand do no harm`() throws {
    let root = ProgressNode("all", total: 10)
    var children: [ProgressNode] = []
    for number in 0..<4 { children.append(root.child("\(number)", units: 1, total: 10)) }
    let mirror = ProgressMirror(limit: 10)
    var last = root.snapshot()
    try mirror.apply(TreeChange(from: nil, to: last))
    func follow() throws {
      let next = root.snapshot()
      try mirror.apply(TreeChange(from: last, to: next))
      last = next
    }
    mirror.node(last.children[0].id)?.finish()
    mirror.node(last.children[1].id)?.complete(3)
    let grandchildren = children.map { $0.child("below", units: 1, total: 5) }
    for child in children { child.complete(1) }
    root.complete(1)
    try follow()
    #expect(mirror.root.completed == 1)
    #expect(mirror.root.brokenInvariants() == [])
    mirror.root.finish()
    children.removeAll()
    grandchildren[0].complete(1)
    try follow()
    #expect(mirror.root.isFinished)
    #expect(mirror.root.brokenInvariants() == [])
  }

  @Test func `Numbers out of range are set right`() throws {
    let mirror = ProgressMirror(limit: 10)
    var change = TreeChange()
    var first = NodeChange(.max)
    first.completed = -5
    first.total = .some(-7)
    first.shownFraction = .infinity
    first.summary = ProgressSummary(part: .nan, sums: ValueTable())
    var child = NodeChange(3)
    (child.parent, child.units) = (.max, -4)
    child.completed = .max
    child.total = 10
    child.summary = ProgressSummary(part: 7, sums: ValueTable())
    change.nodes = [first, child]
    try mirror.apply(change)
    let seen = mirror.root.snapshot()
    #expect(seen.completed == 0 && seen.total == nil && seen.fraction == 0)
    #expect(seen.children[0].fraction < 1 && seen.children[0].completed == .max)
    #expect(mirror.root.brokenInvariants() == [])
  }

  @Test func `Only what has changed is part of a change`() {
    let root = ProgressNode("all", total: 3)
    let child = root.child("one", units: 1, total: 10)
    let first = root.snapshot()
    #expect(TreeChange(from: first, to: root.snapshot()).isEmpty)
    child.complete(4)
    let second = root.snapshot()
    var counted = NodeChange(first.children[0].id)
    counted.completed = 4
    #expect(TreeChange(from: first, to: second).nodes == [counted])
    child.finish()
    let change = TreeChange(from: second, to: root.snapshot())
    #expect(change.ended == [first.children[0].id])
    var advanced = NodeChange(first.id)
    advanced.completed = 1
    #expect(change.nodes == [advanced])
  }

  @Test func `Handlers of a mirror hear of what happens in the tree, once`() throws {
    let root = ProgressNode(total: 2)
    let child = root.child("one", units: 1)
    let mirror = ProgressMirror(limit: 10)
    var last = root.snapshot()
    try mirror.apply(TreeChange(from: nil, to: last))
    let calls = Box<[String]>([])
    mirror.root.onPause { calls.change { $0.append("pause") } }
    mirror.root.onResume { calls.change { $0.append("resume") } }
    mirror.root.onCancel { calls.change { $0.append("cancel") } }
    func follow() throws {
      let next = root.snapshot()
      try mirror.apply(TreeChange(from: last, to: next))
      last = next
    }
    root.pause()
    try follow()
    root.resume()
    try follow()
    root.cancel()
    try follow()
    child.complete(1)
    try follow()
    #expect(calls.value == ["pause", "resume", "cancel"])
    #expect(mirror.root.isCancelled && mirror.root.snapshot().children[0].isCancelled)
  }

  @Test func `A node that is named twice in a change is one node`() throws {
    let mirror = ProgressMirror(limit: 10)
    var child = NodeChange(2)
    (child.parent, child.units) = (1, 3)
    var change = TreeChange()
    change.nodes = [NodeChange(1), child, child]
    try mirror.apply(change)
    #expect(mirror.root.snapshot().children.count == 1)
    #expect(mirror.root.brokenInvariants() == [])
  }

  @Test func `A change that does not follow the last one is refused, and changes nothing`() throws {
    let mirror = ProgressMirror(limit: 3)
    var first = TreeChange()
    first.nodes = [NodeChange(1)]
    try mirror.apply(first)
    func change(_ build: (inout TreeChange) -> Void) -> TreeChange {
      var change = TreeChange()
      var relabeled = NodeChange(1)
      relabeled.label = "changed"
      change.nodes = [relabeled]
      build(&change)
      return change
    }
    func node(_ id: UInt32, below parent: UInt32?) -> NodeChange {
      var node = NodeChange(id)
      node.parent = parent
      return node
    }
    let before = mirror.root.snapshot()
    #expect(throws: MirrorProblem.moved(1)) {
      try mirror.apply(change { $0.nodes.append(node(1, below: 1)) })
    }
    #expect(throws: MirrorProblem.moved(5)) {
      try mirror.apply(change { $0.nodes += [node(5, below: 1), node(5, below: 5)] })
    }
    #expect(throws: MirrorProblem.unknownNode(7)) {
      try mirror.apply(change { $0.ended = [7] })
    }
    #expect(throws: MirrorProblem.unknownNode(1)) {
      try mirror.apply(change { $0.ended = [1] })
    }
    #expect(throws: MirrorProblem.unknownNode(7)) {
      try mirror.apply(change { $0.nodes.append(node(7, below: nil)) })
    }
    #expect(throws: MirrorProblem.unknownParent(of: 7)) {
      try mirror.apply(change { $0.nodes.append(node(7, below: 8)) })
    }
    #expect(throws: MirrorProblem.unknownParent(of: 7)) {
      try mirror.apply(change { $0.nodes.append(node(7, below: 7)) })
    }
    #expect(throws: MirrorProblem.tooManyNodes(limit: 3)) {
      try mirror.apply(change { for id in 2...4 { $0.nodes.append(node(UInt32(id), below: 1)) } })
    }
    #expect(mirror.root.snapshot() == before)
    let deep = ProgressMirror(limit: 1_000)
    var chain = TreeChange()
    for id in 1...66 as ClosedRange<UInt32> {
      chain.nodes.append(node(id, below: id == 1 ? nil : id - 1))
    }
    #expect(throws: MirrorProblem.tooDeep(66)) { try deep.apply(chain) }
    chain.nodes.removeLast()
    try deep.apply(chain)
    #expect(deep.root.snapshot().children.count == 1)
  }
}

/// What everybody can see of a snapshot; the first node's units of a parent that is not shown are not part of it.
private struct PublicFields: Equatable {
  private let texts: [String?]
  private let counts: [Int?]
  private let fractions: [Double]
  private let flags: [Bool]
  private let kind: WorkKind
  private let sums: ValueSums
  private let children: [ProgressSnapshot]

  init(_ snapshot: ProgressSnapshot) {
    texts = [snapshot.label, snapshot.detail]
    counts = [Int(snapshot.id), snapshot.completed, snapshot.total]
    fractions = [snapshot.fraction, snapshot.shownFraction]
    flags = [
      snapshot.isFinished, snapshot.isCancelled, snapshot.isPaused, snapshot.isCancellable,
      snapshot.isPausable, snapshot.omitsChildren,
    ]
    kind = snapshot.kind
    sums = snapshot.sums
    children = snapshot.children
  }
}
