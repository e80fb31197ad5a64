/// Gives text in double quotes for a message, short and without control characters.
func quoted(_ text: String) -> String {
  var shown = ""
  for (place, scalar) in text.unicodeScalars.enumerated() {
    guard place < 60 else {
      shown += "…"
      break
    }
    shown += isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
  }
  return "\"\(shown)\""
}

/// Gives text as one would write it in a YAML file, in the kind of quotes that it does not hold.
func quotedForYAML(_ text: String) -> String {
  // Whoever wrote a longer text finds its end without help.
  let isLong = text.unicodeScalars.count > PlanLimits.quotedCharacters
  let text = isLong ? String(text.unicodeScalars.prefix(PlanLimits.quotedCharacters)) + "…" : text
  guard text.contains("\"") || text.contains("\\") else { return "\"\(text)\"" }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    + "'"
}

/// Gives text with a mark in place of each control character, so that a file cannot change a terminal.
func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  var shown = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { shown.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
  return String(shown)
}

/// Gives a number with a comma between thousands.
func grouped(_ number: Int) -> String {
  var digits = String(number)
  var end = digits.count - 3
  while end > 0 {
    digits.insert(",", at: digits.index(digits.startIndex, offsetBy: end))
    end -= 3
  }
  return digits
}

/// Gives a number and its noun, in the plural unless the number is 1.
func counted(_ number: Int, _ noun: String) -> String {
  number == 1 ? "1 \(noun)" : "\(grouped(number)) \(noun)s"
}

/// Lists the first names in quotes and counts the rest.
func listed(_ names: some Collection<String>) -> String {
  let shown = names.prefix(PlanLimits.listedNames).map(quoted).joined(separator: ", ")
  let rest = names.count - PlanLimits.listedNames
  return rest > 0 ? "\(shown) and \(grouped(rest)) more" : shown
}

/// Tells whether a character moves the cursor, changes a terminal or hides itself.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
  default: false
  }
}
