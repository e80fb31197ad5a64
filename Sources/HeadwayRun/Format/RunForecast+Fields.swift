extension RunForecast: Codable, EventRecord {
  /// Writes the forecast; the fraction is rounded to millionths.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.fraction, part: (min(max(fraction, 0), 1) * 1e6).rounded() / 1e6)
    if let remaining {
      try sink.add(.remaining, seconds: remaining.median)
      try sink.add(.low, seconds: remaining.low)
      try sink.add(.high, seconds: remaining.high)
    }
    switch shown {
    case .unknown: try sink.add(.says, ShownRemainingName.unknown)
    case .about(let time):
      try sink.add(.says, ShownRemainingName.about)
      try sink.add(.about, seconds: time)
    case .between(let least, let most):
      try sink.add(.says, ShownRemainingName.between)
      try sink.add(.from, seconds: least)
      try sink.add(.to, seconds: most)
    case .late: try sink.add(.says, ShownRemainingName.late)
    }
    if let late {
      try sink.add(.late, .lateID, late.task)
      try sink.add(.elapsed, seconds: late.elapsed)
      try sink.add(.usual, seconds: late.usual)
    }
  }

  /// Reads a forecast from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    self.init(fraction: try fields.part(.fraction))
    if fields.contains(.remaining) {
      remaining = RemainingTime(
        low: try fields.duration(.low), median: try fields.duration(.remaining),
        high: try fields.duration(.high))
    }
    let name: ShownRemainingName = try fields.name(.says)
    shown =
      switch name {
      case .unknown: .unknown
      case .about: .about(try fields.duration(.about))
      case .between: .between(try fields.duration(.from), try fields.duration(.to))
      case .late: .late
      }
    if fields.contains(.late) {
      late = LateTask(
        task: try fields.task(.late, .lateID), elapsed: try fields.duration(.elapsed),
        usual: try fields.duration(.usual))
    }
  }

  /// Encodes the forecast with the fields that it has in an event; its time and its tasks are left out.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a forecast from the fields of an event; unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}
