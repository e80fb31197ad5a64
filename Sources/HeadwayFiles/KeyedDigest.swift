internal import HeadwayText

/// A digest that says nothing about a value to those who do not know the key: SipHash-2-4 with two keys.
package enum KeyedDigest {
  /// The bytes of a key.
  package static let keyBytes = 32

  /// The digest of a value, in 32 hexadecimal digits.
  package static func text(of value: [UInt8], key: [UInt8]) -> String {
    let words = (0..<4).map { word(key, at: $0 * 8) }
    return hexadecimal(hash(value, words[0], words[1]), hash(value, words[2], words[3]))
  }

  /// The 8 bytes at an index as a number, the first byte the lowest; bytes beyond the end are 0.
  private static func word(_ bytes: [UInt8], at index: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<min(8, max(bytes.count - index, 0)) {
      word |= UInt64(bytes[index + offset]) << (8 * UInt64(offset))
    }
    return word
  }

  /// SipHash-2-4 of a value.
  static func hash(_ value: [UInt8], _ key0: UInt64, _ key1: UInt64) -> UInt64 {
    var (v0, v1) = (key0 ^ 0x736f_6d65_7073_6575, key1 ^ 0x646f_7261_6e64_6f6d)
    var (v2, v3) = (key0 ^ 0x6c79_6765_6e65_7261, key1 ^ 0x7465_6462_7974_6573)
    func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
      value << count | value >> (64 - count)
    }
    func mix(_ rounds: Int) {
      for _ in 0..<rounds {
        v0 &+= v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 &+= v3
        v3 = rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
      }
    }
    for index in stride(from: 0, through: value.count, by: 8) {
      var next = word(value, at: index)
      if index + 8 > value.count { next |= UInt64(value.count & 0xff) << 56 }
      v3 ^= next
      mix(2)
      v0 ^= next
    }
    v2 ^= 0xff
    mix(4)
    return v0 ^ v1 ^ v2 ^ v3
  }
}
