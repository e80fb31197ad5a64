extension PlanReader {
  /// The keys of a task.
  private static let taskKeys = [
    "run", "after", "env", "dir", "timeout", "grace", "retries", "pool", "matrix", "inputs",
    "outputs", "optional",
    "always", "detach", "kind", "expect",
  ]

  /// Reads all tasks.
  mutating func readTasks(_ entry: Entry) {
    let before = mistakes.count
    guard
      let entries = entries(
        of: entry.value, "\"tasks\"", example: "tasks: { hello: { run: echo hello } }")
    else {
      return
    }
    if entries.isEmpty, !tree.isCut, mistakes.count == before {
      mistake(entry.key, "the plan has no tasks; write at least one under \"tasks:\"")
    }
    // A key that could not be read may have been the name of a task.
    knowsTasks = !hasLostKeys
    tasks.reserveCapacity(entries.count)
    origins.reserveCapacity(entries.count)
    for entry in entries {
      readTask(entry)
      // The mistake stands already; more tasks would only repeat it.
      guard expandedBytes <= PlanLimits.expandedBytes else { return }
      if tasks.count > PlanLimits.tasks {
        mistake(
          entry.key, "the plan grows past \(grouped(PlanLimits.tasks)) tasks here; make it smaller")
        knowsTasks = false
        return
      }
    }
  }

  /// Reads one task.
  private mutating func readTask(_ entry: Entry) {
    checkName(entry.key, entry.name, of: "a task")
    let before = mistakes.count
    var draft = TaskDraft(
      name: entry.name, node: entry.key, line: Int(tree.nodes[entry.key].line), defaults: defaults)
    let example = "\(entry.name.prefix(40)): { run: echo hello }"
    let entries =
      tree.isNothing(entry.value)
      ? [] : entries(of: entry.value, "the task \(quoted(entry.name))", example: example) ?? []
    for entry in entries { readField(entry, into: &draft) }
    let saysAfter = !(draft.after?.isEmpty ?? true)
    if mistakes.count == before, !tree.isCut, draft.task.command == nil, !saysAfter {
      mistake(
        entry.key,
        "the task \(quoted(entry.name)) has nothing to do; give it \"run\", or \"after\" with the tasks that it gathers"
      )
    }
    draft.task.retryLimit = draft.retries.limit ?? 0
    draft.task.backoff = draft.retries.backoff
    expand(draft)
  }

  /// Reads one key of a task.
  private mutating func readField(_ entry: Entry, into draft: inout TaskDraft) {
    switch entry.name {
    case "run": draft.task.command = command(entry)
    case "after": draft.after = texts(entry).map { Need(name: $0.text, node: $0.node) }
    case "env": mergeVariables(variables(entry), into: &draft.task.environment)
    case "dir": draft.task.directory = fullText(entry.value, "\"dir\"")
    case "timeout": if let limit = timeout(entry) { draft.task.timeout = limit }
    case "grace": if let grace = duration(entry) { draft.task.grace = grace }
    case "retries": readRetries(entry, into: &draft.retries, isTask: true)
    case "pool": draft.task.pool = pool(entry)
    case "matrix": readMatrix(entry, into: &draft)
    case "inputs": draft.task.inputs = texts(entry).map(\.text)
    case "outputs": draft.task.outputs = texts(entry).map(\.text)
    case "optional": draft.task.isOptional = boolean(entry)
    case "always": draft.task.isAlways = boolean(entry)
    case "detach": draft.task.isDetached = boolean(entry)
    case "kind": draft.task.kind = fullText(entry.value, "\"kind\"")
    case "expect": draft.task.expect = expectation(entry)
    default: unknownKey(entry, of: "a task", known: Self.taskKeys)
    }
  }

  /// Reads how long a task is expected to take.
  private mutating func expectation(_ entry: Entry) -> Duration? {
    guard let duration = duration(entry) else { return nil }
    guard duration > .zero else {
      mistake(
        entry.value, "an expectation of nothing helps no forecast; leave the key out instead")
      return nil
    }
    return duration
  }

  /// Reads a command: one text for the shell, or a list of a program and its arguments.
  private mutating func command(_ entry: Entry) -> Plan.Command? {
    guard tree.nodes[entry.value].kind == .list else {
      guard let text = fullText(entry.value, "\"run\"") else { return nil }
      guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
        mistake(entry.value, "\"run\" is empty; write a command, or leave the key out")
        return nil
      }
      return .shell(text)
    }
    var words: [String] = []
    for node in tree.children(of: entry.value) {
      if tree.isNothing(node), tree.string(node).isEmpty {
        mistake(node, "an entry of \"run\" has no value; write \"\" for an empty argument")
      } else if let word = text(node, "an entry of \"run\"") {
        words.append(word)
      }
    }
    guard words.first?.isEmpty ?? true else { return .program(words) }
    mistake(entry.value, "\"run\" needs a program as its first entry, such as run: [echo, hello]")
    return nil
  }

  /// Puts a task's variables among those of the plan; the task's value wins.
  private func mergeVariables(_ own: [Plan.Variable], into all: inout [Plan.Variable]) {
    guard !all.isEmpty else {
      all = own
      return
    }
    let inherited = Dictionary(
      all.indices.map { (all[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
    for variable in own {
      if let place = inherited[variable.name] {
        all[place].value = variable.value
      } else {
        all.append(variable)
      }
    }
  }

  /// Reads how often a task is tried again: a number, or a map of limit and backoff.
  mutating func readRetries(_ entry: Entry, into retries: inout TaskDefaults.Retries, isTask: Bool)
  {
    guard tree.nodes[entry.value].kind == .map else {
      if let limit = number(entry, in: 0...PlanLimits.retries) { retries.limit = limit }
      return
    }
    let before = mistakes.count
    for part in entries(
      of: entry.value, "\"retries\"", example: "retries: { limit: 3, backoff: 1s }") ?? []
    {
      switch part.name {
      case "limit":
        if let limit = number(part, in: 0...PlanLimits.retries) { retries.limit = limit }
      case "backoff": if let backoff = duration(part) { retries.backoff = backoff }
      default: unknownKey(part, of: "\"retries\"", known: ["limit", "backoff"])
      }
    }
    if isTask, retries.limit == nil, mistakes.count == before, !tree.isCut {
      mistake(
        entry.key, "\"retries\" needs a \"limit\", such as retries: { limit: 3, backoff: 1s }")
    }
  }

  /// Reads the name of a pool.
  private mutating func pool(_ entry: Entry) -> Int? {
    guard let name = fullText(entry.value, "\"pool\"") else { return nil }
    if let place = poolPlaces[name] { return place }
    guard knowsPools, !tree.isCut else { return nil }
    let names = pools.map(\.name)
    unknown(
      entry.value, name, "unknown pool \(quoted(name))", in: names,
      otherwise: names.isEmpty
        ? "add it to the plan, such as pools: { \(name.prefix(40)): 1 }"
        : "the pools are \(listed(names))")
    return nil
  }
}
