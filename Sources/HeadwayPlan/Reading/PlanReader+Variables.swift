internal import HeadwayText

extension PlanReader {
  static let definitionKeys = ["default", "required", "values", "description"]

  /// Whether a text can stand in braces: it has 1 to `PlanLimits.nameBytes` letters, digits, `_` and `-`.
  static func isKey(_ text: some StringProtocol) -> Bool {
    (1...PlanLimits.nameBytes).contains(text.utf8.count) && text.utf8.allSatisfy(isPartOfKey)
  }

  /// Whether a byte can be part of a name in braces.
  static func isPartOfKey(_ byte: UInt8) -> Bool {
    switch Unicode.Scalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  /// Reads the variables, before anything that can name them.
  mutating func readDefinitions(_ plan: [Entry]) {
    if inclusion.chain.count == 1, !given.settings.isEmpty {
      removeTasksFromSettings(plan.first { $0.name == "tasks" })
    }
    guard let entry = plan.first(where: { $0.name == "vars" }) else { return }
    let entries = entries(of: entry.value, "\"vars\"", example: "vars: { LEVEL: 2 }") ?? []
    let settings = Dictionary(
      given.settings.lazy.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    var names = VariableTable()
    for part in entries { _ = names.add(Plan.Definition(name: part.name)) }
    var bytes = 0
    for part in entries {
      checkDefinitionName(part)
      var definition = definition(part)
      let before = diagnostics.count
      if let standard = definition.standard {
        let (value, needed) = expandedDefault(standard, of: part, among: names)
        (definition.value, definition.needed) = (value, needed ?? part.name)
        if let value, diagnostics.count == before,
          let problem = definition.problem(with: value, hiding: hide)
        {
          diagnose(part.value, problem)
        }
      }
      if let value = settings[part.name], definition.problem(with: value) == nil {
        definition.value = value
      }
      bytes += (definition.value?.utf8.count ?? 0) + part.name.utf8.count + 2
      _ = definitions.add(definition)
    }
    allDefinitions = definitions
    guard bytes > PlanLimits.variablesBytes else { return }
    diagnose(
      entry.key,
      "the variables have more than \(PlanLimits.variablesBytes >> 20) MiB in all, too much for the environment of a program; put data into files"
    )
  }

  /// Removes words of the command line that are names of tasks.
  private mutating func removeTasksFromSettings(_ tasks: Entry?) {
    guard let tasks, tree.nodes[tasks.value].kind == .map else { return }
    var names: Set<String> = []
    for (index, node) in tree.children(of: tasks.value).enumerated()
    where index.isMultiple(of: 2) && tree.isText(node) { names.insert(tree.string(node)) }
    given.settings.removeAll { names.contains($0.word) }
  }

  /// Reports a name that cannot be used in braces.
  private mutating func checkDefinitionName(_ part: Entry) {
    if part.name == Template.arguments { return diagnoseArguments(part) }
    guard !Self.isKey(part.name) else { return }
    diagnose(
      part.key,
      "invalid variable \(quoted(part.name)); its name has 1 to \(PlanLimits.nameBytes) letters, digits, \"_\" or \"-\""
    )
  }

  /// Reports a name that stands for the arguments of the command line.
  mutating func diagnoseArguments(_ part: Entry) {
    diagnose(
      part.key,
      "\"args\" stands for the arguments after \"--\" on the command line; use another name")
  }

  /// Reads a definition: a default, or a map.
  private mutating func definition(_ part: Entry) -> Plan.Definition {
    var definition = Plan.Definition(name: part.name)
    guard tree.nodes[part.value].kind == .map else {
      definition.standard = defaultText(part)
      return definition
    }
    let what = "variable \(quoted(part.name))"
    let before = diagnostics.count
    var isRequired = false
    let example = "\(part.name.prefix(40)): { default: 2, description: how much }"
    for field in entries(of: part.value, what, example: example) ?? [] {
      switch field.name {
      case "default": definition.standard = defaultText(field)
      case "required": isRequired = boolean(field)
      case "values": definition.values = allowedValues(field)
      case "description": definition.description = fullText(field.value, "\"description\"")
      default: diagnoseUnknownKey(field, of: "a variable", known: Self.definitionKeys)
      }
    }
    guard diagnostics.count == before, !tree.isTruncated else {
      definition.standard = definition.standard ?? ""
      definition.values = []
      return definition
    }
    if isRequired == (definition.standard != nil) {
      diagnose(
        part.key,
        isRequired
          ? "\(what) is required, so its default is never used; remove one"
          : "\(what) needs a \"default\", or required: true")
    }
    return definition
  }

  /// Reads a default, which may be empty.
  private mutating func defaultText(_ part: Entry) -> String {
    if tree.isNull(part.value) { return "" }
    return text(part.value, "the default of \(quoted(part.name))") ?? ""
  }

  /// Reads the values that a variable may have.
  private mutating func allowedValues(_ field: Entry) -> [String] {
    guard tree.nodes[field.value].kind == .list else {
      if tree.nodes[field.value].kind != .missing {
        diagnose(field.value, "\"values\" must be a list, such as values: [debug, release]")
      }
      return []
    }
    let before = diagnostics.count
    let values = tree.children(of: field.value).compactMap { text($0, "an entry of \"values\"") }
    if values.isEmpty, diagnostics.count == before, !tree.isTruncated {
      diagnose(field.value, "\"values\" is empty; add at least one value or remove it")
    }
    return values
  }

  /// Puts the values of variables that are defined before it into a default.
  ///
  /// - Returns: The value, or the variable that must be given for it to have one.
  private mutating func expandedDefault(
    _ text: String, of part: Entry, among names: VariableTable
  ) -> (value: String?, needed: String?) {
    var needed: String?
    var isLost = false
    let value = Template(definitions: definitions).replaced(text) { key in
      if key.isArguments { isLost = true }
      if key.value == nil { needed = needed ?? key.needed }
      return key.value
    }
    if isLost {
      diagnose(part.value, "{args} cannot be part of a variable; {{args} is the text itself")
    }
    // Others are itself and those that come later.
    var later: String?
    _ = Template(definitions: names).replaced(text) { key in
      if !key.isArguments, definitions[key.name] == nil { later = later ?? key.name }
      return nil
    }
    if let later {
      diagnose(
        part.value,
        later == part.name
          ? "the default of \(quoted(later)) names itself; {{\(later.prefix(40))} is the text itself"
          : "the default of \(quoted(part.name)) names \(quoted(later)), which is defined later; move that before it"
      )
    }
    return (needed == nil ? value : nil, needed)
  }

  /// Reports variables that are secrets, because their values are in the plan or on the command line.
  mutating func checkSecretDefinitions(at entry: Entry?) {
    guard let entry, !allDefinitions.all.isEmpty else { return }
    for name in secrets where allDefinitions[name] != nil {
      diagnose(
        secretNodes[name] ?? entry.key,
        "the secret \(quoted(name)) is also a variable; remove it from \"vars\", because a value in a plan or on a command line is no secret"
      )
    }
  }
}
