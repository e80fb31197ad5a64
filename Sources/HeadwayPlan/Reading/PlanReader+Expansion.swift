internal import HeadwayFiles
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
    var expansion = Expansion(template: template, arguments: given.arguments)
    if fields.command || needsExpansion(fields) {
      task.command = task.command.map { expansion.command($0) }
      report(&expansion, at: draft.commandNode)
      if let condition = task.condition {
        task.condition = expansion.condition(condition)
        report(&expansion, at: draft.conditionNode)
      }
      if let service = task.service {
        task.service = expansion.service(service)
        report(&expansion, at: draft.serviceNode)
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
    report(&expansion, at: draft.node)
    if definitions.hasMissing {
      for name in task.environmentInputs { expansion.find(name, in: definitions) }
    }
    task.needed = expansion.needed
    task.usesArguments = expansion.usesArguments
    expandedBytes += expansion.bytes
  }

  /// Reports what cannot be put into the texts of a task.
  private mutating func report(_ expansion: inout Expansion, at node: Int) {
    if expansion.hasLostArguments {
      diagnose(
        node,
        "{args} stands for several arguments, so it must be an entry of a list in \"run\" or \"when\"; {{args} is the text itself"
      )
    }
    if let bytes = expansion.tooLong {
      diagnose(
        node,
        "with the values put in, a text has \(grouped(bytes)) bytes; Linux passes at most "
          + "\(grouped(PlanLimits.variableBytes - 1)) to a program, so put the text into a file")
    }
    (expansion.hasLostArguments, expansion.tooLong) = (false, nil)
  }
}

/// Puts values into the texts of one task.
private struct Expansion {
  let template: Template
  /// The arguments of the command line.
  let arguments: [String]
  /// Whether `{args}` is where no several arguments can be.
  var hasLostArguments = false
  /// The bytes of a text that is too long for a program.
  var tooLong: Int?
  /// The variable that must be given.
  var needed: String?
  /// Whether the arguments are used.
  var usesArguments = false
  /// The bytes that were created.
  var bytes = 0

  init(template: Template, arguments: [String]) {
    (self.template, self.arguments) = (template, arguments)
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
    switch command {
    case .shell(let text): return .shell(shellText(text))
    case .program(let words):
      return .program(
        words.flatMap { word in
          guard word == "{\(Template.arguments)}" else { return [text(word)] }
          usesArguments = true
          return arguments
        })
    }
  }

  /// Returns a text for the shell, in which only doubled braces are replaced; values in it are reported as errors.
  private mutating func shellText(_ text: String) -> String {
    if !arguments.isEmpty, ShellVariables.namesArguments(text) { usesArguments = true }
    if template.definitions.hasMissing {
      for name in ShellVariables.names(in: [text]).sorted() { find(name, in: template.definitions) }
    }
    guard Template.hasBraces(text) else { return text }
    let result = template.replaced(text) { _ in nil }
    count(result)
    return result
  }

  /// Finds a name of the environment that is a variable without a value.
  mutating func find(_ name: String, in definitions: VariableTable) {
    guard let definition = definitions[name], definition.value == nil else { return }
    needed = needed ?? definition.needed
  }
}
