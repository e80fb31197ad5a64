/// The appearance of a bar, which never moves the position of a value.
///
/// ```
///                     dotSize           markWidth
///   barHeight  ┌────────────(  )───░░░░░░┃─────┐ ┐ fillHeight
///              └────────────(  )───░░░░░░┃─────┘ ┘
///                fill     gap│ │gap buffered  track
/// ```
///
/// Each property can be set alone, and a change can be animated, see ``ProgressBar/setStyle(_:over:at:)``.
/// Lengths are in the unit of the layout: points of a page or a window, cells of a terminal. A length that is negative or
/// NaN is drawn as 0. A pure value.
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

  /// Interpolates to another style; a property that cannot be interpolated, such as the icon, is that of the other.
  ///
  /// - Complexity: O(ranges and marks).
  package func interpolated(to other: BarStyle, _ fraction: Double) -> BarStyle {
    var mixed = other
    mixed.barHeight = barHeight.interpolated(to: other.barHeight, fraction)
    mixed.fillHeight = fillHeight.interpolated(to: other.fillHeight, fraction)
    mixed.cornerRadius = cornerRadius.interpolated(to: other.cornerRadius, fraction)
    mixed.dotSize = dotSize.interpolated(to: other.dotSize, fraction)
    mixed.hoverDotSize = hoverDotSize.interpolated(to: other.hoverDotSize, fraction)
    mixed.dragDotSize = dragDotSize.interpolated(to: other.dragDotSize, fraction)
    mixed.gap = gap.interpolated(to: other.gap, fraction)
    mixed.markWidth = markWidth.interpolated(to: other.markWidth, fraction)
    mixed.iconScale = iconScale.interpolated(to: other.iconScale, fraction)
    mixed.defaultColor = defaultColor.interpolated(to: other.defaultColor, fraction)
    mixed.inProgressColor = inProgressColor.interpolated(to: other.inProgressColor, fraction)
    mixed.dragColor = dragColor.interpolated(to: other.dragColor, fraction)
    mixed.dotColor = dotColor.interpolated(to: other.dotColor, fraction)
    mixed.bufferedColor = bufferedColor.interpolated(to: other.bufferedColor, fraction)
    mixed.markColor = markColor.interpolated(to: other.markColor, fraction)
    // Ranges and marks are interpolated if their number stays; otherwise the new ones appear.
    if bufferedRanges.count == other.bufferedRanges.count {
      for (index, old) in bufferedRanges.enumerated() {
        let all = -BarLimits.value...BarLimits.value
        let (from, to) = (old.clamped(to: all), other.bufferedRanges[index].clamped(to: all))
        let low = from.lowerBound.interpolated(to: to.lowerBound, fraction)
        let high = from.upperBound.interpolated(to: to.upperBound, fraction)
        mixed.bufferedRanges[index] = low...max(low, high)
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
    func apply<Value: Equatable>(_ value: inout Value, _ new: Value, _ old: Value) {
      if new != old { value = new }
    }
    apply(&barHeight, new.barHeight, old.barHeight)
    apply(&fillHeight, new.fillHeight, old.fillHeight)
    apply(&cornerRadius, new.cornerRadius, old.cornerRadius)
    apply(&dotSize, new.dotSize, old.dotSize)
    apply(&hoverDotSize, new.hoverDotSize, old.hoverDotSize)
    apply(&dragDotSize, new.dragDotSize, old.dragDotSize)
    apply(&gap, new.gap, old.gap)
    apply(&markWidth, new.markWidth, old.markWidth)
    apply(&iconScale, new.iconScale, old.iconScale)
    apply(&defaultColor, new.defaultColor, old.defaultColor)
    apply(&inProgressColor, new.inProgressColor, old.inProgressColor)
    apply(&dragColor, new.dragColor, old.dragColor)
    apply(&dotColor, new.dotColor, old.dotColor)
    apply(&bufferedColor, new.bufferedColor, old.bufferedColor)
    apply(&markColor, new.markColor, old.markColor)
    apply(&bufferedRanges, new.bufferedRanges, old.bufferedRanges)
    apply(&marks, new.marks, old.marks)
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
