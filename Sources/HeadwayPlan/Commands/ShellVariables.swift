internal import HeadwayText

/// Finds the variables that a command mentions: `$NAME`, and `${NAME}` with or without operators.
///
/// The command is not parsed. So a variable in single quotes and one that the command sets itself are found, too; a name
/// without `$`, as in `$((count + 1))`, is not.
package enum ShellVariables {
  /// The names of the variables that some texts mention.
  ///
  /// - Complexity: O(length).
  package static func names(in texts: [String]) -> Set<String> {
    texts.reduce(into: []) { names, text in
      guard text.containsByte(where: { $0 == UInt8(ascii: "$") }) else { return }
      // Each part but the first follows a `$`.
      for part in text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        .dropFirst()
      {
        if let name = name(atStartOf: part) { names.insert(name) }
      }
    }
  }

  /// Whether a text mentions the arguments of its shell: `$@`, `$*`, `$#`, `$1` to `$9`, and each in braces.
  package static func namesArguments(_ text: String) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).dropFirst()
      .contains { part in
        var rest = part
        let isInBraces = rest.first == UInt8(ascii: "{")
        if isInBraces { rest = rest.dropFirst() }
        guard let first = rest.first else { return false }
        switch Unicode.Scalar(first) {
        case "@", "*", "1"..."9": return true
        // `${#name}` is the length of a variable.
        case "#":
          let next = rest.dropFirst().first.map { Unicode.Scalar($0) }
          return !isInBraces || next == "}" || next == "@" || next == "*"
        default: return false
        }
      }
  }

  /// The name that follows a `$`, nil if there is none.
  private static func name(atStartOf text: Substring.UTF8View) -> String? {
    var rest = text
    if rest.first == UInt8(ascii: "{") {
      rest = rest.dropFirst()
      // The length of a variable, or the variable that it names.
      if rest.first == UInt8(ascii: "#") || rest.first == UInt8(ascii: "!") {
        rest = rest.dropFirst()
      }
    }
    let name = rest.prefix(while: isPartOfName)
    guard let first = name.first, !isDigit(first) else { return nil }
    return String(Substring(name))
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    isDigit(byte) || byte == UInt8(ascii: "_")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
