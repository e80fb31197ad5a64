import Foundation
import HeadwayProgress
import Testing

@testable import HeadwayFoundation

/// Adding a Foundation `Progress` that represents a node.
struct FoundationCycleTests {
  /// Adds a progress.
  ///
  /// - Returns: The error, nil on success.
  private func error(adding progress: Progress, to node: ProgressNode) -> ProgressError? {
    do throws(ProgressError) {
      try node.add(progress, units: 1)
      return nil
    } catch {
      return error
    }
  }

  @Test func `The progress of a node is not added to the node`() {
    let node = ProgressNode(total: 2)
    #expect(error(adding: NodeProgress(withoutFeed: node), to: node) == .isAncestor)
    #expect(node.snapshot().children.isEmpty)
  }

  @Test func `The progress of a node is not added below the node`() {
    let root = ProgressNode(total: 2)
    let node = root.child(units: 1)
    #expect(error(adding: NodeProgress(withoutFeed: root), to: node) == .isAncestor)
  }

  @Test func `The progress of a child is not added again`() {
    let root = ProgressNode(total: 2)
    let node = root.child(units: 1)
    #expect(error(adding: NodeProgress(withoutFeed: node), to: root) == .notARoot)
  }

  @Test func `The progress of a deallocated node is not added`() {
    let root = ProgressNode(total: 2)
    let progress = NodeProgress(withoutFeed: ProgressNode(total: 1))
    #expect(error(adding: progress, to: root) == .notARoot)
  }

  @Test func `The progress of another root adds a child that mirrors that root`() throws {
    let root = ProgressNode(total: 2)
    let node = ProgressNode(total: 4)
    #expect(node.fraction == 0)
    let added = try root.add(NodeProgress(withoutFeed: node), units: 1, label: "fetch")
    #expect(added.label == "fetch")
    node.complete(1)
    let part = node.child(units: 2, total: 2)
    part.complete(1)
    #expect(root.fraction == 0.25)
    #expect(root.snapshot().children.map(\.label) == ["fetch"])
    node.pause()
    _ = root.fraction
    #expect(added.isPaused)
    node.resume()
    root.cancel()
    #expect(node.isCancelled && part.isCancelled)
    node.finish()
    #expect(added.isFinished)
    #expect(root.completed == 1)
  }

  @Test func `The mirror of a root lives as long as that root, not as its progress`() throws {
    let root = ProgressNode(total: 2)
    var node: ProgressNode? = ProgressNode(total: 4)
    weak var mirror: ProgressNode?
    mirror = try node.map { try root.add(NodeProgress(withoutFeed: $0), units: 1) }
    #expect(mirror?.isFinished == false)
    node = nil
    #expect(mirror == nil)
    #expect(root.completed == 1)
  }

  @Test func `Two roots are not added to each other`() throws {
    let roots = [ProgressNode(total: 2), ProgressNode(total: 2), ProgressNode(total: 2)]
    try roots[0].add(NodeProgress(withoutFeed: roots[1]), units: 1)
    #expect(error(adding: NodeProgress(withoutFeed: roots[0]), to: roots[1]) == .isAncestor)
    try roots[1].add(NodeProgress(withoutFeed: roots[2]), units: 1)
    #expect(error(adding: NodeProgress(withoutFeed: roots[0]), to: roots[2]) == .isAncestor)
  }

  @Test func `Adding a child to the progress of a node follows the same rules`() {
    let root = ProgressNode(total: 2)
    let node = root.child(units: 1, total: 1)
    let progress = NodeProgress(withoutFeed: node)
    progress.addChild(NodeProgress(withoutFeed: root), withPendingUnitCount: 1)
    #expect(node.snapshot().children.isEmpty)
    #expect(node.completed == 0)
  }

  @Test func `Adding a finished child to the progress of a node completes its units`() {
    let node = ProgressNode(total: 2)
    let finished = ProgressNode(total: 1)
    finished.finish()
    let progress = NodeProgress(withoutFeed: node)
    progress.addChild(NodeProgress(withoutFeed: finished), withPendingUnitCount: 1)
    #expect(node.completed == 1)
  }

  #if !canImport(Darwin)
    @Test func `A progress above that of the node is not added below the node`() {
      let root = ProgressNode(total: 2)
      let node = root.child(units: 1, total: 2)
      let top = Progress.discreteProgress(totalUnitCount: 1)
      let middle = Progress(totalUnitCount: 1, parent: top, pendingUnitCount: 1)
      middle.addChild(NodeProgress(withoutFeed: root), withPendingUnitCount: 1)
      #expect(error(adding: top, to: root) == .isAncestor)
      #expect(error(adding: top, to: node) == .isAncestor)
      #expect(node.snapshot().children.isEmpty)
    }

    @Test func `A progress above that of another tree is added`() throws {
      let node = ProgressNode(total: 2)
      let other = ProgressNode(total: 4)
      let progress = NodeProgress(withoutFeed: other)
      let top = Progress.discreteProgress(totalUnitCount: 1)
      top.addChild(progress, withPendingUnitCount: 1)
      try node.add(top, units: 1)
      other.complete(2)
      progress.update()
      #expect(node.fraction == 0.25)
    }

    @Test func `A progress above that of a node below is added`() throws {
      let node = ProgressNode(total: 2)
      let below = node.child(units: 1, total: 4)
      let progress = NodeProgress(withoutFeed: below)
      let top = Progress.discreteProgress(totalUnitCount: 1)
      top.addChild(progress, withPendingUnitCount: 1)
      #expect(error(adding: top, to: node) == nil)
    }
  #endif

  @Test func `A cycle that is formed later does not block reads, cancel or pause`() throws {
    let node = ProgressNode(total: 2)
    let top = Progress.discreteProgress(totalUnitCount: 1)
    try node.add(top, units: 1)
    let progress = NodeProgress(withoutFeed: node)
    top.addChild(progress, withPendingUnitCount: 1)
    node.complete(1)
    for _ in 0..<100 {
      progress.update()
      _ = node.snapshot()
    }
    #expect(node.fraction < 1)
    let settled = node.shownFraction
    progress.update()
    #expect(node.shownFraction == settled)
    node.pause()
    #expect(top.isPaused)
    node.resume()
    #expect(!top.isPaused && !node.isPaused)
    top.cancel()
    #expect(node.isCancelled)
  }

  @Test func `A node that mirrors another is up to date at each read`() {
    let node = ProgressNode(total: 8)
    node.kind = .file(.copying)
    node.filePath = "/tmp/a"
    let mirror = ProgressNode(mirroring: NodeProgress(of: node, on: nil))
    let progress = NodeProgress(of: node, on: nil)
    let lasting = ProgressNode(mirroring: progress)
    #expect(mirror.isFinished)
    node.complete(2)
    #expect(lasting.fraction == 0.25)
    #expect(lasting.completed == 2)
    #expect(lasting.snapshot().kind == .file(.copying))
    #expect(lasting.filePath == "/tmp/a")
    let child = node.child(units: 4, total: 2)
    child.complete(1)
    #expect(lasting.fraction == 0.5)
    #expect(progress.fractionCompleted == 0)
    node.pause()
    #expect(lasting.fraction == 0.5)
    #expect(lasting.isPaused)
    child.finish()
    node.finish()
    #expect(lasting.fraction == 1)
    #expect(lasting.isFinished)
  }

  @Test func `A node that mirrors a deallocated node has finished`() {
    let progress: NodeProgress
    let mirror: ProgressNode
    do {
      let node = ProgressNode(total: 8)
      progress = NodeProgress(of: node, on: nil)
      mirror = ProgressNode(mirroring: progress)
      #expect(!mirror.isFinished)
    }
    #expect(mirror.fraction == 1)
    #expect(mirror.isFinished)
  }

  @Test func `Cancel and pause are not passed on inside access`()
    throws
  {
    let counter = NestingCounter()
    let node = ProgressNode(total: 2)
    let source = Progress.discreteProgress(totalUnitCount: 4)
    try node.add(source, units: 2, access: counter.take)
    let progress = NodeProgress(of: node, on: nil)
    let mirror = ProgressNode(mirroring: progress, access: counter.take)
    mirror.pause()
    #expect(source.isPaused)
    mirror.resume()
    #expect(!source.isPaused)
    mirror.cancel()
    #expect(source.isCancelled)
    #expect(counter.deepest == 1)
  }

  @Test func `A tree is not read inside access`() throws {
    let counter = NestingCounter()
    let node = ProgressNode(total: 2)
    let source = Progress.discreteProgress(totalUnitCount: 4)
    try node.add(source, units: 2, access: counter.take)
    let progress = NodeProgress(of: node, on: nil)
    let mirror = ProgressNode(mirroring: progress, access: counter.take)
    source.completedUnitCount = 2
    #expect(mirror.fraction == 0.5)
    #expect(counter.deepest == 1)
  }

  @Test func `A cycle through a mirror does not block reads or cancel`() throws {
    let node = ProgressNode(total: 2)
    let progress = NodeProgress(withoutFeed: node)
    let mirror = ProgressNode(mirroring: progress)
    try node.add(mirror, units: 1)
    node.complete(1)
    for _ in 0..<100 {
      progress.update()
      _ = node.snapshot()
    }
    #expect(node.fraction < 1)
    node.cancel()
    #expect(mirror.isCancelled)
  }
}
