// Texts for the shell, in which no values stand in braces.

internal import HeadwayText

extension PlanReader {
  /// Reads a command, and remembers its text if that has braces.
  mutating func command(_ entry: Entry, into draft: inout TaskDraft) -> Plan.Command? {
    let command = command(entry)
    if case .shell(let text) = command, Template.hasBraces(text) {
      draft.texts.append(TaskDraft.ShellText(key: entry.name, node: entry.value, text: text))
    }
    return command
  }

  /// Reports the values in the texts of a task: the shell is the only one to read a text, and finds values in its environment.
  mutating func diagnoseValues(in draft: borrowing TaskDraft) {
    guard !draft.texts.isEmpty else { return }
    let template = Template(
      keys: draft.axes.map(\.key), values: draft.axes.map { _ in "" }, definitions: definitions)
    for text in draft.texts {
      let places = template.places(in: text.text)
      guard !places.isEmpty else { continue }
      let values = places.map { place in
        ShellTextAdvice.Value(
          name: place.key.name,
          variable: place.key.isArguments ? "" : variable(for: place.key.name, in: draft),
          range: place.range)
      }
      diagnose(values, in: text, shell: draft.task.shell)
    }
  }

  /// Reports the values in a text, one error for each line that has some.
  private mutating func diagnose(
    _ values: [ShellTextAdvice.Value], in text: TaskDraft.ShellText, shell: [String]?
  ) {
    let bytes = Array(text.text.utf8)
    let advice = ShellTextAdvice(key: text.key, text: text.text, values: values, shell: shell)
    var start = 0
    while start < values.count {
      let place = values[start].range.lowerBound
      let lineEnd = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let end = values[start...].firstIndex { $0.range.lowerBound > lineEnd } ?? values.count
      let mark = mark(of: values[start], in: text, bytes)
      diagnostics.add(
        line: mark.line, column: mark.column, advice.message(for: start..<end))
      start = end
    }
  }

  /// The environment variable that has the value of a name in braces: that of the same name, unless it has another value or none.
  private func variable(for name: String, in draft: borrowing TaskDraft) -> String {
    let environment = draft.task.environment
    if let own = environment.first(where: { $0.name == name }) {
      if own.value == "{\(name)}" { return name }
    } else if Plan.isExported(name) {
      return name
    }
    var other = String(name.map { $0 == "-" ? "_" : $0 })
    if other.utf8.first.map({ (48...57).contains($0) }) ?? false { other = "_\(other)" }
    if other == name || !Plan.isExported(other) { other = "VALUE_\(other)" }
    let axes = draft.axes.map(\.key)
    while definitions[other] != nil || axes.contains(other)
      || environment.contains(where: { $0.name == other })
    {
      other += "_"
    }
    return other
  }

  /// The place of a value in the file: that of its text if it is written in another way there.
  private mutating func mark(
    of value: ShellTextAdvice.Value, in text: TaskDraft.ShellText, _ bytes: [UInt8]
  ) -> YAMLMark {
    let start = mark(of: text.node)
    // Each one is searched from the beginning of the text, which is too long for a program here.
    guard !diagnostics.isFull, bytes.count <= PlanLimits.variableBytes else { return start }
    let word = Array("{\(value.name)}".utf8)
    let earlier = SourceText.occurrences(of: word, in: bytes[..<value.range.lowerBound])
    let next = text.node + 1
    return source.mark(
      ofOccurrence: earlier.count, of: word, from: start,
      to: tree.nodes.indices.contains(next) ? mark(of: next) : nil) ?? start
  }

  private func mark(of node: Int) -> YAMLMark {
    YAMLMark(line: Int(tree.nodes[node].line), column: Int(tree.nodes[node].column))
  }
}
