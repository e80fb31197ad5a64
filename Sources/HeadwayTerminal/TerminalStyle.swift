/// The number of colors that a terminal can show.
public enum TerminalColors: UInt8, Hashable, Sendable {
  /// The eight named colors.
  case few
  /// A palette of 256.
  case palette
  /// All colors, by red, green and blue.
  case all
}

/// What a terminal can show, and what the user prefers.
public struct TerminalStyle: Hashable, Sendable {
  /// Whether color, bold and dim are used; words and marks carry all information without them.
  public var color: Bool
  /// Whether characters beyond ASCII are used for marks and bars.
  public var unicode: Bool
  /// Whether the terminal wraps old lines again when it becomes narrower, as nearly all terminals do.
  package var reflows: Bool
  /// The number of colors for bars with colors of their own.
  public var colors: TerminalColors = .few
  /// Whether the task bar of the desktop shows the progress too, by the sequence OSC 9;4.
  public var showsTaskbar: Bool = false

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - color: Whether color, bold and dim are used.
  ///   - unicode: Whether characters beyond ASCII are used.
  ///   - reflows: Whether the terminal wraps old lines again when it becomes narrower.
  public init(color: Bool, unicode: Bool, reflows: Bool = true) {
    self.color = color
    self.unicode = unicode
    self.reflows = reflows
  }

  /// Creates the style for an environment.
  ///
  /// There is no color if `NO_COLOR` is not empty, with `TERM=dumb` and without `TERM`. ASCII is used if the locale is not
  /// UTF-8, and on the text console, whose font lacks most marks. `COLORTERM` and `TERM` decide on the number of colors.
  /// `HEADWAY_TASKBAR=on` and `off` decide on the task bar; otherwise it is used only in terminals that are known to show
  /// it, as others take the sequence for a message to the desktop.
  ///
  /// - Parameter variable: Returns the value of an environment variable, nil if it is not set.
  public init(environment variable: (String) -> String?) {
    let term = variable("TERM") ?? ""
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    let name = (locale ?? "").uppercased()
    color = (variable("NO_COLOR") ?? "").isEmpty && !["", "dumb"].contains(term)
    unicode = (name.hasSuffix("UTF-8") || name.hasSuffix("UTF8")) && term != "linux"
    reflows = variable("XTERM_VERSION") == nil && term != "linux"
    let isExact = ["truecolor", "24bit"].contains(variable("COLORTERM") ?? "")
    colors = isExact ? .all : term.hasSuffix("256color") ? .palette : .few
    showsTaskbar = TaskbarProgress.isWanted(variable)
  }

  package var marks: Marks { unicode ? .unicode : .ascii }
  /// The text between the two ends of a range.
  package var dash: String { unicode ? "–" : "-" }
}

/// The marks before and inside lines; those before a line are one column wide.
package struct Marks: Sendable {
  /// A task that succeeded.
  package let succeeded: String
  /// A task that did not have to run.
  package let upToDate: String
  /// A task that failed or ran out of time.
  package let failed: String
  /// A task that the end of the run cut off.
  package let cancelled: String
  /// A task that was never started.
  package let skipped: String
  /// A task that is tried again.
  package let retrying: String
  /// A task that runs.
  package let running: String
  /// The task whose output is shown.
  package let chosen: String
  /// The edge of a block of output.
  package let edge: String
  /// The missing end of a text.
  package let ellipsis: String
  /// What separates two facts of a row.
  package let separator: String
  /// An empty field of a table.
  package let none: String

  /// Signs for terminals that show UTF-8.
  package static let unicode = Marks(
    succeeded: "✓", upToDate: "=", failed: "✗", cancelled: "⊘", skipped: "○", retrying: "↻",
    running: "•", chosen: "▸", edge: "│", ellipsis: "…", separator: " · ", none: "–")

  /// Signs that every terminal has.
  package static let ascii = Marks(
    succeeded: "+", upToDate: "=", failed: "x", cancelled: "/", skipped: "o", retrying: "~",
    running: "*", chosen: ">", edge: "|", ellipsis: "...", separator: ", ", none: "-")
}
