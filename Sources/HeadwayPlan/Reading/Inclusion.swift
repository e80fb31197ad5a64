internal import HeadwayFiles
internal import HeadwayText

/// Where a file is included, and what all included files of a plan share: their limits and their errors.
///
/// Paths are relative to the folder of the plan, without `.` and `..`.
struct Inclusion {
  /// The files from the plan to the one that is read.
  var chain: [String]
  /// The folder to which the tasks of the file belong, empty for that of the plan.
  var base = ""
  /// What messages put before the path of an included file.
  let prefix: String
  /// The number of files that have been included so far.
  var files = 0
  /// Their bytes.
  var bytes = 0
  /// The errors in them; those beyond `PlanLimits.diagnostics` are counted only.
  var diagnostics: [PlanDiagnostic] = []
  /// The number of all errors in them.
  var errorCount = 0
  /// What the files say of secrets, also those that have errors.
  var hidden = Plan.HiddenValues()
  /// The files that have errors, so that each is reported once.
  var broken: Set<ExactText> = []

  /// Begins with a plan.
  ///
  /// - Parameter file: The path of the plan as the caller named it.
  init(plan file: String) {
    let isSystemPath = file.hasPrefix("/dev/") || file.hasPrefix("/proc/")
    let end = isSystemPath ? nil : file.lastIndex(of: "/").map { file.index(after: $0) }
    prefix = end.map { String(file[..<$0]) } ?? ""
    chain = [isSystemPath ? "" : String(end.map { file[$0...] } ?? file[...])]
  }

  /// The folder of the file that is read, empty for that of the plan.
  var folder: String { Self.parent(of: chain.last ?? "") }

  /// The folder of a path, empty if it has none.
  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  /// Returns a path without `.` and `..`, or `nil` if it leads out of the folder of the plan.
  static func resolved(_ path: String, in folder: String) -> String? {
    guard !path.hasPrefix("/"), !path.hasPrefix("~") else { return nil }
    var parts = folder.split(separator: "/")
    for part in path.split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(part)
      } else if parts.popLast() == nil {
        return nil
      }
    }
    return parts.joined(separator: "/")
  }

  /// Adds the errors of an included file, or of another one whose lines must not be shown.
  mutating func report(
    _ list: DiagnosticList, in text: [UInt8], of file: String, showsLines: Bool = true
  ) {
    errorCount += list.count
    broken.insert(ExactText(file))
    let room = PlanLimits.diagnostics - diagnostics.count
    let found = showsLines ? list.first(in: text) : list.first()
    for var diagnostic in found.prefix(max(room, 0)) {
      diagnostic.file = file.hasPrefix("/") ? file : prefix + file
      diagnostics.append(diagnostic)
    }
  }
}

/// The files of a plan as seen from the folder of an included file.
struct IncludedSources: PlanSources {
  /// The sources of the plan.
  let plan: any PlanSources
  /// The folder relative to that of the plan, not empty.
  let folder: String

  func contents(of path: String) throws(PlanSourceError) -> [UInt8] {
    try plan.contents(of: path.hasPrefix("/") ? path : "\(folder)/\(path)")
  }

  func files(matching pattern: String) throws(PlanSourceError) -> [String] {
    if pattern.isAbsolutePattern { return try plan.files(matching: pattern) }
    return try plan.files(matching: "\(folder.escapedForPattern)/\(pattern)")
      .map { String(decoding: $0.utf8.dropFirst(folder.utf8.count + 1), as: UTF8.self) }
  }
}

extension Plan.Task {
  /// Makes the paths of a task relative to the folder of the plan.
  ///
  /// A path in a task that is relative to the folder of its file must be changed here, too.
  mutating func move(into folder: String) {
    guard !folder.isEmpty else { return }
    switch directory {
    case let path? where path.hasPrefix("/") || path.hasPrefix("~"): break
    case let path?: directory = "\(folder)/\(path)"
    case nil: directory = folder
    }
    let pattern = folder.escapedForPattern
    inputs = inputs.map { $0.isAbsolutePattern ? $0 : "\(pattern)/\($0)" }
    outputs = outputs.map { $0.isAbsolutePattern ? $0 : "\(pattern)/\($0)" }
    if case .file(let path) = service?.readiness, !path.hasPrefix("/") {
      service?.readiness = .file("\(folder)/\(path)")
    }
  }
}
