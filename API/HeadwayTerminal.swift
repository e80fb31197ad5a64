import HeadwayBar
import HeadwayForecast
import HeadwayLibc
import HeadwayLock
import HeadwayProgress
import HeadwaySystem
import HeadwayText
import HeadwayTime
import Synchronization

/// Several bars, nested or side by side, below the output of a program.
///
///     ✓ fetch        1.2s  214 files                 ended: a line that stays
///     release     ━━━━━━━━╸──────────   45%  5 / 11 · 2 min left         a bar
///     • build     ━━━━━╸─────────────   28%  60 / 214 · 30/s · 6 s left   a bar in it
///     • test      ────━━━────────────   42s                               unknown progress
///
/// Nothing is drawn in the first 200 ms and at most ten frames a second after that, and a frame in which nothing changed
/// writes nothing. If rows cannot be redrawn, it prints a few lines instead; see ``BarsInterface``.
///
/// ```swift
/// let style = TerminalStyle(color: false, unicode: true)
/// var board = BarBoard(style: style, interface: BarsInterface.live)
/// let fetch: BarBoard.ID = board.add("fetch", total: 214, at: .zero)
/// board.report(60, of: fetch, at: .seconds(2))
/// var bytes: [UInt8] = []
/// board.frame(at: .seconds(2), size: TerminalSize(columns: 80, rows: 24), into: &bytes)
/// board.end(fetch, BarBoard.Outcome.stopped, at: .seconds(3))
/// ```
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

        /// Its work ended early, which is no failure: a line stays.
        case stopped

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

    /// Begins again from 0, for the next attempt or the next file; the total stays.
    ///
    /// Speed, remaining time and elapsed time begin again, a pause ends, and the texts of ``setFacts(_:of:)`` are removed. The
    /// label and the nested bars stay. A bar that has ended, also with its parent, is added again below the others, or below
    /// the nested bars of its parent; it must be one of the last 256 that ended, otherwise nothing happens.
    ///
    /// - Parameters:
    ///   - id: The bar.
    ///   - now: The time since the creation of the board.
    /// - Complexity: O(bars).
    public mutating func reset(_ id: HeadwayTerminal.BarBoard.ID, at now: Duration)

    /// Changes the model of a bar; does nothing if the bar has ended.
    ///
    /// The counts of a bar for counted work follow its model with the next frame. Events of the model that the function does not
    /// take are dropped.
    ///
    /// - Parameters:
    ///   - id: The bar.
    ///   - change: Changes the model, for example by a report.
    public mutating func update(_ id: HeadwayTerminal.BarBoard.ID, _ change: (inout HeadwayBar.ProgressBar) -> Void)

    /// Changes the text before a bar.
    public mutating func setLabel(_ label: String, of id: HeadwayTerminal.BarBoard.ID)

    /// Changes the texts beside a bar, the most important first; the last ones are left out if there is no room.
    ///
    /// They stand before the counts, the speed and the remaining time of counted work.
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

    /// Ends all bars: those that are full have succeeded, and the others were stopped.
    ///
    /// - Parameter now: The time since the creation of the board.
    /// - Complexity: O(bars²).
    public mutating func endAll(at now: Duration)

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

/// Bars of counted work, which say beside the bar how much is done, how fast, and how long the rest takes.
extension BarBoard {

    /// Adds a bar for counted work below the others, or below the nested bars of its parent.
    ///
    /// - Parameters:
    ///   - label: The text before the bar; control characters are removed.
    ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown. 0 of 0 units are complete. Of a
    ///     total of at most 1 only the percentage and the remaining time are shown.
    ///   - completed: The units that are already done, such as the part of a resumed download; they do not count as speed.
    ///   - kind: The kind of work; units of work on files are shown as bytes.
    ///   - parent: The bar that it is nested in, nil for none; a bar that has ended counts as none.
    ///   - now: The time since the creation of the board.
    /// - Returns: The identifier of the bar.
    /// - Complexity: O(bars).
    public mutating func add(_ label: String, total: Double?, completed: Double = 0, kind: HeadwayProgress.WorkKind = .work, in parent: HeadwayTerminal.BarBoard.ID? = nil, at now: Duration) -> HeadwayTerminal.BarBoard.ID

    /// Reports how much of counted work is done; does nothing if the bar has ended.
    ///
    /// Neither the count nor the bar steps back.
    ///
    /// - Parameters:
    ///   - value: All units that are done; NaN and infinite numbers change nothing.
    ///   - rate: The units done in a second, at which the bar glides to the value and beyond it until the next report. With
    ///     nil the bar shows exactly what is done.
    ///   - id: The bar.
    ///   - now: The time since the creation of the board.
    public mutating func report(_ value: Double, rate: Double? = nil, of id: HeadwayTerminal.BarBoard.ID, at now: Duration)

    /// Adds to how much of counted work is done; does nothing if the bar has ended.
    ///
    /// - Parameters:
    ///   - count: The units that were done since the last report.
    ///   - id: The bar.
    ///   - now: The time since the creation of the board.
    public mutating func complete(_ count: Double = 1, of id: HeadwayTerminal.BarBoard.ID, at now: Duration)

    /// Adds units that took no work to how much of counted work is done, such as files that were up to date.
    ///
    /// They do not count as speed, so the remaining time is that of the others. Does nothing if the bar has ended or has a model
    /// of its own.
    ///
    /// - Parameters:
    ///   - count: The units that were skipped since the last report; only a finite number above 0 has an effect.
    ///   - id: The bar.
    ///   - now: The time since the creation of the board.
    public mutating func skip(_ count: Double = 1, of id: HeadwayTerminal.BarBoard.ID, at now: Duration)

    /// Sets the number of units of counted work once it is known, or when it changes.
    ///
    /// Does nothing if the bar has ended or has a model of its own.
    ///
    /// - Parameters:
    ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown.
    ///   - id: The bar.
    ///   - now: The time since the creation of the board.
    public mutating func setTotal(_ total: Double?, of id: HeadwayTerminal.BarBoard.ID, at now: Duration)

    /// Begins again from 0 with another total, for the next attempt or the next file; see ``reset(_:at:)``.
    ///
    /// - Parameters:
    ///   - id: The bar.
    ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown. It does not change a bar with a
    ///     model of its own.
    ///   - now: The time since the creation of the board.
    /// - Complexity: O(bars).
    public mutating func reset(_ id: HeadwayTerminal.BarBoard.ID, total: Double?, at now: Duration)

    /// Stops a bar where it is, and the clock of its work, or lets both go on.
    ///
    /// - Parameters:
    ///   - isPaused: Whether the work is paused.
    ///   - id: The bar.
    ///   - now: The time since the creation of the board.
    public mutating func setPaused(_ isPaused: Bool, of id: HeadwayTerminal.BarBoard.ID, at now: Duration)
}

/// The characters that draw a bar in cells, each one column wide.
///
/// ```swift
/// var glyphs = BarGlyphs.eighths
/// glyphs.track = "·"
/// let bars = LiveBars(glyphs: glyphs)
/// ```
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

    /// Nothing but what is printed above the bars.
    case hidden
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
/// bar.setStyle(.cells, at: .zero)
/// bar.setValue(0.46, at: .zero)
/// let cells = CellBar(.eighths)
/// let text = cells.text(of: bar, at: 0)  // "█████████▏          "
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
/// let fetch = bars.add("fetch", total: 5_000_000, kind: .file(.downloading))
/// for chunk in chunks {
///   store(chunk)
///   fetch.complete(chunk.count)
/// }
/// fetch.end()
/// bars.finish()
/// ```
///
/// Beside the bar of counted work are the count, the speed and the remaining time, such as `3.9 / 5.0 MB · 1.2 MB/s · 4 s
/// left`. A loop needs one line: `for photo in photos.reporting("resize") { … }` shows its bar in ``shared``.
///
/// Without a terminal, in CI, with `TERM=dumb` and with `ACCESSIBLE` it prints a few lines instead. What the program prints to
/// the same terminal comes above the bars, on Linux with glibc; other output must go through `print(_:)`, or be written while the
/// bars are suspended. The cursor is never hidden, so a program that is killed leaves the last picture with a prompt below it.
///
/// All bars of a process on one terminal share it, those of each object below the earlier ones.
///
/// Nothing waits for the terminal: changes are recorded under a lock and drawn by a thread, which sleeps while nothing
/// moves. Call `finish()` at the end; otherwise it is called when the object is released, or when the program ends by
/// returning from `main` or by `exit`. Safe from any thread.
final public class LiveBars : Sendable {

    /// The bars of the whole program, on standard error, which loops use by themselves.
    public static let shared: HeadwayTerminal.LiveBars

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
    ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown. 0 of 0 units are complete. Of a
    ///     total of at most 1 only the percentage and the remaining time are shown.
    ///   - completed: The units that are already done, such as the part of a resumed download; they do not count as speed.
    ///   - kind: The kind of work; units of work on files are shown as bytes.
    /// - Returns: The bar.
    public func add(_ label: String, total: Double? = 1, completed: Double = 0, kind: HeadwayProgress.WorkKind = .work) -> HeadwayTerminal.LiveBars.Bar

    /// Adds a bar for counted work, with integers.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of units; nil and negative numbers mean unknown. 0 of 0 units are complete.
    ///   - completed: The units that are already done; they do not count as speed.
    ///   - kind: The kind of work; units of work on files are shown as bytes.
    /// - Returns: The bar.
    @inlinable public func add<Count>(_ label: String, total: Count?, completed: Count = 0, kind: HeadwayProgress.WorkKind = .work) -> HeadwayTerminal.LiveBars.Bar where Count : BinaryInteger

    /// Adds a bar with a model of its own.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - model: The model; its times are seconds since the creation of this object, as `Bar.update(_:)` passes them.
    /// - Returns: The bar.
    public func add(_ label: String, _ model: HeadwayBar.ProgressBar) -> HeadwayTerminal.LiveBars.Bar

    /// Prints values above the bars, as `Swift.print` does.
    ///
    /// - Parameters:
    ///   - items: The values; their texts may have several lines.
    ///   - separator: The text between two values.
    public func print(_ items: Any..., separator: String = " ")

    /// Erases the bars, and those of others on the terminal, and keeps away from it until `resume()`, so that something else can
    /// write to it.
    ///
    /// Calls are counted: bars are drawn again after as many calls of `resume()`, so that threads may do so at the same time.
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

    /// Ends all bars, writes what is left, and ends the thread; a second call does nothing.
    ///
    /// A bar that has not ended leaves a line: it is done if it was full, and stopped otherwise. Afterwards no bars are drawn, but
    /// what is printed and the lines of bars that end are still written, by the thread that calls.
    ///
    /// - Parameter limit: The maximum time to wait for a slow terminal, nil to wait without limit.
    /// - Returns: Whether everything was written, or the reader is gone.
    @discardableResult
    public func finish(within limit: Duration? = nil) -> Bool
}

extension LiveBars {

    /// A handle of a bar; it retains the bars.
    ///
    /// ```swift
    /// func load(_ files: [String], on bar: LiveBars.Bar) {
    ///   for file in files.reporting(to: bar) { open(file) }
    /// }
    /// ```
    public struct Bar : Sendable {

        /// Reports how much is done; neither the count nor the bar steps back.
        ///
        /// - Parameters:
        ///   - value: All units that are done; NaN and infinite numbers change nothing.
        ///   - rate: The number of units done in a second, at which the bar glides to the value and beyond it until the next
        ///     report. With nil the bar shows exactly what is done.
        public func report(_ value: Double, rate: Double? = nil)

        /// Reports how much is done, with an integer; neither the count nor the bar steps back.
        ///
        /// - Parameters:
        ///   - value: All units that are done.
        ///   - rate: The number of units done in a second, nil to show exactly what is done.
        @inlinable public func report(_ value: some BinaryInteger, rate: Double? = nil)

        /// Adds to how much is done; threads may do so at the same time.
        ///
        /// - Parameter count: The units that were done since the last report.
        public func complete(_ count: Double = 1)

        /// Adds an integer to how much is done; threads may do so at the same time.
        ///
        /// - Parameter count: The units that were done since the last report.
        @inlinable public func complete(_ count: some BinaryInteger)

        /// Adds units that took no work to how much is done, such as files that were up to date.
        ///
        /// ```swift
        /// func update(_ files: [String], on bar: LiveBars.Bar) {
        ///   for file in files {
        ///     if isUpToDate(file) { bar.skip() } else { build(file); bar.complete() }
        ///   }
        /// }
        /// ```
        ///
        /// They do not count as speed, so the remaining time is that of the others.
        ///
        /// - Parameter count: The units that were skipped since the last report; only a finite number above 0 has an effect.
        public func skip(_ count: Double = 1)

        /// Adds an integer of units that took no work; see ``skip(_:)``.
        ///
        /// - Parameter count: The units that were skipped since the last report.
        @inlinable public func skip(_ count: some BinaryInteger)

        /// Sets the number of units once it is known, or when it changes.
        ///
        /// Does nothing for a bar with a model of its own.
        ///
        /// - Parameter total: The number of units; nil, NaN, infinite and negative numbers mean unknown.
        public func setTotal(_ total: Double?)

        /// Sets the number of units to an integer once it is known, or when it changes.
        ///
        /// - Parameter total: The number of units; nil and negative numbers mean unknown.
        @inlinable public func setTotal(_ total: (some BinaryInteger)?)

        /// Begins again from 0, for the next attempt or the next file; the total stays.
        ///
        /// ```swift
        /// let fetch = bars.add("fetch", total: sizes[0], kind: .file(.downloading))
        /// for (name, size) in zip(names, sizes) {
        ///   fetch.reset(total: size)
        ///   fetch.setFacts(name)
        ///   download(name) { received in fetch.complete(received) }
        ///   fetch.end()
        /// }
        /// ```
        ///
        /// Speed, remaining time and elapsed time begin again, a pause ends, and the texts of `setFacts` are removed. The label
        /// and the nested bars stay. A bar that has ended, also with its parent, is added again below the others, or below the
        /// nested bars of its parent; it must be one of the last 256 that ended, otherwise nothing happens.
        public func reset()

        /// Begins again from 0 with another total, for the next attempt or the next file; see ``reset()``.
        ///
        /// - Parameter total: The number of units; nil, NaN, infinite and negative numbers mean unknown. It does not change a bar
        ///   with a model of its own.
        public func reset(total: Double?)

        /// Begins again from 0 with another total, which is an integer; see ``reset()``.
        ///
        /// - Parameter total: The number of units; nil and negative numbers mean unknown.
        @inlinable public func reset(total: (some BinaryInteger)?)

        /// Stops the bar where it is, and the clock of its speed and remaining time.
        public func pause()

        /// Continues from where the bar stopped.
        public func resume()

        /// Changes the text before the bar.
        public func setLabel(_ label: String)

        /// Changes the texts beside the bar, the most important first; counts, speed and remaining time follow them.
        public func setFacts(_ facts: String...)

        /// Changes the texts beside the bar, the most important first; counts, speed and remaining time follow them.
        public func setFacts(_ facts: [String])

        /// Changes the model.
        ///
        /// - Parameter change: Changes the model, and receives the time. It runs inside the lock of the bars and must not call
        ///   them.
        public func update(_ change: (inout HeadwayBar.ProgressBar, Duration) -> Void)

        /// Adds a nested bar for counted work.
        ///
        /// - Parameters:
        ///   - label: The text before the bar.
        ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown. 0 of 0 units are complete.
        ///   - completed: The units that are already done; they do not count as speed.
        ///   - kind: The kind of work; units of work on files are shown as bytes.
        /// - Returns: The bar, which ends with this one at the latest.
        public func add(_ label: String, total: Double? = 1, completed: Double = 0, kind: HeadwayProgress.WorkKind = .work) -> HeadwayTerminal.LiveBars.Bar

        /// Adds a nested bar for counted work, with integers.
        ///
        /// - Parameters:
        ///   - label: The text before the bar.
        ///   - total: The number of units; nil and negative numbers mean unknown. 0 of 0 units are complete.
        ///   - completed: The units that are already done; they do not count as speed.
        ///   - kind: The kind of work; units of work on files are shown as bytes.
        /// - Returns: The bar, which ends with this one at the latest.
        @inlinable public func add<Count>(_ label: String, total: Count?, completed: Count = 0, kind: HeadwayProgress.WorkKind = .work) -> HeadwayTerminal.LiveBars.Bar where Count : BinaryInteger

        /// Adds a nested bar with a model of its own.
        ///
        /// - Parameters:
        ///   - label: The text before the bar.
        ///   - model: The model.
        /// - Returns: The bar, which ends with this one at the latest.
        public func add(_ label: String, _ model: HeadwayBar.ProgressBar) -> HeadwayTerminal.LiveBars.Bar

        /// Ends the bar with its nested bars, and leaves a line unless it is removed; a second call does nothing.
        ///
        /// Returns when the line is on the screen, so that what the program prints next comes after it. A terminal that takes
        /// nothing holds the program up for half a second at most, and only once.
        ///
        /// - Parameters:
        ///   - outcome: How it ended.
        ///   - note: A text for that line; without one it has the count and the mean speed of counted work.
        public func end(_ outcome: HeadwayTerminal.BarBoard.Outcome = .succeeded, note: String = "")
    }
}

/// Bars that follow a progress tree.
extension LiveBars {

    /// Shows a progress node and its descendants until it finishes or the task is cancelled.
    ///
    /// The node leaves a line when it ends. Its descendants disappear without one, unless you ask for it. Beside each bar are the node's detail and,
    /// if its total is known, its counts. Bars and percentages are those of the counts, and stand still between them.
    ///
    /// The thread that draws reads the tree, so that the bars move while all threads of Swift's pool compute.
    ///
    /// A node does not know whether its work has failed, so one that has finished counts as done. Where work can fail, use
    /// ``follow(_:leavesChildLines:isolation:during:)``.
    ///
    /// - Parameters:
    ///   - node: The node, which is not retained.
    ///   - leavesChildLines: Whether each descendant leaves a line when it ends, as the node does. Of a tree with more than 64
    ///     nodes, only those with bars do.
    public func follow(_ node: HeadwayProgress.ProgressNode, leavesChildLines: Bool = false) async

    /// Shows a progress node and its descendants while a function does the work, and says at the end whether it failed.
    ///
    /// ```swift
    /// let file = try await bars.follow(node) { try await download(url, node) }
    /// try await bars.follow(launcher.progress) { try await launcher.run().get() }
    /// ```
    ///
    /// The node leaves a line when the function has returned, or has thrown: then it failed, or was stopped if the error is
    /// `CancellationError` or the node was cancelled. That line is about the node alone: those of its descendants do not know whether their
    /// work has failed.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - leavesChildLines: Whether each descendant leaves a line when it ends, as the node does.
    ///   - isolation: The actor of the caller, on which the function runs.
    ///   - body: The function.
    /// - Returns: What the function returns.
    /// - Throws: What the function throws.
    public func follow<Success, Failure>(_ node: HeadwayProgress.ProgressNode, leavesChildLines: Bool = false, isolation: isolated (any Actor)? = #isolation, during body: () async throws(Failure) -> Success) async throws(Failure) -> Success where Failure : Error
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

/// A language of the words that bars add to your texts, such as "left".
public enum TerminalLanguage : UInt8, Hashable, Sendable, CaseIterable {

    /// English, also for locales of all other languages.
    case english

    /// Simplified Chinese.
    case chinese
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
///
/// ```swift
/// var style = TerminalStyle(color: true, unicode: true)
/// style.colors = TerminalColors.all
/// style.language = TerminalLanguage.chinese
/// let bars = LiveBars(style: style, usesOwnColors: true)
/// ```
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

    /// The language of the words that bars add to your texts.
    public var language: HeadwayTerminal.TerminalLanguage

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
    /// known to support it, because others show the sequence as a message. The language is that of the messages,
    /// Chinese for locales such as `zh_CN.UTF-8`, English otherwise and with ASCII.
    ///
    /// - Parameter variable: Returns the value of an environment variable, nil if it is not set.
    public init(environment variable: (String) -> String?)
}

extension BarStyle {

    /// The style of a bar that fills one row of cells, without a dot.
    public static let cells: HeadwayBar.BarStyle
}

/// Loops with a bar.
extension Sequence {

    /// Shows a bar for a loop over the elements.
    ///
    /// ```swift
    /// for photo in photos.reporting("resize") { resize(photo) }
    /// ```
    ///
    /// The bar is added when the loop begins. An element is done when the next one is requested, that is when the body has
    /// processed it. The bar leaves a line: it is done after the last element, and stopped if the loop is left before.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of elements; nil to take `underestimatedCount`, which is the count of most collections, or an
    ///     unknown total if that is 0. If there are more elements, the total is unknown from then on.
    ///   - bars: The bars; by default those of the whole program.
    /// - Returns: A sequence of the same elements.
    public func reporting(_ label: String, total: Int? = nil, in bars: HeadwayTerminal.LiveBars = .shared) -> some Sequence<Self.Element>


    /// Shows a bar for a loop over the elements, nested in another bar.
    ///
    /// ```swift
    /// let all = LiveBars.shared.add("albums", total: albums.count)
    /// for album in albums.reporting(to: all) {
    ///   for song in album.songs.reporting(album.title, in: all) { convert(song) }
    /// }
    /// all.end()
    /// ```
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of elements; nil to take `underestimatedCount`.
    ///   - bar: The bar around it.
    /// - Returns: A sequence of the same elements.
    public func reporting(_ label: String, total: Int? = nil, in bar: HeadwayTerminal.LiveBars.Bar) -> some Sequence<Self.Element>


    /// Counts the elements of a loop on a bar, which does not end with the loop.
    ///
    /// - Parameter bar: The bar; its total does not change.
    /// - Returns: A sequence of the same elements.
    public func reporting(to bar: HeadwayTerminal.LiveBars.Bar) -> some Sequence<Self.Element>

}

/// Asynchronous loops with a bar.
extension AsyncSequence {

    /// Shows a bar for a loop over the elements.
    ///
    /// ```swift
    /// for try await line in lines.reporting("import") { store(line) }
    /// ```
    ///
    /// The bar is added when the loop begins. An element is done when the next one is requested. The bar leaves a line: it
    /// is done after the last element, failed with the error that the sequence throws, and stopped if the loop is left
    /// before or its task is cancelled.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of elements, nil if unknown.
    ///   - bars: The bars; by default those of the whole program.
    /// - Returns: A sequence of the same elements that throws the same errors.
    public func reporting(_ label: String, total: Int? = nil, in bars: HeadwayTerminal.LiveBars = .shared) -> some AsyncSequence<Self.Element, Self.Failure>


    /// Shows a bar for a loop over the elements, nested in another bar.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of elements, nil if unknown.
    ///   - bar: The bar around it.
    /// - Returns: A sequence of the same elements that throws the same errors.
    public func reporting(_ label: String, total: Int? = nil, in bar: HeadwayTerminal.LiveBars.Bar) -> some AsyncSequence<Self.Element, Self.Failure>


    /// Counts the elements of a loop on a bar, which does not end with the loop.
    ///
    /// - Parameter bar: The bar; its total does not change.
    /// - Returns: A sequence of the same elements that throws the same errors.
    public func reporting(to bar: HeadwayTerminal.LiveBars.Bar) -> some AsyncSequence<Self.Element, Self.Failure>

}

