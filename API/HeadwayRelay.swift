import CRelay
import HeadwayCollections
import HeadwayLibc
import HeadwayLock
import HeadwayProgress
import HeadwayRun
import HeadwaySystem
import HeadwayText
import HeadwayTime
import Synchronization

/// Some units of a node for which another program reports, with all programs that it starts.
///
/// ```swift
/// let share: ProcessShare = node.share(of: 3).forProcess("compile")
/// var environment = ProcessInfo.processInfo.environment
/// environment.merge(share.environment) { _, new in new }
/// // … start a program with these variables, and wait for its end.
/// share.finish()
/// ```
///
/// A program that was started with ``environment`` and publishes a node with
/// ``HeadwayProgress/ProgressNode/publish(kind:name:file:accepts:onProblem:)`` appears below ``node`` instead of among the publications of
/// the user; a shell script does the same with `headway tell`. Cancel, pause and resume of the node reach the programs. If ``node`` has no
/// total, the first program stands for all of it, and later ones are shown but count for nothing.
///
/// It ends with ``finish()``, at the latest when it is dropped. A program that lives on then publishes its work as its own. Safe
/// from any thread.
final public class ProcessShare : Sendable {

    /// The node that stands for the units.
    public let node: HeadwayProgress.ProgressNode

    /// Opens a node for other programs.
    ///
    /// - Parameter node: The node for which they report. Dropping this object finishes it.
    /// - Complexity: O(1): one lock.
    public init(_ node: HeadwayProgress.ProgressNode)

    deinit

    /// The variables for the environment of a program.
    ///
    /// They replace those of the same name. They are the same for all programs, however these are started. If programs cannot
    /// report, there are none, and they run as usual.
    ///
    /// - Complexity: O(1). The first call in a process waits until its socket was created, which takes less than a
    ///   millisecond.
    public var environment: [String : String] { get }

    /// Opens a pipe for a program that reports its progress as programs written in Zig do.
    ///
    /// The program needs the descriptor, under any number, and that number in the variable `ZIG_PROGRESS`. Programs that use
    /// Headway need only ``environment``.
    ///
    /// ```swift
    /// let error = share.withZigDescriptor { descriptor in
    ///   if let descriptor {
    ///     posix_spawn_file_actions_adddup2(&actions, descriptor, 3)
    ///     environment["ZIG_PROGRESS"] = "3"
    ///   }
    ///   return posix_spawn(&pid, path, &actions, nil, arguments, variables(environment))
    /// }
    /// ```
    ///
    /// The tree of the program is shown below ``node`` until the program ends, or until the share is finished. The protocol has
    /// no names for programs, so call this once for each of them. It has no requests either: a handler of ``node`` that ends the
    /// program makes it cancellable.
    ///
    /// - Parameter start: Starts the program before it returns. Takes a descriptor that is valid until then and is not inherited
    ///   unless you duplicate it, as above; nil if there is no pipe, such as with `HEADWAY_ZIG=off`.
    /// - Returns: The result of `start`.
    /// - Throws: The error of `start`.
    /// - Complexity: O(1): five system calls.
    public func withZigDescriptor<Result, Failure>(_ start: (_ descriptor: Int32?) throws(Failure) -> Result) throws(Failure) -> Result where Failure : Error

    /// Ends the share and completes its units; a second call does nothing.
    public func finish()
}

/// A node that other programs of this user can see.
///
/// It lasts until its node finishes or ``unpublish()`` is called; to drop it changes nothing. Safe from any thread.
///
/// ```swift
/// let publication: Publication = node.publish(kind: "backup")
/// if let problem: RelayError = publication.problem { show("nobody sees it: \(problem)") }
/// publication.unpublish()  // the work goes on
/// ```
final public class Publication : Sendable, Identifiable {

    /// What other programs may ask the work for.
    public struct Requests : OptionSet, Hashable, Sendable {

        /// The bits.
        public let rawValue: UInt8

        /// Creates a set from bits.
        public init(rawValue: UInt8)

        /// To end early; see `cancel()`.
        public static let cancel: HeadwayRelay.Publication.Requests

        /// To pause and to resume; see `pause()`.
        public static let pause: HeadwayRelay.Publication.Requests
    }

    /// The ID of the publication, such as `12345.1`: no other one of the machine has it.
    ///
    /// It consists of the number of the process and a number that the process counts.
    public var id: String { get }

    /// Why nobody can see the work, nil while there is no reason.
    ///
    /// The work goes on. As the socket is created by another thread, the reason may come a moment after
    /// ``HeadwayProgress/ProgressNode/publish(kind:name:file:accepts:onProblem:)`` has returned.
    public var problem: HeadwayRelay.RelayError? { get }

    /// Whether another program watches the work at this moment.
    ///
    /// - Complexity: O(1): one relaxed atomic load.
    public var isWatched: Bool { get }

    /// Notes that the work has failed, which those who watch are told when its node finishes.
    ///
    /// ```swift
    /// let publication = node.publish()
    /// do {
    ///   try await copy(files, node)
    /// } catch {
    ///   node.detail = "\(error)"
    ///   publication.fail()
    /// }
    /// node.finish()
    /// ```
    ///
    /// The `detail` of the node says why. Work that was cancelled has not failed.
    ///
    /// - Complexity: O(1).
    public func fail()

    /// Ends the publication, while the work goes on; a second call does nothing.
    ///
    /// - Complexity: O(1); the watchers are told by another thread.
    public func unpublish()
}

/// The reason why a process cannot publish its work, or cannot watch that of another one.
///
/// The work itself goes on. The description is a sentence for people, on one line and safe to show: what happened, where,
/// and what to do.
///
/// ```swift
/// func cancel(_ work: WatchedPublication) async {
///   do throws(RelayError) {
///     try await work.cancel()
///   } catch {
///     show("\(work.program): \(error)")
///   }
/// }
/// ```
@nonexhaustive public enum RelayError : Error, Hashable, Sendable, CustomStringConvertible {

    /// There is no directory for the sockets of the user, or it cannot be used.
    case noDirectory(path: String, reason: String)

    /// A file, directory or process belongs to another user.
    case otherUser(path: String, uid: UInt32)

    /// A publisher speaks a later version of the protocol.
    case newerVersion(Int, program: String)

    /// A process sent something that the protocol does not allow; its connection was closed.
    case invalidLine(program: String, reason: String)

    /// There are more of something than the limit allows.
    case tooMany(String, limit: Int)

    /// A process connected and asked for nothing; its connection was closed.
    case silent

    /// A process did not read what it had asked for; its connection was closed.
    case stalled

    /// A publisher did not say in time what it publishes.
    case noAnswer(pid: Int32)

    /// A publisher closed the connection, and said why.
    case refused(program: String, reason: String)

    /// A publisher did not grant a request.
    case requestRefused(reason: String)

    /// A program wrote something to `ZIG_PROGRESS` that is not of Zig's protocol; it was ignored.
    case notZigProgress

    /// The system refused something.
    case system(String, reason: String)

    /// The process is a copy of the one that published, made by `fork`.
    case forked

    /// Publishing does not work on this system.
    case notSupported

    /// The environment turns publishing off.
    case turnedOff

    /// A sentence for people.
    public var description: String { get }
}

/// The work that programs of this user publish, as it comes and goes.
///
/// ```swift
/// for await work in Subscription(.kind("download")) {
///   board.add(work.node)
/// }
/// ```
///
/// Each publication comes once, when it is found, with its tree. How it ends is told by ``WatchedPublication/ended()``.
/// The sequence itself ends only when its task is cancelled. Any number of iterators can be made; each is a subscription
/// of its own, which lasts as long as the iterator or one of its publications is held. Programs that do not answer hold up
/// nothing. The work that this process publishes is included.
///
/// Safe from any thread.
public struct Subscription : AsyncSequence, Sendable {

    /// Which publications are wanted.
    @nonexhaustive public enum Filter : Hashable, Sendable {

        /// All of this user.
        case all

        /// Those of a kind, as the publisher calls it.
        case kind(String)

        /// Those about a file, or about a file or directory directly in this directory.
        case file(String)

        /// The one with an ID.
        case id(String)
    }

    /// The work of another program.
    public typealias Element = HeadwayRelay.WatchedPublication

    /// A subscription never fails.
    public typealias Failure = Never

    /// Describes a subscription, which begins when an iterator is made.
    ///
    /// - Parameters:
    ///   - filter: Which publications are wanted.
    ///   - interval: The least time between two changes of their trees; from 1/60 of a second, the default, to an hour.
    ///   - onProblem: Called with each problem, such as that a socket belongs to another user, or that a program speaks a later
    ///     version of the protocol. Called by another thread, which must not be held up.
    public init(_ filter: HeadwayRelay.Subscription.Filter = .all, every interval: Duration = .milliseconds(16), onProblem: (@Sendable (HeadwayRelay.RelayError) -> Void)? = nil)

    /// Begins a subscription.
    public func makeAsyncIterator() -> HeadwayRelay.Subscription.Iterator

    /// The publications that are there now.
    ///
    /// - Parameter limit: How long to wait for programs that do not answer, such as stopped ones; the others answer within
    ///   milliseconds. Those are told to `onProblem` as ``RelayError/noAnswer(pid:)``.
    /// - Returns: The publications, in no particular order. They follow their work as long as one of them is held.
    public func current(within limit: Duration = .seconds(1)) async -> [HeadwayRelay.WatchedPublication]

    /// Takes the publications as they are found.
    public struct Iterator : AsyncIteratorProtocol {

        /// Waits for the next publication.
        ///
        /// - Parameter actor: The actor to wait on; by default the caller's.
        /// - Returns: The publication, nil if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> HeadwayRelay.WatchedPublication?

        /// Waits for the next publication.
        public mutating func next() async -> HeadwayRelay.WatchedPublication?
    }
}

/// Work that another program publishes, as this one sees it.
///
/// ```swift
/// for await work in Subscription() {
///   print(work.program, work.node.snapshot().summaryLine())
///   if work.kind == "download" { work.node.pause() }
/// }
/// ```
///
/// Keep it as long as its ``node`` is used. Safe from any thread.
final public class WatchedPublication : Sendable, Identifiable {

    /// Why a publication ended.
    ///
    /// ```swift
    /// func words(for end: WatchedPublication.End?) -> String {
    ///   switch end {
    ///   case .finished: "done"
    ///   case .failed: "failed"
    ///   case .lost(let error): "out of sight: \(error)"
    ///   default: "over"
    ///   }
    /// }
    /// ```
    @nonexhaustive public enum End : Hashable, Sendable {

        /// The work has ended.
        case finished

        /// The work has ended and has failed; the `detail` of the node may say why.
        case failed

        /// The work goes on, but is not published any more.
        case unpublished

        /// The process ended before the work did, as after `kill -9`.
        case died

        /// The connection cannot be used any more.
        case lost(HeadwayRelay.RelayError)
    }

    /// The ID of the publication, such as `12345.1`: no other one of the machine has it.
    public var id: String { get }

    /// What the work is, as the publisher calls it, such as `run`.
    public var kind: String { get }

    /// A name by which people can choose the work, nil if it has none.
    ///
    /// It comes from another program: clean it before it is shown on a terminal.
    public var name: String? { get }

    /// The path of the file or directory that the work is about, nil if there is none.
    public var file: String? { get }

    /// The name of the publishing program, as it says.
    public var program: String { get }

    /// The number of the publishing process.
    public var pid: Int32 { get }

    /// What the publisher lets other programs ask for; the rest is refused.
    public var accepts: HeadwayRelay.Publication.Requests { get }

    /// Whether the work was published before the subscription began.
    public var isOld: Bool { get }

    /// The root of a tree of this process that follows that of the publisher, at most 60 times a second.
    ///
    /// Bars, words, feeds and the mirror of a Foundation `Progress` work on it as on any other node. `cancel()`,
    /// `pause()` and `resume()` on it and on the nodes below take effect
    /// here at once and are passed on to the publisher; if it refuses, they are taken back. What is counted here by hand is lost.
    ///
    /// The node finishes when the publication ends. If the work was not seen to its end, the node is cancelled, and its
    /// `detail` says why.
    public var node: HeadwayProgress.ProgressNode { get }

    /// The newest forecast of the remaining time, nil if the publisher makes none.
    public var forecast: HeadwayRun.RunForecast? { get }

    /// Why the publication ended, nil while it lasts.
    public var end: HeadwayRelay.WatchedPublication.End? { get }

    /// Waits for the end of the publication.
    ///
    /// - Returns: Why it ended, nil if the task was cancelled before.
    public func ended() async -> HeadwayRelay.WatchedPublication.End?

    /// Asks the publisher to cancel the work, and waits for its answer.
    ///
    /// As `node.cancel()`, but it tells whether the request was granted. If the task is cancelled, it returns at once, and the
    /// request may still be granted.
    ///
    /// - Throws: ``RelayError/requestRefused(reason:)``.
    public func cancel() async throws(HeadwayRelay.RelayError)

    /// Asks the publisher to pause the work, and waits for its answer, as ``cancel()`` does.
    ///
    /// - Throws: ``RelayError/requestRefused(reason:)``.
    public func pause() async throws(HeadwayRelay.RelayError)

    /// Asks the publisher to resume the work, and waits for its answer, as ``cancel()`` does.
    ///
    /// - Throws: ``RelayError/requestRefused(reason:)``.
    public func resume() async throws(HeadwayRelay.RelayError)
}

extension ProgressShare {

    /// Opens these units for another program.
    ///
    /// - Parameter label: A short name of the work; empty for none.
    /// - Returns: The share of the program.
    /// - Complexity: O(1): one lock.
    public consuming func forProcess(_ label: String = "") -> HeadwayRelay.ProcessShare
}

extension ProgressNode {

    /// Lets other programs of this user see this node and the nodes below it, and cancel or pause them.
    ///
    /// ```swift
    /// let node = ProgressNode("Backing up", total: files.count)
    /// node.publish()
    /// for file in files {
    ///   try await node.checkpoint()
    ///   try await backUp(file)
    ///   node.complete(1)
    /// }
    /// ```
    ///
    /// The publication lasts until the node finishes or is dropped, or until ``Publication/unpublish()`` is called. Watchers see a
    /// tree as `snapshot(limit:)` with 1,000 nodes does, at most 60 times a second. A thread named `headway-relay` serves all
    /// publications and watchers of the process. While nobody watches, the tree is not read; while nothing changes, nothing
    /// is sent and nothing wakes up. Watchers never make the work wait.
    ///
    /// If the work cannot be published, it goes on unpublished: there is no usable directory for the socket, the process is a
    /// copy made by `fork`, or `HEADWAY_PUBLISH=off` is set. ``Publication/problem`` says why. It counts as a read:
    /// afterwards, the tree cannot be added to another.
    ///
    /// - Parameters:
    ///   - kind: What the work is, for watchers of that kind, such as `download`; at most 256 bytes are shown.
    ///   - name: A name by which people can choose the work; at most 256 bytes are shown.
    ///   - file: The path of the file or directory that the work is about, for watchers of it; by default the `filePath` of the
    ///     node at this moment. A relative path is that in the current directory. Links are not followed.
    ///   - accepts: What other programs may ask the work for. What they may not is refused, and they are told so.
    ///   - onProblem: Called with each problem, such as that the work cannot be published, or that a program was
    ///     disconnected. Called by another thread, which must not be held up.
    /// - Returns: The publication. Publishing twice makes two publications.
    /// - Complexity: O(1): the socket is created by another thread.
    @discardableResult
    public func publish(kind: String = "work", name: String? = nil, file: String? = nil, accepts: HeadwayRelay.Publication.Requests = [.cancel, .pause], onProblem: (@Sendable (HeadwayRelay.RelayError) -> Void)? = nil) -> HeadwayRelay.Publication
}

