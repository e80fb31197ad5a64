import HeadwayPlan
import Testing

/// A plan file with what is told about it.
struct DiagnosticCase: CustomTestStringConvertible, Sendable {
  /// What the case is about.
  let title: String
  /// The text of the file, without the end of its last line.
  let plan: String
  /// The rendered mistakes.
  let told: String
  /// What a failing test is called.
  var testDescription: String { title }

  /// Creates a case.
  init(_ title: String, _ plan: String, _ told: String) {
    self.title = title
    self.plan = plan
    self.told = told
  }

  /// Reads the file and gives what is told about it.
  func rendered() -> String { mistakes(in: plan.isEmpty ? plan : plan + "\n") }
}

/// Reads a text as the file `plan.yaml` and gives its rendered mistakes.
func mistakes(in text: String) -> String { mistakes(in: Array(text.utf8)) }

/// Reads bytes as the file `plan.yaml` and gives their rendered mistakes.
func mistakes(in bytes: [UInt8]) -> String {
  do {
    let plan = try Plan.read(bytes, file: "plan.yaml")
    return "no mistake in \(plan.tasks.count) tasks"
  } catch {
    return error.rendered()
  }
}

/// Reads a text as the file `plan.yaml`.
func plan(_ text: String) throws -> Plan { try Plan.read(Array(text.utf8), file: "plan.yaml") }

extension Plan {
  /// Gives the task with a name.
  func task(_ name: String) throws -> Plan.Task {
    guard let task = tasks.first(where: { $0.name == name }) else { throw NoTask(name: name) }
    return task
  }

  /// Gives the names of the tasks that a task waits for.
  func needs(of name: String) throws -> [String] {
    try task(name).after.map { tasks[$0].name }
  }
}

/// The failure of a test that asks for a task that the plan does not have.
struct NoTask: Error {
  /// The name.
  let name: String
}
