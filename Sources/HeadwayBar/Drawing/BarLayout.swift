/// The size and direction of a bar, and how far around it a press counts.
///
/// Lengths are in the unit of the surface: points of a page or a window, cells of a terminal. A length that is negative or
/// NaN counts as 0. A pure value.
public struct BarLayout: Hashable, Sendable {
  /// The direction in which the value grows.
  ///
  /// ```swift
  /// var layout = BarLayout(width: 24, height: 100)
  /// layout.direction = .upwards  // a bar for the loudness
  /// ```
  public enum Direction: UInt8, Sendable {
    /// From left to right.
    case leftToRight
    /// From right to left.
    case rightToLeft
    /// From the bottom to the top.
    case upwards
  }

  /// The precision of the available pointers.
  public enum Precision: UInt8, Sendable {
    /// A mouse or a pen.
    case fine
    /// A finger.
    case coarse
  }

  /// The distances beyond the bar within which a press still counts.
  public struct Margins: Hashable, Sendable {
    /// Above the bar.
    public var top: Double
    /// To the right of it.
    public var right: Double
    /// Below it.
    public var bottom: Double
    /// To the left of it.
    public var left: Double

    /// Creates margins with a length for each side.
    public init(top: Double, right: Double, bottom: Double, left: Double) {
      self.top = top
      self.right = right
      self.bottom = bottom
      self.left = left
    }

    /// Creates margins that enlarge the width and the height by one length.
    ///
    /// - Parameter extent: The length, half of which is added on each side.
    public init(extent: Double) {
      self.init(top: extent / 2, right: extent / 2, bottom: extent / 2, left: extent / 2)
    }
  }

  /// The width.
  public var width: Double
  /// The height; the track is centered in it.
  public var height: Double
  /// The direction in which the value grows.
  public var direction: Direction = .leftToRight
  /// The distances beyond the bar within which a press still counts.
  public var margins: Margins = Margins(extent: 20)
  /// The precision of the available pointers, which sets the minimum size of the hit area.
  public var precision: Precision = .fine

  #if !hasFeature(Embedded)
    /// An offset of everything that is drawn; tests set it to show that surfaces compute no positions.
    package var offset: Double = 0
  #elseif BAR_OFFSET
    /// An offset of everything that is drawn, for a test that shows that the page computes no positions.
    var offset: Double { 10 }
  #else
    var offset: Double { 0 }
  #endif

  /// The minimum width and height of the hit area for a mouse, in points: success criterion 2.5.8 of WCAG 2.2.
  package static let minimumTarget: Double = 24
  /// The minimum width and height of the hit area for a finger, in points.
  package static let minimumCoarseTarget: Double = 44

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
  package var length: Double {
    direction == .upwards ? height.positiveOrZero : width.positiveOrZero
  }

  var thickness: Double { direction == .upwards ? width.positiveOrZero : height.positiveOrZero }

  /// A rectangle from its extent along the bar and its thickness, centered across the bar.
  @inline(never) func rectangle(from: Double, to: Double, thickness: Double) -> BarRect {
    let edge = (self.thickness - thickness) / 2
    switch direction {
    case .leftToRight: return BarRect(x: from, y: edge, width: to - from, height: thickness)
    case .rightToLeft:
      return BarRect(x: length - to, y: edge, width: to - from, height: thickness)
    case .upwards: return BarRect(x: edge, y: length - to, width: thickness, height: to - from)
    }
  }

  /// The position of a point along the bar.
  @inline(never) func along(x: Double, y: Double) -> Double {
    switch direction {
    case .leftToRight: x
    case .rightToLeft: length - x
    case .upwards: length - y
    }
  }

  /// The area in which a press counts, besides the dot.
  public var hitArea: BarRect {
    let (width, height) = (width.positiveOrZero, height.positiveOrZero)
    let drawn = BarRect(
      x: -margins.left.positiveOrZero, y: -margins.top.positiveOrZero,
      width: width + margins.left.positiveOrZero + margins.right.positiveOrZero,
      height: height + margins.top.positiveOrZero + margins.bottom.positiveOrZero)
    return drawn.grown(to: minimumTargetSize)
  }

  var minimumTargetSize: Double {
    precision == .fine ? Self.minimumTarget : Self.minimumCoarseTarget
  }
}
