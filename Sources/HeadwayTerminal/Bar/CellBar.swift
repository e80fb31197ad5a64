public import HeadwayBar
internal import HeadwayText

/// Turns the drawing list of a bar into one row of cells.
///
/// It computes no positions: the layout of the bar is in cells and its height is 1. So all that is left is to round
/// edges to the parts of a cell for which there are characters, and to choose the characters.
///
/// ```
///   fill ▕█████████▋  edges in eighths, in halves of a line ━━━╸── or in whole characters ###--
///   ────────────────  less than the whole never fills the last part, more than nothing always shows one
/// ```
///
/// ```swift
/// var bar = ProgressBar()
/// bar.isReadOnly = true
/// bar.layout = BarLayout(width: 20, height: 1)
/// bar.setStyle(.cells, at: .zero)
/// bar.setValue(0.46, at: .zero)
/// let cells = CellBar(.eighths)
/// let text = cells.text(of: bar, at: 0)  // "█████████▏          "
/// ```
///
/// A pure value that reuses the memory of its last drawing. Not thread safe. Bars that grow upwards need more than a
/// row and are not supported.
public struct CellBar: Sendable {
  /// The characters.
  package let glyphs: BarGlyphs
  /// The texts of custom shapes, by number; each is cut to the width of its shape.
  public var texts: [Int: String] = [:]
  /// The icons in the dot, by number: one character of one column each.
  public var icons: [Int: Unicode.Scalar] = [:]
  /// The colors of the shapes; `few` for text styles that have a meaning.
  let colors: TerminalColors
  /// Whether foreground and background of a cell may be swapped.
  let canReverse: Bool

  /// The shapes of the latest drawing.
  private var shapes: [BarShape] = []
  /// What is visible in each part of each cell, as an index into `layers`.
  private var units: [UInt8] = []
  /// The layers; the first is nothing.
  private var layers: [Layer] = []
  /// The characters and texts on top, in drawing order.
  private var tops: [Top] = []

  /// The maximum number of layers: more colors than anyone can distinguish in a row.
  private static let mostLayers = 200
  /// The rounding error by which an edge may be below a part of a cell and still count as that part.
  private static let tolerance = 1e-6

  /// The contents of parts of cells.
  private struct Layer: Hashable {
    /// The kind of shape, nil for nothing.
    var part: BarShape.Part?
    var color: BarColor
    /// The text style of a whole cell.
    var textStyle: TextStyle
    /// The character of a whole cell of it.
    var glyph: Unicode.Scalar
    /// The color as the terminal encodes it.
    var shade: CellColor
  }

  /// A character or a text on whole cells.
  private struct Top {
    /// The first cell.
    var column: Int
    /// The number of columns.
    var columns: Int
    /// The character, nil for a text.
    var glyph: Unicode.Scalar?
    var text = ""
    var textStyle: TextStyle
  }

  /// Creates a renderer without colors.
  ///
  /// - Parameter glyphs: The characters.
  public init(_ glyphs: BarGlyphs) {
    self.glyphs = glyphs
    (colors, canReverse) = (.few, false)
  }

  /// Creates a renderer for a terminal.
  ///
  /// - Parameters:
  ///   - glyphs: The characters, replaced by ASCII if the terminal has nothing else.
  ///   - style: What the terminal can show.
  ///   - usesOwnColors: Whether shapes have the colors of the bar's style, if the terminal supports them; otherwise
  ///     they have text styles that have a meaning.
  package init(_ glyphs: BarGlyphs, style: TerminalStyle, usesOwnColors: Bool = false) {
    self.glyphs = style.unicode ? glyphs : .ascii
    colors = usesOwnColors && style.color ? style.colors : .few
    canReverse = style.color
  }

  // MARK: Drawing

  /// The bar as text, without color.
  ///
  /// - Parameters:
  ///   - bar: The bar, with a layout in cells.
  ///   - own: Custom shapes on top of it, with positions from the bar.
  ///   - now: The time in seconds.
  /// - Returns: As many columns as the layout is wide, in whole cells; empty if it is narrower than a cell.
  /// - Complexity: O(columns + shapes).
  public func text(of bar: ProgressBar, adding own: [BarShape] = [], at now: Double) -> String {
    var renderer = self
    var row = Row()
    renderer.draw(bar, adding: own, at: now, .plain, into: &row)
    var bytes: [UInt8] = []
    row.encode(color: false, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A fraction as a bar of text, without color.
  ///
  /// - Parameters:
  ///   - fraction: The filled fraction; NaN and negative numbers count as 0, numbers above 1 as 1.
  ///   - columns: The width in columns; for 0 or less the text is empty.
  /// - Returns: Text of that width.
  /// - Complexity: O(columns).
  public func text(fraction: Double, columns: Int) -> String {
    var bar = ProgressBar()
    bar.isReadOnly = true
    bar.layout = BarLayout(width: Double(columns), height: 1)
    bar.setStyle(.cells, at: 0)
    bar.setValue(min(fraction, 1), at: 0)
    return text(of: bar, at: 0)
  }

  /// Appends the bar to a row.
  ///
  /// - Parameters:
  ///   - bar: The bar, with a layout in cells.
  ///   - own: Custom shapes on top of it.
  ///   - now: The time in seconds.
  ///   - textStyle: The style of the filled part if the bar does not use its own colors.
  ///   - row: The row to append to.
  package mutating func draw(
    _ bar: ProgressBar, adding own: [BarShape] = [], at now: Double, _ textStyle: TextStyle,
    into row: inout Row
  ) {
    shapes.removeAll(keepingCapacity: true)
    bar.draw(at: now, into: &shapes)
    shapes.append(contentsOf: own)
    let width = bar.layout.width
    guard width >= 1, width < Self.widest else { return }
    draw(columns: Int(width), textStyle, into: &row)
  }

  /// A width that no terminal reaches.
  private static let widest = 10_000.0

  /// Appends the shapes to a row.
  private mutating func draw(columns: Int, _ textStyle: TextStyle, into row: inout Row) {
    units.removeAll(keepingCapacity: true)
    units.append(contentsOf: repeatElement(0, count: columns * glyphs.resolution))
    layers.removeAll(keepingCapacity: true)
    layers.append(
      Layer(part: nil, color: .clear, textStyle: .plain, glyph: " ", shade: .none))
    tops.removeAll(keepingCapacity: true)
    for shape in shapes where shape.color.opacity > 0 || shape.part == .icon {
      guard let span = span(of: shape, columns) else { continue }
      switch shape.part {
      case .track, .buffered, .fill: paint(shape, span, columns, textStyle)
      case .mark, .dot, .icon, .custom: top(shape, span, columns, textStyle)
      }
    }
    compose(columns, into: &row)
  }

  /// The visible range of a shape along the row, in cells; nil if it is not visible.
  private func span(of shape: BarShape, _ columns: Int) -> (left: Double, right: Double)? {
    var (left, right) = (
      max(shape.rect.x, 0), min(shape.rect.x + shape.rect.width, Double(columns))
    )
    var (top, bottom) = (max(shape.rect.y, 0), min(shape.rect.y + shape.rect.height, 1))
    if let clip = shape.clip?.rect {
      (left, right) = (max(left, clip.x), min(right, clip.x + clip.width))
      (top, bottom) = (max(top, clip.y), min(bottom, clip.y + clip.height))
    }
    return right > left && bottom > top ? (left, right) : nil
  }

  /// Fills the parts of cells that a shape covers.
  private mutating func paint(
    _ shape: BarShape, _ span: (left: Double, right: Double), _ columns: Int, _ textStyle: TextStyle
  ) {
    let resolution = Double(glyphs.resolution)
    let all = columns * glyphs.resolution
    // If cells have parts, a shape that is not empty fills at least one, and a shape that is not complete leaves at
    // least one.
    let least = glyphs.resolution > 1 ? 1 : 0
    let range: Range<Int>
    switch (span.left <= 0, span.right >= Double(columns)) {
    case (true, true): range = 0..<all
    case (true, false):
      let end = Int(span.right * resolution + Self.tolerance)
      range = 0..<min(max(end, least), all - least)
    case (false, true):
      let length = Int((Double(columns) - span.left) * resolution + Self.tolerance)
      range = (all - min(max(length, least), all - least))..<all
    case (false, false):
      // Rounded by its length, so that the length does not change while it moves.
      let length = max(Int(((span.right - span.left) * resolution).rounded()), 1)
      let start = min(Int((span.left * resolution).rounded()), all - 1)
      range = start..<min(start + length, all)
    }
    guard shape.color.opacity < .max else {
      let number = layer(shape.part, shape.color, textStyle)
      for unit in range { units[unit] = number }
      return
    }
    let part = Double(shape.color.opacity) / Double(UInt8.max)
    for unit in range {
      let below = layers[Int(units[unit])]
      let color = below.part == nil ? shape.color : below.color.interpolated(to: shape.color, part)
      units[unit] = layer(shape.part, color, textStyle)
    }
  }

  /// The index of a layer, which is added if it is new.
  private mutating func layer(_ part: BarShape.Part, _ color: BarColor, _ textStyle: TextStyle)
    -> UInt8
  {
    var color = color
    color.opacity = .max
    if let known = layers.firstIndex(where: { $0.part == part && $0.color == color }) {
      return UInt8(known)
    }
    guard layers.count < Self.mostLayers else { return UInt8(layers.count - 1) }
    let glyph =
      part == .fill
      ? glyphs.left[glyphs.left.count - 1]
      : part == .buffered ? glyphs.buffered : glyphs.track
    let shade = CellColor(color, colors)
    var own = part == .fill ? textStyle : part == .track ? .dim : .plain
    if colors != .few {
      // A layer without a character is shown by its background.
      own =
        hasGrounds && part != .fill
        ? TextStyle(kind: .plain, background: shade)
        : TextStyle(kind: .plain, foreground: shade)
    }
    layers.append(
      Layer(
        part: part, color: color, textStyle: own, glyph: hasGrounds && part != .fill ? " " : glyph,
        shade: shade))
    return UInt8(layers.count - 1)
  }

  /// Whether cells are shown by the colors of their backgrounds.
  private var hasGrounds: Bool { colors != .few && glyphs.track == " " }

  /// Puts a mark, the dot, its icon or a custom shape on top.
  private mutating func top(
    _ shape: BarShape, _ span: (left: Double, right: Double), _ columns: Int, _ textStyle: TextStyle
  ) {
    var glyph: Unicode.Scalar? = glyphs.own
    var own = TextStyle.plain
    switch shape.part {
    case .mark: (glyph, own) = (glyphs.mark, .bold)
    case .dot: (glyph, own) = (glyphs.dot, textStyle)
    case .icon: (glyph, own) = (icons[shape.number], textStyle)
    case .custom, .track, .buffered, .fill: break
    }
    if colors != .few, shape.part != .icon {
      own = TextStyle(kind: .plain, foreground: CellColor(shape.color, colors))
    }
    if shape.part == .custom, let text = texts[shape.number] {
      let column = min(Int(span.left.rounded()), columns - 1)
      let room = min(max(Int((span.right - span.left).rounded()), 1), columns - column)
      let cut = TextWidth.truncated(TaskOutputText.line(text), to: room, ellipsis: "")
      let width = TextWidth.columns(of: cut)
      guard width > 0 else { return }
      tops.append(Top(column: column, columns: width, glyph: nil, text: cut, textStyle: own))
      return
    }
    guard let glyph else { return }
    let center = cell(around: shape.rect.x + shape.rect.width / 2, columns)
    // A wide shape takes every cell whose center it covers, and a narrow one the cell of its own center.
    let isPoint = shape.part == .dot || shape.part == .icon
    let first = isPoint ? center : min(Int((span.left + 0.5).rounded(.down)), center)
    let end = isPoint ? center : max(Int((span.right + 0.5).rounded(.down)) - 1, center)
    for column in max(first, 0)...min(max(end, first), columns - 1) {
      tops.append(Top(column: column, columns: 1, glyph: glyph, textStyle: own))
    }
  }

  /// The cell at a position; between two cells, the one that the bar has not reached.
  private func cell(around position: Double, _ columns: Int) -> Int {
    let width = Double(columns)
    let isMirrored = shapes.contains {
      $0.part == .fill && $0.rect.x > 0 && $0.rect.x + $0.rect.width >= width
    }
    let cell =
      isMirrored
      ? (position - Self.tolerance).rounded(.up) - 1 : (position + Self.tolerance).rounded(.down)
    return Int(min(max(cell, 0), width - 1))
  }

  // MARK: Cells

  /// Appends the cells.
  private func compose(_ columns: Int, into row: inout Row) {
    var column = 0
    while column < columns {
      if let top = tops.last(where: { $0.column == column }) {
        var textStyle = top.textStyle
        let under = layers[Int(units[column * glyphs.resolution + glyphs.resolution / 2])]
        if hasGrounds, under.part != nil { textStyle.background = under.shade }
        if let glyph = top.glyph {
          row.append(glyph, textStyle)
        } else {
          row.append(top.text, textStyle)
        }
        column += top.columns
        continue
      }
      append(column, to: &row)
      column += 1
    }
  }

  /// Appends a cell without anything on top.
  private func append(_ column: Int, to row: inout Row) {
    let resolution = glyphs.resolution
    let start = column * resolution
    let (first, last) = (units[start], units[start + resolution - 1])
    var length = 1
    while length < resolution, units[start + length] == first { length += 1 }
    let left = layers[Int(first)]
    guard length < resolution else { return row.append(left.glyph, left.textStyle) }
    guard first != last else {
      // A narrow shape with the same layer on both sides.
      let middle = layers[Int(units[start + length])]
      var width = 1
      while units[start + length + width] != last { width += 1 }
      let isShown = middle.part == .fill || 2 * width >= resolution
      let shown = isShown ? middle : left
      return row.append(
        middle.part == .fill ? glyphs.left[width - 1] : shown.glyph, shown.textStyle)
    }
    edge(left, layers[Int(last)], length, into: &row)
  }

  /// Appends a cell with two layers side by side, with a given width of the left one in parts.
  private func edge(_ left: Layer, _ right: Layer, _ length: Int, into row: inout Row) {
    let resolution = glyphs.resolution
    if hasGrounds {
      let textStyle =
        left.part == nil
        ? TextStyle(kind: .plain, isReversed: true, foreground: right.shade)
        : TextStyle(kind: .plain, foreground: left.shade, background: right.shade)
      return row.append(glyphs.left[length - 1], textStyle)
    }
    if left.part == .fill { return row.append(glyphs.left[length - 1], left.textStyle) }
    if right.part == .fill {
      // There are few right parts; if the width is not exact, a left part with swapped colors is as good.
      let glyph = glyphs.right[resolution - length - 1]
      let isExact = resolution == 2 || !canReverse
      return isExact
        ? row.append(glyph, right.textStyle)
        : row.append(glyphs.left[length - 1], right.textStyle.reversed)
    }
    let shown = 2 * length >= resolution ? left : right
    row.append(shown.glyph, shown.textStyle)
  }
}
