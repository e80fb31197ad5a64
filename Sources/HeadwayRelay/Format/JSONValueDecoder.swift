package import HeadwayRun

/// Reads a value from a line of JSON.
///
/// - Parameters:
///   - type: The type of the value.
///   - bytes: The line, without its end.
/// - Returns: The value.
/// - Throws: `DecodingError` that says what is wrong.
/// - Complexity: O(bytes).
package func decodeLine<Value: EventRecord>(
  _ type: Value.Type, from bytes: Span<UInt8>
) throws -> Value {
  let decoder = JSONValueDecoder(value: try JSONValue(bytes), codingPath: [])
  return try Value(EventFields(decoder.container(keyedBy: EventKey.self)))
}

/// Reads a value of a type that is no event from a line of JSON.
///
/// - Parameters:
///   - type: The type of the value.
///   - bytes: The line, without its end.
/// - Returns: The value.
/// - Throws: `DecodingError` that says what is wrong.
/// - Complexity: O(bytes).
package func decodeObject<Value: Decodable>(
  _ type: Value.Type, from bytes: Span<UInt8>
) throws -> Value {
  try Value(from: JSONValueDecoder(value: try JSONValue(bytes), codingPath: []))
}

/// Decodes `Decodable` types from a JSON value, as the `JSONDecoder` of Foundation does, which a tool need not load for that.
struct JSONValueDecoder: Decoder {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard value.isObject else { throw mismatch([String: JSONValue].self, "an object") }
    return KeyedDecodingContainer(Object(value: value, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let list = value.list else { throw mismatch([JSONValue].self, "a list") }
    return List(values: list, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  /// The error for a value of another type.
  private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    .typeMismatch(
      type, DecodingError.Context(codingPath: codingPath, debugDescription: "must be \(expected)"))
  }

  func flag() throws -> Bool {
    guard let flag = value.flag else { throw mismatch(Bool.self, "true or false") }
    return flag
  }

  func string() throws -> String {
    guard let string = value.string else { throw mismatch(String.self, "a text") }
    return string
  }

  func number() throws -> Double {
    guard let number = value.number else { throw mismatch(Double.self, "a number") }
    return number
  }

  func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    guard let integer = value.integer else { throw mismatch(type, "a whole number") }
    guard let number = Number(exactly: integer) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: codingPath,
          debugDescription: "must be from \(Number.min) to \(Number.max), but is \(integer)"))
    }
    return number
  }
}

/// An object of a JSON text.
private struct Object<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let value: JSONValue
  let codingPath: [any CodingKey]

  var allKeys: [Key] { value.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { value[key.stringValue] != nil }

  private func at(_ key: Key) throws -> JSONValueDecoder {
    guard let found = value[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key,
        DecodingError.Context(
          codingPath: codingPath, debugDescription: "'\(key.stringValue)' is missing"))
    }
    return JSONValueDecoder(value: found, codingPath: codingPath + [key])
  }

  func decodeNil(forKey key: Key) throws -> Bool { try at(key).value.isNull }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try at(key).flag() }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try at(key).string() }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try at(key).number() }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { Float(try at(key).number()) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try at(key).integer(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try at(key).integer(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try at(key).integer(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try at(key).integer(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try at(key).integer(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try at(key).integer(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try at(key).integer(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try at(key).integer(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try at(key).integer(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try at(key).integer(type) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try Value(from: at(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try at(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try at(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    JSONValueDecoder(value: value, codingPath: codingPath)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try at(key) }
}

/// A list of a JSON text.
private struct List: UnkeyedDecodingContainer {
  let values: [JSONValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(values: [JSONValue], codingPath: [any CodingKey]) {
    (self.values, self.codingPath) = (values, codingPath)
  }

  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex >= values.count }

  /// The place of an element in its list.
  private struct Index: CodingKey {
    let intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }
    init(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
  }

  private func current() throws -> JSONValueDecoder {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        JSONValue.self,
        DecodingError.Context(codingPath: codingPath, debugDescription: "the list is too short"))
    }
    return JSONValueDecoder(
      value: values[currentIndex], codingPath: codingPath + [Index(intValue: currentIndex)])
  }

  /// Reads the next element and goes on to the one after it.
  private mutating func next<Value>(_ read: (JSONValueDecoder) throws -> Value) throws -> Value {
    let value = try read(current())
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard try current().value.isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.flag() } }
  mutating func decode(_ type: String.Type) throws -> String { try next { try $0.string() } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.number() } }
  mutating func decode(_ type: Float.Type) throws -> Float { try next { Float(try $0.number()) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try next { try $0.integer(type) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next { try $0.integer(type) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next { try $0.integer(type) } }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next { try Value(from: $0) }
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> { try next { try $0.container(keyedBy: type) } }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}

/// A value of a JSON text by itself.
private struct Single: SingleValueDecodingContainer {
  let decoder: JSONValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try decoder.flag() }
  func decode(_ type: String.Type) throws -> String { try decoder.string() }
  func decode(_ type: Double.Type) throws -> Double { try decoder.number() }
  func decode(_ type: Float.Type) throws -> Float { Float(try decoder.number()) }
  func decode(_ type: Int.Type) throws -> Int { try decoder.integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoder.integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoder.integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoder.integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoder.integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoder.integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoder.integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoder.integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoder.integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoder.integer(type) }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: decoder) }
}
