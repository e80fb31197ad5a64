import HeadwayCollections
import Testing

@testable import HeadwayRelay

struct LineBufferTests {
  /// All lines that are there.
  private func lines(_ buffer: inout LineBuffer) throws -> [String] {
    var lines: [String] = []
    while let line = try buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    return lines
  }

  @Test func `Lines come whole wherever they were cut`() throws {
    let bytes = Array("one\n\nthree\nfo".utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var buffer = LineBuffer(limit: 6)
        var found: [String] = []
        for piece in [bytes[..<first], bytes[first..<second], bytes[second...]] {
          buffer.append(piece)
          found += try lines(&buffer)
        }
        #expect(found == ["one", "", "three"])
      }
    }
  }

  @Test func `A line may have as many bytes as the limit, with its end`() throws {
    var buffer = LineBuffer(limit: 4)
    buffer.append(Array("abc\nabc".utf8)[...])
    #expect(try lines(&buffer) == ["abc"])
    buffer.append([LineBuffer.newline])
    #expect(try lines(&buffer) == ["abc"])
  }

  @Test(arguments: ["abcd\n", "abcd", "abcde", "ok\nabcd"])
  func `A longer line is refused, also without its end`(text: String) throws {
    var buffer = LineBuffer(limit: 4)
    buffer.append(Array(text.utf8)[...])
    #expect(throws: LineBuffer.LineTooLong(limit: 4)) { try lines(&buffer) }
  }

  @Test(arguments: 0..<(50 as UInt64))
  func `A stream in random pieces gives the lines that were written`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let written = (0..<200).map { _ in
      String(repeating: "x", count: Int.random(in: 0..<40, using: &random))
    }
    let stream = Array(written.map { $0 + "\n" }.joined().utf8)
    var buffer = LineBuffer(limit: 40)
    var found: [String] = []
    var start = 0
    while start < stream.count {
      let end = min(start + Int.random(in: 0...100, using: &random), stream.count)
      buffer.append(stream[start..<end])
      found += try lines(&buffer)
      start = end
    }
    #expect(found == written)
  }
}
