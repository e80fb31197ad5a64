package import HeadwayRun
internal import HeadwayText

/// The error for task names that a plan does not have.
package struct UnknownTasks: Error, Hashable, Sendable, CustomStringConvertible {
  /// An unknown name.
  package struct Name: Hashable, Sendable {
    /// The name that no task has.
    package var name: String
    /// The most similar task name, or `nil` if none is similar.
    package var suggestion: String?

    /// Creates an unknown name.
    package init(name: String, suggestion: String?) {
      self.name = name
      self.suggestion = suggestion
    }
  }

  /// The unknown names, in the order in which they were given.
  package var names: [Name]
  /// The names of the plan's tasks.
  package var known: [String]

  /// Creates an error.
  package init(names: [Name], known: [String]) {
    self.names = names
    self.known = known
  }

  /// The error without secrets in the unknown names.
  ///
  /// - Parameter hide: Hides secrets in a text.
  /// - Returns: The error.
  package func masked(by hide: Plan.TextHiding) -> UnknownTasks {
    UnknownTasks(
      names: names.map { Name(name: hide($0.name), suggestion: $0.suggestion) }, known: known)
  }

  /// What is wrong and how to fix it, in one sentence.
  package var description: String {
    let parts = names.prefix(PlanLimits.listedNames).map { name in
      quoted(name.name) + (name.suggestion.map { " (did you mean \(quoted($0))?)" } ?? "")
    }
    let rest = names.count > parts.count ? " and \(grouped(names.count - parts.count)) more" : ""
    let noun = names.count == 1 ? "unknown task" : "unknown tasks"
    let hint = names.contains { $0.suggestion != nil } ? "" : "; valid tasks: \(listed(known))"
    return "\(noun) \(parts.joined(separator: ", "))\(rest)\(hint)"
  }
}

extension Plan {
  /// Returns the part of the plan that some tasks need: these tasks, all their dependencies, the `always` tasks
  /// that wait for any of them, and the plan's `on_failure` and `on_end`.
  ///
  /// The name of a task with a matrix selects all its variants. Without names, the whole plan is selected.
  ///
  /// - Parameter names: The names of tasks or variants.
  /// - Returns: The selected tasks in their order, with all pools.
  /// - Throws: `UnknownTasks` with every name that no task has.
  /// - Complexity: O(*n* + *m*) for *n* tasks and *m* dependencies; with `always` tasks, O(*s* · (*n* + *m*)) for *s*
  ///   selected tasks.
  package func selection(of names: [String]) throws(UnknownTasks) -> Plan {
    guard !names.isEmpty else { return self }
    var isSelected = try selectedTasks(names)
    var queue = tasks.indices.filter { isSelected[$0] }
    while let task = queue.popLast() {
      for dependency in tasks[task].after where !isSelected[dependency] {
        isSelected[dependency] = true
        queue.append(dependency)
      }
    }
    return addingAlwaysTasks(to: &isSelected).filtered(isSelected)
  }

  /// Selects the `always` tasks that wait for selected tasks, by themselves or through groups without a command.
  ///
  /// - Parameter isSelected: Whether each task is selected.
  /// - Returns: The plan, in which these tasks wait only for selected tasks: a dependency that is not selected is
  ///   left out, and a group is replaced by those of its tasks that are selected.
  private func addingAlwaysTasks(to isSelected: inout [Bool]) -> Plan {
    guard tasks.contains(where: \.isAlways) else { return self }
    var plan = self
    // The selected tasks for which each other task stands if it only groups them.
    var selectedBefore = [[Int]](repeating: [], count: tasks.count)
    for task in tasks.graph.topologicalOrder().map({ Int($0) }) where !isSelected[task] {
      guard tasks[task].isAlways || tasks[task].command == nil else { continue }
      let after = tasks[task].after
      if after.count == 1, !isSelected[after[0]] {
        // Chains share one array.
        selectedBefore[task] = selectedBefore[after[0]]
      } else {
        selectedBefore[task] =
          after.flatMap { isSelected[$0] ? [$0] : selectedBefore[$0] }.sortedUnique()
      }
      guard tasks[task].isAlways, !selectedBefore[task].isEmpty else { continue }
      isSelected[task] = true
      plan.tasks[task].after = selectedBefore[task]
    }
    return plan
  }

  /// Returns whether each task is named.
  private func selectedTasks(_ names: [String]) throws(UnknownTasks) -> [Bool] {
    let requested = Set(names)
    var found: Set<String> = []
    var isSelected = [Bool](repeating: false, count: tasks.count)
    for (index, task) in tasks.enumerated() where task.hook == nil {
      for name in [task.base, task.name] where requested.contains(name) {
        isSelected[index] = true
        found.insert(name)
      }
    }
    guard found.count < requested.count else { return isSelected }
    var spelling = SpellingSuggestion(budget: PlanLimits.comparisons)
    var reported: Set<String> = []
    let unknown = names.filter { !found.contains($0) && reported.insert($0).inserted }.map { name in
      // A name with a bracket is meant as a variant.
      let isVariant = name.contains("[")
      let suggestion = spelling.name(
        for: name, in: tasks.lazy.filter { $0.hook == nil }.map { isVariant ? $0.name : $0.base })
      return UnknownTasks.Name(name: name, suggestion: suggestion)
    }
    throw UnknownTasks(names: unknown, known: tasks.baseNames)
  }

  /// Returns the plan with only the selected tasks, whose dependencies must be selected too.
  private func filtered(_ isSelected: [Bool]) -> Plan {
    var indices = [Int](repeating: 0, count: tasks.count)
    var count = 0
    for index in tasks.indices where isSelected[index] {
      indices[index] = count
      count += 1
    }
    guard count < tasks.count else { return self }
    var plan = self
    plan.tasks = tasks.indices.filter { isSelected[$0] }.map { index in
      var task = tasks[index]
      task.after = task.after.map { indices[$0] }
      return task
    }
    return plan
  }
}

extension Plan {
  /// Returns the plan with `~` at the beginning of directories replaced by the home folder.
  ///
  /// - Parameter home: The home folder, nil if it is not known; then nothing is replaced.
  /// - Returns: The plan.
  package func expandingHome(_ home: String?) -> Plan {
    guard let home, tasks.contains(where: { $0.directory?.hasPrefix("~") ?? false }) else {
      return self
    }
    var plan = self
    for index in tasks.indices {
      guard let directory = tasks[index].directory,
        directory == "~" || directory.hasPrefix("~/")
      else { continue }
      plan.tasks[index].directory = home + directory.dropFirst()
    }
    return plan
  }
}

extension [Plan.Task] {
  /// The tasks and their dependencies as a graph.
  ///
  /// - Complexity: O(*n* + *m*) for *n* tasks and *m* dependencies.
  package var graph: TaskGraph {
    let edges = indices.flatMap { index in
      self[index].after.map { TaskGraph.Edge(before: $0, after: index) }
    }
    return TaskGraph(taskCount: count, edges: edges)
  }

  /// The names of the tasks as written in the file, each once, without `on_failure` and `on_end`.
  var baseNames: [String] {
    var names: [String] = []
    for task in self where names.last != task.base && task.hook == nil { names.append(task.base) }
    return names
  }
}
