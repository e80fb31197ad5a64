import HeadwayBar

/// Draws shapes without GTK, with 8 × 8 samples per pixel.
struct Painter {
  /// The samples of a pixel in each direction.
  private static let points = 8

  /// Draws shapes, with the origin of their coordinates at a point of the picture.
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

  /// The fraction of a pixel that a shape covers.
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

  /// Returns whether a rectangle with rounded corners contains a point.
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
