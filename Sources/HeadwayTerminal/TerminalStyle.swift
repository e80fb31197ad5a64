/// How many colours a terminal can show.
public enum TerminalColours: UInt8, Hashable, Sendable {
  /// The eight that have names.
  case few
  /// A palette of 256.
  case palette
  /// All of them, by red, green and blue.
  case all
}

/// What a terminal can show, and what a person wants to see.
public struct TerminalStyle: Hashable, Sendable {
  /// Whether colour, bold and dim are used; without them everything is still said in words and marks.
  public var colour: Bool
  /// Whether characters beyond ASCII are used for marks and bars.
  public var unicode: Bool
  /// Whether the terminal wraps old lines again when it becomes narrower, as nearly all do.
  public var reflows: Bool
  /// How many colours there are for bars that have colours of their own.
  public var colours: TerminalColours = .few
  /// Whether the task bar of the desktop shows the progress too: the sequence OSC 9;4.
  public var showsTaskbar: Bool = false

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - colour: Whether colour, bold and dim are used.
  ///   - unicode: Whether characters beyond ASCII are used.
  ///   - reflows: Whether the terminal wraps old lines again when it becomes narrower.
  public init(colour: Bool, unicode: Bool, reflows: Bool = true) {
    self.colour = colour
    self.unicode = unicode
    self.reflows = reflows
  }

  /// Creates the style that an environment asks for.
  ///
  /// `NO_COLOR` that is not empty means no colour; `TERM=dumb` and no `TERM` too. ASCII stands in where the locale is not
  /// UTF-8 and on the text console, whose font lacks most marks. `COLORTERM` and `TERM` tell how many colours there
  /// are. `HEADWAY_TASKBAR=on` and `off` decide about the task bar; without it only terminals that are known to show
  /// it are told, as others take the sequence for a message to the desktop.
  ///
  /// - Parameter variable: Reads a variable of the environment, nil where it is not set.
  public init(environment variable: (String) -> String?) {
    let term = variable("TERM") ?? ""
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    let name = (locale ?? "").uppercased()
    colour = (variable("NO_COLOR") ?? "").isEmpty && !["", "dumb"].contains(term)
    unicode = (name.hasSuffix("UTF-8") || name.hasSuffix("UTF8")) && term != "linux"
    reflows = variable("XTERM_VERSION") == nil && term != "linux"
    let isExact = ["truecolor", "24bit"].contains(variable("COLORTERM") ?? "")
    colours = isExact ? .all : term.hasSuffix("256color") ? .palette : .few
    showsTaskbar = TaskbarProgress.isWanted(variable)
  }

  /// The signs that stand before a line and inside it.
  var marks: Marks { unicode ? .unicode : .ascii }
  /// What stands between the two ends of a range.
  var dash: String { unicode ? "–" : "-" }
}

/// The signs that stand before a line and inside it; those before a line are one column wide.
struct Marks: Sendable {
  /// A task that succeeded.
  let succeeded: String
  /// A task that did not have to run.
  let upToDate: String
  /// A task that failed or ran out of time.
  let failed: String
  /// A task that the end of the run cut off.
  let cancelled: String
  /// A task that was never started.
  let skipped: String
  /// A task that is tried again.
  let retrying: String
  /// A task that runs.
  let running: String
  /// The task whose output is shown.
  let chosen: String
  /// The edge of a block of output.
  let edge: String
  /// The missing end of a text.
  let ellipsis: String
  /// What separates two facts of a row.
  let separator: String
  /// An empty field of a table.
  let none: String

  /// Signs for terminals that show UTF-8.
  static let unicode = Marks(
    succeeded: "✓", upToDate: "=", failed: "✗", cancelled: "⊘", skipped: "○", retrying: "↻",
    running: "•", chosen: "▸", edge: "│", ellipsis: "…", separator: " · ", none: "–")

  /// Signs that every terminal has.
  static let ascii = Marks(
    succeeded: "+", upToDate: "=", failed: "x", cancelled: "/", skipped: "o", retrying: "~",
    running: "*", chosen: ">", edge: "|", ellipsis: "...", separator: ", ", none: "-")
}
