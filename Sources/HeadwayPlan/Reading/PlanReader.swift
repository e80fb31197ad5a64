internal import HeadwayRun
internal import HeadwayText

/// Builds a plan from the YAML tree of a file and collects diagnostics.
///
/// Reading takes several passes over the whole file: the keys and values of each task, the combinations of each
/// matrix, the names in `after`, and the search for cycles. A pass skips what an earlier one has reported, so
/// one error leads to one diagnostic.
struct PlanReader {
  let tree: YAMLTree
  /// The text of the file, for diagnostics that quote it; indexed on first use.
  private(set) lazy var source = SourceText(bytes)
  private let bytes: [UInt8]
  var diagnostics: DiagnosticList
  /// The files that the plan refers to.
  var sources: any PlanSources = NoPlanSources()
  /// The files as seen from the folder of the plan, if this is an included file.
  var planSources: any PlanSources = NoPlanSources()
  /// The way from the plan to this file.
  var inclusion = Inclusion(plan: "")
  /// Hides secrets in texts with values from the command line.
  var hide: Plan.TextHiding = { $0 } {
    didSet { hidesSecrets = true }
  }
  /// Whether that hides anything.
  private(set) var hidesSecrets = false
  /// Whether the YAML exceeds a limit, so that only a part of it is known.
  var isLimitExceeded = false
  /// Whether the YAML is invalid from some line on.
  var isInvalid = false
  var spelling = SpellingSuggestion(budget: PlanLimits.comparisons)
  var name: String?
  var description: String?
  var workers: Int?
  var output: OutputMode?
  var isExclusive = false
  var machines = Machines()
  var keep = Plan.Keep()
  /// A task with the settings that all tasks inherit.
  var defaults = Plan.Task(name: "", base: "")
  /// Whether `defaults` sets the number of retries.
  var hasDefaultRetries = false
  /// The variables of `env` in `defaults`.
  var defaultVariables: [Plan.Variable] = []
  /// The variables of dotenv files.
  var dotenv: [Plan.Variable] = []
  /// The names of secrets.
  var secrets: [String] = []
  /// The nodes of these names in this file.
  var secretNodes: [String: Int] = [:]
  /// What the command line gives.
  var given = Plan.Given()
  /// The variables of this file, which its braces can name.
  var definitions = VariableTable()
  /// The variables of this file and of those that it includes.
  var allDefinitions = VariableTable()
  var pools: [TaskPool] = []
  var poolIndices: [String: Int] = [:]
  /// Whether a map had a key that could not be read, so that names may be missing.
  var hasLostKeys = false
  /// Whether all pools were read, so that an unknown pool is an error.
  var knowsPools = true
  /// Whether all tasks were read, so that an unknown task is an error.
  var knowsTasks = true
  /// The tasks, whose dependencies are resolved after all of them are read.
  var tasks: [Plan.Task] = []
  /// The location of each task in the file.
  var origins: [Origin] = []
  /// The number of tasks that this file defines, which come before those of included files.
  var ownTaskCount = 0
  /// Lists of names in `after`; the variants of a task share one list where possible.
  var dependencies: [[Dependency]] = []
  /// The bytes created by expanding templates so far.
  var expandedBytes = 0

  /// A name in `after`.
  struct Dependency {
    /// The name, with the matrix values substituted.
    var name: String
    /// The name for messages, nil if it holds no value that could be secret.
    var shown: String?
    /// The node that holds it.
    var node: Int
  }

  /// The location of a task in the file.
  struct Origin {
    /// The node of its name.
    var node: Int32
    /// The index of its list in `dependencies`, or `nil` if it has no `after`.
    var dependencies: Int32?
  }

  init(tree: YAMLTree, bytes: [UInt8], diagnostics: DiagnosticList) {
    self.tree = tree
    self.bytes = bytes
    self.diagnostics = diagnostics
  }

  /// Reports an error at a node.
  mutating func diagnose(_ node: Int, _ message: @autoclosure () -> String) {
    let location = tree.nodes[node]
    diagnostics.add(line: Int(location.line), column: Int(location.column), message())
  }

  /// Reports an unknown name with the most similar known name, or with other advice if none is similar.
  mutating func diagnoseUnknown(
    _ node: Int, _ name: String, _ message: String, in known: some Sequence<String>,
    otherwise: String
  ) {
    let suggestion = diagnostics.isFull ? nil : spelling.name(for: name, in: known)
    diagnose(node, "\(message); \(suggestion.map { "did you mean \(quoted($0))?" } ?? otherwise)")
  }

  mutating func read() {
    guard !tree.nodes.isEmpty, !tree.isNull(0) else {
      if !tree.isTruncated {
        diagnostics.add(
          line: 0, column: 0, "the file contains no plan; add at least one task under \"tasks:\"")
      }
      return
    }
    guard let entries = entries(of: 0, "a plan", example: "tasks: { hello: { run: echo hello } }")
    else { return }
    readDefinitions(entries)
    readSettings(entries)
    if let tasks = entries.first(where: { $0.name == "tasks" }) {
      readTasks(tasks)
    } else if entries.contains(where: { $0.name == "include" }) {
      knowsTasks = !hasLostKeys
    } else if !tree.isTruncated, diagnostics.count == 0 {
      diagnose(0, "the plan has no tasks; add at least one under \"tasks:\"")
    }
    guard !tree.isTruncated else { return }
    ownTaskCount = tasks.count
    checkSecrets()
    for task in tasks.indices {
      guard !inclusion.base.isEmpty else { break }
      tasks[task].move(into: inclusion.base)
    }
    if let includes = entries.first(where: { $0.name == "include" }) { readIncludes(includes) }
    checkSecretDefinitions(at: entries.first { $0.name == "vars" || $0.name == "include" })
    if tasks.isEmpty, diagnostics.count == 0, inclusion.errorCount == 0 {
      diagnose(0, "the plan has no tasks; add at least one under \"tasks:\"")
    }
    resolveDependencies()
    addAlwaysDependencies()
    addHooks(entries)
    diagnoseCycles()
  }

  static let keys = [
    "name", "description", "workers", "output", "exclusive", "hosts", "slurm_options", "tcp",
    "patience", "defaults", "pools", "vars", "env", "shell", "tasks",
    "include", "dotenv", "secrets", "on_failure", "on_end", "keep",
  ]

  /// Reads `tcp`: true, false, or a port.
  private mutating func readTCP(_ entry: Entry) {
    let isNumber = tree.isText(entry.value) && Int(tree.string(entry.value)) != nil
    if isNumber {
      machines.port = number(entry, in: 1...Int(UInt16.max))
      machines.usesTCP = true
    } else {
      machines.usesTCP = boolean(entry)
    }
  }

  /// Reads everything but the tasks, which depend on it.
  private mutating func readSettings(_ entries: [Entry]) {
    for entry in entries {
      switch entry.name {
      case "name": name = nameText(entry, of: "plan")
      case "description": description = fullText(entry.value, "\"description\"")
      case "workers": workers = number(entry, in: 1...RunLimits.concurrency)
      case "output": output = outputMode(entry)
      case "exclusive": isExclusive = boolean(entry)
      case "hosts": machines.hosts = hosts(entry)
      case "slurm_options":
        machines.slurmOptions = texts(entry).flatMap { Machines.words(of: $0.text) }
      case "tcp": readTCP(entry)
      case "patience": machines.patience = duration(entry)
      case "keep": readKeep(entry)
      case "defaults": readDefaults(entry)
      case "pools": readPools(entry)
      case "env": defaults.environment = variables(entry)
      case "dotenv": readDotenv(entry)
      case "secrets": readSecrets(entry)
      case "shell": defaults.shell = shell(entry)
      case "vars", "tasks", "include", "on_failure", "on_end": break
      default: diagnoseUnknownKey(entry, of: "a plan", known: Self.keys)
      }
    }
    guard !defaultVariables.isEmpty else { return }
    let own = defaults.environment
    defaults.environment = defaultVariables
    mergeVariables(own, into: &defaults.environment)
  }

  /// What a run shows of the output of tasks.
  private mutating func outputMode(_ entry: Entry) -> OutputMode? {
    guard let word = text(entry.value, "\"output\"") else { return nil }
    if let mode = OutputMode(rawValue: word) { return mode }
    diagnose(entry.value, "\"output\" is failed, group or stream, not \(quoted(word))")
    return nil
  }

  static let keepKeys = ["runs", "size"]

  /// Reads which runs the state folder keeps.
  private mutating func readKeep(_ entry: Entry) {
    let example = "keep: { runs: 50, size: 2GB }"
    for entry in entries(of: entry.value, "\"keep\"", example: example) ?? [] {
      switch entry.name {
      case "runs": keep.runs = number(entry, in: 1...PlanLimits.runs)
      case "size": if let limit = sizeLimit(entry) { keep.bytes = limit ?? .max }
      default: diagnoseUnknownKey(entry, of: "\"keep\"", known: Self.keepKeys)
      }
    }
  }

  static let defaultKeys = [
    "timeout", "grace", "retries", "env_inputs", "env", "log_limit", "cpus", "memory", "gpus",
    "labels",
  ]

  /// Reads the settings that tasks inherit.
  private mutating func readDefaults(_ entry: Entry) {
    guard
      let entries = entries(of: entry.value, "\"defaults\"", example: "defaults: { timeout: 10m }")
    else { return }
    for entry in entries {
      switch entry.name {
      case "timeout": if let limit = timeout(entry) { defaults.timeout = limit }
      case "grace": if let grace = duration(entry) { defaults.grace = grace }
      case "retries":
        var task = defaults
        hasDefaultRetries = readRetries(entry, into: &task)
        defaults = task
      case "env_inputs": defaults.environmentInputs = environmentInputs(entry)
      case "env": defaultVariables = variables(entry)
      case "log_limit": if let limit = sizeLimit(entry) { defaults.logLimit = limit }
      case "cpus", "memory", "gpus", "labels":
        var task = defaults
        readNeeds(entry, into: &task)
        defaults = task
      default:
        diagnoseUnknownKey(entry, of: "\"defaults\"", known: Self.defaultKeys)
      }
    }
  }

  private mutating func readPools(_ entry: Entry) {
    hasLostKeys = tree.nodes[entry.value].kind != .map
    for entry in entries(of: entry.value, "\"pools\"", example: "pools: { disk: 1 }") ?? [] {
      checkName(entry.key, entry.name, of: "pool")
      // A pool with an invalid limit still exists.
      let limit = number(entry, in: 1...RunLimits.concurrency) ?? 1
      poolIndices[entry.name] = pools.count
      pools.append(TaskPool(name: entry.name, limit: limit))
    }
    knowsPools = !hasLostKeys
  }
}
