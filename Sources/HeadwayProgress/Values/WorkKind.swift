/// The kind of work of a node, which decides how its progress is put into words.
public enum WorkKind: Hashable, Sendable {
  /// Work whose units are things.
  case work
  /// Work that nothing counts, such as a simulated one: its units are an estimated part of the whole, and only the fraction is
  /// shown.
  case estimated
  /// Work on files, whose units are bytes; nil for an unknown operation.
  case file(FileOperation?)

  /// Whether the units are bytes.
  public var countsBytes: Bool { if case .file = self { true } else { false } }

  /// Whether the units are counts that mean something to a person.
  public var hasCounts: Bool { self != .estimated }

  /// The name of the kind in encoded forms.
  package var name: String {
    switch self {
    case .work: "work"
    case .estimated: "estimated"
    case .file(nil): "file"
    case .file(let operation?): operation.rawValue
    }
  }

  /// The kind with a name; work on files for an operation of a later version.
  package init(name: String) {
    self =
      switch name {
      case "work": .work
      case "estimated": .estimated
      default: .file(FileOperation(rawValue: name))
      }
  }
}

extension WorkKind: Codable {
  /// Encodes the kind as text: `work`, `estimated`, `file`, or the name of the operation on files.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }

  /// Decodes a kind; the name of an unknown operation becomes work on files with an unknown operation.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the value is not text.
  public init(from decoder: any Decoder) throws {
    self.init(name: try decoder.singleValueContainer().decode(String.self))
  }
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
