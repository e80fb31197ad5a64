/// A piece of a task's output as a line of the event format, `task_output`.
///
/// It is no event of a run: only `headway run --events-output` writes it.
package struct TaskOutputEvent: EventRecord, Hashable {
  /// When the output was read, since the run began.
  package var time: Duration
  /// The task.
  package var task: TaskID
  /// The number of the attempt, from 1.
  package var attempt: Int
  /// The output: whole lines, or a part of a long one.
  package var text: String

  /// Creates a piece of output.
  package init(time: Duration, task: TaskID, attempt: Int, text: String) {
    self.time = time
    self.task = task
    self.attempt = attempt
    self.text = text
  }

  /// Writes the fields.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.event, OutputEventName.taskOutput)
    try sink.add(.time, seconds: time)
    try sink.add(.task, .id, task)
    try sink.add(.attempt, number: attempt)
    try sink.add(.text, text: text)
  }

  /// Reads a piece of output from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let _: OutputEventName = try fields.name(.event)
    self.init(
      time: try fields.duration(.time), task: try fields.task(),
      attempt: try fields.number(.attempt, in: 1...Int.max), text: try fields.text(.text))
  }
}
