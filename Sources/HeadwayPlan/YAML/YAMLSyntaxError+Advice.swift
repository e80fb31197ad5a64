extension YAMLSyntaxError {
  /// Returns a diagnostic that says what is wrong and what to write instead.
  ///
  /// libyaml reports where its grammar stopped. The advice is derived from the text around that location and the
  /// list or map that contains it. It covers common errors: missing quotes, brackets and colons, tabs, and
  /// indentation. Other errors are reported in libyaml's words.
  func diagnostic(in source: SourceText) -> PlanDiagnostic {
    if let invalidByte { return Self.characterDiagnostic(at: invalidByte, in: source) }
    let advice = Advice(error: self, source: source)
    if let diagnostic = advice.tokenAdvice ?? advice.flowAdvice ?? advice.blockAdvice {
      return diagnostic
    }
    let reading = context.isEmpty ? "" : " \(context)"
    return PlanDiagnostic(
      at: mark.line > source.lineCount ? contextMark : mark,
      "invalid YAML: \(problem)\(reading)")
  }

  /// Returns the diagnostic for a byte that is not part of a valid character.
  private static func characterDiagnostic(
    at byte: Int, in source: SourceText
  ) -> PlanDiagnostic {
    let text = String(decoding: source.bytes[byte...].prefix(4), as: UTF8.self)
    return PlanDiagnostic(
      at: source.mark(ofByte: byte),
      text.unicodeScalars.first == "\u{FFFD}"
        ? "invalid UTF-8; save the file as UTF-8"
        : "control character; remove it, or write an escape such as \"\\x1B\" in double quotes"
    )
  }
}

extension PlanDiagnostic {
  /// Creates a diagnostic at a location.
  fileprivate init(at mark: YAMLMark, _ message: String) {
    self.init(line: mark.line, column: mark.column, message: message)
  }
}

/// A syntax error and the text around it.
private struct Advice {
  let error: YAMLSyntaxError
  /// The line of the error.
  let line: String
  /// The line where libyaml started to read what it could not finish.
  let contextLine: String
  /// The character at the error, or `nil` at the end of the line.
  let character: Unicode.Scalar?
  /// The text before the error in its line.
  let before: Substring.UnicodeScalarView

  init(error: YAMLSyntaxError, source: SourceText) {
    self.error = error
    line = source.line(error.mark.line)
    contextLine = source.line(error.contextMark.line)
    before = line.unicodeScalars.prefix(error.mark.column - 1)
    character = line.unicodeScalars[before.endIndex...].first
  }

  /// Whether the error is inside brackets or braces.
  private var isInFlow: Bool { error.enclosing?.isFlow ?? false }

  /// The last character before the error that is not a space.
  private var lastBefore: Unicode.Scalar? { before.last { $0 != " " } }

  /// Returns a diagnostic at the error.
  private func here(_ message: String) -> PlanDiagnostic { PlanDiagnostic(at: error.mark, message) }

  /// Advice for text that YAML reads as something else because of its first character.
  var tokenAdvice: PlanDiagnostic? {
    if character == "\t" { return here("tabs cannot be used for indentation; use spaces") }
    let start = error.contextMark
    guard error.isInToken || start == error.mark, !error.context.isEmpty else { return nil }
    if error.context.hasSuffix("simple key") {
      let text = quoted(FlowText.rest(from: start.column, in: contextLine))
      return PlanDiagnostic(
        at: start,
        "missing \":\" after \(text); write \"key: value\", or indent text that continues a value")
    }
    let first = contextLine.unicodeScalars.dropFirst(start.column - 1).first
    switch first {
    case "\"", "'":
      if error.problem == "found invalid Unicode character escape code" {
        return here(
          "this escape is no character, or half of one; write the character itself, or all of it, as in \"\\U0001F600\""
        )
      }
      if character == "\\" || character != nil && error.mark.column > 1 {
        return here(
          "unknown escape in double quotes; write \"\\\\\" for a backslash, or use single quotes")
      }
      // The string continues to the end of the file or of the document.
      return PlanDiagnostic(
        at: start, "unterminated string; add the closing quote, or quote the whole text")
    case "," where isInFlow: return nil
    case "*", "&", "!", "%", "@", "`", "|", ">", ",":
      let text =
        isInFlow
        ? FlowText.entry(around: start.column, in: contextLine)
        : FlowText.rest(from: start.column, in: contextLine)
      // Outside of brackets, these two start a block of text on the following lines.
      let isBlock = !isInFlow && (first == "|" || first == ">")
      return PlanDiagnostic(
        at: start,
        "text that starts with \"\(text.prefix(1))\" must be quoted: write \(quotedForYAML(text))"
          + (isBlock ? ", or start the text on the next line" : ""))
    default: return nil
    }
  }

  /// Advice for lists and maps in brackets and braces.
  var flowAdvice: PlanDiagnostic? {
    guard let enclosing = error.enclosing, isInFlow else { return nil }
    if character == "," { return here("missing entry before this comma; remove the comma") }
    if character == "-" { return dashAdvice }
    if isUnquotedText {
      let entry = quotedForYAML(FlowText.entry(around: error.mark.column, in: line))
      return here("text with braces or brackets must be quoted: write \(entry)")
    }
    let (kind, closing) = enclosing.kind == .list ? ("list", "]") : ("map", "}")
    if error.mark.line > Int(enclosing.line) {
      return PlanDiagnostic(
        at: YAMLMark(line: Int(enclosing.line), column: Int(enclosing.column)),
        "unclosed \(kind); add the missing \"\(closing)\"")
    }
    let hint = character == ":" ? "; quote text that contains \": \"" : ""
    return here("expected \",\" or \"\(closing)\"\(hint)")
  }

  /// Whether the error is at a bracket in text, as in `test[debug]`, or after one, as in `{variant}.log`.
  private var isUnquotedText: Bool {
    switch character {
    case "[", "{": lastBefore.map { !",[{:".unicodeScalars.contains($0) } ?? false
    case "]", "}", nil: false
    default: before.last == "]" || before.last == "}"
    }
  }

  /// Advice for lines that do not fit the ones before them.
  var blockAdvice: PlanDiagnostic? {
    if error.isInToken {
      return character == ":" ? colonAdvice : character == "-" ? dashAdvice : nil
    }
    if let character, character == "]" || character == "}" {
      return here("unexpected \"\(character)\"; remove it, or quote the text")
    }
    if error.isAfterPlan {
      return here("this line is outside the plan; indent it like the first key, or remove it")
    }
    switch error.enclosing?.kind {
    case .list:
      return here(
        "expected a list entry; start the line with \"- \", or indent it like the key of the list")
    case .map:
      return trailingAdvice
        ?? here("inconsistent indentation; align this line with the lines around it")
    default: return nil
    }
  }

  /// Advice for a dash that cannot start a list.
  private var dashAdvice: PlanDiagnostic {
    here("a list with dashes must start on a new line; to write it on one line, use brackets")
  }

  /// Advice for a colon in the middle of text, or a line that is indented too far.
  private var colonAdvice: PlanDiagnostic {
    valueDiagnostic { "text with \": \" must be quoted: write \($0)" }
      ?? here("a key is not allowed here; check the indentation, and the colon of the line before")
  }

  /// Advice for text that continues after a closing quote, bracket or brace.
  private var trailingAdvice: PlanDiagnostic? {
    guard let lastBefore, "\"']}".unicodeScalars.contains(lastBefore) else { return nil }
    return valueDiagnostic {
      "text that starts with a quote, bracket or brace must be quoted: write \($0)"
    }
  }

  /// Returns a diagnostic at the value that contains the error, with a message that suggests the value in quotes.
  private func valueDiagnostic(_ message: (String) -> String) -> PlanDiagnostic? {
    guard let column = FlowText.value(before: error.mark.column, in: line) else { return nil }
    let value = quotedForYAML(FlowText.rest(from: column, in: line))
    return PlanDiagnostic(at: YAMLMark(line: error.mark.line, column: column), message(value))
  }
}
