import HeadwayProgress

/// Reads images in the portable formats for gray and color: P2 and P3 in digits, P5 and P6 in bytes.
struct PixmapReader {
  /// The maximum number of samples: half a gigabyte.
  private static let mostSamples = 1 << 28

  /// The contents of the file.
  private let bytes: [UInt8]
  /// The position of the next byte.
  private var place = 0

  /// Creates a reader.
  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads an image, and reports its rows to the current node.
  ///
  /// - Parameter bytes: The contents of a file; only the first image is read.
  /// - Returns: The picture.
  /// - Throws: `ImageError` if there is no valid image, and `CancellationError` if the node is cancelled.
  static func image(from bytes: [UInt8]) throws -> Image {
    var reader = PixmapReader(bytes)
    return try reader.image()
  }

  /// Reads the header and the rows.
  private mutating func image() throws -> Image {
    guard bytes.count >= 2, bytes[0] == UInt8(ascii: "P") else {
      throw ImageError("is not a PGM or PPM image: it does not begin with P2, P3, P5 or P6")
    }
    let format = bytes[1]
    guard "2356".utf8.contains(format) else {
      let name = String(decoding: bytes[0..<2], as: UTF8.self)
      throw ImageError("has the format \(name); supported are P2, P3, P5 and P6")
    }
    place = 2
    let isPlain = format < UInt8(ascii: "5")
    let channels = format == UInt8(ascii: "3") || format == UInt8(ascii: "6") ? 3 : 1
    let width = try size("width")
    let height = try size("height")
    let maximum = try number("maximum sample")
    guard (1...Int(UInt16.max)).contains(maximum) else {
      throw ImageError("has the maximum sample \(maximum); it must be from 1 to 65535")
    }
    let (points, isTooLarge) = width.multipliedReportingOverflow(by: height)
    guard !isTooLarge, points <= Self.mostSamples / channels else {
      throw ImageError("has \(width) x \(height) pixels, which is too large")
    }
    if !isPlain { try skipSpace(after: "maximum sample") }
    let samples = try samples(
      rows: height, of: width * channels, maximum: UInt16(maximum), isPlain: isPlain)
    return Image(
      width: width, height: height, channels: channels, maximum: UInt16(maximum), samples: samples)
  }

  /// Reads the rows.
  private mutating func samples(
    rows: Int, of length: Int, maximum: UInt16, isPlain: Bool
  ) throws -> [UInt16] {
    let progress = ProgressNode.joinCurrent("Reading", total: rows)
    let sampleSize = maximum > UInt8.max ? 2 : 1
    let count = rows * length
    // Before memory is allocated for all samples: a short file may claim to be a large image.
    let least = isPlain ? 2 * count - 1 : sampleSize * count
    guard bytes.count - place >= least else {
      throw ImageError("ends before its \(count) samples")
    }
    var samples: [UInt16] = []
    samples.reserveCapacity(count)
    for _ in 0..<rows {
      try progress.blockingCheckpoint()
      for _ in 0..<length {
        let sample = isPlain ? try number("sample") : raw(sampleSize)
        guard sample <= maximum else {
          throw ImageError("has the sample \(sample), which is above \(maximum)")
        }
        samples.append(UInt16(sample))
      }
      progress.complete(1)
    }
    return samples
  }

  /// Reads a binary sample, most significant byte first; the caller has checked the length.
  @inline(__always)
  private mutating func raw(_ size: Int) -> Int {
    defer { place += size }
    return size == 1 ? Int(bytes[place]) : Int(bytes[place]) << 8 | Int(bytes[place + 1])
  }

  /// Reads a width or a height.
  private mutating func size(_ name: String) throws -> Int {
    let size = try number(name)
    guard size > 0 else { throw ImageError("has a \(name) of 0") }
    return size
  }

  /// Reads a number in digits, with the space and the comments before it.
  private mutating func number(_ name: String) throws -> Int {
    skipSpaceAndComments()
    var number = 0
    let start = place
    while place < bytes.count, let digit = Self.digit(bytes[place]) {
      number = number * 10 + digit
      guard number <= Self.mostSamples else {
        throw ImageError("has a \(name) above \(Self.mostSamples)")
      }
      place += 1
    }
    guard place > start else {
      throw ImageError(
        place == bytes.count
          ? "ends before its \(name)"
          : "needs a number for its \(name) at byte \(place + 1)")
    }
    return number
  }

  /// Skips the single white space between the header and binary samples.
  private mutating func skipSpace(after name: String) throws {
    guard place < bytes.count, Self.isSpace(bytes[place]) else {
      throw ImageError("needs white space after its \(name)")
    }
    place += 1
  }

  /// Skips white space and comments, which go from # to the end of the line.
  private mutating func skipSpaceAndComments() {
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "#") {
        while place < bytes.count, !Self.endsLine(bytes[place]) { place += 1 }
      } else if Self.isSpace(bytes[place]) {
        place += 1
      } else {
        return
      }
    }
  }

  /// The value of a digit, nil for any other byte.
  private static func digit(_ byte: UInt8) -> Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
  }

  /// Whether a byte ends a line.
  private static func endsLine(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

  /// Whether a byte is white space.
  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
