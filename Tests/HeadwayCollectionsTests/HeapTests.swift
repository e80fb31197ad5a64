import HeadwayCollections
import Testing

/// The heap beside a sorted array.
struct HeapTests {
  @Test(arguments: [1, 2, 3, 10, 100, 1_000])
  func `Elements come out in order, whatever was added between`(size: Int) {
    var random = SplitMix64(seed: UInt64(size))
    var heap = Heap<Int>()
    var model: [Int] = []
    for _ in 0..<4 * size {
      if Int.random(in: 0..<3, using: &random) > 0 {
        let element = Int.random(in: 0..<size, using: &random)
        heap.insert(element)
        model.append(element)
        model.sort()
      } else {
        #expect(heap.popMin() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(heap.min == model.first)
      #expect(heap.count == model.count)
      #expect(heap.isEmpty == model.isEmpty)
    }
    heap.removeAll()
    #expect(heap.popMin() == nil)
  }

  @Test func `The generator gives the published numbers`() {
    var random = SplitMix64(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
    #expect(random.nextUnit() < 1)
  }
}
