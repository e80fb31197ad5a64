import Testing

@testable import HeadwayState

/// A text in bytes that come in pieces.
struct TextSearchTests {
  @Test(arguments: 1...12) func `A text is found wherever its pieces begin`(size: Int) {
    let bytes = Array("lilistening on 80".utf8)
    var search = TextSearch(for: "listening")
    var found: Int?
    for start in stride(from: 0, to: bytes.count, by: size) {
      search.append(bytes[start..<min(start + size, bytes.count)])
      if search.isFound, found == nil { found = min(start + size, bytes.count) }
    }
    // With the piece that has its last byte.
    #expect(found == min((11 + size - 1) / size * size, bytes.count))
  }

  @Test func `What is not there is not found, and an empty text is everywhere`() {
    var search = TextSearch(for: "ready")
    for piece in ["read", "", "rea", "dread", "\0y"] { search.append(Array(piece.utf8)) }
    #expect(!search.isFound)
    #expect(TextSearch(for: "").isFound)
  }
}
