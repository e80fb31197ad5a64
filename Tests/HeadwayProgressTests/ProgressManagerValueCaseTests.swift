import HeadwayProgress
import Testing

/// Cases of the properties of Foundation's `ProgressManager` (swift-foundation, `ProgressManagerPropertiesTests.swift`); a
/// comment names each case.
///
/// There, the value of a manager is added to those below it. Under most keys here, the value of a node stands for all
/// below it, so that a caller can set what the whole is.
struct ProgressManagerValueCaseTests {
  /// A number that a finished node leaves to its parent.
  private enum Counter: ProgressKey {
    static func combined(_ left: Int, _ right: Int) -> Int { left + right }
  }

  /// A number without a sign.
  private enum Size: ProgressKey {
    static func combined(_ left: UInt64, _ right: UInt64) -> UInt64 { left + right }
  }

  /// A number with a fraction.
  private enum Distance: ProgressKey {
    static func combined(_ left: Double, _ right: Double) -> Double { left + right }
  }

  /// Names, which a finished node leaves to its parent.
  private enum Downloaded: ProgressKey {
    /// A list of one.
    static func sum(of value: String) -> [String] { [value] }

    static func combined(_ left: consuming [String], _ right: [String]) -> [String] { left + right }
  }

  /// A tree of as many levels, each with a value, in which all but the root end.
  ///
  /// - Parameters:
  ///   - values: The values, from the root down.
  ///   - key: The key.
  /// - Returns: The root.
  private func tree<Key: ProgressKey>(_ values: [Key.Value], _ key: Key.Type) -> ProgressNode {
    let root = ProgressNode(total: 2)
    var chain = [root]
    for _ in values.dropFirst() { chain.append(chain[chain.count - 1].child(units: 1, total: 2)) }
    for (node, value) in zip(chain, values) {
      node[key] = value
      node.complete(1)
    }
    return root
  }

  // MARK: Files

  // discreteReporterWithFileProperties.
  @Test func `The files of a function that has ended count in its caller`() {
    let root = ProgressNode(total: 3)
    do {
      let child = root.share(of: 3).start(total: 100)
      child.totalFileCount = 100
      child.complete(100)
      child.completedFileCount = 100
    }
    #expect(root.completed == 3)
    #expect(root.totalFileCount == nil && root.completedFileCount == nil)
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 100)
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 100)
  }

  // twoLevelTreeWithOneChildWithFileProperties, twoLevelTreeWithTwoChildrenWithOneFileProperty.
  @Test func `The files of one of two children are those of the whole`() {
    let root = ProgressNode(total: 2)
    let (first, second) = (root.child(units: 1, total: 10), root.child(units: 1, total: 5))
    first.totalFileCount = 10
    first.completedFileCount = 0
    first.complete(10)
    #expect(root.fraction == 0.5 && root.totalFileCount == nil)
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 10)
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 0)
    withExtendedLifetime(second) {}
  }

  // twoLevelTreeWithTwoChildrenWithFileProperties.
  @Test func `The files of two children at work are added up at each read`() {
    let root = ProgressNode(total: 2)
    let children = [11, 9].map { files in
      let child = root.child(units: 1, total: 10)
      child.totalFileCount = files
      child.completedFileCount = 0
      return child
    }
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 20)
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 0)
    for child in children { child.completedFileCount = 1 }
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 2)
    #expect(root.completedFileCount == nil && root.fraction == 0)
  }

  // threeLevelTreeWithFileProperties: there, the 999 files of the middle are added to the 20 below it.
  @Test func `Files that a node in between sets replace those below it`() {
    let root = ProgressNode(total: 1)
    let middle = root.child(units: 1, total: 5)
    let leaves = [3, 2].map { middle.child(units: $0) }
    leaves[0].totalFileCount = 10
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 10)
    leaves[1].totalFileCount = 10
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 20)
    middle.totalFileCount = 999
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 999)
    middle.totalFileCount = nil
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 20)
  }

  // MARK: Bytes and rates

  // ProgressManagerBytePropertiesTests: discreteManager, twoLevelManager, threeLevelManager.
  @Test(arguments: [[2_000], [500_000, 300_000], [600_000, 500_000, 300_000]])
  func `The bytes of a node are what it sets, whatever the functions that it calls set`(
    bytes: [Int]
  ) {
    let root = tree(bytes, ProgressKeys.TotalByteCount.self)
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == bytes[0])
    root[ProgressKeys.TotalByteCount.self] = nil
    // Without a value of its own it has what they have left.
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == bytes.dropFirst().first)
  }

  // ProgressManagerThroughputTests: discreteManager, twoLevelManager, threeLevelManager.
  @Test func `Rates of work at the same time are added up, and those of finished work are gone`() {
    let root = ProgressNode(total: 3)
    root.throughput = 3_000
    #expect(root.sum(of: ProgressKeys.Throughput.self) == 3_000)
    root.throughput = nil
    let children = [1_000, 2_000].map { rate in
      let child = root.child(units: 1, total: 2)
      child.throughput = rate
      return child
    }
    #expect(root.sum(of: ProgressKeys.Throughput.self) == 3_000)
    children[0].finish()
    #expect(root.sum(of: ProgressKeys.Throughput.self) == 2_000)
    #expect(!children[1].isFinished)
  }

  // ProgressManagerEstimatedTimeRemainingTests: discreteManager, twoLevelManagerWithFinishedChild,
  // twoLevelManagerWithUnfinishedChild.
  @Test func `The remaining time is the longest of the work that goes on`() {
    let root = ProgressNode(total: 3)
    let short = root.child(units: 1, total: 2)
    short.remainingTime = .seconds(200)
    var long: ProgressNode? = root.child(units: 1, total: 2)
    long?.remainingTime = .seconds(80_000)
    #expect(root.sum(of: ProgressKeys.RemainingTime.self) == .seconds(80_000))
    long = nil
    #expect(root.sum(of: ProgressKeys.RemainingTime.self) == .seconds(200))
    short.finish()
    #expect(root.sum(of: ProgressKeys.RemainingTime.self) == nil)
    root.remainingTime = .seconds(1)
    #expect(root.sum(of: ProgressKeys.RemainingTime.self) == .seconds(1))
  }

  // MARK: Keys of a program

  // ProgressManagerIntPropertiesTests: discreteManager, twoLevelManager, threeLevelManager.
  @Test(arguments: [[10], [10, 30], [10, 15, 30]])
  func `Whole numbers of a key of one's own are added up over levels that have ended`(
    values: [Int]
  ) {
    #expect(tree(values, Counter.self).sum(of: Counter.self) == values.reduce(0, +))
  }

  // ProgressManagerUInt64PropertiesTests: discreteManager, twoLevelManager, threeLevelManager.
  @Test(arguments: [[16_384], [32_768, 7_168], [65_536, 8_192, 7_168]] as [[UInt64]])
  func `Numbers without a sign are added up`(values: [UInt64]) {
    #expect(tree(values, Size.self).sum(of: Size.self) == values.reduce(0, +))
  }

  // ProgressManagerDoublePropertiesTests: discreteManager, twoLevelManager, threeLevelManager.
  @Test(arguments: [[80.0], [80, 30], [80, 7, 30]])
  func `Numbers with fractions are added up`(values: [Double]) {
    #expect(tree(values, Distance.self).sum(of: Distance.self) == values.reduce(0, +))
  }

  // ProgressManagerStringPropertiesTests: discreteManager, twoLevelsManager, threeLevelsManager.
  @Test(arguments: [["grape"], ["watermelon", "melon"], ["watermelon", "cherry", "melon"]])
  func `Names are kept when the work that has set them ends`(names: [String]) {
    let sum = tree(names, Downloaded.self).sum(of: Downloaded.self)
    #expect(sum?.sorted() == names.sorted())
  }

  // ProgressManagerStringNonRetainingProperties, ProgressManagerURLProperties: discreteManager, twoLevelsManager,
  // threeLevelsManager.
  @Test(arguments: [["howdy"], ["howdy", "hello"], ["howdy", "hi", "hello"]])
  func `The file at hand of work that has ended is gone, and that of its caller stays`(
    paths: [String]
  ) {
    let root = tree(paths, ProgressKeys.FilePath.self)
    #expect(root.filePath == "howdy")
    #expect(root.sum(of: ProgressKeys.FilePath.self) == ["howdy"])
  }
}
