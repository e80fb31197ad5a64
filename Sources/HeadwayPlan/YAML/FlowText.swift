/// Finds the text in a line that needs quotes, around the column of a syntax error.
enum FlowText {
  /// Returns the entry of a flow list or map around a column, including its own brackets.
  ///
  /// In `[unpack, test[debug]]` the entry around column 15 is `test[debug]`.
  static func entry(around column: Int, in line: String) -> String {
    let scalars = Array(line.unicodeScalars)
    let column = min(max(column - 1, 0), max(scalars.count - 1, 0))
    guard !scalars.isEmpty else { return "" }
    let start = start(of: scalars, before: column)
    return string(scalars[start..<end(of: scalars, from: start)])
  }

  /// Returns the text from a column to the end of the line, without a comment.
  static func rest(from column: Int, in line: String) -> String {
    let scalars = Array(line.unicodeScalars.dropFirst(column - 1))
    var end = scalars.endIndex
    for index in scalars.indices.dropFirst() where scalars[index] == "#" {
      if scalars[index - 1] == " " {
        end = index
        break
      }
    }
    return string(scalars[..<end])
  }

  /// Returns the column of the value after the first `: ` of a line, or `nil` if there is none before a column.
  static func value(before column: Int, in line: String) -> Int? {
    let scalars = Array(line.unicodeScalars.prefix(column - 1))
    for index in scalars.indices.dropLast() where scalars[index] == ":" && scalars[index + 1] == " "
    {
      let spaces = scalars[(index + 1)...].prefix { $0 == " " }.count
      return index + 2 + spaces
    }
    return nil
  }

  /// Returns the start of an entry: after a comma, an opening bracket or a colon.
  private static func start(of scalars: [Unicode.Scalar], before column: Int) -> Int {
    var depth = 0
    var index = column
    while index > 0 {
      let previous = scalars[index - 1]
      if previous == "]" || previous == "}" { depth += 1 }
      if depth == 0, previous == "," || previous == "[" || previous == "{" { break }
      if depth == 0, previous == " ", index > 1, isIndicator(scalars, at: index - 2) { break }
      if previous == "[" || previous == "{" { depth -= 1 }
      index -= 1
    }
    return index
  }

  /// Returns whether a colon that ends a key, or a dash that starts an entry, is at an index.
  private static func isIndicator(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
    if scalars[index] == ":" { return true }
    return scalars[index] == "-" && scalars[..<index].allSatisfy { $0 == " " || $0 == "-" }
  }

  /// Returns the end of an entry: before a comma, the closing bracket of its list, or a comment.
  private static func end(of scalars: [Unicode.Scalar], from start: Int) -> Int {
    var depth = 0
    for index in start..<scalars.count {
      switch scalars[index] {
      case "[", "{": depth += 1
      case "]", "}":
        if depth == 0 { return index }
        depth -= 1
      case "," where depth == 0: return index
      case "#" where index > start && scalars[index - 1] == " ": return index
      default: break
      }
    }
    return scalars.count
  }

  /// Returns scalars as text without surrounding spaces.
  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    let trimmed = scalars.drop { $0 == " " || $0 == "\t" }
    var text = String.UnicodeScalarView(trimmed)
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
