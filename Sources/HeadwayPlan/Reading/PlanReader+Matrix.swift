internal import HeadwayText

extension PlanReader {
  /// Reads the keys of a matrix and their values.
  mutating func readMatrix(_ entry: Entry, into draft: inout TaskDraft) {
    let before = diagnostics.count
    let example = "matrix: { variant: [debug, release] }"
    let axes = entries(of: entry.value, "\"matrix\"", example: example) ?? []
    if axes.isEmpty, diagnostics.count == before, !tree.isTruncated {
      diagnose(entry.key, "\"matrix\" needs at least one key with values, such as \(example)")
    }
    if axes.count > PlanLimits.matrixKeys {
      diagnose(
        entry.key,
        "too many matrix keys: \(grouped(axes.count)); the maximum is \(PlanLimits.matrixKeys)")
    }
    for axis in axes.prefix(PlanLimits.matrixKeys) {
      checkMatrixKey(axis)
      draft.axes.append(TaskDraft.Axis(key: axis.name, values: matrixValues(axis)))
    }
    if diagnostics.count == before, draft.combinations > PlanLimits.combinations {
      diagnose(
        entry.key,
        "the matrix has more than \(grouped(PlanLimits.combinations)) combinations; split the task or use fewer values"
      )
    }
    draft.isMatrixBroken = diagnostics.count > before || tree.isTruncated
  }

  /// Reports a matrix key that cannot be used in braces.
  private mutating func checkMatrixKey(_ axis: Entry) {
    let isWord = axis.name.unicodeScalars.allSatisfy {
      $0.isASCII && $0.properties.isAlphabetic || "0123456789_-".unicodeScalars.contains($0)
    }
    guard !isWord || !(1...PlanLimits.nameBytes).contains(axis.name.utf8.count) else { return }
    diagnose(
      axis.key,
      "invalid matrix key \(quoted(axis.name)); a key has 1 to \(PlanLimits.nameBytes) letters, digits, \"_\" or \"-\""
    )
  }

  /// Reads the values of a matrix key.
  private mutating func matrixValues(_ axis: Entry) -> [String] {
    guard tree.nodes[axis.value].kind == .list else {
      guard tree.nodes[axis.value].kind != .missing else { return [] }
      diagnose(
        axis.value,
        "the values of \(quoted(axis.name)) must be a list, such as \(axis.name.prefix(40)): [debug, release]"
      )
      return []
    }
    var values: [String] = []
    var seen: Set<String> = []
    let before = diagnostics.count
    for node in tree.children(of: axis.value) {
      guard let value = fullText(node, "a value of \(quoted(axis.name))") else { continue }
      checkMatrixValue(node, value)
      if seen.insert(value).inserted {
        values.append(value)
      } else {
        diagnose(node, "duplicate value \(quoted(value)) in \(quoted(axis.name))")
      }
    }
    if values.isEmpty, diagnostics.count == before, !tree.isTruncated {
      diagnose(axis.value, "\(quoted(axis.name)) has no values; add at least one")
    }
    return values
  }

  /// Reports a matrix value that cannot be part of a task's name.
  private mutating func checkMatrixValue(_ node: Int, _ value: String) {
    guard !hasNameCharacters(value) || value.utf8.count > PlanLimits.nameBytes else { return }
    diagnose(
      node,
      "invalid matrix value \(quoted(value)); a value is part of the task's name, so it has at most "
        + "\(PlanLimits.nameBytes) bytes and contains no [ ] { } , and no control or invisible characters"
    )
  }

  /// Adds the tasks of a draft: one, or one for each combination of its matrix.
  mutating func expand(_ draft: consuming TaskDraft) {
    let node = draft.node
    guard !draft.isMatrixBroken else {
      // The task exists, but its variants are unknown.
      knowsTasks = false
      return append(draft.task, at: node, dependencies: nil)
    }
    let fields = TemplateFields(draft)
    guard !draft.axes.isEmpty || fields.any else {
      let names = draft.after.map { addDependencies($0) }
      return append(draft.task, at: node, dependencies: names)
    }
    let shared = fields.after ? nil : draft.after.map { addDependencies($0) }
    for combination in 0..<draft.combinations {
      let template = Template(keys: draft.axes.map(\.key), values: draft.values(of: combination))
      var task = draft.task
      if !draft.axes.isEmpty { task.name += "[\(template.values.joined(separator: ","))]" }
      expandedBytes += fields.expand(&task, with: template)
      var names = shared
      if fields.after, let after = draft.after {
        let expanded = after.map { Dependency(name: template.expanded($0.name), node: $0.node) }
        expandedBytes += expanded.reduce(0) { $0 + $1.name.utf8.count + 16 }
        names = addDependencies(expanded)
      }
      append(task, at: node, dependencies: names)
      guard expandedBytes <= PlanLimits.expandedBytes else {
        diagnose(
          node,
          "the matrices expand to more than \(PlanLimits.expandedBytes >> 20) MiB of text; use fewer values or shorter texts"
        )
        knowsTasks = false
        return
      }
      guard tasks.count <= PlanLimits.tasks else { return }
    }
  }

  /// Adds a list of dependencies and returns its index.
  private mutating func addDependencies(_ list: [Dependency]) -> Int32 {
    dependencies.append(list)
    return Int32(dependencies.count - 1)
  }

  private mutating func append(
    _ task: consuming Plan.Task, at node: Int, dependencies: Int32?
  ) {
    checkPort(task, at: node)
    tasks.append(task)
    origins.append(Origin(node: Int32(node), dependencies: dependencies))
  }
}
