import Testing

@testable import HeadwayReport

/// What the page allows itself.
struct `The policy of the page` {
  /// A page.
  private let page = report([task("a", 0, 1)], total: 1).page()

  @Test func `It allows the style and the script that stand in it, and nothing else`() throws {
    let document = try MarkupDocument(page)
    let style = try #require(document.elements(named: "style").first)
    let script = try #require(document.elements(named: "script").first)
    let policy = try #require(
      document.elements(named: "meta").first {
        $0.attributes["http-equiv"] == "Content-Security-Policy"
      }?.attributes["content"])
    #expect(
      policy == "default-src 'none'; base-uri 'none'; form-action 'none'; "
        + "style-src 'sha256-\(Digest.base64(style.text))'; "
        + "script-src 'sha256-\(Digest.base64(script.text))'")
  }

  @Test func `The digest is the one that the standard gives`() {
    #expect(Digest.base64("") == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
    #expect(Digest.base64("abc") == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
  }

  /// The colors of a scheme by their names.
  private func colors(from start: String) throws -> [String: String] {
    let rest = try #require(PageStyle.sheet.split(separator: start, maxSplits: 1).last)
    let block = try #require(rest.split(separator: "}", maxSplits: 1).first)
    let last = try #require(block.split(separator: "{").last)
    let pairs = last.split(separator: ";").compactMap { line -> (String, String)? in
      let parts = line.split(separator: ":")
      guard parts.count == 2 else { return nil }
      return (Self.trimmed(parts[0]), Self.trimmed(parts[1]))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// A text without the space around it.
  private static func trimmed(_ text: Substring) -> String {
    text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
  }

  /// The brightness of a color as the guidelines for accessible pages define it (WCAG 2).
  private func luminance(_ color: String) throws -> Double {
    var digits = Array(color.dropFirst())
    if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
    let parts = try stride(from: 0, to: 6, by: 2).map { place in
      let value = try #require(Int(String(digits[place...(place + 1)]), radix: 16))
      let part = Double(value) / 255
      // The curve of the standard, to within a hundredth, without a power of 2.4.
      return part <= 0.04045 ? part / 12.92 : part * part * (0.65 + 0.35 * part)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  @Test(arguments: [":root", "prefers-color-scheme: dark"])
  func `Text stands out from what it stands on`(scheme: String) throws {
    let colors = try colors(from: scheme)
    let pairs = [
      ("--text", "--bg"), ("--soft", "--bg"), ("--soft", "--panel"), ("--path", "--bg"),
      ("--bad", "--bg"), ("--late", "--bg"), ("--wait", "--bg"), ("--good", "--bg"),
      ("--on-bar", "--bar"), ("--on-path", "--path"), ("--on-bad", "--bad"), ("--on-bad", "--late"),
    ]
    for (text, background) in pairs {
      let one = try luminance(#require(colors[text], "\(text)"))
      let other = try luminance(#require(colors[background], "\(background)"))
      let contrast = (max(one, other) + 0.05) / (min(one, other) + 0.05)
      #expect(contrast >= (text == "--wait" ? 3 : 4.5), "\(text) on \(background): \(contrast)")
    }
  }
}

/// SHA-256 (FIPS 180-4), for the tests alone.
enum Digest {
  /// The digest of a text in base 64.
  static func base64(_ text: String) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    var result = ""
    let bytes = sha256(Array(text.utf8))
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      var bits = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
      bits <<= 8
      for place in 0..<4 {
        result.append(place <= part.count ? letters[Int(bits >> 26)] : "=")
        bits <<= 6
      }
    }
    return result
  }

  /// The digest of bytes.
  private static func sha256(_ message: [UInt8]) -> [UInt8] {
    let primes = (2...311).filter { number in
      !(2..<number).contains { $0 * $0 <= number && number % $0 == 0 }
    }
    let constants = primes.map { fraction(Double($0), root: 3) }
    var state = primes.prefix(8).map { fraction(Double($0), root: 2) }
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: (message.count * 8) >> shift))
    }
    for start in stride(from: 0, to: bytes.count, by: 64) {
      var words = stride(from: start, to: start + 64, by: 4).map { place in
        bytes[place..<(place + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      }
      for place in 16..<64 {
        let (a, b) = (words[place - 15], words[place - 2])
        let one = turned(a, 7) ^ turned(a, 18) ^ (a >> 3)
        let two = turned(b, 17) ^ turned(b, 19) ^ (b >> 10)
        words.append(words[place - 16] &+ one &+ words[place - 7] &+ two)
      }
      mix(words, constants, into: &state)
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  /// Mixes a block into the state.
  private static func mix(_ words: [UInt32], _ constants: [UInt32], into state: inout [UInt32]) {
    var s = state
    for place in 0..<64 {
      let one = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)
      let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
      let first = s[7] &+ one &+ choice &+ constants[place] &+ words[place]
      let two = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)
      let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
      s = [first &+ two &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
    }
    for place in 0..<8 { state[place] = state[place] &+ s[place] }
  }

  /// A word turned to the right.
  private static func turned(_ word: UInt32, _ by: UInt32) -> UInt32 {
    word >> by | word << (32 - by)
  }

  /// The first 32 bits behind the point of a root, found by halving in whole numbers.
  private static func fraction(_ number: Double, root: Int) -> UInt32 {
    // The root, times 2^32, is the largest whole number whose power is at most the number times 2^(32 · root).
    let goal = UInt128(number) << UInt128(32 * root)
    var (low, high) = (UInt128(0), UInt128(1) << 40)
    while high - low > 1 {
      let middle = (low + high) / 2
      let power = (1..<root).reduce(middle) { product, _ in product * middle }
      if power <= goal { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }
}
