/// An object whose fields can be read by their names, for records with fields that no event has.
///
/// It is the counterpart of a ``JSONLine``. A field that has another type is an error, which names it.
package protocol FieldSource {
  /// Whether there is a field.
  func contains(_ name: String) -> Bool
  /// Reads text.
  func text(_ name: String) throws -> String
  /// Reads a whole number.
  func number(_ name: String) throws -> Int
  /// Reads a number.
  func fraction(_ name: String) throws -> Double
  /// Reads a Boolean.
  func flag(_ name: String) throws -> Bool
  /// Reads a list of whole numbers.
  func numbers(_ name: String) throws -> [Int]
  /// Reads a list of texts.
  func texts(_ name: String) throws -> [String]
  /// Reads a list of objects, one after the other.
  func each(_ name: String, _ body: (Self) throws -> Void) throws
}

extension FieldSource {
  /// Reads a whole number that another process or a file claims, and with which this one computes.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - range: What the number can be.
  /// - Returns: The number, or the nearest one in the range.
  /// - Throws: `DecodingError` if the field is missing or not a whole number of 64 bits.
  package func number(_ name: String, clampedTo range: ClosedRange<Int>) throws -> Int {
    min(max(try number(name), range.lowerBound), range.upperBound)
  }

  /// The error for a field.
  package func damaged(_ name: String, _ problem: String) -> DecodingError {
    .dataCorrupted(
      DecodingError.Context(
        codingPath: [FieldName(name)], debugDescription: "'\(name)' \(problem)"))
  }
}

/// The name of a field as a coding key.
package struct FieldName: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  /// Makes a key of any name.
  package init(_ name: String) { stringValue = name }
  package init(stringValue: String) { self.init(stringValue) }
  package init?(intValue: Int) { nil }
}

/// The fields of an object that a decoder reads.
package struct DecodedFields: FieldSource, Decodable {
  private let container: KeyedDecodingContainer<FieldName>

  private init(_ container: KeyedDecodingContainer<FieldName>) { self.container = container }

  /// Reads an object.
  ///
  /// - Throws: `DecodingError` if the decoder has no object.
  package init(from decoder: any Decoder) throws {
    self.init(try decoder.container(keyedBy: FieldName.self))
  }

  package func contains(_ name: String) -> Bool { container.contains(FieldName(name)) }

  package func text(_ name: String) throws -> String {
    try container.decode(String.self, forKey: FieldName(name))
  }

  package func number(_ name: String) throws -> Int {
    try container.decode(Int.self, forKey: FieldName(name))
  }

  package func fraction(_ name: String) throws -> Double {
    try container.decode(Double.self, forKey: FieldName(name))
  }

  package func flag(_ name: String) throws -> Bool {
    try container.decode(Bool.self, forKey: FieldName(name))
  }

  package func numbers(_ name: String) throws -> [Int] {
    try container.decode([Int].self, forKey: FieldName(name))
  }

  package func texts(_ name: String) throws -> [String] {
    try container.decode([String].self, forKey: FieldName(name))
  }

  package func each(_ name: String, _ body: (DecodedFields) throws -> Void) throws {
    var list = try container.nestedUnkeyedContainer(forKey: FieldName(name))
    while !list.isAtEnd {
      try body(DecodedFields(list.nestedContainer(keyedBy: FieldName.self)))
    }
  }
}
