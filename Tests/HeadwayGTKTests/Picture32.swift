#if GTK
  import Foundation
  import HeadwayBar
  import Testing

  /// A picture of pixels with 32 bits each.
  struct Picture32: Equatable {
    /// The width in pixels.
    let width: Int
    /// The height in pixels.
    let height: Int
    /// Blue, green, red and opacity of each pixel, row by row; colours are multiplied by the opacity.
    private(set) var bytes: [UInt8]

    /// Creates a picture of bytes.
    init(width: Int, height: Int, bytes: [UInt8]) {
      self.width = width
      self.height = height
      self.bytes = bytes
    }

    /// Reads what `xwd` writes: a header of big-endian words, a table of colours, and rows of pixels.
    ///
    /// - Parameters:
    ///   - dump: What it wrote.
    ///   - rows: The rows that are wanted, as each one takes its time.
    ///   - width: How much of each is wanted, from the left.
    /// - Throws: That the display has pixels of another size, or is too small.
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

    /// Blue, green, red and opacity of a pixel.
    func pixel(_ x: Int, _ y: Int) -> [Int] {
      (0..<4).map { Int(bytes[(y * width + x) * 4 + $0]) }
    }

    /// Whether a pixel is of a colour that covers what is below.
    func pixel(_ x: Int, _ y: Int, is color: BarColor) -> Bool {
      pixel(x, y) == [Int(color.blue), Int(color.green), Int(color.red), 255]
    }

    /// How much two pictures differ: the largest difference of a part of a pixel, and how many pixels differ by more.
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

    /// Where along a row a colour begins and ends, to a part of a pixel, on what is transparent.
    ///
    /// - Returns: The edges, nil where nothing of the row is covered.
    func extent(row: Int) -> ClosedRange<Double>? {
      let covers = (0..<width).map { Double(pixel($0, row)[3]) / 255 }
      guard let first = covers.firstIndex(where: { $0 > 0 }),
        let last = covers.lastIndex(where: { $0 > 0 })
      else { return nil }
      return Double(first) + 1 - covers[first]...Double(last) + covers[last]
    }
  }

  /// Draws shapes without GTK: each pixel is looked at in 8 × 8 points.
  struct Painter {
    /// The points of a pixel in each direction.
    private static let points = 8

    /// The picture of shapes, with the origin of their coordinates at a place in it.
    static func picture(
      _ shapes: [BarShape], width: Int, height: Int, origin: (x: Double, y: Double)
    ) -> Picture32 {
      var parts = [[Double]](repeating: [0, 0, 0, 0], count: width * height)
      for shape in shapes where shape.color.opacity > 0 {
        let color = [shape.color.blue, shape.color.green, shape.color.red, 255].map(Double.init)
        for y in 0..<height {
          for x in 0..<width {
            let covered =
              cover(of: shape, x: Double(x) - origin.x, y: Double(y) - origin.y)
              * Double(shape.color.opacity) / 255
            guard covered > 0 else { continue }
            for part in 0..<4 {
              let old = parts[y * width + x][part]
              parts[y * width + x][part] = old + (color[part] - old) * covered
            }
          }
        }
      }
      return Picture32(
        width: width, height: height, bytes: parts.flatMap { $0.map { UInt8($0.rounded()) } })
    }

    /// How much of a pixel a shape covers, from 0 to 1.
    private static func cover(of shape: BarShape, x: Double, y: Double) -> Double {
      let rect = shape.rect
      guard x + 1 > rect.x, x < rect.x + rect.width, y + 1 > rect.y, y < rect.y + rect.height
      else { return 0 }
      var inside = 0
      for column in 0..<points {
        for row in 0..<points {
          let point = (
            x + (Double(column) + 0.5) / Double(points), y + (Double(row) + 0.5) / Double(points)
          )
          guard contains(rect, shape.radius, point) else { continue }
          if let clip = shape.clip, !contains(clip.rect, clip.radius, point) { continue }
          inside += 1
        }
      }
      return Double(inside) / Double(points * points)
    }

    /// Whether a rectangle with round corners contains a point.
    private static func contains(
      _ rect: BarRect, _ radius: Double, _ point: (x: Double, y: Double)
    ) -> Bool {
      guard rect.contains(x: point.x, y: point.y) else { return false }
      let x = min(point.x - rect.x, rect.x + rect.width - point.x)
      let y = min(point.y - rect.y, rect.y + rect.height - point.y)
      guard x < radius, y < radius else { return true }
      return (radius - x) * (radius - x) + (radius - y) * (radius - y) <= radius * radius
    }
  }
#endif
