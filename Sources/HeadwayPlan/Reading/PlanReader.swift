internal import HeadwayText

/// Reads the tree of a plan file into a plan and gathers the mistakes on the way.
///
/// Reading goes in passes, each over the whole file: keys and values of each task, the combinations of each
/// matrix, the names in `after`, and the search for cycles. A pass leaves out what an earlier one has told a
/// mistake about, so one slip makes one mistake.
struct PlanReader {
  /// The values of the file.
  let tree: YAMLTree
  /// The file, for the mistakes that quote it; made when the first one needs it.
  private(set) lazy var source = SourceText(bytes)
  /// The bytes of the file.
  private let bytes: [UInt8]
  /// The mistakes so far.
  var mistakes = MistakeList()
  /// The search for names that were meant.
  var suggestions = SpellingSuggestion(budget: PlanLimits.comparisons)
  /// The name of the plan, nil until the file says.
  var name: String?
  /// The tasks at once, nil until the file says.
  var workers: Int?
  /// What tasks inherit.
  var defaults = TaskDefaults()
  /// The pools.
  var pools: [Plan.Pool] = []
  /// The place of each pool.
  var poolPlaces: [String: Int] = [:]
  /// Whether a map had a key that could not be read, so that names may be missing.
  var hasLostKeys = false
  /// Whether every pool is known, so that an unknown one is a mistake.
  var knowsPools = true
  /// Whether every task is known, so that an unknown one is a mistake.
  var knowsTasks = true
  /// The tasks, with no waits yet.
  var tasks: [Plan.Task] = []
  /// For each task, the place of what it waits for in `needs`, and of its name in the tree.
  var origins: [Origin] = []
  /// What tasks wait for, as the file names it; the variants of a task share one list where they can.
  var needs: [[Need]] = []
  /// The bytes that templates have made so far.
  var expandedBytes = 0

  /// A name in `after`, with the value that holds it.
  struct Need {
    /// The name, with the values of the matrix put in.
    var name: String
    /// The place in the tree.
    var node: Int
  }

  /// Where a task comes from.
  struct Origin {
    /// The place of its name in the tree.
    var node: Int32
    /// The place of its names in `needs`, nil where the file has no `after`.
    var needs: Int32?
  }

  /// Creates a reader.
  init(tree: YAMLTree, bytes: [UInt8], mistakes: MistakeList) {
    self.tree = tree
    self.bytes = bytes
    self.mistakes = mistakes
  }

  /// Adds a mistake at a value.
  mutating func mistake(_ node: Int, _ message: @autoclosure () -> String) {
    let place = tree.nodes[node]
    mistakes.add(line: Int(place.line), column: Int(place.column), message())
  }

  /// Adds a mistake about a name, with the known name that is nearest to it or else another advice.
  mutating func unknown(
    _ node: Int, _ wrong: String, _ message: String, in known: some Sequence<String>,
    otherwise: String
  ) {
    let hint =
      mistakes.isFull
      ? nil : suggestions.name(for: wrong, in: known).map { "did you mean \(quoted($0))?" }
    mistake(node, "\(message); \(hint ?? otherwise)")
  }

  /// Reads the whole file.
  mutating func read() {
    guard !tree.nodes.isEmpty, !tree.isNothing(0) else {
      if !tree.isCut {
        mistakes.add(
          line: 0, column: 0, "the file holds no plan; write at least one task under \"tasks:\"")
      }
      return
    }
    guard let entries = entries(of: 0, "a plan", example: "tasks: { hello: { run: echo hello } }")
    else { return }
    readSettings(entries)
    if let tasks = entries.first(where: { $0.name == "tasks" }) {
      readTasks(tasks)
    } else if !tree.isCut, mistakes.count == 0 {
      mistake(0, "the plan has no tasks; write at least one under \"tasks:\"")
    }
    guard !tree.isCut else { return }
    resolveNeeds()
    addAlwaysWaits()
    findCycles()
  }

  /// The keys of a plan.
  private static let keys = ["name", "workers", "defaults", "pools", "env", "tasks"]

  /// Reads everything but the tasks, which need it.
  private mutating func readSettings(_ entries: [Entry]) {
    for entry in entries {
      switch entry.name {
      case "name": name = nameText(entry, of: "a plan")
      case "workers": workers = number(entry, in: 1...PlanLimits.width)
      case "defaults": readDefaults(entry)
      case "pools": readPools(entry)
      case "env": defaults.environment = variables(entry)
      case "tasks": break
      default: unknownKey(entry, of: "a plan", known: Self.keys)
      }
    }
  }

  /// Reads what tasks inherit.
  private mutating func readDefaults(_ entry: Entry) {
    guard
      let entries = entries(of: entry.value, "\"defaults\"", example: "defaults: { timeout: 10m }")
    else { return }
    for entry in entries {
      switch entry.name {
      case "timeout": if let limit = timeout(entry) { defaults.timeout = limit }
      case "grace": if let grace = duration(entry) { defaults.grace = grace }
      case "retries":
        var retries = defaults.retries
        readRetries(entry, into: &retries, isTask: false)
        defaults.retries = retries
      default: unknownKey(entry, of: "\"defaults\"", known: ["timeout", "grace", "retries"])
      }
    }
  }

  /// Reads the pools.
  private mutating func readPools(_ entry: Entry) {
    hasLostKeys = tree.nodes[entry.value].kind != .map
    for entry in entries(of: entry.value, "\"pools\"", example: "pools: { disk: 1 }") ?? [] {
      checkName(entry.key, entry.name, of: "a pool")
      // A pool with a bad limit still exists.
      let limit = number(entry, in: 1...PlanLimits.width) ?? 1
      poolPlaces[entry.name] = pools.count
      pools.append(Plan.Pool(name: entry.name, limit: limit))
    }
    knowsPools = !hasLostKeys
  }
}

/// What tasks inherit from the plan.
struct TaskDefaults {
  /// The variables of every task.
  var environment: [Plan.Variable] = []
  /// The time-out.
  var timeout: Duration?
  /// The time between asking a task to end and ending it by force.
  var grace: Duration = .seconds(5)
  /// How often a task is tried again.
  var retries = Retries()

  /// How often a task is tried again, and when.
  struct Retries {
    /// The attempts after the first, nil until someone says.
    var limit: Int?
    /// The pause before the second attempt.
    var backoff: Duration = .seconds(1)
  }
}
