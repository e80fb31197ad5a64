public import HeadwayTerminal
public import HeadwayTestSupport

/// Styles and sizes for tests of what terminals show.
extension TerminalStyle {
  /// Color and all characters.
  public static let full = TerminalStyle(color: true, unicode: true)
  /// All characters without color.
  public static let gray = TerminalStyle(color: false, unicode: true)
  /// Neither.
  public static let ascii = TerminalStyle(color: false, unicode: false)
}

extension TerminalScreen {
  /// Creates an empty screen.
  public init(size: TerminalSize) { self.init(columns: size.columns, rows: size.rows) }

  /// The size in cells.
  public var size: TerminalSize { TerminalSize(columns: columns, rows: rows) }

  /// Changes the size.
  public mutating func resize(to size: TerminalSize) {
    resize(columns: size.columns, rows: size.rows)
  }
}
