/// Takes an input apart into numbers and texts; an input that is too short gives zeros and empty texts.
package struct FuzzInput {
  /// The bytes that were not taken yet.
  package private(set) var rest: ArraySlice<UInt8>

  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Takes a byte.
  package mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// Takes a number from 0 up to a limit, which is at most 256.
  package mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

  /// Takes a number of eight bytes.
  package mutating func integer() -> Int64 {
    (0..<8).reduce(0) { number, _ in number << 8 | Int64(byte()) }
  }

  /// Takes the bytes up to a zero byte.
  package mutating func bytes() -> [UInt8] {
    let bytes = Array(rest.prefix { $0 != 0 })
    rest = rest.dropFirst(bytes.count + 1)
    return bytes
  }

  /// Takes the text up to a zero byte, with invalid UTF-8 repaired.
  package mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

  /// Takes everything that is left as text, with invalid UTF-8 repaired.
  package mutating func lastText() -> String {
    defer { rest = [] }
    return String(decoding: rest, as: UTF8.self)
  }
}
