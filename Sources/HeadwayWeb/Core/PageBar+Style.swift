internal import HeadwayBar

/// Sets the layout of a bar, and writes the hit area to the shared numbers: x, y, width and height.
///
/// - Parameters:
///   - page: The bar.
///   - width: The width in CSS pixels.
///   - height: The height.
///   - bits: The raw value of a `BarLayout.Direction`, and a `LayoutBit`.
///   - top: How far above the bar a press counts.
///   - right: How far to the right of it.
///   - bottom: How far below it.
///   - left: How far to the left of it.
@_expose(wasm, "headway_bar_layout") @c(headway_bar_layout)
func headwayBarLayout(
  _ page: PageBar, _ width: Double, _ height: Double, _ bits: Int32, _ top: Double,
  _ right: Double, _ bottom: Double, _ left: Double
) {
  var layout = BarLayout(width: width, height: height)
  layout.direction = BarLayout.Direction(rawValue: UInt8(truncatingIfNeeded: bits & 3)) ?? .upwards
  layout.precision = bits & LayoutBit.coarse.rawValue == 0 ? .fine : .coarse
  layout.margins = BarLayout.Margins(top: top, right: right, bottom: bottom, left: left)
  unsafe bar(page).pointee.layout = layout
  let area = layout.hitArea
  write(0, area.x, area.y, area.width, area.height)
}

/// Sets the options of a bar.
///
/// - Parameters:
///   - page: The bar.
///   - bits: The sum of `OptionBit`s.
///   - step: The units that an arrow key moves by; NaN for a hundredth of the range.
///   - unitsPerSecond: How far the value moves in a second at normal speed; NaN to learn it.
@_expose(wasm, "headway_bar_options") @c(headway_bar_options)
func headwayBarOptions(_ page: PageBar, _ bits: Int32, _ step: Double, _ unitsPerSecond: Double) {
  unsafe bar(page).pointee.source = bits & OptionBit.forecast.rawValue == 0 ? .reports : .forecast
  unsafe bar(page).pointee.isReadOnly = bits & OptionBit.readOnly.rawValue != 0
  unsafe bar(page).pointee.isDisabled = bits & OptionBit.disabled.rawValue != 0
  unsafe bar(page).pointee.isIndeterminate = bits & OptionBit.indeterminate.rawValue != 0
  unsafe bar(page).pointee.reducesMotion = bits & OptionBit.reducedMotion.rawValue != 0
  unsafe bar(page).pointee.acceptsWheel = bits & OptionBit.wheel.rawValue != 0
  unsafe bar(page).pointee.acceptsDigits = bits & OptionBit.digits.rawValue != 0
  unsafe bar(page).pointee.step = step
  unsafe bar(page).pointee.unitsPerSecond = unitsPerSecond
}

/// Sets the style of a bar from the shared numbers, in the order of `StyleIndex`.
///
/// - Parameters:
///   - page: The bar.
///   - duration: The seconds of a gradual change.
///   - now: The time in seconds.
@_expose(wasm, "headway_bar_style") @c(headway_bar_style)
func headwayBarStyle(_ page: PageBar, _ duration: Double, _ now: Double) {
  var style = BarStyle()
  style.barHeight = number(.barHeight)
  style.fillHeight = number(.fillHeight)
  style.cornerRadius = number(.cornerRadius)
  style.dotSize = number(.dotSize)
  style.hoverDotSize = number(.hoverDotSize)
  style.dragDotSize = number(.dragDotSize)
  style.gap = number(.gap)
  style.markWidth = number(.markWidth)
  style.emphasisSeconds = number(.emphasisDuration)
  style.iconScale = number(.iconScale)
  style.icon = Int(number(.icon))
  style.isDraggable = number(.isDraggable) != 0
  style.defaultColor = color(.trackColor)
  style.inProgressColor = color(.fillColor)
  style.dragColor = color(.dragColor)
  style.dotColor = color(.dotColor)
  style.bufferedColor = color(.bufferedColor)
  style.markColor = color(.markColor)
  let (ranges, marks) = (Int(number(.rangeCount)), Int(number(.markCount)))
  let lists = Int(StyleIndex.lists.rawValue)
  style.bufferedRanges = [ClosedRange<Double>](repeating: 0...0, count: ranges)
  for index in 0..<ranges where number(lists + 2 * index) <= number(lists + 1 + 2 * index) {
    style.bufferedRanges[index] = number(lists + 2 * index)...number(lists + 1 + 2 * index)
  }
  style.marks = [Double](repeating: 0, count: marks)
  for index in 0..<marks { style.marks[index] = number(lists + 2 * ranges + index) }
  unsafe bar(page).pointee.setStyle(style, over: duration, at: now)
}

/// One of the shared numbers.
@inline(never) private func number(_ index: Int) -> Double { unsafe numbers[index] }

@inline(__always) private func number(_ index: StyleIndex) -> Double { number(Int(index.rawValue)) }

/// A color of the shared numbers, whose bytes are red, green, blue and opacity.
@inline(never) private func color(at index: Int) -> BarColor {
  BarColor(rgba: UInt32(number(index)))
}

@inline(__always) private func color(_ index: StyleIndex) -> BarColor {
  color(at: Int(index.rawValue))
}

/// Draws a bar into the shared numbers, each shape in the order of `ShapeIndex`.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: The number of shapes.
@_expose(wasm, "headway_bar_draw") @c(headway_bar_draw)
func headwayBarDraw(_ page: PageBar, _ now: Double) -> Int32 {
  var shapes: [BarShape] = []
  unsafe bar(page).pointee.drawInPlace(at: now, into: &shapes)
  var start = 0
  for shape in shapes where start < numbersLimit {
    write(
      at(.part, start), Double(shape.part.rawValue), Double(shape.number), shape.rect.x,
      shape.rect.y)
    write(
      at(.width, start), shape.rect.width, shape.rect.height, shape.radius,
      Double(shape.color.rgba))
    write(at(.followsValue, start), shape.followsValue ? 1 : 0, 0, 0, 0)
    if let clip = shape.clip {
      write(at(.isClipped, start), 1, clip.rect.x, clip.rect.y, clip.rect.width)
      write(at(.clipHeight, start), clip.rect.height, clip.radius, 0, 0)
    }
    start = at(.count, start)
  }
  return Int32(start) / ShapeIndex.count.rawValue
}

/// The index of a number of the shape that begins at `start`.
@inline(__always) private func at(_ index: ShapeIndex, _ start: Int) -> Int {
  start + Int(index.rawValue)
}
