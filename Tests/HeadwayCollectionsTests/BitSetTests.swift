import Testing

@testable import HeadwayCollections

/// The bit set beside a set of the standard library.
struct BitSetTests {
  @Test(arguments: [1, 2, 63, 64, 65, 4_096, 4_097, 300_000])
  func `Whatever is inserted and removed, the least is that of a set`(size: Int) {
    var generator = SplitMix64(seed: UInt64(size))
    var set = BitSet(capacity: size)
    var model: Set<Int> = []
    for _ in 0..<500 {
      let index = Int.random(in: 0..<size, using: &generator)
      if Int.random(in: 0..<3, using: &generator) == 0 {
        set.remove(index)
        model.remove(index)
      } else {
        set.insert(index)
        model.insert(index)
      }
      let from = Int.random(in: 0..<size, using: &generator)
      #expect(set.first(from: from) == model.filter { $0 >= from }.min())
      #expect(set.first(from: 0) == model.min())
    }
    #expect(set.first(from: size) == nil)
  }

  @Test func `A set without capacity has no members`() {
    #expect(BitSet(capacity: 0).first(from: 0) == nil)
  }
}
