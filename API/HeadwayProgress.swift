import HeadwayLock
import HeadwayText
import Synchronization

/// The time for which work was not paused, to compute a rate that ignores pauses.
///
/// ```swift
/// var active = ActiveTime(startingAt: start)
/// active.note(isPaused: node.isPaused, at: now)
/// let rate = Double(node.completed) / (active.elapsed(at: now) / .seconds(1))
/// ```
public struct ActiveTime : Sendable, Hashable {

    /// Whether the work is paused.
    public private(set) var isPaused: Bool { get }

    /// Creates an active time of zero.
    ///
    /// - Parameter now: The current time, since an origin that all calls share.
    public init(startingAt now: Duration)

    /// Records whether the work is paused from now on.
    ///
    /// - Parameters:
    ///   - isPaused: Whether the work is paused.
    ///   - now: The current time; if it is earlier than the last one, the last one counts.
    public mutating func note(isPaused: Bool, at now: Duration)

    /// Returns the time for which the work was not paused.
    ///
    /// - Parameter now: The current time.
    /// - Returns: The time, at least zero.
    public func elapsed(at now: Duration) -> Duration
}

/// An operation on files.
public enum FileOperation : String, Hashable, Sendable, CaseIterable, Codable {

    /// Downloading files from a server.
    case downloading

    /// Decompressing files.
    case decompressing

    /// Receiving files from a sender.
    case receiving

    /// Copying files.
    case copying

    /// Uploading files to a server.
    case uploading

    /// Duplicating each file beside the original.
    case duplicating
}

/// The reason why a tree cannot be added to a node.
///
/// ```swift
/// do throws(ProgressError) {
///   try release.add(upload, units: 1)
/// } catch {
///   show("\(error)")  // the progress of the tree was read before
/// }
/// ```
@nonexhaustive public enum ProgressError : Error, Hashable, Sendable, CustomStringConvertible {

    /// The node has a parent or has finished.
    case notARoot

    /// The node is the new parent itself or one of its ancestors.
    case isAncestor

    /// The tree would have more than ``ProgressNode/maximumDepth`` levels.
    case tooDeep

    /// The progress of the tree was read before it was added.
    case alreadyRead

    /// A sentence that says what is wrong and what to do instead.
    public var description: String { get }
}

/// A key of typed values that nodes can have, and how the values of a subtree are combined.
///
/// ```swift
/// enum Warnings: ProgressKey {
///   static func combined(_ left: Int, _ right: Int) -> Int { left + right }
/// }
/// node[Warnings.self] = 2
/// root.sum(of: Warnings.self)   // the warnings of the whole tree
/// ```
///
/// The functions are called under the lock of a tree: they must be pure and must not use any node.
public protocol ProgressKey : Sendable {

    /// The type of a node's value.
    associatedtype Value : Equatable, Sendable

    /// The type of the combined values of a subtree.
    associatedtype Sum : Equatable, Sendable = Self.Value

    /// Converts the value of one node to a sum.
    ///
    /// - Parameter value: The value of a node.
    /// - Returns: Its sum.
    static func sum(of value: Self.Value) -> Self.Sum

    /// Combines two sums; must be associative and commutative.
    ///
    /// - Parameters:
    ///   - left: A sum, which can be changed in place.
    ///   - right: Another sum.
    /// - Returns: The sum of both.
    static func combined(_ left: consuming Self.Sum, _ right: Self.Sum) -> Self.Sum

    /// Whether the value of a node stands for its whole subtree, whatever values its descendants have; false by default.
    static var coversSubtree: Bool { get }

    /// Returns what a node leaves to its parent when it finishes; by default the whole sum.
    ///
    /// - Parameter sum: The sum of the node and its descendants.
    /// - Returns: What the parent adds to its sum, nil for nothing.
    static func finalSum(_ sum: Self.Sum) -> Self.Sum?
}

extension ProgressKey {

    /// The value of a node is combined with those of its descendants.
    public static var coversSubtree: Bool { get }

    /// Returns the whole sum.
    public static func finalSum(_ sum: Self.Sum) -> Self.Sum?
}

extension ProgressKey where Self.Sum == Self.Value {

    /// Returns the value itself.
    public static func sum(of value: Self.Value) -> Self.Value
}

/// The keys of the values that HeadwayFoundation can put into words.
///
/// Except under ``FilePath``, the value of a node stands for its whole subtree; without one, the values of its
/// descendants are combined. So a function can set the values of its own part, and its caller those of the whole.
///
/// ```swift
/// let copy = ProgressNode("Photos", total: 100)
/// copy[ProgressKeys.TotalFileCount.self] = 12
/// copy[ProgressKeys.CompletedFileCount.self] = 3
/// copy[ProgressKeys.TotalByteCount.self] = 4_000_000
/// copy[ProgressKeys.CompletedByteCount.self] = 1_000_000
/// copy[ProgressKeys.RemainingTime.self] = .seconds(9)
/// copy[ProgressKeys.FilePath.self] = "photos/3.jpg"
/// let files = copy.sum(of: ProgressKeys.FilePath.self)  // ["photos/3.jpg"]
/// ```
public enum ProgressKeys {

    /// The number of files of the work.
    public enum TotalFileCount : HeadwayProgress.ProgressKey {

        /// The value of a node stands for its subtree.
        public static var coversSubtree: Bool { get }

        /// Adds two numbers, limited to `Int.max`.
        public static func combined(_ left: Int, _ right: Int) -> Int
    }

    /// The number of completed files.
    public enum CompletedFileCount : HeadwayProgress.ProgressKey {

        /// The value of a node stands for its subtree.
        public static var coversSubtree: Bool { get }

        /// Adds two numbers, limited to `Int.max`.
        public static func combined(_ left: Int, _ right: Int) -> Int
    }

    /// The number of bytes of the work; for a node that counts bytes, its total.
    public enum TotalByteCount : HeadwayProgress.ProgressKey {

        /// The value of a node stands for its subtree.
        public static var coversSubtree: Bool { get }

        /// Adds two numbers, limited to `Int.max`.
        public static func combined(_ left: Int, _ right: Int) -> Int
    }

    /// The number of completed bytes; for a node that counts bytes, its count.
    public enum CompletedByteCount : HeadwayProgress.ProgressKey {

        /// The value of a node stands for its subtree.
        public static var coversSubtree: Bool { get }

        /// Adds two numbers, limited to `Int.max`.
        public static func combined(_ left: Int, _ right: Int) -> Int
    }

    /// The units per second that a worker has measured; for several nodes, the total rate.
    public enum Throughput : HeadwayProgress.ProgressKey {

        /// The value of a node stands for its subtree.
        public static var coversSubtree: Bool { get }

        /// Adds two rates.
        public static func combined(_ left: Double, _ right: Double) -> Double

        /// Finished work has no rate.
        public static func finalSum(_ sum: Double) -> Double?
    }

    /// The remaining time that a worker expects; for several nodes, the longest.
    public enum RemainingTime : HeadwayProgress.ProgressKey {

        /// The value of a node stands for its subtree.
        public static var coversSubtree: Bool { get }

        /// Returns the longer of two times.
        public static func combined(_ left: Duration, _ right: Duration) -> Duration

        /// Finished work has no remaining time.
        public static func finalSum(_ sum: Duration) -> Duration?
    }

    /// The path of the file that is being processed; for several nodes, all of them in any order.
    public enum FilePath : HeadwayProgress.ProgressKey {

        /// Returns a list of one path.
        public static func sum(of value: String) -> [String]

        /// Concatenates two lists.
        public static func combined(_ left: consuming [String], _ right: [String]) -> [String]

        /// Finished work processes no file.
        public static func finalSum(_ sum: [String]) -> [String]?
    }
}

/// A node in a tree of progress: how much of some work is done.
///
/// Workers call ``complete(_:)``, which is one atomic addition at any depth, however many observers there are.
/// Observers take a ``snapshot(limit:)`` or iterate over a ``feed(every:limit:clock:)`` at their own frame rate.
///
/// ```swift
/// let release = ProgressNode("release", total: 2)
/// let fetch = release.child("fetch", units: 1, total: 100)
/// fetch.complete(50)
/// release.fraction   // 0.25
/// fetch.finish()
/// release.fraction   // 0.5
/// ```
///
/// - Thread safety: every method can be called on any thread.
/// - Lifetime: a node finishes when its last reference is dropped, so a worker that returns, throws or forgets
///   settles its part. A child retains its parent; a parent does not retain its children.
/// - Exactness: units are integers and are combined when the tree is read; nothing drifts and nothing overflows.
/// - Memory: at most 150 bytes per live node; handlers, labels and typed values cost more where they are used. A
///   finished child leaves nothing behind.
/// - Cost: an increment is one atomic addition, without lock, clock, call or allocation. The first one after
///   a read also pushes the node onto a lock-free stack. A read costs O(nodes that have changed since the last
///   read), and holds the tree's lock for at most 1,000 nodes at a time.
///
/// ## How it works
///
/// The lowest bit of a node's counter is its dirty flag, inverted: a reader sets it, the first increment clears it.
///
/// ```text
///   worker   ── counter += units · 2 ──▶ was the bit set? ──▶ no: done
///                                            └─ yes, once per read: push the node onto the stack of dirty nodes
///   reader   ── takes the whole stack, visits its nodes level by level from the deepest up, sets their bits,
///               adds what each has gained to the sum of its parent
///   finish   ── in one hold of the lock: leaves the parent's list, adds the whole share to its counter
/// ```
///
/// A parent stores the sum of share × fraction of its live children as a 128-bit fixed-point number. So a change of
/// one child among 100,000 costs one addition, and the sum never drifts. The stack of dirty nodes is a Treiber stack
/// (R. K. Treiber, *Systems Programming: Coping with Parallelism*, 1986). Each tree has one lock, for its shape.
final public class ProgressNode : @unchecked Sendable {

    /// Creates the root of a tree.
    ///
    /// - Parameters:
    ///   - label: A short name of the work; empty for none.
    ///   - total: The units of the work; nil or less than 0 while unknown. Work of 0 units is complete at once.
    /// - Complexity: O(1).
    public init(_ label: String = "", total: Int? = nil)

    deinit
}

extension ProgressNode {

    /// The snapshots of this node as it changes, at most one per frame.
    ///
    /// ```swift
    /// for await snapshot in node.feed() {
    ///   bar.show(snapshot.shownFraction)
    /// }
    /// ```
    ///
    /// The first snapshot comes at once and the last one when the node finishes; then the sequence ends. In between, a
    /// snapshot comes after a change, but not before a frame has passed since the last one. Changes within a frame come
    /// together, and the latest state is always delivered. While nothing changes, nothing wakes up.
    ///
    /// A feed does not retain its node. Any number of tasks can iterate over a feed; each gets its own frames. The
    /// iteration ends when its task is cancelled.
    ///
    /// - Parameters:
    ///   - interval: The length of a frame: the minimum time between two snapshots, at least a millisecond.
    ///   - limit: The most nodes of a snapshot: 1 to 1,000.
    ///   - clock: The clock that measures the frames.
    /// - Returns: A sequence that ends when the node finishes. It does not retain the node.
    public func feed<C>(every interval: Duration = .milliseconds(16), limit: Int = 1_000, clock: C = ContinuousClock()) -> some Sendable & AsyncSequence<HeadwayProgress.ProgressSnapshot, Never> where C : Clock, C.Duration == Duration

}

extension ProgressNode {

    /// Adds the root of another tree as a child, with all nodes below it.
    ///
    /// Use this for work that made its own root before it had a parent. If you create the node yourself, use
    /// ``child(_:units:total:)`` or ``share(of:)`` instead.
    ///
    /// A tree can be added until its progress is first read, by a fraction, a sum, a snapshot or a feed. Other threads
    /// may call ``complete(_:)`` on its nodes while it is added. They must not use the nodes in any other way
    /// meanwhile, or the program may trap.
    ///
    /// In a parent that has finished, the child counts for nothing; cancel and pause still reach it.
    ///
    /// - Parameters:
    ///   - root: A node without a parent that has not finished.
    ///   - units: The units of this node that the child stands for; less than 0 counts as 0.
    /// - Throws: ``ProgressError`` if the tree cannot be added. Then nothing has changed.
    /// - Complexity: O(nodes below the root), in one hold of the lock.
    public func add(_ root: HeadwayProgress.ProgressNode, units: Int) throws(HeadwayProgress.ProgressError)
}

extension ProgressNode {

    /// Whether the work should end early; cheap enough for an inner loop.
    ///
    /// - Complexity: O(1): one relaxed atomic load.
    @inlinable public var isCancelled: Bool { get }

    /// Whether the node and its descendants can be cancelled; true by default.
    ///
    /// Set it to false for a step that must not be interrupted. Then ``cancel()`` does nothing here, and a cancel of
    /// an ancestor skips the node. If an ancestor was cancelled in the meantime, setting it back to true cancels the
    /// node.
    ///
    /// - Complexity: O(1), plus that of ``cancel()`` if the node is cancelled.
    public var isCancellable: Bool

    /// Asks the work of this node and its descendants to end early.
    ///
    /// Sets ``isCancelled``, makes checkpoints throw and calls the handlers once all nodes are marked. Children made
    /// later start cancelled. A cancel cannot be undone; a second call does nothing.
    ///
    /// - Complexity: O(nodes below), at most 1,000 nodes in one hold of the tree's lock.
    public func cancel()

    /// Calls a function when the node is cancelled, on the thread that cancels it.
    ///
    /// If the node is already cancelled, the function is called at once. It may use the tree. Keep it short, as handlers
    /// are called one after the other; for an actor, start a task: `node.onCancel { Task { await player.stop() } }`.
    ///
    /// - Parameter handler: The function; called at most once.
    /// - Returns: A registration that removes the handler.
    /// - Complexity: O(1).
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> HeadwayProgress.ProgressNode.HandlerRegistration
}

extension ProgressNode {

    /// Adds completed units.
    ///
    /// Units added after the node has finished do not count. More units than `total` read as complete. A count
    /// within 2⁴⁸ of 2⁶³ saturates: it reads as `Int.max` from then on.
    ///
    /// - Parameter units: The number of units to add. A negative number is ignored; see ``takeBack(_:)``.
    /// - Complexity: O(1): one relaxed atomic addition. The first one after a read also pushes the node onto a stack.
    @inlinable public func complete(_ units: Int)

    /// Adds completed units that took no work, such as files that were up to date.
    ///
    /// They count as completed, but not as speed: the remaining time that a bar shows is that of the other units.
    ///
    /// - Parameter units: The number of units to add; a negative number is ignored.
    /// - Complexity: O(1): one lock.
    public func skip(_ units: Int)

    /// Sets the number of completed units.
    ///
    /// The units of finished children are included in the count. If the count goes back, ``fraction`` goes back too and
    /// ``shownFraction`` stays.
    ///
    /// - Parameter units: The number of completed units; less than 0 counts as 0.
    /// - Complexity: O(1), without a lock.
    public func setCompleted(_ units: Int)

    /// Subtracts completed units, for work that has to be repeated.
    ///
    /// - Parameter units: The number of units to subtract; the count stops at 0. A negative number is ignored.
    /// - Complexity: O(1), without a lock.
    public func takeBack(_ units: Int)
}

extension ProgressNode {

    /// The completed units, including those of finished children.
    ///
    /// The count may exceed ``total``. It does not change after the node has finished.
    ///
    /// - Complexity: O(1), without a lock.
    public var completed: Int { get }

    /// The units of the work, nil while unknown.
    ///
    /// The total can be set at any time, and can grow or shrink. A negative number means unknown. Work of 0 units is known
    /// and complete, such as a copy of an empty file. This differs from Foundation, whose `Progress` is indeterminate at 0
    /// of 0 because 0 is its default; here the default is nil.
    ///
    /// - Complexity: O(1): one lock.
    public var total: Int?

    /// Adds units to the total, for work that discovers more to do.
    ///
    /// Unlike `total += units`, concurrent additions are all counted.
    ///
    /// - Parameter units: The number of units to add; a negative number subtracts. An unknown total counts as 0.
    /// - Complexity: O(1): one lock.
    public func addToTotal(_ units: Int)

    /// The completed part of the work, from 0 to 1.
    ///
    /// This is `completed / total`, where each live child adds its fraction of its share, and exactly its share once its
    /// count has reached its total; 0 while the total is unknown. It is less than 1 until the node has finished, and goes
    /// back if units are taken back or the total grows. The error is at most 10⁻¹² for counts up to 2⁶² and depths up to 32.
    ///
    /// - Complexity: O(nodes of the tree that have changed since the last read).
    public var fraction: Double { get }

    /// The largest fraction of this node that was ever read; it never goes back.
    ///
    /// - Complexity: O(nodes of the tree that have changed since the last read).
    public var shownFraction: Double { get }

    /// Whether the total is unknown and the node has not finished; false for a total of 0.
    ///
    /// - Complexity: O(1): one lock.
    public var isIndeterminate: Bool { get }

    /// Whether the work has ended: ``finish()`` was called, or the last reference to the node was dropped.
    ///
    /// A count that reaches the total does not finish a node, as more work may be discovered.
    ///
    /// - Complexity: O(1): one atomic load.
    @inlinable public var isFinished: Bool { get }
}

extension ProgressNode {

    /// The node of the innermost ``withCurrent(units:_:)`` around this code, nil if there is none.
    ///
    /// Tasks inherit it unless they are detached. To report progress, use ``joinCurrent(_:units:total:)`` instead.
    ///
    /// - Complexity: O(1): one read of a task-local value.
    public static var current: HeadwayProgress.ProgressNode? { get }

    /// Makes this the current node while a closure runs, so that the functions it calls can report some of its units.
    ///
    /// ```swift
    /// let node = ProgressNode(total: 2)
    /// let image = node.withCurrent(units: 1) { load(file) }
    /// node.withCurrent(units: 1) { blur(image) }
    /// ```
    ///
    /// A function joins with ``joinCurrent(_:units:total:)``, or does not report progress at all. When the closure
    /// returns or throws, the units that no function has taken are completed. A child that is still alive keeps its
    /// units until it finishes.
    ///
    /// - Parameters:
    ///   - units: The units of this node that the closure stands for; less than 0 counts as 0.
    ///   - body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: O(1), without a lock.
    @inlinable public func withCurrent<Result, Failure>(units: Int, _ body: () throws(Failure) -> Result) throws(Failure) -> Result where Failure : Error

    /// Makes this the current node while an asynchronous closure runs.
    ///
    /// Works like the synchronous version. Child tasks and unstructured tasks can join as well; detached tasks cannot.
    ///
    /// - Parameters:
    ///   - units: The units of this node that the closure stands for; less than 0 counts as 0.
    ///   - isolation: The actor to run on; by default the caller's.
    ///   - body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    /// - Complexity: O(1), without a lock.
    @inlinable public func withCurrent<Result, Failure>(units: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result) async throws(Failure) -> Result where Failure : Error

    /// Creates a node for the work of a function: a child of the current node, or a root if there is none.
    ///
    /// With this a function reports its progress without a parameter:
    ///
    /// ```swift
    /// func blur(_ image: Image) {
    ///   let progress = ProgressNode.joinCurrent("Blurring", total: image.height)
    ///   for row in image.rows {
    ///     blur(row)
    ///     progress.complete(1)
    ///   }
    /// }
    /// ```
    ///
    /// The child takes the given number of the scope's remaining units, or all of them. If none remain, it counts for
    /// nothing, but cancel, pause and typed values still work.
    ///
    /// - Parameters:
    ///   - label: A short name of the work; empty for none.
    ///   - units: The units of the current node to take, nil for all that remain.
    ///   - total: The units of the work itself, nil while unknown.
    /// - Returns: The node. It finishes at the latest when its last reference is dropped.
    /// - Complexity: O(1): one lock.
    public static func joinCurrent(_ label: String = "", units: Int? = nil, total: Int? = nil) -> HeadwayProgress.ProgressNode
}

extension ProgressNode {

    /// Whether the node or one of its ancestors is paused.
    ///
    /// - Complexity: O(1): one relaxed atomic load.
    @inlinable public var isPaused: Bool { get }

    /// Whether the node and its descendants can be paused; true by default.
    ///
    /// - Complexity: O(1), plus that of ``pause()`` or ``resume()`` if the state changes.
    public var isPausable: Bool

    /// Pauses the work of this node and its descendants.
    ///
    /// Workers wait at their next ``checkpoint(isolation:)``; workers without checkpoints continue. Children made later
    /// start paused. A second call does nothing.
    ///
    /// - Complexity: O(nodes below), at most 1,000 nodes in one hold of the tree's lock.
    public func pause()

    /// Ends the pause of this node.
    ///
    /// The work continues unless an ancestor is paused. Descendants that were paused themselves stay paused.
    ///
    /// - Complexity: O(nodes below), at most 1,000 nodes in one hold of the tree's lock.
    public func resume()

    /// Calls a function each time the node is paused, on the thread that pauses it; at once if it is already paused.
    ///
    /// - Parameter handler: The function.
    /// - Returns: A registration that removes the handler.
    @discardableResult
    public func onPause(_ handler: @escaping @Sendable () -> Void) -> HeadwayProgress.ProgressNode.HandlerRegistration

    /// Calls a function each time the node resumes after a pause, on the thread that resumes it.
    ///
    /// - Parameter handler: The function.
    /// - Returns: A registration that removes the handler.
    @discardableResult
    public func onResume(_ handler: @escaping @Sendable () -> Void) -> HeadwayProgress.ProgressNode.HandlerRegistration
}

extension ProgressNode {

    /// Waits while the node is paused and throws if it is cancelled; call it in the loop of an asynchronous worker.
    ///
    /// ```swift
    /// for file in files {
    ///   try await node.checkpoint()
    ///   try await copy(file)
    ///   node.complete(1)
    /// }
    /// ```
    ///
    /// - Throws: `CancellationError` if the node or the task is cancelled, also while it waits.
    /// - Complexity: O(1); two loads if there is nothing to wait for.
    @inlinable public func checkpoint(isolation: isolated (any Actor)? = #isolation) async throws(CancellationError)

    /// Waits while the node is paused and throws if it is cancelled; call it in the loop of a worker on a thread.
    ///
    /// It blocks the thread while the node is paused. Asynchronous code calls ``checkpoint(isolation:)`` instead.
    ///
    /// - Throws: `CancellationError` if the node is cancelled, also while it waits.
    /// - Complexity: O(1); one load if there is nothing to wait for.
    @inlinable public func blockingCheckpoint() throws(CancellationError)
}

extension ProgressNode {

    /// Runs a closure that is cancelled with the node, and cancels the node with the calling task.
    ///
    /// - When the node is cancelled, the task of the closure is cancelled.
    /// - When the calling task is cancelled, the node and its descendants are cancelled.
    ///
    /// The closure runs on the caller's actor and can use values that are not `Sendable`. It runs as a child task of the
    /// caller, so that a cancel of the node does not cancel the caller.
    ///
    /// ```swift
    /// try await node.withTaskCancellation {
    ///   try await download(url)   // uses Task.isCancelled only
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on; by default the caller's.
    ///   - body: The closure.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    public func withTaskCancellation<Result, Failure>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result) async throws(Failure) -> Result where Failure : Error
}

extension ProgressNode {

    /// The name of the work, empty for none.
    ///
    /// - Complexity: O(1): one lock.
    public var label: String

    /// A description of the current step, to be shown in place of the counts; nil for none.
    ///
    /// - Complexity: O(1): one lock.
    public var detail: String?

    /// The kind of work, ``WorkKind/work`` by default.
    ///
    /// - Complexity: O(1): one lock.
    public var kind: HeadwayProgress.WorkKind

    /// The typed value of this node alone, nil for none; setting nil removes it.
    ///
    /// - Parameter key: The key of the value.
    /// - Complexity: O(values of the node): one lock.
    public subscript<Key>(key: Key.Type) -> Key.Value? where Key : HeadwayProgress.ProgressKey

    /// Changes a typed value of this node atomically.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - change: Changes the value; called under the lock of the tree, so it must not use any node.
    /// - Complexity: O(values of the node): one lock.
    public func update<Key>(_ key: Key.Type, _ change: (inout Key.Value?) -> Void) where Key : HeadwayProgress.ProgressKey

    /// The sum of the typed values of this node and all its descendants, including finished ones.
    ///
    /// Under most of the ``ProgressKeys``, the value of a node stands for its whole subtree; see
    /// ``ProgressKey/coversSubtree``. If the units of a node are bytes, its counts stand for the byte counts that it
    /// does not set: with a total for the whole subtree, without one only while the node has no children.
    ///
    /// - Parameter key: The key of the values.
    /// - Returns: The sum, nil if no node has a value.
    /// - Complexity: O(descendants with typed values + nodes of the tree that have changed since the last read),
    ///   in holds of the lock of at most 1,000 nodes.
    public func sum<Key>(of key: Key.Type) -> Key.Sum? where Key : HeadwayProgress.ProgressKey
}

extension ProgressNode {

    /// The number of files of the work, nil for none.
    public var totalFileCount: Int?

    /// The number of completed files, nil for none.
    public var completedFileCount: Int?

    /// The units per second that the worker has measured, nil for none.
    public var throughput: Double?

    /// The remaining time that the worker expects, nil for none.
    public var remainingTime: Duration?

    /// The path of the file that is being processed, nil for none.
    public var filePath: String?
}

extension ProgressNode {

    /// The deepest level whose nodes count while they are at work; the root is level 1.
    ///
    /// Nodes below that level can still be made. Cancel and pause reach them, and their units count in their parent
    /// when they finish. Children of such a node are linked to the node at the last level and count for nothing: they
    /// start cancelled if the node they were made below is, but a later cancel of that node does not reach them.
    public static let maximumDepth: Int
}

extension ProgressNode {

    /// Creates a share of this node's units, to be passed to a function that reports them.
    ///
    /// - Parameter units: The units of this node that the function stands for; less than 0 counts as 0.
    /// - Returns: The share. If it is dropped unused, its units are completed.
    /// - Complexity: O(1), without a lock.
    public func share(of units: Int) -> HeadwayProgress.ProgressShare

    /// Creates a child that stands for some of this node's units.
    ///
    /// A child of a finished node counts for nothing.
    ///
    /// - Parameters:
    ///   - label: A short name of the work; empty for none.
    ///   - units: The units of this node that the child completes when it finishes; less than 0 counts as 0.
    ///   - total: The units of the child's own work, nil while unknown.
    /// - Returns: The child. It finishes at the latest when its last reference is dropped.
    /// - Complexity: O(1): one lock.
    public func child(_ label: String = "", units: Int, total: Int? = nil) -> HeadwayProgress.ProgressNode
}

extension ProgressNode {

    /// Copies the node and its descendants, up to a limit.
    ///
    /// The copy is made level by level: all children of the node come before their children.
    ///
    /// - Parameter limit: The most nodes to copy, this one included: 1 to 1,000.
    /// - Returns: A value that does not change while the work goes on.
    /// - Complexity: O(`limit` + nodes that have changed since the last read + nodes with typed values). The
    ///   copy is made in one hold of the lock.
    public func snapshot(limit: Int = 1_000) -> HeadwayProgress.ProgressSnapshot
}

extension ProgressNode {

    /// A handler that was added to a node; dropping this does not remove it.
    ///
    /// ```swift
    /// let registration: ProgressNode.HandlerRegistration = job.onCancel { show("cancelled") }
    /// registration.remove()
    /// job.cancel()  // shows nothing
    /// ```
    public struct HandlerRegistration : Sendable {

        /// Removes the handler, so that no new call begins.
        ///
        /// A call that has begun on another thread may still be running.
        public func remove()
    }
}

extension ProgressNode {

    /// Ends the work: its whole share counts as completed in the parent, whatever its own count is.
    ///
    /// A node also finishes when its last reference is dropped. Units completed later do not count. Live children do not
    /// count any more either, but cancel and pause still reach them. A second call does nothing.
    ///
    /// - Complexity: O(1), plus O(descendants with typed values).
    public func finish()
}

/// Some units of a node that a function reports, to be used once.
///
/// A function that takes a share shows in its signature that it reports progress, and the compiler ensures that each
/// share is used only once. The units of a share that is dropped count as completed.
///
/// ```swift
/// func fetch(_ url: String, _ share: consuming ProgressShare) async throws {
///   let progress = share.start("fetch", total: 100)
///   progress.complete(100)
/// }
/// try await fetch(url, node.share(of: 3))
/// ```
///
/// A share cannot be consumed inside an escaping closure. For tasks and loops, start the child first:
///
/// ```swift
/// let child = node.share(of: 3).start(total: 100)
/// Task { child.complete(100) }
/// ```
public struct ProgressShare : ~Copyable, Sendable {

    /// The units of the node that the share stands for.
    public let units: Int

    deinit

    /// Creates the child that stands for these units.
    ///
    /// - Parameters:
    ///   - label: A short name of the work; empty for none.
    ///   - total: The units of the child's own work, nil while unknown.
    /// - Returns: The child. Its units count when it finishes, at the latest when its last reference is dropped.
    /// - Complexity: O(1): one lock.
    public consuming func start(_ label: String = "", total: Int? = nil) -> HeadwayProgress.ProgressNode

    /// Completes the units, for work that needs no node of its own.
    public consuming func finish()
}

/// A copy of a node and its descendants at one moment; a live tree cannot be read in any other way.
///
/// ```swift
/// func line(of snapshot: ProgressSnapshot) -> String {
///   let parts = snapshot.children.map(\.label).joined(separator: ", ")
///   return "\(snapshot.label): \(Int(snapshot.shownFraction * 100)) % (\(parts))"
/// }
/// ```
public struct ProgressSnapshot : Sendable, Equatable, Identifiable {

    /// A number that no other node of the tree has.
    public let id: UInt32

    /// The name of the work, empty for none.
    public let label: String

    /// A description of the current step, to be shown in place of the counts; nil for none.
    public let detail: String?

    /// The kind of work.
    public let kind: HeadwayProgress.WorkKind

    /// The completed units, including those of finished children; may exceed `total`.
    public let completed: Int

    /// The units of the work, nil while unknown.
    public let total: Int?

    /// The completed part of the work, from 0 to 1; 0 while the total is unknown, 1 only if finished.
    public let fraction: Double

    /// The largest fraction that was ever read; it never goes back.
    public let shownFraction: Double

    /// Whether the work has ended.
    public let isFinished: Bool

    /// Whether the work was cancelled.
    public let isCancelled: Bool

    /// Whether the node or one of its ancestors is paused.
    public let isPaused: Bool

    /// Whether the node can be cancelled.
    public let isCancellable: Bool

    /// Whether the node can be paused.
    public let isPausable: Bool

    /// The children that have not finished, in the order in which they were made.
    public internal(set) var children: [HeadwayProgress.ProgressSnapshot] { get }

    /// Whether some children were left out because of the limit.
    public internal(set) var omitsChildren: Bool { get }

    /// Whether the total is unknown and the node has not finished.
    public var isIndeterminate: Bool { get }

    /// The typed value of the node alone, nil for none.
    ///
    /// - Parameter key: The key of the value.
    public subscript<Key>(key: Key.Type) -> Key.Value? where Key : HeadwayProgress.ProgressKey { get }

    /// The sum of the typed values of the node and all its descendants, including those that were left out.
    ///
    /// - Parameter key: The key of the values.
    /// - Returns: The sum, nil if no node has a value.
    public func sum<Key>(of key: Key.Type) -> Key.Sum? where Key : HeadwayProgress.ProgressKey
}

extension ProgressSnapshot : Codable {

    /// Encodes the snapshot as an object, with the children of each node inside it.
    ///
    /// ```json
    /// {"node":0,"label":"build","completed":1,"total":3,"fraction":0.5,"children":[
    ///   {"node":1,"units":1,"label":"copy","kind":"copying","completed":500,"total":1000,"fraction":0.5}]}
    /// ```
    ///
    /// The format is stable. The fields are those of the nodes in `docs/events.md`, with the same words and units, and with
    /// `fraction` and `children`; a field with its usual value is left out. Typed values under keys that are not in
    /// ``ProgressKeys`` are left out, too, and so is a throughput that is not a finite number.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    /// - Complexity: O(nodes of the snapshot).
    public func encode(to encoder: any Encoder) throws

    /// Decodes a snapshot; unknown fields are ignored.
    ///
    /// The fractions and the sums of typed values follow from the other fields, so `fraction` is not read.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if `node` is missing, a field is invalid, two nodes have one number, or there are more than
    ///   1,000 nodes or 65 levels.
    /// - Complexity: O(nodes of the snapshot).
    public init(from decoder: any Decoder) throws
}

extension ProgressSnapshot : CustomStringConvertible {

    /// The tree as lines of text for logs; for text to show to people, see `HeadwayFoundation`.
    ///
    /// ```text
    /// release: 1 of 4, 31.2%
    ///   …
    ///   fetch: 25 of 100, 25.0%, paused
    /// ```
    ///
    /// - Complexity: O(nodes of the snapshot).
    public var description: String { get }
}

/// The kind of work of a node, which decides how its progress is put into words.
public enum WorkKind : Hashable, Sendable {

    /// Work whose units are things.
    case work

    /// Work that nothing counts, such as a simulated one: its units are an estimated part of the whole, and only the fraction is
    /// shown.
    case estimated

    /// Work on files, whose units are bytes; nil for an unknown operation.
    case file(HeadwayProgress.FileOperation?)

    /// Whether the units are bytes.
    public var countsBytes: Bool { get }

    /// Whether the units are counts that mean something to a person.
    public var hasCounts: Bool { get }
}

extension WorkKind : Codable {

    /// Encodes the kind as text: `work`, `estimated`, `file`, or the name of the operation on files.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws

    /// Decodes a kind; the name of an unknown operation becomes work on files with an unknown operation.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: `DecodingError` if the value is not text.
    public init(from decoder: any Decoder) throws
}

