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
    let special = "*?[\\".unicodeScalars
    guard unicodeScalars.contains(where: special.contains) else { return self }
    // Not by characters: an accent that follows would make another one of it.
    return unicodeScalars.reduce(into: "") { text, scalar in
      if special.contains(scalar) { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }
}
