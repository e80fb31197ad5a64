extension RunEvent: Codable, EventRecord {
  /// Writes the name, the time and the fields of the event.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.event, kind.name)
    try sink.add(.time, seconds: time)
    switch kind {
    case .runStarted(let tasks, let workers):
      try sink.add(.version, number: RunEvent.formatVersion)
      try sink.add(.tasks, number: tasks)
      try sink.add(.workers, number: workers)
    case .taskStarted(let task, let attempt):
      try sink.add(.task, .id, task)
      try sink.add(.attempt, number: attempt)
    case .taskReady(let task, let attempt, let time):
      try sink.add(.task, .id, task)
      try sink.add(.attempt, number: attempt)
      try sink.add(.after, seconds: time)
    case .taskPlaced(let task, let host):
      try sink.add(.task, .id, task)
      try sink.add(.host, text: host)
    case .workersWaiting(let workers): try workers.write(to: &sink)
    case .taskOverdue(let task, let attempt, let limit):
      try sink.add(.task, .id, task)
      try sink.add(.attempt, number: attempt)
      try sink.add(.limit, seconds: limit)
    case .taskRetrying(let task, let attempt, let delay, let cause):
      try sink.add(.task, .id, task)
      try sink.add(.attempt, number: attempt)
      try sink.add(.delay, seconds: delay)
      try cause.write(to: &sink)
    case .taskExtended(let task, let duration):
      try sink.add(.task, .id, task)
      try sink.add(.by, seconds: duration)
    case .taskEnded(let task, let outcome, let attempts, let ran):
      try sink.add(.task, .id, task)
      try outcome.write(to: &sink)
      try sink.add(.attempts, number: attempts)
      try sink.add(.ran, seconds: ran)
    case .taskAdded(let task), .taskReportedAgain(let task), .runHeld(let task):
      try sink.add(.task, .id, task)
    case .runEnding(let reason):
      try reason.write(to: &sink)
    case .missed(let count, let status):
      try sink.add(.events, number: count)
      try sink.add(.status, object: status)
    case .forecast(let forecast): try forecast.write(to: &sink)
    case .runPaused, .runResumed, .runProceeding, .queueEmptied, .runEnded: break
    }
    if let usage { try usage.write(to: &sink) }
  }

  /// Reads an event from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let name: EventName = try fields.name(.event)
    self.init(
      time: try fields.duration(.time), kind: try Kind(name, fields), usage: try fields.usage())
  }

  /// Encodes the event as one flat object, in the format that `headway run --ui json` prints.
  ///
  /// The format is stable and described in `docs/events.md`. Times are seconds, rounded to the nearest nanosecond.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes an event from an object of the format; unknown fields are ignored.
  ///
  /// The identifiers of tasks are not checked: the graph may not have them.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the event is unknown, or a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension RunEvent.Kind {
  /// The name of the event.
  package var name: EventName {
    switch self {
    case .runStarted: .runStarted
    case .taskStarted: .taskStarted
    case .taskReady: .taskReady
    case .taskPlaced: .taskPlaced
    case .workersWaiting: .workersWaiting
    case .taskOverdue: .taskOverdue
    case .taskRetrying: .taskRetrying
    case .taskAdded: .taskAdded
    case .taskExtended: .taskExtended
    case .taskReportedAgain: .taskReportedAgain
    case .taskEnded: .taskEnded
    case .runEnding: .runEnding
    case .runPaused: .runPaused
    case .runResumed: .runResumed
    case .runHeld: .runHeld
    case .runProceeding: .runProceeding
    case .queueEmptied: .queueEmptied
    case .forecast: .forecast
    case .missed: .missed
    case .runEnded: .runEnded
    }
  }

  /// Reads the fields of a kind of event.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - fields: The fields.
  /// - Throws: `DecodingError`.
  fileprivate init(_ name: EventName, _ fields: EventFields) throws {
    switch name {
    case .runStarted:
      // Lines of version 1 do not have the version.
      let version = fields.contains(.version) ? try fields.number(.version) : 1
      guard version <= RunEvent.formatVersion else {
        throw fields.wrong(
          .version, "is \(version), but this program reads versions up to \(RunEvent.formatVersion)"
        )
      }
      self = .runStarted(tasks: try fields.count(.tasks), workers: try fields.number(.workers))
    case .taskStarted:
      self = .taskStarted(try fields.task(), attempt: try fields.attempt)
    case .taskPlaced:
      self = .taskPlaced(try fields.task(), host: try fields.text(.host))
    case .workersWaiting: self = .workersWaiting(try RunEvent.WorkersWaiting(fields))
    case .taskReady:
      self = .taskReady(
        try fields.task(), attempt: try fields.attempt, after: try fields.duration(.after))
    case .taskOverdue:
      self = .taskOverdue(
        try fields.task(), attempt: try fields.attempt, limit: try fields.duration(.limit))
    case .taskRetrying:
      self = .taskRetrying(
        try fields.task(), attempt: try fields.attempt, delay: try fields.duration(.delay),
        because: try Outcome(fields))
    case .taskAdded: self = .taskAdded(try fields.task())
    case .taskExtended: self = .taskExtended(try fields.task(), by: try fields.duration(.by))
    case .taskReportedAgain: self = .taskReportedAgain(try fields.task())
    case .taskEnded:
      self = .taskEnded(
        try fields.task(), try Outcome(fields), attempts: try fields.number(.attempts),
        ran: try fields.duration(.ran))
    case .runEnding: self = .runEnding(try RunEvent.EndReason(fields))
    case .runPaused: self = .runPaused
    case .runResumed: self = .runResumed
    case .runHeld: self = .runHeld(by: try fields.task())
    case .runProceeding: self = .runProceeding
    case .queueEmptied: self = .queueEmptied
    case .forecast: self = .forecast(try RunForecast(fields))
    case .missed:
      self = .missed(try fields.number(.events), try fields.record(.status))
    case .runEnded: self = .runEnded
    }
  }
}

extension EventFields {
  /// The number of an attempt, from 1.
  fileprivate var attempt: Int { get throws { try number(.attempt, in: 1...Int.max) } }
}

extension RunEvent.EndReason: Codable, EventRecord {
  /// Writes the reason.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    switch self {
    case .failure(let task):
      try sink.add(.reason, EndReasonName.failure)
      try sink.add(.task, .id, task)
    case .cancelled: try sink.add(.reason, EndReasonName.cancelled)
    case .cancelledImmediately: try sink.add(.reason, EndReasonName.killed)
    case .deadline(let limit):
      try sink.add(.reason, EndReasonName.deadline)
      try sink.add(.limit, seconds: limit)
    }
  }

  /// Reads a reason from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let name: EndReasonName = try fields.name(.reason)
    switch name {
    case .failure: self = .failure(try fields.task())
    case .cancelled: self = .cancelled
    case .killed: self = .cancelledImmediately
    case .deadline: self = .deadline(try fields.duration(.limit))
    }
  }

  /// Encodes the reason with the fields that it has in `run_ending`: `reason`, and those for its details.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a reason from the fields of an event; unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the reason is unknown, or a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension RunEvent.WorkersWaiting: Codable, EventRecord {
  /// Writes the description.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.workers, number: count)
    if !reason.isEmpty { try sink.add(.reason, text: reason) }
    if let start { try sink.add(.start, seconds: start) }
    if let advice { try sink.add(.advice, text: advice) }
    if places > 0 { try sink.add(.places, number: places) }
  }

  /// Reads a description from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    self.init(
      count: try fields.number(.workers),
      reason: fields.contains(.reason) ? try fields.text(.reason) : "",
      start: fields.contains(.start) ? try fields.duration(.start) : nil,
      advice: fields.contains(.advice) ? try fields.text(.advice) : nil,
      places: fields.contains(.places) ? try fields.number(.places) : 0)
  }

  /// Encodes the description with the fields that it has in `workers_waiting`.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a description from the fields of an event; unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension TaskID: Codable, EventRecord {
  /// Writes the name and the index.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.task, .id, self)
  }

  /// Reads a task from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws { self = try fields.task() }

  /// Encodes the name and the index with the fields that they have in an event: `task` and `id`.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes an identifier from the fields of an event; unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing, or the index is not from 0 to 2³¹ − 1.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}
