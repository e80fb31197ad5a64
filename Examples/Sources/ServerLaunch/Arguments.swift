/// The arguments of the program.
struct Arguments: Sendable {
  /// Whether to serve until a signal asks for the end.
  var isServing = false
  /// The file of the database, nil for a temporary one.
  var path: String?
  /// Whether to print the help.
  var isHelp = false

  /// Parses the arguments.
  ///
  /// - Parameter arguments: The arguments without the program's name.
  /// - Throws: `UsageError` if they are invalid.
  init(_ arguments: ArraySlice<String>) throws(UsageError) {
    for argument in arguments {
      switch argument {
      case "--serve": isServing = true
      case "--help", "-h": isHelp = true
      case _ where argument.hasPrefix("-"):
        throw UsageError(reason: "unknown option \(argument)")
      case _ where path == nil: path = argument
      default: throw UsageError(reason: "expected at most one database, got also \(argument)")
      }
    }
  }
}

/// The error of invalid arguments.
struct UsageError: Error, CustomStringConvertible {
  let reason: String

  /// The message.
  var description: String { "\(reason)\n\(Self.usage)" }

  /// The usage.
  static let usage = """
    usage: ServerLaunch [--serve] [DATABASE]
      --serve     serve until Ctrl-C, instead of ending after one request of its own
      DATABASE    the file of the database; by default a temporary one
    """
}
