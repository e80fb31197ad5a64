import HeadwaySystem
import Testing

/// Bytes from outside that need not be text.
struct OutsideTextTests {
  @Test(arguments: [
    ("", [UInt8]()), ("caf\\xE9.txt", Array("caf".utf8) + [0xE9] + Array(".txt".utf8)),
    ("é\\xC3", [0xC3, 0xA9, 0xC3]), ("\\xFF\\xFEa", [0xFF, 0xFE, 0x61]),
    ("\u{FFFD}", [0xEF, 0xBF, 0xBD]), ("\\xE2\\x82", [0xE2, 0x82]),
    ("\\xED\\xA0\\x80", [0xED, 0xA0, 0x80]),
  ])
  func `What is not UTF-8 is shown by its bytes, and the rest as it is`(
    text: String, bytes: [UInt8]
  ) {
    #expect(OutsideText.escaped(bytes) == text)
  }
}
