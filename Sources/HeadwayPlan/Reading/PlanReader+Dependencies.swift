internal import HeadwayRun
internal import HeadwayText

extension PlanReader {
  /// Resolves the names in `after` to task indices.
  mutating func resolveDependencies() {
    guard !dependencies.isEmpty || tasks.count > ownTaskCount else { return }
    let indices = taskIndices()
    var count = 0
    var last: Int32?
    for task in tasks.indices {
      guard let list = origins[task].dependencies else {
        // Those of an included file are resolved already.
        count += tasks[task].after.count
        guard count <= PlanLimits.dependencies else {
          return diagnoseTooManyDependencies(at: task)
        }
        continue
      }
      if list == last {
        // A variant with the same dependencies as the one before it shares its array.
        tasks[task].after = tasks[task - 1].after
      } else {
        tasks[task].after = resolved(
          dependencies[Int(list)], in: indices, limit: PlanLimits.dependencies - count)
      }
      last = list
      count += tasks[task].after.count
      guard count <= PlanLimits.dependencies else {
        return diagnoseTooManyDependencies(at: task)
      }
    }
  }

  /// Returns the task indices of each name: those of all variants for a task's name, one for a variant's.
  private func taskIndices() -> [String: Range<Int>] {
    var indices: [String: Range<Int>] = [:]
    indices.reserveCapacity(tasks.count)
    var start = 0
    while start < tasks.count {
      var end = start + 1
      // The variants of a task are adjacent and have one origin; tasks of one include have that of the include.
      while end < tasks.count, origins[end].node == origins[start].node,
        start < ownTaskCount || tasks[end].base == tasks[start].base
      { end += 1 }
      indices[tasks[start].base] = start..<end
      for index in start..<end where tasks[index].name != tasks[index].base {
        indices[tasks[index].name] = index..<(index + 1)
      }
      start = end
    }
    return indices
  }

  /// Returns the task indices of names, ascending and without duplicates; stops soon after the limit.
  private mutating func resolved(
    _ names: [Dependency], in indices: [String: Range<Int>], limit: Int
  ) -> [Int] {
    var found: [Int] = []
    for name in names {
      guard let range = indices[name.name] else {
        if knowsTasks { diagnoseUnknown(name, in: indices) }
        continue
      }
      found.append(contentsOf: range)
      if found.count > limit {
        found = found.sortedUnique()
        if found.count > limit { return found }
      }
    }
    return found.sortedUnique()
  }

  /// Reports a dependency that no task has as its name.
  private mutating func diagnoseUnknown(
    _ dependency: Dependency, in indices: [String: Range<Int>]
  ) {
    let name = dependency.name
    let base = String(name.prefix { $0 != "[" })
    if base != name, name.hasSuffix("]"), let range = indices[base] {
      let names = tasks[range].map(\.name)
      let message = "task \(quoted(base)) has no variant \(quoted(dependency.shown ?? name))"
      let otherwise = names == [base] ? "it has no matrix" : "valid variants: \(listed(names))"
      return diagnoseUnknown(dependency.node, name, message, in: names, otherwise: otherwise)
    }
    diagnoseUnknown(
      dependency.node, name, "unknown task \(quoted(dependency.shown ?? name))",
      in: tasks.lazy.map(\.base),
      otherwise: tasks.count <= PlanLimits.listedNames
        ? "valid tasks: \(listed(tasks.baseNames))"
        : "\"after\" must name tasks of this plan")
  }

  /// Makes `always` tasks without `after` depend on all other tasks.
  mutating func addAlwaysDependencies() {
    guard knowsTasks, tasks.contains(where: \.isAlways) else { return }
    // All of them share one array.
    let others = tasks.indices.filter { !tasks[$0].isAlways }
    var count = tasks.reduce(0) { $0 + $1.after.count }
    for task in 0..<ownTaskCount where tasks[task].isAlways && origins[task].dependencies == nil {
      tasks[task].after = others
      count += others.count
      guard count <= PlanLimits.dependencies else {
        return diagnoseTooManyDependencies(at: task)
      }
    }
  }

  /// Reports that the plan has too many dependencies, and removes them.
  private mutating func diagnoseTooManyDependencies(at task: Int) {
    diagnose(
      Int(origins[task].node),
      "the plan has more than \(grouped(PlanLimits.dependencies)) dependencies; "
        + "put a task without \"run\" between two large groups, so that each task depends on one")
    for task in tasks.indices { tasks[task].after = [] }
    knowsTasks = false
  }

  /// Reports one cycle in each group of tasks that depend on each other.
  mutating func diagnoseCycles() {
    for cycle in tasks.graph.cycles() {
      let task = cycle[0]
      let shown = cycle.prefix(PlanLimits.listedNames).map {
        tasks[$0].name.prefix(PlanLimits.nameBytes)
      }
      var path = shown.joined(separator: " -> ")
      if cycle.count > shown.count {
        path += " -> (\(grouped(cycle.count - shown.count - 1)) more) -> \(tasks[task].name)"
      }
      let waiter = cycle.dropLast().first {
        $0 < ownTaskCount && tasks[$0].isAlways && origins[$0].dependencies == nil
      }
      let reason = waiter.map {
        "; \(quoted(tasks[$0].name)) has \"always\" but no \"after\", so it depends on all other tasks"
      }
      let message =
        cycle.count == 2
        ? "task \(quoted(tasks[task].name)) depends on itself: \(path)\(reason ?? "")"
        : "dependency cycle: \(path)\(reason ?? "; remove one of these dependencies")"
      diagnose(Int(origins[task].node), message)
    }
  }
}

extension [Int] {
  /// Returns the numbers ascending and without duplicates.
  ///
  /// - Complexity: O(*n*) if the numbers are ascending already, O(*n* log *n*) otherwise.
  func sortedUnique() -> [Int] {
    guard !zip(self, dropFirst()).allSatisfy({ $0 < $1 }) else { return self }
    var result: [Int] = []
    for number in sorted() where result.last != number { result.append(number) }
    return result
  }
}
