internal import HeadwayFiles
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
      let values = matrixValues(axis)
      let labels = VariantLabel.texts(for: values)
      if Set(labels).count < labels.count {
        diagnose(axis.key, "two values of \(quoted(axis.name)) would have the same name")
      }
      draft.axes.append(TaskDraft.Axis(key: axis.name, values: values, labels: labels))
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
    if axis.name == Template.arguments { return diagnoseArguments(axis) }
    if definitions[axis.name] != nil {
      return diagnose(
        axis.key,
        "\(quoted(axis.name)) is a key of the matrix and a variable of the plan; rename one")
    }
    guard !Self.isKey(axis.name) else { return }
    diagnose(
      axis.key,
      "invalid matrix key \(quoted(axis.name)); a key has 1 to \(PlanLimits.nameBytes) letters, digits, \"_\" or \"-\""
    )
  }

  /// Reads the values of a matrix key.
  private mutating func matrixValues(_ axis: Entry) -> [String] {
    if tree.nodes[axis.value].kind == .map { return matchingFiles(axis) }
    guard tree.nodes[axis.value].kind == .list else {
      guard tree.nodes[axis.value].kind != .missing else { return [] }
      diagnose(
        axis.value,
        "the values of \(quoted(axis.name)) must be a list, such as \(axis.name.prefix(40)): [debug, release], or files: { glob: \"*.png\" }"
      )
      return []
    }
    var values: [String] = []
    var seen: Set<ExactText> = []
    let before = diagnostics.count
    for node in tree.children(of: axis.value) {
      let what = "a value of \(quoted(axis.name))"
      // Quoted, it may be empty.
      let isQuoted = tree.nodes[node].kind == .quoted
      guard let value = isQuoted ? text(node, what) : fullText(node, what) else { continue }
      checkMatrixValue(node, value, of: axis)
      if seen.insert(ExactText(value)).inserted {
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

  /// Reports a matrix value that is too long for a program.
  private mutating func checkMatrixValue(_ node: Int, _ value: String, of axis: Entry) {
    guard let problem = Plan.Definition(name: axis.name).problem(with: value + " ") else { return }
    diagnose(node, problem)
  }

  static let globKeys = ["glob"]

  /// Finds the files that are the values of a matrix key.
  private mutating func matchingFiles(_ axis: Entry) -> [String] {
    let before = diagnostics.count
    let example = "\(axis.name.prefix(40)): { glob: \"*.png\" }"
    var patterns: [(text: String, node: Int)] = []
    for field in entries(of: axis.value, quoted(axis.name), example: example) ?? [] {
      if field.name == "glob" {
        patterns += texts(field)
      } else {
        diagnoseUnknownKey(field, of: quoted(axis.name), known: Self.globKeys)
      }
    }
    if patterns.isEmpty, diagnostics.count == before, !tree.isTruncated {
      diagnose(axis.value, "\(quoted(axis.name)) needs a pattern, as in \(example)")
    }
    var files: [String] = []
    var seen: Set<ExactText> = []
    for pattern in patterns {
      for file in self.files(matching: pattern.text, pattern.node)
      where seen.insert(ExactText(file)).inserted { files.append(file) }
    }
    return files
  }

  /// Finds the files that match a pattern, and reports if there are none or too many.
  private mutating func files(matching pattern: String, _ node: Int) -> [String] {
    var isComplete = true
    let template = Template(definitions: definitions)
    let text = template.replaced(pattern) { key in
      if key.value == nil { isComplete = false }
      return key.value?.escapedForPattern
    }
    // Which files it means is known once the variable is given.
    guard isComplete else { return [pattern] }
    let shown = hide(text)
    if text.isPatternOfAllFiles {
      diagnoseAllFiles(text, node)
      return []
    }
    let folder = inclusion.base
    let places: any PlanSources =
      folder.isEmpty ? planSources : IncludedSources(plan: planSources, folder: folder)
    do {
      let files = try places.files(matching: text)
      if files.isEmpty {
        diagnose(
          node,
          "no file matches \(quoted(shown)); patterns are relative to the folder of the plan, and the files must be there before the run"
        )
      } else if files.count > PlanLimits.combinations {
        diagnose(
          node,
          "\(quoted(shown)) matches \(grouped(files.count)) files, and a matrix has at most "
            + "\(grouped(PlanLimits.combinations)) combinations; use narrower patterns, or one task that handles many files"
        )
        return []
      }
      if files.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }) {
        diagnose(
          node, "a file that matches \(quoted(shown)) has a name that is not UTF-8; rename it")
      }
      return files
    } catch {
      diagnose(node, "\(quoted(shown)) \(error.reason); use a narrower pattern")
      return []
    }
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
    diagnoseValues(in: draft)
    guard !draft.axes.isEmpty || needsExpansion(fields) else {
      let names = draft.after.map { addDependencies($0) }
      return append(draft.task, at: node, dependencies: names)
    }
    let shared = fields.after ? nil : draft.after.map { addDependencies($0) }
    let exported = exportedKeys(of: draft)
    let before = diagnostics.count
    var template = Template(keys: draft.axes.map(\.key), definitions: definitions)
    for combination in 0..<draft.combinations {
      let choices = draft.choices(of: combination)
      template.values = zip(draft.axes, choices).map { $0.values[$1] }
      var task = draft.task
      let labels = zip(draft.axes, choices).map { $0.labels[$1] }
      if !draft.axes.isEmpty {
        task.name += "[\(labels.joined(separator: ","))]"
      }
      expand(&task, fields, of: draft, with: template)
      if !exported.isEmpty {
        task.environment =
          exported.map { Plan.Variable(name: template.keys[$0], value: template.values[$0]) }
          + task.environment
      }
      var names = shared
      if fields.after, let after = draft.after {
        let expanded = after.map { name in
          func replaced(_ form: (String) -> String) -> String {
            template.replaced(name.name) { key in
              if key.value == nil { task.needed = task.needed ?? key.needed }
              let axis = template.keys.firstIndex(of: key.name)
              return axis.map { labels[$0] } ?? key.value.map(form)
            }
          }
          return Dependency(
            name: replaced { VariantLabel.text(for: $0) },
            shown: hidesSecrets ? replaced { VariantLabel.text(for: hide($0)) } : nil,
            node: name.node)
        }
        expandedBytes += expanded.reduce(0) { $0 + $1.name.utf8.count + 16 }
        names = addDependencies(expanded)
      }
      append(task, at: node, dependencies: names)
      guard diagnostics.count == before else {
        // The other variants would have the same error.
        knowsTasks = false
        return
      }
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

  /// Returns the keys of a matrix that are environment variables, too; `env` wins over them.
  private func exportedKeys(of draft: borrowing TaskDraft) -> [Int] {
    guard !draft.axes.isEmpty else { return [] }
    let own = Set(draft.task.environment.lazy.map(\.name))
    return draft.axes.indices.filter {
      Plan.isExported(draft.axes[$0].key) && !own.contains(draft.axes[$0].key)
    }
  }

  /// Adds a list of dependencies and returns its index.
  private mutating func addDependencies(_ list: [Dependency]) -> Int32 {
    dependencies.append(list)
    return Int32(dependencies.count - 1)
  }

  /// Reports a pattern that would lead through the whole machine, such as one with an empty variable before its slash.
  private mutating func checkPatterns(_ task: borrowing Plan.Task, at node: Int) {
    for pattern in task.inputs + task.outputs where pattern.isPatternOfAllFiles {
      diagnoseAllFiles(pattern, node, of: " of task \(quoted(task.name))")
    }
  }

  private mutating func diagnoseAllFiles(_ pattern: String, _ node: Int, of task: String = "") {
    let shown = hide(pattern)
    diagnose(
      node,
      "the pattern \(quoted(shown))\(task) stands for all files of this machine; write \".\" for those of the plan's folder, or name a folder"
    )
  }

  private mutating func append(
    _ task: consuming Plan.Task, at node: Int, dependencies: Int32?
  ) {
    checkPort(task, at: node)
    checkPatterns(task, at: node)
    tasks.append(task)
    origins.append(Origin(node: Int32(node), dependencies: dependencies))
  }
}
