/// The bytes of a plan file with an index of its lines, for diagnostics.
struct SourceText {
  /// The file without a byte order mark.
  let bytes: [UInt8]
  /// The offset of the first byte of each line, with lines counted as libyaml does.
  private let starts: [Int]

  /// Indexes the lines of a file.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    var offset = 0
    while offset < bytes.count {
      let size = Self.breakSize(bytes, at: offset)
      offset += max(size, 1)
      if size > 0 { starts.append(offset) }
    }
    self.starts = starts
  }

  /// The number of lines.
  var lineCount: Int { starts.count }

  /// Returns the text of a line without its line break, cut at a limit; empty if there is no such line.
  func line(_ number: Int) -> String {
    guard number >= 1, number <= starts.count else { return "" }
    let start = starts[number - 1]
    let limit = min(bytes.count, start + PlanLimits.lineBytes)
    var end = start
    while end < limit, Self.breakSize(bytes, at: end) == 0 { end += 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// Returns the line and column of a byte.
  func mark(ofByte offset: Int) -> YAMLMark {
    let line = starts.lastIndex { $0 <= offset } ?? 0
    let before = bytes[starts[line]..<min(max(offset, starts[line]), bytes.count)]
    return YAMLMark(line: line + 1, column: before.count { $0 & 0xC0 != 0x80 } + 1)
  }

  /// Returns the line and column of an occurrence of some bytes.
  ///
  /// - Parameters:
  ///   - number: The number of the occurrence, from 0.
  ///   - word: The bytes, not empty.
  ///   - start: The place at which the search begins.
  ///   - end: The place before which it ends, nil for the end of the file.
  /// - Returns: The place, nil if there are too few occurrences within `PlanLimits.searchedBytes`.
  /// - Complexity: O(*n*) for *n* bytes of the file.
  func mark(
    ofOccurrence number: Int, of word: [UInt8], from start: YAMLMark, to end: YAMLMark?
  ) -> YAMLMark? {
    let first = offset(of: start)
    let last = min(end.map(offset) ?? bytes.count, first + PlanLimits.searchedBytes)
    let found = Self.occurrences(of: word, in: bytes[first..<max(first, last)])
    return found.indices.contains(number) ? mark(ofByte: found[number]) : nil
  }

  /// Returns the offsets of some bytes in others.
  static func occurrences(of word: [UInt8], in bytes: ArraySlice<UInt8>) -> [Int] {
    bytes.indices.filter { bytes[$0] == word[0] && bytes[$0...].starts(with: word) }
  }

  /// Returns the offset of the byte at a place, that of the last one for a place after the end.
  private func offset(of mark: YAMLMark) -> Int {
    guard mark.line >= 1, mark.line <= starts.count else { return bytes.count }
    var (offset, column) = (starts[mark.line - 1], 1)
    while offset < bytes.count, column < mark.column || bytes[offset] & 0xC0 == 0x80 {
      offset += 1
      if offset < bytes.count, bytes[offset] & 0xC0 != 0x80 { column += 1 }
    }
    return offset
  }

  /// Returns the number of bytes of the line break at an offset, or 0 if there is none.
  private static func breakSize(_ bytes: [UInt8], at offset: Int) -> Int {
    let byte = bytes[offset]
    if byte == 0x0A { return 1 }
    guard byte == 0x0D || byte >= 0xC2 else { return 0 }
    let second = offset + 1 < bytes.count ? bytes[offset + 1] : 0
    let third = offset + 2 < bytes.count ? bytes[offset + 2] : 0
    switch (byte, second, third) {
    case (0x0D, 0x0A, _): return 2
    case (0x0D, _, _): return 1
    case (0xC2, 0x85, _): return 2
    case (0xE2, 0x80, 0xA8), (0xE2, 0x80, 0xA9): return 3
    default: return 0
    }
  }
}
