internal import HeadwayLibc
internal import HeadwaySystem

/// The users and groups of this machine, as far as its files name them: whether a group is one user's alone.
///
/// Some systems have a group for each user, and others one for all of them, such as `users`. A directory service is not asked, because
/// its libraries cannot be linked statically and may take long to answer. A pure value.
struct UserGroups {
  /// The most bytes that are read of each file.
  private static let fileLimit = 16 << 20

  /// The lines of `/etc/passwd` and `/etc/group`, in fields.
  private let users: [[Substring]]
  private let groups: [[Substring]]

  /// Reads the files of this machine.
  init() {
    func text(_ path: String) -> String {
      String(decoding: readFile(path, most: Self.fileLimit), as: UTF8.self)
    }
    self.init(users: text("/etc/passwd"), groups: text("/etc/group"))
  }

  /// Takes what the files contain.
  ///
  /// - Parameters:
  ///   - users: Lines such as `ann:x:1000:1000::/home/ann:/bin/sh`.
  ///   - groups: Lines such as `ann:x:1000:ben,cleo`.
  init(users: String, groups: String) {
    func fields(_ text: String, atLeast count: Int) -> [[Substring]] {
      text.split(separator: "\n").compactMap { line in
        let fields = line.split(separator: ":", omittingEmptySubsequences: false)
        return fields.count >= count ? fields : nil
      }
    }
    self.users = fields(users, atLeast: 4)
    self.groups = fields(groups, atLeast: 4)
  }

  /// Whether nobody but a user is in a group.
  ///
  /// What the files do not name is private if the numbers of the user and of the group are the same, as directory services have it for the
  /// groups of single users.
  func isPrivate(group: gid_t = getegid(), to user: uid_t = geteuid()) -> Bool {
    let name = users.first { uid_t($0[2]) == user }?[0]
    let isOthersToo = users.contains { gid_t($0[3]) == group && uid_t($0[2]) != user }
    guard !isOthersToo else { return false }
    guard let known = groups.first(where: { gid_t($0[2]) == group }) else { return user == group }
    let members = known[3].split(separator: ",").filter { $0 != name }
    return members.isEmpty && (known[0] == name || user == group)
  }
}
