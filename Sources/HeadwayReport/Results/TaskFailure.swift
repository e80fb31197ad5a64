package import HeadwayRun
internal import HeadwayTerminal

/// The facts about a task that failed or timed out, the same for the report, the summary and the JUnit file.
package struct TaskFailure: Hashable, Sendable {
  /// How it ended; nil if only the kind of its outcome is known.
  package var outcome: Outcome?
  /// Its command as the user would type it; empty if it is unknown.
  package var command: String
  /// The last lines of its output, without escape sequences.
  package var output: [String]
  /// Whether its output has more than these lines.
  package var isCut: Bool
  /// The path of its log; nil if it has written nothing.
  package var log: String?

  /// Creates the facts about a task.
  package init(
    outcome: Outcome? = nil, command: String = "", output: [String] = [], isCut: Bool = false,
    log: String? = nil
  ) {
    self.outcome = outcome
    self.command = command
    self.output = output
    self.isCut = isCut
    self.log = log
  }

  /// The first line of the command, with an ellipsis if there are more.
  var commandLine: String {
    let lines = command.split(separator: "\n", omittingEmptySubsequences: true)
    return (lines.first.map { String($0) } ?? "") + (lines.count > 1 ? " …" : "")
  }
}

extension TaskFailure {
  /// Creates the facts about a task from the end of its log.
  ///
  /// - Parameters:
  ///   - outcome: How it ended; nil if only the kind of its outcome is known.
  ///   - command: Its command as the user would type it; empty if it is unknown.
  ///   - end: The last bytes of its log, at most `FailureLimits.bytes`.
  ///   - log: The path of its log; nil if it has written nothing.
  package init(outcome: Outcome?, command: String, end: [UInt8], log: String?) {
    let isFull = end.count >= FailureLimits.bytes
    let lines = TaskOutputText.lines(end, last: FailureLimits.lines + 1, isCut: isFull)
    self.init(
      outcome: outcome, command: command, output: lines.suffix(FailureLimits.lines),
      isCut: isFull || lines.count > FailureLimits.lines, log: log)
  }
}

/// The amounts of output in files about a run: enough to see an error, and bounded for any number of failures.
package enum FailureLimits {
  /// The bytes at the end of a log that are read for one failure.
  package static let bytes = 16_384
  /// The lines of them that are shown.
  package static let lines = 100
  /// The bytes of output in a file, over all failures; the further ones have none.
  static let totalBytes = 512 * 1024
}
