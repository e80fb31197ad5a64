public import HeadwayBar

/// The characters that draw a bar in cells, each one column wide.
///
/// ```swift
/// var glyphs = BarGlyphs.eighths
/// glyphs.track = "·"
/// let bars = LiveBars(glyphs: glyphs)
/// ```
public struct BarGlyphs: Hashable, Sendable {
  /// The left parts of a filled cell, from the smallest to the full one; at least the full one.
  public var left: [Unicode.Scalar]
  /// The right parts, as many; a size without a character of its own repeats the next smaller one.
  public var right: [Unicode.Scalar]
  /// An empty cell.
  public var track: Unicode.Scalar
  /// A buffered cell.
  public var buffered: Unicode.Scalar
  /// A mark.
  public var mark: Unicode.Scalar
  /// The dot.
  public var dot: Unicode.Scalar
  /// A custom shape without text.
  public var own: Unicode.Scalar

  /// Creates a set of characters.
  ///
  /// - Parameters:
  ///   - left: The left parts of a filled cell, from the smallest to the full one; must not be empty.
  ///   - right: The right parts; must be as many.
  ///   - track: An empty cell.
  ///   - buffered: A buffered cell.
  ///   - mark: A mark.
  ///   - dot: The dot.
  ///   - own: A custom shape without text.
  public init(
    left: [Unicode.Scalar], right: [Unicode.Scalar], track: Unicode.Scalar,
    buffered: Unicode.Scalar, mark: Unicode.Scalar, dot: Unicode.Scalar, own: Unicode.Scalar
  ) {
    precondition(!left.isEmpty, "a bar needs at least the full cell")
    precondition(
      left.count == right.count, "\(left.count) left parts and \(right.count) right ones")
    self.left = left
    self.right = right
    self.track = track
    self.buffered = buffered
    self.mark = mark
    self.dot = dot
    self.own = own
  }

  /// Cells in eighths.
  public static let eighths = BarGlyphs(
    left: ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
    right: ["▕", "▕", "▐", "▐", "▐", "▐", "▐", "█"],
    track: " ", buffered: "░", mark: "│", dot: "●", own: "◆")

  /// A heavy line on a light one, in halves of a cell; the track is visible without color, too.
  public static let line = BarGlyphs(
    left: ["╸", "━"], right: ["╺", "━"], track: "─", buffered: "═", mark: "┃", dot: "●", own: "◆")

  /// ASCII characters.
  public static let ascii = BarGlyphs(
    left: ["#"], right: ["#"], track: "-", buffered: "=", mark: "|", dot: "O", own: "*")

  /// The number of parts of a cell.
  var resolution: Int { left.count }
}

extension BarStyle {
  /// The style of a bar that fills one row of cells, without a dot.
  public static let cells: BarStyle = {
    var style = BarStyle()
    (style.barHeight, style.fillHeight, style.cornerRadius) = (1, 1, 0)
    (style.dotSize, style.hoverDotSize, style.dragDotSize) = (0, 0, 0)
    style.markWidth = 0.125
    return style
  }()
}
