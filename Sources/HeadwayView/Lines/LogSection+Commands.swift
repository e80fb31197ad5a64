/// The workflow commands of GitHub in the output of tasks: lines such as `::error file=a.c::text`.
///
/// They stay in force, as without Headway, except for those that begin and end groups: groups do not nest, so the end
/// of one inside another would unfold the rest.
extension LogSection {
  /// The commands that begin and end groups.
  private static let groupCommands = ["group", "endgroup"]

  /// Whether a line needs a closer look: it begins with `::`, possibly after blanks, or has `##[` anywhere.
  static func mayBeCommand(_ line: ArraySlice<UInt8>) -> Bool {
    if startsWithColons(line) { return true }
    guard let mark = line.firstIndex(of: UInt8(ascii: "#")) else { return false }
    return line[mark...].firstRange(of: [0x23, 0x23, 0x5B]) != nil
  }

  /// Whether a line is a command that is in force without the name of its task before it.
  static func isKept(_ line: ArraySlice<UInt8>) -> Bool {
    guard startsWithColons(line) else { return false }
    let word = String(decoding: line, as: UTF8.self).drop { $0.isWhitespace }.dropFirst(2)
      .prefix { $0.isLetter || $0.isNumber || $0 == "-" }
    return !word.isEmpty && !groupCommands.contains(word.lowercased())
  }

  /// A line with the commands for groups as plain text.
  static func contained(_ line: String) -> String {
    let word = line.drop { $0.isWhitespace }.dropFirst(2).prefix { $0.isLetter }.lowercased()
    let start = line.drop { $0.isWhitespace }
    if start.hasPrefix("::"), groupCommands.contains(word) { return "| " + start }
    var text = ""
    var rest = line[...]
    while let mark = rest.firstRange(of: "##[") {
      let name = rest[mark.upperBound...].prefix { $0.isLetter }.lowercased()
      text += rest[..<mark.lowerBound] + (groupCommands.contains(name) ? "## [" : "##[")
      rest = rest[mark.upperBound...]
    }
    return text + rest
  }

  private static func startsWithColons(_ line: ArraySlice<UInt8>) -> Bool {
    let start = line.firstIndex { $0 != 0x20 && $0 != 0x09 } ?? line.endIndex
    return line[start...].starts(with: [0x3A, 0x3A])
  }
}
