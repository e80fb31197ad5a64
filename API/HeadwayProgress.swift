import HeadwayLock
import Synchronization

/// The time for which work was not paused, so that a rate does not count pauses.
///
/// A pure value with the time as an argument.
///
/// ```swift
/// var active = ActiveTime(startingAt: start)
/// active.note(isPaused: node.isPaused, at: now)
/// let rate = Double(node.completed) / (active.elapsed(at: now) / .seconds(1))
/// ```
public struct ActiveTime : Sendable, Hashable {

    /// Whether the present stretch is a pause.
    public private(set) var isPaused: Bool { get }

    /// Starts to count.
    ///
    /// - Parameter now: The time, since an origin that all calls share.
    public init(startingAt now: Duration)

    /// Notes whether the work is paused from now on.
    ///
    /// - Parameters:
    ///   - isPaused: Whether it is.
    ///   - now: The time; one before the last is taken for it.
    public mutating func note(isPaused: Bool, at now: Duration)

    /// The time for which the work was not paused.
    ///
    /// - Parameter now: The time.
    /// - Returns: At least zero.
    public func elapsed(at now: Duration) -> Duration
}

/// What is done with files.
public enum FileOperation : String, Hashable, Sendable, CaseIterable, Codable {

    /// Getting files from a server.
    case downloading

    /// Unpacking files.
    case decompressing

    /// Getting files that somebody sends.
    case receiving

    /// Copying files.
    case copying

    /// Bringing files to a server.
    case uploading

    /// Making a second of each file beside it.
    case duplicating
}

/// Why a node could not be added to another.
@nonexhaustive public enum ProgressError : Error, Hashable, Sendable, CustomStringConvertible {

    /// The node is part of a tree already, or has finished.
    case notARoot

    /// The node is the one it was to be added to, or stands above it.
    case isAncestor

    /// The tree would have more than ``ProgressNode/maximumDepth`` levels.
    case tooDeep

    /// The error in words.
    public var description: String { get }
}

/// The snapshots of a node as they change, at most one a frame.
///
/// ```swift
/// for await snapshot in node.feed() {
///   bar.show(snapshot.shownFraction)
/// }
/// ```
///
/// The first snapshot comes at once, the last one when the node finishes; then the sequence ends. In between one
/// comes when something has changed, and not before a frame has passed since the last: what changes within a
/// frame comes together, and the latest is never left out. While nothing changes nothing wakes up.
///
/// A feed does not hold its node: the work that is dropped is finished, whoever watches. It may be iterated by
/// any number of tasks; each gets its own frames. It ends when the iterating task is cancelled.
public struct ProgressFeed<C> : AsyncSequence, Sendable where C : Clock, C.Duration == Duration {

    /// A snapshot.
    public typealias Element = HeadwayProgress.ProgressSnapshot

    /// Nothing is thrown.
    public typealias Failure = Never

    /// Begins to watch.
    public func makeAsyncIterator() -> HeadwayProgress.ProgressFeed<C>.Iterator

    /// One who watches.
    public struct Iterator : AsyncIteratorProtocol {

        /// Waits for the next frame in which something has changed.
        ///
        /// - Parameter actor: The actor to wait on: the caller's.
        /// - Returns: The snapshot, nil after the last one and for a cancelled task.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> HeadwayProgress.ProgressSnapshot?

        /// Waits for the next frame in which something has changed.
        public mutating func next() async -> HeadwayProgress.ProgressSnapshot?
    }
}

/// What takes a handler away again; dropping it does not.
public struct ProgressHandler : Sendable {

    /// Takes the handler away, if it has not been called.
    ///
    /// A call that another thread has begun may still be under way.
    public func remove()
}

/// A kind of typed value that nodes can have, and how the values of a subtree become one.
///
/// ```swift
/// enum Warnings: ProgressKey {
///   static func combined(_ left: Int, _ right: Int) -> Int { left + right }
/// }
/// node[Warnings.self] = 2
/// root.sum(of: Warnings.self)   // the warnings of the whole tree
/// ```
///
/// The functions are called under the lock of a tree: they must be pure, and not touch any node.
public protocol ProgressKey : Sendable {

    /// What a node has.
    associatedtype Value : Equatable, Sendable

    /// What the values of a subtree become.
    associatedtype Sum : Equatable, Sendable = Self.Value

    /// The sum of one value.
    ///
    /// - Parameter value: The value of one node.
    /// - Returns: Its sum.
    static func sum(of value: Self.Value) -> Self.Sum

    /// The sum of two; it must be associative, and not depend on the order of the nodes.
    ///
    /// - Parameters:
    ///   - left: A sum, which a list may be appended to in place.
    ///   - right: Another.
    /// - Returns: The sum of both.
    static func combined(_ left: consuming Self.Sum, _ right: Self.Sum) -> Self.Sum

    /// Whether the value of a node stands for all that is below it, whatever the nodes there have; by default it is
    /// one of those that are combined.
    static var coversSubtree: Bool { get }

    /// What of a sum stays when its node has finished; by default all of it.
    ///
    /// - Parameter sum: The sum of the node that finishes and what is below it.
    /// - Returns: What the parent keeps, nil for nothing.
    static func kept(_ sum: Self.Sum) -> Self.Sum?

    /// The value of a node that has none set, from its counts, where its units are bytes; by default none.
    ///
    /// - Parameters:
    ///   - completed: The bytes that are completed.
    ///   - total: The bytes of the work, nil while not known.
    /// - Returns: The value, nil when the counts say nothing about it.
    static func value(ofBytes completed: Int, total: Int?) -> Self.Value?
}

extension ProgressKey {

    /// A value is combined with those below.
    public static var coversSubtree: Bool { get }

    /// All of the sum stays.
    public static func kept(_ sum: Self.Sum) -> Self.Sum?

    /// The counts say nothing.
    public static func value(ofBytes completed: Int, total: Int?) -> Self.Value?
}

extension ProgressKey where Self.Sum == Self.Value {

    /// The value itself.
    public static func sum(of value: Self.Value) -> Self.Value
}

/// The keys of the values that surfaces know.
///
/// What a node sets stands for all that is below it, but for ``FilePath``; where a node sets nothing, what those below
/// have becomes one. So a function may say what it knows of its own part, and its caller what it knows of the whole.
public enum ProgressKeys {

    /// The number of files of the work.
    public enum TotalFileCount : HeadwayProgress.ProgressKey {

        /// A node that knows it knows it of all that is below.
        public static var coversSubtree: Bool { get }

        /// Adds numbers of files, at most `Int.max`.
        public static func combined(_ left: Int, _ right: Int) -> Int
    }

    /// The number of files that are done.
    public enum CompletedFileCount : HeadwayProgress.ProgressKey {

        /// A node that knows it knows it of all that is below.
        public static var coversSubtree: Bool { get }

        /// Adds numbers of files, at most `Int.max`.
        public static func combined(_ left: Int, _ right: Int) -> Int
    }

    /// The number of bytes of the work; that of a node which counts bytes is its total.
    public enum TotalByteCount : HeadwayProgress.ProgressKey {

        /// A node that knows it knows it of all that is below.
        public static var coversSubtree: Bool { get }

        /// Adds numbers of bytes, at most `Int.max`.
        public static func combined(_ left: Int, _ right: Int) -> Int

        /// The total of a node that counts bytes.
        public static func value(ofBytes completed: Int, total: Int?) -> Int?
    }

    /// The number of bytes that are done; that of a node which counts bytes is its count.
    public enum CompletedByteCount : HeadwayProgress.ProgressKey {

        /// A node that knows it knows it of all that is below.
        public static var coversSubtree: Bool { get }

        /// Adds numbers of bytes, at most `Int.max`.
        public static func combined(_ left: Int, _ right: Int) -> Int

        /// The count of a node that counts bytes.
        public static func value(ofBytes completed: Int, total: Int?) -> Int?
    }

    /// Units a second, as the worker has measured it; of several nodes at work, together.
    public enum Throughput : HeadwayProgress.ProgressKey {

        /// A node that knows it knows it of all that is below.
        public static var coversSubtree: Bool { get }

        /// Adds rates.
        public static func combined(_ left: Double, _ right: Double) -> Double

        /// What has finished is no longer at work.
        public static func kept(_ sum: Double) -> Double?
    }

    /// The time that the work still takes, as the worker sees it; of several nodes the longest.
    public enum RemainingTime : HeadwayProgress.ProgressKey {

        /// A node that knows it knows it of all that is below.
        public static var coversSubtree: Bool { get }

        /// The longer of two times.
        public static func combined(_ left: Duration, _ right: Duration) -> Duration

        /// What has finished takes no more time.
        public static func kept(_ sum: Duration) -> Duration?
    }

    /// The path of the file that the work is about; of several nodes all that are at work, in any order.
    public enum FilePath : HeadwayProgress.ProgressKey {

        /// A list of one path.
        public static func sum(of value: String) -> [String]

        /// One list after the other.
        public static func combined(_ left: consuming [String], _ right: [String]) -> [String]

        /// What has finished is no longer at work.
        public static func kept(_ sum: [String]) -> [String]?
    }
}

/// A place in a tree of progress: how much of some work is done.
///
/// Workers call ``complete(_:)``, which costs one atomic addition wherever the node stands, whoever watches.
/// Whoever shows progress takes a ``snapshot(limit:)`` or a ``feed(every:limit:clock:)`` at a frame rate of its own.
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
/// - Thread safety: everything, from any thread.
/// - Life: a node that nobody holds any more has finished: a worker that returns, throws or forgets settles its
///   part. A child holds its parent; a parent does not hold its children.
/// - Exact: units are integers and are combined when somebody reads; nothing drifts and nothing overflows.
/// - Memory: at most 150 bytes a live node; handlers, words and typed values cost more where they are used. A
///   finished child leaves nothing behind.
/// - Cost: an increment is one atomic addition, without lock, clock, call or allocation. The first one after
///   a reader has looked also puts the node on a list, without a lock. To read costs O(nodes that have changed
///   since the last read), in holds of the tree's lock of at most 1,000 nodes.
///
/// ## How it works
///
/// The lowest bit of a node's word is a trip wire, the others are its count:
///
/// ```text
///   worker   ── word += units · 2 ──▶ was the wire set? ──▶ no: done
///                                          └─ yes, once a look: put the node into the tree's inbox
///   reader   ── empties the inbox, takes the nodes level by level from the deepest up, sets their wires,
///               adds what each has gained to the sum of its parent
///   finish   ── in one hold of the lock: leaves the parent's list, adds the whole share to its word
/// ```
///
/// A parent keeps the sum of share × fraction of its live children in 128 bits of fixed point, so that one
/// child that moves among 100,000 costs one addition, and so that the sum never drifts. One lock for each tree
/// guards its shape.
final public class ProgressNode : @unchecked Sendable {

    /// Creates the root of a tree.
    ///
    /// - Parameters:
    ///   - label: The words that name the work; none by default.
    ///   - total: The number of units of the work; nil or less than 0 while it is not known. Work of 0 units
    ///     is full at once.
    /// - Complexity: O(1).
    public init(_ label: String = "", total: Int? = nil)

    deinit
}

extension ProgressNode {

    /// The snapshots of this node as they change.
    ///
    /// - Parameters:
    ///   - interval: The length of a frame: the least time between two snapshots, a millisecond at least.
    ///   - limit: The most nodes of a snapshot: 1 to 1,000.
    ///   - clock: What measures the frames.
    /// - Returns: A sequence that ends with the node. It does not hold the node.
    public func feed<C>(every interval: Duration = .milliseconds(16), limit: Int = 1_000, clock: C = ContinuousClock()) -> HeadwayProgress.ProgressFeed<C> where C : Clock, C.Duration == Duration
}

extension ProgressNode {

    /// Adds the root of another tree as a child, with all that is below it.
    ///
    /// A child that is made where it belongs, by ``share(of:)`` or ``joinCurrent(_:units:total:)``, costs less. This
    /// is for work that began on its own. To a node that has finished it is added all the same: what is done there
    /// counts no more, but a cancel and a pause of what stands above reach it.
    ///
    /// - Parameters:
    ///   - root: A node without a parent that has not finished.
    ///   - units: The units of this node that the child stands for; less than 0 counts as 0.
    /// - Throws: ``ProgressError`` when the node has a parent or has finished, is this one or above it, or
    ///   when the tree would become too deep. Nothing has changed then.
    /// - Complexity: O(nodes below the root), in one hold of the lock.
    public func add(_ root: HeadwayProgress.ProgressNode, units: Int) throws(HeadwayProgress.ProgressError)
}

extension ProgressNode {

    /// Whether the work is to end early; workers ask it as often as they like.
    ///
    /// - Complexity: O(1): one relaxed atomic load.
    @inlinable public var isCancelled: Bool { get }

    /// Whether a cancel reaches the node and what is below it: true unless it is set otherwise.
    ///
    /// A step that must not be cut off says no. A cancel of the node itself then does nothing, and one from above
    /// passes it by; saying yes again makes up for a cancel from above.
    ///
    /// - Complexity: O(1), and that of ``cancel()`` where one is made up for.
    public var isCancellable: Bool

    /// Tells the work of this node, and all that is below it, to end early.
    ///
    /// Workers see ``isCancelled``, checkpoints throw, handlers are called once all nodes are marked. Children made
    /// later are cancelled from the start. It cannot be undone; a second call does nothing.
    ///
    /// - Complexity: O(nodes below), in holds of the tree's lock of at most 1,000 nodes.
    public func cancel()

    /// Calls a function when the node is cancelled, on the thread that cancels.
    ///
    /// If the node is cancelled already, it is called at once. It may touch the tree, and cancel again, which does
    /// nothing. It should be short: handlers are called one after the other.
    ///
    /// - Parameter handler: What to do; called once at most.
    /// - Returns: What takes the handler away again.
    /// - Complexity: O(1).
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> HeadwayProgress.ProgressHandler

    /// Calls a function when the node is cancelled, on an actor.
    ///
    /// - Parameters:
    ///   - actor: Where to run, such as `MainActor.shared`.
    ///   - handler: What to do; called once at most.
    /// - Returns: What takes the handler away again.
    @discardableResult
    public func onCancel<A>(on actor: A, _ handler: @escaping @Sendable (isolated A) -> Void) -> HeadwayProgress.ProgressHandler where A : Actor

    /// Calls a function when the node is cancelled, on an executor.
    ///
    /// - Parameters:
    ///   - executor: Where to run.
    ///   - handler: What to do; called once at most.
    /// - Returns: What takes the handler away again.
    @discardableResult
    public func onCancel(on executor: any TaskExecutor, _ handler: @escaping @Sendable () async -> Void) -> HeadwayProgress.ProgressHandler
}

extension ProgressNode {

    /// Adds completed units.
    ///
    /// What is added after the node has finished does not count. More units than `total` read as full. A count
    /// that comes within 2⁴⁸ of 2⁶³ reads as `Int.max` and stays there.
    ///
    /// - Parameter units: How many more are completed. Less than 0 is ignored; see ``takeBack(_:)``.
    /// - Complexity: O(1): one relaxed atomic addition. The first one after a look also puts the node on a list.
    @inlinable public func complete(_ units: Int = 1)

    /// Sets the completed units, for work that knows how far it is.
    ///
    /// The units of children that have finished are among them. A count that goes back makes ``fraction`` go
    /// back, and ``shownFraction`` wait.
    ///
    /// - Parameter units: The number of completed units; less than 0 counts as 0.
    /// - Complexity: O(1), without a lock.
    public func setCompleted(_ units: Int)

    /// Takes completed units back, for work that has to be done again.
    ///
    /// - Parameter units: How many to take back; the count does not go below 0. Less than 0 is ignored.
    /// - Complexity: O(1), without a lock.
    public func takeBack(_ units: Int)
}

extension ProgressNode {

    /// The units that are completed, those of finished children among them.
    ///
    /// It may be more than ``total``. Once the node has finished it stays as it was then.
    ///
    /// - Complexity: O(1), without a lock.
    public var completed: Int { get }

    /// The number of units of the work, nil while it is not known.
    ///
    /// It may be set at any time, and grow or shrink. A number below 0 means that it is not known; work of
    /// 0 units is full.
    ///
    /// - Complexity: O(1): one lock.
    public var total: Int?

    /// Adds units to the total, for work that finds more to do on the way; unlike a change of `total` it loses
    /// none of two additions at a time.
    ///
    /// - Parameter units: How many more there are; less than 0 takes some away. An unknown total counts as 0.
    /// - Complexity: O(1): one lock.
    public func addToTotal(_ units: Int)

    /// The part of the work that is done, from 0 to 1: the truth.
    ///
    /// It is `completed / total`, where each live child counts with its fraction of its share; 0 while the total
    /// is not known. It is less than 1 until the node has finished, and goes back when units are taken back or
    /// the total grows. The error is at most 10⁻¹² for counts up to 2⁶² and depths up to 32.
    ///
    /// - Complexity: O(nodes of the tree that have changed since the last look).
    public var fraction: Double { get }

    /// The largest fraction that anybody has seen of this node: it never goes back.
    ///
    /// - Complexity: O(nodes of the tree that have changed since the last look).
    public var shownFraction: Double { get }

    /// Whether the total is not known, so that a fraction says nothing; a node that has finished is known.
    ///
    /// - Complexity: O(1): one lock.
    public var isIndeterminate: Bool { get }

    /// Whether the work has ended: ``finish()`` was called, or nobody holds the node any more.
    ///
    /// A count that reaches the total does not finish a node: more may be found to do.
    ///
    /// - Complexity: O(1): one atomic load.
    @inlinable public var isFinished: Bool { get }
}

extension ProgressNode {

    /// The node of the innermost ``withCurrent(units:_:)`` that this code runs in, nil when there is none.
    ///
    /// Tasks that are not detached have the node of the code that made them. Reporting needs no look at it: see
    /// ``joinCurrent(_:units:total:)``.
    ///
    /// - Complexity: O(1): one look at a task-local value.
    public static var current: HeadwayProgress.ProgressNode? { get }

    /// Makes this the current node while a body runs, so that whatever is called can report some of its units.
    ///
    /// ```swift
    /// let node = ProgressNode(total: 2)
    /// let image = node.withCurrent(units: 1) { load(file) }
    /// node.withCurrent(units: 1) { blur(image) }
    /// ```
    ///
    /// What is called joins by ``joinCurrent(_:units:total:)``, or does not know of progress. When the body ends, by
    /// returning or by throwing, the units that nobody took are completed. A child that is still alive keeps its
    /// units until it finishes.
    ///
    /// - Parameters:
    ///   - units: The units of this node that the body stands for; less than 0 counts as 0.
    ///   - body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    /// - Complexity: O(1), without a lock.
    @inlinable public func withCurrent<Result, Failure>(units: Int, _ body: () throws(Failure) -> Result) throws(Failure) -> Result where Failure : Error

    /// Makes this the current node while an asynchronous body runs.
    ///
    /// All that is said of the form for synchronous code holds. Child tasks, and unstructured ones, join as well;
    /// detached tasks do not.
    ///
    /// - Parameters:
    ///   - units: The units of this node that the body stands for; less than 0 counts as 0.
    ///   - isolation: The actor to run on: the caller's.
    ///   - body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    /// - Complexity: O(1), without a lock.
    @inlinable public func withCurrent<Result>(units: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result) async rethrows -> Result

    /// Makes a node for what is about to be done: a child of the current node, or else a root that nobody watches.
    ///
    /// A function that calls this reports its progress to whoever wants to know, without a parameter:
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
    /// Of the units of the scope the child takes those that it names, or what is left if that is less; one that names
    /// none takes all that is left. With nothing left it joins all the same and weighs nothing: cancel, pause and
    /// typed sums work.
    ///
    /// - Parameters:
    ///   - label: The words that name the work; none by default.
    ///   - units: The units of the current node to take, nil for all that are left.
    ///   - total: The units of the work itself, nil while not known.
    /// - Returns: The node. It finishes at the latest when nobody holds it any more.
    /// - Complexity: O(1): one lock.
    public static func joinCurrent(_ label: String = "", units: Int? = nil, total: Int? = nil) -> HeadwayProgress.ProgressNode
}

extension ProgressNode {

    /// The words that name the work, empty for none.
    ///
    /// - Complexity: O(1): one lock.
    public var label: String

    /// Words about what is being done at the moment, in place of those that the counts give; nil for none.
    ///
    /// - Complexity: O(1): one lock.
    public var detail: String?

    /// What sort of work it is; things, not files, unless something else is said.
    ///
    /// - Complexity: O(1): one lock.
    public var kind: HeadwayProgress.WorkKind

    /// The typed value of this node alone, nil for none; setting nil removes it.
    ///
    /// - Parameter key: What kind of value.
    /// - Complexity: O(values of the node): one lock.
    public subscript<Key>(key: Key.Type) -> Key.Value? where Key : HeadwayProgress.ProgressKey

    /// Changes a typed value of this node in one step, so that of two changes at a time none is lost.
    ///
    /// - Parameters:
    ///   - key: What kind of value.
    ///   - change: Changes the value; called under the lock of the tree, so it must not touch any node.
    /// - Complexity: O(values of the node): one lock.
    public func update<Key>(_ key: Key.Type, _ change: (inout Key.Value?) -> Void) where Key : HeadwayProgress.ProgressKey

    /// The typed values of this node and all below it as one; finished nodes have left what is kept of theirs.
    ///
    /// Under most of the ``ProgressKeys`` the value of a node stands for all that is below it; see
    /// ``ProgressKey/coversSubtree``. Where the units of a node are bytes, its counts stand for the byte counts that it
    /// does not set. With a total they stand for those of all that is below it, too, which does a share of its bytes;
    /// without one they do so only as long as the node has no children.
    ///
    /// - Parameter key: What kind of value.
    /// - Returns: The sum, nil when no node has such a value.
    /// - Complexity: O(nodes below that have typed values + nodes of the tree that have changed since the last look),
    ///   in holds of the lock of 1,000 nodes.
    public func sum<Key>(of key: Key.Type) -> Key.Sum? where Key : HeadwayProgress.ProgressKey
}

extension ProgressNode {

    /// The number of files of the work, nil for none.
    public var totalFileCount: Int?

    /// The number of files that are done, nil for none.
    public var completedFileCount: Int?

    /// Units a second, as the worker has measured it, nil for none.
    public var throughput: Double?

    /// The time that the work still takes, as the worker sees it, nil for none.
    public var remainingTime: Duration?

    /// The path of the file that the work is about, nil for none.
    public var filePath: String?
}

extension ProgressNode {

    /// Whether the node or one above it is paused.
    ///
    /// - Complexity: O(1): one relaxed atomic load.
    @inlinable public var isPaused: Bool { get }

    /// Whether a pause reaches the node and what is below it: true unless it is set otherwise.
    ///
    /// - Complexity: O(1), and that of ``pause()`` where one from above begins or ends to hold.
    public var isPausable: Bool

    /// Pauses the work of this node and all that is below it.
    ///
    /// Workers wait at their next ``checkpoint(isolation:)``; those that have none go on. Children made later are paused from the
    /// start. A second call does nothing.
    ///
    /// - Complexity: O(nodes below), in holds of the tree's lock of at most 1,000 nodes.
    public func pause()

    /// Lets the work of this node go on, unless a node above is paused; what was paused below on its own stays so.
    ///
    /// - Complexity: O(nodes below), in holds of the tree's lock of at most 1,000 nodes.
    public func resume()

    /// Calls a function each time the node is paused, on the thread that pauses; at once if it is paused already.
    ///
    /// - Parameter handler: What to do.
    /// - Returns: What takes the handler away again.
    @discardableResult
    public func onPause(_ handler: @escaping @Sendable () -> Void) -> HeadwayProgress.ProgressHandler

    /// Calls a function each time the node goes on after a pause, on the thread that resumes it.
    ///
    /// - Parameter handler: What to do.
    /// - Returns: What takes the handler away again.
    @discardableResult
    public func onResume(_ handler: @escaping @Sendable () -> Void) -> HeadwayProgress.ProgressHandler
}

extension ProgressNode {

    /// Waits while the node is paused, and throws when the work is to end: for loops of asynchronous work.
    ///
    /// ```swift
    /// for file in files {
    ///   try await node.checkpoint()
    ///   try await copy(file)
    ///   node.complete(1)
    /// }
    /// ```
    ///
    /// - Throws: `CancellationError` when the node or the task is cancelled, also while it waits.
    /// - Complexity: O(1); two loads where there is nothing to wait for.
    @inlinable public func checkpoint(isolation: isolated (any Actor)? = #isolation) async throws(CancellationError)

    /// Waits while the node is paused, and throws when the work is to end: for loops on plain threads.
    ///
    /// It blocks the thread while the node is paused, so asynchronous code calls ``checkpoint(isolation:)``.
    ///
    /// - Throws: `CancellationError` when the node is cancelled, also while it waits.
    /// - Complexity: O(1); one load where there is nothing to wait for.
    @inlinable public func blockingCheckpoint() throws(CancellationError)
}

extension ProgressNode {

    /// Runs a body that is cancelled with the node, and the node with it.
    ///
    /// - When the node is cancelled, the body's task is: `Task.isCancelled` holds in it, and what it waits for
    ///   throws.
    /// - When the calling task is cancelled, the node is, with all that is below it.
    ///
    /// The body runs on the caller's actor and may use what is not `Sendable`. It is a child task of the caller, so that
    /// cancelling it leaves the caller alone.
    ///
    /// ```swift
    /// try await node.withTaskCancellation {
    ///   try await download(url)   // knows of tasks, not of nodes
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on: the caller's.
    ///   - body: What to do.
    /// - Returns: What the body returns.
    /// - Throws: What the body throws.
    public func withTaskCancellation<Result>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result) async throws -> Result
}

extension ProgressNode {

    /// The deepest level that is added up while it moves; the root is level 1.
    ///
    /// Nodes below it join all the same: cancel and pause reach them, and their units count in the node above as
    /// soon as they finish. A child of one of those joins the node of the last level and weighs nothing: it is
    /// cancelled from the start if the node that it was made below is, but what happens to that one later does not
    /// reach it.
    public static let maximumDepth: Int

    /// The largest fraction of work that has not finished.
    public static let nearlyDone: Double
}

extension ProgressNode {

    /// Takes a share of this node's units, for a function that reports them.
    ///
    /// - Parameter units: The units of this node that the function stands for; less than 0 counts as 0.
    /// - Returns: The share. Dropped unused it counts as done.
    /// - Complexity: O(1), without a lock.
    public func share(of units: Int) -> HeadwayProgress.ProgressShare

    /// Makes a child that stands for some of this node's units.
    ///
    /// A child of a node that has finished counts nowhere.
    ///
    /// - Parameters:
    ///   - label: The words that name the work; none by default.
    ///   - units: The units of this node that are completed when the child finishes; less than 0 counts as 0.
    ///   - total: The units of the child's own work, nil while not known.
    /// - Returns: The child. It counts until it finishes, at the latest when nobody holds it any more.
    /// - Complexity: O(1): one lock.
    public func child(_ label: String = "", units: Int, total: Int? = nil) -> HeadwayProgress.ProgressNode
}

extension ProgressNode {

    /// Copies the node and what is below it, as far as it fits.
    ///
    /// Nodes near the top come first: all children of the root before the children of those.
    ///
    /// - Parameter limit: The most nodes to copy, this one among them: 1 to 1,000.
    /// - Returns: A value that stays as it is while the work goes on.
    /// - Complexity: O(`limit` + nodes that have changed since the last look + nodes that have typed values). The
    ///   copy itself is made in one hold of the lock.
    public func snapshot(limit: Int = 1_000) -> HeadwayProgress.ProgressSnapshot
}

extension ProgressNode {

    /// Ends the work: the whole share counts as completed in the parent, whatever the count says.
    ///
    /// A second call does nothing. A node that nobody holds any more finishes by itself. What is added later does
    /// not count. Children that are still alive count no more; cancel and pause go on reaching them.
    ///
    /// - Complexity: O(1), and O(nodes with typed values below) where there are some.
    public func finish()
}

/// The right to report some units of a node, to be used once.
///
/// A function that takes a share says in its type that it reports progress, and the compiler sees to it that no share
/// is used twice. A share that is dropped unused counts as done.
///
/// ```swift
/// func fetch(_ url: String, _ share: consuming ProgressShare) async throws {
///   let progress = share.start("fetch", total: 100)
///   progress.complete(100)
/// }
/// try await fetch(url, node.share(of: 3))
/// ```
///
/// A share cannot be consumed inside an escaping closure. For tasks and loops start the child before:
///
/// ```swift
/// let child = node.share(of: 3).start(total: 100)
/// Task { child.complete(100) }
/// ```
public struct ProgressShare : ~Copyable, Sendable {

    /// The units of the node.
    public let units: Int

    deinit

    /// Starts the work: makes the child that stands for these units.
    ///
    /// - Parameters:
    ///   - label: The words that name the work; none by default.
    ///   - total: The units of the child's own work, nil while not known.
    /// - Returns: The child. The units count when it finishes, at the latest when nobody holds it any more.
    /// - Complexity: O(1): one lock.
    public consuming func start(_ label: String = "", total: Int? = nil) -> HeadwayProgress.ProgressNode

    /// Ends the work at once: the units are completed.
    public consuming func complete()
}

/// A tree of progress, or the part of it that fits, as it was at one moment: the only view of a live tree.
public struct ProgressSnapshot : Sendable, Equatable, Identifiable {

    /// The number of the node, which differs between the nodes of one tree and stays until that is added to another.
    public let id: UInt32

    /// The words that name the work, empty for none.
    public let label: String

    /// Words about what was being done, in place of those that the counts give; nil for none.
    public let detail: String?

    /// What sort of work it is.
    public let kind: HeadwayProgress.WorkKind

    /// The completed units, those of finished children among them; it may be more than `total`.
    public let completed: Int

    /// The units of the work, nil while not known.
    public let total: Int?

    /// The part of the work that is done, from 0 to 1; 0 while the total is not known, 1 only when finished.
    public let fraction: Double

    /// The largest fraction that was seen: it never goes back.
    public let shownFraction: Double

    /// Whether the work has ended.
    public let isFinished: Bool

    /// Whether the work was told to end early.
    public let isCancelled: Bool

    /// Whether the work is paused, here or above.
    public let isPaused: Bool

    /// Whether a cancel reaches the node.
    public let isCancellable: Bool

    /// Whether a pause reaches the node.
    public let isPausable: Bool

    /// The children that had not finished, in the order in which they were made.
    public internal(set) var children: [HeadwayProgress.ProgressSnapshot] { get }

    /// Whether there were more children than `children` has.
    public internal(set) var omitsChildren: Bool { get }

    /// Whether the total is not known, so that the fraction says nothing.
    public var isIndeterminate: Bool { get }

    /// The typed value of the node alone, nil for none.
    ///
    /// - Parameter key: What kind of value.
    public subscript<Key>(key: Key.Type) -> Key.Value? where Key : HeadwayProgress.ProgressKey { get }

    /// The typed values of the node and all below it as one, those that are omitted among them.
    ///
    /// - Parameter key: What kind of value.
    /// - Returns: The sum, nil when no node has such a value.
    public func sum<Key>(of key: Key.Type) -> Key.Sum? where Key : HeadwayProgress.ProgressKey

    /// Whether two snapshots say the same.
    public static func == (left: HeadwayProgress.ProgressSnapshot, right: HeadwayProgress.ProgressSnapshot) -> Bool
}

extension ProgressSnapshot : CustomStringConvertible {

    /// The tree as lines of text, for logs; people are shown what `HeadwayFoundation` says.
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

/// What sort of work a node stands for, which decides how it is put into words.
public enum WorkKind : Hashable, Sendable {

    /// Work whose units are things.
    case work

    /// Work on files, whose units are bytes; which one, where that is known.
    case file(HeadwayProgress.FileOperation?)

    /// Whether the units are bytes.
    public var countsBytes: Bool { get }
}

