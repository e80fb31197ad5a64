internal import HeadwayText

/// The fields of a record, from a decoder or from a line of JSON.
package struct EventFields {
  private enum Source {
    case decoder(KeyedDecodingContainer<EventKey>)
    case line(JSONObject)
  }

  private let source: Source

  /// Takes the fields from a decoder.
  package init(_ container: KeyedDecodingContainer<EventKey>) { source = .decoder(container) }

  /// Takes the fields from a line.
  package init(_ line: JSONObject) { source = .line(line) }
}

/// Reading fields, with errors that name the field.
extension EventFields {
  /// The maximum index of a task.
  private static var largestIndex: Int { Int(Int32.max) }

  /// Whether there is a field.
  package func contains(_ key: EventKey) -> Bool {
    switch source {
    case .decoder(let container): container.contains(key)
    case .line(let line): line.contains(key.rawValue)
    }
  }

  /// Whether a field that is there has no value.
  package func isNull(_ key: EventKey) throws -> Bool {
    switch source {
    case .decoder(let container): try container.decodeNil(forKey: key)
    case .line(let line): try line.isNull(key.rawValue)
    }
  }

  /// Reads text.
  package func text(_ key: EventKey) throws -> String {
    switch source {
    case .decoder(let container): try container.decode(String.self, forKey: key)
    case .line(let line): try line.text(key.rawValue)
    }
  }

  /// Reads a list of texts.
  package func texts(_ key: EventKey) throws -> [String] {
    switch source {
    case .decoder(let container): try container.decode([String].self, forKey: key)
    case .line(let line): try line.texts(key.rawValue)
    }
  }

  /// Reads a Boolean.
  package func flag(_ key: EventKey) throws -> Bool {
    switch source {
    case .decoder(let container): try container.decode(Bool.self, forKey: key)
    case .line(let line): try line.flag(key.rawValue)
    }
  }

  /// Reads a number.
  package func fraction(_ key: EventKey) throws -> Double {
    switch source {
    case .decoder(let container): try container.decode(Double.self, forKey: key)
    case .line(let line): try line.fraction(key.rawValue)
    }
  }

  /// Reads a list of whole numbers.
  package func numbers(_ key: EventKey) throws -> [Int] {
    switch source {
    case .decoder(let container): try container.decode([Int].self, forKey: key)
    case .line(let line): try line.numbers(key.rawValue)
    }
  }

  /// Reads a whole number of any size.
  private func integer(_ key: EventKey) throws -> Int {
    switch source {
    case .decoder(let container): try container.decode(Int.self, forKey: key)
    case .line(let line): try line.number(key.rawValue)
    }
  }

  /// Reads a whole number.
  ///
  /// - Parameters:
  ///   - key: The field.
  ///   - range: The valid values.
  /// - Returns: The number.
  /// - Throws: `DecodingError` if the value is not a whole number or out of range.
  package func number(_ key: EventKey, in range: ClosedRange<Int> = 0...Int.max) throws -> Int {
    let number: Int
    do {
      number = try integer(key)
    } catch {
      // For some decoders, 0.5 in place of a whole number is an error of the whole text.
      guard let other = try? fraction(key) else { throw error }
      throw wrong(key, "must be a whole number of 64 bits, but is \(other)")
    }
    guard range.contains(number) else {
      throw wrong(
        key, "must be from \(range.lowerBound) to \(range.upperBound), but is \(number)")
    }
    return number
  }

  /// Reads a fraction.
  ///
  /// - Parameter key: The field.
  /// - Returns: The part, from 0 to 1.
  /// - Throws: `DecodingError` if the value is not a number from 0 to 1.
  package func part(_ key: EventKey) throws -> Double {
    let number = try fraction(key)
    guard number >= 0, number <= 1 else {
      throw wrong(key, "must be from 0 to 1, but is \(number)")
    }
    return number
  }

  /// Reads a number of tasks, which is limited like their indices.
  package func count(_ key: EventKey) throws -> Int { try number(key, in: 0...Self.largestIndex) }

  /// Reads a time or a duration.
  ///
  /// - Parameter key: The field, in seconds.
  /// - Returns: The duration, rounded to the nearest nanosecond.
  /// - Throws: `DecodingError` if the value is not a number, or is longer than a duration can be.
  package func duration(_ key: EventKey) throws -> Duration {
    if case .line(let line) = source, let seconds = try line.seconds(key.rawValue) {
      return seconds.duration
    }
    let number = try fraction(key)
    guard let seconds = JSONSeconds(number) else {
      throw wrong(key, "must be a number of seconds from -2^63 to 2^63, but is \(number)")
    }
    return seconds.duration
  }

  /// Reads a task.
  ///
  /// - Parameters:
  ///   - key: The field with its name.
  ///   - indexKey: The field with its index.
  /// - Returns: The task.
  /// - Throws: `DecodingError` if a field is missing or the index is not valid.
  package func task(_ key: EventKey = .task, _ indexKey: EventKey = .id) throws -> TaskID {
    TaskID(try number(indexKey, in: 0...Self.largestIndex), name: try text(key))
  }

  /// Reads an object.
  package func record<Record: EventRecord>(_ key: EventKey) throws -> Record {
    switch source {
    case .decoder(let container):
      try Record(EventFields(container.nestedContainer(keyedBy: EventKey.self, forKey: key)))
    case .line(let line): try Record(EventFields(line.object(key.rawValue)))
    }
  }

  /// Reads a list of objects.
  package func records<Record: EventRecord>(_ key: EventKey) throws -> [Record] {
    var records: [Record] = []
    switch source {
    case .decoder(let container):
      var list = try container.nestedUnkeyedContainer(forKey: key)
      while !list.isAtEnd {
        records.append(
          try Record(EventFields(list.nestedContainer(keyedBy: EventKey.self))))
      }
    case .line(let line):
      try line.each(key.rawValue) { records.append(try Record(EventFields($0))) }
    }
    return records
  }

  /// Reads a name that the format defines.
  ///
  /// - Parameter key: The field.
  /// - Returns: The value with that name.
  /// - Throws: `DecodingError` if the name is unknown.
  package func name<Name: RawRepresentable<String> & CaseIterable>(_ key: EventKey) throws -> Name {
    let text = try text(key)
    guard let name = Name(rawValue: text) else {
      let known = Name.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(key, "must be one of \(known), but is '\(text)'")
    }
    return name
  }

  /// The error for a field.
  package func wrong(_ key: EventKey, _ problem: String) -> DecodingError {
    var path: [any CodingKey] = [key]
    if case .decoder(let container) = source { path = container.codingPath + path }
    return .dataCorrupted(
      DecodingError.Context(
        codingPath: path, debugDescription: "'\(key.rawValue)' \(problem)"))
  }
}
