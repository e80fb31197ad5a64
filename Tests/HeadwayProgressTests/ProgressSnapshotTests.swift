import HeadwayProgress
import Testing

/// Snapshots of trees.
struct ProgressSnapshotTests {
  @Test func `A snapshot has the children in order of creation`() {
    let root = ProgressNode("root", total: 5)
    let children = (0..<5).map { root.child("\($0)", units: 1) }
    children[1].finish()
    let late = root.child("late", units: 0)
    #expect(root.snapshot().children.map(\.label) == ["0", "2", "3", "4", "late"])
    withExtendedLifetime((children, late)) {}
  }

  @Test func `A snapshot has all properties of a node`() {
    let root = ProgressNode("root", total: 4)
    root.complete(1)
    root.detail = "detail"
    root.kind = .file(.copying)
    root.isCancellable = false
    root.pause()
    let snapshot = root.snapshot()
    #expect(snapshot.label == "root" && snapshot.detail == "detail")
    #expect(snapshot.kind == .file(.copying))
    #expect(snapshot.completed == 1 && snapshot.total == 4)
    #expect(snapshot.fraction == 0.25 && snapshot.shownFraction == 0.25)
    #expect(!snapshot.isFinished && !snapshot.isCancelled && snapshot.isPaused)
    #expect(!snapshot.isCancellable && snapshot.isPausable && !snapshot.isIndeterminate)
    #expect(snapshot.children.isEmpty && !snapshot.omitsChildren)
  }

  @Test func `A snapshot does not change`() {
    let root = ProgressNode(total: 2)
    let child = root.child(units: 1, total: 2)
    let before = root.snapshot()
    child.complete(1)
    root.finish()
    #expect(before.fraction == 0 && !before.isFinished)
    #expect(before.children.count == 1)
  }

  @Test(arguments: [1, 2, 3, 4, 7, 8, 15, 1_000])
  func `A limited snapshot has the nodes near the top`(limit: Int) {
    let root = ProgressNode(total: 2)
    let branches = (0..<2).map { root.child("\($0)", units: 1) }
    let leaves = branches.flatMap { branch in (0..<2).map { branch.child("\($0)", units: 1) } }
    let snapshot = root.snapshot(limit: limit)
    let below = snapshot.children.map(\.children.count)
    #expect(snapshot.children.count == min(2, limit - 1))
    #expect(below.reduce(0, +) == min(4, max(0, limit - 3)))
    #expect(snapshot.omitsChildren == (limit < 3))
    #expect(snapshot.children.map(\.omitsChildren) == below.map { $0 < 2 })
    withExtendedLifetime(leaves) {}
  }

  @Test(arguments: [Int.min, -1, 0, 1])
  func `A limit of less than one node is one node`(limit: Int) {
    let root = ProgressNode(total: 1)
    let child = root.child(units: 1)
    let snapshot = root.snapshot(limit: limit)
    #expect(snapshot.children.isEmpty && snapshot.omitsChildren)
    withExtendedLifetime(child) {}
  }

  @Test func `A limit of more than a thousand nodes is a thousand`() {
    let root = ProgressNode(total: 1)
    let children = (0..<1_500).map { _ in root.child(units: 1) }
    #expect(root.snapshot(limit: .max).children.count == 999)
    #expect(root.snapshot(limit: .max).omitsChildren)
    withExtendedLifetime(children) {}
  }

  @Test func `Finished children are neither included nor omitted`() {
    let root = ProgressNode(total: 3)
    let children = (0..<3).map { _ in root.child(units: 1) }
    let leaf = children[0].child(units: 1)
    for child in children { child.finish() }
    let snapshot = root.snapshot(limit: 1)
    #expect(snapshot.children.isEmpty && !snapshot.omitsChildren)
    #expect(root.snapshot().children.isEmpty)
    withExtendedLifetime(leaf) {}
  }

  @Test func `A node that finishes while it is paused is not shown as paused`() {
    let node = ProgressNode(total: 1)
    node.pause()
    #expect(node.snapshot().isPaused)
    node.finish()
    #expect(node.snapshot().isFinished)
    #expect(!node.snapshot().isPaused)
  }

  @Test func `Sums include omitted nodes`() {
    let root = ProgressNode(total: 1)
    let children = (0..<20).map { _ in root.child(units: 1).child(units: 1) }
    for child in children { child.completedFileCount = 2 }
    #expect(root.snapshot(limit: 1).sum(of: ProgressKeys.CompletedFileCount.self) == 40)
    #expect(root.snapshot(limit: 5).sum(of: ProgressKeys.CompletedFileCount.self) == 40)
    #expect(root.snapshot()[ProgressKeys.CompletedFileCount.self] == nil)
    #expect(children[0].snapshot()[ProgressKeys.CompletedFileCount.self] == 2)
  }

  @Test func `Each node of a snapshot has the sums of its descendants`() {
    let root = ProgressNode(total: 1)
    let branches = (0..<3).map { _ in root.child(units: 1) }
    let leaves = branches.map { $0.child(units: 1) }
    for (number, leaf) in leaves.enumerated() { leaf.completedFileCount = number }
    let sums = root.snapshot().children.map { $0.sum(of: ProgressKeys.CompletedFileCount.self) }
    #expect(sums == [0, 1, 2])
  }

  @Test func `Snapshots of an unchanged tree are equal, and any change makes them differ`() {
    let root = ProgressNode(total: 3)
    let child = root.child(units: 1, total: 5)
    let changes: [() -> Void] = [
      { child.complete(1) }, { child.total = 6 }, { child.label = "a" }, { child.detail = "b" },
      { child.kind = .file(nil) }, { child.pause() }, { child.resume() },
      { child.isPausable = false }, { child.isCancellable = false }, { root.cancel() },
      { child[ProgressKeys.FilePath.self] = "c" }, { child.throughput = 2 }, { child.finish() },
    ]
    var last = root.snapshot()
    for change in changes {
      #expect(root.snapshot() == last)
      change()
      let next = root.snapshot()
      #expect(next != last)
      last = next
    }
  }

  @Test func `The numbers of nodes are unique and stable`() {
    let root = ProgressNode(total: 3)
    let children = (0..<3).map { _ in root.child(units: 1) }
    let before = root.snapshot()
    #expect(Set([before.id] + before.children.map(\.id)).count == 4)
    children[0].finish()
    children[1].complete(1)
    let after = root.snapshot()
    #expect(after.id == before.id)
    #expect(after.children.map(\.id) == before.children.dropFirst().map(\.id))
  }

  @Test func `A snapshot of a part of a tree is like that part of the whole`() {
    let root = ProgressNode(total: 3)
    let child = root.child("part", units: 1, total: 4)
    let leaf = child.child(units: 2, total: 2)
    leaf.complete(1)
    leaf.completedFileCount = 5
    #expect([child.snapshot()] == root.snapshot().children)
  }
}
