import HeadwayCollections
import Testing

/// The queue beside an array.
struct QueueTests {
  @Test(arguments: [1, 3, 100])
  func `Elements come out in the order in which they were added`(size: Int) {
    var random = SplitMix64(seed: UInt64(size))
    var queue = Queue<Int>()
    var model: [Int] = []
    for number in 0..<8 * size {
      // Phases in which it grows and in which it is emptied.
      if Int.random(in: 0..<4, using: &random) < (number / size % 2 == 0 ? 3 : 1) {
        queue.append(number)
        model.append(number)
      } else {
        #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(queue.isEmpty == model.isEmpty)
    }
    while let element = queue.popFirst() { #expect(element == model.removeFirst()) }
    #expect(model.isEmpty && queue.isEmpty)
  }
}
