// Conditions of tasks, and the commands that run after all tasks.

internal import HeadwayRun
internal import HeadwayText

extension PlanReader {
  static let conditionKeys = ["equal", "not_equal"]

  /// Reads a condition: a command, or a map with a comparison.
  mutating func condition(_ entry: Entry, into draft: inout TaskDraft) -> Plan.Condition? {
    guard tree.nodes[entry.value].kind == .map else {
      return command(entry, into: &draft).map { .command($0) }
    }
    let example = "when: { equal: [\"{mode}\", release] }"
    let before = diagnostics.count
    let parts = entries(of: entry.value, "\"when\"", example: example) ?? []
    var found: [Plan.Condition] = []
    for part in parts {
      guard Self.conditionKeys.contains(part.name) else {
        diagnoseUnknownKey(part, of: "\"when\"", known: Self.conditionKeys)
        continue
      }
      guard let (first, second) = twoTexts(part) else { continue }
      found.append(part.name == "equal" ? .equal(first, second) : .notEqual(first, second))
    }
    if found.count != 1, diagnostics.count == before, !tree.isTruncated {
      diagnose(entry.value, "\"when\" needs one comparison, as in \(example)")
    }
    return found.first
  }

  /// Reads the two texts of a comparison, which may be empty.
  private mutating func twoTexts(_ entry: Entry) -> (String, String)? {
    let before = diagnostics.count
    var texts: [String] = []
    if tree.nodes[entry.value].kind == .list {
      for node in tree.children(of: entry.value) {
        if let text = text(node, "an entry of \(quoted(entry.name))") { texts.append(text) }
      }
    }
    guard diagnostics.count == before else { return nil }
    guard texts.count == 2 else {
      diagnose(
        entry.value,
        "\(quoted(entry.name)) compares two values, as in \(entry.name): [\"{mode}\", release]")
      return nil
    }
    return (texts[0], texts[1])
  }

  static let hookKeys = ["run", "env", "dir", "shell", "timeout"]

  /// Adds `on_failure` and `on_end` of the plan, which depend on everything else.
  ///
  /// Those of an included file belong to that plan alone.
  mutating func addHooks(_ entries: [Entry]) {
    let own = Set(tasks.lazy.map(\.base))
    for hook in PlanHook.allCases {
      guard let entry = entries.first(where: { $0.name == hook.rawValue }) else { continue }
      if own.contains(entry.name) {
        diagnose(
          entry.key,
          "the plan has \(quoted(entry.name)) and a task of that name; rename the task")
      }
      var task = hookTask(entry)
      task.hook = hook
      task.isAlways = true
      guard inclusion.chain.count == 1 else { continue }
      task.after = Array(tasks.indices)
      // It rarely runs, so the forecast does not count it until it has run.
      if hook == .onFailure { task.expect = .milliseconds(1) }
      tasks.append(task)
      origins.append(Origin(node: Int32(entry.key), dependencies: nil))
    }
  }

  /// Puts the values of variables into a task without a matrix.
  private mutating func expanded(_ draft: borrowing TaskDraft) -> Plan.Task {
    var task = draft.task
    let fields = TemplateFields(draft)
    diagnoseValues(in: draft)
    if needsExpansion(fields) {
      expand(&task, fields, of: draft, with: Template(definitions: definitions))
    }
    return task
  }

  /// Reads a command of the plan itself: a command, or a map.
  private mutating func hookTask(_ entry: Entry) -> Plan.Task {
    var draft = TaskDraft(
      name: entry.name, node: entry.key, line: Int(tree.nodes[entry.key].line), defaults: defaults)
    draft.task.retryLimit = 0
    guard tree.nodes[entry.value].kind == .map else {
      draft.task.command = command(entry, into: &draft)
      draft.commandNode = entry.value
      return expanded(draft)
    }
    let what = quoted(entry.name)
    for part in entries(of: entry.value, what, example: "\(entry.name): { run: ./notify }") ?? [] {
      if Self.hookKeys.contains(part.name) {
        readField(part, into: &draft)
      } else {
        diagnoseUnknownKey(part, of: what, known: Self.hookKeys)
      }
    }
    if draft.task.command == nil, diagnostics.count == 0, !tree.isTruncated {
      diagnose(entry.key, "\(what) needs \"run\", as in \(entry.name): { run: ./notify }")
    }
    return expanded(draft)
  }
}
