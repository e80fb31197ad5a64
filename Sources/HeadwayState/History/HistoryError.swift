internal import CHeadwaySQLite

/// Why a database could not be used, with a message that says what to do.
struct HistoryError: Error, Hashable, Sendable {
  /// The errors that callers handle differently.
  enum Kind: Hashable, Sendable {
    /// Another program holds a lock for longer than we wait.
    case locked
    /// The file is corrupt.
    case damaged
    /// The file is a database of another program.
    case foreign
    /// The file was written by a newer version of this program.
    case newer
    /// The file or its folder is not writable.
    case readOnly
    /// The disk is full.
    case full
    /// The file cannot be opened, read or written.
    case unreachable
    /// SQLite failed for another reason.
    case refused
  }

  let kind: Kind
  /// The path of the file.
  let path: String
  /// The message of SQLite or the system; may be empty.
  let reason: String

  init(_ kind: Kind, path: String, reason: String = "") {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// Creates the error for a result code of SQLite, extended or not.
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

  /// A line for people that says what to do.
  var message: String {
    switch kind {
    case .locked:
      "'\(path)' is locked by another program; end that program to store later runs again"
    case .damaged:
      "'\(path)' is damaged; move it away to start a new history with the next run"
    case .foreign:
      "'\(path)' belongs to another program and was not touched; move it away to have a history"
    case .newer:
      "'\(path)' was written by a newer headway and was not touched; update headway or move it"
    case .readOnly:
      "'\(path)' cannot be written; make the file and its folder writable to store runs"
    case .full:
      "no space left for '\(path)'; free some space to store runs"
    case .unreachable:
      "'\(path)' cannot be used (\(reason)); fix that or choose another folder with --state DIR"
    case .refused:
      "'\(path)' cannot be used (\(reason)); remove it to start a new history with the next run"
    }
  }
}
