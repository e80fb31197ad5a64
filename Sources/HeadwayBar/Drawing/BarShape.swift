/// A rectangle, given by its upper left corner and its size.
public struct BarRect: Hashable, Sendable {
  /// The left edge.
  public var x: Double
  /// The upper edge.
  public var y: Double
  /// The width.
  public var width: Double
  /// The height.
  public var height: Double

  /// Creates a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Returns whether a point lies in the rectangle, edges included.
  package func contains(x: Double, y: Double) -> Bool {
    x >= self.x && x <= self.x + width && y >= self.y && y <= self.y + height
  }

  /// Returns the rectangle enlarged around its center to a minimum size.
  func grown(to minimum: Double) -> BarRect {
    let (wider, higher) = (max(minimum - width, 0), max(minimum - height, 0))
    return BarRect(
      x: x - wider / 2, y: y - higher / 2, width: width + wider, height: height + higher)
  }
}

/// A rectangle to draw, with rounded corners, a color and an optional clip.
///
/// A drawing is a list of shapes in back-to-front order. A surface draws them as they are and computes no positions. A
/// program can add its own shapes to the list, see <doc:DrawingYourOwnSurface>.
public struct BarShape: Hashable, Sendable {
  /// The kinds of shapes.
  public enum Part: UInt8, Sendable {
    /// The track, or the part of it after the value if there is a gap.
    case track
    /// A buffered range.
    case buffered
    /// The filled part.
    case fill
    /// A marked value.
    case mark
    /// The dot at the shown value.
    case dot
    /// The icon in the dot.
    case icon
    /// A shape that the program has added.
    case custom
  }

  /// A rectangle with rounded corners outside of which a shape is not drawn.
  ///
  /// ```swift
  /// for shape in shapes {
  ///   if let clip: BarShape.Clip = shape.clip { surface.clip(clip.rect, clip.radius) }
  ///   surface.fill(shape.rect)
  /// }
  /// ```
  public struct Clip: Hashable, Sendable {
    /// The rectangle.
    public var rect: BarRect
    /// The corner radius.
    public var radius: Double

    /// Creates a clip.
    public init(rect: BarRect, radius: Double) {
      self.rect = rect
      self.radius = radius
    }
  }

  /// The kind of the shape.
  public var part: Part
  /// The index of the range or mark, the number of the icon, or a number of the program's own.
  public var number: Int
  /// The rectangle to draw.
  public var rect: BarRect
  /// The corner radius.
  public var radius: Double
  /// The fill color.
  public var color: BarColor
  /// The clip, or nil for none.
  public var clip: Clip?
  /// Whether the shape moves with the value and keeps its size, so that a surface may move it as a whole.
  public var followsValue: Bool

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - part: The kind of the shape.
  ///   - number: Which one of its kind.
  ///   - rect: The rectangle to draw.
  ///   - radius: The corner radius.
  ///   - color: The fill color.
  ///   - clip: The clip.
  ///   - followsValue: Whether the shape moves with the value and keeps its size.
  public init(
    _ part: Part, number: Int = 0, rect: BarRect, radius: Double = 0, color: BarColor,
    clip: Clip? = nil, followsValue: Bool = false
  ) {
    self.part = part
    self.number = number
    self.rect = rect
    self.radius = radius
    self.color = color
    self.clip = clip
    self.followsValue = followsValue
  }
}
