internal import HeadwayRun

/// Parses sizes such as `500kB`, `10MB`, `64MiB` and `2GiB`.
package enum SizeParser {
  /// The error for an invalid size.
  package struct ParseError: Error, Equatable {
    /// What is wrong and what to write instead.
    package var message: String
  }

  /// Examples of sizes, for messages.
  package static let examples = "500kB, 10MB or 2GiB"

  /// The units with their bytes; decimal ones first.
  private static let units: [(name: String, bytes: Int)] = [
    ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]

  /// Parses a size.
  ///
  /// - Throws: `ParseError` with a correction.
  package static func parse(_ text: String) throws(ParseError) -> Int {
    let digits = text.prefix { ("0"..."9").contains($0) }
    let unit = text.dropFirst(digits.count).drop { $0 == " " }
    guard !digits.isEmpty else { throw invalid(text) }
    guard let known = units.first(where: { $0.name == unit }) else {
      // As people write units: K, mb, GIB.
      let letters = unit.lowercased()
      if letters.isEmpty {
        throw ParseError(message: "size \(quoted(text)) has no unit; write it like \(examples)")
      }
      guard
        let meant = units.first(where: {
          [$0.name.lowercased(), "\($0.name.lowercased().first ?? " ")"].contains(letters)
        })
      else { throw invalid(text) }
      throw ParseError(
        message: "invalid size \(quoted(text)); write \(quoted("\(digits)\(meant.name)"))")
    }
    guard let number = Int(digits), number <= RunLimits.sizeBytes / known.bytes else {
      throw ParseError(
        message:
          "size \(quoted(text)) is too large; the maximum is \(RunLimits.sizeBytes >> 40)TiB"
      )
    }
    return number * known.bytes
  }

  private static func invalid(_ text: String) -> ParseError {
    ParseError(message: "invalid size \(quoted(text)); write it like \(examples)")
  }
}
