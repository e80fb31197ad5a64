import HeadwayPlan
import Testing

/// A plan file with its expected diagnostics.
struct DiagnosticCase: CustomTestStringConvertible, Sendable {
  let title: String
  /// The text of the file, without its last line break.
  let plan: String
  /// The rendered diagnostics.
  let expected: String
  var testDescription: String { title }

  init(_ title: String, _ plan: String, _ expected: String) {
    self.title = title
    self.plan = plan
    self.expected = expected
  }

  /// Reads the file and returns its rendered diagnostics.
  func rendered() -> String { diagnostics(in: plan.isEmpty ? plan : plan + "\n") }
}

/// Reads a text as the file `plan.yaml` and returns its rendered diagnostics.
func diagnostics(in text: String) -> String { diagnostics(in: Array(text.utf8)) }

/// Reads bytes as the file `plan.yaml` and returns their rendered diagnostics.
func diagnostics(in bytes: [UInt8]) -> String {
  do {
    let plan = try Plan.read(bytes, file: "plan.yaml")
    return "no error in \(plan.tasks.count) tasks"
  } catch {
    return error.rendered()
  }
}

/// Reads a text as the file `plan.yaml`.
func plan(_ text: String) throws -> Plan { try Plan.read(Array(text.utf8), file: "plan.yaml") }

extension Plan {
  /// Returns the task with a name.
  func task(_ name: String) throws -> Plan.Task {
    guard let task = tasks.first(where: { $0.name == name }) else { throw NoTask(name: name) }
    return task
  }

  /// Returns the names of the dependencies of a task.
  func dependencies(of name: String) throws -> [String] {
    try task(name).after.map { tasks[$0].name }
  }
}

/// The error for a task that the plan does not have.
struct NoTask: Error {
  let name: String
}
