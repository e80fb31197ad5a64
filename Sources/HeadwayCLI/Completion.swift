internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRun
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayView

/// What can be typed next on a command line.
struct Completion {
  /// A word that can be typed.
  struct Candidate: Equatable {
    let text: String
    var about = ""
    /// Whether a value follows in the same word.
    var takesValue = false
    /// Whether more of the same word follows, as after a folder.
    var isOpen: Bool { takesValue || text.hasSuffix("/") }
  }

  /// What the shell adds to the candidates.
  enum Files: String {
    case none = "words"
    case files, folders
  }

  /// The most variants that are offered before the name of their task is typed.
  private static let variantLimit = 50
  /// The most names of runs that are offered.
  private static let runLimit = 50

  /// The candidates that fit what was typed of the word.
  private(set) var candidates: [Candidate] = []
  /// The files that the shell offers.
  private(set) var files = Files.none
  /// What was typed of the word, or of the value after an option and an equals sign.
  private(set) var prefix: String

  private let current: String
  private var words: [String] = []
  private var given: [String: String] = [:]

  /// Completes a word.
  ///
  /// - Parameters:
  ///   - before: The words between the name of the program and the word to complete.
  ///   - current: What was typed of that word.
  init(after before: [String], current: String) {
    (self.current, prefix) = (current, current)
    var before = before[...]
    var folder: String?
    if before.first == "-C" {
      before.removeFirst()
      guard let named = before.popFirst() else {
        files = .folders
        return
      }
      folder = named
    }
    guard let name = before.popFirst() else {
      addCommands()
      if current.hasPrefix("-") { addOptions(of: nil) }
      finish()
      return
    }
    guard let command = Command.named(name) else { return }
    if let folder { given["--directory"] = folder }
    read(before, command)
    finish()
  }

  /// Reads the words before the current one, and completes it.
  private mutating func read(_ before: ArraySlice<String>, _ command: Command) {
    var rest = before
    while let word = rest.popFirst() {
      if word == "--" {
        // What follows is for the tasks.
        if command.name == "run" { return }
        words += rest
        return addOperands(of: command)
      }
      guard word.hasPrefix("-"), word != "-" else {
        words.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if let option = command.options.first(where: { $0.takes(joined: word) }) {
        given[option.name] = String(word.dropFirst(2))
      } else if let option = command.options.first(where: { $0.name == name || $0.letter == name })
      {
        if option.value == nil || parts.count > 1 {
          given[option.name] = parts.count > 1 ? String(parts[1]) : ""
        } else if let value = rest.popFirst() {
          given[option.name] = value
        } else {
          return addValues(of: option, before: "")
        }
      }
    }
    let parts = current.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if current.hasPrefix("--"), parts.count > 1 {
      guard let option = command.options.first(where: { $0.name == parts[0] }) else { return }
      prefix = String(parts[1])
      return addValues(of: option, before: "\(option.name)=")
    }
    if current.hasPrefix("-"), current != "-" || command.operands.isAlwaysWord {
      addOptions(of: command)
    } else {
      if current == "-" { addOptions(of: command) }
      addOperands(of: command)
    }
  }

  /// Keeps what fits the word, once, without what a line cannot hold.
  private mutating func finish() {
    var seen: Set<String> = []
    candidates = candidates.filter { candidate in
      candidate.text.hasPrefix(current) && !candidate.text.isEmpty
        && candidate.text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        && seen.insert(candidate.text).inserted
    }
  }

  // MARK: Commands and options

  private mutating func addCommands() {
    candidates += Command.all.map { Candidate(text: $0.name, about: $0.summary) }
  }

  private mutating func addOptions(of command: Command?) {
    for option in command?.options ?? [.directory]
    where !option.isHidden && (given[option.name] == nil || option.isRepeatable) {
      candidates.append(Candidate(text: option.name, about: option.help))
      if current.count < 3, let letter = option.letter {
        candidates.append(Candidate(text: letter, about: option.help))
      }
    }
    candidates.append(Candidate(text: "--help", about: "show the help"))
    if command == nil { candidates.append(Candidate(text: "--version", about: "show the version")) }
  }

  private mutating func addValues(of option: Arguments.Option, before: String) {
    switch option.accepts {
    case .words(let words): candidates += words.map { Candidate(text: before + $0) }
    case .file: files = .files
    case .folder: files = .folders
    case .task: addTasks()
    case .number, .text: break
    }
  }

  // MARK: Operands

  private mutating func addOperands(of command: Command) {
    switch command.operands {
    case .none: break
    case .plan: if words.allSatisfy({ Plan.Setting($0) != nil }) { addPlans() }
    case .planAndTasks:
      addTasks()
      if words.allSatisfy({ Plan.Setting($0) != nil }) { addPlans() }
    case .words(let choices):
      if words.isEmpty { candidates += choices.map { Candidate(text: $0) } }
    case .command: if words.isEmpty { addCommands() }
    case .historyPlans:
      if words.isEmpty { candidates.append(Candidate(text: "clear", about: "delete runs")) }
      guard words.isEmpty || words == ["clear"] else { return }
      addPlans()
      guard let store = history() else { return }
      candidates += store.list().plans.map { Candidate(text: $0.name, about: "plan") }
    case .storedPlans:
      if words.isEmpty { addStoredPlans(runs()) }
    case .storedRun:
      if words.isEmpty { addStoredRuns() }
    case .storedRunAndTasks:
      addTasksOfRun()
      if words.isEmpty { addStoredRuns() }
    case .historyRun:
      guard words.isEmpty else { return }
      addPlans()
      candidates += (history()?.runs(limit: Self.runLimit) ?? []).map {
        Candidate(text: $0.name, about: "run of \($0.plan)")
      }
    case .work: if words.isEmpty { addWorks() }
    case .workAndTasks:
      addTasksOfRun(waiting: true)
      if words.isEmpty { addWorks() }
    }
  }

  /// The folder of `-C` with a slash, empty for the current one.
  private var folder: String {
    guard let folder = given["--directory"].map(Self.expanded), !folder.isEmpty else { return "" }
    return folder.hasSuffix("/") ? folder : "\(folder)/"
  }

  private func history() -> HistoryStore? {
    try? HistoryLocation(nil, stateFolder: given["--state"].map(Self.expanded)).open()
  }

  /// Adds the newest runs that are kept, and their plans.
  private mutating func addStoredRuns() {
    let runs = runs()
    candidates += runs.map { Candidate(text: $0.run, about: "run of \($0.plan)") }
    if !runs.isEmpty { candidates.append(Candidate(text: "latest", about: "the newest run")) }
    addStoredPlans(runs)
  }

  /// Adds the tasks of the run that was named, or of the one that counts without a name.
  ///
  /// - Parameter open: Whether only a run that goes on counts, and of its tasks those that have not ended.
  private mutating func addTasksOfRun(waiting open: Bool = false) {
    guard
      let search = try? RunSearch(
        in: given["--directory"], stateFolder: given["--state"].map(Self.expanded)),
      let found = try? search.findWithTasks(words), let header = try? found.run.folder.header()
    else { return }
    let taken = Set(found.tasks)
    var names = header.tasks.map(\.name)
    if open {
      guard let run = try? found.run.folder.read(), !run.isOver else { return }
      names = names.indices.filter { run.state.outcome(of: TaskID($0)) == nil }.map { names[$0] }
    }
    candidates += names.filter { !taken.contains($0) }.map { Candidate(text: $0, about: "task") }
  }

  /// Adds the work that runs.
  private mutating func addWorks() {
    for work in PublishedWorks.now(within: .milliseconds(40), onProblem: { _ in }).described {
      candidates.append(Candidate(text: work.id, about: work.title))
      if let name = work.name { candidates.append(Candidate(text: name, about: work.title)) }
    }
  }

  /// Adds the plans of runs, and plan files.
  private mutating func addStoredPlans(_ runs: [RunHeader]) {
    addPlans()
    candidates += Set(runs.map(\.plan)).sorted().map { Candidate(text: $0, about: "plan") }
  }

  /// The headers of the newest runs that are kept.
  private func runs() -> [RunHeader] {
    guard
      let location = try? HistoryLocation(
        nil, stateFolder: given["--state"].map(Self.expanded), in: given["--directory"]),
      let folders = try? RunFolder.all(in: location.folder)
    else { return [] }
    return folders.prefix(Self.runLimit).compactMap { try? $0.header() }
  }

  /// Adds the tasks of the plan that was named, or of the default one.
  private mutating func addTasks() {
    guard let path = planPath(), FileStatus(path)?.kind == .file,
      let list = try? PlanFile([path]).tasks
    else { return }
    let taken = Set(words)
    let offersVariants = list.variantCount <= Self.variantLimit
    for task in list.tasks {
      if !taken.contains(task.name) {
        candidates.append(Candidate(text: task.name, about: task.about))
      }
      guard offersVariants || current.hasPrefix(task.name) else { continue }
      candidates += task.variants.filter { !taken.contains($0) }.map {
        Candidate(text: $0, about: task.about)
      }
    }
    addVariables(list.definitions)
  }

  /// Adds the variables of a plan, or the values that the typed one may have.
  private mutating func addVariables(_ definitions: [Plan.Definition]) {
    let given = Set(words.compactMap { Plan.Setting($0)?.name })
    for definition in definitions where !given.contains(definition.name) {
      let word = "\(definition.name)="
      if current.hasPrefix(word) {
        candidates += definition.values.map { Candidate(text: word + $0) }
      } else {
        candidates.append(
          Candidate(text: word, about: definition.summary ?? "variable", takesValue: true))
      }
    }
  }

  /// The path of the plan, in a form that is not read as a task; nil if there is none.
  private func planPath() -> String? {
    var path = try? PlanSearch.path(from: folder)
    if let first = words.first(where: { Plan.Setting($0) == nil }), PlanFile.isPlan(first) {
      let named = Self.expanded(first)
      path = named.hasPrefix("/") ? named : folder + named
      if let given = path, FileStatus(given)?.kind == .folder {
        path = try? PlanSearch.path(in: given.hasSuffix("/") ? given : "\(given)/")
      }
    }
    return path.map { $0.contains("/") ? $0 : "./\($0)" }
  }

  /// Adds the plan files and the folders in the folder of the word.
  private mutating func addPlans() {
    let slash = current.lastIndex(of: "/")
    let typed = slash.map { String(current[...$0]) } ?? ""
    let place = Self.expanded(typed)
    let path = place.hasPrefix("/") ? place : folder + place
    guard let entries = unsafe opendir(path.isEmpty ? "." : path) else { return }
    defer { unsafe closedir(entries) }
    let rest = current.dropFirst(typed.count)
    var found: [Candidate] = []
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // A name that is not UTF-8 would be refused.
      guard let name, name != ".", name != "..", name.hasPrefix(rest) else { continue }
      guard !name.hasPrefix(".") || rest.hasPrefix(".") else { continue }
      if FileStatus(path + name)?.kind == .folder {
        found.append(Candidate(text: "\(typed)\(name)/", about: "folder"))
      } else if PlanFile.isPlan(name) {
        found.append(Candidate(text: typed + name, about: "plan"))
      }
    }
    candidates += found.sorted { $0.text < $1.text }
  }

  /// A path in which `~/` is replaced by the home folder.
  private static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = environmentValue("HOME") else { return path }
    return home + path.dropFirst()
  }
}

extension Command.Operands {
  /// Whether a single dash is not one of them, as it is for a plan on standard input.
  fileprivate var isAlwaysWord: Bool {
    switch self {
    case .plan, .planAndTasks: false
    case .none, .historyPlans, .storedPlans, .storedRun, .storedRunAndTasks, .historyRun, .work,
      .workAndTasks, .words, .command:
      true
    }
  }
}
