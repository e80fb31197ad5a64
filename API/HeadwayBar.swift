import HeadwayLock

/// What assistive technology is told of a bar.
public struct BarAnnouncement : Hashable, Sendable {

    /// What kind of thing the bar is.
    public enum Role : UInt8, Sendable {

        /// It tells of progress.
        case progressBar

        /// Its value can be changed.
        case slider
    }

    /// What kind of thing the bar is.
    public var role: HeadwayBar.BarAnnouncement.Role

    /// The beginning of the range.
    public var minimum: Double

    /// The end of the range.
    public var maximum: Double

    /// The value that is shown, nil where nobody knows it.
    public var value: Double?

    /// Whether a person cannot use it now.
    public var isDisabled: Bool

    /// Whether it is read from the bottom to the top.
    public var isVertical: Bool
}

/// A colour in sRGB with an opacity, eight bits each.
public struct BarColor : Hashable, Sendable {

    /// Red, green, blue and opacity, the highest byte first.
    public var rgba: UInt32

    /// Creates a colour.
    ///
    /// - Parameters:
    ///   - red: Red.
    ///   - green: Green.
    ///   - blue: Blue.
    ///   - opacity: How much it covers what is below.
    public init(red: UInt8, green: UInt8, blue: UInt8, opacity: UInt8 = 255)

    /// Creates a colour from its usual number.
    ///
    /// - Parameters:
    ///   - rgb: Red, green and blue with eight bits each, such as `0x0B57D0`; higher bits are ignored.
    ///   - opacity: How much it covers what is below.
    public init(_ rgb: UInt32, opacity: UInt8 = 255)

    /// No colour.
    public static let clear: HeadwayBar.BarColor

    /// Red, from 0 to 255.
    public var red: UInt8

    /// Green, from 0 to 255.
    public var green: UInt8

    /// Blue, from 0 to 255.
    public var blue: UInt8

    /// How much it covers what is below, from 0 for invisible to 255.
    public var opacity: UInt8

    /// A colour between this one and another.
    ///
    /// - Parameters:
    ///   - other: The other colour.
    ///   - part: 0 is this one, 1 the other; what is no number or outside counts as the nearer end.
    /// - Returns: The colour, each part of it rounded.
    public func mixed(with other: HeadwayBar.BarColor, _ part: Double) -> HeadwayBar.BarColor

    /// Creates a colour from all of its bytes.
    ///
    /// - Parameter rgba: Red, green, blue and opacity, the highest byte first.
    public init(rgba: UInt32)
}

/// What happened to a bar.
public enum BarEvent : Hashable, Sendable {

    /// A person has begun to drag.
    case dragBegan

    /// The value was dragged to another one.
    case dragged(Double)

    /// A person has chosen a value: by a press, at the end of a drag, with a key. The source is to go there.
    case committed(Double)

    /// A drag was called off, and the value is what it was.
    case dragCancelled

    /// An animated change of the value has ended.
    case transitionEnded(HeadwayBar.BarTransitionEnd)
}

/// A key that means something to a bar.
public enum BarKey : Hashable, Sendable {

    /// Left, as it is printed on the key.
    case left

    /// Right.
    case right

    /// Up.
    case up

    /// Down.
    case down

    /// Ten steps on.
    case pageUp

    /// Ten steps back.
    case pageDown

    /// The beginning of the range.
    case home

    /// The end of the range.
    case end

    /// A digit from 0 to 9: so many tenths of the range.
    case digit(Int)

    /// Calls off a drag.
    case escape
}

/// Where a bar stands: its size, its direction, and how far around it a press counts.
///
/// Lengths are in the unit of the surface: points of a page or a window, cells of a terminal. Lengths that are negative
/// or no numbers count as 0. A pure value.
public struct BarLayout : Hashable, Sendable {

    /// The direction in which the value grows.
    public enum Direction : UInt8, Sendable {

        /// From left to right.
        case leftToRight

        /// From right to left.
        case rightToLeft

        /// From the bottom to the top.
        case upwards
    }

    /// How exactly a person can point.
    public enum Precision : UInt8, Sendable {

        /// With a mouse or a pen.
        case fine

        /// With a finger.
        case coarse
    }

    /// How far beyond the bar a press still counts, on each side.
    public struct Margins : Hashable, Sendable {

        /// Above the bar.
        public var top: Double

        /// To the right of it.
        public var right: Double

        /// Below it.
        public var bottom: Double

        /// To the left of it.
        public var left: Double

        /// Creates margins of their own on each side.
        public init(top: Double, right: Double, bottom: Double, left: Double)

        /// Creates margins of half of one length on each side.
        ///
        /// - Parameter extent: What the bar is wider and higher for a press than it is drawn.
        public init(extent: Double)
    }

    /// The width.
    public var width: Double

    /// The height; the track lies in its middle.
    public var height: Double

    /// The direction in which the value grows.
    public var direction: HeadwayBar.BarLayout.Direction

    /// How far beyond the bar a press still counts.
    public var margins: HeadwayBar.BarLayout.Margins

    /// How exactly people point; it sets the least size of the hit area.
    public var precision: HeadwayBar.BarLayout.Precision

    /// The least width and height of the hit area for a mouse, in points: success criterion 2.5.8 of WCAG 2.2.
    public static let leastTarget: Double

    /// The least width and height of the hit area for a finger, in points.
    public static let leastCoarseTarget: Double

    /// Creates a layout from left to right.
    ///
    /// - Parameters:
    ///   - width: The width.
    ///   - height: The height.
    public init(width: Double, height: Double)

    /// The length from the beginning of the range to its end.
    public var length: Double { get }

    /// The area in which a press counts.
    public var hitArea: HeadwayBar.BarRect { get }
}

/// How a shown value moves from now on if nothing new is heard: three numbers, and where they change.
///
/// ```
///   value                          ______________  rest: stopped, and on the value where it stopped
///     │                     ___----
///     │              ___----       brake: evenly slower, for `brakeDuration`
///     │       ___----  cruise: value + rate · (t − turnTime)
///     │   _--'
///     │ _/  catch up: value + catchUpRate · (t − time)
///     └─┬───┬───────────────────┬─────────┬────▶ time
///      time turnTime         brakeTime  restTime
/// ```
///
/// In the first three phases the value is a polynomial of the time, so a surface needs no timer: it can hand a phase to
/// whatever draws it, a compositor for one, with the two ends. Times are seconds on the time line of the bar; before
/// `time` the value is the one at `time`.
///
/// A pure value; everything is O(1).
public struct BarMotion : Hashable, Sendable {

    /// A stretch of time in which the value moves in one way.
    public struct Phase : Hashable, Sendable {

        /// When it begins, in seconds.
        public let start: Double

        /// When it ends, in seconds; infinite for the last.
        public let end: Double

        /// The value at its beginning.
        public let from: Double

        /// The value at its end, that of its beginning where it never ends and rests.
        public let to: Double

        /// Whether the speed falls evenly to zero; the speed is constant otherwise.
        public let isBraking: Bool
    }

    /// When the motion begins, in seconds.
    public private(set) var time: Double { get }

    /// The value at that time.
    public private(set) var value: Double { get }

    /// The rate up to `turnTime`, in units a second.
    public private(set) var catchUpRate: Double { get }

    /// When the rate changes to the lasting one.
    public private(set) var turnTime: Double { get }

    /// The lasting rate, in units a second.
    public private(set) var rate: Double { get }

    /// When it begins to slow down; infinite for never.
    public private(set) var brakeTime: Double { get }

    /// For how many seconds it slows down; 0 stops at once.
    public private(set) var brakeDuration: Double { get }

    /// The values that it does not leave.
    public private(set) var bounds: ClosedRange<Double> { get }

    /// Creates a value that stands still.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - time: Since when, in seconds.
    public init(resting value: Double, at time: Double = 0)

    /// The value at a time.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: The value, within `bounds`.
    public func value(at now: Double) -> Double

    /// The speed at a time.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: Units a second; zero where the value rests on a bound.
    public func speed(at now: Double) -> Double

    /// When the value stops for good, in seconds; infinite for never.
    public var restTime: Double { get }

    /// Tells whether the value moves no more.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: Whether it rests from that time on.
    public func isResting(at now: Double) -> Bool

    /// The phase at a time.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: The phase from that time on, which ends where the value reaches a bound.
    public func phase(at now: Double) -> HeadwayBar.BarMotion.Phase
}

/// What a person points with.
public enum BarPointer : UInt8, Sendable {

    /// A mouse, or a touch pad that acts like one.
    case mouse

    /// A finger: it may mean to scroll, so the value follows only once it moves along the bar, or when it is lifted.
    case touch

    /// A pen.
    case pen
}

/// A rectangle, from its upper left corner.
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

    /// Whether a point lies in it, the edges included.
    public func contains(x: Double, y: Double) -> Bool
}

/// A thing to draw: a rectangle with round corners in a colour, perhaps cut off by another one.
///
/// A drawing is a list of shapes, the lowest first. Nothing else is drawn, and a surface computes no place of its own.
/// A program adds what it wants to such a list, see <doc:DrawingYourOwnSurface>.
public struct BarShape : Hashable, Sendable {

    /// What a shape is.
    public enum Part : UInt8, Sendable {

        /// The whole way, or the part of it behind the value where there is a gap.
        case track

        /// A range that is buffered.
        case buffered

        /// The filled part.
        case fill

        /// A marked value.
        case mark

        /// The dot at the value.
        case dot

        /// The picture in the dot.
        case icon

        /// A shape that the program has added.
        case own
    }

    /// A rectangle with round corners beyond which nothing is drawn.
    public struct Clip : Hashable, Sendable {

        /// The rectangle.
        public var rect: HeadwayBar.BarRect

        /// The radius of its corners.
        public var radius: Double

        /// Creates a clip.
        public init(rect: HeadwayBar.BarRect, radius: Double)
    }

    /// What it is.
    public var part: HeadwayBar.BarShape.Part

    /// Which one of its part: the place in the list of ranges or marks, the number of the icon or of an own shape.
    public var number: Int

    /// Where it is drawn.
    public var rect: HeadwayBar.BarRect

    /// The radius of its corners.
    public var radius: Double

    /// The colour.
    public var color: HeadwayBar.BarColor

    /// What cuts it off, nil for nothing.
    public var clip: HeadwayBar.BarShape.Clip?

    /// Whether it moves along with the value and keeps its size: a surface may move it as a whole.
    public var followsValue: Bool

    /// Creates a shape.
    ///
    /// - Parameters:
    ///   - part: What it is.
    ///   - number: Which one of its part.
    ///   - rect: Where it is drawn.
    ///   - radius: The radius of its corners.
    ///   - color: The colour.
    ///   - clip: What cuts it off.
    ///   - followsValue: Whether it moves along with the value and keeps its size.
    public init(_ part: HeadwayBar.BarShape.Part, number: Int = 0, rect: HeadwayBar.BarRect, radius: Double = 0, color: HeadwayBar.BarColor, clip: HeadwayBar.BarShape.Clip? = nil, followsValue: Bool = false)
}

/// How a bar looks; no part of it moves the place of a value.
///
/// ```
///                     dotSize           markWidth
///   barHeight  ┌────────────(  )───░░░░░░┃─────┐ ┐ fillHeight
///              └────────────(  )───░░░░░░┃─────┘ ┘
///                fill     gap│ │gap buffered  track
/// ```
///
/// Every value can be set alone, and a change can be animated (``ProgressBar/setStyle(_:over:at:)``). Lengths are in
/// the unit of the layout: points of a page or a window, cells of a terminal. Lengths that are negative or no numbers are
/// drawn as 0. A pure value.
public struct BarStyle : Hashable, Sendable {

    /// The thickness of the track.
    public var barHeight: Double

    /// The thickness of the filled part.
    public var fillHeight: Double

    /// How round the ends are; what is more than half of the thickness counts as that half.
    public var cornerRadius: Double

    /// The size of the dot at rest; 0 draws none.
    public var dotSize: Double

    /// Its size while a pointer is over the bar, or the bar has the focus of the keyboard.
    public var hoverDotSize: Double

    /// Its size while it is dragged.
    public var dragDotSize: Double

    /// The free space on both sides of the place of the value, between the filled part and the rest of the track.
    public var gap: Double

    /// The width of a mark.
    public var markWidth: Double

    /// How long the dot and the colours take from one state to another, in seconds.
    public var emphasisDuration: Double

    /// The colour of the track.
    public var defaultColor: HeadwayBar.BarColor

    /// The colour of the filled part.
    public var inProgressColor: HeadwayBar.BarColor

    /// The colour of the filled part and the dot while it is dragged.
    public var dragColor: HeadwayBar.BarColor

    /// The colour of the dot.
    public var dotColor: HeadwayBar.BarColor

    /// The colour of what is buffered.
    public var bufferedColor: HeadwayBar.BarColor

    /// The colour of the marks.
    public var markColor: HeadwayBar.BarColor

    /// What is buffered, in units of the value.
    public var bufferedRanges: [ClosedRange<Double>]

    /// The values that are marked, such as chapters.
    public var marks: [Double]

    /// The picture in the dot, by a number that the surface knows; 0 for none.
    public var icon: Int

    /// The size of that picture as a part of the dot's size.
    public var iconScale: Double

    /// Whether the value can be dragged.
    public var isDraggable: Bool

    /// Creates the default style.
    public init()

    /// A style between this one and another.
    ///
    /// What has no between, such as the icon, is that of the other.
    ///
    /// - Parameters:
    ///   - other: The other style.
    ///   - part: 0 is this one, 1 the other.
    /// - Returns: The style between them.
    /// - Complexity: O(ranges and marks).
    public func mixed(with other: HeadwayBar.BarStyle, _ part: Double) -> HeadwayBar.BarStyle
}

/// The name of an animated change of the value, by which its end is told.
public struct BarTransition : RawRepresentable, Hashable, Sendable {

    /// Its number: 1 for the first of a bar.
    public let rawValue: Int

    /// Creates the name of a number.
    ///
    /// - Parameter rawValue: The number.
    public init(rawValue: Int)
}

/// How an animated change of the value has ended.
public struct BarTransitionEnd : Hashable, Sendable {

    /// The change.
    public let transition: HeadwayBar.BarTransition

    /// Whether it came to its end; it was interrupted otherwise.
    public let isFinished: Bool

    /// Creates an end.
    ///
    /// - Parameters:
    ///   - transition: The change.
    ///   - isFinished: Whether it came to its end.
    public init(transition: HeadwayBar.BarTransition, isFinished: Bool)
}

/// What a value is called, in English words for a voice and in short for the eye.
///
/// Text is UTF-8 bytes, as Embedded Swift has it without tables of characters. Surfaces that speak another language
/// set their own text.
public struct BarWords : Sendable {

    /// Creates the words.
    public init()

    /// Appends a time in words: "1 minute 5 seconds".
    ///
    /// - Parameters:
    ///   - seconds: The time, rounded down to whole seconds; what is negative or no number counts as 0, and nothing is said
    ///     beyond a hundred thousand hours.
    ///   - text: The text that it is appended to.
    public func append(time seconds: Double, to text: inout [UInt8])

    /// Appends a time of a whole in words: "1 minute 5 seconds of 4 minutes".
    ///
    /// - Parameters:
    ///   - seconds: The time.
    ///   - total: The whole.
    ///   - text: The text that it is appended to.
    public func append(time seconds: Double, of total: Double, to text: inout [UInt8])

    /// Appends a time in short: "1:05", "1:01:05".
    ///
    /// - Parameters:
    ///   - seconds: The time, as in words.
    ///   - text: The text that it is appended to.
    public func append(clock seconds: Double, to text: inout [UInt8])

    /// Appends a part in words: "46 percent".
    ///
    /// - Parameters:
    ///   - fraction: The part from 0 to 1, rounded down, so that only the whole is 100 percent.
    ///   - text: The text that it is appended to.
    public func append(percent fraction: Double, to text: inout [UInt8])
}

/// A bar with a clock and a lock, for programs that report from one thread and draw from another.
///
/// It holds a ``ProgressBar`` and tells it the time. Whoever draws takes a copy and works alone:
///
/// ```swift
/// let bar = LiveBar(ProgressBar(range: 0...240, unitsPerSecond: 1))
/// bar.setValue(120, duration: 2) { finished in print(finished ? "there" : "interrupted") }
/// let (picture, now) = bar.look()
/// let place = picture.dotCenter(at: now)
/// ```
///
/// Nothing runs of itself: what has ended is found when somebody looks, reports or calls `advance()`. Completions and
/// observers are called once the lock is left, on the thread that made the call, completions in the order in which
/// their transitions ended. Safe from any thread. A look costs a lock and a copy of some hundred bytes; a change
/// allocates only for completions.
final public class LiveBar : Sendable {

    /// A function that is told whether a transition came to its end.
    public typealias Completion = @Sendable (_ finished: Bool) -> Void

    /// Creates a live bar.
    ///
    /// - Parameters:
    ///   - bar: The bar.
    ///   - clock: Tells the time in seconds and never goes back; nil for one that stands still while the machine sleeps,
    ///     and begins now.
    public init(_ bar: HeadwayBar.ProgressBar, clock: (@Sendable () -> Double)? = nil)

    /// What the source said last.
    public var reported: Double { get }

    /// What is seen now.
    public var shown: Double { get }

    /// A copy of the bar to draw, and the time to draw it at.
    ///
    /// - Returns: The bar and the time of its clock, in seconds.
    public func look() -> (bar: HeadwayBar.ProgressBar, now: Double)

    /// Changes the bar.
    ///
    /// - Parameter body: Changes the bar at the time of its clock, in seconds; called inside the lock, so it must not call
    ///   this object.
    /// - Returns: What `body` returns.
    @discardableResult
    public func update<Result>(_ body: (inout HeadwayBar.ProgressBar, _ now: Double) -> Result) -> Result

    /// Moves evenly to a value in a given time, and tells how that ended.
    ///
    /// - Parameters:
    ///   - value: The value; see `ProgressBar.setValue(_:duration:at:)`.
    ///   - duration: For how many seconds.
    ///   - completion: Called once: with true when the value was reached, with false when something else came between.
    public func setValue(_ value: Double, duration: Double, completion: @escaping HeadwayBar.LiveBar.Completion)

    /// Finds what has ended by now, and calls those who wait for it.
    public func advance()

    /// Tells a function of every `BarEvent` from now on, for as long as the bar lives; reports and pauses are none.
    ///
    /// - Parameter observer: Called on whatever thread found the event, outside of the lock.
    public func observe(_ observer: @escaping @Sendable (HeadwayBar.BarEvent) -> Void)
}

/// A progress bar without a toolkit: what it shows at any time, what a touch does to it, and what is to be drawn.
///
/// It has two values. The *reported* one is what the source said last, four times a second or more rarely. The *shown*
/// one glides from report to report: `shown(t) = v + rate · (t − t0)`, with a rate that is steered by at most a tenth,
/// so that it neither steps back nor stutters, and stops at once, and exactly there, when it is paused.
///
/// ```
///   source ── reports ──▶ ┌──────────── ProgressBar ────────────┐
///   person ── pointer, ──▶│ glide · gestures · style · layout    │──▶ [BarShape] ──▶ terminal │ page │ window
///             keys        └──────────────────┬───────────────────┘
///                                            └──▶ events: dragged, committed, transition ended
/// ```
///
/// ```swift
/// var bar = ProgressBar(range: 0...240)  // a film of four minutes
/// bar.report(12, at: clock)  // the player: here I am
/// bar.pause(at: clock + 0.01)  // stops where it is, not where it was going
/// let seconds = bar.shown(at: clock + 5)
/// ```
///
/// Every method is told the time, in seconds of any clock that stands still while the machine sleeps (`SuspendingClock`,
/// `performance.now()`, a frame clock). A change at a time before an earlier one counts as made at that one, and
/// times begin at 0. The same sequence of
/// calls gives the same picture on every surface and at every frame rate: what is shown is a function of the time, and
/// frames change nothing. A time that is no number or beyond 10¹² seconds counts as the latest.
///
/// Bad input has a defined result and never traps: a value that is no number changes nothing, one outside of the range
/// counts as its end, and a range that is empty or no range shows its beginning; ends count up to ±10¹⁸. Seconds are plain numbers here, not
/// `Duration`s: media, pages and frame clocks give them so, they may be negative, and the same source runs in a page.
///
/// A pure value. Not thread safe; ``LiveBar`` is. All operations are O(1) without allocation unless they say otherwise.
public struct ProgressBar : Sendable {

    /// What reports are about, and so what happens when they stop.
    public enum Source : UInt8, Sendable {

        /// A clock that says where it is, such as a player: when its reports stop, it has stalled and so does the bar.
        case reports

        /// Work that says how far it thinks it is: between reports, however rare, it goes on at the speed that was forecast.
        /// The bar keeps moving, never steps back, and stays below the end until the end is reported.
        case forecast
    }

    /// What reports are about.
    public var source: HeadwayBar.ProgressBar.Source

    /// Where the bar stands and how far around it a press counts.
    public var layout: HeadwayBar.BarLayout

    /// Whether nobody can change the value: the bar tells of progress and is no slider.
    public var isReadOnly: Bool

    /// Whether the bar takes no part in anything a person does.
    public var isDisabled: Bool

    /// Whether nobody knows how far the work is; a report makes it known.
    public var isIndeterminate: Bool

    /// Whether the person asked for less motion: values are shown as they are reported, and what wanders does so slowly.
    public var reducesMotion: Bool

    /// Whether the wheel of a mouse changes the value.
    public var acceptsWheel: Bool

    /// Whether the digits of the keyboard go to tenths of the range.
    public var acceptsDigits: Bool

    /// The units that an arrow key moves by, nil for a hundredth of the range.
    public var step: Double?

    /// The line of time on which the value moves; it stands in a pause.
    public internal(set) var timeLine: HeadwayBar.TimeLine { get }

    /// Creates a bar that stands at the beginning of its range.
    ///
    /// - Parameters:
    ///   - range: The values from the beginning to the end, in any unit: seconds, bytes, parts of one.
    ///   - source: What reports are about.
    ///   - unitsPerSecond: By how much the value of a source of `reports` grows in a second at normal speed: 1 where
    ///     the unit is a second. Nil learns it from the reports.
    public init(range: ClosedRange<Double> = 0...1, source: HeadwayBar.ProgressBar.Source = .reports, unitsPerSecond: Double? = nil)

    /// The value that the source said last, or that it was told to go to.
    public var reported: Double { get }

    /// The value that is seen at a time.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: A value of the range.
    public func shown(at now: Double) -> Double

    /// What a frame of a glide needs, read where the bar lies: nothing is changed, and nothing of the bar is copied.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: The value that is seen, and how far along the bar it lies.
    public mutating func frame(at now: Double) -> (value: Double, place: Double)

    /// The part of the way at which the value is seen.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: From 0 to 1.
    public func fraction(at now: Double) -> Double

    /// How fast the shown value moves.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: Units a second of the clock; negative backwards.
    public func speed(at now: Double) -> Double

    /// How the value moves on if nothing new is heard, on the time line of the bar.
    public var motion: HeadwayBar.BarMotion { get }

    /// The values from the beginning to the end.
    public var range: ClosedRange<Double> { get }

    /// Whether the value stands because of `pause(at:)`.
    public var isPaused: Bool { get }

    /// Whether a person drags the value.
    public var isDragging: Bool { get }

    /// Whether a person has moved the value and the source has not agreed yet.
    public var isHeld: Bool { get }

    /// Whether the value can be changed by a person now.
    public var isAdjustable: Bool { get }

    /// Takes what happened since the last call, the oldest first.
    ///
    /// Transitions that ran to their end are found by `advance(to:)`.
    public mutating func takeEvents() -> [HeadwayBar.BarEvent]
}

/// What is to be drawn.
extension ProgressBar {

    /// How far along the bar a value lies, in the unit of the layout.
    ///
    /// It is where the filled part ends and the dot has its middle when that value is shown, whatever the style.
    ///
    /// - Parameters:
    ///   - value: The value; outside of the range it counts as the nearer end.
    ///   - now: The time in seconds.
    /// - Returns: The distance from the beginning of the bar.
    public func place(of value: Double, at now: Double) -> Double

    /// How far along the bar the middle of the dot is seen.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: The distance from the beginning of the bar.
    public func dotCenter(at now: Double) -> Double

    /// The point of a place along the bar, on its middle line.
    ///
    /// - Parameter along: How far along the bar.
    /// - Returns: The point in the coordinates of the layout.
    public func point(along: Double) -> (x: Double, y: Double)

    /// Appends what is seen at a time to a drawing, the lowest shape first.
    ///
    /// Shapes that `followsValue` keep their size and only move between two times in which nothing but the value changes.
    ///
    /// - Parameters:
    ///   - now: The time in seconds.
    ///   - drawing: The list that the shapes are appended to.
    /// - Complexity: O(ranges and marks); no allocation where the list has room.
    public func draw(at now: Double, into drawing: inout [HeadwayBar.BarShape])
}

/// What keys and the wheel do to a bar.
extension ProgressBar {

    /// Takes a key in; each that changes the value chooses one.
    ///
    /// Right and up go on, left and down go back; where the value grows from right to left, left goes on. Escape calls off
    /// a drag.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - now: The time in seconds.
    /// - Returns: Whether the key meant something; the surface then keeps it from scrolling a page.
    public mutating func press(_ key: HeadwayBar.BarKey, at now: Double) -> Bool

    /// Takes a turn of the wheel in, only where the bar takes the wheel.
    ///
    /// - Parameters:
    ///   - steps: How many steps on; negative for back.
    ///   - now: The time in seconds.
    /// - Returns: Whether it meant something.
    public mutating func scroll(steps: Double, at now: Double) -> Bool

    /// Tells whether the bar has the focus of the keyboard: the dot stands out.
    ///
    /// - Parameters:
    ///   - hasFocus: Whether it has.
    ///   - now: The time in seconds.
    public mutating func setFocus(_ hasFocus: Bool, at now: Double)
}

/// What pointers do to a bar; points are in the coordinates of its layout.
///
/// ```
///                    moved along           moved
///   idle ─ touch ─▶ pressed ──────▶ dragging ⟲ ── lifted ──▶ committed, held
///     │               │ moved across   ▲  └─ Escape, second finger, taken away ─▶ called off
///     └─ mouse, pen ──┼────────────────┘
///                     ▼
///                    idle: the page scrolls
/// ```
extension ProgressBar {

    /// Takes a press in: a mouse or a pen begins to drag, anywhere in the hit area, and the value jumps there.
    ///
    /// On the dot, as it is shown, the value stays under the pointer as it was gripped. A finger only begins to drag when it
    /// moves along the bar.
    ///
    /// - Parameters:
    ///   - x: How far right the point is.
    ///   - y: How far down the point is.
    ///   - pointer: What is pressed with.
    ///   - isPrimary: Whether it is the first finger or the main button; others never drag, and a second finger calls a drag
    ///     off.
    ///   - now: The time in seconds.
    /// - Returns: Whether the press belongs to the bar now; the surface then sends it all that this pointer does.
    public mutating func pointerDown(x: Double, y: Double, pointer: HeadwayBar.BarPointer = .mouse, isPrimary: Bool = true, at now: Double) -> Bool

    /// Takes a move in, of a pointer that is down or only hovers, inside the bar or outside.
    ///
    /// - Parameters:
    ///   - x: How far right the point is.
    ///   - y: How far down the point is.
    ///   - now: The time in seconds.
    /// - Returns: Whether the value follows.
    @discardableResult
    public mutating func pointerMoved(x: Double, y: Double, at now: Double) -> Bool

    /// Takes the end of a press in: the value is chosen, once, and held until the source agrees.
    ///
    /// - Parameters:
    ///   - x: How far right the point is.
    ///   - y: How far down the point is.
    ///   - now: The time in seconds.
    public mutating func pointerUp(x: Double, y: Double, at now: Double)

    /// Tells that no pointer is over the bar any more.
    ///
    /// - Parameter now: The time in seconds.
    public mutating func pointerLeft(at now: Double)

    /// Calls off what a pointer has begun: the value is where the source is, and nothing is chosen.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: Whether there was a drag.
    @discardableResult
    public mutating func cancelDrag(at now: Double) -> Bool

    /// Tells whether a press at a point counts for the bar.
    ///
    /// The hit area is the bar with its margins, at least 24 points wide and high, 44 for fingers; and the dot where it is
    /// seen at that time, with the same least size.
    ///
    /// - Parameters:
    ///   - x: How far right the point is.
    ///   - y: How far down the point is.
    ///   - now: The time in seconds.
    /// - Returns: Whether the point is in the hit area or on the dot.
    public func hits(x: Double, y: Double, at now: Double) -> Bool

    /// Tells whether a point is on the dot where it is seen, or so near that it must be meant.
    ///
    /// - Parameters:
    ///   - x: How far right the point is.
    ///   - y: How far down the point is.
    ///   - now: The time in seconds.
    /// - Returns: Whether a press there grips the dot.
    public func hitsDot(x: Double, y: Double, at now: Double) -> Bool
}

/// How time passes for the bar.
extension ProgressBar {

    /// What a surface has to do to show the bar rightly from now on.
    public enum Activity : Hashable, Sendable {

        /// Nothing: what is drawn stays right until something is said or done.
        case still

        /// Only the value moves, in the phase that is given, on the clock of the surface: a compositor can draw it.
        case gliding(HeadwayBar.BarMotion.Phase)

        /// More changes than the value: each frame is drawn.
        case changing
    }

    /// Stops the value where it is seen, in the middle of a glide too.
    ///
    /// It is the source's `pauseAnimation`: the time line of the bar stands, and nothing moves until `resume(at:)` but
    /// what a person does and seeks. A bar that is paused stays so.
    ///
    /// - Parameter now: The time in seconds.
    public mutating func pause(at now: Double)

    /// Goes on from where `pause(at:)` stopped, at the same speed; the source's `resumeAnimation`.
    ///
    /// - Parameter now: The time in seconds.
    public mutating func resume(at now: Double)

    /// Changes how fast the source plays, from the shown value on.
    ///
    /// - Parameters:
    ///   - rate: 1 is normal speed, 0.25 to 4 are usual, negative is backwards; what is no number or beyond a
    ///     million changes nothing, and 0 stands still until another rate.
    ///   - now: The time in seconds.
    public mutating func setPlaybackRate(_ rate: Double, at now: Double)

    /// How fast the source plays.
    public var playbackRate: Double { get }

    /// Changes how fast time passes for the bar as a whole, reports and all; the shown value stays.
    ///
    /// It is the speed of a layer, which multiplies with the speeds inside: for a film of the bar in slow motion, not for
    /// a source that plays faster. In a pause it counts from the end of that.
    ///
    /// - Parameters:
    ///   - speed: Seconds of the bar in a second of the clock, above zero and up to 1,000; anything else changes
    ///     nothing.
    ///   - now: The time in seconds.
    public mutating func setSpeed(_ speed: Double, at now: Double)

    /// Goes on to a time and finds what has ended by then; call it once a frame, or when `nextChange(after:)` says.
    ///
    /// - Parameter now: The time in seconds.
    public mutating func advance(to now: Double)

    /// What moves from a time on.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: What a surface has to do.
    public func activity(at now: Double) -> HeadwayBar.ProgressBar.Activity

    /// When `advance(to:)` or a surface has something to do of itself, nil for never.
    ///
    /// A surface that draws each frame while `activity(at:)` is not still needs no more than that; one that lets a
    /// compositor draw wakes then.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: A time of the same clock; `now` itself where each frame counts.
    public func nextChange(after now: Double) -> Double?
}

/// What the source says.
extension ProgressBar {

    /// Shows a value at once, without animation.
    ///
    /// It ends a transition that is on its way and what is held after a drag; during a drag it is only remembered.
    ///
    /// - Parameters:
    ///   - value: The value; outside of the range it counts as the nearer end, no number changes nothing.
    ///   - now: The time in seconds.
    public mutating func setValue(_ value: Double, at now: Double)

    /// Takes a report of the source.
    ///
    /// A source of `reports` is followed as a clock: the shown value is steered to the line of its reports, a difference of
    /// more than half a second of the source is a seek, and three gaps without a report are a stall. One of `forecast` is
    /// caught up with in half a second and never followed back. During a drag a report moves nothing; after it the value
    /// that a person chose is held until a report agrees; after ten seconds any report is believed.
    ///
    /// - Parameters:
    ///   - value: Where the source is; outside of the range it counts as the nearer end, no number changes nothing.
    ///   - rate: For a `forecast`, by how much the value will grow in a second; nil for what earlier reports tell. A clock has
    ///     its speed from `unitsPerSecond` and its playback rate, and does not look at this.
    ///   - now: The time in seconds.
    public mutating func report(_ value: Double, rate: Double? = nil, at now: Double)

    /// Takes a report that tells where the source will be, as players that announce their next quarter of a second do.
    ///
    /// - Parameters:
    ///   - value: Where the source will be; outside of the range it counts as the nearer end, no number changes nothing.
    ///   - duration: In how many seconds; what is negative or no number counts as 0.
    ///   - sourceTime: The source's own time of the report, in its seconds. One that is not after the last is late or
    ///     twice, and changes nothing unless it is a seek.
    ///   - now: The time in seconds.
    public mutating func setValue(_ value: Double, duration: Double, time sourceTime: Double, at now: Double)

    /// Moves evenly to a value in a given time; its end is told by an event.
    ///
    /// A later value of any kind, a drag, a stop or a reset interrupts it. In a pause it stands, and goes on after it.
    ///
    /// - Parameters:
    ///   - value: The value; outside of the range it counts as the nearer end, no number as the one that is shown.
    ///   - duration: For how many seconds; what is negative, infinite or no number counts as 0.
    ///   - now: The time in seconds.
    /// - Returns: The name of the change, which the event of its end carries: `advance(to:)` finds it, or at once what
    ///   interrupts it.
    @discardableResult
    public mutating func setValue(_ value: Double, duration: Double, at now: Double) -> HeadwayBar.BarTransition

    /// Goes to a value and on from there at the speed of the source: what it has been told to seek.
    ///
    /// - Parameters:
    ///   - value: The value; outside of the range it counts as the nearer end, no number changes nothing.
    ///   - now: The time in seconds.
    public mutating func seek(to value: Double, at now: Double)

    /// Slows to a stop within one gap between reports: the source says that it waits for data.
    ///
    /// - Parameter now: The time in seconds.
    public mutating func stall(at now: Double)

    /// Stays at the value that is shown and forgets where it was going, the source's `removeProgressAnimation`.
    ///
    /// It never jumps to the target. A report sets it in motion again.
    ///
    /// - Parameter now: The time in seconds.
    public mutating func removeAnimation(at now: Double)

    /// Goes to the beginning of the range and forgets everything that was reported, paused, dragged or held.
    ///
    /// Range, style, layout and the choices of the program stay; rate and speed are 1 again.
    ///
    /// - Parameter now: The time in seconds.
    public mutating func reset(at now: Double)

    /// Changes the range, when a total grows or shrinks or a live window slides.
    ///
    /// The shown value stays unless it is outside now. Its place glides to the new one within a third of a second, at once
    /// only where there was no range before. During a drag the dot stays under the pointer instead, and the value changes.
    ///
    /// - Parameters:
    ///   - low: The beginning; no number counts as 0.
    ///   - high: The end; what is no number or below the beginning counts as the beginning, and makes an empty bar.
    ///   - now: The time in seconds.
    public mutating func setRange(from low: Double, to high: Double, at now: Double)
}

/// How the bar looks.
extension ProgressBar {

    /// The style that was set, which may still be on its way.
    public var style: HeadwayBar.BarStyle { get }

    /// The style that is seen at a time.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: The style, between two others while it changes.
    /// - Complexity: O(ranges and marks).
    public func shownStyle(at now: Double) -> HeadwayBar.BarStyle

    /// Changes the style, at once or gradually; the place of the value stays.
    ///
    /// - Parameters:
    ///   - style: The style.
    ///   - duration: For how many seconds it changes; what is negative, infinite or no number counts as 0.
    ///   - now: The time in seconds.
    /// - Complexity: O(ranges and marks).
    public mutating func setStyle(_ style: HeadwayBar.BarStyle, over duration: Double = 0, at now: Double)

    /// Changes parts of the style, at once or gradually; at once, other parts that are on their way go on.
    ///
    /// ```swift
    /// bar.changeStyle(over: 0.2, at: now) { $0.barHeight = 8 }
    /// ```
    ///
    /// - Parameters:
    ///   - duration: For how many seconds it changes; what is negative, infinite or no number counts as 0.
    ///   - now: The time in seconds.
    ///   - change: Changes the parts.
    /// - Complexity: O(ranges and marks).
    public mutating func changeStyle(over duration: Double = 0, at now: Double, _ change: (inout HeadwayBar.BarStyle) -> Void)

    /// The size of the dot at a time.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: The width and height, 0 where there is no dot.
    public func dotSize(at now: Double) -> Double
}

extension ProgressBar {

    /// What assistive technology is to be told now, if anything.
    ///
    /// A value that glides is told once a second, one that a person has changed at once, and nothing where nothing changed.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: What to tell; nil to leave what was told.
    public mutating func announcement(at now: Double) -> HeadwayBar.BarAnnouncement?

    /// When `announcement(at:)` may have something to tell if nothing is said or done until then, nil for never.
    ///
    /// - Parameter now: The time in seconds.
    /// - Returns: A time of the same clock, `now` where something is to be told already.
    public func nextAnnouncement(after now: Double) -> Double?
}

/// A line of time inside another one: begun later, run faster, held, repeated, or run backwards.
///
/// The model is that of `CAMediaTiming`, which animations of Apple's systems share. A time of the parent becomes a time
/// of this line in two steps:
///
/// ```
///                 begin, speed, offset                       duration, repeats, reverses
///   parent time ────────────────────────▶ active local time ──────────────────────────────▶ basic local time
/// ```
///
/// A line nests in a line, and their speeds multiply: in a line of speed 2 inside a line of speed 2 an animation of
/// eight seconds takes two. ``TimeLines`` holds such a nest.
///
/// ```swift
/// var film = TimeLine()
/// film.pause(at: 2.01)  // speed 0, offset 2.01
/// film.resume(at: 10)  // the next quarter of a second goes on where it stood
/// film.localTime(at: 10.25)  // 2.26
/// ```
///
/// All times are in seconds. A value that is no number, or infinite where only a number helps, counts as the default of
/// that property, and a negative duration as zero, so nothing here traps. A pure value; all operations are O(1), without
/// allocation.
public struct TimeLine : Hashable, Sendable {

    /// What a line of time answers before its beginning and after its end.
    public enum FillMode : UInt8, Sendable {

        /// Nothing before and nothing after.
        case removed

        /// Its last moment after the end.
        case forwards

        /// Its first moment before the beginning.
        case backwards

        /// Both.
        case both
    }

    /// When this line begins, in seconds of the parent.
    public var beginTime: Double

    /// How long one run takes, in seconds of this line; infinite for a line without an end, such as that of a layer.
    public var duration: Double

    /// How many seconds of this line pass in a second of the parent: 0 stands still, negative runs backwards.
    public var speed: Double

    /// What is added to the time of this line; a run of an animation begins so far inside it and wraps round.
    public var timeOffset: Double

    /// How many times a run is repeated, fractions too; 0 means once, infinity for ever.
    public var repeatCount: Double

    /// For how many seconds of this line runs are repeated; 0 leaves it to the count, and it wins over the count.
    public var repeatDuration: Double

    /// Whether each run is followed by one backwards, which belongs to it.
    public var autoreverses: Bool

    /// What it answers outside of its runs.
    public var fillMode: HeadwayBar.TimeLine.FillMode

    /// Creates a line that runs like its parent, for ever.
    public init()

    /// Creates a line of one run.
    ///
    /// - Parameters:
    ///   - beginTime: When it begins, in seconds of the parent.
    ///   - duration: How long a run takes, in seconds of this line.
    ///   - speed: How many seconds of this line pass in a second of the parent.
    public init(beginTime: Double = 0, duration: Double, speed: Double = 1)

    /// The active local time: `(time − beginTime) · speed + timeOffset`.
    ///
    /// - Parameter time: A time of the parent.
    /// - Returns: The time of this line, whether it has begun or not.
    public func localTime(at time: Double) -> Double

    /// The time of the parent at which this line has a time.
    ///
    /// - Parameter localTime: A time of this line.
    /// - Returns: The time of the parent; nil where this line stands still and there is not one.
    public func parentTime(at localTime: Double) -> Double?

    /// How long all runs take together, in seconds of this line: zero or more, perhaps infinite.
    public var activeDuration: Double { get }

    /// When the last run ends, in seconds of the parent; infinite for a line that never ends or stands still.
    public var endTime: Double { get }

    /// The time inside a run, with repeats and reversals taken off.
    ///
    /// With a negative speed the runs are gone through from their end to their beginning.
    ///
    /// - Parameter time: A time of the parent.
    /// - Returns: From zero to `duration`; nil before the beginning and after the end, unless `fillMode` holds the
    ///   first or the last moment.
    public func basicTime(at time: Double) -> Double?

    /// Whether it stands still.
    public var isPaused: Bool { get }

    /// Stops the line where it is: its speed becomes zero and its offset the time at which it stands.
    ///
    /// It keeps how much of its runs is over, and its offset comes back with `resume(at:speed:)`. A line that stands already
    /// is left alone.
    ///
    /// - Parameter time: The time of the parent.
    public mutating func pause(at time: Double)

    /// Lets the line go on from where it stands; one that runs is left alone.
    ///
    /// - Parameters:
    ///   - time: The time of the parent.
    ///   - newSpeed: The speed from now on.
    public mutating func resume(at time: Double, speed newSpeed: Double = 1)

    /// Changes the speed and leaves the time of this line where it is.
    ///
    /// - Parameters:
    ///   - newSpeed: Seconds of this line in a second of the parent.
    ///   - time: The time of the parent.
    public mutating func setSpeed(_ newSpeed: Double, at time: Double)
}

/// Lines of time one inside another, from the outermost to the innermost.
///
/// Level 0 is the time of the world outside, such as the seconds of a clock; line `n` leads from level `n` to level
/// `n + 1`. A time can be taken from any level to any other, as `convertTime(_:fromLayer:)` does for layers.
///
/// ```swift
/// let lines = TimeLines([TimeLine(duration: .infinity, speed: 2), TimeLine(duration: 8, speed: 2)])
/// lines.speed  // 4: eight seconds inside take two outside
/// lines.convert(8, from: 2, to: 0)  // 2
/// ```
///
/// A pure value. Not thread safe.
public struct TimeLines : Hashable, Sendable {

    /// The lines, the outermost first.
    public var lines: [HeadwayBar.TimeLine]

    /// Creates a nest of lines.
    ///
    /// - Parameter lines: The lines, the outermost first.
    public init(_ lines: [HeadwayBar.TimeLine])

    /// The product of all speeds: how many seconds pass in the innermost line in a second outside.
    ///
    /// - Complexity: O(lines).
    public var speed: Double { get }

    /// Takes a time from one level to another.
    ///
    /// - Parameters:
    ///   - time: A time in seconds of the level `from`.
    ///   - from: The level of that time, from 0 to the number of lines.
    ///   - to: The level that it is taken to, from 0 to the number of lines.
    /// - Returns: The same moment at the level `to`; nil where a line between them stands still on the way out, or where
    ///   there is no such level.
    /// - Complexity: O(lines between the two levels).
    public func convert(_ time: Double, from: Int, to: Int) -> Double?

    /// The time inside a run of the innermost line, with the repeats and reversals of all lines round it.
    ///
    /// - Parameter time: A time of the world outside, in seconds.
    /// - Returns: The time; nil where it is outside of the runs of a line that does not fill it.
    /// - Complexity: O(lines).
    public func basicTime(at time: Double) -> Double?
}

