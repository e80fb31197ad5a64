/// What is to be drawn.
extension ProgressBar {
  /// How far along the bar a value lies, in the unit of the layout.
  ///
  /// It is where the filled part ends and the dot has its middle when that value is shown, whatever the style.
  ///
  /// - Parameters:
  ///   - value: The value; outside of the range it counts as the nearer end.
  ///   - now: The time in seconds.
  /// - Returns: The distance from the beginning of the bar.
  @inline(__always) public func place(of value: Double, at now: Double) -> Double {
    (value.isNaN ? 0 : part(of: value, at: now) * layout.length) + layout.offset
  }

  /// How far along the bar the middle of the dot is seen.
  ///
  /// - Parameter now: The time in seconds.
  /// - Returns: The distance from the beginning of the bar.
  public func dotCenter(at now: Double) -> Double {
    fraction(at: now) * layout.length + layout.offset
  }

  /// The point of a place along the bar, on its middle line.
  ///
  /// - Parameter along: How far along the bar.
  /// - Returns: The point in the coordinates of the layout.
  public func point(along: Double) -> (x: Double, y: Double) {
    let rect = layout.rectangle(from: along, to: along, thickness: 0)
    return (rect.x, rect.y)
  }

  /// Appends what is seen at a time to a drawing, the lowest shape first.
  ///
  /// Shapes that `followsValue` keep their size and only move between two times in which nothing but the value changes.
  ///
  /// - Parameters:
  ///   - now: The time in seconds.
  ///   - drawing: The list that the shapes are appended to.
  /// - Complexity: O(ranges and marks); no allocation where the list has room.
  public func draw(at now: Double, into drawing: inout [BarShape]) {
    let style = styleChange.style(at: now)
    let length = layout.length
    guard length > 0 else { return }
    let bar = Band(layout, height: style.barHeight.drawn, radius: style.cornerRadius.drawn)
    let filled = Band(layout, height: style.fillHeight.drawn, radius: style.cornerRadius.drawn)
    let dragging = max(emphasis.value(at: now) - 1, 0)
    let color = style.inProgressColor.mixed(with: style.dragColor, dragging)
    guard !isIndeterminate else {
      return wander(bar, filled, style, color, at: now, into: &drawing)
    }
    let center = dotCenter(at: now)
    let gap = hasRange ? style.gap.drawn : 0
    drawing.add(
      gap == 0
        ? bar.shape(.track, style.defaultColor)
        : bar.shape(
          .track, style.defaultColor, from: center + gap, to: center + gap + length, follows: true))
    for (index, range) in style.bufferedRanges.enumerated() {
      let (low, high) = (
        place(of: range.lowerBound, at: now), place(of: range.upperBound, at: now)
      )
      guard high > low else { continue }
      drawing.add(bar.shape(.buffered, style.bufferedColor, from: low, to: high, number: index))
    }
    drawing.add(
      filled.shape(.fill, color, from: center - gap - length, to: center - gap, follows: true))
    let width = style.markWidth.drawn
    for (index, mark) in style.marks.enumerated() where mark.isFinite && width > 0 {
      let place = place(of: mark, at: now)
      drawing.add(
        bar.shape(
          .mark, style.markColor, from: place - width / 2, to: place + width / 2, number: index))
    }
    dot(style, center, style.dotColor.mixed(with: style.dragColor, dragging), at: now, &drawing)
  }

  /// Appends the dot and the picture in it.
  private func dot(
    _ style: BarStyle, _ center: Double, _ color: BarColor, at now: Double,
    _ drawing: inout [BarShape]
  ) {
    let size = dotSize(in: style, at: now)
    guard size > 0, !isReadOnly, hasRange else { return }
    let square = { (size: Double) in
      layout.rectangle(from: center - size / 2, to: center + size / 2, thickness: size)
    }
    drawing.add(
      BarShape(.dot, rect: square(size), radius: size / 2, color: color, followsValue: true))
    guard style.icon != 0 else { return }
    let inner = size * style.iconScale.drawn
    drawing.add(
      BarShape(
        .icon, number: style.icon, rect: square(inner), color: .clear, followsValue: true))
  }

  /// Appends a part of the bar that wanders to and fro, where nobody knows how far the work is.
  private func wander(
    _ bar: Band, _ filled: Band, _ style: BarStyle, _ color: BarColor, at now: Double,
    into drawing: inout [BarShape]
  ) {
    drawing.add(bar.shape(.track, style.defaultColor))
    let part = wanderingPart(at: now)
    let width = layout.length * Self.wandererLength
    let start = (layout.length - width) * part + layout.offset
    drawing.add(filled.shape(.fill, color, from: start, to: start + width, follows: true))
  }

  /// How far along its way the wanderer is, from 0 to 1: a time line that repeats for ever and reverses.
  private func wanderingPart(at now: Double) -> Double {
    // Slower for those who asked for less motion, not frozen: what stands still looks as if it hung.
    let pace = (reducesMotion ? Self.calmSpeed : 1) / Self.wanderingTime
    let place = (time(at: now) * pace).wrapped(to: 2)
    return place > 1 ? 2 - place : place
  }

  /// The length of the wanderer as a part of the bar.
  private static let wandererLength = 0.3
  /// How long the wanderer takes from one end to the other, in seconds.
  private static let wanderingTime = 1.5
  /// How fast it is for those who asked for less motion.
  private static let calmSpeed = 0.25
}

/// A strip along the middle of a bar, which cuts off what is drawn in it.
struct Band {
  /// The layout of the bar.
  private let layout: BarLayout
  /// How thick the strip is.
  private let height: Double
  /// The radius of its corners.
  private let radius: Double
  /// Its outline.
  private let clip: BarShape.Clip

  /// Creates a strip.
  init(_ layout: BarLayout, height: Double, radius: Double) {
    self.layout = layout
    self.height = height
    self.radius = min(radius, height / 2)
    clip = BarShape.Clip(
      rect: layout.rectangle(from: 0, to: layout.length, thickness: height), radius: self.radius)
  }

  /// The whole strip as a shape.
  func shape(_ part: BarShape.Part, _ color: BarColor) -> BarShape {
    BarShape(part, rect: clip.rect, radius: radius, color: color)
  }

  /// A part of the strip as a shape: what moves has round ends of its own, what is marked is cut straight.
  @inline(never) func shape(
    _ part: BarShape.Part, _ color: BarColor, from: Double, to: Double, number: Int = 0,
    follows: Bool = false
  ) -> BarShape {
    BarShape(
      part, number: number, rect: layout.rectangle(from: from, to: to, thickness: height),
      radius: follows ? radius : 0, color: color, clip: clip, followsValue: follows)
  }
}

extension [BarShape] {
  /// Appends a shape; one piece of code for all places that do, as a page loads every byte of it.
  @inline(never) mutating func add(_ shape: BarShape) { append(shape) }
}
