/// How a bar looks; no part of it moves the place of a value.
///
/// ```
///                     dotSize           markWidth
///   barHeight  ┌────────────(  )───░░░░░░┃─────┐ ┐ fillHeight
///              └────────────(  )───░░░░░░┃─────┘ ┘
///                fill     gap│ │gap buffered  track
/// ```
///
/// Every value can be set alone, and a change can be animated (``ProgressBar/setStyle(_:over:at:)``). Lengths are in
/// the unit of the layout: points of a page or a window, cells of a terminal. Lengths that are negative or no numbers are
/// drawn as 0. A pure value.
public struct BarStyle: Hashable, Sendable {
  /// The thickness of the track.
  public var barHeight: Double = 4
  /// The thickness of the filled part.
  public var fillHeight: Double = 4
  /// How round the ends are; what is more than half of the thickness counts as that half.
  public var cornerRadius: Double = 2
  /// The size of the dot at rest; 0 draws none.
  public var dotSize: Double = 12
  /// Its size while a pointer is over the bar, or the bar has the focus of the keyboard.
  public var hoverDotSize: Double = 16
  /// Its size while it is dragged.
  public var dragDotSize: Double = 20
  /// The free space on both sides of the place of the value, between the filled part and the rest of the track.
  public var gap: Double = 0
  /// The width of a mark.
  public var markWidth: Double = 2
  /// How long the dot and the colours take from one state to another, in seconds.
  public var emphasisDuration: Double = 0.12

  /// The colour of the track.
  public var defaultColor: BarColor = BarColor(0xC9CED6)
  /// The colour of the filled part.
  public var inProgressColor: BarColor = BarColor(0x0B57D0)
  /// The colour of the filled part and the dot while it is dragged.
  public var dragColor: BarColor = BarColor(0x0842A0)
  /// The colour of the dot.
  public var dotColor: BarColor = BarColor(0x0B57D0)
  /// The colour of what is buffered.
  public var bufferedColor: BarColor = BarColor(0x8FA3C0)
  /// The colour of the marks.
  public var markColor: BarColor = BarColor(0x1F2937)

  /// What is buffered, in units of the value.
  public var bufferedRanges: [ClosedRange<Double>] = []
  /// The values that are marked, such as chapters.
  public var marks: [Double] = []
  /// The picture in the dot, by a number that the surface knows; 0 for none.
  public var icon: Int = 0
  /// The size of that picture as a part of the dot's size.
  public var iconScale: Double = 0.7
  /// Whether the value can be dragged.
  public var isDraggable: Bool = true

  /// Creates the default style.
  public init() {}

  /// A style between this one and another.
  ///
  /// What has no between, such as the icon, is that of the other.
  ///
  /// - Parameters:
  ///   - other: The other style.
  ///   - part: 0 is this one, 1 the other.
  /// - Returns: The style between them.
  /// - Complexity: O(ranges and marks).
  public func mixed(with other: BarStyle, _ part: Double) -> BarStyle {
    var mixed = other
    mixed.barHeight = barHeight.mixed(with: other.barHeight, part)
    mixed.fillHeight = fillHeight.mixed(with: other.fillHeight, part)
    mixed.cornerRadius = cornerRadius.mixed(with: other.cornerRadius, part)
    mixed.dotSize = dotSize.mixed(with: other.dotSize, part)
    mixed.hoverDotSize = hoverDotSize.mixed(with: other.hoverDotSize, part)
    mixed.dragDotSize = dragDotSize.mixed(with: other.dragDotSize, part)
    mixed.gap = gap.mixed(with: other.gap, part)
    mixed.markWidth = markWidth.mixed(with: other.markWidth, part)
    mixed.iconScale = iconScale.mixed(with: other.iconScale, part)
    mixed.defaultColor = defaultColor.mixed(with: other.defaultColor, part)
    mixed.inProgressColor = inProgressColor.mixed(with: other.inProgressColor, part)
    mixed.dragColor = dragColor.mixed(with: other.dragColor, part)
    mixed.dotColor = dotColor.mixed(with: other.dotColor, part)
    mixed.bufferedColor = bufferedColor.mixed(with: other.bufferedColor, part)
    mixed.markColor = markColor.mixed(with: other.markColor, part)
    // Ranges and marks that only moved are moved, others appear.
    if bufferedRanges.count == other.bufferedRanges.count {
      for (index, old) in bufferedRanges.enumerated() {
        let all = -BarLimits.value...BarLimits.value
        let (from, to) = (old.clamped(to: all), other.bufferedRanges[index].clamped(to: all))
        let low = from.lowerBound.mixed(with: to.lowerBound, part)
        let high = from.upperBound.mixed(with: to.upperBound, part)
        mixed.bufferedRanges[index] = low...max(low, high)
      }
    }
    if marks.count == other.marks.count {
      for (index, old) in marks.enumerated() {
        mixed.marks[index] = old.mixed(with: other.marks[index], part)
      }
    }
    return mixed
  }
}

extension BarStyle {
  /// Takes the parts in which a style differs from another one.
  mutating func take(what new: BarStyle, hasOtherThan old: BarStyle) {
    func take<Value: Equatable>(_ value: inout Value, _ new: Value, _ old: Value) {
      if new != old { value = new }
    }
    take(&barHeight, new.barHeight, old.barHeight)
    take(&fillHeight, new.fillHeight, old.fillHeight)
    take(&cornerRadius, new.cornerRadius, old.cornerRadius)
    take(&dotSize, new.dotSize, old.dotSize)
    take(&hoverDotSize, new.hoverDotSize, old.hoverDotSize)
    take(&dragDotSize, new.dragDotSize, old.dragDotSize)
    take(&gap, new.gap, old.gap)
    take(&markWidth, new.markWidth, old.markWidth)
    take(&iconScale, new.iconScale, old.iconScale)
    take(&defaultColor, new.defaultColor, old.defaultColor)
    take(&inProgressColor, new.inProgressColor, old.inProgressColor)
    take(&dragColor, new.dragColor, old.dragColor)
    take(&dotColor, new.dotColor, old.dotColor)
    take(&bufferedColor, new.bufferedColor, old.bufferedColor)
    take(&markColor, new.markColor, old.markColor)
    take(&bufferedRanges, new.bufferedRanges, old.bufferedRanges)
    take(&marks, new.marks, old.marks)
  }
}

extension Double {
  /// A number between this one and another: 0 is this one, 1 the other.
  func mixed(with other: Double, _ part: Double) -> Double { self + (other - self) * part }

  /// A length as it is drawn: what is negative or no number is none.
  var drawn: Double {
    @inline(never) get { isFinite && self > 0 ? min(self, BarLimits.length) : 0 }
  }
}
