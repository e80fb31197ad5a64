internal import Glibc
internal import HeadwayPlan
internal import HeadwaySystem
internal import HeadwayText

/// The plan that a command works on.
struct PlanFile {
  /// The plan, reduced to the requested tasks and their dependencies.
  let plan: Plan
  /// The path as it was given.
  let path: String
  /// The folder of the file.
  let folder: String

  /// The file that is read by default.
  static let defaultName = "headway.yaml"

  /// Finds and reads a plan.
  ///
  /// The first word is a plan if it ends in `.yaml` or `.yml`, contains a slash, is `.` or `..`, or is a folder with a
  /// plan while the current folder has none; every other word is a task.
  ///
  /// - Parameter words: A plan, tasks, both or nothing.
  /// - Throws: `UsageError` if there is no valid plan.
  init(_ words: [String]) throws(UsageError) {
    var tasks = words[...]
    var path = Self.defaultName
    if let first = words.first, Self.isPlan(first) || Self.isFolderOfPlan(first) {
      path = first
      tasks = tasks.dropFirst()
    }
    if let folder = folderPath(path) { path = "\(folder)/\(Self.defaultName)" }
    let bytes = try Self.read(path, isNamed: words.first.map(Self.isPlan) ?? false)
    let slash = path.lastIndex(of: "/")
    folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    self.path = path
    do {
      let whole = try Plan.read(
        bytes, file: path, defaultName: Self.nameOfFolder(folder, ifDefault: path))
      plan = try whole.selection(of: Array(tasks))
    } catch let error as PlanDiagnostics {
      let count = counted(error.diagnostics.count + error.omitted, "error")
      throw UsageError(details: error.rendered() + "\n", message: "\(count) in \(error.file)")
    } catch let unknown as UnknownTasks {
      throw UsageError(message: unknown.description)
    } catch {
      preconditionFailure("reading a plan throws nothing else: \(error)")
    }
  }

  /// Whether a word names a plan, not a task.
  static func isPlan(_ word: String) -> Bool {
    word.hasSuffix(".yaml") || word.hasSuffix(".yml") || word.contains("/") || word == "."
      || word == ".."
  }

  /// Whether a word names a folder with a plan, and cannot be a task because the current folder has no plan.
  private static func isFolderOfPlan(_ word: String) -> Bool {
    unsafe access(defaultName, F_OK) != 0 && access("\(word)/\(defaultName)", F_OK) == 0
  }

  /// The name of the folder of a plan, if the plan is its `headway.yaml`, whose own name would say nothing.
  private static func nameOfFolder(_ folder: String, ifDefault path: String) -> String? {
    guard path == defaultName || path.hasSuffix("/\(defaultName)"),
      let resolved = unsafe realpath(folder, nil)
    else { return nil }
    defer { unsafe free(resolved) }
    // The root has no name.
    return unsafe String(cString: resolved).split(separator: "/").last.map { String($0) }
  }

  /// Reads a file, but not more than shows that it is too large, because `/dev/zero` has no end.
  private static func read(_ path: String, isNamed: Bool) throws(UsageError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 && errno == ENOENT && !isNamed {
      throw UsageError(
        message: "no \(defaultName) in this folder; name a plan: headway run PLAN.yaml")
    }
    let (bytes, error) = file < 0 ? ([], errno) : readAll(file, limit: PlanLimits.fileBytes + 1)
    if file >= 0 { close(file) }
    guard error == 0 else {
      let words = unsafe String(cString: strerror(error))
      throw UsageError(message: "cannot read the plan '\(path)': \(words)")
    }
    return bytes
  }
}

/// The path of a folder without a trailing slash, nil if it is not a folder.
private func folderPath(_ path: String) -> String? {
  var status = stat()
  guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
  return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
}
