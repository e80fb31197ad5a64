import HeadwayProgress
import Repetitions
import Testing

/// Defects of Foundation's `Progress` on Linux and of `ProgressManager` that Headway does not have.
struct FoundationDefectTests {
  /// The sizes of the files of a folder.
  private static let sizes = [
    1_234_567_891, 987_654_323, 7_654_321_987, 3_333_333_337, 5_555_555_557,
  ]

  @Test func `Three folders of five files in bytes do not stop at a third`() {
    let total = Self.sizes.reduce(0, +)
    let top = ProgressNode(total: 3)
    let folders = (0..<3).map { _ in top.child(units: 1, total: total) }
    let files = folders.flatMap { folder in
      Self.sizes.map { (size: $0, node: folder.child(units: $0, total: $0)) }
    }
    for step in 1...9 {
      for file in files { file.node.setCompleted(file.size / 10 * step) }
      let done = Self.sizes.reduce(0) { $0 + $1 / 10 * step }
      let wanted = Double(done) / Double(total)
      for folder in folders { #expect(abs(folder.fraction - wanted) < 1e-12) }
      #expect(abs(top.fraction - wanted) < 1e-12)
    }
    for file in files { file.node.finish() }
    for folder in folders {
      #expect(folder.completed == total)
      folder.finish()
    }
    top.finish()
    #expect(top.fraction == 1 && top.completed == 3)
  }

  @Test(arguments: 2...8)
  func `A chain of half weights is exact`(depth: Int) {
    var nodes = [ProgressNode(total: 1_000_003)]
    while nodes.count < depth - 1 {
      nodes.append(nodes[nodes.count - 1].child(units: 500_000, total: 1_000_003))
    }
    let leaf = nodes[nodes.count - 1].child(units: 500_000, total: 999_983)
    leaf.complete(400_000)
    var exact = Rational(count: 400_000, parts: [], total: 999_983)
    for _ in nodes {
      exact = Rational(count: 0, parts: [(500_000, exact)], total: 1_000_003)
    }
    #expect(exact.isNear(nodes[0].fraction))
  }

  @Test func `Two threads at one leaf lose no count`() {
    let rounds = repetitions(500_000, underSanitizer: 50_000)
    let leaf = ProgressNode(total: 2 * rounds)
    onThreads(2) { _ in
      for _ in 0..<rounds { leaf.complete(1) }
    }
    #expect(leaf.completed == 2 * rounds)
  }

  @Test func `Two threads with a child each under one root never exceed 1`() {
    let rounds = repetitions(2_000, underSanitizer: 300)
    for _ in 0..<20 {
      let root = ProgressNode(total: 2)
      let children = (0..<2).map { _ in root.child(units: 1, total: rounds) }
      let seen = Box<[Double]>([])
      onThreads(2) { number in
        var largest = 0.0
        for _ in 0..<rounds {
          children[number].complete(1)
          largest = max(largest, root.fraction)
        }
        seen.change { $0.append(largest) }
      }
      #expect(seen.value.allSatisfy { $0 < 1 })
      #expect(root.fraction > 1 - 1e-12 && !root.isFinished)
      for child in children { child.finish() }
      #expect(root.completed == 2)
      root.finish()
      #expect(root.fraction == 1)
    }
  }

  @Test func `The number of updated nodes does not grow with finished children`() {
    let count = repetitions(20_000, underSanitizer: 2_000)
    let root = ProgressNode(total: 1)
    let phase = root.child(units: 1, total: count)
    var most = 0
    for done in 1...count {
      let child = phase.child(units: 1, total: 1)
      child.complete(1)
      child.finish()
      most = max(most, root.pendingNodeCount())
      let fraction = root.fraction
      if done == count / 2 { #expect(abs(fraction - 0.5) < 1e-12) }
    }
    #expect(most <= 2)
    #expect(phase.completed == count)
  }

  @Test func `Finished children leave no pending nodes, snapshots or memory`() {
    let root = ProgressNode(total: 10_000)
    weak var seen: ProgressNode?
    for _ in 0..<10_000 {
      let child = root.child(units: 1, total: 1)
      seen = child
      child.finish()
    }
    #expect(seen == nil)
    #expect(root.pendingNodeCount() == 0)
    #expect(root.snapshot().children.isEmpty)
    #expect(root.fraction == 1.nextDown)
  }

  @Test func `Only the child that has changed is updated`() {
    let root = ProgressNode(total: 10_000)
    let children = (0..<10_000).map { _ in root.child(units: 1, total: 10) }
    _ = root.fraction
    #expect(root.pendingNodeCount() == 0)
    for _ in 0..<5 { children[77].complete(1) }
    #expect(root.pendingNodeCount() == 1)
    #expect(abs(root.fraction - 0.5e-4) < 1e-12)
  }
}
