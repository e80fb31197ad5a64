internal import Glibc
internal import HeadwayPlan
internal import HeadwayText

/// The plan that a command works on, and the tasks of it that were named.
struct PlanFile {
  /// The plan, cut to what was asked for.
  let plan: Plan
  /// The file as the person named it.
  let path: String
  /// The folder of the file.
  let folder: String

  /// The file that is read where none is named.
  static let defaultName = "headway.yaml"
  /// The bytes that one read takes.
  private static let readSize = 1 << 16

  /// Finds and reads the plan that words name.
  ///
  /// The first word is a plan when it ends in `.yaml` or `.yml`, holds a slash, is a folder's dots, or is a folder
  /// with a plan while this one has none; every other word is a task.
  ///
  /// - Parameter words: A plan, tasks, both or nothing.
  /// - Throws: `PlanFileError` when there is no right plan.
  init(_ words: [String]) throws(PlanFileError) {
    var tasks = words[...]
    var path = Self.defaultName
    if let first = words.first, Self.isPlan(first) || Self.isFolderOfPlan(first) {
      path = first
      tasks = tasks.dropFirst()
    }
    if let folder = opendirIfFolder(path) { path = "\(folder)/\(Self.defaultName)" }
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

  /// Whether a word names a folder with a plan, where this folder has none whose task it could be.
  private static func isFolderOfPlan(_ word: String) -> Bool {
    unsafe access(defaultName, F_OK) != 0 && access("\(word)/\(defaultName)", F_OK) == 0
  }

  /// Reads a file whole.
  private static func read(_ path: String, isNamed: Bool) throws(PlanFileError) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      let words = unsafe String(cString: strerror(errno))
      if errno == ENOENT && !isNamed {
        throw PlanFileError(
          message: "headway: there is no \(defaultName) here; name a plan: headway run PLAN.yaml\n")
      }
      throw PlanFileError(message: "headway: cannot read the plan '\(path)': \(words)\n")
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    while true {
      var got = 0
      bytes += unsafe [UInt8](unsafeUninitializedCapacity: readSize) { room, count in
        got = unsafe Glibc.read(file, room.baseAddress, readSize)
        count = max(got, 0)
      }
      if got == 0 { return bytes }
      if got < 0 && errno != EINTR {
        let words = unsafe String(cString: strerror(errno))
        throw PlanFileError(message: "headway: cannot read the plan '\(path)': \(words)\n")
      }
    }
  }

  /// Returns the diagnostics and their number.
  private static func text(of error: PlanDiagnostics) -> String {
    let count = counted(error.diagnostics.count + error.omitted, "error")
    return "\(error.rendered())\nheadway: \(count) in \(error.file)\n"
  }
}

/// Why there is no plan to work on.
struct PlanFileError: Error {
  /// The lines to print.
  let message: String
}

/// The path of a folder without a slash at its end, nil for what is no folder.
private func opendirIfFolder(_ path: String) -> String? {
  var status = stat()
  guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
  return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
}
