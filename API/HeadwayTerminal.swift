import Glibc
import HeadwayBar
import HeadwayLock
import HeadwayProgress
import HeadwaySystem
import HeadwayText
import HeadwayTime
import Synchronization

/// Several bars, nested or side by side, below the output of a program.
///
///     ✓ fetch        1.2s  214 files                 ended: a line that stays
///     release     ━━━━━━━━╸──────────   46%  5 of 11   a bar
///     • build     ━━━━━╸─────────────   28%            a bar in it
///     • test      ────━━━────────────        42 s      unknown progress
///
/// Nothing is drawn in the first 200 ms and at most ten frames a second after that, and a frame in which nothing changed
/// writes nothing. If rows cannot be redrawn, it prints a few lines instead; see ``BarsInterface``.
///
/// A pure value with the time and the size as arguments; ``LiveBars`` drives it. Not thread safe.
public struct BarBoard : Sendable {

    /// Identifies a bar of a board.
    public struct ID : Hashable, Sendable {
    }

    /// The ways a bar ends.
    public enum Outcome : Hashable, Sendable {

        /// Its work succeeded: a line stays.
        case succeeded

        /// Its work failed: a line stays.
        case failed

        /// It disappears without a line.
        case removed
    }

    /// Creates a board without bars.
    ///
    /// - Parameters:
    ///   - style: What the terminal can show.
    ///   - interface: The way to show the bars.
    ///   - glyphs: The characters of the bars, replaced by ASCII if the terminal has nothing else.
    ///   - usesOwnColors: Whether bars are drawn in the colors of their styles, if the terminal has them.
    public init(style: HeadwayTerminal.TerminalStyle, interface: HeadwayTerminal.BarsInterface = .live, glyphs: HeadwayTerminal.BarGlyphs = .line, usesOwnColors: Bool = false)

    /// Adds a bar below the others, or below the nested bars of its parent.
    ///
    /// - Parameters:
    ///   - label: The text before the bar; control characters are removed.
    ///   - bar: The model; the board sets its layout, and replaces the default style by `BarStyle.cells`, except for the
    ///     buffered ranges and the marks.
    ///   - parent: The bar that it is nested in, nil for none; a bar that has ended counts as none.
    ///   - now: The time since the creation of the board.
    /// - Returns: The identifier of the bar.
    /// - Complexity: O(bars).
    public mutating func add(_ label: String, _ bar: HeadwayBar.ProgressBar, in parent: HeadwayTerminal.BarBoard.ID? = nil, at now: Duration) -> HeadwayTerminal.BarBoard.ID

    /// Changes the model of a bar; does nothing if the bar has ended.
    ///
    /// - Parameters:
    ///   - id: The bar.
    ///   - change: Changes the model, for example by a report.
    public mutating func update(_ id: HeadwayTerminal.BarBoard.ID, _ change: (inout HeadwayBar.ProgressBar) -> Void)

    /// Changes the text before a bar.
    public mutating func setLabel(_ label: String, of id: HeadwayTerminal.BarBoard.ID)

    /// Changes the texts beside a bar, the most important first; the last ones are left out if there is no room.
    public mutating func setFacts(_ facts: [String], of id: HeadwayTerminal.BarBoard.ID)

    /// Ends a bar with its nested bars, and leaves a line unless it is removed.
    ///
    /// - Parameters:
    ///   - id: The bar.
    ///   - outcome: How it ended.
    ///   - note: A text for that line.
    ///   - now: The time since the creation of the board.
    /// - Complexity: O(bars).
    public mutating func end(_ id: HeadwayTerminal.BarBoard.ID, _ outcome: HeadwayTerminal.BarBoard.Outcome = .succeeded, note: String = "", at now: Duration)

    /// Prints text above the bars.
    ///
    /// - Parameter text: One or more lines; control characters are removed.
    public mutating func print(_ text: String)

    /// Draws a frame.
    ///
    /// - Parameters:
    ///   - now: The time since the creation of the board.
    ///   - size: The current size of the terminal.
    ///   - output: The bytes to append to; none if nothing changed.
    /// - Complexity: O(bars × columns).
    public mutating func frame(at now: Duration, size: HeadwayTerminal.TerminalSize, into output: inout [UInt8])

    /// The time of the next frame.
    ///
    /// - Parameter now: The time since the creation of the board.
    /// - Returns: A time since the creation of the board, nil if nothing moves and nothing waits to be drawn.
    public func nextFrame(after now: Duration) -> Duration?

    /// Erases the bars and prints the waiting rows; the next frame draws the bars again.
    ///
    /// - Parameter output: The bytes to append to.
    public mutating func withdraw(into output: inout [UInt8])
}

/// The characters that draw a bar in cells, each one column wide.
public struct BarGlyphs : Hashable, Sendable {

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
    public init(left: [Unicode.Scalar], right: [Unicode.Scalar], track: Unicode.Scalar, buffered: Unicode.Scalar, mark: Unicode.Scalar, dot: Unicode.Scalar, own: Unicode.Scalar)

    /// Cells in eighths.
    public static let eighths: HeadwayTerminal.BarGlyphs

    /// A heavy line on a light one, in halves of a cell; the track is visible without color, too.
    public static let line: HeadwayTerminal.BarGlyphs

    /// ASCII characters.
    public static let ascii: HeadwayTerminal.BarGlyphs
}

/// The ways to show bars.
public enum BarsInterface : UInt8, Hashable, Sendable {

    /// Rows at the bottom of a terminal that are redrawn.
    case live

    /// Lines: one for each tenth of the work, at least five seconds apart, and one a minute during silences.
    ///
    /// So a service that watches the output does not assume that long work hangs.
    case lines

    /// Few lines, for a screen reader that reads each one: one for each quarter, at least fifteen seconds apart.
    case sparseLines
}

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
/// bar.setStyle(.cells, at: 0)
/// bar.setValue(0.46, at: 0)
/// CellBar(.eighths).text(of: bar, at: 0)  // "█████████▏          "
/// ```
///
/// A pure value that reuses the memory of its last drawing. Not thread safe. Bars that grow upwards need more than a
/// row and are not supported.
public struct CellBar : Sendable {

    /// The texts of custom shapes, by number; each is cut to the width of its shape.
    public var texts: [Int : String]

    /// The icons in the dot, by number: one character of one column each.
    public var icons: [Int : Unicode.Scalar]

    /// Creates a renderer without colors.
    ///
    /// - Parameter glyphs: The characters.
    public init(_ glyphs: HeadwayTerminal.BarGlyphs)

    /// The bar as text, without color.
    ///
    /// - Parameters:
    ///   - bar: The bar, with a layout in cells.
    ///   - own: Custom shapes on top of it, with positions from the bar.
    ///   - now: The time in seconds.
    /// - Returns: As many columns as the layout is wide, in whole cells; empty if it is narrower than a cell.
    /// - Complexity: O(columns + shapes).
    public func text(of bar: HeadwayBar.ProgressBar, adding own: [HeadwayBar.BarShape] = [], at now: Double) -> String

    /// A fraction as a bar of text, without color.
    ///
    /// - Parameters:
    ///   - fraction: The filled fraction; NaN and negative numbers count as 0, numbers above 1 as 1.
    ///   - columns: The width in columns; for 0 or less the text is empty.
    /// - Returns: Text of that width.
    /// - Complexity: O(columns).
    public func text(fraction: Double, columns: Int) -> String
}

/// Shows bars in the terminal of a program, below what the program prints.
///
/// ```swift
/// let bars = LiveBars()
/// let fetch = bars.add("fetch", total: 214)
/// for file in 1...214 {
///   load(file)
///   fetch.report(Double(file))
/// }
/// fetch.end(note: "214 files")
/// bars.finish()
/// ```
///
/// Without a terminal, in CI, with `TERM=dumb` and with `ACCESSIBLE` it prints a few lines instead. Other output to the
/// same terminal must go through `print(_:)`, or be written while the bars are suspended. The cursor is never hidden, so a
/// program that is killed leaves the last picture with a prompt below it.
///
/// Nothing waits for the terminal: changes are recorded under a lock and drawn by a thread, which sleeps while nothing
/// moves. `finish()` must be called at the end; the deinitializer does so too. Safe from any thread.
final public class LiveBars : Sendable {

    /// Creates a region for bars at the bottom of a terminal.
    ///
    /// - Parameters:
    ///   - output: The descriptor to write to; it stays open.
    ///   - style: What the terminal can show, nil to ask the environment.
    ///   - interface: The way to show bars, nil for the one that fits the output.
    ///   - glyphs: The characters of the bars, replaced by ASCII if the terminal has nothing else.
    ///   - usesOwnColors: Whether bars are drawn in the colors of their styles, if the terminal has them.
    public init(output: Int32 = 2, style: HeadwayTerminal.TerminalStyle? = nil, interface: HeadwayTerminal.BarsInterface? = nil, glyphs: HeadwayTerminal.BarGlyphs = .line, usesOwnColors: Bool = false)

    deinit

    /// Adds a bar for counted work.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of parts, nil if unknown; NaN and negative numbers count as 0.
    /// - Returns: The bar.
    public func add(_ label: String, total: Double? = 1) -> HeadwayTerminal.LiveBars.Bar

    /// Adds a bar with a model of its own.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - model: The model; its times are seconds since the creation of this object, as `Bar.update(_:)` passes them.
    /// - Returns: The bar.
    public func add(_ label: String, _ model: HeadwayBar.ProgressBar) -> HeadwayTerminal.LiveBars.Bar

    /// Prints text above the bars.
    ///
    /// - Parameter text: One or more lines.
    public func print(_ text: String)

    /// Erases the bars and keeps away from the terminal until `resume()`, so that something else can write to it.
    ///
    /// - Parameter limit: The maximum time to wait for a slow terminal.
    /// - Returns: Whether the terminal is free now.
    @discardableResult
    public func suspend(within limit: Duration = .milliseconds(500)) -> Bool

    /// Draws the bars again after `suspend(within:)`.
    public func resume()

    /// Runs code that writes to the terminal while the bars are suspended.
    ///
    /// - Parameter body: The code.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    @discardableResult
    public func withoutBars<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result where Failure : Error

    /// Writes what is left, erases the bars and ends the thread; a second call does nothing.
    ///
    /// - Parameter limit: The maximum time to wait for a slow terminal, nil to wait without limit.
    /// - Returns: Whether everything was written, or the reader is gone.
    @discardableResult
    public func finish(within limit: Duration? = nil) -> Bool

    /// A handle of a bar; it retains the bars.
    public struct Bar : Sendable {

        /// Reports progress; the bar never steps back.
        ///
        /// - Parameters:
        ///   - value: The number of parts that are done.
        ///   - rate: The number of parts done in a second, at which the bar glides to the value and beyond it until the next
        ///     report. With nil the bar shows exactly what is done.
        public func report(_ value: Double, rate: Double? = nil)

        /// Changes the model.
        ///
        /// - Parameter change: Changes the model, and receives the time. It runs inside the lock of the bars and must not call
        ///   them.
        public func update(_ change: (inout HeadwayBar.ProgressBar, Duration) -> Void)

        /// Changes the text before the bar.
        public func setLabel(_ label: String)

        /// Changes the texts beside the bar, the most important first.
        public func setFacts(_ facts: String...)

        /// Changes the texts beside the bar, the most important first.
        public func setFacts(_ facts: [String])

        /// Stops the bar where it is.
        public func pause()

        /// Continues from where the bar stopped.
        public func resume()

        /// Adds a nested bar for counted work.
        ///
        /// - Parameters:
        ///   - label: The text before the bar.
        ///   - total: The number of parts, nil if unknown.
        /// - Returns: The bar, which ends with this one at the latest.
        public func add(_ label: String, total: Double? = 1) -> HeadwayTerminal.LiveBars.Bar

        /// Adds a nested bar with a model of its own.
        ///
        /// - Parameters:
        ///   - label: The text before the bar.
        ///   - model: The model.
        /// - Returns: The bar, which ends with this one at the latest.
        public func add(_ label: String, _ model: HeadwayBar.ProgressBar) -> HeadwayTerminal.LiveBars.Bar

        /// Ends the bar with its nested bars, and leaves a line unless it is removed; a second call does nothing.
        ///
        /// - Parameters:
        ///   - outcome: How it ended.
        ///   - note: A text for that line.
        public func end(_ outcome: HeadwayTerminal.BarBoard.Outcome = .succeeded, note: String = "")
    }
}

/// Bars that follow a progress tree.
extension LiveBars {

    /// Shows a progress node and its descendants until it finishes or the task is cancelled.
    ///
    /// Children that finish disappear without a line; the node itself leaves one. Beside each bar are the node's detail and,
    /// if its total is known, its counts. Bars and percentages are those of the counts, and stand still between them.
    ///
    /// - Parameter node: The node, which is not retained.
    public func follow(_ node: HeadwayProgress.ProgressNode) async
}

/// The number of colors that a terminal can show.
public enum TerminalColors : UInt8, Hashable, Sendable {

    /// The eight named colors.
    case few

    /// A palette of 256.
    case palette

    /// All colors, by red, green and blue.
    case all
}

/// The size of a terminal in cells.
public struct TerminalSize : Hashable, Sendable {

    /// The number of columns.
    public var columns: Int

    /// The number of rows.
    public var rows: Int

    /// Creates a size.
    public init(columns: Int, rows: Int)
}

/// What a terminal can show, and what the user prefers.
public struct TerminalStyle : Hashable, Sendable {

    /// Whether color, bold and dim are used; words and marks carry all information without them.
    public var color: Bool

    /// Whether characters beyond ASCII are used for marks and bars.
    public var unicode: Bool

    /// Whether the terminal wraps old lines again when it becomes narrower, as nearly all terminals do.
    public var reflows: Bool

    /// The number of colors for bars with colors of their own.
    public var colors: HeadwayTerminal.TerminalColors

    /// Whether the taskbar of the desktop shows the progress too, by the sequence OSC 9;4.
    public var showsTaskbar: Bool

    /// Creates a style.
    ///
    /// - Parameters:
    ///   - color: Whether color, bold and dim are used.
    ///   - unicode: Whether characters beyond ASCII are used.
    ///   - reflows: Whether the terminal wraps old lines again when it becomes narrower.
    public init(color: Bool, unicode: Bool, reflows: Bool = true)

    /// Creates the style for an environment.
    ///
    /// There is no color if `NO_COLOR` is not empty, with `TERM=dumb` and without `TERM`. ASCII is used if the locale is
    /// not UTF-8, and on the text console, whose font lacks most marks. `COLORTERM` and `TERM` decide on the number of
    /// colors. `HEADWAY_TASKBAR=on` and `off` decide on the taskbar; otherwise it is used only in terminals that are
    /// known to support it, because others show the sequence as a message.
    ///
    /// - Parameter variable: Returns the value of an environment variable, nil if it is not set.
    public init(environment variable: (String) -> String?)
}

extension BarStyle {

    /// The style of a bar that fills one row of cells, without a dot.
    public static let cells: HeadwayBar.BarStyle
}

