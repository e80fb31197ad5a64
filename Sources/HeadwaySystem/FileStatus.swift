internal import HeadwayLibc

/// What the system knows of a file, folder, link or anything else that has a path or a descriptor, at the time of the question.
package struct FileStatus {
  /// What there is at a path.
  package enum Kind: Hashable, Sendable {
    case file, folder, link, pipe, socket, device
  }

  /// Identifies a file on this machine, whatever its path; once it is removed, another one may get the same.
  package struct Identity: Hashable, Sendable {
    /// The device of its file system.
    package let device: UInt64
    private let number: UInt64

    fileprivate init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
    }
  }

  private let status: stat

  /// Asks for a path, whose bytes need not be valid UTF-8; nil if nothing is there.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - followsLinks: Whether it is about what a symbolic link leads to; then one that leads nowhere is nothing.
  package init?(_ path: PathBytes, followsLinks: Bool = true) {
    var status = stat()
    let result = unsafe FileSystem.withPath(path) {
      unsafe followsLinks ? stat($0, &status) : lstat($0, &status)
    }
    guard result == 0 else { return nil }
    self.status = status
  }

  /// Asks for a path; nil if nothing is there.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - followsLinks: Whether it is about what a symbolic link leads to; then one that leads nowhere is nothing.
  package init?(_ path: String, followsLinks: Bool = true) {
    self.init(Array(path.utf8), followsLinks: followsLinks)
  }

  /// Asks for what a descriptor has open; nil, with the reason in `errno`, if the system does not answer.
  package init?(descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.status = status
  }

  /// Asks for a name in an open folder, without following a link; nil if nothing is there.
  init?(_ name: String, in folder: Int32) {
    var status = stat()
    guard unsafe fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
    self.status = status
  }

  /// What it is.
  package var kind: Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    case S_IFLNK: .link
    case S_IFIFO: .pipe
    case S_IFSOCK: .socket
    default: .device
    }
  }

  package var identity: Identity { Identity(status) }
  /// The bytes of a file.
  package var size: Int { Int(status.st_size) }
  /// The number of the user it belongs to.
  package var owner: UInt32 { status.st_uid }
  /// The number of the group it belongs to.
  package var group: UInt32 { status.st_gid }
  /// Who may do what, as in `chmod`.
  package var permissions: UInt16 { UInt16(status.st_mode & 0o7777) }

  /// When the contents were last changed, since 1970 by the clock of the system.
  package var modified: Duration {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
