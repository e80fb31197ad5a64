extension YAMLProblem {
  /// Says in our words what is wrong with the syntax, where, and what to write.
  ///
  /// What libyaml reports is where its grammar stopped. The advice looks at the text around that place for what
  /// people usually did: left out quotes, a bracket or a colon, or used a tab.
  func advice(in source: SourceText) -> MistakeList.Finding {
    if let byte {
      let mark = source.mark(ofByte: byte)
      return finding(mark, Self.characterAdvice(problem))
    }
    let advice = Advice(problem: self, line: source.line(mark.line), source: source)
    if let found = advice.bracketAdvice ?? advice.tokenAdvice ?? advice.blockAdvice { return found }
    let reading = context.isEmpty ? "" : " \(context)"
    let place = mark.line > source.lineCount ? contextMark : mark
    return finding(place, "this is not valid YAML: \(problem)\(reading)")
  }

  /// Says what is wrong with bytes that are no text.
  private static func characterAdvice(_ problem: String) -> String {
    problem.hasPrefix("control")
      ? "a control character stands here; remove it, or write it as an escape such as \"\\x1B\" in double quotes"
      : "this is not UTF-8 text; save the file as UTF-8"
  }

  /// Makes a finding at a place.
  fileprivate func finding(_ mark: YAMLMark, _ message: String) -> MistakeList.Finding {
    MistakeList.Finding(line: mark.line, column: mark.column, message: message)
  }
}

/// A problem together with the text around it.
private struct Advice {
  /// The problem.
  let problem: YAMLProblem
  /// The line where libyaml stopped.
  let line: String
  /// The file.
  let source: SourceText

  /// Gives the character at a distance from the place of the problem.
  private func letter(_ distance: Int) -> Unicode.Scalar? {
    let place = problem.mark.column - 1 + distance
    guard place >= 0 else { return nil }
    return line.unicodeScalars.dropFirst(place).first
  }

  /// Makes a finding at the place of the problem.
  private func here(_ message: String) -> MistakeList.Finding {
    problem.finding(problem.mark, message)
  }

  /// Makes a finding where the part begins that could not be read.
  private func atStart(_ message: String) -> MistakeList.Finding {
    problem.finding(problem.contextMark, message)
  }

  /// Advice for lists and maps in brackets and braces.
  var bracketAdvice: MistakeList.Finding? {
    let isList = problem.problem.hasSuffix("',' or ']'")
    if problem.problem == "did not find expected key", let closing = letter(0),
      "]}".contains(Character(closing)),
      letter(-1) != nil
    {
      return here("this \"\(closing)\" closes nothing; remove it, or quote the text")
    }
    guard isList || problem.problem.hasSuffix("',' or '}'") else {
      return problem.problem == "did not find expected node content" ? contentAdvice : nil
    }
    if isGluedToBracket {
      let entry = FlowText.entry(around: problem.mark.column, in: line)
      return here(
        "text with braces or brackets must be quoted inside a list or map: write \(quotedForYAML(entry))"
      )
    }
    let closing = isList ? "]" : "}"
    if problem.mark.line > problem.contextMark.line {
      return atStart(
        "this \(isList ? "list" : "map") is never closed; add the missing \"\(closing)\"")
    }
    return here("a comma or \"\(closing)\" belongs here; put text that holds \": \" in quotes")
  }

  /// Whether a bracket stands against text at the place of the problem, as in `test[debug]` or `{variant}.log`.
  private var isGluedToBracket: Bool {
    guard let before = letter(-1), let now = letter(0) else { return false }
    if now == "[" || now == "{" { return !" ,[{".unicodeScalars.contains(before) || isInsideText }
    return before == "]" || before == "}"
  }

  /// Whether words stand between the last separator and the place of the problem.
  private var isInsideText: Bool {
    let before = line.unicodeScalars.prefix(problem.mark.column - 1)
    guard let last = before.last(where: { $0 != " " }) else { return false }
    return !",[{:".unicodeScalars.contains(last)
  }

  /// Advice for a list or map with nothing where an entry belongs.
  private var contentAdvice: MistakeList.Finding? {
    guard let now = letter(0) else { return nil }
    if now == "-" { return dashAdvice }
    if now == "," { return here("an entry is missing before this comma; remove the comma") }
    if now == "]" || now == "}" {
      return here("this \"\(now)\" closes nothing; remove it, or quote the text")
    }
    return nil
  }

  /// Advice for characters with a meaning of their own.
  var tokenAdvice: MistakeList.Finding? {
    if problem.problem.contains("tab character") || letter(0) == "\t" {
      return here("a tab cannot indent; use spaces")
    }
    if problem.problem == "found character that cannot start any token", let now = letter(0) {
      let text = quotedForYAML(self.text(from: problem.mark.column, in: line))
      return here("text that starts with \"\(now)\" must be quoted: write \(text)")
    }
    if problem.problem.hasPrefix("did not find expected alphabetic")
      || problem.problem == "found undefined tag handle"
      || problem.context == "while scanning a tag"
    {
      let text = self.text(
        from: problem.contextMark.column, in: source.line(problem.contextMark.line))
      let sign = text.unicodeScalars.first.map(String.init) ?? "*"
      return atStart(
        "text that starts with \"\(sign)\" must be quoted: write \(quotedForYAML(text))")
    }
    if problem.context == "while scanning a block scalar", problem.problem.hasPrefix("did not find")
    {
      let text = FlowText.rest(
        from: problem.contextMark.column, in: source.line(problem.contextMark.line))
      let sign = text.hasPrefix("|") ? "|" : ">"
      return atStart(
        "text that starts with \"\(sign)\" must be quoted: write \(quotedForYAML(text)), or begin it on the next line"
      )
    }
    return quoteAdvice
  }

  /// Gives the text that begins at a column, to its comma or bracket inside a list or map in brackets.
  private func text(from column: Int, in line: String) -> String {
    problem.isInFlow
      ? FlowText.entry(around: column, in: line) : FlowText.rest(from: column, in: line)
  }

  /// Advice for text in quotes.
  private var quoteAdvice: MistakeList.Finding? {
    guard problem.context.hasSuffix("a quoted scalar") else { return nil }
    if problem.problem == "found unexpected end of stream"
      || problem.problem.contains("document indicator")
    {
      return atStart(
        "the quote that opens here is never closed; close it, or put the whole text in quotes")
    }
    if problem.problem == "found unknown escape character" {
      return here(
        "double quotes do not know this escape; write \"\\\\\" for a backslash, or use single quotes"
      )
    }
    return nil
  }

  /// Advice for lines that do not fit the ones before them.
  var blockAdvice: MistakeList.Finding? {
    switch problem.problem {
    case "mapping values are not allowed in this context":
      return colonAdvice
    case "could not find expected ':'":
      let text = FlowText.rest(
        from: problem.contextMark.column, in: source.line(problem.contextMark.line))
      return atStart(
        "\(quoted(text)) is neither a key nor a value; write a key as \"key: value\" and indent text"
      )
    case "did not find expected key":
      return trailingAdvice
        ?? here("this line is indented unlike the lines around it; align it with its neighbours")
    case "did not find expected '-' indicator":
      return here(
        "this line stands in a list; start it with \"- \", or indent it like the key of the list")
    case "did not find expected <document start>":
      return here("this line is outside the plan; indent it like the first key, or remove it")
    case "block sequence entries are not allowed in this context":
      return dashAdvice
    default:
      return nil
    }
  }

  /// Advice for a dash that cannot begin a list where it stands.
  private var dashAdvice: MistakeList.Finding {
    here("a list with dashes begins on a line of its own under its key; or write it in brackets")
  }

  /// Advice for a colon in the middle of text, or a line indented too deep.
  private var colonAdvice: MistakeList.Finding {
    if let column = FlowText.value(before: problem.mark.column, in: line) {
      let text = FlowText.rest(from: column, in: line)
      let place = YAMLMark(line: problem.mark.line, column: column)
      return problem.finding(place, "text with \": \" must be quoted: write \(quotedForYAML(text))")
    }
    return here(
      "a key cannot stand here; the line before it holds text already, so check its colon and the indentation"
    )
  }

  /// Advice for text that follows a closing quote or bracket.
  private var trailingAdvice: MistakeList.Finding? {
    let before = line.unicodeScalars.prefix(problem.mark.column - 1)
    guard let last = before.last(where: { $0 != " " }) else { return nil }
    guard let column = FlowText.value(before: problem.mark.column, in: line) else { return nil }
    let text = FlowText.rest(from: column, in: line)
    let place = YAMLMark(line: problem.mark.line, column: column)
    if last == "}" || last == "]" {
      return problem.finding(
        place,
        "text with braces or brackets at its start must be quoted: write \(quotedForYAML(text))")
    }
    guard last == "\"" || last == "'" else { return nil }
    return problem.finding(
      place, "text goes on after its closing quote; quote all of it, such as \(quotedForYAML(text))"
    )
  }
}
