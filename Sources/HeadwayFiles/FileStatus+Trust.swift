internal import HeadwayLibc
package import HeadwaySystem

extension FileStatus {
  /// Whether this user or root owns it.
  package var isOwn: Bool { owner == geteuid() || owner == 0 }
  /// Whether nobody else can write it; a group that only this user is in, as many systems have one for each, is no one else.
  package var isSafe: Bool {
    guard isOwn, !isWritableByAll else { return false }
    return !isWritableByGroup
      || owner == geteuid() && group == getegid() && UserGroups().isPrivate()
  }

  private var isWritableByAll: Bool { permissions & 0o002 != 0 }
  private var isWritableByGroup: Bool { permissions & 0o020 != 0 }

  /// Why a file that a plan refers to must not be used; nil if it may be.
  ///
  /// The owner of the plan's folder may have written it as well as the plan: a container often runs as root in a folder of
  /// another user.
  package func refusal(in folder: FileStatus?) -> String? {
    if isSafe { return nil }
    let isOfFolder = owner == folder?.owner
    guard isOwn || isOfFolder else { return "belongs to user \(owner), not to you" }
    // A group that can write the folder could have replaced the plan.
    let isOfGroup = folder.map { $0.group == group && $0.isWritableByGroup } ?? false
    let isOpen = isWritableByAll || (isWritableByGroup && !isOfGroup)
    return isOpen ? "can be written by other users" : nil
  }
}
