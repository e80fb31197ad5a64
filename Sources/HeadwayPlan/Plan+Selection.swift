internal import HeadwayText

/// Names that a plan does not have.
package struct UnknownTasks: Error, Hashable, Sendable, CustomStringConvertible {
  /// A name, with the one that was probably meant.
  package struct Name: Hashable, Sendable {
    /// The name that no task has.
    package var name: String
    /// The nearest name that a task has, nil when none is near.
    package var suggestion: String?
  }

  /// The names, in the order in which they were asked for.
  package var names: [Name]
  /// A few of the names that the plan has.
  package var known: [String]

  /// What is wrong and what to do about it, in one sentence.
  package var description: String {
    let parts = names.prefix(PlanLimits.listedNames).map { name in
      quoted(name.name) + (name.suggestion.map { " (did you mean \(quoted($0))?)" } ?? "")
    }
    let rest = names.count > parts.count ? " and \(grouped(names.count - parts.count)) more" : ""
    let noun = names.count == 1 ? "unknown task" : "unknown tasks"
    let hint = names.contains { $0.suggestion != nil } ? "" : "; the plan has \(listed(known))"
    return "\(noun) \(parts.joined(separator: ", "))\(rest)\(hint)"
  }
}

extension Plan {
  /// Gives the part of the plan that some tasks need: these tasks and all that they wait for.
  ///
  /// A name that the file has stands for all variants of its matrix. An `always` task comes along when it is
  /// named or waited for, and not otherwise. Without names the plan stays whole.
  ///
  /// - Parameter names: The tasks, as the file names them or as `name` does.
  /// - Returns: The tasks in their order, with the pools as they are.
  /// - Throws: `UnknownTasks` with every name that no task has.
  /// - Complexity: O(*n* + *m*) for *n* tasks and *m* waits.
  package func selection(of names: [String]) throws(UnknownTasks) -> Plan {
    guard !names.isEmpty else { return self }
    var wanted = try wantedTasks(names)
    var queue = tasks.indices.filter { wanted[$0] }
    while let task = queue.popLast() {
      for need in tasks[task].after where !wanted[need] {
        wanted[need] = true
        queue.append(need)
      }
    }
    return cut(to: wanted)
  }

  /// Marks the tasks that names stand for.
  private func wantedTasks(_ names: [String]) throws(UnknownTasks) -> [Bool] {
    let asked = Set(names)
    var found: Set<String> = []
    var wanted = [Bool](repeating: false, count: tasks.count)
    for (place, task) in tasks.enumerated() {
      for name in [task.base, task.name] where asked.contains(name) {
        wanted[place] = true
        found.insert(name)
      }
    }
    guard found.count < asked.count else { return wanted }
    var suggestions = SpellingSuggestion(budget: PlanLimits.comparisons)
    var told: Set<String> = []
    let unknown = names.filter { !found.contains($0) && told.insert($0).inserted }.map { name in
      // A name with a bracket was meant as a variant.
      let isVariant = name.contains("[")
      let suggestion = suggestions.name(
        for: name, in: tasks.lazy.map { isVariant ? $0.name : $0.base })
      return UnknownTasks.Name(name: name, suggestion: suggestion)
    }
    var known: [String] = []
    for task in tasks where known.last != task.base { known.append(task.base) }
    throw UnknownTasks(names: unknown, known: known)
  }

  /// Gives the plan with some of its tasks, which wait for no others.
  private func cut(to wanted: [Bool]) -> Plan {
    var places = [Int](repeating: 0, count: tasks.count)
    var count = 0
    for place in tasks.indices where wanted[place] {
      places[place] = count
      count += 1
    }
    guard count < tasks.count else { return self }
    var plan = self
    plan.tasks = tasks.indices.filter { wanted[$0] }.map { place in
      var task = tasks[place]
      task.after = task.after.map { places[$0] }
      return task
    }
    return plan
  }
}
