import HeadwayBar
import HeadwayLaunch
import HeadwayLibc
import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwaySystem
import HeadwayTerminal
import HeadwayText
import HeadwayTime

/// Shows a run in the terminal or log of a program.
///
/// ```swift
/// let console = RunConsole("start", graph)
/// let events = launcher.events()  // before the run begins
/// launcher.start()
/// for await event in events { console.receive(event) }
/// console.finish()
/// ```
///
/// A thread of its own draws at its own pace, so receiving an event never waits for the terminal. `finish()` must be
/// called at the end; it writes what is left. Safe to use from any thread.
final public class RunConsole : Sendable {

    /// The ways to show a run.
    ///
    /// ```swift
    /// let console = RunConsole("start", graph, mode: RunConsole.Mode.quiet)
    /// ```
    public enum Mode : Hashable, Sendable {

        /// A region at the bottom of a terminal that is redrawn, and lines above it that stay.
        case screen

        /// A line when a task starts and when it ends, for logs, pipes and screen readers.
        case lines

        /// Lines of JSON for programs, in the format of `headway run --ui json`.
        case json

        /// Failures only.
        case quiet
    }

    /// Creates the console of a program's own run, which has not begun.
    ///
    /// - Parameters:
    ///   - name: The name of the run.
    ///   - graph: The tasks of the run.
    ///   - forecaster: A forecaster of the run, for one that knows its history; it must not have received events.
    ///   - output: The descriptor to write to; it stays open.
    ///   - mode: The way to show the run, nil for the one that fits the output: a screen in a terminal, lines elsewhere.
    ///   - style: What the terminal can show, nil for what the environment says.
    public convenience init(_ name: String, _ graph: HeadwayLaunch.LaunchGraph, forecaster: HeadwayLaunch.RunForecaster? = nil, output: Int32 = 2, mode: HeadwayConsole.RunConsole.Mode? = nil, style: HeadwayTerminal.TerminalStyle? = nil)

    deinit

    /// Shows the next event of a program's own run.
    ///
    /// - Parameter event: The event.
    /// - Complexity: That of `RunForecaster.receive(_:)`.
    public func receive(_ event: HeadwayRun.RunEvent)

    /// Erases what would be overwritten later and keeps away from the terminal until `resume()`, so that something else can
    /// write to it.
    ///
    /// - Parameter limit: The maximum time to wait for a slow terminal.
    /// - Returns: Whether the terminal is free now.
    @discardableResult
    public func suspend(within limit: Duration = .milliseconds(500)) -> Bool

    /// Draws again after `suspend(within:)`.
    public func resume()

    /// Writes what is left, erases the region and ends the thread; a second call does nothing.
    ///
    /// - Parameter limit: The maximum time to wait for a slow terminal, nil to wait without limit.
    /// - Returns: Whether everything was written, or the reader is gone.
    @discardableResult
    public func finish(within limit: Duration? = nil) -> Bool
}

