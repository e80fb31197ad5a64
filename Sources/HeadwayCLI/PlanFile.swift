internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwayRunner
internal import HeadwayState
internal import HeadwaySystem
internal import HeadwayText

/// The plan that a command works on.
struct PlanFile {
  /// The plan, reduced to the requested tasks and their dependencies.
  let plan: Plan
  /// The path as it was given.
  let path: String
  /// The folder of the file; the current folder if the plan is not a regular file, but a pipe, for example.
  let folder: String

  /// What was asked for, for those who repeat or continue the run.
  let invocation: Invocation

  /// The plan with all tasks of the file.
  private let whole: Plan

  /// The endings by which a plan is known; JSON is YAML, too.
  private static let endings = [".yaml", ".yml", ".json"]
  /// The maximum number of warnings.
  private static let maxWarnings = 10

  /// Finds and reads a plan.
  ///
  /// The first word is a plan if it ends in `.yaml`, `.yml` or `.json`, contains a slash, is `-`, `.` or `..`, or is a folder
  /// with a plan while the current folder has none; every other word is a task. Without a plan, one with a default name is
  /// looked for in the current folder and then in those above it; see `PlanSearch`. A word such as `NAME=VALUE` sets a variable,
  /// unless it is the name of a task.
  ///
  /// - Parameters:
  ///   - words: A plan, tasks, values of variables, all of them or nothing.
  ///   - directory: The folder in place of the current one, nil for that.
  ///   - arguments: The arguments for tasks.
  /// - Throws: `UsageError` if there is no valid plan, `RunnerError.system` if the system has no memory or descriptors left.
  init(
    _ words: [String], in directory: String? = nil, arguments: [String] = []
  ) throws {
    var invocation = Invocation()
    invocation.settings = words.filter { Plan.Setting($0) != nil }
    let words =
      invocation.settings.isEmpty ? words : words.filter { Plan.Setting($0) == nil }
    var names = words[...]
    var path = ""
    let prefix = try Self.prefix(of: directory)
    if let first = words.first, Self.isPlan(first) || Self.isFolderOfPlan(first, in: prefix) {
      // A dash, as other tools have it, stands for standard input.
      path = first == "-" ? "/dev/stdin" : first.hasPrefix("/") ? first : prefix + first
      names = names.dropFirst()
    }
    if path.isEmpty {
      path = try PlanSearch.path(from: prefix)
    } else if let folder = folderPath(path) {
      path = try PlanSearch.path(in: "\(folder)/")
    }
    let bytes = try Self.read(path, isNamed: words.first.map(Self.isPlan) ?? false)
    let isSystemPath = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
    invocation.words = Array(names)
    let folder: String
    if isSystemPath || FileStatus(path)?.kind != .file {
      folder = directory ?? "."
      invocation.text = String(decoding: bytes, as: UTF8.self)
    } else {
      folder = splitPath(path).folder
      invocation.file = absolutePath(path)
    }
    try self.init(
      bytes, path: path, folder: folder,
      defaultName: isSystemPath ? "stdin" : Self.nameOfFolder(folder, ifDefault: path), invocation,
      arguments)
  }

  /// Reads the plan of an earlier run again.
  ///
  /// - Parameters:
  ///   - invocation: What was asked for then; the values of secrets are missing in it.
  ///   - folder: The folder of the plan.
  ///   - arguments: The arguments for tasks.
  /// - Throws: `UsageError` if there is no valid plan, `RunnerError.system` if the system has no memory or descriptors left.
  init(_ invocation: Invocation, folder: String, arguments: [String]) throws {
    if let text = invocation.text {
      let standardInput = "/dev/stdin"
      try self.init(
        Array(text.utf8), path: standardInput, folder: folder, defaultName: "stdin", invocation,
        arguments)
    } else {
      let path = invocation.file ?? ""
      try self.init(
        try Self.read(path, isNamed: true), path: path, folder: splitPath(path).folder,
        defaultName: Self.nameOfFolder(splitPath(path).folder, ifDefault: path), invocation,
        arguments)
    }
  }

  /// Reads a plan from its bytes.
  private init(
    _ bytes: [UInt8], path: String, folder: String, defaultName: String?, _ invocation: Invocation,
    _ arguments: [String]
  ) throws {
    (self.path, self.folder, self.invocation) = (path, folder, invocation)
    let settings = invocation.settings.compactMap(Plan.Setting.init)
    var hint = ""
    do {
      whole = try Plan.read(
        bytes, file: path,
        defaultName: defaultName,
        sources: PlanFolder(folder),
        given: Plan.Given(
          settings: settings, arguments: arguments, makeHiding: { Plan.hiding($0) }))
      try whole.check(settings, hiding: whole.hiding)
      let names = invocation.words + whole.names(among: settings)
      do throws(UnknownTasks) {
        plan = try whole.selection(of: names).expandingHome(environmentValue("HOME"))
      } catch {
        hint = TaskList(whole).hint
        throw error.masked(by: whole.hiding)
      }
    } catch let error as PlanDiagnostics {
      let count = counted(error.diagnostics.count + error.omitted, "error")
      throw UsageError(details: error.rendered() + "\n", message: "\(count) in \(error.file)")
    } catch let unknown as UnknownTasks {
      throw UsageError(details: hint, message: unknown.description)
    } catch let error as Plan.GivenError {
      throw UsageError(message: error.description)
    } catch {
      preconditionFailure("reading a plan throws nothing else: \(error)")
    }
  }

  /// All tasks of the file.
  var tasks: TaskList { TaskList(whole) }

  /// Checks that the tasks have all values that they need from the command line.
  func checkNeeds() throws(UsageError) {
    do {
      try plan.checkNeeds()
    } catch {
      throw UsageError(message: error.description)
    }
  }

  /// Lines about what is probably wrong with the plan on this machine; only the first of many.
  ///
  /// A task that depends on no other and whose directory does not exist will fail. A directory of another task may be
  /// created by a task before it.
  var warnings: [String] {
    let lost = plan.tasks.indices.lazy.filter { index in
      guard plan.tasks[index].after.isEmpty, let directory = plan.tasks[index].directory else {
        return false
      }
      let path = directory.hasPrefix("/") ? directory : "\(folder)/\(directory)"
      return FileStatus(path)?.kind != .folder
    }.prefix(Self.maxWarnings)
    let shown = lost.isEmpty ? plan : plan.withoutSecrets
    return lost.map { index in
      let task = shown.tasks[index]
      return
        "\(task.file.map { splitPath(path).folder + "/" + $0 } ?? path):\(task.line): the directory '\(task.directory ?? "")' of task '\(task.name)' does not exist"
        .sanitized
    }
  }

  /// Whether a word names a plan, not a task or a variable with a value.
  static func isPlan(_ word: String) -> Bool {
    Plan.Setting(word) == nil
      && (endings.contains(where: word.hasSuffix) || word.contains("/")
        || [".", "..", "-"].contains(word))
  }

  /// Whether a word names a folder with a plan, and cannot be a task because the current folder has no plan.
  private static func isFolderOfPlan(_ word: String, in prefix: String) -> Bool {
    PlanSearch.plans(in: prefix).isEmpty && !PlanSearch.plans(in: "\(prefix)\(word)/").isEmpty
  }

  /// The beginning of the paths in a folder, empty for the current one.
  private static func prefix(of directory: String?) throws(UsageError) -> String {
    guard let directory else { return "" }
    guard let folder = folderPath(directory) else {
      throw UsageError(message: "cannot use '\(directory)' for -C: it is not a directory")
    }
    return folder.hasSuffix("/") ? folder : "\(folder)/"
  }

  /// The name of the folder of a plan, if the plan has a default name, which would say nothing.
  private static func nameOfFolder(_ folder: String, ifDefault path: String) -> String? {
    guard PlanSearch.names.contains(where: { path == $0 || path.hasSuffix("/\($0)") }),
      let resolved = unsafe realpath(folder, nil)
    else { return nil }
    defer { unsafe free(resolved) }
    // The root has no name.
    return unsafe String(validatingCString: resolved)?.split(separator: "/").last
      .map { String($0) }
  }

  /// Reads a file, but not more than shows that it is too large, because `/dev/zero` has no end.
  private static func read(_ path: String, isNamed: Bool) throws -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 && errno == ENOENT && !isNamed {
      throw UsageError(
        message:
          "no \(PlanSearch.names[0]) in this folder or above it; name a plan: headway run PLAN.yaml"
      )
    }
    let (bytes, error) = file < 0 ? ([], errno) : readAll(file, limit: PlanLimits.fileBytes + 1)
    if file >= 0 { close(file) }
    // These errors are not the fault of the plan.
    if [EMFILE, ENFILE, ENOMEM].contains(error) {
      throw RunnerError.system("cannot read the plan '\(path)'", error)
    }
    guard error == 0 else {
      let words = unsafe String(cString: strerror(error))
      throw UsageError(message: "cannot read the plan '\(path)': \(words)")
    }
    return bytes
  }
}

/// The path of a folder without a trailing slash, nil if it is not a folder.
private func folderPath(_ path: String) -> String? {
  guard FileStatus(path)?.kind == .folder else { return nil }
  return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
}
