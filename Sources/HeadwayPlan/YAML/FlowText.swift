/// Text in a line that needs quotes, found around the place where libyaml stumbled over it.
enum FlowText {
  /// Gives the entry of a bracketed list or map around a column, with the brackets that belong to it.
  ///
  /// In `[unpack, test[debug]]` the entry around column 15 is `test[debug]`.
  static func entry(around column: Int, in line: String) -> String {
    let letters = Array(line.unicodeScalars)
    let column = min(max(column - 1, 0), max(letters.count - 1, 0))
    guard !letters.isEmpty else { return "" }
    let start = start(of: letters, before: column)
    return string(letters[start..<end(of: letters, from: start)])
  }

  /// Gives the text from a column to the end of its line, without a comment.
  static func rest(from column: Int, in line: String) -> String {
    let letters = Array(line.unicodeScalars.dropFirst(column - 1))
    var end = letters.endIndex
    for place in letters.indices.dropFirst() where letters[place] == "#" {
      if letters[place - 1] == " " {
        end = place
        break
      }
    }
    return string(letters[..<end])
  }

  /// Gives the column of the value after the first `: ` of a line, nil where there is none before a column.
  static func value(before column: Int, in line: String) -> Int? {
    let letters = Array(line.unicodeScalars.prefix(column - 1))
    for place in letters.indices.dropLast() where letters[place] == ":" && letters[place + 1] == " "
    {
      let spaces = letters[(place + 1)...].prefix { $0 == " " }.count
      return place + 2 + spaces
    }
    return nil
  }

  /// Walks back to where an entry starts: after a comma, an open bracket or a colon.
  private static func start(of letters: [Unicode.Scalar], before column: Int) -> Int {
    var depth = 0
    var place = column
    while place > 0 {
      let previous = letters[place - 1]
      if previous == "]" || previous == "}" { depth += 1 }
      if depth == 0, previous == "," || previous == "[" || previous == "{" { break }
      if depth == 0, previous == " ", place > 1, isIndicator(letters, at: place - 2) { break }
      if previous == "[" || previous == "{" { depth -= 1 }
      place -= 1
    }
    return place
  }

  /// Tells whether a colon ends a key or a dash opens an entry at a place.
  private static func isIndicator(_ letters: [Unicode.Scalar], at place: Int) -> Bool {
    if letters[place] == ":" { return true }
    return letters[place] == "-" && letters[..<place].allSatisfy { $0 == " " || $0 == "-" }
  }

  /// Walks on to where an entry ends: before a comma, a bracket that closes its list, or a comment.
  private static func end(of letters: [Unicode.Scalar], from start: Int) -> Int {
    var depth = 0
    for place in start..<letters.count {
      switch letters[place] {
      case "[", "{": depth += 1
      case "]", "}":
        if depth == 0 { return place }
        depth -= 1
      case "," where depth == 0: return place
      case "#" where place > start && letters[place - 1] == " ": return place
      default: break
      }
    }
    return letters.count
  }

  /// Gives letters as text without spaces around it.
  private static func string(_ letters: ArraySlice<Unicode.Scalar>) -> String {
    let trimmed = letters.drop { $0 == " " || $0 == "\t" }
    var text = String.UnicodeScalarView(trimmed)
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
