import Foundation
import HeadwayFoundation
import HeadwayProgress
import Testing

/// Cases of the bridge between Foundation's `Progress` and `ProgressManager` (swift-foundation,
/// `ProgressManagerInteropTests.swift`) for the bridge between `Progress` and nodes; a comment names each case.
struct ProgressManagerInteropCaseTests {
  /// A Foundation parent of ten units, half of which a Foundation child has completed.
  private func halfDoneParent() -> (parent: Progress, child: Progress) {
    let parent = Progress.discreteProgress(totalUnitCount: 10)
    let child = Progress.discreteProgress(totalUnitCount: 2)
    parent.addChild(child, withPendingUnitCount: 5)
    child.completedUnitCount = 1
    child.completedUnitCount = 2
    return (parent, child)
  }

  /// Whether two fractions are equal, up to the millionth that a node keeps back from Foundation until it has finished.
  private func isNear(_ fraction: Double, _ other: Double) -> Bool { abs(fraction - other) < 2e-6 }

  /// Adds a node to a Foundation parent, which is told of its changes only when it is asked to.
  private func add(_ node: ProgressNode, to parent: Progress, units: Int64) -> Progress {
    let progress = node.makeFoundationProgress(on: nil)
    parent.addChild(progress, withPendingUnitCount: units)
    return progress
  }

  // MARK: Nodes below Progress

  // interopProgressParentProgressManagerChild, interopProgressParentProgressReporterChild.
  @Test func `A Foundation child and a node complete their Foundation parent`() {
    let (parent, child) = halfDoneParent()
    #expect(parent.fractionCompleted == 0.5 && parent.completedUnitCount == 5)
    let node = ProgressNode(total: 4)
    let progress = add(node, to: parent, units: 5)
    node.complete(2)
    progress.updateFromNode()
    #expect(parent.fractionCompleted == 0.75 && parent.completedUnitCount == 5)
    node.complete(2)
    node.finish()
    progress.updateFromNode()
    #expect(parent.fractionCompleted == 1 && parent.completedUnitCount == 10 && child.isFinished)
  }

  // interopProgressParentProgressReporterChildWithNonZeroFractionCompleted.
  @Test
  func `A node that has begun before it gets a Foundation parent counts with what it has done`() {
    let (parent, child) = halfDoneParent()
    let node = ProgressNode(total: 10)
    node.complete(3)
    let progress = add(node, to: parent, units: 5)
    progress.updateFromNode()
    #expect(isNear(parent.fractionCompleted, 0.65))
    node.complete(7)
    node.finish()
    progress.updateFromNode()
    #expect(parent.fractionCompleted == 1 && parent.completedUnitCount == 10 && child.isFinished)
  }

  // interopProgressParentProgressManagerGrandchild, interopProgressParentProgressReporterGrandchild.
  @Test func `A node below a Foundation child moves the Foundation root`() {
    let (root, child) = halfDoneParent()
    let middle = Progress.discreteProgress(totalUnitCount: 1)
    root.addChild(middle, withPendingUnitCount: 5)
    let node = ProgressNode(total: 4)
    let progress = add(node, to: middle, units: 1)
    node.complete(2)
    progress.updateFromNode()
    #expect(root.fractionCompleted == 0.75)
    node.finish()
    progress.updateFromNode()
    #expect(root.fractionCompleted == 1 && root.completedUnitCount == 10 && child.isFinished)
  }

  // interopProgressParentProgressManagerGrandchildAndProgressGrandchild.
  @Test func `A node and a Foundation progress below one child complete it together`() {
    let (root, child) = halfDoneParent()
    let middle = Progress.discreteProgress(totalUnitCount: 18)
    root.addChild(middle, withPendingUnitCount: 5)
    let sibling = Progress.discreteProgress(totalUnitCount: 2)
    middle.addChild(sibling, withPendingUnitCount: 9)
    sibling.completedUnitCount = 2
    #expect(root.fractionCompleted == 0.75)
    let node = ProgressNode(total: 4)
    let progress = add(node, to: middle, units: 9)
    node.complete(4)
    node.finish()
    progress.updateFromNode()
    #expect(root.fractionCompleted == 1 && root.completedUnitCount == 10 && child.isFinished)
  }

  // interopProgressParentProgressManagerChildAndGrandchildren,
  // interopProgressParentProgressManagerGrandchildrenNonSequentialCompletion,
  // interopProgressParentProgressManagerGrandchildrenPartialProgress: two tasks below a node, in any order.
  @Test(arguments: [
    [(0, 50, 0.25), (0, 50, 0.5), (1, 100, 1)], [(1, 50, 0.25), (1, 50, 0.5), (0, 100, 1)],
    [(0, 25, 0.125), (0, 25, 0.25), (1, 50, 0.5), (0, 50, 0.75), (1, 50, 1)],
  ])
  func `Tasks below a node move the Foundation root in whatever order they report`(
    reports: [(task: Int, units: Int, fraction: Double)]
  ) {
    let root = Progress.discreteProgress(totalUnitCount: 10)
    let node = ProgressNode(total: 2)
    let progress = add(node, to: root, units: 10)
    let tasks = (0..<2).map { _ in node.child(units: 1, total: 100) }
    for report in reports {
      tasks[report.task].complete(report.units)
      progress.updateFromNode()
      #expect(isNear(root.fractionCompleted, report.fraction))
    }
    #expect(!root.isFinished)
    for task in tasks { task.finish() }
    node.finish()
    progress.updateFromNode()
    #expect(root.isFinished)
  }

  // interopProgressParentProgressManagerManyGrandchildren.
  @Test func `Each of five tasks below a node that ends completes a fifth of the Foundation root`()
  {
    let root = Progress.discreteProgress(totalUnitCount: 10)
    let node = ProgressNode(total: 5)
    let progress = add(node, to: root, units: 10)
    let tasks = (0..<5).map { _ in node.child(units: 1, total: 100) }
    for (number, task) in tasks.enumerated() {
      task.complete(100)
      task.finish()
      progress.updateFromNode()
      #expect(isNear(root.fractionCompleted, Double(number + 1) / 5))
    }
  }

  // interopProgressParentProgressManagerIndeterminateGrandchild.
  @Test func `A task of unknown length below a node counts when its length is known`() {
    let root = Progress.discreteProgress(totalUnitCount: 10)
    let node = ProgressNode(total: 2)
    let progress = add(node, to: root, units: 10)
    let (unknown, known) = (node.child(units: 1), node.child(units: 1, total: 100))
    unknown.complete(10)
    progress.updateFromNode()
    #expect(root.fractionCompleted == 0)
    known.complete(50)
    progress.updateFromNode()
    #expect(isNear(root.fractionCompleted, 0.25))
    unknown.total = 100
    unknown.complete(40)
    progress.updateFromNode()
    #expect(isNear(root.fractionCompleted, 0.5))
  }

  // MARK: Progress below nodes

  // interopProgressManagerParentProgressChild.
  @Test func `A function that reports to a node and a Foundation progress complete their node`()
    throws
  {
    let root = ProgressNode(total: 10)
    root.share(of: 5).start(total: 4).complete(2)
    #expect(root.completed == 5 && root.fraction == 0.5)
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    try root.add(progress, units: 5)
    progress.completedUnitCount = 1
    #expect(root.fraction == 0.75)
    progress.completedUnitCount = 2
    #expect(root.fraction == 1.nextDown && root.completed == 10)
  }

  // interopProgressManagerParentProgressGrandchild.
  @Test func `A Foundation progress below a child of a node moves the root`() throws {
    let root = ProgressNode(total: 10)
    root.complete(5)
    let child = root.child(units: 5, total: 3)
    child.complete(1)
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    try child.add(progress, units: 2)
    #expect(abs(root.fraction - (0.5 + 0.5 / 3)) < 1e-12)
    progress.completedUnitCount = 2
    #expect(root.fraction == 1.nextDown && child.completed == 3)
    child.finish()
    #expect(root.completed == 10)
  }

  // interopProgressManagerParentProgressChildConsistency, interopProgressParentProgressManagerChildConsistency.
  @Test func `A child gives its parent no total, on either side`() throws {
    let node = ProgressNode(total: nil)
    let progress = Progress.discreteProgress(totalUnitCount: 5)
    try node.add(progress, units: 5)
    #expect(node.snapshot().total == nil && node.isIndeterminate)
    let parent = Progress.discreteProgress(totalUnitCount: 0)
    let child = add(ProgressNode(total: 5), to: parent, units: 5)
    #expect(parent.totalUnitCount == 0 && child.totalUnitCount == 5)
  }
}
