// Services: `service: { ready: { port: 6379 } }`.

internal import HeadwayRun
internal import HeadwayText

extension PlanReader {
  static let serviceKeys = ["ready", "restart"]
  static let readyKeys = ["run", "port", "output", "file", "notify", "interval", "timeout"]
  /// The keys of a task that a service cannot have, with what to do instead.
  private static let foreignKeys = [
    "inputs": "it is started in each run that needs it",
    "outputs": "it is started in each run that needs it",
    "always": "it is ended by the run in any case",
    "retries": "write service: { restart: 3 }",
    "timeout": "write service: { ready: { timeout: 30s } } for the time until it is ready",
    "once": "it is started in each run that needs it",
    "detach": "the run ends it when nothing needs it any more",
  ]

  /// Reads a service: `true`, or a map.
  mutating func service(_ entry: Entry, into draft: inout TaskDraft) -> Plan.Service? {
    var service = Plan.Service()
    guard tree.nodes[entry.value].kind == .map else {
      return boolean(entry) ? service : nil
    }
    let example = "service: { ready: { port: 8080 } }"
    for part in entries(of: entry.value, "\"service\"", example: example) ?? [] {
      switch part.name {
      case "ready": readReadiness(part, into: &service, of: &draft)
      case "restart":
        if let limit = number(part, in: 0...PlanLimits.retries) { service.restarts = limit }
      default: diagnoseUnknownKey(part, of: "\"service\"", known: Self.serviceKeys)
      }
    }
    return service
  }

  /// Reads what tells that a service is ready.
  private mutating func readReadiness(
    _ entry: Entry, into service: inout Plan.Service, of draft: inout TaskDraft
  ) {
    let before = diagnostics.count
    let example = "ready: { port: 8080 }"
    var found: [Plan.Service.Readiness] = []
    for part in entries(of: entry.value, "\"ready\"", example: example) ?? [] {
      switch part.name {
      case "run":
        if let command = command(part, into: &draft) { found.append(.command(command)) }
      case "port":
        if let text = fullText(part.value, "\"port\"") { found.append(.port(text)) }
      case "output":
        if let text = fullText(part.value, "\"output\"") { found.append(.output(text)) }
      case "file": if let path = fullText(part.value, "\"file\"") { found.append(.file(path)) }
      case "notify": if boolean(part) { found.append(.notification) }
      case "interval":
        if let interval = duration(part), interval > .zero { service.interval = interval }
      case "timeout": if let limit = timeout(part) { service.timeout = limit }
      default: diagnoseUnknownKey(part, of: "\"ready\"", known: Self.readyKeys)
      }
    }
    if let first = found.first { service.readiness = first }
    if found.count != 1, diagnostics.count == before, !tree.isTruncated {
      diagnose(
        entry.value, "\"ready\" needs one of run, port, output, file and notify, as in \(example)")
    }
  }

  /// Reports keys that a service cannot have, and gives the task what follows from being one.
  mutating func finishService(_ entries: [Entry], in draft: inout TaskDraft) {
    guard let service = draft.task.service else { return }
    for entry in entries {
      guard let advice = Self.foreignKeys[entry.name] else { continue }
      diagnose(entry.key, "a service has no \(quoted(entry.name)); \(advice)")
    }
    if draft.task.command == nil, !tree.isTruncated {
      diagnose(draft.node, "a service needs \"run\"")
    }
    draft.task.timeout = service.timeout
    draft.task.retryLimit = service.restarts
    draft.task.backoff = TaskDefaults.backoff
    draft.task.backoffFactor = TaskDefaults.backoffFactor
  }

  /// Reports a port that is no number of a port, once braces are expanded.
  mutating func checkPort(_ task: borrowing Plan.Task, at node: Int) {
    guard case .port(let text) = task.service?.readiness, task.service?.port == nil else { return }
    let shown = hide(text)
    diagnose(
      node, "the port \(quoted(shown)) of \(quoted(task.name)) is not a number from 1 to 65,535")
  }
}
