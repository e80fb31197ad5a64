internal import HeadwayBar

/// Tells a bar where it stands.
///
/// - Parameters:
///   - page: The bar.
///   - width: The width in CSS pixels.
///   - height: The height.
///   - way: 0 from left to right, 1 from right to left, 2 upwards; 4 more where people point with fingers.
///   - top: How far above the bar a press counts.
///   - right: How far to the right of it.
///   - bottom: How far below it.
///   - left: How far to the left of it.
@_expose(wasm, "headway_bar_layout") @c(headway_bar_layout)
public func headwayBarLayout(
  _ page: PageBar, _ width: Double, _ height: Double, _ way: Int32, _ top: Double,
  _ right: Double, _ bottom: Double, _ left: Double
) {
  var layout = BarLayout(width: width, height: height)
  layout.direction = BarLayout.Direction(rawValue: UInt8(truncatingIfNeeded: way & 3)) ?? .upwards
  layout.precision = way & 4 == 0 ? .fine : .coarse
  layout.margins = BarLayout.Margins(top: top, right: right, bottom: bottom, left: left)
  unsafe place(page).pointee.layout = layout
  let area = layout.hitArea
  write(0, area.x, area.y, area.width, area.height)
}

/// Tells a bar what the program has chosen.
///
/// - Parameters:
///   - page: The bar.
///   - bits: 1 for forecasts, 2 read-only, 4 disabled, 8 indeterminate, 16 less motion, 32 the wheel, 64 digits.
///   - step: The units of an arrow key; no number for a hundredth of the range.
@_expose(wasm, "headway_bar_options") @c(headway_bar_options)
public func headwayBarOptions(_ page: PageBar, _ bits: Int32, _ step: Double) {
  unsafe place(page).pointee.source = bits & 1 == 0 ? .reports : .forecast
  unsafe place(page).pointee.isReadOnly = bits & 2 != 0
  unsafe place(page).pointee.isDisabled = bits & 4 != 0
  unsafe place(page).pointee.isIndeterminate = bits & 8 != 0
  unsafe place(page).pointee.reducesMotion = bits & 16 != 0
  unsafe place(page).pointee.acceptsWheel = bits & 32 != 0
  unsafe place(page).pointee.acceptsDigits = bits & 64 != 0
  unsafe place(page).pointee.step = step
}

/// Gives a bar a style: the numbers of `headway_bar_numbers`, in the order in which they are read here.
///
/// - Parameters:
///   - page: The bar.
///   - duration: For how many seconds it changes.
///   - now: The time in seconds.
@_expose(wasm, "headway_bar_style") @c(headway_bar_style)
public func headwayBarStyle(_ page: PageBar, _ duration: Double, _ now: Double) {
  var style = BarStyle()
  style.barHeight = number(0)
  style.fillHeight = number(1)
  style.cornerRadius = number(2)
  style.dotSize = number(3)
  style.hoverDotSize = number(4)
  style.dragDotSize = number(5)
  style.gap = number(6)
  style.markWidth = number(7)
  style.emphasisDuration = number(8)
  style.iconScale = number(9)
  style.icon = Int(number(10))
  style.isDraggable = number(11) != 0
  style.defaultColor = color(12)
  style.inProgressColor = color(13)
  style.dragColor = color(14)
  style.dotColor = color(15)
  style.bufferedColor = color(16)
  style.markColor = color(17)
  let (ranges, marks) = (Int(number(18)), Int(number(19)))
  style.bufferedRanges = [ClosedRange<Double>](repeating: 0...0, count: ranges)
  for index in 0..<ranges where number(20 + 2 * index) <= number(21 + 2 * index) {
    style.bufferedRanges[index] = number(20 + 2 * index)...number(21 + 2 * index)
  }
  style.marks = [Double](repeating: 0, count: marks)
  for index in 0..<marks { style.marks[index] = number(20 + 2 * ranges + index) }
  unsafe place(page).pointee.setStyle(style, over: duration, at: now)
}

/// One of the shared numbers.
@inline(never) private func number(_ index: Int) -> Double { unsafe numbers[index] }

/// A colour of the shared numbers: red, green, blue and opacity as the bytes of a whole number.
@inline(never) private func color(_ index: Int) -> BarColor {
  BarColor(rgba: UInt32(number(index)))
}

/// Draws a bar into the shared numbers.
///
/// Each shape takes sixteen: part, number, x, y, width, height, radius, colour, then whether it follows the value,
/// whether it is cut off, and x, y, width, height and radius of what cuts it off, and one that means nothing.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: The number of shapes that were written.
@_expose(wasm, "headway_bar_draw") @c(headway_bar_draw)
public func headwayBarDraw(_ page: PageBar, _ now: Double) -> Int32 {
  var shapes: [BarShape] = []
  unsafe place(page).pointee.paint(at: now, into: &shapes)
  var index = 0
  for shape in shapes where index < numbersLimit {
    write(index, Double(shape.part.rawValue), Double(shape.number), shape.rect.x, shape.rect.y)
    write(index + 4, shape.rect.width, shape.rect.height, shape.radius, Double(shape.color.rgba))
    write(index + 8, shape.followsValue ? 1 : 0, 0, 0, 0)
    if let clip = shape.clip {
      write(index + 9, 1, clip.rect.x, clip.rect.y, clip.rect.width)
      write(index + 13, clip.rect.height, clip.radius, 0, 0)
    }
    index += 16
  }
  return Int32(index / 16)
}
