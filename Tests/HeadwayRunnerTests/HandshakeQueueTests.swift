import Testing

@testable import HeadwayRunner

/// Who is kept waiting at the port of a run, and who is not.
struct HandshakeQueueTests {
  @Test func `There is room for everybody until there are too many`() {
    var queue = HandshakeQueue(most: 3)
    #expect((1...3).map { queue.add($0) } == [nil, nil, nil])
    queue.remove(2)
    #expect(queue.add(4) == nil && queue.count == 3)
    #expect(queue.add(5) == 1 && queue.add(6) == 3 && queue.count == 3)
  }

  @Test func `Who says nothing makes room for whoever comes`() {
    var queue = HandshakeQueue(most: 4)
    for token in 1...4 as ClosedRange<UInt64> { _ = queue.add(token) }
    for token in [1, 3, 9] as [UInt64] { queue.noteSpoken(token) }
    #expect(queue.add(5) == 2 && queue.add(6) == 4 && queue.add(7) == 5)
    // Of those that have all said something, the oldest one.
    for token in [6, 7] as [UInt64] { queue.noteSpoken(token) }
    #expect(queue.add(8) == 1)
  }

  @Test func `A worker is not kept out by any number of connections that say nothing`() {
    var queue = HandshakeQueue(most: 16)
    var token: UInt64 = 0
    for _ in 0..<100_000 {
      token += 2
      _ = queue.add(token)
    }
    token += 2
    let worker = token
    #expect(queue.add(worker) != nil)
    queue.noteSpoken(worker)
    for _ in 0..<100_000 {
      token += 2
      #expect(queue.add(token) != worker)
    }
    #expect(queue.count == 16)
  }

  @Test func `No room at all is room for one`() {
    var queue = HandshakeQueue(most: 0)
    #expect(queue.add(2) == nil && queue.add(4) == 2)
  }
}
