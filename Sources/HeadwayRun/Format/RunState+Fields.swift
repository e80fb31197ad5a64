extension RunState: Codable, EventRecord {
  /// Writes the state.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.tasks, objects: tasks)
    try sink.add(.active, objects: active)
    try sink.add(.counts, object: counts)
    try sink.add(.workers, number: workers)
    if let ending { try sink.add(.ending, object: ending) }
    try sink.add(.paused, flag: isPaused)
    if let heldBy { try sink.add(.heldBy, .heldByID, heldBy) }
    if let waiting { try sink.add(.waiting, object: waiting) }
    if let total { try sink.add(.total, seconds: total) }
  }

  /// Reads a state from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    self.init(taskCount: 0)
    tasks = try fields.records(.tasks)
    active = try fields.records(.active)
    counts = try fields.record(.counts)
    workers = try fields.number(.workers)
    if fields.contains(.ending), try !fields.isNull(.ending) {
      ending = try fields.record(.ending)
    }
    isPaused = try fields.flag(.paused)
    if fields.contains(.heldBy) { heldBy = try fields.task(.heldBy, .heldByID) }
    if fields.contains(.waiting) { waiting = try fields.record(.waiting) }
    if fields.contains(.total) { total = try fields.duration(.total) }
    // Renderers look up active tasks by index.
    for task in active where task.index >= tasks.count {
      throw fields.wrong(
        .active, "has the task with index \(task.index), but there are \(tasks.count) tasks")
    }
  }

  /// Encodes the state as an object, as the event `missed` contains it.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a state from an object.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension RunState.Task: Codable, EventRecord {
  /// Writes the state.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try phase.write(to: &sink)
    try sink.add(.attempts, number: attempts)
    try sink.add(.firstStart, seconds: firstStart)
    try sink.add(.latestStart, seconds: latestStart)
    try sink.add(.ran, seconds: ran)
    if isReady { try sink.add(.ready, flag: true) }
    if wasReady, !isReady { try sink.add(.wasReady, flag: true) }
    if let host { try sink.add(.host, text: host) }
    if let usage { try usage.write(to: &sink) }
  }

  /// Reads a state from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    self.init(
      phase: try RunState.Phase(fields), attempts: try fields.number(.attempts),
      firstStart: try fields.duration(.firstStart), latestStart: try fields.duration(.latestStart),
      ran: try fields.duration(.ran),
      isReady: fields.contains(.ready) ? try fields.flag(.ready) : false,
      host: fields.contains(.host) ? try fields.text(.host) : nil, usage: try fields.usage())
    if fields.contains(.wasReady) { wasReady = try fields.flag(.wasReady) }
  }

  /// Encodes the state as one of the `tasks` of a `RunState`.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a state from one of the `tasks` of a `RunState`; unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension RunState.Phase: Codable, EventRecord {
  /// Writes the phase.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    switch self {
    case .waiting: try sink.add(.phase, PhaseName.waiting)
    case .running: try sink.add(.phase, PhaseName.running)
    case .overdue: try sink.add(.phase, PhaseName.overdue)
    case .backingOff(let time):
      try sink.add(.phase, PhaseName.backingOff)
      try sink.add(.until, seconds: time)
    case .ended(let outcome):
      try sink.add(.phase, PhaseName.ended)
      try outcome.write(to: &sink)
    }
  }

  /// Reads a phase from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let name: PhaseName = try fields.name(.phase)
    switch name {
    case .waiting: self = .waiting
    case .running: self = .running
    case .overdue: self = .overdue
    case .backingOff: self = .backingOff(until: try fields.duration(.until))
    case .ended: self = .ended(try Outcome(fields))
    }
  }

  /// Encodes the phase with the fields that it has in the state of a task: `phase`, and those for its details.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a phase from the fields of the state of a task; unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the phase is unknown, or a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension RunState.Counts: Codable, EventRecord {
  /// Writes the counts.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    for kind in Outcome.Kind.allCases {
      if let key = EventKey(rawValue: kind.rawValue) { try sink.add(key, number: self[kind]) }
    }
  }

  /// Reads counts from their fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    self.init()
    for kind in Outcome.Kind.allCases {
      // Older versions knew no lost tasks, and none that were done earlier.
      let isNew = kind == .lost || kind == .doneEarlier
      if let key = EventKey(rawValue: kind.rawValue), !isNew || fields.contains(key) {
        self[kind] = try fields.count(key)
      }
    }
  }

  /// Encodes the counts with the fields of the last line of a run.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes counts from their fields, such as those of the last line of a run.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}
