/// An image: rows of samples, one for each pixel of a gray image and three for each pixel of a color image.
struct Image: Equatable, Sendable {
  /// The number of pixels in a row.
  let width: Int
  /// The number of rows.
  let height: Int
  /// The number of samples for each pixel: 1 for gray, 3 for red, green and blue.
  let channels: Int
  /// The maximum value of a sample.
  let maximum: UInt16
  /// All samples, row by row.
  let samples: [UInt16]

  /// The samples of a row.
  var rowLength: Int { width * channels }

  /// The range of a row in `samples`.
  func row(_ number: Int) -> Range<Int> { number * rowLength..<(number + 1) * rowLength }
}

/// The error of an image that cannot be read.
struct ImageError: Error, CustomStringConvertible {
  /// The message.
  let description: String

  /// Creates an error.
  init(_ description: String) { self.description = description }
}
