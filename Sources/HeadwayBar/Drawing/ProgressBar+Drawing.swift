/// The drawing of the bar.
extension ProgressBar {
  @inline(__always) package func position(of value: Double, at now: Double) -> Double {
    (value.isNaN ? 0 : fraction(of: value, at: now) * layout.length) + layout.offset
  }

  package func dotCenter(at now: Double) -> Double {
    fraction(at: now) * layout.length + layout.offset
  }

  /// Returns the point at a position along the bar, on its center line.
  ///
  /// - Parameter position: The distance from the beginning of the bar.
  /// - Returns: The point in the coordinates of the layout.
  public func point(at position: Double) -> (x: Double, y: Double) {
    let rect = layout.rectangle(from: position, to: position, thickness: 0)
    return (rect.x, rect.y)
  }

  package func draw(at now: Double, into drawing: inout [BarShape]) {
    let style = styleChange.style(at: now)
    let length = layout.length
    guard length > 0 else { return }
    let bar = Band(
      layout, height: style.barHeight.positiveOrZero, radius: style.cornerRadius.positiveOrZero)
    let filled = Band(
      layout, height: style.fillHeight.positiveOrZero, radius: style.cornerRadius.positiveOrZero)
    let dragging = max(emphasis.value(at: now) - 1, 0)
    let color = style.inProgressColor.interpolated(to: style.dragColor, dragging)
    guard !isIndeterminate else {
      return drawIndeterminate(bar, filled, style, color, at: now, into: &drawing)
    }
    let center = dotCenter(at: now)
    let gap = hasRange ? style.gap.positiveOrZero : 0
    drawing.add(
      gap == 0
        ? bar.shape(.track, style.defaultColor)
        : bar.shape(
          .track, style.defaultColor, from: center + gap, to: center + gap + length, follows: true))
    for (index, range) in style.bufferedRanges.enumerated() {
      let (low, high) = (
        position(of: range.lowerBound, at: now), position(of: range.upperBound, at: now)
      )
      guard high > low else { continue }
      drawing.add(bar.shape(.buffered, style.bufferedColor, from: low, to: high, number: index))
    }
    drawing.add(
      filled.shape(.fill, color, from: center - gap - length, to: center - gap, follows: true))
    let width = style.markWidth.positiveOrZero
    for (index, mark) in style.marks.enumerated() where mark.isFinite && width > 0 {
      let position = position(of: mark, at: now)
      drawing.add(
        bar.shape(
          .mark, style.markColor, from: position - width / 2, to: position + width / 2,
          number: index))
    }
    drawDot(
      style, center, style.dotColor.interpolated(to: style.dragColor, dragging), at: now, &drawing)
  }

  /// Appends the dot and its icon.
  private func drawDot(
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
    let inner = size * style.iconScale.positiveOrZero
    drawing.add(
      BarShape(
        .icon, number: style.icon, rect: square(inner), color: .clear, followsValue: true))
  }

  /// Appends the block that moves back and forth while the progress is unknown.
  private func drawIndeterminate(
    _ bar: Band, _ filled: Band, _ style: BarStyle, _ color: BarColor, at now: Double,
    into drawing: inout [BarShape]
  ) {
    drawing.add(bar.shape(.track, style.defaultColor))
    let width = layout.length * Self.blockLength
    let start = (layout.length - width) * blockFraction(at: now) + layout.offset
    drawing.add(filled.shape(.fill, color, from: start, to: start + width, follows: true))
  }

  /// The position of the block from 0 to 1, a triangle wave of the time.
  private func blockFraction(at now: Double) -> Double {
    let position = (time(at: now) / sweepTime).wrapped(to: 2)
    return position > 1 ? 2 - position : position
  }

  /// The seconds that the block takes from one end to the other.
  var sweepTime: Double {
    // With reduced motion it is slower but not frozen: a block that stands still looks as if the work hung.
    reducesMotion ? Self.blockTime / Self.reducedSpeed : Self.blockTime
  }

  /// The length of the block as a fraction of the bar.
  private static let blockLength = 0.3
  /// The seconds that the block takes without reduced motion.
  private static let blockTime = 1.5
  /// The relative speed of the block with reduced motion.
  private static let reducedSpeed = 0.25
}

/// A strip along the center of a bar, which clips the shapes in it.
struct Band {
  private let layout: BarLayout
  private let height: Double
  private let radius: Double
  private let clip: BarShape.Clip

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

  /// A part of the strip as a shape: a shape that moves has rounded ends of its own, others are cut straight.
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
  /// Appends a shape; one function for all callers, to keep the WebAssembly small.
  @inline(never) mutating func add(_ shape: BarShape) { append(shape) }
}
