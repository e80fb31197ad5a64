/// Reads a dotenv file: lines of `NAME=value`, as shells and docker compose have them.
///
/// Nothing is substituted: no commands, and no variables.
struct DotenvParser {
  /// The variables in the order of the file; of two with the same name the last one counts.
  private(set) var variables: [Plan.Variable] = []
  /// The errors, by line and column.
  private(set) var errors = DiagnosticList()

  private let bytes: [UInt8]
  private var index = 0
  private var line = 1
  /// The index of the first byte of the line.
  private var lineStart = 0

  /// Parses a file.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    // A byte order mark is not part of the text.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { (index, lineStart) = (3, 3) }
    while index < bytes.count { readLine() }
  }

  /// Whether a variable is the runner's own, so that a file must not set it.
  private static func isReserved(_ name: String) -> Bool {
    name.hasPrefix("HEADWAY_") || name == "ZIG_PROGRESS"
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }
  private var column: Int { index - lineStart + 1 }

  private mutating func fail(
    _ column: Int, line: Int? = nil, _ message: @autoclosure () -> String
  ) {
    errors.add(line: line ?? self.line, column: column, message())
  }

  private mutating func skipSpaces() {
    while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0D { index += 1 }
  }

  /// Skips the rest of a line and its end.
  private mutating func skipLine() {
    while let byte = current, byte != 0x0A { index += 1 }
    endLine()
  }

  /// Skips the end of a line.
  private mutating func endLine() {
    guard current != nil else { return }
    index += 1
    line += 1
    lineStart = index
  }

  /// Reads an entry, a comment or an empty line.
  private mutating func readLine() {
    skipSpaces()
    guard let first = current, first != 0x0A, first != UInt8(ascii: "#") else { return skipLine() }
    let entryLine = line
    var (start, name) = word()
    if name == "export", current == 0x20 || current == 0x09 {
      skipSpaces()
      (start, name) = word()
    }
    skipSpaces()
    guard current == UInt8(ascii: "=") else {
      fail(start, "expected NAME=value")
      return skipLine()
    }
    index += 1
    let isName = name.utf8.first.map { !(48...57).contains($0) } ?? false
    if !isName {
      fail(start, "a variable name has letters, digits and \"_\", and does not start with a digit")
    } else if Self.isReserved(name) {
      fail(start, "\(quoted(name)) is set by headway itself; remove it")
    }
    let before = errors.count
    guard let value = value(), errors.count == before else { return }
    // The system refuses to start a program with a longer one.
    guard value.count + name.utf8.count + 2 <= PlanLimits.variableBytes else {
      return fail(
        start, line: entryLine,
        "the value of \(quoted(name)) is too long for the environment of a program")
    }
    guard !value.contains(0), let text = String(validating: value, as: UTF8.self) else {
      return fail(
        start, line: entryLine,
        "the value of \(quoted(name)) has a null byte or is not valid UTF-8; remove these bytes")
    }
    if isName { variables.append(Plan.Variable(name: name, value: text)) }
  }

  /// Reads letters, digits and underscores; returns their column and text.
  private mutating func word() -> (column: Int, text: String) {
    let start = index
    while let byte = current,
      byte == UInt8(ascii: "_") || (48...57).contains(byte) || (65...90).contains(byte & 0xDF)
    { index += 1 }
    return (start - lineStart + 1, String(decoding: bytes[start..<index], as: UTF8.self))
  }

  /// Reads a value to the end of its last line; nil after an error.
  private mutating func value() -> [UInt8]? {
    let afterEquals = index
    while current == 0x20 || current == 0x09 { index += 1 }
    if current == UInt8(ascii: "'") || current == UInt8(ascii: "\"") { return quotedValue() }
    let start = index
    var end = start
    while let byte = current, byte != 0x0A {
      // A comment begins after a space.
      if byte == UInt8(ascii: "#"), index > afterEquals,
        bytes[index - 1] == 0x20 || bytes[index - 1] == 0x09
      {
        break
      }
      index += 1
      if byte != 0x20, byte != 0x09, byte != 0x0D { end = index }
    }
    skipLine()
    return Array(bytes[start..<end])
  }

  /// Reads a value in quotes, which may have several lines, and the rest of its last line.
  private mutating func quotedValue() -> [UInt8]? {
    let opening = (line: line, column: column, index: index, lineStart: lineStart)
    let quote = bytes[index]
    let name = quote == UInt8(ascii: "'") ? "single" : "double"
    var value: [UInt8] = []
    index += 1
    while let byte = current, byte != quote {
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        value += escape()
      } else if byte == 0x0A {
        value.append(byte)
        endLine()
      } else {
        // The end of a line is the same in files of Windows.
        let isLineEnd = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
        if !isLineEnd { value.append(byte) }
        index += 1
      }
    }
    guard current != nil else {
      // The rest of the file is not what it was meant to be, but the next line may be.
      (line, index, lineStart) = (opening.line, opening.index, opening.lineStart)
      fail(opening.column, "the \(name) quote is never closed")
      index = bytes.count
      return nil
    }
    index += 1
    skipSpaces()
    if let byte = current, byte != 0x0A, byte != UInt8(ascii: "#") {
      fail(column, "text after the closing quote; put the whole value in quotes")
    }
    skipLine()
    return value
  }

  /// Reads a backslash and what belongs to it; one before another character stands for itself.
  private mutating func escape() -> [UInt8] {
    index += 1
    guard let byte = current, byte != 0x0A, byte != 0x0D else { return [UInt8(ascii: "\\")] }
    index += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "$"): return [byte]
    default: return [UInt8(ascii: "\\"), byte]
    }
  }
}
