internal import HeadwayRun
internal import HeadwayText

extension PlanReader {
  static let taskKeys = [
    "description", "run", "after", "env", "dir", "shell", "timeout", "grace", "retries", "pool",
    "matrix", "inputs", "outputs", "optional", "always", "detach", "kind", "expect", "progress",
    "env_inputs", "when", "service", "log_limit", "once",
    "cpus", "memory", "gpus", "labels",
  ]

  mutating func readTasks(_ entry: Entry) {
    let before = diagnostics.count
    guard
      let entries = entries(
        of: entry.value, "\"tasks\"", example: "tasks: { hello: { run: echo hello } }")
    else {
      return
    }
    if entries.isEmpty, !tree.isTruncated, diagnostics.count == before {
      diagnose(entry.key, "the plan has no tasks; add at least one under \"tasks:\"")
    }
    // A key that could not be read may have been the name of a task.
    knowsTasks = !hasLostKeys
    tasks.reserveCapacity(entries.count)
    origins.reserveCapacity(entries.count)
    for entry in entries {
      readTask(entry)
      // The error is reported already; more tasks would only repeat it.
      guard expandedBytes <= PlanLimits.expandedBytes else { return }
      if tasks.count > PlanLimits.tasks {
        diagnose(
          entry.key, "the plan has more than \(grouped(PlanLimits.tasks)) tasks; make it smaller")
        knowsTasks = false
        return
      }
    }
  }

  private mutating func readTask(_ entry: Entry) {
    checkName(entry.key, entry.name, of: "task")
    let before = diagnostics.count
    var draft = TaskDraft(
      name: entry.name, node: entry.key, line: Int(tree.nodes[entry.key].line), defaults: defaults)
    let entries =
      tree.isNull(entry.value)
      ? []
      : entries(
        of: entry.value, "task \(quoted(entry.name))",
        example: "\(entry.name.prefix(40)): { run: echo hello }") ?? []
    for entry in entries { readField(entry, into: &draft) }
    finishService(entries, in: &draft)
    finishOnce(entries, in: &draft)
    let hasDependencies = !(draft.after?.isEmpty ?? true)
    if diagnostics.count == before, !tree.isTruncated, draft.task.command == nil, !hasDependencies {
      diagnose(
        entry.key,
        "task \(quoted(entry.name)) has nothing to do; add \"run\", or \"after\" to group other tasks"
      )
    }
    if draft.task.command == nil, draft.task.condition != nil, diagnostics.count == before {
      diagnose(
        entry.key,
        "task \(quoted(entry.name)) has \"when\" but no \"run\"; put \"when\" into the tasks that it groups"
      )
    }
    expand(draft)
  }

  /// Reads one key of a task.
  mutating func readField(_ entry: Entry, into draft: inout TaskDraft) {
    switch entry.name {
    case "description": draft.task.description = fullText(entry.value, "\"description\"")
    case "run":
      draft.task.command = command(entry, into: &draft)
      draft.commandNode = entry.value
    case "after": draft.after = texts(entry).map { Dependency(name: $0.text, node: $0.node) }
    case "env": mergeVariables(variables(entry), into: &draft.task.environment)
    case "dir": draft.task.directory = fullText(entry.value, "\"dir\"")
    case "shell": draft.task.shell = shell(entry)
    case "timeout": if let limit = timeout(entry) { draft.task.timeout = limit }
    case "grace": if let grace = duration(entry) { draft.task.grace = grace }
    case "retries": readTaskRetries(entry, into: &draft.task)
    case "pool": draft.task.pool = pool(entry)
    case "matrix": readMatrix(entry, into: &draft)
    case "inputs": draft.task.inputs = texts(entry).map(\.text)
    case "env_inputs": draft.task.environmentInputs = environmentInputs(entry)
    case "outputs": draft.task.outputs = texts(entry).map(\.text)
    case "optional": draft.task.isOptional = boolean(entry)
    case "when":
      draft.task.condition = condition(entry, into: &draft)
      draft.conditionNode = entry.value
    case "service":
      draft.task.service = service(entry, into: &draft)
      draft.serviceNode = entry.value
    case "always": draft.task.isAlways = boolean(entry)
    case "once": draft.task.isOnce = boolean(entry)
    case "detach": draft.task.isDetached = boolean(entry)
    case "kind": draft.task.kind = fullText(entry.value, "\"kind\"")
    case "expect": draft.task.expect = expectation(entry)
    case "log_limit": if let limit = sizeLimit(entry) { draft.task.logLimit = limit }
    case "progress": draft.task.progress = progressProtocol(entry)
    case "cpus", "memory", "gpus", "labels": readNeeds(entry, into: &draft.task)
    default: diagnoseUnknownKey(entry, of: "a task", known: Self.taskKeys)
    }
  }

  /// Checks a task with `once: true`, which is not repeated by itself: neither after a failure nor for new inputs.
  private mutating func finishOnce(_ entries: [Entry], in draft: inout TaskDraft) {
    guard draft.task.isOnce, draft.task.service == nil else { return }
    for entry in entries {
      guard let advice = Self.repeatingKeys[entry.name] else { continue }
      diagnose(entry.key, "a task with \"once\" has no \(quoted(entry.name)); \(advice)")
    }
    // Those of the plan's defaults are for other tasks.
    draft.task.retryLimit = 0
  }

  /// The keys that a task with `once: true` cannot have, with the reason.
  private static let repeatingKeys = [
    "retries": "it is not run again by itself",
    "inputs": "changed inputs do not run it again",
  ]

  /// Reads names and patterns of environment variables.
  mutating func environmentInputs(_ entry: Entry) -> [String] {
    texts(entry).map { name in
      if name.text.contains(where: { "=$".contains($0) }) {
        diagnose(name.node, "\(quoted(name.text)) is not a name; write it like CC or \"NODE_*\"")
      }
      return name.text
    }
  }

  private mutating func progressProtocol(_ entry: Entry) -> Plan.ProgressProtocol? {
    guard let text = fullText(entry.value, "\"progress\"") else { return nil }
    if let known = Plan.ProgressProtocol(rawValue: text) { return known }
    let words = Plan.ProgressProtocol.allCases.map(\.rawValue)
    diagnoseUnknown(
      entry.value, text, "unknown protocol \(quoted(text)) in \"progress\"", in: words,
      otherwise: "valid protocols: \(words.joined(separator: ", "))")
    return nil
  }

  private mutating func expectation(_ entry: Entry) -> Duration? {
    guard let duration = duration(entry) else { return nil }
    guard duration > .zero else {
      diagnose(
        entry.value, "\"expect\" must be greater than 0")
      return nil
    }
    return duration
  }

  /// Reads a shell: its name, or a list of its name and the options that come before the text.
  ///
  /// - Returns: The words, nil for `sh` and after an error.
  mutating func shell(_ entry: Entry) -> [String]? {
    let words = texts(entry).map(\.text)
    if tree.nodes[entry.value].kind == .list, words.count < 2 {
      if diagnostics.count == 0 {
        diagnose(
          entry.value,
          "a list for \"shell\" needs an option that takes the text, as in [bash, -eu, -c]")
      }
      return nil
    }
    if let name = words.first, words.count == 1, name.contains(where: \.isWhitespace) {
      diagnose(
        entry.value, "\"shell\" is the name of a program; write options as a list: [bash, -eu, -c]")
      return nil
    }
    return words == ["sh"] ? nil : words
  }

  /// Reads a command: a string for the shell, or a list of a program and its arguments.
  mutating func command(_ entry: Entry) -> Plan.Command? {
    let key = quoted(entry.name)
    guard tree.nodes[entry.value].kind == .list else {
      guard let text = fullText(entry.value, key) else { return nil }
      guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
        diagnose(entry.value, "\(key) is empty; give it a value or remove it")
        return nil
      }
      return .shell(text)
    }
    var words: [String] = []
    for node in tree.children(of: entry.value) {
      if tree.isNull(node), tree.string(node).isEmpty {
        diagnose(node, "an entry of \(key) has no value; write \"\" for an empty argument")
      } else if let word = text(node, "an entry of \(key)") {
        words.append(word)
      }
    }
    guard words.first?.isEmpty ?? true else { return .program(words) }
    diagnose(
      entry.value, "the first entry of \(key) must be a program, as in \(entry.name): [echo, hello]"
    )
    return nil
  }

  /// Merges variables, such as those of a task, into others, such as those of the plan; their values take precedence.
  func mergeVariables(_ own: [Plan.Variable], into all: inout [Plan.Variable]) {
    guard !all.isEmpty else {
      all = own
      return
    }
    let inherited = Dictionary(
      all.indices.map { (all[$0].name, $0) }, uniquingKeysWith: { first, _ in first })
    for variable in own {
      if let index = inherited[variable.name] {
        all[index].value = variable.value
      } else {
        all.append(variable)
      }
    }
  }

  static let retryKeys = ["limit", "backoff", "interval"]

  /// Reads retries: a number, or a map of a limit and the pauses.
  ///
  /// - Returns: Whether the number is set.
  mutating func readRetries(_ entry: Entry, into task: inout Plan.Task) -> Bool {
    guard tree.nodes[entry.value].kind == .map else {
      return readRetryLimit(entry, into: &task)
    }
    var isLimitSet = false
    var hasPauses = false
    let example = "retries: { limit: 3, backoff: 1s }"
    for part in entries(of: entry.value, "\"retries\"", example: example) ?? [] {
      switch part.name {
      case "limit": isLimitSet = readRetryLimit(part, into: &task)
      case "backoff", "interval":
        if hasPauses {
          diagnose(
            part.key,
            "\"backoff\" is the first of growing pauses, \"interval\" the length of all; remove one"
          )
        }
        hasPauses = true
        if let pause = duration(part) {
          task.backoff = pause
          task.backoffFactor = part.name == "interval" ? 1 : TaskDefaults.backoffFactor
        }
      default:
        diagnoseUnknownKey(part, of: "\"retries\"", known: Self.retryKeys)
      }
    }
    return isLimitSet
  }

  /// Reads the number of retries and returns whether it is valid.
  private mutating func readRetryLimit(_ entry: Entry, into task: inout Plan.Task) -> Bool {
    guard let limit = number(entry, in: 0...PlanLimits.retries) else { return false }
    task.retryLimit = limit
    return true
  }

  /// Reads the retries of a task, which must have a limit if the plan has no default.
  private mutating func readTaskRetries(_ entry: Entry, into task: inout Plan.Task) {
    let before = diagnostics.count
    let isLimitSet = readRetries(entry, into: &task)
    if !isLimitSet, !hasDefaultRetries, diagnostics.count == before, !tree.isTruncated {
      diagnose(
        entry.key, "\"retries\" needs a \"limit\", such as retries: { limit: 3, backoff: 1s }")
    }
  }

  /// Reads the name of a pool and returns its index.
  private mutating func pool(_ entry: Entry) -> Int? {
    guard let name = fullText(entry.value, "\"pool\"") else { return nil }
    if let index = poolIndices[name] { return index }
    guard knowsPools, !tree.isTruncated else { return nil }
    let names = pools.map(\.name)
    diagnoseUnknown(
      entry.value, name, "unknown pool \(quoted(name))", in: names,
      otherwise: names.isEmpty
        ? "define it in the plan, as in pools: { \(name.prefix(40)): 1 }"
        : "valid pools: \(listed(names))")
    return nil
  }
}
