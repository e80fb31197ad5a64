internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayText

/// The tasks of a plan as its author wrote them: one for all variants of a matrix.
struct TaskList {
  private struct Entry {
    let name: String
    let description: String?
    /// The names of its variants, empty for a task without a matrix.
    var variants: [String]
    /// The names of the tasks that it depends on.
    let after: [String]

    /// The first line of the description.
    var summary: String? { description?.split(separator: "\n").first.map { String($0) } }
  }

  private var entries: [Entry] = []
  /// The variables.
  private(set) var definitions: [Plan.Definition] = []

  /// The tasks for completion: the name, the first line of the description, and the names of the variants of each.
  var tasks: [(name: String, about: String, variants: [String])] {
    entries.map { ($0.name, $0.summary ?? "", $0.variants) }
  }

  /// The number of variants of all tasks.
  var variantCount: Int { entries.reduce(0) { $0 + $1.variants.count } }

  /// The most tasks that a message lists.
  private static let hintLimit = 20
  /// The widest column of names.
  private static let nameWidth = 30
  /// The most characters of a default that a line shows.
  private static let valueWidth = 40

  /// Lists the tasks of a plan.
  init(_ plan: Plan) {
    definitions = plan.definitions
    for task in plan.tasks where task.hook == nil {
      if entries.last?.name == task.base {
        entries[entries.count - 1].variants.append(task.name)
      } else {
        var names: [String] = []
        for index in task.after where names.last != plan.tasks[index].base {
          names.append(plan.tasks[index].base)
        }
        entries.append(
          Entry(
            name: task.base, description: task.description,
            variants: task.name == task.base ? [] : [task.name], after: names))
      }
    }
  }

  /// A line for each task: its name, the first line of its description, and how many variants it has.
  var text: String {
    let width = min(entries.map { TextWidth.columns(of: $0.name) }.max() ?? 0, Self.nameWidth)
    return entries.map { entry in
      var words: [String] = []
      if let line = entry.summary { words.append(line) }
      if !entry.variants.isEmpty { words.append("(\(counted(entry.variants.count, "variant")))") }
      if words.isEmpty { return entry.name.sanitized + "\n" }
      let padding = String(
        repeating: " ", count: max(0, width - TextWidth.columns(of: entry.name)))
      return "\(entry.name)\(padding)  \(words.joined(separator: " "))".sanitized + "\n"
    }.joined()
  }

  /// The list for a message about an unknown task, empty if it would say no more than the names.
  var hint: String {
    let isWorthIt = entries.contains { $0.description != nil }
    return isWorthIt && entries.count <= Self.hintLimit ? text : ""
  }

  /// What `headway list` shows: the tasks, and then the variables.
  var textWithVariables: String {
    guard !definitions.isEmpty else { return text }
    let lines = definitions.map { definition in
      let value =
        definition.standard.map { "\(definition.name)=\(Self.shortened($0))" } ?? definition.name
      return (
        value: value,
        words: [
          definition.summary,
          definition.values.isEmpty ? nil : "(\(definition.values.joined(separator: ", ")))",
          definition.standard == nil ? "(required)" : nil,
        ].compactMap { $0 }.joined(separator: " ")
      )
    }
    let width = min(lines.map { TextWidth.columns(of: $0.value) }.max() ?? 0, Self.nameWidth)
    let variables = lines.map { line in
      let padding = String(repeating: " ", count: max(0, width - TextWidth.columns(of: line.value)))
      return "  \(line.value)\(line.words.isEmpty ? "" : "\(padding)  \(line.words)")".sanitized
        + "\n"
    }
    return "\(text)\nVariables:\n\(variables.joined())"
  }

  /// The first line of a text, or its beginning.
  private static func shortened(_ text: String) -> String {
    let line = text.prefix(valueWidth).prefix { !$0.isNewline }
    return line.endIndex < text.endIndex ? "\(line)…" : text
  }

  /// A line of JSON for each task, with `task`, and `description`, `after` and `variants` where there are any, and then one for
  /// each variable, with `variable`, `default` or `required`, and `values` and `description` where there are any.
  var json: String {
    var line = JSONLine(names: [])
    for entry in entries {
      line.begin()
      line.add(.task, text: entry.name)
      if let description = entry.description { line.add(named: "description", text: description) }
      if !entry.after.isEmpty { line.add(named: "after", texts: entry.after) }
      if !entry.variants.isEmpty { line.add(named: "variants", texts: entry.variants) }
      line.end()
      line.bytes.append(UInt8(ascii: "\n"))
    }
    for definition in definitions {
      line.begin()
      line.add(named: "variable", text: definition.name)
      if let standard = definition.standard {
        line.add(named: "default", text: standard)
      } else {
        line.add(named: "required", flag: true)
      }
      if !definition.values.isEmpty { line.add(named: "values", texts: definition.values) }
      if let text = definition.description { line.add(named: "description", text: text) }
      line.end()
      line.bytes.append(UInt8(ascii: "\n"))
    }
    return String(decoding: line.bytes, as: UTF8.self)
  }
}

extension Plan.Definition {
  /// The first line of the description.
  var summary: String? { description.flatMap { $0.split(separator: "\n").first.map(String.init) } }
}
