internal import HeadwayLibc

/// What the system knows of a file; links are followed.
package struct FileStatus {
  /// Identifies a file on this machine.
  package struct Identity: Hashable {
    /// The device of its file system.
    package let device: UInt
    fileprivate let number: UInt
  }

  private let status: stat

  /// Asks for a file; nil if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.status = status
  }

  /// Asks for an open file; nil if the system does not answer.
  package init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.status = status
  }

  /// Identifies the file.
  package var identity: Identity { Identity(device: status.st_dev, number: status.st_ino) }
  /// The user whom it belongs to.
  package var owner: UInt32 { status.st_uid }
  /// Whether this user or root owns it.
  package var isOwn: Bool { status.st_uid == geteuid() || status.st_uid == 0 }
  /// Whether nobody else can write it; a group that only this user is in, as many systems have one for each, is no one else.
  package var isSafe: Bool {
    guard isOwn, !isWritableByAll else { return false }
    return status.st_mode & S_IWGRP == 0
      || status.st_uid == geteuid() && status.st_gid == getegid() && UserGroups().isPrivate()
  }

  /// Whether it is a regular file, whose reading ends.
  package var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
  /// Whether every user can write it.
  private var isWritableByAll: Bool { status.st_mode & S_IWOTH != 0 }

  /// Why a file that a plan refers to must not be used; nil if it may be.
  ///
  /// The owner of the plan's folder may have written it as well as the plan: a container often runs as root in a folder of
  /// another user.
  package func refusal(in folder: FileStatus?) -> String? {
    if isSafe { return nil }
    let isOfFolder = owner == folder?.owner
    guard isOwn || isOfFolder else { return "belongs to user \(owner), not to you" }
    // A group that can write the folder could have replaced the plan.
    let isOfGroup =
      folder.map { $0.status.st_gid == status.st_gid && $0.status.st_mode & S_IWGRP != 0 } ?? false
    let isOpen = isWritableByAll || (status.st_mode & S_IWGRP != 0 && !isOfGroup)
    return isOpen ? "can be written by other users" : nil
  }
}
