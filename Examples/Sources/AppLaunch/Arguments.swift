/// What the command line asks for.
struct Arguments: Sendable {
  /// Whether the tasks run one after the other, as a queue, and not as a graph.
  var isQueue = false
  /// The tasks whose servers do not do what they should.
  var failing: Set<StartStep> = []
  /// How much data is loaded, in millions of bytes.
  var megabytes = 64
  /// Whether only help is wanted.
  var isHelp = false

  /// Reads the command line.
  ///
  /// - Parameter arguments: The arguments without the program's name.
  /// - Throws: `UsageError` when they cannot be understood.
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
        throw UsageError(reason: "there is no option \(argument)")
      default: throw UsageError(reason: "nothing is expected to be named: \(argument)")
      }
    }
  }

  /// Reads the name of a task.
  private static func step(_ text: String?) throws(UsageError) -> StartStep {
    if let step = text.flatMap({ StartStep(rawValue: $0) }) { return step }
    throw UsageError(reason: text.map { "there is no task \"\($0)\"" } ?? "--fail needs a task")
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
    usage: AppLaunch [OPTION]…
      --queue       one task after the other, as a queue with a delegate; otherwise as a graph
      --fail TASK   lets a task fail, and may be said for each; the tasks are
                    \(StartStep.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
      --size N      loads N megabytes of data: 1 to 1000, otherwise 64
    """
}
