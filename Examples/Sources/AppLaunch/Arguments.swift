/// The arguments of the program.
struct Arguments: Sendable {
  /// Whether the tasks run one after the other, as a queue, instead of as a graph.
  var isQueue = false
  /// The tasks that should fail.
  var failing: Set<StartStep> = []
  /// The size of the data in millions of bytes.
  var megabytes = 64
  /// Whether to print the help.
  var isHelp = false

  /// Parses the arguments.
  ///
  /// - Parameter arguments: The arguments without the program's name.
  /// - Throws: `UsageError` if they are invalid.
  init(_ arguments: ArraySlice<String>) throws(UsageError) {
    var rest = arguments
    while let argument = rest.popFirst() {
      switch argument {
      case "--queue": isQueue = true
      case "--fail": failing.insert(try Self.step(rest.popFirst()))
      case "--size":
        guard let number = rest.popFirst().flatMap({ Int($0) }), (1...1_000).contains(number) else {
          throw UsageError(reason: "--size needs a number from 1 to 1000")
        }
        megabytes = number
      case "--help", "-h": isHelp = true
      case _ where argument.hasPrefix("-"):
        throw UsageError(reason: "unknown option \(argument)")
      default: throw UsageError(reason: "unexpected argument \(argument)")
      }
    }
  }

  /// Parses the name of a task.
  private static func step(_ text: String?) throws(UsageError) -> StartStep {
    if let step = text.flatMap({ StartStep(rawValue: $0) }) { return step }
    throw UsageError(reason: text.map { "unknown task \"\($0)\"" } ?? "--fail needs a task")
  }
}

/// The error of invalid arguments.
struct UsageError: Error, CustomStringConvertible {
  let reason: String

  /// The message.
  var description: String { "\(reason)\n\(Self.usage)" }

  /// The usage.
  static let usage = """
    usage: AppLaunch [OPTION]…
      --queue       run one task after the other, as a queue with a delegate, instead of as a graph
      --fail TASK   make a task fail; can be repeated; the tasks are
                    \(StartStep.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
      --size N      load N megabytes of data: 1 to 1000, by default 64
    """
}
