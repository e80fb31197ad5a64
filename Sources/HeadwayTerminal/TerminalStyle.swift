/// What a terminal can show, and what a person wants to see.
public struct TerminalStyle: Hashable, Sendable {
  /// Whether colour, bold and dim are used; without them everything is still said in words and marks.
  public var colour: Bool
  /// Whether characters beyond ASCII are used for marks and bars.
  public var unicode: Bool
  /// Whether the terminal wraps old lines again when it becomes narrower, as nearly all do.
  public var reflows: Bool

  /// Creates a style.
  public init(colour: Bool, unicode: Bool, reflows: Bool = true) {
    self.colour = colour
    self.unicode = unicode
    self.reflows = reflows
  }

  /// Creates the style that an environment asks for.
  ///
  /// `NO_COLOR` that is not empty means no colour; `TERM=dumb` too. ASCII stands in where the locale is not
  /// UTF-8 and on the text console, whose font lacks most marks.
  ///
  /// - Parameter variable: Reads a variable of the environment, nil where it is not set.
  public init(environment variable: (String) -> String?) {
    let term = variable("TERM") ?? ""
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    let name = (locale ?? "").uppercased()
    colour = (variable("NO_COLOR") ?? "").isEmpty && term != "dumb"
    unicode = (name.hasSuffix("UTF-8") || name.hasSuffix("UTF8")) && term != "linux"
    reflows = variable("XTERM_VERSION") == nil && term != "linux"
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

/// The few ways in which text is set, each with a meaning.
enum Pen: UInt8, Sendable {
  /// Text like any other.
  case plain
  /// The name of the run.
  case bold
  /// What may be overlooked.
  case dim
  /// What went right.
  case good
  /// What went wrong.
  case bad
  /// What needs attention.
  case warning
  /// What moves.
  case active

  /// The parameters of the escape sequence that chooses it, after a reset.
  var parameters: StaticString {
    switch self {
    case .plain: "0"
    case .bold: "0;1"
    case .dim: "0;2"
    case .good: "0;32"
    case .bad: "0;31"
    case .warning: "0;33"
    case .active: "0;36"
    }
  }
}
