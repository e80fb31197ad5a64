/// What the command line asks for.
struct Arguments: Sendable {
  /// Whether to go on serving until somebody ends it.
  var isServing = false
  /// The file of the database, nil for one that is removed at the end.
  var path: String?
  /// Whether only help is wanted.
  var isHelp = false

  /// Reads the command line.
  ///
  /// - Parameter arguments: The arguments without the program's name.
  /// - Throws: `UsageError` when they cannot be understood.
  init(_ arguments: ArraySlice<String>) throws(UsageError) {
    for argument in arguments {
      switch argument {
      case "--serve": isServing = true
      case "--help", "-h": isHelp = true
      case _ where argument.hasPrefix("-"):
        throw UsageError(reason: "there is no option \(argument)")
      case _ where path == nil: path = argument
      default: throw UsageError(reason: "one database is enough, and not also \(argument)")
      }
    }
  }
}

/// A command line that cannot be understood.
struct UsageError: Error, CustomStringConvertible {
  /// What is wrong with it.
  let reason: String

  /// What to say.
  var description: String { "\(reason)\n\(Self.usage)" }

  /// How the program is called.
  static let usage = """
    usage: ServerLaunch [--serve] [DATABASE]
      --serve     goes on until Ctrl-C; otherwise it ends when it has answered a question of its own
      DATABASE    the file of the database, which stays; otherwise one that is removed at the end
    """
}
