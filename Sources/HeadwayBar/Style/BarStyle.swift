/// The appearance of a bar, which never moves the position of a value.
///
/// ```
///                     dotSize           markWidth
///   barHeight  ┌────────────(  )───░░░░░░┃─────┐ ┐ fillHeight
///              └────────────(  )───░░░░░░┃─────┘ ┘
///                fill     gap│ │gap buffered  track
/// ```
///
/// Each property can be set alone, and a change can be animated, see ``ProgressBar/setStyle(_:over:at:)``. The buffered
/// ranges and the marks are data that is drawn in the style: a bar with only these has the default style.
/// Lengths are in the unit of the layout: points of a page or a window, cells of a terminal. A length that is negative or
/// NaN is drawn as 0. A pure value.
///
/// ```swift
/// var style = BarStyle()
/// style.barHeight = 8
/// style.defaultColor = BarColor(0x3366CC)
/// bar.setStyle(style, over: .milliseconds(200), at: now)
/// ```
public struct BarStyle: Hashable, Sendable {
  /// The thickness of the track.
  public var barHeight: Double = 4
  /// The thickness of the filled part.
  public var fillHeight: Double = 4
  /// The corner radius, at most half of the thickness.
  public var cornerRadius: Double = 2
  /// The size of the dot at rest; 0 draws none.
  public var dotSize: Double = 12
  /// The size of the dot while a pointer is over the bar or the bar has the keyboard focus.
  public var hoverDotSize: Double = 16
  /// The size of the dot while it is dragged.
  public var dragDotSize: Double = 20
  /// The space on both sides of the value, between the filled part and the rest of the track.
  public var gap: Double = 0
  /// The width of a mark.
  public var markWidth: Double = 2
  /// How long the dot and the colors take from one state to another, in seconds.
  package var emphasisSeconds: Double = 0.12

  /// The color of the track.
  public var defaultColor: BarColor = BarColor(0xC9CED6)
  /// The color of the filled part.
  public var inProgressColor: BarColor = BarColor(0x0B57D0)
  /// The color of the filled part and the dot while it is dragged.
  public var dragColor: BarColor = BarColor(0x0842A0)
  /// The color of the dot.
  public var dotColor: BarColor = BarColor(0x0B57D0)
  /// The color of the buffered ranges.
  public var bufferedColor: BarColor = BarColor(0x8FA3C0)
  /// The color of the marks.
  public var markColor: BarColor = BarColor(0x1F2937)

  /// The buffered ranges, in units of the value.
  public var bufferedRanges: [ClosedRange<Double>] = []
  /// The marked values, such as chapters.
  public var marks: [Double] = []
  /// The icon in the dot, by a number that the surface defines; 0 for none.
  public var icon: Int = 0
  /// The size of the icon as a fraction of the size of the dot.
  public var iconScale: Double = 0.7
  /// Whether the value can be dragged.
  public var isDraggable: Bool = true

  /// Creates the default style.
  public init() {}

  /// The style with the buffered ranges and the marks of another.
  package func withData(of other: BarStyle) -> BarStyle {
    var style = self
    (style.bufferedRanges, style.marks) = (other.bufferedRanges, other.marks)
    return style
  }

  /// Interpolates to another style; a property that cannot be interpolated, such as the icon, is that of the other.
  ///
  /// - Complexity: O(ranges and marks).
  package func interpolated(to other: BarStyle, _ fraction: Double) -> BarStyle {
    var mixed = other
    mixed.merge(
      self, other, { $0 = $1.interpolated(to: $2, fraction) },
      { $0 = $1.interpolated(to: $2, fraction) })
    // Ranges and marks are interpolated if their number stays; otherwise the new ones appear.
    if bufferedRanges.count == other.bufferedRanges.count {
      let all = -BarLimits.value...BarLimits.value
      for (index, old) in bufferedRanges.enumerated() {
        mixed.bufferedRanges[index] = old.clamped(to: all)
          .interpolated(to: other.bufferedRanges[index].clamped(to: all), fraction)
      }
    }
    if marks.count == other.marks.count {
      for (index, old) in marks.enumerated() {
        mixed.marks[index] = old.interpolated(to: other.marks[index], fraction)
      }
    }
    return mixed
  }
}

extension BarStyle {
  /// Applies the properties that differ between two styles.
  mutating func apply(changesFrom old: BarStyle, to new: BarStyle) {
    merge(old, new, { if $1 != $2 { $0 = $2 } }, { if $1 != $2 { $0 = $2 } })
    if old.bufferedRanges != new.bufferedRanges { bufferedRanges = new.bufferedRanges }
    if old.marks != new.marks { marks = new.marks }
  }

  /// Changes each length and each color, given those of two other styles.
  @inline(never) private mutating func merge(
    _ old: BarStyle, _ new: BarStyle, _ length: (inout Double, Double, Double) -> Void,
    _ color: (inout BarColor, BarColor, BarColor) -> Void
  ) {
    length(&barHeight, old.barHeight, new.barHeight)
    length(&fillHeight, old.fillHeight, new.fillHeight)
    length(&cornerRadius, old.cornerRadius, new.cornerRadius)
    length(&dotSize, old.dotSize, new.dotSize)
    length(&hoverDotSize, old.hoverDotSize, new.hoverDotSize)
    length(&dragDotSize, old.dragDotSize, new.dragDotSize)
    length(&gap, old.gap, new.gap)
    length(&markWidth, old.markWidth, new.markWidth)
    length(&iconScale, old.iconScale, new.iconScale)
    color(&defaultColor, old.defaultColor, new.defaultColor)
    color(&inProgressColor, old.inProgressColor, new.inProgressColor)
    color(&dragColor, old.dragColor, new.dragColor)
    color(&dotColor, old.dotColor, new.dotColor)
    color(&bufferedColor, old.bufferedColor, new.bufferedColor)
    color(&markColor, old.markColor, new.markColor)
  }
}

extension ClosedRange<Double> {
  /// Interpolates both ends linearly to those of another range.
  func interpolated(to other: ClosedRange<Double>, _ fraction: Double) -> ClosedRange<Double> {
    let low = lowerBound.interpolated(to: other.lowerBound, fraction)
    return low...Swift.max(low, upperBound.interpolated(to: other.upperBound, fraction))
  }
}

extension Double {
  /// Interpolates linearly to another number.
  func interpolated(to other: Double, _ fraction: Double) -> Double {
    self + (other - self) * fraction
  }

  /// The number itself, or 0 if it is negative or not finite; limited to the greatest length.
  var positiveOrZero: Double {
    @inline(never) get { isFinite && self > 0 ? min(self, BarLimits.length) : 0 }
  }
}
