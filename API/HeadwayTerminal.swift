import Glibc
import HeadwayBar
import HeadwayForecast
import HeadwayLaunch
import HeadwayLock
import HeadwayProgress
import HeadwayTime
import Synchronization

/// Several bars, nested or side by side, as they are shown below the output of a program.
///
///     ✓ fetch        1.2s  214 files                 ended: for good, above
///     release     ━━━━━━━━╸──────────   46%  5 of 11   a bar
///     • build     ━━━━━╸─────────────   28%            a bar in it
///     • test      ────━━━────────────        42 s      nobody knows how far
///
/// Nothing is drawn in the first `delay`, at most ten frames a second after it, and a frame in which nothing changed
/// writes nothing. Where no row can be drawn again it prints a rare line instead, see ``BarsInterface``.
///
/// A pure value with the time and the size as arguments; ``LiveBars`` drives it. Not thread safe.
public struct BarBoard : Sendable {

    /// The name of a bar of a board.
    public struct ID : Hashable, Sendable {
    }

    /// How a bar ends.
    public enum Outcome : Hashable, Sendable {

        /// Its work is done: a line stays.
        case succeeded

        /// Its work went wrong: a line stays.
        case failed

        /// It is taken away, and nothing stays.
        case removed
    }

    /// The time before anything is drawn: short work is not worth a flicker.
    public static let delay: Duration

    /// The least time from one frame to the next.
    public static let interval: Duration

    /// Creates a board without bars.
    ///
    /// - Parameters:
    ///   - style: What the terminal can show.
    ///   - interface: The way in which the bars are shown.
    ///   - glyphs: The characters of the bars; ASCII stands in where the terminal has nothing else.
    ///   - usesOwnColours: Whether bars are drawn in the colours of their styles, where the terminal has them.
    public init(style: HeadwayTerminal.TerminalStyle, interface: HeadwayTerminal.BarsInterface = .live, glyphs: HeadwayTerminal.BarGlyphs = .line, usesOwnColours: Bool = false)

    /// Adds a bar below the others, or below those in the same one.
    ///
    /// - Parameters:
    ///   - label: What it is the bar of; nothing in it moves a cursor.
    ///   - bar: The model; its layout is that of the board from now on, and it has no dot unless its style was made for cells.
    ///   - parent: The bar that it belongs to; one that is gone counts as none.
    ///   - now: The time since the board was begun.
    /// - Returns: The name of the bar.
    /// - Complexity: O(bars).
    public mutating func add(_ label: String, _ bar: HeadwayBar.ProgressBar, in parent: HeadwayTerminal.BarBoard.ID? = nil, at now: Duration) -> HeadwayTerminal.BarBoard.ID

    /// Changes the model of a bar; one that is gone is not changed.
    ///
    /// - Parameters:
    ///   - id: The bar.
    ///   - change: What is to be done with the model, such as a report.
    public mutating func update(_ id: HeadwayTerminal.BarBoard.ID, _ change: (inout HeadwayBar.ProgressBar) -> Void)

    /// Changes what a bar is the bar of.
    public mutating func setLabel(_ label: String, of id: HeadwayTerminal.BarBoard.ID)

    /// Changes what is said beside a bar, the most important first: the last ones go where there is no room.
    public mutating func setFacts(_ facts: [String], of id: HeadwayTerminal.BarBoard.ID)

    /// Ends a bar and those in it, and leaves a line unless it is removed.
    ///
    /// - Parameters:
    ///   - id: The bar.
    ///   - outcome: How it ended.
    ///   - note: What is to be said of that; one line.
    ///   - now: The time since the board was begun.
    /// - Complexity: O(bars).
    public mutating func end(_ id: HeadwayTerminal.BarBoard.ID, _ outcome: HeadwayTerminal.BarBoard.Outcome = .succeeded, note: String = "", at now: Duration)

    /// Prints text above the bars, for good.
    ///
    /// - Parameter text: One line or several; what would move the cursor is left out.
    public mutating func print(_ text: String)

    /// Whether there is a bar.
    public var isEmpty: Bool { get }

    /// Draws what is to be seen.
    ///
    /// - Parameters:
    ///   - now: The time since the board was begun.
    ///   - size: The size of the terminal now.
    ///   - output: The bytes to append to; none when nothing changed.
    /// - Complexity: O(bars × columns).
    public mutating func frame(at now: Duration, size: HeadwayTerminal.ScreenSize, into output: inout [UInt8])

    /// Tells when `frame(at:size:into:)` wants to be called next.
    ///
    /// - Parameter now: The time since the board was begun.
    /// - Returns: A time since then; nil when nothing moves by itself and nothing waits to be shown.
    public func nextFrame(after now: Duration) -> Duration?

    /// Takes away what would be overwritten later, and prints what waits; the next frame draws the bars again.
    ///
    /// - Parameter output: The bytes to append to.
    public mutating func withdraw(into output: inout [UInt8])
}

/// The characters that a bar of cells is made of, each one column wide.
public struct BarGlyphs : Hashable, Sendable {

    /// The left parts of a filled cell, from the smallest to the full one; at least the full one.
    public var left: [Unicode.Scalar]

    /// The right parts, as many; where there is none of a size the next smaller one stands twice.
    public var right: [Unicode.Scalar]

    /// A cell of the rest of the way.
    public var track: Unicode.Scalar

    /// A cell of what is buffered.
    public var buffered: Unicode.Scalar

    /// A mark.
    public var mark: Unicode.Scalar

    /// The dot.
    public var dot: Unicode.Scalar

    /// A shape of the program that has no text.
    public var own: Unicode.Scalar

    /// Creates a set of characters.
    ///
    /// - Parameters:
    ///   - left: The left parts of a filled cell, from the smallest to the full one; must not be empty.
    ///   - right: The right parts; must be as many.
    ///   - track: A cell of the rest of the way.
    ///   - buffered: A cell of what is buffered.
    ///   - mark: A mark.
    ///   - dot: The dot.
    ///   - own: A shape of the program that has no text.
    public init(left: [Unicode.Scalar], right: [Unicode.Scalar], track: Unicode.Scalar, buffered: Unicode.Scalar, mark: Unicode.Scalar, dot: Unicode.Scalar, own: Unicode.Scalar)

    /// Cells in eighths.
    public static let eighths: HeadwayTerminal.BarGlyphs

    /// A heavy line on a light one, in halves of a cell: the rest of the way is seen without colour, too.
    public static let line: HeadwayTerminal.BarGlyphs

    /// Plain characters that every terminal has.
    public static let ascii: HeadwayTerminal.BarGlyphs
}

/// The way in which bars are shown.
public enum BarsInterface : UInt8, Hashable, Sendable {

    /// Drawn again and again at the bottom of a terminal.
    case live

    /// In lines: one for each tenth of the way, five seconds apart at least, and one a minute while there is nothing else
    /// to say, so that a service that watches for output does not take long work for dead.
    case lines

    /// In few lines for a screen reader, which reads each: one for each quarter, fifteen seconds apart at least.
    case sparseLines

    /// Finds the way that fits.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether the output is a terminal.
    ///   - variable: Reads a variable of the environment, nil where it is not set.
    /// - Returns: Lines in a pipe, in CI and with `TERM=dumb`, sparse ones with `ACCESSIBLE`, live bars otherwise.
    public static func fitting(isTerminal: Bool, environment variable: (String) -> String?) -> HeadwayTerminal.BarsInterface
}

/// Turns the drawing list of a bar into one row of cells.
///
/// It computes no place of its own: the layout of the bar is in cells, its height is 1, and what is left to do here is
/// to round edges to the parts of a cell that there are characters for, and to choose those.
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
/// A pure value that keeps room for its next drawing. Not thread safe. Bars that grow upwards need more than a row.
public struct CellBar : Sendable {

    /// The characters.
    public let glyphs: HeadwayTerminal.BarGlyphs

    /// The text of shapes that the program has added, by their numbers; it is cut to the width of the shape.
    public var texts: [Int : String]

    /// The pictures in the dot, by the numbers of icons: one character of one column each.
    public var icons: [Int : Unicode.Scalar]

    /// Creates a renderer that sets nothing in colour.
    ///
    /// - Parameter glyphs: The characters.
    public init(_ glyphs: HeadwayTerminal.BarGlyphs)

    /// The bar as text, without colour.
    ///
    /// - Parameters:
    ///   - bar: The bar, with a layout in cells.
    ///   - own: Shapes of the program that stand on top of it, with places from the bar.
    ///   - now: The time in seconds.
    /// - Returns: As many columns as the layout is wide, in whole cells; none for one that is narrower than a cell.
    /// - Complexity: O(columns + shapes).
    public func text(of bar: HeadwayBar.ProgressBar, adding own: [HeadwayBar.BarShape] = [], at now: Double) -> String

    /// A part of a whole as a bar of text, without colour.
    ///
    /// - Parameters:
    ///   - fraction: The filled part; below 0 and what is no number counts as 0, above 1 as 1.
    ///   - columns: The width in columns; 0 or less is nothing.
    /// - Returns: As many columns.
    /// - Complexity: O(columns).
    public func text(fraction: Double, columns: Int) -> String
}

/// Writes durations for people: `0.4s`, `12s`, `1m05s`, `2h03m`, `3d04h`.
public enum DurationText {

    /// A duration that was measured: tenths of a second below a minute.
    public static func measured(_ duration: Duration) -> String

    /// A duration that runs on: whole seconds.
    public static func whole(_ duration: Duration) -> String

    /// A duration that somebody chose: as few digits as it has, and never zero for one that is not.
    public static func chosen(_ duration: Duration) -> String

    /// A duration still to come: rounded up, so that it reaches zero when the time has come.
    public static func coming(_ duration: Duration) -> String
}

/// Shows a run as JSON for programs: one object a line, one line an event.
///
/// The format is stable and described in `docs/events.md`: each line is a `LaunchEvent` as its `Codable` form has it,
/// and a `JSONDecoder` reads it back. Later versions may add events and fields, so readers ignore what they do not know;
/// what is there keeps its name, its type and its meaning.
///
/// The surface adds what events do not know:
///
/// | `event` | further fields |
/// |---|---|
/// | `run_started` | `plan`: the name of the plan |
/// | `task_ended` | `optional`, true where the run may succeed without the task; `usual` where that is known: how long it usually takes; `log` where there is one: its path |
/// | `run_ended` | `succeeded`, `up_to_date`, `failed`, `timed_out`, `cancelled`, `skipped`: numbers of tasks; `predicted` where it was known: how long the run was to take |
public struct JSONSurface : HeadwayTerminal.RunSurface {

    /// Creates the surface of a run that has not begun.
    public init(_ description: HeadwayTerminal.RunDescription)

    /// Prints the event.
    public mutating func receive(_ event: HeadwayLaunch.LaunchEvent, into output: inout [UInt8])

    /// Does nothing: nothing moves.
    public mutating func frame(at now: Duration, size: HeadwayTerminal.ScreenSize, into output: inout [UInt8])

    /// Nothing moves.
    public func nextFrame(after now: Duration) -> Duration?

    /// Does nothing: printed lines stay.
    public mutating func withdraw(into output: inout [UInt8])
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
/// Where there is no terminal, in CI, with `TERM=dumb` and with `ACCESSIBLE` it prints rare lines instead. Whatever else
/// is to be written to the same terminal goes through `print(_:)`, or is written while the bars are suspended. The cursor
/// is never hidden, so a program that is killed leaves the last picture and a prompt below it.
///
/// Nobody waits for the terminal: what is told is noted under a lock and drawn by a thread, which sleeps while nothing
/// moves. `finish()` must be called in the end; it is called when nobody holds the bars any more. Safe from any thread.
final public class LiveBars : Sendable {

    /// Begins to show bars.
    ///
    /// - Parameters:
    ///   - output: The descriptor that is written to, the error output unless another is named; it stays open.
    ///   - style: What the terminal can show, nil for what the environment says.
    ///   - interface: The way in which bars are shown, nil for the one that fits the output.
    ///   - glyphs: The characters of the bars; ASCII stands in where the terminal has nothing else.
    ///   - usesOwnColours: Whether bars are drawn in the colours of their styles, where the terminal has them.
    public init(output: Int32 = 2, style: HeadwayTerminal.TerminalStyle? = nil, interface: HeadwayTerminal.BarsInterface? = nil, glyphs: HeadwayTerminal.BarGlyphs = .line, usesOwnColours: Bool = false)

    deinit

    /// Adds a bar for work whose parts are counted.
    ///
    /// - Parameters:
    ///   - label: What it is the bar of.
    ///   - total: How many parts there are, nil where nobody knows; what is no number or below 0 counts as 0.
    /// - Returns: The bar.
    public func add(_ label: String, total: Double? = 1) -> HeadwayTerminal.LiveBars.Bar

    /// Adds a bar with a model of its own.
    ///
    /// - Parameters:
    ///   - label: What it is the bar of.
    ///   - model: The model; its times are seconds since the bars were begun, as `Bar.update(_:)` gives them.
    /// - Returns: The bar.
    public func add(_ label: String, _ model: HeadwayBar.ProgressBar) -> HeadwayTerminal.LiveBars.Bar

    /// Prints text above the bars, for good.
    ///
    /// - Parameter text: One line or several.
    public func print(_ text: String)

    /// Takes the bars away and keeps away from the terminal until `resume()`, so that something else can write to it.
    ///
    /// - Parameter limit: The most time to wait for a terminal that is slow.
    /// - Returns: Whether the terminal is free now.
    @discardableResult
    public func suspend(within limit: Duration = .milliseconds(500)) -> Bool

    /// Goes on after `suspend(within:)`.
    public func resume()

    /// Runs what writes to the terminal by itself, without the bars.
    ///
    /// - Parameter body: What writes.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    @discardableResult
    public func withoutBars<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result where Failure : Error

    /// Writes what is left, takes the bars away and ends the thread; a second call does nothing.
    ///
    /// - Parameter limit: The most time to wait for a terminal that is slow; nil waits as long as it takes.
    /// - Returns: Whether everything was written, or the reader is gone.
    @discardableResult
    public func finish(within limit: Duration? = nil) -> Bool

    /// A bar that is shown; a value that holds the bars.
    public struct Bar : Sendable {

        /// Tells how far the work is; the bar glides there.
        ///
        /// - Parameters:
        ///   - value: How many parts are done.
        ///   - rate: How many more will be in a second, nil for what earlier reports tell.
        public func report(_ value: Double, rate: Double? = nil)

        /// Changes the model.
        ///
        /// - Parameter change: Changes the model, and receives the time. It runs inside the lock of the bars and must not call
        ///   them.
        public func update(_ change: (inout HeadwayBar.ProgressBar, Duration) -> Void)

        /// Changes what it is the bar of.
        public func setLabel(_ label: String)

        /// Changes what is said beside it, the most important first.
        public func setFacts(_ facts: String...)

        /// Changes what is said beside it, the most important first.
        public func setFacts(_ facts: [String])

        /// Stops it where it is seen.
        public func pause()

        /// Goes on from where it stopped.
        public func resume()

        /// Adds a bar in this one, for work whose parts are counted.
        ///
        /// - Parameters:
        ///   - label: What it is the bar of.
        ///   - total: How many parts there are, nil where nobody knows.
        /// - Returns: The bar, which ends with this one at the latest.
        public func add(_ label: String, total: Double? = 1) -> HeadwayTerminal.LiveBars.Bar

        /// Adds a bar with a model of its own in this one.
        ///
        /// - Parameters:
        ///   - label: What it is the bar of.
        ///   - model: The model.
        /// - Returns: The bar, which ends with this one at the latest.
        public func add(_ label: String, _ model: HeadwayBar.ProgressBar) -> HeadwayTerminal.LiveBars.Bar

        /// Ends it and those in it, and leaves a line unless it is removed; a second call does nothing.
        ///
        /// - Parameters:
        ///   - outcome: How it ended.
        ///   - note: What is to be said of that; one line.
        public func end(_ outcome: HeadwayTerminal.BarBoard.Outcome = .succeeded, note: String = "")
    }
}

/// Bars that follow a progress tree.
extension LiveBars {

    /// Shows a node of a progress tree and those in it until it is finished or the task is cancelled.
    ///
    /// Children that finish go without a line; the node leaves one. Its detail and, where a total is known, its counts
    /// are said beside each bar, and a node that is paused stands.
    ///
    /// - Parameter node: The node, which is not held.
    public func follow(_ node: HeadwayProgress.ProgressNode) async
}

/// Shows a run in a terminal: a few live rows at the bottom, and above them for good what has ended.
///
/// It is never full screen, so everything can be scrolled to and copied. Nothing is drawn in the first
/// `delay`, at most ten frames a second after it, and a frame in which nothing changed writes nothing.
///
///     ✓ fetch        1.2s
///     ✗ lint         2.1s  exit 1
///       │ main.c:3: error: expected ';'
///       log: .headway/lint.log
///     release     ━━━━━━━━╸──────────   46%  5 of 11 · 1 failed · 14s · about 12s left
///     ▸ build     ━━━━━╸─────────────   12s  about 9s left
///     • test      ────━━━────────────  1m05s  limit in 8s
///       │ compiling core.swift
///
/// A pure value; `SurfaceThread` drives it. Not thread safe.
public struct LiveSurface : HeadwayTerminal.RunSurface {

    /// The task whose output a person wants to see, nil to let the surface choose.
    public private(set) var chosen: HeadwayLaunch.TaskID? { get }

    /// The time before anything is drawn: a short run is not worth a flicker.
    public static let delay: Duration

    /// The least time from one frame to the next.
    public static let interval: Duration

    /// The most rows of the region.
    public static let mostRows: Int

    /// The most tasks of a run that all get a line when they succeed.
    public static let mostLines: Int

    /// Creates the surface of a run that has not begun.
    ///
    /// - Parameters:
    ///   - description: The run.
    ///   - style: What the terminal can show.
    public init(_ description: HeadwayTerminal.RunDescription, style: HeadwayTerminal.TerminalStyle)

    /// Takes the event in; what it has to say is printed with the next frame, the result at once.
    public mutating func receive(_ event: HeadwayLaunch.LaunchEvent, into output: inout [UInt8])

    /// Draws the region and prints what waits above it.
    public mutating func frame(at now: Duration, size: HeadwayTerminal.ScreenSize, into output: inout [UInt8])

    /// The time of the next frame: soon while something moves or happened, never otherwise.
    public func nextFrame(after now: Duration) -> Duration?

    /// Takes the region away and prints what waited above it; the next frame draws it again.
    public mutating func withdraw(into output: inout [UInt8])

    /// Which task to go to from the chosen one.
    public enum Direction : Sendable {

        /// The one after it.
        case next

        /// The one before it.
        case previous
    }

    /// Shows the output of a task, or of the one that the surface finds best.
    ///
    /// - Parameter task: The task; nil to let the surface choose.
    public mutating func choose(_ task: HeadwayLaunch.TaskID?)

    /// Shows the output of the task beside the one shown, round and round.
    public mutating func choose(_ direction: HeadwayTerminal.LiveSurface.Direction)

    /// Acts on a key: Tab, `n`, `j` next task; `p`, `k` previous one; a digit the task in that row.
    public mutating func press(_ key: UInt8)
}

/// Shows a run in plain lines, for logs, pipes and screen readers: one when a task starts, one when it ends.
///
/// No line is ever changed. After a silence there is a rare sign of life, at constant intervals, so that a
/// service that watches for output does not take a long task for a dead one.
public struct PlainSurface : HeadwayTerminal.RunSurface {

    /// The silence before the first sign of life.
    public static let firstSilence: Duration

    /// The time from one sign of life to the next while nothing else is said.
    public static let silence: Duration

    /// Creates the surface of a run that has not begun.
    public init(_ description: HeadwayTerminal.RunDescription, style: HeadwayTerminal.TerminalStyle)

    /// Prints the line of the event, if it has one.
    public mutating func receive(_ event: HeadwayLaunch.LaunchEvent, into output: inout [UInt8])

    /// Prints a sign of life when nothing was printed for long.
    public mutating func frame(at now: Duration, size: HeadwayTerminal.ScreenSize, into output: inout [UInt8])

    /// The time of the next sign of life.
    public func nextFrame(after now: Duration) -> Duration?

    /// Does nothing: printed lines stay.
    public mutating func withdraw(into output: inout [UInt8])
}

/// Shows only what went wrong: each failure with the end of its log, and nothing at all of a run that succeeds.
public struct QuietSurface : HeadwayTerminal.RunSurface {

    /// Creates the surface of a run that has not begun.
    public init(_ description: HeadwayTerminal.RunDescription, style: HeadwayTerminal.TerminalStyle)

    /// Prints a failure.
    public mutating func receive(_ event: HeadwayLaunch.LaunchEvent, into output: inout [UInt8])

    /// Does nothing: nothing moves.
    public mutating func frame(at now: Duration, size: HeadwayTerminal.ScreenSize, into output: inout [UInt8])

    /// Nothing moves.
    public func nextFrame(after now: Duration) -> Duration?

    /// Does nothing: printed lines stay.
    public mutating func withdraw(into output: inout [UInt8])
}

/// Says in words how much time is left: `about 2 min left`, `2–5 min left`, `longer than expected`.
///
/// | value | long | short |
/// |---|---|---|
/// | unknown | `first run, no estimate yet` | empty |
/// | about 2 minutes | `about 2 min left` | `2m left` |
/// | between 2 and 5 minutes | `2–5 min left` | `2–5m left` |
/// | between 0 and 5 minutes | `up to 5 min left` | `<5m left` |
/// | between 45 s and 2 minutes | `45 s–2 min left` | `45s–2m left` |
/// | late | `longer than expected` | `late` |
///
/// The long form has at most 33 columns and the short one at most 18, as long as a run lasts less than a hundred days.
public enum RemainingText {

    /// The words for a line with room.
    ///
    /// - Parameters:
    ///   - value: What is to be said.
    ///   - isFirstRun: Whether there is no earlier run; otherwise an unknown time is `no estimate yet`.
    ///   - dash: What stands between two numbers; `-` where only ASCII can be shown.
    /// - Returns: The words, at most 33 columns.
    public static func long(_ value: HeadwayForecast.ShownRemaining.Value, isFirstRun: Bool = true, dash: String = "–") -> String

    /// The words for a line with little room, empty for an unknown time.
    ///
    /// - Parameters:
    ///   - value: What is to be said.
    ///   - dash: What stands between two numbers; `-` where only ASCII can be shown.
    /// - Returns: The words, at most 18 columns.
    public static func short(_ value: HeadwayForecast.ShownRemaining.Value, dash: String = "–") -> String
}

/// What a surface shows of a run besides its events.
public struct RunDescription : Sendable {

    /// The name of the plan.
    public var name: String

    /// The tasks, with their names and settings.
    public var graph: HeadwayLaunch.LaunchGraph

    /// Says how far the run is; each surface goes on from a copy of its own.
    public var forecaster: HeadwayLaunch.RunForecaster

    /// Reads the end of a task's log: at most the given number of bytes, empty when there is none yet.
    public var tail: @Sendable (HeadwayLaunch.TaskID, Int) -> [UInt8]

    /// The path of a task's log, as a person would type it; nil when the task has written nothing.
    public var logPath: @Sendable (HeadwayLaunch.TaskID) -> String?

    /// Creates the description of a run.
    ///
    /// - Parameters:
    ///   - name: The name of the run.
    ///   - graph: The tasks.
    ///   - forecaster: Says how far the run is, and knows its history; nil for one that knows none.
    ///   - tail: Reads the end of a task's log.
    ///   - logPath: The path of a task's log.
    public init(name: String, graph: HeadwayLaunch.LaunchGraph, forecaster: HeadwayLaunch.RunForecaster? = nil, tail: @escaping @Sendable (HeadwayLaunch.TaskID, Int) -> [UInt8] = { _, _ in [] }, logPath: @escaping @Sendable (HeadwayLaunch.TaskID) -> String? = { _ in nil })
}

/// A way to show a run: a pure value that turns events and frames into bytes.
///
/// It owns no clock, no file and no thread; `SurfaceThread` drives it.
public protocol RunSurface : Sendable {

    /// Takes the next event of the run in.
    ///
    /// - Parameters:
    ///   - event: What happened.
    ///   - output: The bytes to write; a surface appends to it.
    mutating func receive(_ event: HeadwayLaunch.LaunchEvent, into output: inout [UInt8])

    /// Draws what moves by itself.
    ///
    /// - Parameters:
    ///   - now: The time since the run began.
    ///   - size: The size of the terminal now.
    ///   - output: The bytes to write; a surface appends to it, and nothing when nothing changed.
    mutating func frame(at now: Duration, size: HeadwayTerminal.ScreenSize, into output: inout [UInt8])

    /// Tells when `frame(at:size:into:)` wants to be called next.
    ///
    /// - Parameter now: The time since the run began.
    /// - Returns: A time since the run began, nil when nothing moves by itself.
    func nextFrame(after now: Duration) -> Duration?

    /// Takes away what would be overwritten later, before the program stops or something else draws.
    ///
    /// - Parameter output: The bytes to write.
    mutating func withdraw(into output: inout [UInt8])

    /// Takes a key press in.
    ///
    /// - Parameter key: The byte that the keyboard sent.
    mutating func press(_ key: UInt8)
}

extension RunSurface {

    /// Ignores the key: most surfaces have nothing to choose from.
    public mutating func press(_ key: UInt8)
}

/// The size of a terminal in cells.
public struct ScreenSize : Hashable, Sendable {

    /// The number of columns.
    public var columns: Int

    /// The number of rows.
    public var rows: Int

    /// Creates a size.
    public init(columns: Int, rows: Int)
}

/// Drives a surface on a thread of its own, so that no terminal, however slow, holds up the run.
///
/// Events are posted into a queue: O(1), never blocking. The thread takes them, asks the surface for bytes and writes
/// them; a reader that is gone ends the reporting in silence and nothing else. All signals are blocked in the thread.
/// `finish(within:)` must be called in the end; it is what ends the thread.
///
/// Safe from any thread. Posting allocates only when the queue grows.
final public class SurfaceThread : Sendable {

    /// The time for which the thread lets events gather after it has shown some.
    public static let gathering: Duration

    /// Starts to drive a surface.
    ///
    /// - Parameters:
    ///   - surface: The surface.
    ///   - output: The descriptor that is written to; it stays open and its mode is not changed.
    ///   - keyboard: The descriptor that keys are read from, nil for none; see `TerminalMode`.
    ///   - takesKey: Takes each key before the surface does, on the thread, and returns whether it has used it.
    ///   - now: The clock of the run: the time since it began.
    public init(_ surface: any HeadwayTerminal.RunSurface, output: Int32, keyboard: Int32? = nil, takesKey: @escaping @Sendable (UInt8) -> Bool = { _ in false }, now: @escaping @Sendable () -> Duration)

    /// Shows an event; never blocks.
    public func post(_ event: HeadwayLaunch.LaunchEvent)

    /// Takes away what would be overwritten later, and keeps away from the terminal until `resume()`.
    ///
    /// - Parameter limit: The most time to wait for a terminal that is slow.
    /// - Returns: Whether the terminal is free now.
    @discardableResult
    public func suspend(within limit: Duration = .milliseconds(500)) -> Bool

    /// Goes on after `suspend(within:)`.
    public func resume()

    /// Writes what is left, takes away what is live and ends the thread; a second call does nothing.
    ///
    /// - Parameter limit: The most time to wait for a terminal that is slow; nil waits as long as it takes.
    /// - Returns: Whether everything was written, or the reader is gone.
    @discardableResult
    public func finish(within limit: Duration? = nil) -> Bool
}

/// Turns what a task wrote into lines that are safe to show.
///
/// Nothing in the result can move a cursor, change a colour or reorder other text: escape sequences are dropped,
/// control characters and invalid UTF-8 replaced, tabs expanded. A carriage return starts the line over, so a
/// child's own progress bar is one line with its latest state.
public enum TaskOutputText {

    /// Reads the last lines of a task's output.
    ///
    /// - Parameters:
    ///   - bytes: The end of the output.
    ///   - count: The most lines to return.
    ///   - isCut: Whether the bytes begin in the middle of the output, so that the first line may be half a line.
    /// - Returns: The last lines that are not blank.
    /// - Complexity: O(bytes).
    public static func lines(_ bytes: [UInt8], last count: Int, isCut: Bool = false) -> [String]

    /// Makes a name or a message safe to show inside a line.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text without anything that a terminal would act on; line ends become spaces.
    public static func line(_ text: String) -> String
}

/// How many colours a terminal can show.
public enum TerminalColours : UInt8, Hashable, Sendable {

    /// The eight that have names.
    case few

    /// A palette of 256.
    case palette

    /// All of them, by red, green and blue.
    case all
}

/// The mode of the keyboard: keys at once and without echo while a run is shown, as it was before afterwards.
///
/// Ctrl-C and Ctrl-Z keep their meaning. Nothing is changed while the program is in the background. Whoever
/// calls `enter()` must call `restore()`, before the program stops and before it ends. Safe from any thread.
final public class TerminalMode : Sendable {

    /// Creates a mode that is not entered.
    ///
    /// - Parameter descriptor: The descriptor of the keyboard.
    public init(_ descriptor: Int32)

    /// Lets keys come at once and without echo.
    ///
    /// - Returns: Whether they do: false where there is no terminal, or the program is in the background.
    @discardableResult
    public func enter() -> Bool

    /// Gives the terminal the mode back that it had; does nothing where it was not changed.
    public func restore()
}

/// A terminal in memory: what a person would see after some bytes were written.
///
/// It knows the sequences that the surfaces use and keeps what scrolls away. Like nearly all terminals it wraps
/// old lines again when its width changes. For tests of anything that draws: screens are asserted as text.
///
/// ```swift
/// var screen = TerminalScreen(size: ScreenSize(columns: 20, rows: 3))
/// screen.write("fetch\r\nunpack")
/// screen.text   // "fetch\nunpack"
/// ```
public struct TerminalScreen : Sendable {

    /// A place on the screen, from 0.
    public struct Place : Hashable, Sendable {

        /// The row, from the top.
        public var row: Int

        /// The column, from the left.
        public var column: Int

        /// Creates a place.
        public init(row: Int, column: Int)
    }

    /// The size in cells.
    public private(set) var size: HeadwayTerminal.ScreenSize { get }

    /// The place of the cursor; the column is one past the last when the next character wraps.
    public internal(set) var cursor: HeadwayTerminal.TerminalScreen.Place { get }

    /// Whether the cursor is shown.
    public internal(set) var isCursorVisible: Bool { get }

    /// Whether the screen waits for the end of an update.
    public internal(set) var isUpdating: Bool { get }

    /// Creates an empty screen.
    ///
    /// - Parameter size: The size in cells, each at least 1.
    public init(size: HeadwayTerminal.ScreenSize)

    /// What is on the screen: rows without blanks at their ends, without empty rows at the end.
    public var text: String { get }

    /// What scrolled away and what is on the screen.
    public var allText: String { get }

    /// The rows that scrolled away, the oldest first.
    public var scrollback: [String] { get }

    /// Writes bytes, as a program writes to a terminal.
    ///
    /// - Parameter bytes: UTF-8 text and escape sequences, cut anywhere.
    public mutating func write(_ bytes: [UInt8])

    /// Writes text.
    public mutating func write(_ text: String)

    /// Changes the size and wraps all lines again, as terminals do.
    ///
    /// - Parameter size: The new size, each at least 1.
    public mutating func resize(to size: HeadwayTerminal.ScreenSize)
}

/// What a terminal can show, and what a person wants to see.
public struct TerminalStyle : Hashable, Sendable {

    /// Whether colour, bold and dim are used; without them everything is still said in words and marks.
    public var colour: Bool

    /// Whether characters beyond ASCII are used for marks and bars.
    public var unicode: Bool

    /// Whether the terminal wraps old lines again when it becomes narrower, as nearly all do.
    public var reflows: Bool

    /// How many colours there are for bars that have colours of their own.
    public var colours: HeadwayTerminal.TerminalColours

    /// Whether the task bar of the desktop shows the progress too: the sequence OSC 9;4.
    public var showsTaskbar: Bool

    /// Creates a style.
    ///
    /// - Parameters:
    ///   - colour: Whether colour, bold and dim are used.
    ///   - unicode: Whether characters beyond ASCII are used.
    ///   - reflows: Whether the terminal wraps old lines again when it becomes narrower.
    public init(colour: Bool, unicode: Bool, reflows: Bool = true)

    /// Creates the style that an environment asks for.
    ///
    /// `NO_COLOR` that is not empty means no colour; `TERM=dumb` and no `TERM` too. ASCII stands in where the locale is not
    /// UTF-8 and on the text console, whose font lacks most marks. `COLORTERM` and `TERM` tell how many colours there
    /// are. `HEADWAY_TASKBAR=on` and `off` decide about the task bar; without it only terminals that are known to show
    /// it are told, as others take the sequence for a message to the desktop.
    ///
    /// - Parameter variable: Reads a variable of the environment, nil where it is not set.
    public init(environment variable: (String) -> String?)
}

/// Measures and cuts text in the columns of a terminal.
///
/// What counts is the character as a person sees it: a letter with its accents is one column, an ideograph or
/// an emoji two, however many code points it is made of. Pure functions, no locale, no allocation to measure.
public enum TextWidth {

    /// The number of columns that a text takes.
    ///
    /// - Complexity: O(length).
    public static func columns(of text: some StringProtocol) -> Int

    /// The number of columns that a character takes: 0, 1 or 2.
    public static func columns(of character: Character) -> Int

    /// The number of columns that a code point takes by itself: 0, 1 or 2.
    public static func columns(of scalar: Unicode.Scalar) -> Int

    /// Shortens a text to a number of columns.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - columns: The most columns it may take; 0 or less leaves nothing.
    ///   - ellipsis: What stands for the missing end, when there is room for it.
    /// - Returns: The text itself if it fits, otherwise its whole characters that fit, and the ellipsis.
    public static func cut(_ text: String, to columns: Int, ellipsis: String = "…") -> String
}

extension BarStyle {

    /// The style of a bar that fills one row of cells, without a dot.
    public static let cells: HeadwayBar.BarStyle
}

