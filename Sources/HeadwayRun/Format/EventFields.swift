/// A value that a line about a run consists of: it says once which fields it has, for every way to write them.
///
/// The format is described for its readers in `docs/events.md`. It is one list of fields with several writers:
///
/// | what | where |
/// |---|---|
/// | the names | `EventKey`, `EventName` and the names of outcomes, failures, reasons and phases |
/// | which value has which fields | `write(to:)` and, beside it, `init(_:)` of each record |
/// | how fields become lines of JSON | `JSONRenderer` of HeadwayConsole, a `FieldSink` |
/// | how fields become what an `Encoder` makes of them | `EncodingSink`, a `FieldSink` |
/// | how durations become numbers, and come back | `EventSeconds` |
///
/// A record writes flat: the fields of a part, such as an outcome, stand beside those of the whole. Pure values,
/// without Foundation; each can be used from any thread.
package protocol EventRecord {
  /// Writes all fields.
  ///
  /// - Parameter sink: Where to.
  /// - Throws: What the sink throws.
  func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem)

  /// Reads the value from its fields.
  ///
  /// - Parameter fields: The fields; more than those that are looked for may be there.
  /// - Throws: `DecodingError`, for a field that is missing or wrong.
  init(_ fields: EventFields) throws
}

/// The fields that a record is read from.
package typealias EventFields = KeyedDecodingContainer<EventKey>

/// What fields are written to.
package protocol FieldSink {
  /// What can go wrong.
  associatedtype Problem: Error

  /// Writes a number.
  mutating func add(_ key: EventKey, number: Int) throws(Problem)
  /// Writes a number that need not be whole.
  mutating func add(_ key: EventKey, part: Double) throws(Problem)
  /// Writes a text.
  mutating func add(_ key: EventKey, text: String) throws(Problem)
  /// Writes what is true or false.
  mutating func add(_ key: EventKey, flag: Bool) throws(Problem)
  /// Writes a time or a duration, as seconds.
  mutating func add(_ key: EventKey, seconds: Duration) throws(Problem)
  /// Writes an object.
  mutating func add(_ key: EventKey, object: some EventRecord) throws(Problem)
  /// Writes a list of objects.
  mutating func add(_ key: EventKey, objects: [some EventRecord]) throws(Problem)

  /// The name of a task for people.
  func name(of task: TaskID) -> String
}

extension FieldSink {
  /// Writes one of the names that the format knows.
  mutating func add<Name: RawRepresentable<String>>(_ key: EventKey, _ name: Name) throws(Problem) {
    try add(key, text: name.rawValue)
  }

  /// Writes a task: its name, and its place under the second key.
  mutating func add(_ key: EventKey, _ place: EventKey, _ task: TaskID) throws(Problem) {
    try add(key, text: name(of: task))
    try add(place, number: task.index)
  }
}

/// Writes fields to an encoder of the user's choice.
struct EncodingSink: FieldSink {
  /// The fields of the encoder.
  private var container: KeyedEncodingContainer<EventKey>

  init(_ container: KeyedEncodingContainer<EventKey>) { self.container = container }

  /// Writes a number.
  mutating func add(_ key: EventKey, number: Int) throws {
    try container.encode(number, forKey: key)
  }

  /// Writes a number that need not be whole.
  mutating func add(_ key: EventKey, part: Double) throws {
    try container.encode(part, forKey: key)
  }

  /// Writes a text.
  mutating func add(_ key: EventKey, text: String) throws {
    try container.encode(text, forKey: key)
  }

  /// Writes what is true or false.
  mutating func add(_ key: EventKey, flag: Bool) throws { try container.encode(flag, forKey: key) }

  /// Writes a time or a duration, as seconds.
  mutating func add(_ key: EventKey, seconds: Duration) throws {
    try container.encode(EventSeconds(seconds).number, forKey: key)
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

  /// The name that the task brings with it.
  func name(of task: TaskID) -> String { task.name }
}

extension EventRecord {
  /// Writes the fields to an encoder.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: What the encoder throws.
  func encodeFields(to encoder: any Encoder) throws {
    var sink = EncodingSink(encoder.container(keyedBy: EventKey.self))
    try write(to: &sink)
  }
}

extension Decoder {
  /// The fields of the object that is decoded.
  var eventFields: EventFields { get throws { try container(keyedBy: EventKey.self) } }
}
