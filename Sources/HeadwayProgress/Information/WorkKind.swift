/// What sort of work a node stands for, which decides how it is put into words.
public enum WorkKind: Hashable, Sendable {
  /// Work whose units are things.
  case work
  /// Work on files, whose units are bytes; which one, where that is known.
  case file(FileOperation?)

  /// Whether the units are bytes.
  public var countsBytes: Bool { self != .work }
}

/// What is done with files.
public enum FileOperation: String, Hashable, Sendable, CaseIterable, Codable {
  /// Getting files from a server.
  case downloading
  /// Unpacking files.
  case decompressing
  /// Getting files that somebody sends.
  case receiving
  /// Copying files.
  case copying
  /// Bringing files to a server.
  case uploading
  /// Making a second of each file beside it.
  case duplicating
}
