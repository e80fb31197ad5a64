extension Outcome: Codable, EventRecord {
  /// Writes the outcome.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    // Readers of version 2 know it as one that did not have to run.
    try sink.add(.outcome, kind == .doneEarlier ? Kind.upToDate : kind)
    switch self {
    case .succeeded, .cancelled, .skipped(.upToDate), .lost: break
    case .skipped(.doneEarlier): try sink.add(.earlier, flag: true)
    case .failed(let failure): try failure.write(to: &sink)
    case .timedOut(let limit): try sink.add(.limit, seconds: limit)
    case .skipped(let reason): try reason.write(to: &sink)
    }
  }

  /// Reads an outcome from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let kind: Kind = try fields.name(.outcome)
    switch kind {
    case .succeeded: self = .succeeded
    case .upToDate:
      let isEarlier = try fields.contains(.earlier) && fields.flag(.earlier)
      self = .skipped(isEarlier ? .doneEarlier : .upToDate)
    case .failed: self = .failed(try Failure(fields))
    case .timedOut: self = .timedOut(limit: try fields.duration(.limit))
    case .cancelled: self = .cancelled
    case .skipped: self = .skipped(try SkipReason(fields))
    case .lost: self = .lost
    case .doneEarlier: self = .skipped(.doneEarlier)
    }
  }

  /// Encodes the outcome with the fields that it has in an event.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes an outcome from the fields of an event.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the outcome is unknown, or a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension Failure: Codable, EventRecord {
  /// Writes the failure.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    switch cause {
    case .exited(let code):
      try sink.add(.failure, FailureName.exited)
      try sink.add(.code, number: code)
    case .signalled(let number):
      try sink.add(.failure, FailureName.signalled)
      try sink.add(.signal, number: number)
    case .notStarted(let reason):
      try sink.add(.failure, FailureName.notStarted)
      try sink.add(.reason, text: reason)
    case .threw(let reason):
      try sink.add(.failure, FailureName.threw)
      try sink.add(.reason, text: reason)
    }
  }

  /// Reads a failure from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let name: FailureName = try fields.name(.failure)
    switch name {
    case .exited: self = .exited(code: try fields.number(.code, in: Int.min...Int.max))
    case .signalled: self = .signalled(number: try fields.number(.signal))
    case .notStarted: self = .notStarted(reason: try fields.text(.reason))
    case .threw: self = .threw(try fields.text(.reason))
    }
  }

  /// Encodes the failure with the fields that it has in an event: `failure`, and one for its details.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a failure from the fields of an event; unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the kind of failure is unknown, or a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension SkipReason: EventRecord {
  /// Writes the reason.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    switch self {
    case .needs(let task): try sink.add(.needs, .needsID, task)
    case .stopped(let task): try sink.add(.stoppedBy, .stoppedByID, task)
    case .removed: try sink.add(.removed, flag: true)
    case .condition: try sink.add(.condition, flag: false)
    // Written by the outcome.
    case .upToDate, .doneEarlier: break
    }
  }

  /// Reads a reason from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    if fields.contains(.needs) {
      self = .needs(try fields.task(.needs, .needsID))
    } else if fields.contains(.stoppedBy) {
      self = .stopped(by: try fields.task(.stoppedBy, .stoppedByID))
    } else if fields.contains(.condition) {
      guard try !fields.flag(.condition) else {
        throw fields.wrong(.condition, "must be false")
      }
      self = .condition
    } else if try fields.flag(.removed) {
      self = .removed
    } else {
      throw fields.wrong(.removed, "must be true where 'needs' and 'stopped_by' are missing")
    }
  }
}
