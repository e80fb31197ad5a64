/// The kind of work of a node, which decides how its progress is put into words.
public enum WorkKind: Hashable, Sendable {
  /// Work whose units are things.
  case work
  /// Work on files, whose units are bytes; nil for an unknown operation.
  case file(FileOperation?)

  /// Whether the units are bytes.
  public var countsBytes: Bool { self != .work }
}

/// An operation on files.
public enum FileOperation: String, Hashable, Sendable, CaseIterable, Codable {
  /// Downloading files from a server.
  case downloading
  /// Decompressing files.
  case decompressing
  /// Receiving files from a sender.
  case receiving
  /// Copying files.
  case copying
  /// Uploading files to a server.
  case uploading
  /// Duplicating each file beside the original.
  case duplicating
}
