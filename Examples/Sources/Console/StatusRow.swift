import HeadwayTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A row at the bottom of a terminal that is redrawn, on standard error.
package struct StatusRow: Sendable {
  /// The maximum width of the bar.
  private static let widestBar = 40
  /// The minimum part of the row for the bar, as a divisor; longer text is cut.
  private static let leastPart = 4

  /// Whether there is a terminal that can redraw a row.
  package let isLive: Bool
  /// What the terminal can show.
  package let style: TerminalStyle

  /// Reads the environment.
  package init() {
    let variable = { (name: String) in unsafe getenv(name).map { unsafe String(cString: $0) } }
    style = TerminalStyle(environment: variable)
    isLive = isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb"
  }

  /// A bar with its percentage and text.
  ///
  /// - Parameters:
  ///   - fraction: The filled fraction.
  ///   - words: The text beside the bar.
  /// - Returns: A row that leaves the last column free, so that it does not wrap.
  package func bar(_ fraction: Double, _ words: String) -> String {
    let columns = columns
    let percent = "\(Int(fraction * 100))%"
    let rest = " \(String(repeating: " ", count: 4 - percent.utf8.count))\(percent)  \(words)"
    let room = max(columns - 1 - rest.count, columns / Self.leastPart)
    let text = CellBar(style.unicode ? .line : .ascii).text(
      fraction: fraction, columns: min(room, Self.widestBar))
    return String((text + rest).prefix(max(columns - 1, 0)))
  }

  /// Draws the row, replacing the previous one.
  package func draw(_ row: String) { tell("\r\(row)\u{1B}[K") }

  /// Removes the row.
  package func clear() { tell("\r\u{1B}[K") }

  /// The width of the terminal.
  private var columns: Int {
    var size = winsize()
    let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
