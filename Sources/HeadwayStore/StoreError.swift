internal import CHeadwaySQLite

/// Why a database could not be used, in words that say what to do.
package struct StoreError: Error, Hashable, Sendable {
  /// What went wrong, as far as callers act on it.
  package enum Kind: Hashable, Sendable {
    /// Another program holds the file for longer than we wait.
    case locked
    /// What the file holds is not what was written.
    case damaged
    /// The file is a database of another program.
    case foreign
    /// The file was written by a version of this program that is newer than this one.
    case newer
    /// The file or its folder may not be written.
    case readOnly
    /// There is no room for more.
    case full
    /// The file cannot be opened, read or written.
    case unreachable
    /// SQLite refused for another reason.
    case refused
  }

  /// What went wrong.
  package let kind: Kind
  /// The path of the file.
  package let path: String
  /// What SQLite or the system says about it; may be empty.
  package let reason: String

  /// Creates an error.
  init(_ kind: Kind, path: String, reason: String = "") {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// Creates the error for a result of SQLite.
  ///
  /// - Parameters:
  ///   - code: The result, extended or not.
  ///   - path: The path of the file.
  ///   - reason: What SQLite says about it.
  init(code: Int32, path: String, reason: String) {
    let kind: Kind =
      switch code & 0xff {
      case SQLITE_BUSY, SQLITE_LOCKED: .locked
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
      case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .readOnly
      case SQLITE_FULL: .full
      case SQLITE_CANTOPEN, SQLITE_IOERR: .unreachable
      default: .refused
      }
    self.init(kind, path: path, reason: reason)
  }

  /// A line that a person can act on.
  package var message: String {
    switch kind {
    case .locked:
      "'\(path)' is locked by another program; end that program and later runs are kept again"
    case .damaged:
      "'\(path)' is damaged; move it away and the next run begins a new one"
    case .foreign:
      "'\(path)' belongs to another program and is left untouched; move it away to have a history"
    case .newer:
      "'\(path)' was written by a newer headway and is left as it is; update headway or move it"
    case .readOnly:
      "'\(path)' cannot be written; make the file and its folder writable to have runs kept"
    case .full:
      "there is no room for more in '\(path)'; free some space to have runs kept"
    case .unreachable:
      "'\(path)' cannot be used (\(reason)); mend that or name another folder with --state DIR"
    case .refused:
      "'\(path)' cannot be used (\(reason)); remove it and the next run begins a new one"
    }
  }
}
