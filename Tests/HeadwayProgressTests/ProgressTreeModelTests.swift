import HeadwayCollections
import HeadwayProgress
import Repetitions
import Testing

/// Random trees beside an exact model; a hundred thousand in a long run.
struct ProgressTreeModelTests {
  /// The seeds, with a number of trees for each.
  private static let seeds = 0..<(40 as UInt64)
  private static let trees = repetitions(250, real: 2_500, underSanitizer: 50)

  @Test(arguments: seeds)
  func `Fractions are exact, and the shown fraction never goes back`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var reads = 0
    var deepest = 1
    for number in 0..<Self.trees {
      // Most trees are small; one in fifty is large, and one in a hundred is as deep as it may be.
      let isLarge = number % 50 == 0
      let size = isLarge ? 10 + random.number(below: 31) : 1 + random.number(below: 6)
      var tree = ModelTree(random: SplitMix64(seed: random.next()), excess: number % 4 == 0 ? 3 : 0)
      tree.run(size: size, steps: isLarge ? 5 * size : 2 * size + 4, checks: number % 5 == 0)
      #expect(tree.difference == nil, "tree \(number)")
      if tree.difference != nil { return }
      reads += tree.reads
      deepest = max(deepest, tree.deepest)
    }
    // The random walk went where it should.
    #expect(reads > 3 * Self.trees)
    #if !TSAN
      #expect(deepest >= (isLongRun ? 16 : 10))
    #endif
  }
}
