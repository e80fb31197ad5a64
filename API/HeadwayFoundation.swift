import Foundation
import HeadwayLibc
import HeadwayLock
import HeadwayProgress
import HeadwayText
import Observation

/// Functions that read and copy files in chunks and report the bytes to the current node.
///
/// ```swift
/// let node = ProgressNode("Installing", total: 2)
/// try node.withCurrent(units: 2) {
///   try FileProgress.copy(image, to: target)
/// }
/// ```
///
/// Each call joins the current node with `ProgressNode.joinCurrent`; the units of its child are bytes. The child has
/// the path of the file, the throughput and the remaining time; pauses do not count. Without a current node, the file
/// is read or copied in the same way.
///
/// - Cancel and pause: checked before each chunk, by default of 1 MiB. A cancel throws `CancellationError`, as
///   `ProgressNode.checkpoint()` does; `CocoaError.replacingCancellation` makes it the error that Foundation code expects.
/// - Errors: `CocoaError` with the path and the underlying system error.
/// - Thread safety: every function can be called on any thread.
/// - Blocking: the functions without `async` block the thread, also while the work is paused.
public enum FileProgress {

    /// Reads a regular file.
    ///
    /// - Parameters:
    ///   - file: The file; a symbolic link is followed.
    ///   - chunkSize: The bytes to read between two checks for cancel and pause; must be at least 1.
    /// - Returns: The bytes of the file.
    /// - Throws: `CancellationError` if the work is cancelled; `CocoaError` if the file cannot be read or is not a regular
    ///   file.
    public static func contents(of file: URL, chunkSize: Int = 1 << 20) throws -> Data

    /// Reads a regular file without blocking the caller's actor.
    ///
    /// - Parameters:
    ///   - file: The file; a symbolic link is followed.
    ///   - chunkSize: The bytes to read between two checks for cancel and pause; must be at least 1.
    /// - Returns: The bytes of the file.
    /// - Throws: `CancellationError` if the work or the task is cancelled; `CocoaError` if the file cannot be read or is not
    ///   a regular file.
    @concurrent public static func contents(of file: URL, chunkSize: Int = 1 << 20) async throws -> Data

    /// Copies a regular file, with its permissions.
    ///
    /// The bytes are written to a temporary file beside the destination, which is renamed at the end, so a partial copy
    /// is never visible. It is removed if the copy fails or is cancelled.
    ///
    /// - Parameters:
    ///   - source: The file; a symbolic link is followed.
    ///   - destination: The path of the copy, in an existing directory.
    ///   - isReplacing: Whether an existing file is replaced; a symbolic link is replaced itself.
    ///   - chunkSize: The bytes to copy between two checks for cancel and pause; must be at least 1.
    /// - Throws: `CancellationError` if the work is cancelled; `CocoaError` if the source cannot be read or is not a regular
    ///   file, or if the destination exists or cannot be written. Then nothing has changed.
    public static func copy(_ source: URL, to destination: URL, replacing isReplacing: Bool = false, chunkSize: Int = 1 << 20) throws

    /// Copies a regular file, with its permissions, without blocking the caller's actor.
    ///
    /// Works like the blocking function.
    ///
    /// - Parameters:
    ///   - source: The file; a symbolic link is followed.
    ///   - destination: The path of the copy, in an existing directory.
    ///   - isReplacing: Whether an existing file is replaced; a symbolic link is replaced itself.
    ///   - chunkSize: The bytes to copy between two checks for cancel and pause; must be at least 1.
    /// - Throws: `CancellationError` if the work or the task is cancelled; `CocoaError` if the source cannot be read or is not
    ///   a regular file, or if the destination exists or cannot be written.
    @concurrent public static func copy(_ source: URL, to destination: URL, replacing isReplacing: Bool = false, chunkSize: Int = 1 << 20) async throws
}

/// A function that synchronizes access to a Foundation `Progress`: it runs the closure and returns after it.
///
/// On Linux `Progress` has no lock, so only one thread at a time may use it. If a queue ensures that, pass
/// `{ body in queue.sync(execute: body) }`; if a lock does, pass `{ body in lock.withLock(body) }`.
///
/// The function is called when the tree of the node is read, cancelled or paused, so do none of that on the queue or
/// under the lock. A progress of a node, see `ProgressNode.makeFoundationProgress(on:every:clock:)`, does so when
/// Foundation cancels or pauses it: if the tree of its node contains progress with the same lock, the lock must be
/// recursive.
public typealias FoundationAccess = @Sendable (() -> Void) -> Void

/// The progress of a node on the main actor, observed by SwiftUI and `Observations`.
///
/// ```swift
/// let progress = ObservableProgress(of: node)
/// let line = progress.snapshot.localizedDescription()  // what a view shows: 50% completed
/// ```
///
/// It takes a snapshot after a change, at most one per frame, and the last one when the node finishes. It does not
/// retain the node and keeps its last state.
@MainActor final public class ObservableProgress {

    /// The snapshot of the last frame.
    @MainActor public private(set) var snapshot: HeadwayProgress.ProgressSnapshot

    /// Creates an observable object for a node.
    ///
    /// - Parameters:
    ///   - node: The node; not retained.
    ///   - interval: The length of a frame.
    ///   - limit: The most nodes of a snapshot: 1 to 1,000.
    ///   - clock: The clock that measures the frames.
    @MainActor public init<C>(of node: HeadwayProgress.ProgressNode, every interval: Duration = .milliseconds(16), limit: Int = 1_000, clock: C = ContinuousClock()) where C : Clock, C.Duration == Duration
}

extension ObservableProgress : nonisolated Observable {
}

extension ProgressNode {

    /// Creates the root of a tree that mirrors a Foundation `Progress`.
    ///
    /// ```swift
    /// let node = ProgressNode(mirroring: task.progress)
    /// for await snapshot in node.feed() { bar.show(snapshot.shownFraction) }
    /// ```
    ///
    /// - Units: the node has the units of the progress. If the progress is indeterminate, the total is unknown; negative
    ///   counts read as 0. While children of the progress are at work, the node counts in billionths, because Foundation
    ///   includes them only in its fraction; text and byte counts stay in the units of the progress.
    /// - Cancel and pause: those of the node reach the progress at once, on the same thread. Those of the progress
    ///   reach the node at its next read, because Foundation on Linux reports no changes. The progress is read before
    ///   each read of the tree: at most once per frame while there is a feed, and never without a reader.
    /// - For a progress that was made of a node, the node is read directly, without `access`.
    /// - Lifetime: the node finishes when a read finds the progress finished, or when the progress is deallocated.
    ///   Neither retains the other.
    ///
    /// - Parameters:
    ///   - progress: The progress to mirror.
    ///   - label: A short name of the work; empty for none.
    ///   - access: Synchronizes access to the progress; see ``FoundationAccess``. By default the progress is used on the
    ///     thread that reads, cancels or pauses the tree, which is only safe if no other thread changes it.
    public convenience init(mirroring progress: Progress, label: String = "", access: @escaping HeadwayFoundation.FoundationAccess = { body in body() })

    /// Adds a child that mirrors a Foundation `Progress`, like `addChild(_:withPendingUnitCount:)` between two of those.
    ///
    /// The child works as described for ``init(mirroring:label:access:)``, but the progress retains it, so you need not.
    /// It finishes when the progress finishes or is deallocated. For a progress that was made of a
    /// node, the child mirrors that node and lives until it finishes.
    ///
    /// A progress that would form a cycle is refused: a progress of this node or an ancestor, and one
    /// that has one below it. On Linux the whole subtree is checked, elsewhere only the progress itself. A cycle that
    /// is formed later is not found; reads of it still end, but its fractions count twice.
    ///
    /// - Parameters:
    ///   - progress: The progress to mirror.
    ///   - units: The units of this node that the progress stands for; less than 0 counts as 0.
    ///   - label: A short name of the work; empty for none.
    ///   - access: Synchronizes access to the progress; see ``init(mirroring:label:access:)``.
    /// - Returns: The child.
    /// - Throws: `ProgressError.isAncestor` for a cycle, and `ProgressError.notARoot` for the progress of a node that
    ///   has a parent or has finished. Then nothing has changed. Any other progress can be added.
    @discardableResult
    public func add(_ progress: Progress, units: Int, label: String = "", access: @escaping HeadwayFoundation.FoundationAccess = { body in body() }) throws(HeadwayProgress.ProgressError) -> HeadwayProgress.ProgressNode
}

extension ProgressNode {

    /// Creates a Foundation `Progress` that represents this node, for code that shows, cancels or composes those.
    ///
    /// ```swift
    /// let progress = node.makeFoundationProgress()
    /// parent.addChild(progress, withPendingUnitCount: 3)
    /// ```
    ///
    /// - Values: counts, states, text, kind and typed values are read from the node on demand. `fractionCompleted` and
    ///   the values that a Foundation parent adds up are not; they are updated on an actor, after a change and at most
    ///   once per frame, and by `Progress.updateFromNode()`. They follow the shown fraction, which never goes back, in
    ///   millionths.
    /// - Actor: by default the main actor. If the main thread blocks, as in a synchronous command-line tool, the main
    ///   actor never runs and the Foundation parent is never updated: pass another actor, or nil and call
    ///   `Progress.updateFromNode()` before you read the parent.
    /// - Cancel and pause: those of the progress or its Foundation parent reach the node at once. Those of the node show
    ///   in `isCancelled` and `isPaused` at once and reach Foundation's children on the actor.
    /// - Handlers: `cancellationHandler`, `pausingHandler` and `resumingHandler` are called on the actor, soon after the
    ///   event, and not always in the order of events that follow each other closely. For more control, use the handlers
    ///   of the node.
    /// - Cost: with an actor, the progress has a feed of the node, so Foundation progress in the same tree is read once
    ///   per frame. Without one, it is only read by `Progress.updateFromNode()`.
    /// - Units: those of the node. An unknown total is -1, which makes the progress indeterminate.
    /// - Children: Foundation children of this progress become children of the node, see
    ///   `ProgressNode.add(_:units:label:access:)`; so do those that join while it is current. If none joins, the units
    ///   are completed at `resignCurrent()`. A child that was made of a node is mirrored from its node.
    /// - Lifetime: the progress does not retain the node. It finishes with the node and keeps its last values.
    /// - Thread safety: counts, states and text can be read on any thread. Use everything else on the actor only, as well
    ///   as the Foundation parent and its ancestors, because Foundation has no lock on Linux. To cancel or pause on
    ///   another thread, use the node.
    ///
    /// - Parameters:
    ///   - actor: The actor on which the fraction and the Foundation parent are updated and handlers are called. With
    ///     nil, only `Progress.updateFromNode()` updates them, for code that uses the progress on one thread, and
    ///     Foundation calls the handlers on its own queue.
    ///   - interval: The length of a frame.
    ///   - clock: The clock that measures the frames.
    /// - Returns: The progress, which does not retain the node.
    public func makeFoundationProgress<C>(on actor: (any Actor)? = MainActor.shared, every interval: Duration = .milliseconds(16), clock: C = ContinuousClock()) -> Progress where C : Clock, C.Duration == Duration
}

extension Progress {

    /// Updates the fraction, the Foundation parent and the state of a progress that was made of a node, at once.
    ///
    /// Call it only where the Foundation tree may be used. Any other progress stays as it is.
    public func updateFromNode()
}

extension CocoaError {

    /// Runs a closure and throws `CocoaError(.userCancelled)` in place of a `CancellationError`.
    ///
    /// Headway throws `CancellationError` for every cancellation, as Swift's tasks do. Callers that are written for
    /// Foundation expect `NSUserCancelledError` in the Cocoa domain:
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
    /// - Parameter body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: `CocoaError(.userCancelled)` for a `CancellationError`; other errors unchanged.
    public static func replacingCancellation<Result>(_ body: () throws -> Result) throws -> Result

    /// Runs an asynchronous closure and throws `CocoaError(.userCancelled)` in place of a `CancellationError`.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on; by default the caller's.
    ///   - body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: `CocoaError(.userCancelled)` for a `CancellationError`; other errors unchanged.
    public static func replacingCancellation<Result>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result) async throws -> Result
}

extension ProgressNode {

    /// The file that is being processed, nil for none; stored as `ProgressNode.filePath`.
    ///
    /// Setting a URL that is not a file URL sets nil.
    ///
    /// - Complexity: O(values of the node): one lock.
    public var fileURL: URL?
}

extension ProgressSnapshot {

    /// The file that is being processed, nil for none.
    public var fileURL: URL? { get }

    /// The files that the node and its descendants are processing.
    public var fileURLs: [URL] { get }
}

/// Two lines of text beside a bar, in English or Simplified Chinese.
///
/// ```swift
/// let snapshot = node.snapshot()
/// snapshot.localizedDescription()             // "40% completed"
/// snapshot.localizedAdditionalDescription()   // "1.2 MB of 3.4 MB – 5 seconds remaining"
/// ```
///
/// The phrases are those of Foundation's `NSProgress`. The language is Simplified Chinese for its locales and English
/// for all others, including Traditional Chinese; numbers, percentages and sizes follow the locale. Percentages are
/// rounded down, so that 100% means that the work has finished.
///
/// The percentage is that of the shown fraction, which never goes back, while the second line has the current counts.
/// The two differ after `takeBack(_:)` and when a total grows: "75% completed" beside "3 of 6".
///
/// The remaining time is the one that was set on the node itself, as descendants only know their own parts. The speed
/// is the sum over the node and its descendants.
extension ProgressSnapshot {

    /// Describes the work in one line: the label, or a phrase such as "40% completed" or "Downloading 4 files…".
    ///
    /// - Parameter locale: The locale that determines the language and the format of numbers.
    /// - Returns: A line, never empty.
    public func localizedDescription(locale: Locale = .autoupdatingCurrent) -> String

    /// Describes the counts in one line: the detail, or a phrase such as "3 of 6".
    ///
    /// While the work is paused, it begins with "Paused – ". If the first line is a label, a cancelled node has
    /// "Cancelling… – " or "Cancelled – " here.
    ///
    /// - Parameter locale: The locale that determines the language and the format of numbers.
    /// - Returns: A line, which can be empty.
    public func localizedAdditionalDescription(locale: Locale = .autoupdatingCurrent) -> String
}

extension Sequence {

    /// Counts the elements of a loop as units of a node.
    ///
    /// ```swift
    /// for row in rows.reporting(to: node, addingTotal: true) { blur(row) }
    /// ```
    ///
    /// The node does not finish with the loop. A cancel of the node does not end the loop either: call
    /// `try node.blockingCheckpoint()` in its body.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - addingTotal: Whether to add the number of elements to the node's total when an iteration begins: the
    ///     `underestimatedCount`, which may be too small.
    /// - Returns: A sequence of the same elements.
    /// - Complexity: O(1), plus that of `underestimatedCount` if the total is added.
    public func reporting(to node: HeadwayProgress.ProgressNode, addingTotal: Bool = false) -> some Sequence<Self.Element>


    /// Counts the elements of a loop as units of a child of the current node.
    ///
    /// ```swift
    /// for file in files.reportingToCurrent("Checking") { check(file) }
    /// ```
    ///
    /// The child is created when an iteration begins and finishes when it ends, also if the loop is left early.
    /// Its total is `underestimatedCount`, or unknown if that is 0.
    ///
    /// - Parameters:
    ///   - label: A short name of the work; empty for none.
    ///   - units: The units of the current node to take, nil for all that remain.
    /// - Returns: A sequence of the same elements.
    public func reportingToCurrent(_ label: String = "", units: Int? = nil) -> some Sequence<Self.Element>

}

extension Collection {

    /// Counts the elements of a loop as units of a node.
    ///
    /// The node does not finish with the loop. A cancel of the node does not end the loop either: call
    /// `try node.blockingCheckpoint()` in its body.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - addingTotal: Whether to add `count` to the node's total when an iteration begins.
    /// - Returns: A sequence of the same elements.
    /// - Complexity: O(1), plus that of `count` if the total is added.
    public func reporting(to node: HeadwayProgress.ProgressNode, addingTotal: Bool = false) -> some Sequence<Self.Element>


    /// Counts the elements of a loop as units of a child of the current node, whose total is `count`.
    ///
    /// The child is created when an iteration begins and finishes when it ends, also if the loop is left early.
    ///
    /// - Parameters:
    ///   - label: A short name of the work; empty for none.
    ///   - units: The units of the current node to take, nil for all that remain.
    /// - Returns: A sequence of the same elements.
    /// - Complexity: That of `count`.
    public func reportingToCurrent(_ label: String = "", units: Int? = nil) -> some Sequence<Self.Element>

}

extension AsyncSequence {

    /// Counts the elements of a loop as units of a node, and stops if the node is paused or cancelled.
    ///
    /// ```swift
    /// for try await line in lines.reporting(to: node) { parse(line) }
    /// ```
    ///
    /// The node does not finish with the loop.
    ///
    /// - Parameter node: The node.
    /// - Returns: A sequence of the same elements that throws `CancellationError` if the node is cancelled.
    public func reporting(to node: HeadwayProgress.ProgressNode) -> some AsyncSequence<Self.Element, any Error>


    /// Counts the elements of a loop as units of a child of the current node, and stops if it is paused or cancelled.
    ///
    /// The child is created when an iteration begins and finishes when it ends, also if the loop is left early.
    ///
    /// - Parameters:
    ///   - label: A short name of the work; empty for none.
    ///   - units: The units of the current node to take, nil for all that remain.
    ///   - total: The number of elements, nil if unknown.
    /// - Returns: A sequence of the same elements that throws `CancellationError` if the node is cancelled.
    public func reportingToCurrent(_ label: String = "", units: Int? = nil, total: Int? = nil) -> some AsyncSequence<Self.Element, any Error>

}

