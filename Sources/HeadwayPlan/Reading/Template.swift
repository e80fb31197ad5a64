/// The braces of a task's texts: `{key}` for a key of its matrix, `{{` for a brace, all others as they are.
struct Template {
  /// The keys of the matrix.
  let keys: [String]
  /// The value of each key in one combination.
  let values: [String]

  /// Tells whether a text may change.
  static func mayChange(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: "{")) }

  /// Puts the values of the combination in place of their keys.
  ///
  /// A key is replaced only where no `$` stands before its brace, so `${key}` stays the shell's.
  ///
  /// - Complexity: O(*n* · *k*) for *n* bytes and *k* keys, and a message-sized scan for each brace.
  func filled(_ text: String) -> String {
    guard Self.mayChange(text) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      guard bytes[place] == UInt8(ascii: "{") else {
        result.append(bytes[place])
        place += 1
        continue
      }
      if place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "{") {
        result.append(UInt8(ascii: "{"))
        place += 2
      } else if let key = key(in: bytes, at: place) {
        result += values[key].utf8
        place += keys[key].utf8.count + 2
      } else {
        result.append(UInt8(ascii: "{"))
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Gives the key whose braces open at a place.
  private func key(in bytes: [UInt8], at place: Int) -> Int? {
    guard place == 0 || bytes[place - 1] != UInt8(ascii: "$") else { return nil }
    return keys.firstIndex { key in
      let end = place + 1 + key.utf8.count
      return end < bytes.count && bytes[end] == UInt8(ascii: "}")
        && bytes[(place + 1)..<end].elementsEqual(key.utf8)
    }
  }
}
