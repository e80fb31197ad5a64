extension String {
  /// Whether the text is a pattern that begins at the root; a backslash before a slash means the slash.
  package var isAbsolutePattern: Bool { hasPrefix("/") || hasPrefix("\\/") }

  /// Whether the text is a pattern that leads through every folder of the machine: `/`, `/*`, or one that begins with `/**`.
  package var isPatternOfAllFiles: Bool {
    guard isAbsolutePattern else { return false }
    let parts = split(separator: "/").filter { $0 != "." && $0 != "\\" }
    return parts.isEmpty || parts[0] == "**" || parts == ["*"]
  }

  /// The text as a pattern that matches nothing but it.
  package var escapedForPattern: String {
    guard utf8.contains(where: \.isPatternCharacter) else { return self }
    // Not by characters: an accent that follows would make another one of it.
    return unicodeScalars.reduce(into: "") { text, scalar in
      if UInt8(exactly: scalar.value)?.isPatternCharacter == true { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }
}

extension UInt8 {
  /// Whether the byte means more than itself in a pattern: an asterisk, a question mark, a bracket that opens, a backslash.
  @inlinable package var isPatternCharacter: Bool {
    switch self {
    case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\\"): true
    default: false
    }
  }
}
