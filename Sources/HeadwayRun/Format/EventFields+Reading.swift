/// Reads fields, and says of each that is wrong what is wrong with it.
extension EventFields {
  /// The largest place that a task of a graph can have.
  private static var largestPlace: Int { Int(Int32.max) }

  /// Reads a text.
  func text(_ key: EventKey) throws -> String { try decode(String.self, forKey: key) }

  /// Reads what is true or false.
  func flag(_ key: EventKey) throws -> Bool { try decode(Bool.self, forKey: key) }

  /// Reads a whole number.
  ///
  /// - Parameters:
  ///   - key: The field.
  ///   - range: What it may be.
  /// - Returns: The number.
  /// - Throws: `DecodingError`, for what is none or out of range.
  func number(_ key: EventKey, in range: ClosedRange<Int> = 0...Int.max) throws -> Int {
    let number: Int
    do {
      number = try decode(Int.self, forKey: key)
    } catch {
      // Some decoders take 0.5, where a whole number is wanted, for a mistake of the whole text.
      guard let other = try? decode(Double.self, forKey: key) else { throw error }
      throw wrong(key, "must be a whole number of 64 bits, but is \(other)")
    }
    guard range.contains(number) else {
      throw wrong(
        key, "must be from \(range.lowerBound) to \(range.upperBound), but is \(number)")
    }
    return number
  }

  /// Reads a part of a whole.
  ///
  /// - Parameter key: The field.
  /// - Returns: The part, from 0 to 1.
  /// - Throws: `DecodingError`, for what is no number, or none from 0 to 1.
  func part(_ key: EventKey) throws -> Double {
    let number = try decode(Double.self, forKey: key)
    guard number >= 0, number <= 1 else {
      throw wrong(key, "must be from 0 to 1, but is \(number)")
    }
    return number
  }

  /// Reads a number of tasks, of which there are as many as places.
  func count(_ key: EventKey) throws -> Int { try number(key, in: 0...Self.largestPlace) }

  /// Reads a time or a duration.
  ///
  /// - Parameter key: The field, in seconds.
  /// - Returns: The duration, rounded to the nearest nanosecond.
  /// - Throws: `DecodingError`, for what is no number, or longer than a duration can be.
  func duration(_ key: EventKey) throws -> Duration {
    let number = try decode(Double.self, forKey: key)
    guard let seconds = EventSeconds(number) else {
      throw wrong(key, "must be a number of seconds from -2^63 to 2^63, but is \(number)")
    }
    return seconds.duration
  }

  /// Reads a task.
  ///
  /// - Parameters:
  ///   - key: The field with its name.
  ///   - place: The field with its place.
  /// - Returns: The task.
  /// - Throws: `DecodingError`, for a field that is missing, or a place that no task can have.
  func task(_ key: EventKey = .task, _ place: EventKey = .id) throws -> TaskID {
    TaskID(try number(place, in: 0...Self.largestPlace), name: try text(key))
  }

  /// Reads an object.
  func record<Record: EventRecord>(_ key: EventKey) throws -> Record {
    try Record(nestedContainer(keyedBy: EventKey.self, forKey: key))
  }

  /// Reads a list of objects.
  func records<Record: EventRecord>(_ key: EventKey) throws -> [Record] {
    var list = try nestedUnkeyedContainer(forKey: key)
    var records: [Record] = []
    while !list.isAtEnd {
      records.append(try Record(list.nestedContainer(keyedBy: EventKey.self)))
    }
    return records
  }

  /// Reads one of the names that the format knows.
  ///
  /// - Parameter key: The field.
  /// - Returns: What is named.
  /// - Throws: `DecodingError`, for a name that is not known.
  func name<Name: RawRepresentable<String> & CaseIterable>(_ key: EventKey) throws -> Name {
    let text = try text(key)
    guard let name = Name(rawValue: text) else {
      let known = Name.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(key, "must be one of \(known), but is '\(text)'")
    }
    return name
  }

  /// Describes what is wrong with a field.
  func wrong(_ key: EventKey, _ problem: String) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: codingPath + [key], debugDescription: "'\(key.rawValue)' \(problem)"))
  }
}
