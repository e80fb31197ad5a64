internal import Glibc
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

/// What the system knows of a file; links are followed.
private struct FileStatus {
  /// Identifies a file on this machine.
  struct Identity: Hashable {
    let device: dev_t
    let number: ino_t
  }

  private let status: stat

  /// Asks for a file; nil if there is none.
  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.status = status
  }

  var identity: Identity { Identity(device: status.st_dev, number: status.st_ino) }
  var owner: UInt32 { status.st_uid }
  /// Whether this user or root owns it.
  var isOwn: Bool { status.st_uid == geteuid() || status.st_uid == 0 }
  /// Whether nobody else can write it; a group that is this user's own, as many systems have one for each, is no one else.
  var isSafe: Bool {
    let isOwnGroup = status.st_gid == getegid() && status.st_uid == geteuid()
    return isOwn && status.st_mode & S_IWOTH == 0 && (status.st_mode & S_IWGRP == 0 || isOwnGroup)
  }
}
