public import HeadwayRun

extension LaunchResult.Task: Codable, EventRecord {
  /// Writes the fields of the event about the end of the task, without its name.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.time, seconds: ended)
    try sink.add(.task, .id, id)
    try outcome.write(to: &sink)
    try sink.add(.attempts, number: attempts)
    try sink.add(.ran, seconds: began.map { ended - $0 } ?? .zero)
    if isOptional { try sink.add(.optional, flag: true) }
  }

  /// Reads a result from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let ended = try fields.duration(.time)
    let attempts = try fields.number(.attempts)
    let ran = try fields.duration(.ran)
    guard ran >= .zero, ran <= ended else {
      throw fields.wrong(.ran, "must be from 0 to the time of the end, but is \(ran)")
    }
    self.init(
      id: try fields.task(), outcome: try Outcome(fields),
      isOptional: fields.contains(.optional) ? try fields.flag(.optional) : false,
      attempts: attempts, began: attempts == 0 ? nil : ended - ran, ended: ended, error: nil,
      isRetryable: true)
  }

  /// Encodes the result with the fields of the event `task_ended`, which `docs/events.md` describes.
  ///
  /// The error is encoded as text only, as the reason of the failure.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a result, also from an event `task_ended`; its ``error`` is nil, it is retryable, and unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}
