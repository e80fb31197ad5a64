internal import HeadwayText

/// The words of a command line of bash up to the cursor, without their quotes.
struct BashLine {
  /// The words of the last command of the line; the last one is what was typed of the word at the cursor.
  private(set) var words: [String] = []
  /// The quote that is open at the cursor.
  private(set) var quote: Character?
  /// The characters of the last word, and whether each was quoted.
  private var last: [(character: Character, isQuoted: Bool)] = []

  /// Splits a line; nothing in it is expanded or executed.
  init(_ line: String) {
    var hasWord = false
    var isEscaped = false
    for character in line {
      if isEscaped {
        // In double quotes, a backslash before other characters stays.
        if quote == "\"", !"\"\\$`".contains(character) { last.append(("\\", true)) }
        last.append((character, true))
        isEscaped = false
      } else if character == "\\", quote != "'" {
        (isEscaped, hasWord) = (true, true)
      } else if let open = quote {
        if character == open { quote = nil } else { last.append((character, true)) }
      } else if character == "'" || character == "\"" {
        (quote, hasWord) = (character, true)
      } else if character == " " || character == "\t" || character == "\n" {
        if hasWord { words.append(String(last.map(\.character))) }
        (last, hasWord) = ([], false)
      } else if ";|&(".contains(character) {
        (words, last, hasWord) = ([], [], false)
      } else {
        last.append((character, false))
        hasWord = true
      }
    }
    words.append(String(last.map(\.character)))
    // Assignments before a command are not part of it.
    while words.count > 1, let first = words.first, Self.isAssignment(first) { words.removeFirst() }
  }

  private static func isAssignment(_ word: String) -> Bool {
    guard let sign = word.firstIndex(of: "="), sign != word.startIndex else { return false }
    return word[..<sign].allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
  }

  /// The number of characters of the last word that bash keeps, because it only replaces what follows the last break.
  func keptCount(breaks: String) -> Int {
    let place = last.lastIndex { !$0.isQuoted && breaks.contains($0.character) }
    return place.map { $0 + 1 } ?? 0
  }

  /// A text as it is typed in bash.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - quote: The quote that is open before it; bash closes it.
  /// - Returns: The text with backslashes.
  static func quoted(_ text: String, in quote: Character?) -> String {
    let special: String
    switch quote {
    case "'": return text.insideSingleQuotes
    case "\"": special = "\"\\$`"
    default: special = " \t\"'\\$`!*?[](){}<>|&;#~^"
    }
    return String(text.flatMap { special.contains($0) ? ["\\", $0] : [$0] })
  }
}
