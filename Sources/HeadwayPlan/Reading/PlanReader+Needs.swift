extension PlanReader {
  /// Puts the places of tasks in place of the names in `after`.
  mutating func resolveNeeds() {
    let places = namePlaces()
    var waits = 0
    var last: Int32?
    for task in tasks.indices {
      guard let list = origins[task].needs else { continue }
      if list == last {
        // A variant of the task before it, waiting for the same: one array for both.
        tasks[task].after = tasks[task - 1].after
      } else {
        tasks[task].after = resolved(needs[Int(list)], in: places, room: PlanLimits.waits - waits)
      }
      last = list
      waits += tasks[task].after.count
      guard waits <= PlanLimits.waits else {
        return tellTooManyWaits(at: task)
      }
    }
  }

  /// Gives the places of each name: all variants for the name that the file has, one for a variant.
  private func namePlaces() -> [String: Range<Int>] {
    var places: [String: Range<Int>] = [:]
    places.reserveCapacity(tasks.count)
    var start = 0
    while start < tasks.count {
      var end = start + 1
      // The variants of a task stand together and have one origin.
      while end < tasks.count, origins[end].node == origins[start].node { end += 1 }
      places[tasks[start].base] = start..<end
      for place in start..<end where tasks[place].name != tasks[place].base {
        places[tasks[place].name] = place..<(place + 1)
      }
      start = end
    }
    return places
  }

  /// Gives the places of a list of names, ascending, each once; stops a little beyond the room.
  private mutating func resolved(
    _ list: [Need], in places: [String: Range<Int>], room: Int
  ) -> [Int] {
    var found: [Int] = []
    for need in list {
      guard let range = places[need.name] else {
        if knowsTasks { tellUnknown(need, in: places) }
        continue
      }
      found.append(contentsOf: range)
      if found.count > room {
        found = found.sortedUnique()
        if found.count > room { return found }
      }
    }
    return found.sortedUnique()
  }

  /// Tells a name that no task has.
  private mutating func tellUnknown(_ need: Need, in places: [String: Range<Int>]) {
    let base = String(need.name.prefix { $0 != "[" })
    if base != need.name, need.name.hasSuffix("]"), let range = places[base] {
      let names = tasks[range].map(\.name)
      let message = "the task \(quoted(base)) has no variant \(quoted(need.name))"
      let otherwise = names == [base] ? "it has no matrix" : "it has \(listed(names))"
      return unknown(need.node, need.name, message, in: names, otherwise: otherwise)
    }
    let names = tasks.lazy.map(\.base)
    unknown(
      need.node, need.name, "unknown task \(quoted(need.name))", in: names,
      otherwise: tasks.count <= PlanLimits.listedNames
        ? "the tasks are \(listed(uniqueBases()))"
        : "\"after\" takes the names of tasks of this plan")
  }

  /// Gives the names of the tasks as the file has them.
  private func uniqueBases() -> [String] {
    var bases: [String] = []
    for task in tasks where bases.last != task.base { bases.append(task.base) }
    return bases
  }

  /// Makes tasks that always run and say no `after` wait for every task that does not always run.
  mutating func addAlwaysWaits() {
    guard knowsTasks, tasks.contains(where: \.isAlways) else { return }
    // One array for all of them.
    let others = tasks.indices.filter { !tasks[$0].isAlways }
    var waits = tasks.reduce(0) { $0 + $1.after.count }
    for task in tasks.indices where tasks[task].isAlways && origins[task].needs == nil {
      tasks[task].after = others
      waits += others.count
      guard waits <= PlanLimits.waits else {
        return tellTooManyWaits(at: task)
      }
    }
  }

  /// Tells that the plan has more waits than it may have, and forgets them.
  private mutating func tellTooManyWaits(at task: Int) {
    mistake(
      Int(origins[task].node),
      "the plan grows past \(grouped(PlanLimits.waits)) waits of one task for another here; "
        + "put a task without \"run\" between two large groups, so that each waits for one")
    for task in tasks.indices { tasks[task].after = [] }
    knowsTasks = false
  }
}

extension [Int] {
  /// Gives the numbers ascending and each once.
  ///
  /// - Complexity: O(*n*) for numbers that ascend already, O(*n* log *n*) for others.
  fileprivate func sortedUnique() -> [Int] {
    guard !zip(self, dropFirst()).allSatisfy({ $0 < $1 }) else { return self }
    var result: [Int] = []
    for number in sorted() where result.last != number { result.append(number) }
    return result
  }
}
