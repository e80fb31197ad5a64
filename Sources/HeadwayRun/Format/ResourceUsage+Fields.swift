extension ResourceUsage: Codable, EventRecord {
  /// Writes the usage.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.cpuTime, seconds: cpuTime)
    if let peakMemory { try sink.add(.peakMemory, number: peakMemory) }
  }

  /// Reads a usage from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    self.init(
      cpuTime: try fields.duration(.cpuTime),
      peakMemory: fields.contains(.peakMemory) ? try fields.number(.peakMemory) : nil)
  }

  /// Encodes the usage with the fields that it has in an event: `cpu_time` and `peak_memory`.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }

  /// Decodes a usage from the fields of an event; unknown fields are ignored.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if a field is missing or invalid.
  public init(from decoder: any Decoder) throws { try self.init(decoder.eventFields) }
}

extension EventFields {
  /// Reads the usage that is among the fields of an attempt's end, nil if it is unknown.
  package func usage() throws -> ResourceUsage? {
    contains(.cpuTime) ? try ResourceUsage(self) : nil
  }
}
