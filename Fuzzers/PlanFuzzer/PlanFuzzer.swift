import FuzzSupport
import HeadwayPlan

/// Reads arbitrary bytes as a plan: this must not trap, and every plan must be valid.
@main
enum PlanFuzzer {
  static func main() { fuzz(check) }

  /// Reads one input and checks the result.
  private static func check(_ bytes: [UInt8]) {
    do {
      let plan = try Plan.read(bytes, file: "folder/plan.yaml")
      check(plan)
    } catch {
      check(error)
    }
  }

  /// Checks the invariants of a plan, renders it and selects from it.
  private static func check(_ plan: Plan) {
    expect(!plan.name.isEmpty, "a plan without a name")
    expect(Set(plan.tasks.map(\.name)).count == plan.tasks.count, "duplicate name")
    for task in plan.tasks {
      expect(task.after.allSatisfy(plan.tasks.indices.contains), "dependency out of bounds")
      expect(
        zip(task.after, task.after.dropFirst()).allSatisfy { $0 < $1 }, "dependencies out of order")
      expect(task.pool.map(plan.pools.indices.contains) ?? true, "pool out of bounds")
      expect(task.command != nil || !task.after.isEmpty, "a task with nothing to do")
      expect((task.timeout ?? .seconds(1)) > .zero, "a timeout of zero")
      expect(task.line > 0, "a task without a line")
      if case .program(let words) = task.command { expect(!words.isEmpty, "no program") }
    }
    expect(isAcyclic(plan), "dependency cycle")
    let graph = PlanGraphText(plan)
    let drawings = [graph.tree(), graph.dot(), graph.mermaid()]
    expect(drawings.allSatisfy { !$0.isEmpty }, "an empty drawing")
    checkSelection(of: plan)
  }

  /// Checks that a task with its dependencies is a valid plan.
  private static func checkSelection(of plan: Plan) {
    guard let last = plan.tasks.last else { fatalError("a plan without tasks") }
    do {
      let part = try plan.selection(of: [last.name])
      expect(part.tasks.last?.name == last.name, "the selected task is missing")
      expect(isAcyclic(part), "a selection with a cycle")
    } catch {
      fatalError("a task of the plan is unknown to it: \(error)")
    }
  }

  /// Returns whether the tasks have a topological order.
  private static func isAcyclic(_ plan: Plan) -> Bool {
    var waiting = plan.tasks.map(\.after.count)
    var dependents = [[Int]](repeating: [], count: plan.tasks.count)
    for (index, task) in plan.tasks.enumerated() {
      for dependency in task.after { dependents[dependency].append(index) }
    }
    var ready = plan.tasks.indices.filter { waiting[$0] == 0 }
    var done = 0
    while let task = ready.popLast() {
      done += 1
      for dependent in dependents[task] {
        waiting[dependent] -= 1
        if waiting[dependent] == 0 { ready.append(dependent) }
      }
    }
    return done == plan.tasks.count
  }

  /// Checks the invariants of diagnostics, and renders them.
  private static func check(_ error: PlanDiagnostics) {
    expect((1...100).contains(error.diagnostics.count), "no errors, or too many")
    let locations = error.diagnostics.map { [$0.line, $0.column] }
    expect(
      zip(locations, locations.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) },
      "out of order")
    for diagnostic in error.diagnostics {
      expect(!diagnostic.message.isEmpty && diagnostic.line >= 0, "an empty diagnostic")
      expect(!diagnostic.message.contains("\n"), "a message of several lines")
    }
    let text = error.rendered()
    let isClean = text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.value >= 0x20 }
    expect(isClean, "a control character reached the terminal")
  }
}
