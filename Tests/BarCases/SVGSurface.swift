public import HeadwayBar

/// A surface for documents: it turns drawings of a bar into a picture in SVG.
///
/// It computes no place of its own; each shape becomes a rectangle, and what is cut off is clipped.
public struct SVGSurface: Sendable {
  /// The width in points.
  private let width: Double
  /// The height in points.
  private let height: Double
  /// What was drawn.
  private var body = ""
  /// How many clips there are.
  private var clips = 0

  /// Creates an empty picture.
  ///
  /// - Parameters:
  ///   - width: The width in points.
  ///   - height: The height in points.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Draws a drawing of a bar.
  ///
  /// - Parameters:
  ///   - shapes: The shapes, the lowest first.
  ///   - x: How far right the bar stands.
  ///   - y: How far down the bar stands.
  public mutating func draw(_ shapes: [BarShape], x: Double, y: Double) {
    for shape in shapes {
      var attributes = Self.place(shape.rect, x, y)
      if shape.radius > 0 { attributes += " rx=\"\(Self.number(shape.radius))\"" }
      if let clip = shape.clip {
        clips += 1
        body += "  <clipPath id=\"clip\(clips)\"><rect\(Self.place(clip.rect, x, y))"
        if clip.radius > 0 { body += " rx=\"\(Self.number(clip.radius))\"" }
        body += "/></clipPath>\n"
        attributes += " clip-path=\"url(#clip\(clips))\""
      }
      guard shape.part != .icon else {
        body += "  <path d=\"\(Self.triangle(shape.rect, x, y))\" fill=\"#ffffff\"/>\n"
        continue
      }
      body += "  <rect\(attributes) fill=\"\(Self.color(shape.color))\""
      if shape.color.opacity < 255 {
        body += " fill-opacity=\"\(Self.number(Double(shape.color.opacity) / 255))\""
      }
      body += "/>\n"
    }
  }

  /// Writes a line of text.
  ///
  /// - Parameters:
  ///   - text: The text, without characters that mean something to XML.
  ///   - x: Where it begins.
  ///   - y: Where its base line is.
  ///   - anchor: Which part of it stands there: `start`, `middle` or `end`.
  public mutating func write(_ text: String, x: Double, y: Double, anchor: String = "start") {
    body += "  <text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" text-anchor=\"\(anchor)\""
    body += " fill=\"#7a8494\">\(text)</text>\n"
  }

  /// Draws a line through points.
  ///
  /// - Parameters:
  ///   - points: The points.
  ///   - color: The color, such as `#0b57d0`.
  ///   - thickness: How thick it is.
  public mutating func line(
    _ points: [(x: Double, y: Double)], color: String, thickness: Double = 2
  ) {
    let path = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: " ")
    body += "  <polyline points=\"\(path)\" fill=\"none\" stroke=\"\(color)\""
    body += " stroke-width=\"\(Self.number(thickness))\"/>\n"
  }

  /// The picture as text.
  public var text: String {
    let (width, height) = (Self.number(width), Self.number(height))
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
      viewBox="0 0 \(width) \(height)" font-family="system-ui, sans-serif" font-size="12">
      \(body)</svg>

      """
  }

  /// Where a rectangle is.
  private static func place(_ rect: BarRect, _ x: Double, _ y: Double) -> String {
    " x=\"\(number(rect.x + x))\" y=\"\(number(rect.y + y))\""
      + " width=\"\(number(rect.width))\" height=\"\(number(rect.height))\""
  }

  /// The picture in a dot: a triangle as on a button that plays.
  private static func triangle(_ rect: BarRect, _ x: Double, _ y: Double) -> String {
    let (left, top) = (rect.x + x + rect.width * 0.2, rect.y + y)
    let (right, middle) = (left + rect.width * 0.8, top + rect.height / 2)
    return "M\(number(left)) \(number(top))L\(number(right)) \(number(middle))"
      + "L\(number(left)) \(number(top + rect.height))Z"
  }

  /// A number to a hundredth.
  private static func number(_ number: Double) -> String { BarCase.hundredths(number) }

  /// A color as text.
  private static func color(_ color: BarColor) -> String {
    let parts = [color.red, color.green, color.blue].map { byte in
      let text = String(byte, radix: 16)
      return text.count < 2 ? "0\(text)" : text
    }
    return "#" + parts.joined()
  }
}
