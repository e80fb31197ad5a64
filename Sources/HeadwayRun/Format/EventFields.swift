internal import HeadwayText

/// A value that is written to lines about a run; its fields are listed once for all ways of writing.
///
/// The format is described for readers in `docs/events.md`. There is one list of fields and several writers:
///
/// | what | where |
/// |---|---|
/// | the names | `EventKey`, `EventName` and the names of outcomes, failures, reasons and phases |
/// | reading lines of JSON | `JSONObject` |
/// | the fields of each value | `write(to:)` and `init(_:)` of each record, side by side |
/// | how fields become lines of JSON | `JSONRenderer` of HeadwayView, a `FieldSink` |
/// | the conversion of fields for an `Encoder` | `EncodingSink`, a `FieldSink` |
/// | the conversion between durations and numbers | `JSONSeconds` |
///
/// A record is flat: the fields of a part, such as an outcome, are beside those of the whole. Pure values without
/// Foundation; each can be used from any thread.
package protocol EventRecord {
  /// Writes all fields.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem)

  /// Reads the value from its fields.
  ///
  /// - Parameter fields: The fields; others are ignored.
  /// - Throws: `DecodingError` if a field is missing or invalid.
  init(_ fields: EventFields) throws
}

/// A destination for fields.
package protocol FieldSink {
  /// The error of writing.
  associatedtype Problem: Error

  /// Writes a number.
  mutating func add(_ key: EventKey, number: Int) throws(Problem)
  /// Writes a floating point number.
  mutating func add(_ key: EventKey, part: Double) throws(Problem)
  /// Writes text.
  mutating func add(_ key: EventKey, text: String) throws(Problem)
  /// Writes a Boolean.
  mutating func add(_ key: EventKey, flag: Bool) throws(Problem)
  /// Writes a time or a duration, as seconds.
  mutating func add(_ key: EventKey, seconds: Duration) throws(Problem)
  /// Writes that there is no value any more.
  mutating func addNull(_ key: EventKey) throws(Problem)
  /// Writes a list of numbers.
  mutating func add(_ key: EventKey, numbers: [Int]) throws(Problem)
  /// Writes a list of texts.
  mutating func add(_ key: EventKey, texts: [String]) throws(Problem)
  /// Writes an object.
  mutating func add(_ key: EventKey, object: some EventRecord) throws(Problem)
  /// Writes a list of objects.
  mutating func add(_ key: EventKey, objects: [some EventRecord]) throws(Problem)

  /// The name of a task.
  func name(of task: TaskID) -> String
}

extension FieldSink {
  /// Writes a name that the format defines.
  package mutating func add<Name: RawRepresentable<String>>(
    _ key: EventKey, _ name: Name
  ) throws(Problem) {
    try add(key, text: name.rawValue)
  }

  /// Writes a task: its name, and its index under the second key.
  package mutating func add(
    _ key: EventKey, _ indexKey: EventKey, _ task: TaskID
  ) throws(Problem) {
    try add(key, text: name(of: task))
    try add(indexKey, number: task.index)
  }
}

/// Writes fields to any encoder.
struct EncodingSink: FieldSink {
  /// The container of the encoder.
  private var container: KeyedEncodingContainer<EventKey>

  init(_ container: KeyedEncodingContainer<EventKey>) { self.container = container }

  /// Writes a number.
  mutating func add(_ key: EventKey, number: Int) throws {
    try container.encode(number, forKey: key)
  }

  /// Writes a floating point number.
  mutating func add(_ key: EventKey, part: Double) throws {
    try container.encode(part, forKey: key)
  }

  /// Writes text.
  mutating func add(_ key: EventKey, text: String) throws {
    try container.encode(text, forKey: key)
  }

  /// Writes a Boolean.
  mutating func add(_ key: EventKey, flag: Bool) throws { try container.encode(flag, forKey: key) }

  /// Writes a time or a duration, as seconds.
  mutating func add(_ key: EventKey, seconds: Duration) throws {
    try container.encode(JSONSeconds(seconds).number, forKey: key)
  }

  /// Writes that there is no value any more.
  mutating func addNull(_ key: EventKey) throws { try container.encodeNil(forKey: key) }

  /// Writes a list of numbers.
  mutating func add(_ key: EventKey, numbers: [Int]) throws {
    try container.encode(numbers, forKey: key)
  }

  /// Writes a list of texts.
  mutating func add(_ key: EventKey, texts: [String]) throws {
    try container.encode(texts, forKey: key)
  }

  /// Writes an object.
  mutating func add(_ key: EventKey, object: some EventRecord) throws {
    var sink = EncodingSink(container.nestedContainer(keyedBy: EventKey.self, forKey: key))
    try object.write(to: &sink)
  }

  /// Writes a list of objects.
  mutating func add(_ key: EventKey, objects: [some EventRecord]) throws {
    var list = container.nestedUnkeyedContainer(forKey: key)
    for object in objects {
      var sink = EncodingSink(list.nestedContainer(keyedBy: EventKey.self))
      try object.write(to: &sink)
    }
  }

  /// The name in the identifier of the task.
  func name(of task: TaskID) -> String { task.name }
}

extension EventRecord {
  /// Writes the fields to an encoder.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  package func encodeFields(to encoder: any Encoder) throws {
    var sink = EncodingSink(encoder.container(keyedBy: EventKey.self))
    try write(to: &sink)
  }
}

extension EventRecord {
  /// Reads the value from a line of JSON.
  ///
  /// - Parameter line: The line, without its end.
  /// - Throws: `DecodingError` that says what is wrong.
  /// - Complexity: O(bytes).
  package init(line: ArraySlice<UInt8>) throws { try self.init(EventFields(JSONObject(line))) }
}

extension Decoder {
  /// The fields of the object.
  package var eventFields: EventFields {
    get throws { EventFields(try container(keyedBy: EventKey.self)) }
  }
}
