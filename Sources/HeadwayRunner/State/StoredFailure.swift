package import HeadwayRun

/// What a run stores about a task that failed, beside its logs: the outcome with the exit code, and the command.
///
/// The history has neither. A file of lines in the event format is kept as long as the logs are.
package struct StoredFailure: EventRecord, Hashable {
  /// The name of the file; no log has it, because those of tasks do not begin with a dot.
  static let fileName = ".failures"
  /// The maximum number of stored failures: as many as a report shows, several times over.
  static let maxCount = 100
  /// The maximum number of bytes of a command.
  private static let maxCommandBytes = 4096
  /// The maximum number of bytes that are read.
  static let maxBytes = 1 << 20

  /// The task.
  package let task: TaskID
  /// How it ended.
  package let outcome: Outcome
  /// Its command, as the user would type it.
  package let command: String

  /// Creates what is stored about a task.
  init(task: TaskID, outcome: Outcome, command: String) {
    (self.task, self.outcome) = (task, outcome)
    self.command = String(decoding: command.utf8.prefix(Self.maxCommandBytes), as: UTF8.self)
  }

  /// Writes the fields.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try task.write(to: &sink)
    try outcome.write(to: &sink)
    try sink.add(.command, text: command)
  }

  /// Reads the fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    self.init(
      task: try fields.task(), outcome: try Outcome(fields), command: try fields.text(.command))
  }
}
