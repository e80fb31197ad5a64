import HeadwayBar
import HeadwayLaunch
import HeadwayLibc
import HeadwayLock
import HeadwayProgress
import HeadwayRelay
import HeadwayRun
import HeadwaySystem
import HeadwayTerminal
import HeadwayText
import HeadwayTime

/// Shows a run in the terminal or log of a program.
///
/// ```swift
/// let launcher = try Launcher(graph)
/// let result = await RunConsole("start", graph).run(launcher)
/// ```
///
/// Running tasks are shown with what they report to `LaunchContext.progress`: `312 / 1,000, 40/s`, a bar, and a remaining time
/// that follows from it.
///
/// A thread of its own draws at its own pace, so the run never waits for the terminal. Safe to use from any thread.
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
    public convenience init(_ name: String, _ graph: HeadwayLaunch.LaunchGraph, forecaster: HeadwayLaunch.RunForecaster? = nil, output: Int32 = 2, mode: HeadwayView.RunConsole.Mode? = nil, style: HeadwayTerminal.TerminalStyle? = nil)

    deinit

    /// Runs a launcher and shows its run, to the end.
    ///
    /// Call it instead of `Launcher.run()`. Cancelling the calling task cancels the run, as there.
    ///
    /// - Parameter launcher: A launcher of the graph that the console was created with, which has not begun.
    /// - Returns: The outcomes of all tasks, when everything was written.
    /// - Complexity: That of `RunForecaster.receive(_:)` for each event.
    public func run(_ launcher: HeadwayLaunch.Launcher) async -> HeadwayLaunch.LaunchResult

    /// Runs a launcher and shows its run, and blocks the calling thread until its end, for programs without an asynchronous `main`.
    ///
    /// The restrictions of `Launcher.runBlocking()` apply.
    ///
    /// - Parameter launcher: A launcher of the graph that the console was created with, which has not begun.
    /// - Returns: The outcomes of all tasks, when everything was written.
    @available(*, noasync, message: "use run(_:)")
    public func runBlocking(_ launcher: HeadwayLaunch.Launcher) -> HeadwayLaunch.LaunchResult

    /// Shows what the running tasks of a launcher report to `LaunchContext.progress`.
    ///
    /// ``run(_:)`` does so by itself. Call it if you pass the events to ``receive(_:)`` yourself.
    ///
    /// - Parameter launcher: The launcher of the run that is shown.
    public func showReports(of launcher: HeadwayLaunch.Launcher)

    /// Shows the next event of a program's own run, for programs that look at the events themselves.
    ///
    /// ``finish(within:)`` must be called at the end; it writes what is left. The article "Showing a run" has an example.
    ///
    /// - Parameter event: The event.
    /// - Complexity: That of `RunForecaster.receive(_:)`.
    public func receive(_ event: HeadwayRun.RunEvent)

    /// Prints values above the run, as `Swift.print` does; tasks may do so, too.
    ///
    /// - Parameters:
    ///   - items: The values; their texts may have several lines. Control characters are removed.
    ///   - separator: The text between two values.
    public func print(_ items: Any..., separator: String = " ")

    /// Erases what would be overwritten later and keeps away from the terminal until `resume()`, so that something else can
    /// write to it; calls are counted.
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

