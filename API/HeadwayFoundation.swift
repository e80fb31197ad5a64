import Foundation
import Glibc
import HeadwayLock
import HeadwayProgress
import Observation

/// An asynchronous sequence that reports to a node how many of its elements were worked on.
///
/// An element counts as completed when the next one is asked for. Before each element the iterator waits
/// while the node is paused, and throws when the node or the task is cancelled.
public struct AsyncReportingSequence<Base> : AsyncSequence where Base : AsyncSequence {

    /// An element.
    public typealias Element = Base.Element

    /// What the sequence throws, or `CancellationError`.
    public typealias Failure = any Error

    /// Begins to go through the elements.
    public func makeAsyncIterator() -> HeadwayFoundation.AsyncReportingSequence<Base>.Iterator

    /// One way through the elements.
    public struct Iterator : AsyncIteratorProtocol {

        /// Reports the element before, waits while the node is paused, and goes on to the next.
        ///
        /// - Parameter actor: The actor to wait on: the caller's.
        /// - Returns: The next element, nil after the last.
        /// - Throws: What the sequence throws; `CancellationError` when the node or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Base.Element?

        /// Reports the element before, waits while the node is paused, and goes on to the next.
        ///
        /// - Returns: The next element, nil after the last.
        /// - Throws: What the sequence throws; `CancellationError` when the node or the task is cancelled.
        public mutating func next() async throws -> Base.Element?
    }
}

extension AsyncReportingSequence : Sendable where Base : Sendable {
}

/// Reads and copies files in chunks, and reports the bytes to the current node.
///
/// ```swift
/// let node = ProgressNode("Installing", total: 2)
/// try node.withCurrent(units: 2) {
///   try FileProgress.copy(image, to: target)
/// }
/// ```
///
/// Each call joins the current node by `ProgressNode.joinCurrent`: the units of its child are bytes. The
/// child says which file it is about, how many bytes come through in a second of work, and how long it will
/// still take; pauses do not count. Without a current node the file is read or copied all the same.
///
/// - Cancel and pause: looked at before each chunk. A cancel is thrown as `CocoaError(.userCancelled)`.
/// - Errors: those of Foundation, as `CocoaError` with the path, and the one of the system below it.
/// - Thread safety: everything, from any thread.
/// - The forms without `async` block the thread, also while the work is paused.
public enum FileProgress {

    /// The bytes of a chunk where nothing else is said: enough that the system calls do not weigh.
    public static let chunkSize: Int

    /// Reads a regular file.
    ///
    /// - Parameters:
    ///   - file: The file; a symbolic link is followed.
    ///   - chunkSize: The bytes to read between two looks at cancel and pause; it must be at least 1.
    /// - Returns: The bytes of the file.
    /// - Throws: `CocoaError(.userCancelled)` when the work is cancelled; `CocoaError` when the file cannot be
    ///   read, is a folder or no regular file.
    public static func contents(of file: URL, chunkSize: Int = chunkSize) throws -> Data

    /// Reads a regular file without blocking the caller's actor.
    ///
    /// - Parameters:
    ///   - file: The file; a symbolic link is followed.
    ///   - chunkSize: The bytes to read between two looks at cancel and pause; it must be at least 1.
    /// - Returns: The bytes of the file.
    /// - Throws: `CocoaError(.userCancelled)` when the work or the task is cancelled; `CocoaError` when the
    ///   file cannot be read, is a folder or no regular file.
    @concurrent public static func contents(of file: URL, chunkSize: Int = chunkSize) async throws -> Data

    /// Copies a regular file, with its permissions.
    ///
    /// The bytes go to a new file beside the destination, which takes its name in one step at the end: nobody
    /// sees half a copy. It is removed when the copy fails or is cancelled.
    ///
    /// - Parameters:
    ///   - source: The file; a symbolic link is followed.
    ///   - destination: Where the copy goes, in a folder that exists.
    ///   - isReplacing: Whether a file that is there already is replaced; a symbolic link there is replaced
    ///     itself.
    ///   - chunkSize: The bytes to copy between two looks at cancel and pause; it must be at least 1.
    /// - Throws: `CocoaError(.userCancelled)` when the work is cancelled; `CocoaError` when the source cannot
    ///   be read, is a folder or no regular file, or when the destination exists or cannot be written. Nothing
    ///   has changed then.
    public static func copy(_ source: URL, to destination: URL, replacing isReplacing: Bool = false, chunkSize: Int = chunkSize) throws

    /// Copies a regular file, with its permissions, without blocking the caller's actor.
    ///
    /// All that is said of the form that blocks holds.
    ///
    /// - Parameters:
    ///   - source: The file; a symbolic link is followed.
    ///   - destination: Where the copy goes, in a folder that exists.
    ///   - isReplacing: Whether a file that is there already is replaced; a symbolic link there is replaced
    ///     itself.
    ///   - chunkSize: The bytes to copy between two looks at cancel and pause; it must be at least 1.
    /// - Throws: `CocoaError(.userCancelled)` when the work or the task is cancelled; `CocoaError` when the
    ///   source cannot be read, is a folder or no regular file, or when the destination exists or cannot be
    ///   written.
    @concurrent public static func copy(_ source: URL, to destination: URL, replacing isReplacing: Bool = false, chunkSize: Int = chunkSize) async throws
}

/// Runs a body where a Foundation `Progress` may be touched, and returns when the body has.
///
/// On Linux `Progress` has no lock: it must be touched from one place at a time. Where that place is a queue,
/// this is `{ body in queue.sync(execute: body) }`; where it is a lock, `{ body in lock.withLock(body) }`. It
/// is called by whoever looks at the tree of the node, cancels or pauses it, so none of that may be done
/// inside such a place. A `NodeProgress` below the progress does that when Foundation cancels or pauses it:
/// where the tree of its node has progress in the same place, the lock must be one that a thread may take
/// twice.
public typealias FoundationAccess = @Sendable (() -> Void) -> Void

/// A Foundation `Progress` for a node: for code that shows, cancels or pauses those, and as a child of one.
///
/// ```swift
/// let progress = NodeProgress(of: node)
/// parent.addChild(progress, withPendingUnitCount: 3)
/// ```
///
/// - What it says: counts, states, words, kind and typed values are read from the node when they are asked
///   for. `fractionCompleted` and what a Foundation parent adds up cannot be asked for: they are brought up
///   to date on an actor, at most once a frame while the node changes, and by ``update()``. Their fraction is
///   the shown one, which never goes back, in millionths.
/// - The actor is the main one unless you name another. In a program whose main thread blocks, as a
///   synchronous command line tool does, the main actor never runs, and the Foundation parent is never
///   brought up to date: there pass another actor, or none and call ``update()`` whenever the parent is about
///   to be looked at.
/// - Cancel and pause: those of the progress, or of its Foundation parent, reach the node at once. Those of
///   the node hold for `isCancelled` and `isPaused` at once; Foundation's children hear of them on the actor.
/// - Handlers: `cancellationHandler`, `pausingHandler` and `resumingHandler` are called on the actor, soon
///   after the event; those of events that follow each other closely may be called in another order. Code
///   that knows the node has more control with `node.onCancel(on:)` and its like.
/// - With an actor it is one who watches the node: while it lives, Foundation's progress in the same tree is
///   asked once a frame. Without one nobody is asked until ``update()``.
/// - Units: the node's own. An unknown total reads as -1, so that the progress is indeterminate.
/// - Foundation's children of this progress become children of the node, see
///   `ProgressNode.add(_:units:label:access:)`; so do those that join while it is current. While
///   it is current and nobody joins, the units are completed at `resignCurrent()`. Another progress of this
///   type stands for its node, which is added itself.
/// - Life: it does not hold the node. When the node has finished, it is finished as well, and stays as the
///   node was.
/// - Thread safety: counts, states and words may be read on any thread. Everything else must be used on the
///   actor alone, as must the Foundation parent and all that is above it: on Linux Foundation has no lock. To
///   cancel or pause from elsewhere, tell the node.
final public class NodeProgress : Progress, @unchecked Sendable {

    /// Creates the progress of a node.
    ///
    /// - Parameters:
    ///   - node: The node. It is not held.
    ///   - actor: Where the fraction, the Foundation parent and the handlers are brought up to date; nil for
    ///     nowhere: then ``update()`` alone does that, for code that uses the progress on one thread, and
    ///     handlers are called where Foundation calls them.
    ///   - interval: The length of a frame.
    ///   - clock: What measures the frames.
    public convenience init<C>(of node: HeadwayProgress.ProgressNode, on actor: (any Actor)? = MainActor.shared, every interval: Duration = .milliseconds(16), clock: C = ContinuousClock()) where C : Clock, C.Duration == Duration

    deinit

    /// Brings the fraction, the Foundation parent and the handlers up to date at once.
    ///
    /// It must be called where the Foundation tree may be touched.
    public func update()

    /// The completed units of the node; setting them sets the node's.
    override public var completedUnitCount: Int64

    /// The units of the node's work, -1 while they are not known; setting them sets the node's.
    override public var totalUnitCount: Int64

    /// Whether the total of the node is not known.
    override public var isIndeterminate: Bool { get }

    /// Whether the node has finished, which its count alone does not decide.
    override public var isFinished: Bool { get }

    /// Whether a cancel reaches the node; setting it sets the node's.
    override public var isCancellable: Bool

    /// Whether a pause reaches the node; setting it sets the node's.
    override public var isPausable: Bool

    /// Cancels the node and tells the handler of this progress.
    override public func cancel()

    /// Pauses the node and tells the handler of this progress.
    override public func pause()

    /// Lets the node go on and tells the handler of this progress.
    override public func resume()

    /// What the actor does when the node or this progress is cancelled, nil for nothing.
    override public var cancellationHandler: (@Sendable () -> Void)?

    /// What the actor does when the node or this progress is paused, nil for nothing.
    override public var pausingHandler: (@Sendable () -> Void)?

    /// What the actor does when the node or this progress goes on after a pause, nil for nothing.
    override public var resumingHandler: (@Sendable () -> Void)?

    /// Whether the node is cancelled.
    override public var isCancelled: Bool

    /// Whether the node or one above it is paused; it is changed by `pause()` and `resume()`.
    override public var isPaused: Bool

    /// What is done, in words of the user's language.
    override public var localizedDescription: String? { get }

    /// How far it is, in words of the user's language.
    override public var localizedAdditionalDescription: String? { get }

    /// What sort of work it is; setting it sets the node's.
    override public var kind: ProgressKind?

    /// The typed values of the node under Foundation's keys, and what else was set here.
    override public var userInfo: [ProgressUserInfoKey : Any] { get }

    /// Sets a value; those that nodes know are set at the node.
    ///
    /// - Parameters:
    ///   - value: The value, nil to remove it.
    ///   - key: Its key.
    override public func setUserInfoObject(_ value: Any?, forKey key: ProgressUserInfoKey)

    /// Adds a Foundation progress below the node.
    ///
    /// One that cannot be added, as it stands for a node above or in another place, is left out. If it has
    /// finished its units are completed.
    ///
    /// - Parameters:
    ///   - child: The progress; see `ProgressNode.add(_:units:label:access:)`.
    ///   - units: The units of the node that it stands for.
    override public func addChild(_ child: Progress, withPendingUnitCount units: Int64)

    /// Lets what is created on this thread join the node, until `resignCurrent()`.
    ///
    /// - Parameter units: The units of the node that the scope stands for.
    @available(*, noasync)
    override public func becomeCurrent(withPendingUnitCount units: Int64)

    /// Ends what `becomeCurrent(withPendingUnitCount:)` began: units that nobody has joined for are completed.
    @available(*, noasync)
    override public func resignCurrent()
}

/// The progress of a node for views: observed by SwiftUI and by `Observations`, on the main actor.
///
/// ```swift
/// let progress = ObservableProgress(of: node)
/// Text(progress.snapshot.localizedDescription())
/// ```
///
/// It takes a snapshot at most once a frame, when something has changed, and the last one when the node
/// finishes. It does not hold the node, and stays as the node was at the end. While it lives one task sleeps
/// on its behalf.
@MainActor final public class ObservableProgress {

    /// The tree as it was at the last frame.
    @MainActor public private(set) var snapshot: HeadwayProgress.ProgressSnapshot

    /// Begins to follow a node.
    ///
    /// - Parameters:
    ///   - node: The node. It is not held.
    ///   - interval: The length of a frame.
    ///   - limit: The most nodes of a snapshot: 1 to 1,000.
    ///   - clock: What measures the frames.
    @MainActor public init<C>(of node: HeadwayProgress.ProgressNode, every interval: Duration = .milliseconds(16), limit: Int = 1_000, clock: C = ContinuousClock()) where C : Clock, C.Duration == Duration

    /// The part of the work to show, from 0 to 1: it never goes back.
    @MainActor public var fraction: Double { get }

    /// Whether the work has ended.
    @MainActor public var isFinished: Bool { get }

    /// Tells the work to end early.
    ///
    /// - Complexity: O(nodes below).
    @MainActor public func cancel()

    /// Pauses the work.
    ///
    /// - Complexity: O(nodes below).
    @MainActor public func pause()

    /// Lets the work go on.
    ///
    /// - Complexity: O(nodes below).
    @MainActor public func resume()
}

extension ObservableProgress : nonisolated Observable {
}

/// Puts progress into the words that people read beside a bar, in English or Simplified Chinese.
///
/// ```swift
/// let snapshot = node.snapshot()
/// snapshot.formatted(.progress())             // "40% completed"
/// snapshot.formatted(.progress(.details))     // "1.2 MB of 3.4 MB – 5 seconds remaining"
/// ```
///
/// The forms are those of Foundation's `NSProgress`. A locale of Simplified Chinese gives that, every other
/// one English, those of Traditional Chinese among them; numbers, percentages and sizes are always written as
/// the locale has it. A percentage is rounded down, so that 100 % is read only when the work has finished.
///
/// The percentage is that of the shown fraction, which never goes back; the second line has the counts as
/// they are. The two differ after `takeBack(_:)` and when a total grows: "75% completed" beside "3 of 6"
/// until the counts have caught up.
///
/// The remaining time is what the node itself says, as the work below may know its own part alone. The speed
/// is the sum of that of the node and of all work below.
///
/// A value; safe from any thread.
public struct ProgressFormatStyle : FormatStyle {

    /// Which of the two lines.
    public enum Line : String, Codable, Hashable, Sendable, CaseIterable {

        /// What is done: the label, or else "40% completed", "Downloading 4 files…" and the like.
        case summary

        /// How far it is: the detail, or else "3 of 6", "1.2 MB of 3.4 MB – 5 seconds remaining" and the like.
        ///
        /// "Paused – " stands before it while the work waits; where a label takes the place of "Cancelling…" and
        /// "Cancelled" in the first line, these stand there as well.
        case details
    }

    /// Which line to write.
    public var line: HeadwayFoundation.ProgressFormatStyle.Line

    /// Decides the language and how numbers are written.
    public var locale: Locale

    /// Creates a style.
    ///
    /// - Parameters:
    ///   - line: Which of the two lines to write.
    ///   - locale: Decides the language and how numbers are written.
    public init(_ line: HeadwayFoundation.ProgressFormatStyle.Line = .summary, locale: Locale = .autoupdatingCurrent)

    /// Puts a snapshot into words.
    ///
    /// - Parameter snapshot: What to describe.
    /// - Returns: One line without an end; details are empty where there is nothing to say.
    public func format(_ snapshot: HeadwayProgress.ProgressSnapshot) -> String

    /// The same style in another locale.
    ///
    /// - Parameter locale: Decides the language and how numbers are written.
    /// - Returns: The style.
    public func locale(_ locale: Locale) -> HeadwayFoundation.ProgressFormatStyle
}

/// A sequence that reports to a node how many of its elements were worked on.
///
/// An element counts as completed when the next one is asked for, that is when the body of the loop is
/// through with it; the element at which a loop is left does not count. Each iteration counts anew.
///
/// As safe as the sequence that it wraps; an iterator belongs to one thread at a time.
public struct ReportingSequence<Base> : Sequence where Base : Sequence {

    /// An element.
    public typealias Element = Base.Element

    /// Begins to go through the elements.
    public func makeIterator() -> HeadwayFoundation.ReportingSequence<Base>.Iterator

    /// A number of elements that is certainly not too large.
    public var underestimatedCount: Int { get }

    /// One way through the elements.
    public struct Iterator : IteratorProtocol {

        /// Reports the element before, and goes on to the next.
        ///
        /// - Returns: The next element, nil after the last.
        public mutating func next() -> Base.Element?
    }
}

extension ReportingSequence : Sendable where Base : Sendable {
}

extension ProgressNode {

    /// Creates the root of a tree that shows what a Foundation `Progress` says.
    ///
    /// ```swift
    /// let node = ProgressNode(mirroring: task.progress)
    /// for await snapshot in node.feed() { bar.show(snapshot.shownFraction) }
    /// ```
    ///
    /// - The units of the node are those of the progress: an indeterminate one gives an unknown total, negative
    ///   counts read as 0. While children of the progress are at work the node counts in billionths, as
    ///   Foundation has their part in its fraction alone; words and byte counts stay in the units of the
    ///   progress.
    /// - A cancel or a pause of the node reaches the progress at once, on the thread that cancels. One of the
    ///   progress reaches the node at the next look: Foundation tells nobody (on Linux), so the progress is
    ///   asked before each look at the tree, at most once a frame while somebody watches, and never while
    ///   nobody does.
    /// - A ``NodeProgress`` is read from its node, at each look and without `access`.
    /// - The node finishes when a look finds the progress finished, and when the progress is gone. Neither
    ///   holds the other.
    ///
    /// - Parameters:
    ///   - progress: What to mirror.
    ///   - label: The words that name the work; none by default.
    ///   - access: Runs a body where the progress may be touched. By default that is any thread that looks at
    ///     the tree, cancels or pauses, which is right only while nobody changes the progress on another one.
    ///     If another thread changes it, pass what both take turns by; see ``FoundationAccess``.
    public convenience init(mirroring progress: Progress, label: String = "", access: @escaping HeadwayFoundation.FoundationAccess = { body in body() })

    /// Adds a Foundation `Progress` as a child, as `addChild(_:withPendingUnitCount:)` does between two of
    /// them.
    ///
    /// All that is said of ``init(mirroring:label:access:)`` holds, but for one thing: the progress keeps the
    /// child, so that nobody else has to. The child finishes with the progress, or when the progress is gone.
    ///
    /// A ``NodeProgress`` stands for its node: that node itself is added, as by `add(_:units:)`, and the same
    /// is thrown where it cannot be. A progress below which there is one that stands for this node, or for a
    /// node above it, is refused as well, as far as Foundation shows what is below (on Linux): what comes below
    /// it later is not seen. In such a circle every look ends, but the fractions count twice.
    ///
    /// - Parameters:
    ///   - progress: What to mirror.
    ///   - units: The units of this node that the progress stands for; less than 0 counts as 0.
    ///   - label: The words that name the work; none by default.
    ///   - access: Runs a body where the progress may be touched, see ``init(mirroring:label:access:)``.
    /// - Returns: The child.
    /// - Throws: `ProgressError` for a ``NodeProgress`` whose node has a parent, has finished, or is this one
    ///   or above it, and for a progress with such a one of this node or above below it. Nothing has changed
    ///   then. Any other progress can be added.
    @discardableResult
    public func add(_ progress: Progress, units: Int, label: String = "", access: @escaping HeadwayFoundation.FoundationAccess = { body in body() }) throws(HeadwayProgress.ProgressError) -> HeadwayProgress.ProgressNode
}

extension CocoaError {

    /// Runs a body, and throws `CocoaError(.userCancelled)` where it throws `CancellationError`.
    ///
    /// Code that was written for Foundation knows a cancel as `NSUserCancelledError` of the Cocoa domain:
    ///
    /// ```swift
    /// func filter(_ image: Image) throws -> Image {
    ///   try CocoaError.replacingCancellation {
    ///     for row in image.rows { try node.blockingCheckpoint() }
    ///     return image
    ///   }
    /// }
    /// ```
    ///
    /// - Parameter body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: `CocoaError(.userCancelled)` for a `CancellationError`, every other error as it is.
    public static func replacingCancellation<Result>(_ body: () throws -> Result) throws -> Result

    /// Runs an asynchronous body, and throws `CocoaError(.userCancelled)` where it throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on: the caller's.
    ///   - body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: `CocoaError(.userCancelled)` for a `CancellationError`, every other error as it is.
    public static func replacingCancellation<Result>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result) async throws -> Result
}

extension ProgressNode {

    /// Waits while the node is paused, and throws when the work is to end, as Foundation's callers expect it.
    ///
    /// - Parameter isolation: The actor to wait on: the caller's.
    /// - Throws: `CocoaError(.userCancelled)` when the node or the task is cancelled, also while it waits.
    /// - Complexity: O(1); two loads where there is nothing to wait for.
    public func userCheckpoint(isolation: isolated (any Actor)? = #isolation) async throws(CocoaError)

    /// Waits while the node is paused, and throws when the work is to end, for loops on plain threads.
    ///
    /// It blocks the thread while the node is paused, so asynchronous code calls
    /// ``userCheckpoint(isolation:)``.
    ///
    /// - Throws: `CocoaError(.userCancelled)` when the node is cancelled, also while it waits.
    /// - Complexity: O(1); one load where there is nothing to wait for.
    public func blockingUserCheckpoint() throws(CocoaError)
}

extension ProgressNode {

    /// The file that the work is about, nil for none; it is kept as `ProgressNode.filePath`.
    ///
    /// A URL that is no file URL has no path on this machine, and sets nil.
    ///
    /// - Complexity: O(values of the node): one lock.
    public var fileURL: URL?
}

extension ProgressSnapshot {

    /// The file that the work is about, nil for none.
    public var fileURL: URL? { get }

    /// The files that this work and what is below it are about at the moment.
    public var fileURLs: [URL] { get }
}

extension FormatStyle where Self == HeadwayFoundation.ProgressFormatStyle {

    /// The words that people read beside a bar.
    ///
    /// - Parameter line: Which of the two lines to write.
    /// - Returns: A style for the locale of the user.
    public static func progress(_ line: HeadwayFoundation.ProgressFormatStyle.Line = .summary) -> HeadwayFoundation.ProgressFormatStyle
}

extension ProgressSnapshot {

    /// Formats the snapshot with a style.
    ///
    /// - Parameter style: How, such as `.progress()`.
    /// - Returns: What the style makes of it.
    public func formatted<Style>(_ style: Style) -> Style.FormatOutput where Style : FormatStyle, Style.FormatInput == HeadwayProgress.ProgressSnapshot

    /// What is done in one line: the label, or else "40% completed", "Downloading 4 files…" and the like.
    ///
    /// - Parameter locale: Decides the language and how numbers are written.
    /// - Returns: A line that is not empty.
    public func localizedDescription(locale: Locale = .autoupdatingCurrent) -> String

    /// How far it is in one line: the detail, or else "3 of 6", "1.2 MB of 3.4 MB – 5 seconds remaining" and
    /// the like.
    ///
    /// - Parameter locale: Decides the language and how numbers are written.
    /// - Returns: A line, empty when there is nothing to say.
    public func localizedAdditionalDescription(locale: Locale = .autoupdatingCurrent) -> String
}

extension ProgressNode {

    /// What is done in one line, at this moment; see `ProgressSnapshot.localizedDescription(locale:)`.
    ///
    /// - Parameter locale: Decides the language and how numbers are written.
    /// - Returns: A line that is not empty.
    /// - Complexity: That of a snapshot of one node.
    public func localizedDescription(locale: Locale = .autoupdatingCurrent) -> String

    /// How far it is in one line, at this moment; see ``ProgressFormatStyle/Line/details``.
    ///
    /// - Parameter locale: Decides the language and how numbers are written.
    /// - Returns: A line, empty when there is nothing to say.
    /// - Complexity: That of a snapshot of one node.
    public func localizedAdditionalDescription(locale: Locale = .autoupdatingCurrent) -> String
}

extension Sequence {

    /// Counts the elements of a loop as units of a node.
    ///
    /// ```swift
    /// for row in rows.reporting(to: node, addingTotal: true) { blur(row) }
    /// ```
    ///
    /// The node is not finished at the end: more may be reported to it. A cancel of the node does not end the
    /// loop: ask in its body, as `try node.blockingCheckpoint()` does.
    ///
    /// - Parameters:
    ///   - node: What to report to.
    ///   - addingTotal: Whether to add the number of elements to the node's total when an iteration begins: for
    ///     a collection its `count`, otherwise `underestimatedCount`, which may be too small.
    /// - Returns: A sequence of the same elements.
    /// - Complexity: O(1), and that of counting where the total is added.
    public func reporting(to node: HeadwayProgress.ProgressNode, addingTotal: Bool = false) -> HeadwayFoundation.ReportingSequence<Self>

    /// Counts the elements of a loop as units of a child of the current node.
    ///
    /// ```swift
    /// for file in files.reportingToCurrent("Checking") { check(file) }
    /// ```
    ///
    /// The child is made when an iteration begins, and finishes when it ends, also when the loop is left early.
    /// Its total is `underestimatedCount`, and for a collection `count`; not known where that is 0 for what is
    /// no collection.
    ///
    /// - Parameters:
    ///   - label: The words that name the work; none by default.
    ///   - units: The units of the current node to take, nil for all that are left.
    /// - Returns: A sequence of the same elements.
    public func reportingToCurrent(_ label: String = "", units: Int? = nil) -> HeadwayFoundation.ReportingSequence<Self>
}

extension Collection {

    /// Counts the elements of a loop as units of a node.
    ///
    /// The node is not finished at the end: more may be reported to it. A cancel of the node does not end the
    /// loop: ask in its body, as `try node.blockingCheckpoint()` does.
    ///
    /// - Parameters:
    ///   - node: What to report to.
    ///   - addingTotal: Whether to add `count` to the node's total when an iteration begins.
    /// - Returns: A sequence of the same elements.
    /// - Complexity: O(1), and that of `count` where the total is added.
    public func reporting(to node: HeadwayProgress.ProgressNode, addingTotal: Bool = false) -> HeadwayFoundation.ReportingSequence<Self>

    /// Counts the elements of a loop as units of a child of the current node, whose total is `count`.
    ///
    /// The child is made when an iteration begins, and finishes when it ends, also when the loop is left early.
    ///
    /// - Parameters:
    ///   - label: The words that name the work; none by default.
    ///   - units: The units of the current node to take, nil for all that are left.
    /// - Returns: A sequence of the same elements.
    /// - Complexity: That of `count`.
    public func reportingToCurrent(_ label: String = "", units: Int? = nil) -> HeadwayFoundation.ReportingSequence<Self>
}

extension AsyncSequence {

    /// Counts the elements of a loop as units of a node, and stops where the node is paused or cancelled.
    ///
    /// ```swift
    /// for try await line in lines.reporting(to: node) { parse(line) }
    /// ```
    ///
    /// The node is not finished at the end: more may be reported to it.
    ///
    /// - Parameter node: What to report to.
    /// - Returns: A sequence of the same elements, which throws `CancellationError` when the node is cancelled.
    public func reporting(to node: HeadwayProgress.ProgressNode) -> HeadwayFoundation.AsyncReportingSequence<Self>

    /// Counts the elements of a loop as units of a child of the current node, and stops where that is paused or
    /// cancelled.
    ///
    /// The child is made when an iteration begins, and finishes when it ends, also when the loop is left early.
    ///
    /// - Parameters:
    ///   - label: The words that name the work; none by default.
    ///   - units: The units of the current node to take, nil for all that are left.
    ///   - total: The number of elements, nil while it is not known.
    /// - Returns: A sequence of the same elements, which throws `CancellationError` when the node is cancelled.
    public func reportingToCurrent(_ label: String = "", units: Int? = nil, total: Int? = nil) -> HeadwayFoundation.AsyncReportingSequence<Self>
}

