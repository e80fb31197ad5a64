internal import HeadwayText

extension PlanReader {
  /// Whether something in a task without a matrix depends on variables or arguments.
  func needsExpansion(_ fields: TemplateFields) -> Bool {
    fields.any || definitions.hasMissing || !given.arguments.isEmpty
  }

  /// Puts values into the fields of a task, and finds out what it needs of the command line.
  mutating func expand(
    _ task: inout Plan.Task, _ fields: TemplateFields, of draft: borrowing TaskDraft,
    with template: Template
  ) {
    var expansion = Expansion(template: template, arguments: given.arguments, shell: task.shell)
    if fields.command || needsExpansion(fields) {
      task.command = task.command.map { expansion.command($0) }
      report(&expansion, at: draft.commandNode, "run")
      if let condition = task.condition {
        task.condition = expansion.condition(condition)
        report(&expansion, at: draft.conditionNode, "when")
      }
      if let service = task.service {
        task.service = expansion.service(service)
        report(&expansion, at: draft.serviceNode, "run")
      }
    }
    if fields.environment {
      task.environment = task.environment.map {
        Plan.Variable(name: $0.name, value: expansion.text($0.value))
      }
    }
    if fields.directory { task.directory = task.directory.map { expansion.text($0) } }
    if fields.inputs { task.inputs = task.inputs.map { expansion.pattern($0) } }
    if fields.outputs { task.outputs = task.outputs.map { expansion.pattern($0) } }
    report(&expansion, at: draft.node, nil)
    if definitions.hasMissing {
      for name in task.environmentInputs { expansion.find(name, in: definitions) }
    }
    task.needed = expansion.needed
    task.usesArguments = expansion.usesArguments
    expandedBytes += expansion.bytes
  }

  /// Reports what cannot be put into a command.
  private mutating func report(_ expansion: inout Expansion, at node: Int, _ field: String?) {
    if let key = expansion.unsafe, let value = key.value, let field {
      let advice = Plan.isExported(key.name) ? "write \"$\(key.name)\" in its place, or " : "write "
      diagnose(
        node,
        "the shell would read the value \(quoted(value)) of \(quoted(key.name)) as more than a word; \(advice)"
          + "a list in place of the text, as in \(field): [echo, \"{\(key.name)}\"]")
    }
    if expansion.hasLostArguments {
      diagnose(
        node,
        field == nil || !expansion.isText
          ? "{args} stands for several arguments, so it must be an entry of a list in \"run\" or \"when\"; {{args} is the text itself"
          : "{args} is for lists only, as in [echo, \"{args}\"]; write \"$@\" here, or {{args} for the text itself"
      )
    }
    if let bytes = expansion.tooLong {
      diagnose(
        node,
        "with the values put in, a text has \(grouped(bytes)) bytes; Linux passes at most "
          + "\(grouped(PlanLimits.variableBytes - 1)) to a program, so put the text into a file")
    }
    (expansion.unsafe, expansion.hasLostArguments, expansion.tooLong) = (nil, false, nil)
  }
}

/// Puts values into the texts of one task.
private struct Expansion {
  let template: Template
  /// The arguments of the command line.
  let arguments: [String]
  /// The shell of the task, nil for `sh`.
  let shell: [String]?
  /// The first key whose value a shell would read.
  var unsafe: Template.Key?
  /// Whether `{args}` is where no several arguments can be.
  var hasLostArguments = false
  /// Whether that is in a text for the shell.
  var isText = false
  /// The bytes of a text that is too long for a program.
  var tooLong: Int?
  /// The variable that must be given.
  var needed: String?
  /// Whether the arguments are used.
  var usesArguments = false
  /// The bytes that were created.
  var bytes = 0

  init(template: Template, arguments: [String], shell: [String]?) {
    (self.template, self.arguments, self.shell) = (template, arguments, shell)
  }

  /// Returns a text with the values in it, whatever they hold.
  mutating func text(_ text: String) -> String { replaced(text) { $0 } }

  /// Returns a pattern in which a value matches itself only.
  mutating func pattern(_ text: String) -> String { replaced(text) { $0.escapedForPattern } }

  private mutating func replaced(_ text: String, _ form: (String) -> String) -> String {
    guard Template.hasBraces(text) else { return text }
    var (needed, isLost) = (needed, hasLostArguments)
    let result = template.replaced(text) { key in
      if key.isArguments { isLost = true }
      if key.value == nil { needed = needed ?? key.needed }
      return key.value.map(form)
    }
    (self.needed, hasLostArguments) = (needed, isLost)
    count(result)
    return result
  }

  private mutating func count(_ text: String) {
    // With the storage of a string.
    bytes += text.utf8.count + 16
    if text.utf8.count >= PlanLimits.variableBytes { tooLong = text.utf8.count }
  }

  /// Returns a service with the values in what tells that it is ready.
  mutating func service(_ service: Plan.Service) -> Plan.Service {
    var service = service
    switch service.readiness {
    case .start, .notification: break
    case .command(let command): service.readiness = .command(self.command(command))
    case .port(let number): service.readiness = .port(text(number))
    case .output(let line): service.readiness = .output(text(line))
    case .file(let path): service.readiness = .file(text(path))
    }
    return service
  }

  /// Returns a condition with the values in it.
  mutating func condition(_ condition: Plan.Condition) -> Plan.Condition {
    switch condition {
    case .command(let command): .command(self.command(command))
    case .equal(let first, let second): .equal(text(first), text(second))
    case .notEqual(let first, let second): .notEqual(text(first), text(second))
    }
  }

  /// Returns a command with the values in it.
  mutating func command(_ command: Plan.Command) -> Plan.Command {
    isText = false
    switch command {
    case .shell(let line): return shellCommand(line)
    case .program(let words):
      return .program(
        words.flatMap { word in
          guard word == "{\(Template.arguments)}" else { return [text(word)] }
          usesArguments = true
          return arguments
        })
    }
  }

  /// Returns a command line with the values in it: as a text if no shell reads more than words in them, otherwise as a program
  /// and its arguments.
  ///
  /// A value that a shell would read as more than a word is not put into its text. That depends on the characters of the value,
  /// and for some values on their place. Whether the line needs a shell does not depend on the values.
  private mutating func shellCommand(_ line: String) -> Plan.Command {
    isText = true
    if !arguments.isEmpty, ShellVariables.namesArguments(line) { usesArguments = true }
    if template.definitions.hasMissing {
      for name in ShellVariables.names(in: [line]).sorted() { find(name, in: template.definitions) }
    }
    guard Template.hasBraces(line) else { return .shell(line) }
    var special: Template.Key?
    _ = template.replaced(line) { key in
      if let value = key.value, !PlainCommand.isPlainWord(value) { special = special ?? key }
      return nil
    }
    // Keys are plain words here, so blanks separate words as before.
    let needsShell =
      shell != nil || PlainCommand.split(template.replaced(line) { _ in "x" }) == nil
    if needsShell, special != nil {
      unsafe = special
      return .shell(line)
    }
    if needsShell, PlainCommand.isShell(shell) {
      unsafe = firstMisread(in: line)
      if unsafe != nil { return .shell(line) }
    }
    let expanded = text(line)
    // A value can also be a word of the shell's own, or an assignment.
    if needsShell || (special == nil && PlainCommand.split(expanded) != nil) {
      return .shell(expanded)
    }
    return .program(
      line.split(whereSeparator: { $0 == " " || $0 == "\t" }).map { text(String($0)) })
  }

  /// The first key whose value a shell would read as part of its grammar because of its place.
  private func firstMisread(in line: String) -> Template.Key? {
    var (keys, ranges): ([Template.Key], [Range<Int>]) = ([], [])
    let expanded = template.replaced(line) { key, place in
      guard let value = key.value else { return nil }
      keys.append(key)
      ranges.append(place..<place + value.utf8.count)
      return value
    }
    return ValuePlaces.firstMisread(in: expanded, values: ranges).map { keys[$0] }
  }

  /// Finds a name of the environment that is a variable without a value.
  mutating func find(_ name: String, in definitions: VariableTable) {
    guard let definition = definitions[name], definition.value == nil else { return }
    needed = needed ?? definition.needed
  }
}
