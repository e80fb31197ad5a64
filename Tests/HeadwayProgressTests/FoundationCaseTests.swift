import HeadwayProgress
import Testing

/// Cases of Foundation's `Progress` (swift-corelibs-foundation, `Tests/Foundation/TestProgress.swift`); a comment names each
/// case.
///
/// Where Foundation finishes a progress whose count reaches its total, a node has to be finished.
struct FoundationCaseTests {
  /// Whether two fractions are equal, up to what rounding does.
  private func isNear(_ fraction: Double, _ other: Double) -> Bool { abs(fraction - other) < 1e-12 }

  // MARK: Children

  // test_totalCompletedChangeAffectsFractionCompleted.
  @Test func `A total that changes above or below moves the fraction of both`() {
    let parent = ProgressNode(total: 100)
    parent.complete(50)
    #expect(parent.fraction == 0.5)
    parent.setCompleted(0)
    parent.withCurrent(units: 10) {
      let child = ProgressNode.joinCurrent(total: 100)
      child.complete(50)
      #expect(isNear(parent.fraction, 0.05) && child.fraction == 0.5)
      parent.total = 200
      #expect(isNear(parent.fraction, 0.025) && child.fraction == 0.5)
      child.total = 200
      #expect(isNear(parent.fraction, 0.0125) && child.fraction == 0.25)
      child.total = 100
      #expect(isNear(parent.fraction, 0.025) && child.fraction == 0.5)
    }
  }

  // test_multipleChildren.
  @Test func `Of several children of one scope the first has all its units`() {
    let parent = ProgressNode(total: 100)
    parent.withCurrent(units: 100) {
      let children = (0..<3).map { _ in ProgressNode.joinCurrent(total: 5) }
      #expect(parent.fraction == 0)
      children[1].complete(5)
      #expect(parent.fraction == 0)
      children[2].finish()
      #expect(parent.fraction == 0)
      children[0].complete(5)
      #expect(parent.fraction > 0.999_999)
      children[0].finish()
      #expect(parent.completed == 100)
    }
  }

  // test_indeterminateChildrenAffectFractionCompleted: there, a count of -1 is unknown progress.
  @Test func `A child whose total is unknown counts for nothing until it is known again`() {
    let parent = ProgressNode(total: 1_000)
    let child = parent.child(units: 100, total: 10)
    child.complete(5)
    #expect(isNear(parent.fraction, 0.05))
    child.total = nil
    #expect(parent.fraction == 0 && child.isIndeterminate)
    child.total = 10
    child.setCompleted(10)
    #expect(isNear(parent.fraction, 0.1))
    child.total = nil
    #expect(parent.fraction == 0)
  }

  // test_indeterminateChildrenAffectFractionCompleted2.
  @Test func `A child whose total is unknown leaves the part of its sibling`() {
    let parent = ProgressNode(total: 100)
    let children = (0..<2).map { _ in parent.child(units: 50, total: 2) }
    #expect(parent.fraction == 0)
    for child in children { child.complete(1) }
    #expect(isNear(parent.fraction, 0.5))
    children[0].total = nil
    #expect(isNear(parent.fraction, 0.25))
    children[0].total = 2
    #expect(isNear(parent.fraction, 0.5))
  }

  // test_childCompletionFinishesGroups.
  @Test func `Children that finish complete the units of their group`() throws {
    let group = ProgressNode(total: 2)
    let children = [ProgressNode(total: 1), ProgressNode(total: 1)]
    for child in children { try group.add(child, units: 1) }
    children[0].complete(1)
    #expect(isNear(group.fraction, 0.5))
    for child in children { child.finish() }
    #expect(group.completed == 2 && group.fraction == 1.nextDown && !group.isFinished)
    group.finish()
    #expect(group.fraction == 1)
  }

  // test_childrenAffectFractionCompleted_explicit.
  @Test func `Two children of different weight add up`() {
    let parent = ProgressNode(total: 100)
    #expect(parent.fraction == 0)
    let light = parent.child(units: 10, total: 100)
    light.complete(50)
    #expect(isNear(parent.fraction, 0.05))
    light.complete(50)
    #expect(isNear(parent.fraction, 0.1))
    let heavy = parent.child(units: 90, total: 100)
    heavy.complete(50)
    #expect(isNear(parent.fraction, 0.1 + 0.9 / 2))
    withExtendedLifetime(light) {}
  }

  // test_childrenAffectFractionCompleted_explicit_partial.
  @Test func `A child that was at work before it is added counts with what it has done`() throws {
    let parent = ProgressNode(total: 2)
    #expect(parent.fraction == 0)
    let first = parent.child(units: 1, total: 100)
    first.complete(50)
    #expect(isNear(parent.fraction, 0.25))
    let second = ProgressNode(total: 100)
    second.complete(50)
    try parent.add(second, units: 1)
    #expect(isNear(parent.fraction, 0.5))
    withExtendedLifetime(first) {}
  }

  // test_childrenAffectFractionCompleted_explicit_child_already_complete.
  @Test func `A child that is complete before it is added counts at once`() throws {
    let parent = ProgressNode(total: 2)
    #expect(parent.fraction == 0)
    let child = ProgressNode(total: 100)
    child.complete(100)
    try parent.add(child, units: 1)
    #expect(parent.fraction == 0.5)
  }

  // test_grandchildrenAffectFractionCompleted_explicit, test_grandchildrenAffectFractionCompleted.
  @Test(arguments: [false, true])
  func `A grandchild that stands for everything moves the root`(isImplicit: Bool) {
    let root = ProgressNode(total: 100)
    /// Creates a child that stands for all units of a node.
    func child(of parent: ProgressNode) -> ProgressNode {
      if !isImplicit { return parent.child(units: 100, total: 100) }
      return parent.withCurrent(units: 100) { ProgressNode.joinCurrent(total: 100) }
    }
    let middle = child(of: root)
    let leaf = child(of: middle)
    #expect(root.fraction == 0)
    leaf.complete(50)
    #expect(root.fraction == 0.5 && middle.fraction == 0.5)
  }

  // test_mixedExplicitAndImplicitChildren.
  @Test func `Added children and one that joins add up to the whole`() throws {
    let parent = ProgressNode(total: 3)
    let added = [ProgressNode(total: 10), ProgressNode(total: 10)]
    for child in added { try parent.add(child, units: 1) }
    added[0].complete(5)
    #expect(isNear(parent.fraction, 1.0 / 6))
    added[1].complete(5)
    #expect(isNear(parent.fraction, 2.0 / 6))
    let joined = parent.withCurrent(units: 1) { ProgressNode.joinCurrent(total: 10) }
    #expect(isNear(parent.fraction, 2.0 / 6))
    joined.complete(5)
    #expect(isNear(parent.fraction, 3.0 / 6))
    for (number, child) in ([joined] + added.reversed()).enumerated() {
      child.complete(5)
      child.finish()
      #expect(child.isFinished && child.fraction == 1)
      #expect(isNear(parent.fraction, Double(number + 4) / 6))
    }
    #expect(parent.completed == 3)
    parent.finish()
    #expect(parent.isFinished && parent.fraction == 1)
  }

  // MARK: Odd counts

  // test_notReturningNaN: there, 0 of 0 and a negative count are unknown progress.
  @Test(arguments: [
    (-1, -1, true, 0), (0, -1, true, 0), (1, -1, true, 0), (-1, 0, false, 1), (0, 0, false, 1),
    (1, 0, false, 1), (-1, 1, false, 0), (0, 1, false, 0), (1, 1, false, 1),
  ])
  func `Counts and totals around zero give no odd fraction`(
    completed: Int, total: Int, isIndeterminate: Bool, fraction: Double
  ) {
    let node = ProgressNode()
    node.setCompleted(completed)
    node.total = total
    #expect(node.isIndeterminate == isIndeterminate)
    // One is left for a node that has finished.
    #expect(node.fraction == (fraction == 1 ? 1.nextDown : fraction))
  }

  // MARK: Handlers and values

  // test_handlers.
  @Test func `A cancel, a pause and its end call the handlers of a node and of its child`() {
    let calls = Box<[String]>([])
    let parent = ProgressNode(total: 1)
    let child = parent.child(units: 1, total: 1)
    for (name, node) in [("parent", parent), ("child", child)] {
      node.onPause { calls.change { $0.append("\(name) pauses") } }
      node.onResume { calls.change { $0.append("\(name) resumes") } }
      node.onCancel { calls.change { $0.append("\(name) is cancelled") } }
    }
    parent.pause()
    parent.resume()
    parent.cancel()
    #expect(
      calls.value == [
        "parent pauses", "child pauses", "parent resumes", "child resumes", "parent is cancelled",
        "child is cancelled",
      ])
  }

  // test_alreadyCancelled.
  @Test func `Handlers that come after the cancel are called at once, also that of a child`() {
    let calls = Box<[String]>([])
    let parent = ProgressNode(total: 1)
    let child = parent.child(units: 1, total: 1)
    parent.cancel()
    parent.onCancel { calls.change { $0.append("parent") } }
    child.onCancel { calls.change { $0.append("child") } }
    #expect(calls.value == ["parent", "child"])
  }

  // test_userInfo.
  @Test func `A value is read as it was set, changed and removed`() {
    let node = ProgressNode(total: 1)
    node.remainingTime = .seconds(1_000)
    #expect(node.remainingTime == .seconds(1_000))
    node.totalFileCount = 2_000
    #expect(node.totalFileCount == 2_000)
    node.totalFileCount = nil
    #expect(node.totalFileCount == nil && node.remainingTime == .seconds(1_000))
  }
}
