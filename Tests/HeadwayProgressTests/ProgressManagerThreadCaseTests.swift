import HeadwayProgress
import Repetitions
import Testing

/// Cases of Foundation's `ProgressManager` with several threads (swift-foundation, `ProgressManagerThreadSafetyTests` in
/// `ProgressManagerTests.swift`); a comment names each case.
struct ProgressManagerThreadCaseTests {
  /// The counts of each worker.
  private let rounds = repetitions(5_000, underSanitizer: 500)

  // fiveThreadsMutatingAndReading.
  @Test func `Four functions that report at once never exceed their parts`() {
    let root = ProgressNode(total: 10)
    let children = [5, 8, 7, 6].map { root.child(units: 1, total: $0 * rounds) }
    let largest = Box(0.0)
    onThreads(5) { number in
      if number < 4 {
        for _ in 0..<(children[number].total ?? 0) { children[number].complete(1) }
      } else {
        for _ in 0..<rounds {
          let fraction = root.fraction
          largest.change { $0 = max($0, fraction) }
        }
      }
    }
    #expect(largest.value <= 0.4)
    for child in children { child.finish() }
    #expect(root.completed == 4)
  }

  // concurrentBasicPropertiesAccess.
  @Test func `Readers on several threads see one state`() {
    let node = ProgressNode(total: 10)
    node.complete(5)
    let wrong = Box(0)
    onThreads(5) { _ in
      for _ in 0..<rounds {
        let isRight =
          node.fraction == 0.5 && node.completed == 5 && node.total == 10 && !node.isFinished
          && !node.isIndeterminate
        if !isRight { wrong.change { $0 += 1 } }
      }
    }
    #expect(wrong.value == 0)
  }

  // concurrentMultipleChildrenUpdatesAndParentReads, concurrentSingleChildUpdatesAndParentReads.
  @Test(arguments: [[30, 40, 30], [100]])
  func `Readers of a parent and of its children never see the shown fraction go back`(
    units: [Int]
  ) {
    let root = ProgressNode(total: 100)
    let children = units.map { root.child(units: $0, total: rounds) }
    let steps = Box(0)
    onThreads(units.count + 2) { number in
      if number < units.count {
        for _ in 0..<rounds { children[number].complete(1) }
        return children[number].finish()
      }
      let node = number == units.count ? root : children[0]
      var last = 0.0
      for _ in 0..<rounds {
        let shown = node.shownFraction
        if shown < last || shown > 1 { steps.change { $0 += 1 } }
        last = shown
      }
    }
    #expect(steps.value == 0)
    #expect(root.completed == 100 && children.allSatisfy { $0.isFinished })
  }

  // concurrentGrandchildrenUpdates.
  @Test func `Children and grandchildren that report at once end up exact`() {
    let root = ProgressNode(total: 60)
    let children = (0..<3).map { _ in root.child(units: 20, total: 2 * rounds) }
    let grandchildren = children.map { $0.child(units: rounds, total: rounds) }
    onThreads(7) { number in
      switch number {
      case 0..<3: for _ in 0..<rounds { children[number].complete(1) }
      case 3..<6: for _ in 0..<rounds { grandchildren[number - 3].complete(1) }
      default: for _ in 0..<rounds { _ = (root.fraction, children[0].fraction) }
      }
    }
    #expect(root.fraction == 1.nextDown)
    for grandchild in grandchildren { grandchild.finish() }
    for child in children {
      #expect(child.completed == 2 * rounds)
      child.finish()
    }
    #expect(root.completed == 60)
  }

  // concurrentReadDuringIndeterminateToDeterminateTransition.
  @Test
  func `Readers of a node whose total becomes known see it unknown or known, and no count is lost`()
  {
    let node = ProgressNode(total: nil)
    let wrong = Box(0)
    onThreads(3) { number in
      switch number {
      case 0:
        for _ in 0..<rounds {
          let fraction = node.fraction
          if fraction < 0 || fraction > 0.5 { wrong.change { $0 += 1 } }
        }
      case 1: for _ in 0..<rounds { node.complete(1) }
      default: node.total = 2 * rounds
      }
    }
    #expect(wrong.value == 0)
    #expect(node.total == 2 * rounds && node.completed == rounds && node.fraction == 0.5)
  }

  // concurrentReadDuringExcessiveCompletion: there, the fraction becomes 4.
  @Test func `A count that passes its total keeps the fraction below one for every reader`() {
    let node = ProgressNode(total: rounds)
    let wrong = Box(0)
    onThreads(2) { number in
      for _ in 0..<4 * rounds {
        if number == 0 {
          node.complete(1)
        } else if !(0..<1).contains(node.fraction) {
          wrong.change { $0 += 1 }
        }
      }
    }
    #expect(wrong.value == 0)
    #expect(node.completed == 4 * rounds && node.fraction == 1.nextDown && !node.isFinished)
  }

  // concurrentChildrenDeinitializationAndParentReads, concurrentSubprogressCreation.
  @Test func `Children that come and go on several threads each count once`() {
    let count = repetitions(1_000, underSanitizer: 100)
    let root = ProgressNode(total: 5 * 4 * count)
    let wrong = Box(0)
    onThreads(5) { number in
      guard number < 4 else {
        for _ in 0..<count where !(0..<1).contains(root.fraction) { wrong.change { $0 += 1 } }
        return
      }
      for round in 0..<count {
        // Some are complete when they go, and some are not.
        let child = root.share(of: 5).start(total: 3)
        child.complete(2 + round % 2)
        _ = child.fraction
      }
    }
    #expect(wrong.value == 0)
    #expect(root.completed == 5 * 4 * count && root.fraction == 1.nextDown)
  }
}
