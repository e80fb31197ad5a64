import HeadwayProgress
import HeadwayTestSupport
import Testing

/// Cases of Foundation's `ProgressManager` (swift-foundation, `Tests/FoundationEssentialsTests/ProgressManager`:
/// `ProgressManagerTests`, `ProgressReporterTests`, `ProgressFractionTests`); a comment names each case.
struct ProgressManagerCaseTests {
  /// Whether two fractions are equal, up to what rounding does.
  private func isNear(_ fraction: Double, _ other: Double) -> Bool { abs(fraction - other) < 1e-12 }

  /// A function that reports its units one by one, and checks its own progress.
  private func work(_ units: Int, _ share: consuming ProgressShare) async {
    let node = share.start(total: units)
    for unit in 1...units {
      node.complete(1)
      #expect(node.completed == unit)
      #expect(unit == units || isNear(node.fraction, Double(unit) / Double(units)))
    }
  }

  // MARK: Totals

  // totalCountNil.
  @Test func `Without a total units are counted and make no fraction`() {
    let node = ProgressNode(total: nil)
    node.complete(10)
    #expect(node.completed == 10 && node.total == nil)
    #expect(node.fraction == 0 && node.isIndeterminate)
  }

  // totalCountReset.
  @Test func `A total can become unknown and known again`() {
    let node = ProgressNode(total: 10)
    node.complete(5)
    #expect(node.fraction == 0.5 && !node.isIndeterminate)
    node.total = nil
    node.complete(1)
    #expect(node.completed == 6 && node.fraction == 0 && node.isIndeterminate && !node.isFinished)
    node.total = 12
    node.complete(2)
    #expect(node.completed == 8 && isNear(node.fraction, 8.0 / 12))
    #expect(!node.isIndeterminate && !node.isFinished)
  }

  // totalCountNilWithChild.
  @Test func `Units of a finished child count before the total is known`() {
    let overall = ProgressNode(total: nil)
    let child = overall.share(of: 2).start(total: 1)
    child.complete(1)
    child.finish()
    #expect(overall.completed == 2 && overall.fraction == 0 && overall.isIndeterminate)
    overall.total = 5
    #expect(overall.completed == 2 && overall.fraction == 0.4 && !overall.isIndeterminate)
  }

  // totalCountFinishesWithLessCompletedCount: there, the fraction is 1.3 and the manager has finished.
  @Test func `More units than the total are counted and make no fraction above one`() {
    let overall = ProgressNode(total: 10)
    overall.complete(5)
    overall.share(of: 8).finish()
    #expect(overall.completed == 13 && overall.total == 10)
    #expect(overall.fraction == 1.nextDown && !overall.isFinished)
  }

  // childTotalCountReset.
  @Test func `A child whose total becomes unknown takes its part back, and gives it again`() {
    let overall = ProgressNode(total: 1)
    let child = overall.share(of: 1).start(total: 4)
    child.complete(2)
    #expect(overall.fraction == 0.5)
    child.total = nil
    #expect(overall.fraction == 0 && child.isIndeterminate && child.completed == 2)
    #expect(overall.shownFraction == 0.5)
    child.total = 5
    child.complete(2)
    #expect(isNear(overall.fraction, 0.8) && child.completed == 4)
    child.complete(1)
    #expect(overall.fraction == 1.nextDown)
  }

  // MARK: Trees

  // discreteManager, emptyDiscreteManager.
  @Test(arguments: [3, nil])
  func `A function that gets all units completes its caller`(total: Int?) async {
    let node = ProgressNode(total: total)
    #expect(node.isIndeterminate == (total == nil))
    node.total = 3
    await work(8, node.share(of: 3))
    #expect(node.completed == 3 && node.fraction == 1.nextDown)
    node.finish()
    #expect(node.isFinished && node.fraction == 1)
  }

  // twoLevelTreeWithTwoChildren, twoLevelTreeWithMultipleChildren.
  @Test(arguments: [[8, 7], [8, 7, 11]])
  func `Functions one after the other each complete their part`(parts: [Int]) async {
    let overall = ProgressNode(total: parts.count)
    for (number, units) in parts.enumerated() {
      await work(units, overall.share(of: 1))
      #expect(overall.completed == number + 1)
      let part = Double(number + 1) / Double(parts.count)
      #expect(isNear(overall.fraction, part) && !overall.isIndeterminate)
    }
  }

  // threeLevelTree, fourLevelTree.
  @Test(arguments: [3, 4])
  func `The deepest node of a chain moves all above it`(levels: Int) {
    var chain = [ProgressNode(total: 100)]
    while chain.count < levels {
      chain.append(chain[chain.count - 1].child(units: 100, total: 100))
    }
    #expect(chain[0].fraction == 0)
    chain[levels - 1].complete(50)
    for node in chain { #expect(node.fraction == 0.5) }
    chain[levels - 1].complete(50)
    for node in chain { #expect(node.fraction == 1.nextDown) }
    for node in chain.reversed() { node.finish() }
    for node in chain { #expect(node.isFinished && node.completed == 100) }
  }

  // MARK: Ends

  // unfinishedChild, unfinishedGrandchild, unfinishedGreatGrandchild.
  @Test(arguments: [0, 1, 2])
  func `Work that ends with units left has ended all the same, at any depth`(levelsBetween: Int) {
    let root = ProgressNode(total: 2)
    root.complete(1)
    #expect(root.fraction == 0.5)
    do {
      var chain = [root]
      for _ in 0..<levelsBetween { chain.append(chain[chain.count - 1].child(units: 1, total: 1)) }
      let leaf = chain[chain.count - 1].child(units: 1, total: 3)
      leaf.complete(2)
      #expect(isNear(root.fraction, 0.5 + 1.0 / 3))
      withExtendedLifetime(chain) {}
    }
    #expect(root.completed == 2 && root.fraction == 1.nextDown)
  }

  // finishedChildUnreadBeforeDeinit, finishedChildReadBeforeDeinit.
  @Test(arguments: [false, true])
  func `A complete child counts once, whether or not it was read before it went`(isRead: Bool) {
    let root = ProgressNode(total: 2)
    root.complete(1)
    var child: ProgressNode? = root.child(units: 1, total: 2)
    child?.complete(2)
    if isRead { #expect(root.fraction == 1.nextDown) }
    child = nil
    #expect(root.completed == 2 && root.fraction == 1.nextDown)
  }

  // uninitializedSubprogress.
  @Test func `A share that nobody starts counts when it is dropped`() {
    let root = ProgressNode(total: 2)
    root.complete(1)
    do {
      let share = root.share(of: 1)
      #expect(root.fraction == 0.5 && share.units == 1)
    }
    #expect(root.completed == 2)
  }

  // deallocatedChild.
  @Test
  func `A child that is dropped half way counts as its whole share, however often it is read`() {
    let root = ProgressNode(total: 100)
    var child: ProgressNode? = root.child(units: 50, total: 10)
    child?.complete(5)
    #expect(root.fraction == 0.25)
    child = nil
    for _ in 1...10 { #expect(root.fraction == 0.5) }
    root.complete(50)
    #expect(root.completed == 100)
  }

  // MARK: Readers

  // ProgressReporterTests.observeProgressReporter.
  @Test func `Snapshots follow the counts and the values of a node`() {
    let node = ProgressNode(total: 3)
    for count in 1...3 {
      node.complete(1)
      #expect(node.snapshot().completed == count)
    }
    #expect(node.snapshot()[ProgressKeys.TotalFileCount.self] == nil)
    node.totalFileCount = 6
    #expect(node.snapshot()[ProgressKeys.TotalFileCount.self] == 6)
    #expect(node.sum(of: ProgressKeys.TotalFileCount.self) == 6)
  }

  // ProgressReporterTests.testAddProgressReporterAsChild: there, a manager can have several parents.
  @Test func `A tree has one parent, and a second one is refused`() throws {
    let work = ProgressNode(total: 2)
    let (first, second) = (ProgressNode(total: 4), ProgressNode(total: 5))
    try first.add(work, units: 1)
    #expect(throws: ProgressError.notARoot) { try second.add(work, units: 2) }
    work.complete(1)
    #expect(first.fraction == 0.125 && second.fraction == 0)
  }

  // ProgressReporterTests.testAssignToProgressReporterThenSetTotalCount, testMakeSubprogressThenSetTotalCount.
  @Test func `Children at work make a fraction as soon as their parent knows its total`() {
    let overall = ProgressNode(total: nil)
    let first = overall.child(units: 10, total: 10)
    first.complete(5)
    let second = overall.child(units: 20, total: 20)
    second.complete(10)
    #expect(overall.fraction == 0)
    overall.total = 30
    #expect(overall.fraction == 0.5 && overall.completed == 0)
    second.complete(10)
    second.finish()
    #expect(overall.completed == 20 && isNear(overall.fraction, 25.0 / 30))
    first.complete(5)
    first.finish()
    #expect(overall.completed == 30)
  }

  // observationPropagatesAcrossMultipleLevels: each change of the deepest node, and observers above it.
  @Test func `Every count of a great-grandchild reaches the observers of all above it`() throws {
    let seen = try withVirtualTime { clock in
      var chain = [ProgressNode(total: 5)]
      for _ in 0..<3 { chain.append(chain[chain.count - 1].child(units: 5, total: 5)) }
      let leaf = chain[3]
      let readers = chain.dropLast().map { node in
        Task(executorPreference: StepExecutor.current) {
          var seen: [Double] = []
          for await snapshot in node.feed(every: .milliseconds(1), clock: clock) {
            seen.append(snapshot.fraction)
          }
          return seen
        }
      }
      for _ in 0..<5 {
        try await clock.sleep(for: .seconds(1))
        leaf.complete(1)
      }
      try await clock.sleep(for: .seconds(1))
      for node in chain.reversed() { node.finish() }
      var seen: [[Double]] = []
      for reader in readers { seen.append(await reader.value) }
      return seen
    }
    let parts = [0, 0.2, 0.4, 0.6, 0.8, 1.nextDown, 1]
    for fractions in seen {
      #expect(fractions.count == parts.count)
      for (fraction, part) in zip(fractions, parts) { #expect(isNear(fraction, part)) }
      #expect(fractions.last == 1)
    }
    #expect(seen.count == 3)
  }

  // isFinishedObservationNotConsumedByAddChild.
  @Test func `A new child does not use up the notice of the end`() throws {
    let states = try withVirtualTime { clock in
      let parent = ProgressNode(total: 1)
      async let states = parent.feed(every: .milliseconds(1), clock: clock)
        .reduce(into: []) { $0.append($1.isFinished) }
      try await clock.sleep(for: .seconds(1))
      let child = parent.share(of: 1).start(total: 10)
      try await clock.sleep(for: .seconds(1))
      child.complete(10)
      child.finish()
      parent.finish()
      return await states
    }
    #expect(states.last == true && states.dropLast().allSatisfy { !$0 })
  }

  // MARK: Arithmetic

  /// Prime denominators whose product overflows.
  private static let primes = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67]

  // ProgressFractionTests.overflow, addOverflow.
  @Test func `Children whose totals have no common denominator add up`() {
    let root = ProgressNode(total: Self.primes.count)
    let children = Self.primes.map { root.child(units: 1, total: $0) }
    for child in children { child.complete(1) }
    let sum = Self.primes.reduce(0) { $0 + 1 / Double($1) }
    #expect(isNear(root.fraction, sum / Double(Self.primes.count)))
  }

  // ProgressFractionTests.multiplyOverflow.
  @Test func `Parts of parts of totals near 2 to the 32nd are exact`() {
    let (part, whole) = (4_294_967_279, 4_294_967_291)
    let root = ProgressNode(total: whole)
    let child = root.child(units: part, total: whole)
    child.complete(part)
    let exact = Double(part) / Double(whole)
    #expect(isNear(root.fraction, exact * exact) && root.fraction < 1)
  }

  // ProgressFractionTests.unnecessaryOverflow, addAndSubtractOverflow, subtractOverflow.
  @Test func `A part of a total near the largest integer and a small one add up`() {
    let root = ProgressNode(total: 2)
    let large = root.child(units: 1, total: .max - 1)
    large.complete((.max - 1) / 2)
    let small = root.child(units: 1, total: 16)
    small.complete(1)
    #expect(isNear(root.fraction, (0.5 + 1.0 / 16) / 2))
    small.takeBack(1)
    #expect(isNear(root.fraction, 0.25))
    withExtendedLifetime(large) {}
  }
}
