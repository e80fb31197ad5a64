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
  /// - Throws: `PlanFileError` if there is no valid plan.
  init(_ words: [String]) throws(PlanFileError) {
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
      let whole = try Plan.read(bytes, file: path)
      plan = try whole.selection(of: Array(tasks))
    } catch let error as PlanDiagnostics {
      throw PlanFileError(message: Self.text(of: error))
    } catch let unknown as UnknownTasks {
      throw PlanFileError(message: "headway: \(unknown.description)\n")
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

  /// Reads a file.
  private static func read(_ path: String, isNamed: Bool) throws(PlanFileError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      let words = unsafe String(cString: strerror(errno))
      if errno == ENOENT && !isNamed {
        throw PlanFileError(
          message: "headway: no \(defaultName) in this folder; name a plan: headway run PLAN.yaml\n"
        )
      }
      throw PlanFileError(message: "headway: cannot read the plan '\(path)': \(words)\n")
    }
    defer { close(file) }
    let (bytes, error) = readAll(file, limit: .max)
    if error != 0 {
      let words = unsafe String(cString: strerror(error))
      throw PlanFileError(message: "headway: cannot read the plan '\(path)': \(words)\n")
    }
    return bytes
  }

  /// Returns the diagnostics and their number.
  private static func text(of error: PlanDiagnostics) -> String {
    let count = counted(error.diagnostics.count + error.omitted, "error")
    return "\(error.rendered())\nheadway: \(count) in \(error.file)\n"
  }
}

/// Why a plan cannot be read.
struct PlanFileError: Error {
  /// The lines to print.
  let message: String
}

/// The path of a folder without a trailing slash, nil if it is not a folder.
private func folderPath(_ path: String) -> String? {
  var status = stat()
  guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
  return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
}
