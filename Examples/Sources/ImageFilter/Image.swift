/// A picture: rows of samples, one for each point of a grey picture and three for each point of a colored one.
struct Image: Equatable, Sendable {
  /// The points of a row.
  let width: Int
  /// The rows.
  let height: Int
  /// The samples of a point: 1 for grey, 3 for red, green and blue.
  let channels: Int
  /// The sample that stands for full light.
  let maximum: UInt16
  /// All samples, row by row.
  let samples: [UInt16]

  /// The samples of a row.
  var rowLength: Int { width * channels }

  /// Where a row is among all samples.
  func row(_ number: Int) -> Range<Int> { number * rowLength..<(number + 1) * rowLength }
}

/// Why a picture cannot be read.
struct ImageError: Error, CustomStringConvertible {
  /// What is wrong with it.
  let description: String

  /// Creates a reason.
  init(_ description: String) { self.description = description }
}
