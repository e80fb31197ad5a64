import HeadwayTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The last row of a terminal that is drawn again and again, on the error output.
package struct StatusRow: Sendable {
  /// The widest bar.
  private static let widestBar = 40
  /// The part of the row that the bar has at least, as a divisor; the words are cut where they are too long.
  private static let leastPart = 4

  /// Whether there is a terminal that can draw a row again.
  package let isLive: Bool
  /// What the terminal can show.
  package let style: TerminalStyle

  /// Asks the environment.
  package init() {
    let variable = { (name: String) in unsafe getenv(name).map { unsafe String(cString: $0) } }
    style = TerminalStyle(environment: variable)
    isLive = isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb"
  }

  /// A bar with its percentage and words beside it.
  ///
  /// - Parameters:
  ///   - fraction: How much of the bar is filled.
  ///   - words: What stands beside it.
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

  /// Draws the row in place of what stands there.
  package func draw(_ row: String) { tell("\r\(row)\u{1B}[K") }

  /// Takes the row away.
  package func clear() { tell("\r\u{1B}[K") }

  /// The width of the terminal.
  private var columns: Int {
    var size = winsize()
    let isKnown = unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0
    return isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80
  }
}
