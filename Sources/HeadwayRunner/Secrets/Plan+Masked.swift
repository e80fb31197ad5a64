internal import HeadwayPlan
internal import HeadwayState

// What may be shown of a plan. The names of tasks and of the plan stay, because they are those of files and of records.

extension Plan {
  /// The plan without secrets, of which everything is made that is shown of it.
  ///
  /// - Complexity: O(bytes of the plan).
  func masked(by mask: SecretMask) -> Plan {
    var plan = self
    plan.arguments = arguments.map { mask.masked($0) }
    plan.dotenv = dotenv.map { $0.masked(by: mask) }
    for index in plan.tasks.indices { plan.tasks[index].hideSecrets(by: mask) }
    return plan
  }
}

extension Plan.Task {
  fileprivate mutating func hideSecrets(by mask: SecretMask) {
    command = command?.masked(by: mask)
    environment = environment.map { $0.masked(by: mask) }
    inputs = inputs.map { mask.masked($0) }
    outputs = outputs.map { mask.masked($0) }
    kind = kind.map { mask.masked($0) }
    if let text = description { description = mask.masked(text) }
    if let words = shell { shell = words.map { mask.masked($0) } }
    if let path = directory { directory = mask.masked(path) }
    if let old = condition { condition = old.masked(by: mask) }
    if let old = service { service?.readiness = old.readiness.masked(by: mask) }
  }
}

extension Plan.Variable {
  fileprivate func masked(by mask: SecretMask) -> Plan.Variable {
    var variable = self
    variable.value = mask.masked(value)
    return variable
  }
}

extension Plan.Command {
  fileprivate func masked(by mask: SecretMask) -> Plan.Command {
    switch self {
    case .shell(let text): .shell(mask.masked(text))
    case .program(let words): .program(words.map { mask.masked($0) })
    }
  }
}

extension Plan.Condition {
  fileprivate func masked(by mask: SecretMask) -> Plan.Condition {
    switch self {
    case .command(let command): .command(command.masked(by: mask))
    case .equal(let first, let second): .equal(mask.masked(first), mask.masked(second))
    case .notEqual(let first, let second): .notEqual(mask.masked(first), mask.masked(second))
    }
  }
}

extension Plan.Service.Readiness {
  fileprivate func masked(by mask: SecretMask) -> Plan.Service.Readiness {
    switch self {
    case .start, .notification: self
    case .command(let command): .command(command.masked(by: mask))
    case .port(let text): .port(mask.masked(text))
    case .output(let text): .output(mask.masked(text))
    case .file(let path): .file(mask.masked(path))
    }
  }
}
