/// Finds the values in a text for a shell that the shell would read as part of its grammar because of where they are.
///
/// Values consist of characters that are special to no shell. Still, `2` is a file descriptor in `{X}>out`, and `A=1` is an
/// assignment in front of a command. The text is read once, as shells split it into words. In doubt, a value counts as misread.
struct ValuePlaces {
  private let bytes: [UInt8]
  /// The values, by place.
  private let values: [Range<Int>]
  /// The index of the next value.
  private var next = 0
  private var index = 0
  /// The indices of the values that a shell would misread.
  private var misread: Set<Int> = []
  private var contexts = [Context(kind: .commands)]
  /// The here-documents whose text begins after the line.
  private var pending: [Document] = []

  /// What encloses a place.
  private struct Context {
    enum Kind { case commands, subshell, backquotes, double, arithmetic, expansion }
    let kind: Kind
    /// The place behind its opening characters.
    var start = 0
    /// Whether the next word can be the first of a command.
    var isCommand = true
    /// Whether the next word is the target of a redirection.
    var isTarget = false
    /// The number of open parentheses in an arithmetic expression.
    var depth = 0
    /// The beginning of the current word.
    var word: Int?
    /// Whether a bracket or brace is open in the word.
    var isOpen = false
  }

  private struct Document {
    let delimiter: [UInt8]
    let isIndented: Bool
  }

  /// Returns the index of the first value that a shell would misread.
  ///
  /// - Parameters:
  ///   - text: The text with the values in it.
  ///   - values: The ranges of the values in bytes, by place, none of them empty.
  /// - Returns: The index, nil if there is none.
  /// - Complexity: O(length).
  static func firstMisread(in text: String, values: [Range<Int>]) -> Int? {
    var places = ValuePlaces(bytes: Array(text.utf8), values: values)
    while places.index < places.bytes.count { places.step() }
    // A backslash at the end escapes nothing.
    places.index = places.bytes.count
    places.endWord()
    return places.misread.min() ?? (places.next < values.count ? places.next : nil)
  }

  private init(bytes: [UInt8], values: [Range<Int>]) {
    (self.bytes, self.values) = (bytes, values)
  }

  private mutating func step() {
    if isValue(index) {
      beginWord()
      if isMisread(values[next]) { misread.insert(next) }
      index = values[next].upperBound
      next += 1
      return
    }
    switch context.kind {
    case .commands, .subshell, .backquotes: stepInCommand()
    case .double where at(index) == "\"": close()
    case .expansion where at(index) == "}": close()
    case .expansion where at(index) == "'": skipSingleQuotes()
    case .double, .expansion: stepInWord()
    case .arithmetic: stepInArithmetic()
    }
  }

  private mutating func stepInCommand() {
    switch at(index) {
    case " ", "\t":
      endWord()
      index += 1
    case "\\" where at(index + 1) == "\n": index += 2
    case "\n":
      endCommand()
      index += 1
      for document in pending { skip(document) }
      pending = []
    case ";", "|", "&":
      endCommand()
      index += 1
    case "<", ">": readRedirection()
    case "(":
      endWord()
      let isArithmetic = context.isCommand && at(index + 1) == "("
      open(isArithmetic ? .arithmetic : .subshell, length: isArithmetic ? 2 : 1)
    case ")":
      endWord()
      if context.kind == .subshell { return close() }
      // The end of a pattern of `case`.
      endCommand()
      index += 1
    case "#" where context.word == nil:
      index = bytes[index...].firstIndex(of: 0x0A) ?? bytes.count
      while next < values.count, values[next].lowerBound < index { next += 1 }
    case "'":
      beginWord()
      skipSingleQuotes()
    case "[", "{", "]", "}":
      beginWord()
      contexts[contexts.count - 1].isOpen = at(index) == "[" || at(index) == "{"
      index += 1
    default:
      beginWord()
      stepInWord()
    }
  }

  private mutating func stepInArithmetic() {
    switch at(index) {
    case "(": contexts[contexts.count - 1].depth += 1
    case ")" where context.depth > 0: contexts[contexts.count - 1].depth -= 1
    case ")": return close(length: at(index + 1) == ")" ? 2 : 1)
    case "]" where at(context.start - 1) == "[": return close()
    default: return stepInWord()
    }
    index += 1
  }

  /// Reads what means the same with and without double quotes.
  private mutating func stepInWord() {
    switch (at(index), at(index + 1)) {
    case ("\\", _): index += isValue(index + 1) ? 1 : 2
    case ("\"", _): open(.double)
    case ("`", _):
      guard let place = contexts.lastIndex(where: { $0.kind == .backquotes }) else {
        return open(.backquotes)
      }
      endWord()
      contexts.removeSubrange(place...)
      index += 1
    case ("$", "("):
      let isArithmetic = at(index + 2) == "("
      open(isArithmetic ? .arithmetic : .subshell, length: isArithmetic ? 3 : 2)
    case ("$", "["): open(.arithmetic, length: 2)
    case ("$", "{"): open(.expansion, length: 2)
    default: index += 1
    }
  }

  /// Skips a text in single quotes, which has escapes in some shells if it follows a dollar sign.
  private mutating func skipSingleQuotes() {
    let hasEscapes = at(index - 1) == "$"
    index += 1
    while index < bytes.count, at(index) != "'" {
      if isValue(index) {
        if hasEscapes, continuesEscape(index) { misread.insert(next) }
        index = values[next].upperBound
        next += 1
      } else {
        index += hasEscapes && at(index) == "\\" && !isValue(index + 1) ? 2 : 1
      }
    }
    index += 1
  }

  // MARK: Redirections and here-documents

  private mutating func readRedirection() {
    // A number in front of it is no word.
    if let word = context.word, isNumber(word..<index) { contexts[contexts.count - 1].word = nil }
    endWord()
    let start = index
    while at(index) == "<" || at(index) == ">" { index += 1 }
    if index - start == 2, at(start) == "<", at(start + 1) == "<" { return readDelimiter() }
    contexts[contexts.count - 1].isTarget = true
    guard at(index) == "&" || at(index) == "|" else { return }
    let isDescriptor = at(index) == "&"
    index += 1
    skipBlanks()
    // `-` closes a descriptor, and a name can be that of a file.
    if isDescriptor, isValue(index), !isNumber(values[next]) { misread.insert(next) }
  }

  private mutating func readDelimiter() {
    let isIndented = at(index) == "-" && !isValue(index)
    if isIndented { index += 1 }
    skipBlanks()
    var delimiter: [UInt8] = []
    while index < bytes.count, !endsWord(index) {
      if isValue(index) {
        misread.insert(next)
        next += 1
      }
      if at(index) != "'", at(index) != "\"", at(index) != "\\" { delimiter.append(bytes[index]) }
      index += 1
    }
    pending.append(Document(delimiter: delimiter, isIndented: isIndented))
  }

  /// Skips the text of a here-document, whose end must not be a value.
  private mutating func skip(_ document: Document) {
    var isEnd = false
    while index < bytes.count, !isEnd {
      let end = bytes[index...].firstIndex(of: 0x0A) ?? bytes.count
      var line = bytes[index..<end]
      if document.isIndented { line = line.drop { $0 == 0x09 } }
      isEnd = line.elementsEqual(document.delimiter)
      while next < values.count, values[next].lowerBound < end {
        let place = values[next].lowerBound
        let opening = line.indices.last { $0 < place && at($0) == "$" && at($0 + 1) == "{" }
        if isEnd || continuesName(place) || opening.map({ isOperator($0 + 2..<place) }) ?? false {
          misread.insert(next)
        }
        next += 1
      }
      index = min(end + 1, bytes.count)
    }
  }

  private mutating func skipBlanks() {
    while at(index) == " " || at(index) == "\t" { index += 1 }
  }

  // MARK: Words and contexts

  private var context: Context { contexts[contexts.count - 1] }

  private mutating func open(_ kind: Context.Kind, length: Int = 1) {
    index += length
    contexts.append(Context(kind: kind, start: index))
  }

  private mutating func close(length: Int = 1) {
    contexts.removeLast()
    index += length
  }

  private mutating func beginWord() {
    let place = contexts.count - 1
    guard contexts[place].word == nil else { return }
    contexts[place].word = index
    contexts[place].isOpen = false
  }

  private mutating func endCommand() {
    endWord()
    contexts[contexts.count - 1].isCommand = true
    contexts[contexts.count - 1].isTarget = false
  }

  /// Ends a word, and decides whether the next one can be the first of a command.
  private mutating func endWord() {
    let place = contexts.count - 1
    guard let start = contexts[place].word.take() else { return }
    if contexts[place].isTarget {
      contexts[place].isTarget = false
    } else if contexts[place].isCommand {
      guard let grammar = assignedName(in: start..<index) ?? keyword(in: start..<index) else {
        contexts[place].isCommand = false
        return
      }
      for value in values[..<next].indices where values[value].overlaps(grammar) {
        misread.insert(value)
      }
    }
  }

  // MARK: Values

  /// Whether the shell would read a value as more than part of a word.
  private func isMisread(_ value: Range<Int>) -> Bool {
    switch context.kind {
    case .arithmetic: return !isNumber(value)
    case .expansion: return isOperator(context.start..<value.lowerBound)
    case .double: return continuesName(value.lowerBound)
    case .commands, .subshell, .backquotes: break
    }
    let (first, last) = (at(value.lowerBound), at(value.upperBound - 1))
    // In zsh, `=make` is the path of `make`.
    let isStart = value.lowerBound == context.word
    // `~` at the beginning of a word, or in an assignment, is a home folder.
    let followsTilde =
      at(value.lowerBound - 1) == "~" && first != "/"
      && (value.lowerBound - 1 == context.word || at(value.lowerBound - 2) == "="
        || at(value.lowerBound - 2) == ":")
    let precedesTilde = at(value.upperBound) == "~" && (last == "=" || last == ":")
    // In brackets, `-` is a range, and `,` and `.` separate words in braces.
    let isInBrackets = context.isOpen && !value.allSatisfy(isPartOfName)
    return isDescriptor(value) || (isStart && first == "=") || followsTilde || precedesTilde
      || isInBrackets || continuesName(value.lowerBound)
  }

  /// Whether a value is, or is part of, the number of a descriptor before a redirection.
  private func isDescriptor(_ value: Range<Int>) -> Bool {
    var (start, end) = (value.lowerBound, value.upperBound)
    while isNumber(end..<end + 1) { end += 1 }
    guard at(end) == "<" || at(end) == ">" else { return false }
    while isNumber(start - 1..<start) { start -= 1 }
    return isNumber(start..<end) && (start == 0 || endsWord(start - 1))
  }

  /// Whether a value would be part of the name of a variable, as in `$name{X}`.
  private func continuesName(_ place: Int) -> Bool {
    guard isPartOfName(place) else { return false }
    var start = place
    while isPartOfName(start - 1) { start -= 1 }
    guard start < place, !isNumber(start..<start + 1), at(start - 1) == "$" else { return false }
    var backslashes = 0
    while at(start - 2 - backslashes) == "\\" { backslashes += 1 }
    return backslashes.isMultiple(of: 2)
  }

  /// Whether a value would be part of an escape, as in `$'\x4{X}'`.
  private func continuesEscape(_ place: Int) -> Bool {
    var start = place
    // The longest escape is `\U` with eight digits.
    while place - start < 9, isPartOfName(start - 1) { start -= 1 }
    return at(start - 1) == "\\"
  }

  /// Whether what comes after the beginning of an expansion would be part of its name or operator.
  ///
  /// It is a word after `${name:-`, and after `=`, `+` and `?` in place of the minus sign.
  private func isOperator(_ before: Range<Int>) -> Bool {
    var place = before.lowerBound
    while place < before.upperBound, isPartOfName(place) { place += 1 }
    if at(place) == ":" { place += 1 }
    guard place < before.upperBound else { return true }
    switch at(place) {
    case "-", "=", "+", "?": return false
    default: return true
    }
  }

  /// The name of the variable that a word sets, with the equals sign.
  private func assignedName(in word: Range<Int>) -> Range<Int>? {
    var place = word.lowerBound
    guard !isNumber(place..<place + 1) else { return nil }
    while place < word.upperBound, isPartOfName(place) { place += 1 }
    guard place > word.lowerBound else { return nil }
    if at(place) == "[" {
      while place < word.upperBound, at(place) != "]" { place += 1 }
      place += 1
    }
    if at(place) == "+" { place += 1 }
    guard place < word.upperBound, at(place) == "=" else { return nil }
    return word.lowerBound..<place + 1
  }

  /// The range of a word if it is one of the grammar, all of which can stand before a command.
  private func keyword(in word: Range<Int>) -> Range<Int>? {
    Self.keywords.contains(String(decoding: bytes[word], as: UTF8.self)) ? word : nil
  }

  private static let keywords: Set<String> = [
    "!", "[[", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "foreach", "function", "if", "in", "repeat", "select", "then", "time", "until", "while",
  ]

  // MARK: Characters

  private func at(_ place: Int) -> Unicode.Scalar? {
    bytes.indices.contains(place) ? Unicode.Scalar(bytes[place]) : nil
  }

  private func isValue(_ place: Int) -> Bool {
    next < values.count && values[next].lowerBound == place
  }

  private func isNumber(_ range: Range<Int>) -> Bool {
    !range.isEmpty && range.allSatisfy { at($0).map { ("0"..."9").contains($0) } ?? false }
  }

  private func isPartOfName(_ place: Int) -> Bool {
    guard let character = at(place) else { return false }
    return switch character {
    case "a"..."z", "A"..."Z", "0"..."9", "_": true
    default: false
    }
  }

  private func endsWord(_ place: Int) -> Bool {
    switch at(place) {
    case " ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">", "`": true
    default: false
    }
  }
}
