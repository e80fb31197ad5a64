import HeadwaySystem
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Writing to a descriptor that does not block.
struct WriteTests {
  @Test func `A reader that is slow gets each byte once, in order`() throws {
    let (writer, reader) = try #require(socketPair())
    makeNonblocking(writer)
    let all = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
    var waiting = all
    var received: [UInt8] = []
    var waits = 0
    while received.count < all.count {
      switch writeSome(writer, &waiting) {
      case .done: break
      case .waiting: waits += 1
      case .failed(let error): Issue.record("error \(error)")
      }
      received += readSome(reader, most: 70_000).bytesOrNone
    }
    #expect(received == all && waiting.isEmpty && waits > 1)
    close(reader)
    close(writer)
  }

  @Test func `What cannot be written any more is known, and nothing is lost before that`() {
    var bytes: [UInt8] = [1, 2, 3]
    #expect(writeSome(-1, &bytes) == .failed(EBADF))
    #expect(bytes == [1, 2, 3])
    var none: [UInt8] = []
    #expect(writeSome(-1, &none) == .done)
  }
}
