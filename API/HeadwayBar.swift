/// The accessibility properties of a bar.
///
/// ```swift
/// if let announcement: BarAnnouncement = bar.announcement(at: now) {
///   let role = announcement.role == .slider ? "slider" : "progressbar"
///   show("\(role) \(announcement.value ?? 0) of \(announcement.maximum)")  // slider 50.0 of 100.0
/// }
/// ```
public struct BarAnnouncement : Hashable, Sendable {

    /// The accessibility role of a bar.
    public enum Role : UInt8, Sendable {

        /// It shows progress.
        case progressBar

        /// A person can change its value.
        case slider
    }

    /// The accessibility role.
    public var role: HeadwayBar.BarAnnouncement.Role

    /// The beginning of the range.
    public var minimum: Double

    /// The end of the range.
    public var maximum: Double

    /// The shown value, or nil if it is unknown.
    public var value: Double?

    /// Whether the bar is disabled.
    public var isDisabled: Bool

    /// Whether the value grows from the bottom to the top.
    public var isVertical: Bool
}

/// A color in sRGB with opacity, eight bits per component.
public struct BarColor : Hashable, Sendable {

    /// Creates a color from its components.
    ///
    /// - Parameters:
    ///   - red: Red.
    ///   - green: Green.
    ///   - blue: Blue.
    ///   - opacity: The opacity, from 0 for transparent to 255.
    public init(red: UInt8, green: UInt8, blue: UInt8, opacity: UInt8 = 255)

    /// Creates a color from a hexadecimal RGB number.
    ///
    /// - Parameters:
    ///   - rgb: Red, green and blue with eight bits each, such as `0x0B57D0`; higher bits are ignored.
    ///   - opacity: The opacity, from 0 for transparent to 255.
    public init(_ rgb: UInt32, opacity: UInt8 = 255)

    /// A transparent color.
    public static let clear: HeadwayBar.BarColor

    /// Red, from 0 to 255.
    public var red: UInt8

    /// Green, from 0 to 255.
    public var green: UInt8

    /// Blue, from 0 to 255.
    public var blue: UInt8

    /// The opacity, from 0 for transparent to 255.
    public var opacity: UInt8
}

/// A change that a program may react to.
public enum BarEvent : Hashable, Sendable {

    /// A person has begun to drag.
    case dragBegan

    /// A drag has moved the value.
    case dragged(Double)

    /// A person has chosen another value, by a press, at the end of a drag, or with a key. Send the source there.
    case committed(Double)

    /// A drag was cancelled or has changed nothing, and the value is what it was.
    case dragCancelled

    /// An animated change of the value has ended.
    case transitionEnded(HeadwayBar.BarTransitionEnd)
}

/// A key that a bar handles.
///
/// ```swift
/// let key: BarKey = .pageUp
/// let isUsed = bar.press(key, at: now)  // true; other keys are left to the surface
/// ```
public enum BarKey : Hashable, Sendable {

    /// The left arrow.
    case left

    /// The right arrow.
    case right

    /// The up arrow.
    case up

    /// The down arrow.
    case down

    /// Page Up: ten steps forward.
    case pageUp

    /// Page Down: ten steps back.
    case pageDown

    /// Home: the beginning of the range.
    case home

    /// End: the end of the range.
    case end

    /// A digit from 0 to 9: that many tenths of the range.
    case digit(Int)

    /// Escape: cancels a drag.
    case escape
}

/// The size and direction of a bar, and how far around it a press counts.
///
/// Lengths are in the unit of the surface: points of a page or a window, cells of a terminal. A length that is negative or
/// NaN counts as 0. A pure value.
public struct BarLayout : Hashable, Sendable {

    /// The direction in which the value grows.
    ///
    /// ```swift
    /// var layout = BarLayout(width: 24, height: 100)
    /// layout.direction = .upwards  // a bar for the loudness
    /// ```
    public enum Direction : UInt8, Sendable {

        /// From left to right.
        case leftToRight

        /// From right to left.
        case rightToLeft

        /// From the bottom to the top.
        case upwards
    }

    /// The precision of the available pointers.
    public enum Precision : UInt8, Sendable {

        /// A mouse or a pen.
        case fine

        /// A finger.
        case coarse
    }

    /// The distances beyond the bar within which a press still counts.
    public struct Margins : Hashable, Sendable {

        /// Above the bar.
        public var top: Double

        /// To the right of it.
        public var right: Double

        /// Below it.
        public var bottom: Double

        /// To the left of it.
        public var left: Double

        /// Creates margins with a length for each side.
        public init(top: Double, right: Double, bottom: Double, left: Double)

        /// Creates margins that enlarge the width and the height by one length.
        ///
        /// - Parameter extent: The length, half of which is added on each side.
        public init(extent: Double)
    }

    /// The width.
    public var width: Double

    /// The height; the track is centered in it.
    public var height: Double

    /// The direction in which the value grows.
    public var direction: HeadwayBar.BarLayout.Direction

    /// The distances beyond the bar within which a press still counts.
    public var margins: HeadwayBar.BarLayout.Margins

    /// The precision of the available pointers, which sets the minimum size of the hit area.
    public var precision: HeadwayBar.BarLayout.Precision

    /// Creates a layout from left to right.
    ///
    /// - Parameters:
    ///   - width: The width.
    ///   - height: The height.
    public init(width: Double, height: Double)

    /// The area in which a press counts, besides the dot.
    public var hitArea: HeadwayBar.BarRect { get }
}

/// A period in which the shown value moves at constant speed or decelerates uniformly.
///
/// ```swift
/// func timingFunction(of phase: BarPhase) -> String { phase.isBraking ? "ease-out" : "linear" }
/// ```
public struct BarPhase : Hashable, Sendable {

    /// Whether the value decelerates to a stop; its speed is constant otherwise.
    public let isBraking: Bool
}

extension BarPhase {

    /// The time at which it begins.
    public var start: Duration { get }

    /// The time at which it ends.
    public var end: Duration { get }
}

/// The kind of a pointer.
///
/// ```swift
/// let pointer: BarPointer = .touch
/// let isOnBar = bar.pointerDown(x: 40, y: 12, pointer: pointer, at: now)  // true
/// ```
public enum BarPointer : UInt8, Sendable {

    /// A mouse or a touch pad.
    case mouse

    /// A finger. It may scroll, so the value follows only once it moves along the bar, or when it is lifted.
    case touch

    /// A pen.
    case pen
}

/// A rectangle, given by its upper left corner and its size.
public struct BarRect : Hashable, Sendable {

    /// The left edge.
    public var x: Double

    /// The upper edge.
    public var y: Double

    /// The width.
    public var width: Double

    /// The height.
    public var height: Double

    /// Creates a rectangle.
    public init(x: Double, y: Double, width: Double, height: Double)
}

/// A rectangle to draw, with rounded corners, a color and an optional clip.
///
/// A drawing is a list of shapes in back-to-front order. A surface draws them as they are and computes no positions. A
/// program can add its own shapes to the list, see <doc:DrawingYourOwnSurface>.
public struct BarShape : Hashable, Sendable {

    /// The kinds of shapes.
    public enum Part : UInt8, Sendable {

        /// The track, or the part of it after the value if there is a gap.
        case track

        /// A buffered range.
        case buffered

        /// The filled part.
        case fill

        /// A marked value.
        case mark

        /// The dot at the shown value.
        case dot

        /// The icon in the dot.
        case icon

        /// A shape that the program has added.
        case custom
    }

    /// A rectangle with rounded corners outside of which a shape is not drawn.
    ///
    /// ```swift
    /// for shape in shapes {
    ///   if let clip: BarShape.Clip = shape.clip { surface.clip(clip.rect, clip.radius) }
    ///   surface.fill(shape.rect)
    /// }
    /// ```
    public struct Clip : Hashable, Sendable {

        /// The rectangle.
        public var rect: HeadwayBar.BarRect

        /// The corner radius.
        public var radius: Double

        /// Creates a clip.
        public init(rect: HeadwayBar.BarRect, radius: Double)
    }

    /// The kind of the shape.
    public var part: HeadwayBar.BarShape.Part

    /// The index of the range or mark, the number of the icon, or a number of the program's own.
    public var number: Int

    /// The rectangle to draw.
    public var rect: HeadwayBar.BarRect

    /// The corner radius.
    public var radius: Double

    /// The fill color.
    public var color: HeadwayBar.BarColor

    /// The clip, or nil for none.
    public var clip: HeadwayBar.BarShape.Clip?

    /// Whether the shape moves with the value and keeps its size, so that a surface may move it as a whole.
    public var followsValue: Bool

    /// Creates a shape.
    ///
    /// - Parameters:
    ///   - part: The kind of the shape.
    ///   - number: Which one of its kind.
    ///   - rect: The rectangle to draw.
    ///   - radius: The corner radius.
    ///   - color: The fill color.
    ///   - clip: The clip.
    ///   - followsValue: Whether the shape moves with the value and keeps its size.
    public init(_ part: HeadwayBar.BarShape.Part, number: Int = 0, rect: HeadwayBar.BarRect, radius: Double = 0, color: HeadwayBar.BarColor, clip: HeadwayBar.BarShape.Clip? = nil, followsValue: Bool = false)
}

/// The appearance of a bar, which never moves the position of a value.
///
/// ```
///                     dotSize           markWidth
///   barHeight  ┌────────────(  )───░░░░░░┃─────┐ ┐ fillHeight
///              └────────────(  )───░░░░░░┃─────┘ ┘
///                fill     gap│ │gap buffered  track
/// ```
///
/// Each property can be set alone, and a change can be animated, see ``ProgressBar/setStyle(_:over:at:)``. The buffered
/// ranges and the marks are data that is drawn in the style: a bar with only these has the default style.
/// Lengths are in the unit of the layout: points of a page or a window, cells of a terminal. A length that is negative or
/// NaN is drawn as 0. A pure value.
///
/// ```swift
/// var style = BarStyle()
/// style.barHeight = 8
/// style.defaultColor = BarColor(0x3366CC)
/// bar.setStyle(style, over: .milliseconds(200), at: now)
/// ```
public struct BarStyle : Hashable, Sendable {

    /// The thickness of the track.
    public var barHeight: Double

    /// The thickness of the filled part.
    public var fillHeight: Double

    /// The corner radius, at most half of the thickness.
    public var cornerRadius: Double

    /// The size of the dot at rest; 0 draws none.
    public var dotSize: Double

    /// The size of the dot while a pointer is over the bar or the bar has the keyboard focus.
    public var hoverDotSize: Double

    /// The size of the dot while it is dragged.
    public var dragDotSize: Double

    /// The space on both sides of the value, between the filled part and the rest of the track.
    public var gap: Double

    /// The width of a mark.
    public var markWidth: Double

    /// The color of the track.
    public var defaultColor: HeadwayBar.BarColor

    /// The color of the filled part.
    public var inProgressColor: HeadwayBar.BarColor

    /// The color of the filled part and the dot while it is dragged.
    public var dragColor: HeadwayBar.BarColor

    /// The color of the dot.
    public var dotColor: HeadwayBar.BarColor

    /// The color of the buffered ranges.
    public var bufferedColor: HeadwayBar.BarColor

    /// The color of the marks.
    public var markColor: HeadwayBar.BarColor

    /// The buffered ranges, in units of the value.
    public var bufferedRanges: [ClosedRange<Double>]

    /// The marked values, such as chapters.
    public var marks: [Double]

    /// The icon in the dot, by a number that the surface defines; 0 for none.
    public var icon: Int

    /// The size of the icon as a fraction of the size of the dot.
    public var iconScale: Double

    /// Whether the value can be dragged.
    public var isDraggable: Bool

    /// Creates the default style.
    public init()
}

extension BarStyle {

    /// How long the dot and the colors take from one state to another.
    public var emphasisDuration: Duration
}

/// Identifies an animated change of the value, so that its end can be recognized.
///
/// ```swift
/// let transition: BarTransition = bar.animate(to: 80, over: .milliseconds(400), at: now)
/// bar.advance(to: now + .milliseconds(400))
/// for case .transitionEnded(let end) in bar.takeEvents() where end.transition == transition {
///   show(end.isFinished ? "arrived" : "interrupted")
/// }
/// ```
public struct BarTransition : Hashable, Sendable {
}

/// How an animated change of the value has ended.
///
/// ```swift
/// let ends = bar.takeEvents().compactMap { event -> BarTransitionEnd? in
///   if case .transitionEnded(let end) = event { end } else { nil }
/// }
/// ```
public struct BarTransitionEnd : Hashable, Sendable {

    /// The transition that ended.
    public let transition: HeadwayBar.BarTransition

    /// Whether the transition reached its target; it was interrupted otherwise.
    public let isFinished: Bool
}

/// A progress bar without a toolkit: the value it shows at any time, its gestures, and the shapes to draw.
///
/// It has two values. The *reported* value is the latest one from the source, which may report four times a second or
/// more rarely. The *shown* value glides from report to report: `shown(t) = v + rate · (t − t0)`. The rate is corrected by
/// at most a tenth, so the shown value neither steps back nor stutters, and a pause stops it at once and exactly where it
/// is.
///
/// ```
///   source ── reports ──▶ ┌──────────── ProgressBar ────────────┐
///   person ── pointer, ──▶│ glide · gestures · style · layout    │──▶ [BarShape] ──▶ terminal │ page │ window
///             keys        └──────────────────┬───────────────────┘
///                                            └──▶ events: dragged, committed, transition ended
/// ```
///
/// ```swift
/// var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)  // a video of four minutes
/// bar.report(12, at: clock)  // the player's position
/// bar.pause(at: clock + .milliseconds(10))  // stops where it is shown
/// let position = bar.shown(at: clock + .seconds(5))
/// ```
///
/// Every method takes the time, measured from any fixed moment on a clock that stops while the machine sleeps, such as
/// `SuspendingClock` or the frame clock of a window. A change at an earlier time than the latest one takes effect at the
/// latest time; times before zero count as zero. What is shown is a function of the time alone, so the same sequence of
/// calls gives the same picture on every surface and at every frame rate.
///
/// Bad input has a defined result and never traps: NaN and infinite values change nothing, other values outside the range
/// are clamped to it, and an empty or invalid range shows its lower bound. Bounds are clamped to ±2⁶⁴.
///
/// A pure value, not thread safe: protect it with a `Mutex` to report from one thread and draw from another. All
/// operations are O(1) without allocation unless they say otherwise.
public struct ProgressBar : Sendable {

    /// What kind of source reports, and so what happens between and after its reports.
    public enum Source : UInt8, Sendable {

        /// A clock that reports its position, such as a player. When reports stop, it has stalled and the bar stops too.
        case reports

        /// Work with a forecast. Between reports, however rare, the bar moves at the forecast speed. It never steps back, and
        /// stays below the end until the end is reported.
        case forecast
    }

    /// The kind of source that reports.
    public var source: HeadwayBar.ProgressBar.Source

    /// The size and direction of the bar, and how far around it a press counts.
    public var layout: HeadwayBar.BarLayout

    /// Whether the bar only shows progress and nobody can change its value.
    public var isReadOnly: Bool

    /// Whether the bar ignores all input from a person.
    public var isDisabled: Bool

    /// Whether the progress is unknown; a report makes it known.
    public var isIndeterminate: Bool

    /// Whether to reduce motion: values are shown as they are reported, and the indeterminate animation is slow.
    public var reducesMotion: Bool

    /// Whether the mouse wheel changes the value.
    public var acceptsWheel: Bool

    /// Whether the digit keys go to tenths of the range.
    public var acceptsDigits: Bool

    /// The units that an arrow key moves by, or nil for a hundredth of the range.
    ///
    /// What a person chooses is rounded to it, from the beginning of the range on; the end can always be chosen. With
    /// `unitsPerSecond` the value is between steps by itself, and nothing is rounded.
    public var step: Double?

    /// How far the value of a source of `reports` moves in a second at normal speed, such as 1 if the unit is a second, or nil
    /// to learn it from the reports.
    public var unitsPerSecond: Double?

    /// Creates a bar that shows the beginning of its range.
    ///
    /// - Parameters:
    ///   - range: The values from the beginning to the end, in any unit: seconds, bytes, or parts of one.
    ///   - source: The kind of source that reports.
    ///   - unitsPerSecond: How far the value of a source of `reports` moves in a second at normal speed, such as 1 if the
    ///     unit is a second. Pass nil to learn it from the reports.
    public init(range: ClosedRange<Double> = 0...1, source: HeadwayBar.ProgressBar.Source = .reports, unitsPerSecond: Double? = nil)

    /// The value that was reported last, or the target of the latest seek or transition.
    public var reported: Double { get }

    /// The values from the beginning to the end.
    public var range: ClosedRange<Double> { get }

    /// Whether the bar is paused.
    public var isPaused: Bool { get }

    /// Whether a person is dragging the value.
    public var isDragging: Bool { get }

    /// Whether a person can change the value now.
    public var isAdjustable: Bool { get }

    /// Returns and removes the events since the last call, oldest first.
    ///
    /// `advance(to:)` adds the transitions that have finished.
    public mutating func takeEvents() -> [HeadwayBar.BarEvent]
}

/// What the bar shows at a time, and its reports, with times as `Duration`.
extension ProgressBar {

    /// Returns the value that is shown at a time.
    ///
    /// - Parameter now: The time.
    /// - Returns: A value of the range.
    public func shown(at now: Duration) -> Double

    /// Returns the shown value as a fraction of the range.
    ///
    /// - Parameter now: The time.
    /// - Returns: A number from 0 to 1.
    public func fraction(at now: Duration) -> Double

    /// Returns the speed of the shown value.
    ///
    /// - Parameter now: The time.
    /// - Returns: Units per second; negative if the value moves backwards.
    public func speed(at now: Duration) -> Double

    /// Shows a value at once, without animation.
    ///
    /// It ends a transition and a pending seek. During a drag the value is only stored.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range; NaN changes nothing.
    ///   - now: The time.
    public mutating func setValue(_ value: Double, at now: Duration)

    /// Reports the current value of the source.
    ///
    /// A source of `reports` is followed as a clock: the shown value is steered to the line of its reports, a difference
    /// of more than half a second of the source, or of a quarter of the range if that is less, is a seek, and three missing
    /// reports are a stall. With a source of `forecast`, the bar catches up within half a second and never steps back.
    ///
    /// During a drag a report does not move the bar. After the drag the chosen value stays until a report agrees with it, or
    /// two reports show that the source goes on beside it, such as at a key frame, or for ten seconds.
    ///
    /// - Parameters:
    ///   - value: The value of the source, clamped to the range; NaN changes nothing.
    ///   - rate: For a `forecast`, the expected growth in units per second; nil to use the speed of earlier reports. A
    ///     source of `reports` ignores it: its speed follows from `unitsPerSecond` and its playback rate.
    ///   - now: The time.
    public mutating func report(_ value: Double, rate: Double? = nil, at now: Duration)

    /// Reports a value that the source will reach, for players that announce the next quarter of a second.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range; NaN changes nothing.
    ///   - duration: The time until the source reaches it; a negative one counts as zero.
    ///   - sourceTime: The source's own time of the report. A report that is not after the last one is late or a duplicate,
    ///     and changes nothing unless it is a seek.
    ///   - now: The time.
    public mutating func report(_ value: Double, expectedIn duration: Duration, sourceTime: Duration, at now: Duration)

    /// Moves to a value at constant speed.
    ///
    /// A later value of any kind, a drag, a stop or a reset interrupts it. During a pause it stops, and then continues.
    ///
    /// - Parameters:
    ///   - value: The target, clamped to the range; NaN counts as the shown value.
    ///   - duration: How long it takes; a negative duration counts as zero.
    ///   - now: The time.
    /// - Returns: The transition. Its end is an event, which `advance(to:)` adds, or whatever interrupts it.
    @discardableResult
    public mutating func animate(to value: Double, over duration: Duration, at now: Duration) -> HeadwayBar.BarTransition

    /// Jumps to a value and moves on from there at the speed of the source, which was sent there.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range; NaN changes nothing.
    ///   - now: The time.
    public mutating func seek(to value: Double, at now: Duration)

    /// Slows to a stop within the usual interval between reports, because the source waits for data.
    ///
    /// While a person's choice is shown that the source has not reached, it also stays for as long as the source repeats one
    /// report.
    ///
    /// - Parameter now: The time.
    public mutating func stall(at now: Duration)

    /// Stops at the shown value and clears the target.
    ///
    /// The bar never jumps to the target. The next report sets it in motion again.
    ///
    /// - Parameter now: The time.
    public mutating func removeAnimation(at now: Duration)

    /// Goes to the beginning of the range and clears all reports, pauses, drags and pending seeks.
    ///
    /// Range, style, layout and options stay. The playback rate is 1 again.
    ///
    /// - Parameter now: The time.
    public mutating func reset(at now: Duration)

    /// Changes the range, when a total grows or shrinks or a live window moves.
    ///
    /// The shown value stays unless the new range excludes it. Its position glides to the new one within a third of a
    /// second, or jumps there if the range was empty before. During a drag the dot stays under the pointer instead, and
    /// the value changes.
    ///
    /// - Parameters:
    ///   - low: The beginning; NaN counts as 0.
    ///   - high: The end. NaN, or an end below the beginning, makes the range empty.
    ///   - now: The time.
    public mutating func setRange(from low: Double, to high: Double, at now: Duration)

    /// Stops the value where it is shown, even in the middle of a glide.
    ///
    /// Until `resume(at:)`, only seeks and a person's input move the value. Pausing a paused bar changes nothing.
    ///
    /// - Parameter now: The time.
    public mutating func pause(at now: Duration)

    /// Continues at the same speed from where `pause(at:)` stopped.
    ///
    /// - Parameter now: The time.
    public mutating func resume(at now: Duration)

    /// Changes the playback rate of the source, from the shown value on.
    ///
    /// - Parameters:
    ///   - rate: 1 is normal speed, 0.25 to 4 are usual, and a negative rate plays backwards. At 0 the value stands still.
    ///     NaN and rates beyond a million change nothing.
    ///   - now: The time.
    public mutating func setPlaybackRate(_ rate: Double, at now: Duration)

    /// Advances to a time and adds an event for each transition that has ended by then.
    ///
    /// Call it once a frame, or at the end of the phase that ``activity(at:)`` returns.
    ///
    /// - Parameter now: The time.
    public mutating func advance(to now: Duration)

    /// Returns what moves from a time on.
    ///
    /// - Parameter now: The time.
    /// - Returns: What a surface has to do.
    public func activity(at now: Duration) -> HeadwayBar.ProgressBar.Activity
}

/// Style, drawing, input and announcements, with times as `Duration`.
extension ProgressBar {

    /// Changes the style, at once or gradually; the position of the value stays.
    ///
    /// - Parameters:
    ///   - style: The new style.
    ///   - duration: How long the change takes; a negative duration counts as zero.
    ///   - now: The time.
    /// - Complexity: O(ranges and marks).
    public mutating func setStyle(_ style: HeadwayBar.BarStyle, over duration: Duration = .zero, at now: Duration)

    /// Changes parts of the style, at once or gradually.
    ///
    /// ```swift
    /// bar.changeStyle(over: .milliseconds(200), at: now) { $0.barHeight = 8 }
    /// ```
    ///
    /// A change at once leaves gradual changes of other parts in progress.
    ///
    /// - Parameters:
    ///   - duration: How long the change takes; a negative duration counts as zero.
    ///   - now: The time.
    ///   - change: Changes the style.
    /// - Complexity: O(ranges and marks).
    public mutating func changeStyle(over duration: Duration = .zero, at now: Duration, _ change: (inout HeadwayBar.BarStyle) -> Void)

    /// Returns the position of a value along the bar, in the unit of the layout.
    ///
    /// When that value is shown, the filled part ends there and the dot has its center there, whatever the style.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range.
    ///   - now: The time.
    /// - Returns: The distance from the beginning of the bar.
    public func position(of value: Double, at now: Duration) -> Double

    /// Returns the position of the dot's center along the bar.
    ///
    /// - Parameter now: The time.
    /// - Returns: The distance from the beginning of the bar.
    public func dotCenter(at now: Duration) -> Double

    /// Returns the size of the dot.
    ///
    /// - Parameter now: The time.
    /// - Returns: The width and height, or 0 if there is no dot.
    public func dotSize(at now: Duration) -> Double

    /// Appends the shapes that are shown at a time to a drawing, the lowest first.
    ///
    /// Shapes with `followsValue` keep their size. While nothing but the value changes, they only move.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - drawing: The list to append to.
    /// - Complexity: O(ranges and marks); no allocation if the list has capacity.
    public func draw(at now: Duration, into drawing: inout [HeadwayBar.BarShape])

    /// Handles a press: a mouse or a pen begins to drag, anywhere in the hit area, and the value jumps there.
    ///
    /// A press on the dot, as it is shown, keeps the dot's offset from the pointer. A finger begins to drag only when it
    /// moves along the bar.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - pointer: The kind of pointer.
    ///   - isPrimary: Whether it is the main button or the first finger. Others never drag, and a second finger cancels a
    ///     drag.
    ///   - now: The time.
    /// - Returns: Whether the bar handles the press; if so, pass on everything else that this pointer does.
    public mutating func pointerDown(x: Double, y: Double, pointer: HeadwayBar.BarPointer = .mouse, isPrimary: Bool = true, at now: Duration) -> Bool

    /// Handles a move of a pointer that is down or hovers, inside or outside the bar.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - now: The time.
    /// - Returns: Whether the value follows the pointer.
    @discardableResult
    public mutating func pointerMoved(x: Double, y: Double, at now: Duration) -> Bool

    /// Handles the end of a press, which chooses a value.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - now: The time.
    public mutating func pointerUp(x: Double, y: Double, at now: Duration)

    /// Handles the exit of the pointer from the bar.
    ///
    /// - Parameter now: The time.
    public mutating func pointerLeft(at now: Duration)

    /// Cancels a drag: the value is that of the source again, and none is chosen.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether there was a drag.
    @discardableResult
    public mutating func cancelDrag(at now: Duration) -> Bool

    /// Returns whether a press at a point counts for the bar.
    ///
    /// The hit area is the bar with its margins, at least 24 points wide and high, or 44 for fingers, and the dot where it
    /// is shown, with the same minimum size.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - now: The time.
    /// - Returns: Whether the point is in the hit area or on the dot.
    public func hits(x: Double, y: Double, at now: Duration) -> Bool

    /// Returns whether a press at a point grips the dot where it is shown.
    ///
    /// - Parameters:
    ///   - x: The horizontal position in the coordinates of the layout.
    ///   - y: The vertical position.
    ///   - now: The time.
    /// - Returns: Whether the point is on the dot or so near that the dot must be meant.
    public func hitsDot(x: Double, y: Double, at now: Duration) -> Bool

    /// Handles a key; each key that changes the value chooses one.
    ///
    /// Right and up go forward, left and down go back. If the value grows from right to left, left goes forward. Escape
    /// cancels a drag.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - now: The time.
    /// - Returns: Whether the bar handled the key; if so, keep it from scrolling the view.
    public mutating func press(_ key: HeadwayBar.BarKey, at now: Duration) -> Bool

    /// Handles a turn of the mouse wheel, if the bar accepts the wheel.
    ///
    /// - Parameters:
    ///   - steps: The number of steps forward, or back if negative.
    ///   - now: The time.
    /// - Returns: Whether the bar handled it.
    public mutating func scroll(steps: Double, at now: Duration) -> Bool

    /// Sets whether the bar has the keyboard focus, which enlarges the dot.
    ///
    /// - Parameters:
    ///   - hasFocus: Whether the bar has the focus.
    ///   - now: The time.
    public mutating func setFocus(_ hasFocus: Bool, at now: Duration)

    /// Handles a value that a person has chosen with assistive technology, as a key that goes there.
    ///
    /// - Parameters:
    ///   - value: The value, clamped to the range.
    ///   - now: The time.
    /// - Returns: Whether the bar has chosen it; a bar that nobody can change has not, nor one that is being dragged.
    public mutating func choose(_ value: Double, at now: Duration) -> Bool

    /// Returns what to announce to assistive technology now, if anything.
    ///
    /// A gliding value is announced once a second, and a value that a person has changed at once.
    ///
    /// - Parameter now: The time.
    /// - Returns: The announcement, or nil if the last one still holds.
    public mutating func announcement(at now: Duration) -> HeadwayBar.BarAnnouncement?

    /// Returns when `announcement(at:)` may next return something without any further call.
    ///
    /// - Parameter now: The time.
    /// - Returns: A time on the same clock, `now` if an announcement is due, or nil for never.
    public func nextAnnouncement(after now: Duration) -> Duration?
}

/// The drawing of the bar.
extension ProgressBar {

    /// Returns the point at a position along the bar, on its center line.
    ///
    /// - Parameter position: The distance from the beginning of the bar.
    /// - Returns: The point in the coordinates of the layout.
    public func point(at position: Double) -> (x: Double, y: Double)
}

/// Pauses, speeds, and what changes with time.
extension ProgressBar {

    /// What moves from a time on, and so what a surface has to do.
    ///
    /// ```swift
    /// func end(of activity: ProgressBar.Activity) -> Duration? {
    ///   switch activity {
    ///   case .gliding(let phase), .sweeping(let phase): phase.end
    ///   case .still, .changing: nil
    ///   }
    /// }
    /// ```
    public enum Activity : Hashable, Sendable {

        /// Nothing moves: the drawing stays right until the next call that changes the bar.
        case still

        /// Only the value moves, in the given phase, so a compositor can draw it.
        case gliding(HeadwayBar.BarPhase)

        /// Only the block of an indeterminate bar moves, so a compositor can draw it: in the given phase from one end of the bar
        /// to the other, and then back and forth in the same time.
        case sweeping(HeadwayBar.BarPhase)

        /// More changes than the value: draw each frame.
        case changing
    }

    /// The playback rate of the source: 1 is normal speed.
    public var playbackRate: Double { get }
}

/// The style of the bar, and its changes.
extension ProgressBar {

    /// The style that was set last; a gradual change to it may be in progress.
    public var style: HeadwayBar.BarStyle { get }
}

