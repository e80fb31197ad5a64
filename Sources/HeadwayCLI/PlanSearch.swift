internal import HeadwayFiles
internal import HeadwayLibc
internal import HeadwaySystem

/// Finds the plan with a default name: in a folder, or also in those above it.
///
/// The search ends at the home folder and at the border of the file system. A plan that was found above the folder must
/// belong to this user or to root, and nobody else may be able to write it: otherwise whoever can create a file in `/tmp`
/// could choose what runs in the folders below it.
enum PlanSearch {
  /// The default names.
  static let names = ["headway.yaml", "headway.yml"]

  /// The plans with a default name that a folder has.
  ///
  /// - Parameter prefix: The path of the folder with a slash, empty for the current folder.
  /// - Returns: The paths of the files that exist.
  static func plans(in prefix: String) -> [String] {
    names.map { prefix + $0 }.filter { unsafe access($0, F_OK) == 0 }
  }

  /// Finds the plan of a folder.
  ///
  /// - Parameter prefix: The path of the folder with a slash, empty for the current folder.
  /// - Returns: The path of the plan; if there is none, the path that it would have.
  /// - Throws: `UsageError` if there are two.
  static func path(in prefix: String) throws(UsageError) -> String {
    let plans = plans(in: prefix)
    guard plans.count < 2 else {
      throw UsageError(
        message: "both '\(plans[0])' and '\(plans[1])' exist; name one of them, or remove one")
    }
    return plans.first ?? prefix + names[0]
  }

  /// Finds the plan of a folder or of the nearest one above it.
  ///
  /// - Parameter prefix: The path of the folder with a slash, empty for the current folder.
  /// - Returns: The path of the plan; if there is none, the path that it would have in the folder.
  /// - Throws: `UsageError` if a folder has two, or others could have written the plan.
  static func path(from prefix: String) throws(UsageError) -> String {
    if !plans(in: prefix).isEmpty { return try path(in: prefix) }
    let home = environmentValue("HOME").flatMap { FileStatus($0)?.identity }
    var above = prefix
    while let folder = FileStatus(above.isEmpty ? "." : above)?.identity, folder != home,
      let next = FileStatus("\(above)..")?.identity, next != folder, next.device == folder.device
    {
      above += "../"
      guard !plans(in: above).isEmpty else { continue }
      let path = try path(in: above)
      try refuseForeign(path)
      return path
    }
    return prefix + names[0]
  }

  /// Refuses a file that other users could have written.
  ///
  /// - Throws: `UsageError` with what to do.
  static func refuseForeign(_ path: String) throws(UsageError) {
    guard let file = FileStatus(path), !file.isSafe else { return }
    let reason =
      file.isOwn ? "can be written by other users" : "belongs to user \(file.owner), not to you"
    throw UsageError(
      message:
        "'\(path)' was not used, because it \(reason); name it to use it: headway run \(path)")
  }
}
