/// A rectangle, from its upper left corner.
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

  /// Whether a point lies in it, the edges included.
  public func contains(x: Double, y: Double) -> Bool {
    x >= self.x && x <= self.x + width && y >= self.y && y <= self.y + height
  }

  /// The rectangle of at least a size with the same middle.
  func grown(to least: Double) -> BarRect {
    let (wider, higher) = (max(least - width, 0), max(least - height, 0))
    return BarRect(
      x: x - wider / 2, y: y - higher / 2, width: width + wider, height: height + higher)
  }
}

/// A thing to draw: a rectangle with round corners in a colour, perhaps cut off by another one.
///
/// A drawing is a list of shapes, the lowest first. Nothing else is drawn, and a surface computes no place of its own.
/// A program adds what it wants to such a list, see <doc:DrawingYourOwnSurface>.
public struct BarShape: Hashable, Sendable {
  /// What a shape is.
  public enum Part: UInt8, Sendable {
    /// The whole way, or the part of it behind the value where there is a gap.
    case track
    /// A range that is buffered.
    case buffered
    /// The filled part.
    case fill
    /// A marked value.
    case mark
    /// The dot at the value.
    case dot
    /// The picture in the dot.
    case icon
    /// A shape that the program has added.
    case own
  }

  /// A rectangle with round corners beyond which nothing is drawn.
  public struct Clip: Hashable, Sendable {
    /// The rectangle.
    public var rect: BarRect
    /// The radius of its corners.
    public var radius: Double

    /// Creates a clip.
    public init(rect: BarRect, radius: Double) {
      self.rect = rect
      self.radius = radius
    }
  }

  /// What it is.
  public var part: Part
  /// Which one of its part: the place in the list of ranges or marks, the number of the icon or of an own shape.
  public var number: Int
  /// Where it is drawn.
  public var rect: BarRect
  /// The radius of its corners.
  public var radius: Double
  /// The colour.
  public var color: BarColor
  /// What cuts it off, nil for nothing.
  public var clip: Clip?
  /// Whether it moves along with the value and keeps its size: a surface may move it as a whole.
  public var followsValue: Bool

  /// Creates a shape.
  ///
  /// - Parameters:
  ///   - part: What it is.
  ///   - number: Which one of its part.
  ///   - rect: Where it is drawn.
  ///   - radius: The radius of its corners.
  ///   - color: The colour.
  ///   - clip: What cuts it off.
  ///   - followsValue: Whether it moves along with the value and keeps its size.
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
