package import HeadwayPlan
package import HeadwayRun
internal import HeadwayState
internal import HeadwayText

extension RunHeader {
  /// Finds tasks by their names; the name of a task with a matrix stands for all its variants.
  ///
  /// - Parameter words: The names.
  /// - Returns: The tasks, in their order in the plan.
  /// - Throws: `UnknownTasks` with every name that no task has.
  package func tasks(named words: [String]) throws(UnknownTasks) -> [TaskID] {
    let bases = tasks.map { task in
      task.name.hasSuffix("]") ? String(task.name.prefix { $0 != "[" }) : task.name
    }
    let wanted = Set(words)
    let known = Set(tasks.map(\.name)).union(bases)
    let unknown = words.filter { !known.contains($0) }
    guard unknown.isEmpty else {
      var spelling = SpellingSuggestion(budget: PlanLimits.comparisons)
      throw UnknownTasks(
        names: unknown.map { name in
          UnknownTasks.Name(
            name: name,
            suggestion: spelling.name(for: name, in: name.contains("[") ? tasks.map(\.name) : bases)
          )
        }, known: bases)
    }
    return tasks.indices.filter { wanted.contains(tasks[$0].name) || wanted.contains(bases[$0]) }
      .map { TaskID($0, name: tasks[$0].name) }
  }
}
