internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwaySystem
internal import Synchronization

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
public struct Subscription: AsyncSequence, Sendable {
  /// Which publications are wanted.
  @nonexhaustive
  public enum Filter: Hashable, Sendable {
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
  public typealias Element = WatchedPublication
  /// A subscription never fails.
  public typealias Failure = Never

  private let interest: Interest
  /// The only process whose work is wanted, nil for all.
  private let process: Int32?
  private let problemHandler: (@Sendable (RelayError) -> Void)?
  private let byteHandler: (@Sendable (_ connection: Int, ArraySlice<UInt8>) -> Void)?

  /// Describes a subscription, which begins when an iterator is made.
  ///
  /// - Parameters:
  ///   - filter: Which publications are wanted.
  ///   - interval: The least time between two changes of their trees; from 1/60 of a second, the default, to an hour.
  ///   - onProblem: Called with each problem, such as that a socket belongs to another user, or that a program speaks a later
  ///     version of the protocol. Called by another thread, which must not be held up.
  public init(
    _ filter: Filter = .all, every interval: Duration = .milliseconds(16),
    onProblem: (@Sendable (RelayError) -> Void)? = nil
  ) {
    self.init(filter, every: interval, onBytes: nil, onProblem: onProblem)
  }

  /// Describes a subscription that also passes on what the publishers send.
  ///
  /// - Parameters:
  ///   - filter: Which publications are wanted.
  ///   - interval: The least time between two changes of their trees.
  ///   - onBytes: Called with the number of a connection and the next bytes from it, before they are read and checked. Called
  ///     by another thread; while it is held up, nothing more is received, and publishers send fewer and larger changes.
  ///   - onProblem: Called with each problem.
  package init(
    _ filter: Filter = .all, every interval: Duration = .milliseconds(16),
    onBytes: (@Sendable (_ connection: Int, ArraySlice<UInt8>) -> Void)?,
    onProblem: (@Sendable (RelayError) -> Void)? = nil
  ) {
    (byteHandler, problemHandler) = (onBytes, onProblem)
    process = nil
    interest =
      switch filter {
      case .all: Interest(interval: interval)
      case .kind(let kind): Interest(kind: kind, interval: interval)
      case .file(let path): Interest(path: absolutePath(path), interval: interval)
      case .id(let id): Interest(publication: PublicationID(id), interval: interval)
      }
  }

  /// Describes a subscription to the work of one process; no other one is connected to.
  ///
  /// - Parameters:
  ///   - process: The number of the process.
  ///   - hasTrees: Whether the trees are sent; without them, the publications can only be asked for something.
  ///   - interval: The least time between two changes of the trees.
  ///   - onProblem: Called with each problem.
  package init(
    ofProcess process: Int32, hasTrees: Bool = true, every interval: Duration = .seconds(1),
    onProblem: (@Sendable (RelayError) -> Void)? = nil
  ) {
    (byteHandler, problemHandler) = (nil, onProblem)
    self.process = process
    interest = Interest(hasTrees: hasTrees, interval: interval)
  }

  /// Begins a subscription.
  public func makeAsyncIterator() -> Iterator { Iterator(begin().found) }

  /// The publications that are there now.
  ///
  /// - Parameter limit: How long to wait for programs that do not answer, such as stopped ones; the others answer within
  ///   milliseconds. Those are told to `onProblem` as ``RelayError/noAnswer(pid:)``.
  /// - Returns: The publications, in no particular order. They follow their work as long as one of them is held.
  public func current(within limit: Duration = .seconds(1)) async -> [WatchedPublication] {
    let (found, subscriber) = begin()
    let timer = Task {
      try await Task.sleep(for: limit)
      subscriber.giveUpWaiting()
    }
    defer { timer.cancel() }
    await subscriber.waitUntilSettled()
    subscriber.finish()
    var works: [WatchedPublication] = []
    for await work in found { works.append(work) }
    return works
  }

  private func begin() -> (found: AsyncStream<WatchedPublication>, subscriber: Subscriber) {
    let (stream, continuation) = AsyncStream.makeStream(of: WatchedPublication.self)
    let holder = SubscriptionHolder()
    let subscriber = Subscriber(
      holder, interest, ofProcess: process, continuation, byteHandler, problemHandler)
    // Called when the stream is dropped or its task is cancelled; then nobody waits for publications any more.
    continuation.onTermination = { _ in holder.stopSearching() }
    if let problem = RelayError.ofProcess {
      subscriber.report(problem)
      subscriber.settle()
    } else {
      #if os(Linux)
        RelayLoop.shared.post(.subscribe(subscriber))
      #endif
    }
    return (stream, subscriber)
  }

  /// Takes the publications as they are found.
  public struct Iterator: AsyncIteratorProtocol {
    private var found: AsyncStream<WatchedPublication>.Iterator

    fileprivate init(_ found: AsyncStream<WatchedPublication>) {
      self.found = found.makeAsyncIterator()
    }

    /// Waits for the next publication.
    ///
    /// - Parameter actor: The actor to wait on; by default the caller's.
    /// - Returns: The publication, nil if the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> WatchedPublication? {
      await found.next(isolation: actor)
    }

    /// Waits for the next publication.
    public mutating func next() async -> WatchedPublication? { await next(isolation: nil) }
  }
}

/// The number of the process of a socket, with which the name of the socket begins; nil if it has another form.
func processNumber(ofSocket name: String) -> Int32? { Int32(name.prefix { $0 != "-" }) }

/// Ends a subscription when nobody holds it any more: its iterator and its publications do.
final class SubscriptionHolder: Sendable {
  /// The number of the last subscription of this process.
  private static let lastNumber = Atomic<Int>(0)

  let number = makeNumber()

  /// A number that no other subscription or share of this process has.
  static func makeNumber() -> Int { lastNumber.add(1, ordering: .relaxed).newValue }

  /// Looks for no further publications.
  func stopSearching() {
    #if os(Linux)
      RelayLoop.shared.post(.stopSearching(number))
    #endif
  }

  deinit {
    #if os(Linux)
      RelayLoop.shared.post(.unsubscribe(number))
    #endif
  }
}

/// A subscription, as the thread of the loop has it.
///
/// Safe from any thread.
final class Subscriber: WatchAudience {
  /// The most problems that are told, so that others cannot make anybody read without end.
  private static let problemLimit = 64

  private struct State: Sendable {
    /// Takes publications, nil when nobody waits for them any more.
    var found: AsyncStream<WatchedPublication>.Continuation?
    var problems: Set<RelayError> = []
    /// The sockets of the processes that have not answered since the beginning.
    var awaited: Set<String> = []
  }

  let number: Int
  let interest: Interest
  /// The only process that is connected to, nil for all.
  let process: Int32?
  private weak let holder: SubscriptionHolder?
  private let state: Guarded<State>
  private let onProblem: (@Sendable (RelayError) -> Void)?
  /// Takes what the publishers send, nil if nobody wants it.
  let onBytes: (@Sendable (_ connection: Int, ArraySlice<UInt8>) -> Void)?
  /// Ends once all publications that were there at the beginning were found.
  private let settled: AsyncStream<Never>
  private let settling: AsyncStream<Never>.Continuation

  init(
    _ holder: SubscriptionHolder, _ interest: Interest, ofProcess process: Int32?,
    _ found: AsyncStream<WatchedPublication>.Continuation,
    _ onBytes: (@Sendable (_ connection: Int, ArraySlice<UInt8>) -> Void)?,
    _ onProblem: (@Sendable (RelayError) -> Void)?
  ) {
    (number, self.interest, self.process) = (holder.number, interest, process)
    (self.onBytes, self.onProblem) = (onBytes, onProblem)
    self.holder = holder
    state = Guarded(State(found: found))
    (settled, settling) = AsyncStream.makeStream(of: Never.self)
  }

  /// A tree of its own.
  func makeRoot() -> ProgressNode { ProgressNode() }

  /// Passes a publication on.
  func found(_ watched: Watched) {
    guard let holder, let found = state.withLock({ $0.found }) else { return }
    found.yield(WatchedPublication(watched, holder))
    // There is no other one.
    if interest.publication != nil { settle() }
  }

  /// Notes the processes that were there at the beginning.
  func wait(for sockets: [String]) {
    state.withLock { $0.awaited = Set(sockets) }
    if sockets.isEmpty { settle() }
  }

  /// Notes that one of them has answered, or cannot any more.
  func answered(_ socket: String) {
    let isLast = state.withLock { $0.awaited.remove(socket) != nil && $0.awaited.isEmpty }
    if isLast { settle() }
  }

  /// Reports the processes that have not answered, and stops waiting for them.
  func giveUpWaiting() {
    let sockets = state.withLock { $0.awaited }
    for socket in sockets.sorted() {
      report(.noAnswer(pid: processNumber(ofSocket: socket) ?? 0))
    }
    settle()
  }

  /// Tells of a problem, once.
  func report(_ problem: RelayError) {
    let isNew = state.withLock {
      $0.problems.count < Self.problemLimit && $0.problems.insert(problem).inserted
    }
    if isNew { onProblem?(problem) }
  }

  /// Notes that all publications that were there at the beginning were found, or are not waited for.
  func settle() { settling.finish() }

  /// Waits for that.
  func waitUntilSettled() async { for await _ in settled {} }

  /// Finds no further publications.
  func finish() {
    // Dropped outside of the lock, as it may be the last to hold publications.
    let found = state.withLock { $0.found.take() }
    found?.finish()
    settle()
  }
}
