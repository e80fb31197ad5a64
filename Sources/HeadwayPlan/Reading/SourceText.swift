/// The bytes of a plan file, asked for lines and places when a mistake is told.
struct SourceText {
  /// The file without a byte order mark.
  let bytes: [UInt8]
  /// The place of the first byte of each line, as libyaml counts lines.
  private let starts: [Int]

  /// Finds the lines of a file.
  ///
  /// - Complexity: O(*n*) for *n* bytes; so it is made only once there is a mistake.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    var place = 0
    while place < bytes.count {
      let size = Self.breakSize(bytes, at: place)
      place += max(size, 1)
      if size > 0 { starts.append(place) }
    }
    self.starts = starts
  }

  /// The number of lines.
  var lineCount: Int { starts.count }

  /// Gives the text of a line without its end, cut at a limit; empty for a line that the file does not have.
  func line(_ number: Int) -> String {
    guard number >= 1, number <= starts.count else { return "" }
    let start = starts[number - 1]
    let limit = min(bytes.count, start + PlanLimits.lineBytes)
    var end = start
    while end < limit, Self.breakSize(bytes, at: end) == 0 { end += 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// Gives the line and column of a byte.
  func mark(ofByte place: Int) -> YAMLMark {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= place { low = middle } else { high = middle }
    }
    let before = bytes[starts[low]..<min(max(place, starts[low]), bytes.count)]
    return YAMLMark(line: low + 1, column: before.count { $0 & 0xC0 != 0x80 } + 1)
  }

  /// Gives the number of bytes of the line break at a place, 0 where there is none.
  private static func breakSize(_ bytes: [UInt8], at place: Int) -> Int {
    let byte = bytes[place]
    if byte == 0x0A { return 1 }
    guard byte == 0x0D || byte >= 0xC2 else { return 0 }
    let second = place + 1 < bytes.count ? bytes[place + 1] : 0
    let third = place + 2 < bytes.count ? bytes[place + 2] : 0
    switch (byte, second, third) {
    case (0x0D, 0x0A, _): return 2
    case (0x0D, _, _): return 1
    case (0xC2, 0x85, _): return 2
    case (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9): return 3
    default: return 0
    }
  }
}
