import Foundation
import HeadwayBar
import Testing

/// A picture with 32 bits per pixel.
struct Picture32: Equatable {
  let width: Int
  let height: Int
  /// Blue, green, red and opacity of each pixel, row by row, premultiplied.
  private(set) var bytes: [UInt8]

  init(width: Int, height: Int, bytes: [UInt8]) {
    self.width = width
    self.height = height
    self.bytes = bytes
  }

  /// Reads the output of `xwd`: a header of big-endian words, a color table, and rows of pixels.
  ///
  /// - Parameters:
  ///   - dump: The output.
  ///   - rows: The rows to read.
  ///   - width: The number of pixels of each row to read, from the left.
  /// - Throws: An error if the display has another pixel format or is too small.
  init(windowDump dump: Data, rows: Range<Int>, width: Int) throws {
    let all = [UInt8](dump)
    let word = { (index: Int) in all[index * 4..<index * 4 + 4].reduce(0) { $0 << 8 | Int($1) } }
    let (bitsPerPixel, bytesPerRow) = (word(11), word(12))
    try #require(bitsPerPixel == 24 || bitsPerPixel == 32, "a display of \(bitsPerPixel) bits")
    try #require(width <= word(4) && rows.upperBound <= word(5), "the display is too small")
    let start = word(0) + word(19) * 12
    var bytes: [UInt8] = []
    bytes.reserveCapacity(width * rows.count * 4)
    for row in rows {
      var pixel = start + row * bytesPerRow
      for _ in 0..<width {
        bytes.append(all[pixel])
        bytes.append(all[pixel + 1])
        bytes.append(all[pixel + 2])
        bytes.append(255)
        pixel += bitsPerPixel / 8
      }
    }
    self.init(width: width, height: rows.count, bytes: bytes)
  }

  /// The blue, green, red and opacity of a pixel.
  func pixel(_ x: Int, _ y: Int) -> [Int] {
    (0..<4).map { Int(bytes[(y * width + x) * 4 + $0]) }
  }

  /// Returns whether a pixel has an opaque color.
  func pixel(_ x: Int, _ y: Int, is color: BarColor) -> Bool {
    pixel(x, y) == [Int(color.blue), Int(color.green), Int(color.red), 255]
  }

  /// Compares two pictures: the largest difference of a component, and the number of pixels that differ by more than the
  /// tolerance.
  func difference(from other: Picture32, tolerance: Int) -> (worst: Int, pixels: Int) {
    guard width == other.width, height == other.height else { return (.max, .max) }
    var worst = 0
    var pixels = 0
    for y in 0..<height {
      for x in 0..<width {
        let difference = zip(pixel(x, y), other.pixel(x, y)).map { abs($0 - $1) }.max() ?? 0
        worst = max(worst, difference)
        if difference > tolerance { pixels += 1 }
      }
    }
    return (worst, pixels)
  }

  /// The left and the right edge of the covered pixels of a row, to a fraction of a pixel; nil if none is covered.
  func extent(row: Int) -> ClosedRange<Double>? {
    let covers = (0..<width).map { Double(pixel($0, row)[3]) / 255 }
    guard let first = covers.firstIndex(where: { $0 > 0 }),
      let last = covers.lastIndex(where: { $0 > 0 })
    else { return nil }
    return Double(first) + 1 - covers[first]...Double(last) + covers[last]
  }
}
