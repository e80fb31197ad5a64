/// Returns text in double quotes for a message, shortened and with control characters escaped.
func quoted(_ text: String) -> String {
  var shown = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    guard index < 60 else {
      shown += "…"
      break
    }
    shown += isControl(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
  }
  return "\"\(shown)\""
}

/// Returns text as a quoted YAML string, in the kind of quotes that it does not contain.
func quotedForYAML(_ text: String) -> String {
  let isLong = text.unicodeScalars.count > PlanLimits.quotedCharacters
  let text = isLong ? String(text.unicodeScalars.prefix(PlanLimits.quotedCharacters)) + "…" : text
  guard text.contains("\"") || text.contains("\\") else { return "\"\(text)\"" }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    + "'"
}

/// Returns text with control characters replaced, so that a file cannot change the terminal.
func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  var shown = String.UnicodeScalarView()
  for scalar in text.unicodeScalars { shown.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
  return String(shown)
}

/// Returns a number with thousands separators.
func grouped(_ number: Int) -> String {
  var digits = String(number)
  var end = digits.count - 3
  while end > 0 {
    digits.insert(",", at: digits.index(digits.startIndex, offsetBy: end))
    end -= 3
  }
  return digits
}

/// Returns a number and its noun, in the plural unless the number is 1.
func counted(_ number: Int, _ noun: String) -> String {
  number == 1 ? "1 \(noun)" : "\(grouped(number)) \(noun)s"
}

/// Returns the first names in quotes and the number of the others.
func listed(_ names: some Collection<String>) -> String {
  let shown = names.prefix(PlanLimits.listedNames).map(quoted).joined(separator: ", ")
  let rest = names.count - PlanLimits.listedNames
  return rest > 0 ? "\(shown) and \(grouped(rest)) more" : shown
}

/// Returns whether a character is a control or invisible formatting character.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
  default: false
  }
}
