/// Where a bar stands: its size, its direction, and how far around it a press counts.
///
/// Lengths are in the unit of the surface: points of a page or a window, cells of a terminal. Lengths that are negative
/// or no numbers count as 0. A pure value.
public struct BarLayout: Hashable, Sendable {
  /// The direction in which the value grows.
  public enum Direction: UInt8, Sendable {
    /// From left to right.
    case leftToRight
    /// From right to left.
    case rightToLeft
    /// From the bottom to the top.
    case upwards
  }

  /// How exactly a person can point.
  public enum Precision: UInt8, Sendable {
    /// With a mouse or a pen.
    case fine
    /// With a finger.
    case coarse
  }

  /// How far beyond the bar a press still counts, on each side.
  public struct Margins: Hashable, Sendable {
    /// Above the bar.
    public var top: Double
    /// To the right of it.
    public var right: Double
    /// Below it.
    public var bottom: Double
    /// To the left of it.
    public var left: Double

    /// Creates margins of their own on each side.
    public init(top: Double, right: Double, bottom: Double, left: Double) {
      self.top = top
      self.right = right
      self.bottom = bottom
      self.left = left
    }

    /// Creates margins of half of one length on each side.
    ///
    /// - Parameter extent: What the bar is wider and higher for a press than it is drawn.
    public init(extent: Double) {
      self.init(top: extent / 2, right: extent / 2, bottom: extent / 2, left: extent / 2)
    }
  }

  /// The width.
  public var width: Double
  /// The height; the track lies in its middle.
  public var height: Double
  /// The direction in which the value grows.
  public var direction: Direction = .leftToRight
  /// How far beyond the bar a press still counts.
  public var margins: Margins = Margins(extent: 20)
  /// How exactly people point; it sets the least size of the hit area.
  public var precision: Precision = .fine

  #if !hasFeature(Embedded)
    /// How far everything is drawn from its place: not zero in tests, which prove that surfaces compute no places.
    package var offset: Double = 0
  #elseif BAR_OFFSET
    /// How far everything is drawn from its place, for a test that proves that the page computes no places.
    var offset: Double { 10 }
  #else
    /// How far everything is drawn from its place.
    var offset: Double { 0 }
  #endif

  /// The least width and height of the hit area for a mouse, in points: success criterion 2.5.8 of WCAG 2.2.
  public static let leastTarget: Double = 24
  /// The least width and height of the hit area for a finger, in points.
  public static let leastCoarseTarget: Double = 44

  /// Creates a layout from left to right.
  ///
  /// - Parameters:
  ///   - width: The width.
  ///   - height: The height.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  // MARK: Along and across

  /// The length from the beginning of the range to its end.
  public var length: Double { direction == .upwards ? height.drawn : width.drawn }

  /// The length across.
  var thickness: Double { direction == .upwards ? width.drawn : height.drawn }

  /// A rectangle that is given along and across the bar.
  @inline(never) func rectangle(from: Double, to: Double, thickness: Double) -> BarRect {
    let edge = (self.thickness - thickness) / 2
    switch direction {
    case .leftToRight: return BarRect(x: from, y: edge, width: to - from, height: thickness)
    case .rightToLeft:
      return BarRect(x: length - to, y: edge, width: to - from, height: thickness)
    case .upwards: return BarRect(x: edge, y: length - to, width: thickness, height: to - from)
    }
  }

  /// How far along the bar a point is.
  @inline(never) func along(x: Double, y: Double) -> Double {
    switch direction {
    case .leftToRight: x
    case .rightToLeft: length - x
    case .upwards: length - y
    }
  }

  /// The area in which a press counts.
  public var hitArea: BarRect {
    let (width, height) = (width.drawn, height.drawn)
    let drawn = BarRect(
      x: -margins.left.drawn, y: -margins.top.drawn,
      width: width + margins.left.drawn + margins.right.drawn,
      height: height + margins.top.drawn + margins.bottom.drawn)
    return drawn.grown(to: leastSize)
  }

  /// The least size of what can be pressed.
  var leastSize: Double {
    precision == .fine ? Self.leastTarget : Self.leastCoarseTarget
  }
}
