import CGTK
import HeadwayBar

/// A bar as a GTK 4 widget, which draws a `ProgressBar` and passes input to it.
///
/// ```
///   frame clock ── time ─▶ ┌── BarWidget ──┐ ◀─ pointer, keys, wheel ── window
///                          │  ProgressBar  │
///   snapshot ◀── shapes ── └───────┬───────┘ ── value, text ──▶ assistive technology
///                                  └─▶ onDrag, onCommit, onTransitionEnd
/// ```
///
/// ```swift
/// let seek = BarWidget(ProgressBar(range: 0...240, unitsPerSecond: 1))
/// unsafe gtk_box_append(box, seek.widget)
/// seek.onCommit = { seconds in player.seek(to: seconds) }
/// seek.report(12)  // four times a second or more rarely
/// ```
///
/// Positions, colors and hit testing come from the model. The widget decides only when to draw: it requests frames only
/// while something moves and the widget is mapped, so a bar that is paused, finished or hidden costs nothing.
///
/// The hit area lies inside the widget: the widget is larger than the drawing by the margins of the bar's layout, and
/// requests at least the minimum size of a target. The direction of the value follows the text direction; set
/// `layout.direction` to `.upwards` for a vertical bar. `gtk_widget_set_sensitive` and the model's `isDisabled` follow
/// each other.
///
/// The widget and this object keep each other alive as long as a window or the program holds one of them.
///
/// Use it on the main thread only, as all of GTK.
@MainActor final public class BarWidget {

    /// The GTK widget, which never changes.
    @MainActor public let widget: UnsafeMutablePointer<GtkWidget>

    /// The bar that is shown; change it with `update(_:)`.
    @MainActor public internal(set) var bar: HeadwayBar.ProgressBar { get }

    /// Called with each value during a drag.
    @MainActor public var onDrag: ((Double) -> Void)?

    /// Called with the value that a person has chosen, by a drag, a key, the wheel or assistive technology.
    @MainActor public var onCommit: ((Double) -> Void)?

    /// Called with true when a drag begins, and with false when it ends or is cancelled.
    @MainActor public var onDragging: ((Bool) -> Void)?

    /// Called when a transition has ended, after its completion.
    @MainActor public var onTransitionEnd: ((HeadwayBar.BarTransitionEnd) -> Void)?

    /// Adds shapes with the part `.custom` to a drawing, at any index, before it is drawn.
    ///
    /// It receives the drawing, the bar and the time. Animation and gestures ignore these shapes.
    @MainActor public var addShapes: ((inout [HeadwayBar.BarShape], HeadwayBar.ProgressBar, Duration) -> Void)?

    /// Draws a custom shape into a `GtkSnapshot`, in the coordinates of the drawing.
    ///
    /// If it is nil, custom shapes are drawn as rectangles with rounded corners.
    @MainActor public var drawShape: ((HeadwayBar.BarShape, OpaquePointer) -> Void)?

    /// The accessible name of the bar, such as "Seek".
    @MainActor public var label: String?

    /// Formats a value for assistive technology; nil leaves the number.
    @MainActor public var describe: ((HeadwayBar.BarAnnouncement) -> String?)?

    /// Whether the colors of track, fill and dot follow the theme.
    @MainActor public var followsTheme: Bool

    /// Creates a widget for a bar; GTK must be initialized.
    ///
    /// Its accessibility role, slider or progress bar, is the one that the bar has when the widget is put into a window.
    ///
    /// - Parameter bar: The bar; the widget sets the size of its layout.
    @MainActor public convenience init(_ bar: HeadwayBar.ProgressBar = ProgressBar())

    isolated deinit

    /// The time of the frame clock, which stops while the machine sleeps.
    @MainActor public var now: Duration { get }

    /// Changes the bar, redraws it and calls the callbacks.
    ///
    /// ```swift
    /// seek.update { bar, now in bar.report(12, at: now) }
    /// ```
    ///
    /// - Parameter change: Changes the bar, and receives the time.
    /// - Returns: The result of `change`.
    @discardableResult
    @MainActor public func update<Result>(_ change: (inout HeadwayBar.ProgressBar, Duration) -> Result) -> Result
}

extension BarWidget {

    /// Formats a value as a percentage of the range: "46 percent".
    ///
    /// - Parameter announcement: The announcement with the value.
    /// - Returns: The text, or nil if the value is unknown.
    nonisolated public static func percent(_ announcement: HeadwayBar.BarAnnouncement) -> String?

    /// Formats a value in seconds as a time: "1 minute 5 seconds of 4 minutes", or "minus 12 seconds" before the end of a live
    /// stream.
    ///
    /// - Parameter announcement: The announcement with the value.
    /// - Returns: The text, or nil if the value is unknown.
    nonisolated public static func time(_ announcement: HeadwayBar.BarAnnouncement) -> String?
}

extension BarWidget {

    /// Sets the icon for a number of the style's `icon`.
    ///
    /// - Parameters:
    ///   - paintable: A `GdkPaintable`, such as a texture or an icon of the theme; nil removes the icon.
    ///   - number: The number, not 0.
    @MainActor public func setIcon(_ paintable: OpaquePointer?, for number: Int)
}

/// Reports of the source, at the time of the frame clock.
extension BarWidget {

    /// Shows a value at once, without animation.
    ///
    /// - Parameter value: The value, clamped to the range; NaN changes nothing.
    @MainActor public func setValue(_ value: Double)

    /// Reports the current value of the source.
    ///
    /// - Parameters:
    ///   - value: The value of the source.
    ///   - rate: For a source of `forecast`, the expected growth in units per second; nil to use the speed of earlier
    ///     reports.
    @MainActor public func report(_ value: Double, rate: Double? = nil)

    /// Reports a value that the source will reach.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - duration: The time until the source reaches it.
    ///   - sourceTime: The source's own time of the report, by which late and repeated reports are recognized.
    @MainActor public func report(_ value: Double, expectedIn duration: Duration, sourceTime: Duration)

    /// Moves to a value at constant speed.
    ///
    /// The end is found in a frame, or when something else changes. While the widget is not mapped, the completion waits.
    ///
    /// - Parameters:
    ///   - value: The target, clamped to the range.
    ///   - duration: How long it takes.
    ///   - completion: Called once at the end, with whether the value reached its target or was interrupted.
    @MainActor public func animate(to value: Double, over duration: Duration, completion: @escaping (_ isFinished: Bool) -> Void)

    /// Stops the value exactly where it was drawn last, even in the middle of a glide.
    @MainActor public func pause()

    /// Continues at the same speed from where `pause()` stopped.
    @MainActor public func resume()

    /// Stops at the shown value and clears the target.
    @MainActor public func removeAnimation()

    /// Goes to the beginning of the range and clears all reports, pauses, drags and pending seeks.
    @MainActor public func reset()
}

