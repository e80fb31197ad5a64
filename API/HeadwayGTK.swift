import CGTK
import HeadwayBar

/// A bar in a window of GTK 4: a widget that draws what a `ProgressBar` says, and tells it what a person does.
///
/// ```
///   frame clock ── time ─▶ ┌── BarWidget ──┐ ◀─ pointer, keys, wheel ── window
///                          │  ProgressBar  │
///   snapshot ◀── shapes ── └───────┬───────┘ ── value, words ──▶ assistive technology
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
/// It computes no place, colour or hit of its own: all of that is the model's. What is its own is when to draw: it asks
/// the frame clock for frames only while something moves and it is mapped, so that a bar that is paused, finished or
/// hidden costs nothing. No timer moves anything.
///
/// The hit area lies inside of the widget: the widget is larger than the drawing by the margins of the bar's layout, and
/// asks for at least the least size of a target. The direction of the value follows the direction of text; set
/// `layout.direction` to `.upwards` for a vertical bar. `gtk_widget_set_sensitive` and the model's `isDisabled` follow each
/// other.
///
/// The widget and this object keep each other alive as long as a window or you hold one of them.
///
/// All of it belongs to the main thread, on which GTK runs.
@MainActor final public class BarWidget {

    /// The widget, for GTK's own functions; it stays the same.
    @MainActor public let widget: UnsafeMutablePointer<GtkWidget>

    /// What is shown; `update(_:)` changes it.
    @MainActor public internal(set) var bar: HeadwayBar.ProgressBar { get }

    /// Called with each value that a drag passes.
    @MainActor public var onDrag: ((Double) -> Void)?

    /// Called with the value that a person has chosen, once for each drag, key or turn of the wheel.
    @MainActor public var onCommit: ((Double) -> Void)?

    /// Called when a drag begins, with true, and when it is over, with false, whether it was called off or not.
    @MainActor public var onDragging: ((Bool) -> Void)?

    /// Called when a change that was to take a time has ended; also told to the completion of that change.
    @MainActor public var onTransitionEnd: ((HeadwayBar.BarTransitionEnd) -> Void)?

    /// Adds parts of your own to a drawing before it is drawn: shapes with the part `.own`, anywhere in the list.
    ///
    /// It gets the drawing, the bar and the time in seconds, and neither animation nor gestures know of it.
    @MainActor public var addShapes: ((inout [HeadwayBar.BarShape], HeadwayBar.ProgressBar, Double) -> Void)?

    /// Draws an own part: it gets the shape and a snapshot in the coordinates of the drawing.
    ///
    /// Nil draws own parts as what they are, rectangles with round corners.
    @MainActor public var drawShape: ((HeadwayBar.BarShape, OpaquePointer) -> Void)?

    /// What assistive technology calls the bar, such as "Seek"; nil for nothing.
    @MainActor public var label: String?

    /// Puts a value in words for assistive technology; nil leaves the number.
    @MainActor public var describe: ((HeadwayBar.BarAnnouncement) -> String?)?

    /// Whether track, fill and dot take their colours from the theme, and follow it.
    @MainActor public var followsTheme: Bool

    /// Creates a widget for a bar; GTK must have been initialized.
    ///
    /// For assistive technology it is a slider or a progress bar, as the model announces it when it is put into a window.
    ///
    /// - Parameter bar: What is shown at first; the widget sets the size in its layout.
    @MainActor public convenience init(_ bar: HeadwayBar.ProgressBar = ProgressBar())

    isolated deinit

    /// The time in seconds, as `update(_:)` hands it on: that of the frame clock, which stands still while the machine
    /// sleeps.
    @MainActor public var now: Double { get }

    /// Changes the bar, and shows and tells what follows from that.
    ///
    /// ```swift
    /// seek.update { bar, now in bar.report(12, at: now) }
    /// ```
    ///
    /// - Parameter change: Changes the bar, and gets the time in seconds.
    /// - Returns: What the change returns.
    @discardableResult
    @MainActor public func update<Result>(_ change: (inout HeadwayBar.ProgressBar, Double) -> Result) -> Result
}

extension BarWidget {

    /// Puts a value in words as a part of the whole: "46 percent".
    ///
    /// - Parameter announcement: What is told.
    /// - Returns: The words, nil where nobody knows the value.
    nonisolated public static func percent(_ announcement: HeadwayBar.BarAnnouncement) -> String?

    /// Puts a value in words as a time in seconds: "1 minute 5 seconds of 4 minutes".
    ///
    /// - Parameter announcement: What is told.
    /// - Returns: The words, nil where nobody knows the value.
    nonisolated public static func time(_ announcement: HeadwayBar.BarAnnouncement) -> String?
}

extension BarWidget {

    /// Gives a number of the style's `icon` a picture.
    ///
    /// - Parameters:
    ///   - paintable: A `GdkPaintable`, such as a texture or an icon of the theme; nil takes the picture away.
    ///   - number: The number, not 0.
    @MainActor public func setIcon(_ paintable: OpaquePointer?, for number: Int)
}

extension BarWidget {

    /// Whether the frame clock is asked for frames: only while something moves and the widget is mapped.
    @MainActor public var isAskingForFrames: Bool { get }
}

/// What the source says, with the time of the frame clock.
extension BarWidget {

    /// Shows a value at once, without animation.
    ///
    /// - Parameter value: The value; outside of the range it counts as the nearer end, no number changes nothing.
    @MainActor public func setValue(_ value: Double)

    /// Takes a report that tells where the source will be.
    ///
    /// - Parameters:
    ///   - value: Where the source will be.
    ///   - duration: In how many seconds.
    ///   - sourceTime: The source's own time of the report, in its seconds, by which late and repeated ones are told.
    @MainActor public func setValue(_ value: Double, duration: Double, time sourceTime: Double)

    /// Moves evenly to a value in a given time.
    ///
    /// The end is found in a frame, or when something else changes: while the widget is not mapped it is not told.
    ///
    /// - Parameters:
    ///   - value: The value; outside of the range it counts as the nearer end.
    ///   - duration: For how many seconds.
    ///   - completion: Called once when the change has ended, with whether it came to its end or was interrupted.
    @MainActor public func setValue(_ value: Double, duration: Double, completion: @escaping (_ isFinished: Bool) -> Void)

    /// Takes a report of the source.
    ///
    /// - Parameters:
    ///   - value: Where the source is.
    ///   - rate: For a source of `forecast`, by how much the value will grow in a second; nil for what earlier reports
    ///     tell.
    @MainActor public func report(_ value: Double, rate: Double? = nil)

    /// Stops the value exactly where it was drawn last, in the middle of a glide too.
    @MainActor public func pause()

    /// Goes on from where `pause()` stopped, at the same speed.
    @MainActor public func resume()

    /// Stays at the value that is shown and forgets where it was going.
    @MainActor public func removeAnimation()

    /// Goes to the beginning of the range and forgets everything that was reported, paused, dragged or held.
    @MainActor public func reset()
}

