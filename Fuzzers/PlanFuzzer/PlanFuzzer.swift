import HeadwayPlan

/// The loop of libFuzzer, which the sanitizer's runtime brings.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Reads any bytes as a plan: it must not trap, and a plan that exists must be right.
@main
enum PlanFuzzer {
  /// Hands the arguments and the body to libFuzzer.
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    let status = runDriver(&count, &arguments) { data, size in
      PlanFuzzer.check(Array(UnsafeBufferPointer(start: data, count: size)))
      return 0
    }
    precondition(status == 0, "libFuzzer ended with \(status)")
  }

  /// Reads one input and checks what comes of it.
  private static func check(_ bytes: [UInt8]) {
    do {
      let plan = try Plan.read(bytes, file: "folder/plan.yaml")
      check(plan)
    } catch {
      check(error)
    }
  }

  /// Checks what every plan promises, and draws and cuts it.
  private static func check(_ plan: Plan) {
    precondition(!plan.name.isEmpty, "a plan without a name")
    precondition(Set(plan.tasks.map(\.name)).count == plan.tasks.count, "a name stands twice")
    for task in plan.tasks {
      precondition(task.after.allSatisfy(plan.tasks.indices.contains), "a wait leads nowhere")
      precondition(
        zip(task.after, task.after.dropFirst()).allSatisfy { $0 < $1 }, "waits out of order")
      precondition(task.pool.map(plan.pools.indices.contains) ?? true, "a pool that does not exist")
      precondition(task.command != nil || !task.after.isEmpty, "a task with nothing to do")
      precondition((task.timeout ?? .seconds(1)) > .zero, "a time-out of nothing")
      precondition(task.line > 0, "a task without a line")
      if case .program(let words) = task.command { precondition(!words.isEmpty, "no program") }
    }
    precondition(isAcyclic(plan), "tasks wait for each other")
    let graph = PlanGraphText(plan)
    let pictures = [graph.tree(), graph.dot(), graph.mermaid()]
    precondition(pictures.allSatisfy { !$0.isEmpty }, "an empty picture")
    checkSelection(of: plan)
  }

  /// Checks that a task with what it needs is a plan too.
  private static func checkSelection(of plan: Plan) {
    guard let last = plan.tasks.last else { preconditionFailure("a plan without tasks") }
    do {
      let part = try plan.selection(of: [last.name])
      precondition(part.tasks.last?.name == last.name, "the selected task is missing")
      precondition(isAcyclic(part), "a selection with a cycle")
    } catch {
      preconditionFailure("a task of the plan is unknown to it: \(error)")
    }
  }

  /// Tells whether some order of the tasks keeps all waits.
  private static func isAcyclic(_ plan: Plan) -> Bool {
    var waiting = plan.tasks.map(\.after.count)
    var dependents = [[Int]](repeating: [], count: plan.tasks.count)
    for (place, task) in plan.tasks.enumerated() {
      for need in task.after { dependents[need].append(place) }
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

  /// Checks what every list of mistakes promises, and renders it.
  private static func check(_ error: PlanDiagnostics) {
    precondition((1...100).contains(error.diagnostics.count), "no mistakes, or too many")
    let places = error.diagnostics.map { [$0.line, $0.column] }
    precondition(
      zip(places, places.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) },
      "out of order")
    for mistake in error.diagnostics {
      precondition(!mistake.message.isEmpty && mistake.line >= 0, "an empty mistake")
      precondition(!mistake.message.contains("\n"), "a message of several lines")
    }
    let text = error.rendered()
    let isClean = text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || $0.value >= 0x20 }
    precondition(isClean, "a control character reached the terminal")
  }
}
