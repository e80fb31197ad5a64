import HeadwayTerminal

extension TerminalStyle {
  /// Color and all characters.
  static let full = TerminalStyle(color: true, unicode: true)
  /// All characters without color.
  static let grey = TerminalStyle(color: false, unicode: true)
  /// Neither.
  static let ascii = TerminalStyle(color: false, unicode: false)
}
