internal import HeadwayRun
internal import HeadwayText

/// Returns text in double quotes for a message, shortened and with unsafe characters escaped.
func quoted(_ text: String) -> String {
  var shown = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    guard index < 60 else {
      shown += "…"
      break
    }
    shown += scalar.isUnsafeInText ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
  }
  return "\"\(shown)\""
}

/// Returns text as a quoted YAML string, in the kind of quotes that it does not contain.
func quotedForYAML(_ text: String) -> String {
  let isLong = text.unicodeScalars.count > RunLimits.quotedCharacters
  let text = isLong ? String(text.unicodeScalars.prefix(RunLimits.quotedCharacters)) + "…" : text
  guard text.contains("\"") || text.contains("\\") else { return "\"\(text)\"" }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    + "'"
}

/// Returns the first names in quotes and the number of the others.
func listed(_ names: some Collection<String>) -> String {
  let shown = names.prefix(PlanLimits.listedNames).map(quoted).joined(separator: ", ")
  let rest = names.count - PlanLimits.listedNames
  return rest > 0 ? "\(shown) and \(grouped(rest)) more" : shown
}
