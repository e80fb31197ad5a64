internal import HeadwayRun

extension PlanReader {
  /// Reads the machines that carry out the tasks: texts, and maps with what a machine has.
  mutating func hosts(_ entry: Entry) -> [WorkerHost] {
    var hosts: [WorkerHost] = []
    let nodes =
      tree.nodes[entry.value].kind == .list ? Array(tree.children(of: entry.value)) : [entry.value]
    for node in nodes {
      let found =
        tree.nodes[node].kind == .map
        ? host(node).map { [$0] } ?? []
        : fullText(node, quoted(entry.name)).map { list($0, node) } ?? []
      for host in found {
        if hosts.contains(where: { $0.name == host.name }) {
          diagnose(node, "the host \(quoted(host.name)) is named twice")
        } else {
          hosts.append(host)
        }
      }
    }
    return hosts
  }

  private mutating func list(_ text: String, _ node: Int) -> [WorkerHost] {
    do throws(WorkerHostError) {
      return try WorkerHost.list(text)
    } catch {
      diagnose(node, error.reason)
      return []
    }
  }

  static let hostKeys = ["host", "places", "memory", "gpus", "labels", "mode", "sync", "folder"]

  /// Reads a machine with what it has.
  private mutating func host(_ node: Int) -> WorkerHost? {
    let example = "{ host: build1, labels: [fast] }"
    var host: WorkerHost?
    guard let entries = entries(of: node, "a host", example: example) else { return nil }
    if let name = entries.first(where: { $0.name == "host" }) {
      guard let text = fullText(name.value, "\"host\"") else { return nil }
      // The number of places of a cluster may be in a key of its own.
      let isCluster = text == WorkerHost.slurm && entries.contains { $0.name == "places" }
      let found = list(isCluster ? "\(text):1" : text, name.value)
      if found.count > 1 { diagnose(name.value, "\"host\" is the name of one machine") }
      host = found.first
    } else {
      diagnose(node, "a host needs a name, such as \(example)")
    }
    for entry in entries {
      switch entry.name {
      case "host": break
      case "places":
        if let places = number(entry, in: 1...WorkerHost.mostPlaces) { host?.places = places }
      case "memory": host?.memory = size(entry)
      case "gpus": host?.gpus = number(entry, in: 0...RunLimits.concurrency)
      case "labels": host?.labels = labels(entry)
      case "mode": host?.hasJobPerTask = hasJobPerTask(entry)
      case "sync": host?.copiesFiles = isCopied(entry)
      case "folder": host?.folder = remoteFolder(entry)
      default: diagnoseUnknownKey(entry, of: "a host", known: Self.hostKeys)
      }
    }
    if let found = host, found.name == WorkerHost.slurm, found.copiesFiles {
      diagnose(
        node, "the nodes of a cluster share the file system, so there is no \"sync\" for them")
    }
    if let found = host, found.name != WorkerHost.slurm, found.hasJobPerTask {
      diagnose(node, "\"mode\" is for the host slurm")
    }
    if let found = host, found.folder != nil, !found.copiesFiles {
      diagnose(node, "\"folder\" is for hosts with \"sync: rsync\"")
    }
    return host
  }

  /// Reads what the jobs of a cluster are for.
  private mutating func hasJobPerTask(_ entry: Entry) -> Bool {
    guard let text = fullText(entry.value, "\"mode\"") else { return false }
    if text != "job", text != "worker" { diagnose(entry.value, "\"mode\" must be worker or job") }
    return text == "job"
  }

  /// Reads how files come to a machine.
  private mutating func isCopied(_ entry: Entry) -> Bool {
    guard let text = fullText(entry.value, "\"sync\"") else { return false }
    if text != "rsync" { diagnose(entry.value, "\"sync\" must be rsync") }
    return text == "rsync"
  }

  /// Reads an absolute path on a machine.
  private mutating func remoteFolder(_ entry: Entry) -> String? {
    guard let text = fullText(entry.value, "\"folder\"") else { return nil }
    guard text.hasPrefix("/") else {
      diagnose(entry.value, "\"folder\" must be an absolute path, such as /scratch/me")
      return nil
    }
    return text
  }

  /// Reads what a task needs of its machine.
  mutating func readNeeds(_ entry: Entry, into task: inout Plan.Task) {
    var needs = task.needs ?? Resources()
    switch entry.name {
    case "cpus": needs.cpus = number(entry, in: 1...WorkerHost.mostPlaces) ?? 1
    case "memory": needs.memory = size(entry) ?? 0
    case "gpus": needs.gpus = number(entry, in: 0...RunLimits.concurrency) ?? 0
    default: needs.labels = labels(entry)
    }
    task.needs = needs
  }

  /// Reads words, each once.
  private mutating func labels(_ entry: Entry) -> [String] {
    var labels: [String] = []
    for (text, node) in texts(entry) {
      checkName(node, text, of: "label")
      if !labels.contains(text) { labels.append(text) }
    }
    return labels
  }

  /// Reads a size that is greater than 0.
  private mutating func size(_ entry: Entry) -> Int? {
    guard let limit = sizeLimit(entry) else { return nil }
    if limit == nil {
      diagnose(entry.value, "\(quoted(entry.name)) must be a size, such as \(SizeParser.examples)")
    }
    return limit
  }
}
