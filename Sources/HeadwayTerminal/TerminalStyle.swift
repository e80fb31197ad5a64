/// The number of colors that a terminal can show.
public enum TerminalColors: UInt8, Hashable, Sendable {
  /// The eight named colors.
  case few
  /// A palette of 256.
  case palette
  /// All colors, by red, green and blue.
  case all
}

/// A language of the words that bars add to your texts, such as "left".
public enum TerminalLanguage: UInt8, Hashable, Sendable, CaseIterable {
  /// English, also for locales of all other languages.
  case english
  /// Simplified Chinese.
  case chinese
}

/// What a terminal can show, and what the user prefers.
///
/// ```swift
/// var style = TerminalStyle(color: true, unicode: true)
/// style.colors = TerminalColors.all
/// style.language = TerminalLanguage.chinese
/// let bars = LiveBars(style: style, usesOwnColors: true)
/// ```
public struct TerminalStyle: Hashable, Sendable {
  /// Whether color, bold and dim are used; words and marks carry all information without them.
  public var color: Bool
  /// Whether characters beyond ASCII are used for marks and bars.
  public var unicode: Bool
  /// Whether the terminal wraps old lines again when it becomes narrower, as nearly all terminals do.
  public var reflows: Bool
  /// The number of colors for bars with colors of their own.
  public var colors: TerminalColors = .few
  /// Whether the taskbar of the desktop shows the progress too, by the sequence OSC 9;4.
  public var showsTaskbar: Bool = false
  /// The language of the words that bars add to your texts.
  public var language: TerminalLanguage = .english

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
  /// There is no color if `NO_COLOR` is not empty, with `TERM=dumb` and without `TERM`. ASCII is used if the locale is
  /// not UTF-8, and on the text console, whose font lacks most marks. `COLORTERM` and `TERM` decide on the number of
  /// colors. `HEADWAY_TASKBAR=on` and `off` decide on the taskbar; otherwise it is used only in terminals that are
  /// known to support it, because others show the sequence as a message. The language is that of the messages,
  /// Chinese for locales such as `zh_CN.UTF-8`, English otherwise and with ASCII.
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
    language = unicode ? Self.language(of: variable) : .english
  }

  /// The language of messages in an environment.
  private static func language(of variable: (String) -> String?) -> TerminalLanguage {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty }
    let parts = (locale ?? "").split { "._@-".contains($0) }.map { $0.lowercased() }
    // Taiwan, Hong Kong and Macao use traditional characters.
    let isTraditional = parts.contains { ["tw", "hk", "mo", "hant"].contains($0) }
    return parts.first == "zh" && !isTraditional ? .chinese : .english
  }

  package var marks: Marks { unicode ? .unicode : .ascii }
  /// The text between the two ends of a range.
  package var dash: String { unicode ? "–" : "-" }
}

/// The marks before and inside lines; those before a line are one column wide.
package struct Marks: Sendable {
  /// A task that succeeded.
  package let succeeded: String
  /// A task that was up to date.
  package let upToDate: String
  /// A task that failed or timed out.
  package let failed: String
  /// A cancelled task.
  package let cancelled: String
  /// A skipped task.
  package let skipped: String
  /// A task whose end is unknown.
  package let lost: String
  /// A task that is retried.
  package let retrying: String
  /// A running task.
  package let running: String
  /// The task whose output is shown.
  package let chosen: String
  /// The margin of a block of output.
  package let edge: String
  /// The ellipsis of a truncated text.
  package let ellipsis: String
  /// The separator between facts.
  package let separator: String
  /// An empty field of a table.
  package let none: String

  /// Characters for terminals with UTF-8.
  package static let unicode = Marks(
    succeeded: "✓", upToDate: "=", failed: "✗", cancelled: "⊘", skipped: "○", lost: "?",
    retrying: "↻",
    running: "•", chosen: "▸", edge: "│", ellipsis: "…", separator: " · ", none: "–")

  /// ASCII characters.
  package static let ascii = Marks(
    succeeded: "+", upToDate: "=", failed: "x", cancelled: "/", skipped: "o", lost: "?",
    retrying: "~",
    running: "*", chosen: ">", edge: "|", ellipsis: "...", separator: ", ", none: "-")
}
