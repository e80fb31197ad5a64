public import Foundation
internal import HeadwayLock
public import HeadwayProgress

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
public final class NodeProgress: Progress, @unchecked Sendable {
  /// What was last known of the node, and what is under way.
  struct Memory: Sendable {
    /// What the node was.
    var last: ProgressSnapshot
    /// The scopes in which the progress is current.
    var scopes: [CurrentScope] = []
  }

  /// A scope in which a progress is current on a thread.
  struct CurrentScope: Sendable {
    /// The thread.
    let thread: ObjectIdentifier
    /// The units of the scope.
    let units: Int
    /// Whether somebody has joined.
    var isJoined = false
  }

  /// The millionths in which Foundation adds up, few enough to stay clear of its overflows.
  static let foundationUnits: Int64 = 1_000_000

  /// The node.
  weak let node: ProgressNode?
  /// Where handlers are called; not held, as it may hold the progress.
  private weak let actor: (any Actor)?
  /// What is remembered.
  let memory: Guarded<Memory>
  /// The handlers of the node.
  private var handlers: [ProgressHandler] = []
  /// What brings this up to date.
  private var following: FollowingTask?

  /// Creates the progress of a node, without anything that brings it up to date.
  ///
  /// - Parameters:
  ///   - node: The node. It is not held.
  ///   - actor: Where handlers are called, nil for wherever Foundation calls them.
  init(unfollowed node: ProgressNode, on actor: (any Actor)? = nil) {
    self.node = node
    self.actor = actor
    memory = Guarded(Memory(last: node.snapshot(limit: 1)))
    super.init(parent: nil, userInfo: nil)
    update()
  }

  /// Creates the progress of a node.
  ///
  /// - Parameters:
  ///   - node: The node. It is not held.
  ///   - actor: Where the fraction, the Foundation parent and the handlers are brought up to date; nil for
  ///     nowhere: then ``update()`` alone does that, for code that uses the progress on one thread, and
  ///     handlers are called where Foundation calls them.
  ///   - interval: The length of a frame.
  ///   - clock: What measures the frames.
  public convenience init<C: Clock>(
    of node: ProgressNode, on actor: (any Actor)? = MainActor.shared,
    every interval: Duration = .milliseconds(16), clock: C = ContinuousClock()
  ) where C.Duration == Duration {
    self.init(unfollowed: node, on: actor)
    guard let actor else { return }
    let feed = node.feed(every: interval, limit: 1, clock: clock)
    let tell: @Sendable () -> Void = { [weak self] in
      Task { await Self.tell(self, isolation: actor) }
    }
    handlers = [node.onCancel(tell), node.onPause(tell), node.onResume(tell)]
    following = FollowingTask(
      Task { [weak self] in await Self.follow(feed, isolation: actor) { self } })
  }

  deinit {
    for handler in handlers { handler.remove() }
  }

  /// Brings the progress up to date with each snapshot of a feed, until it ends or the progress is gone.
  static func follow<C: Clock>(
    _ feed: ProgressFeed<C>, isolation: isolated any Actor, _ progress: () -> NodeProgress?
  ) async {
    var snapshots = feed.makeAsyncIterator()
    while let snapshot = await snapshots.next(isolation: isolation) {
      guard let progress = progress() else { return }
      progress.take(snapshot)
    }
  }

  /// Tells Foundation what state the node is in, on the actor.
  private static func tell(_ progress: NodeProgress?, isolation: isolated any Actor) {
    progress?.tellState()
  }

  /// Brings the fraction, the Foundation parent and the handlers up to date at once.
  ///
  /// It must be called where the Foundation tree may be touched.
  public func update() {
    guard let node else { return finishAsLast() }
    take(node.snapshot(limit: 1))
  }

  /// Takes over what a node was.
  func take(_ snapshot: ProgressSnapshot) {
    memory.withLock { $0.last = snapshot }
    tellState()
    tellCounts(snapshot.shownFraction, isFinished: snapshot.isFinished, total: snapshot.total)
  }

  /// Finishes when the node is gone without having been seen to finish.
  private func finishAsLast() {
    tellCounts(1, isFinished: true, total: nil)
  }

  /// Tells Foundation the fraction.
  private func tellCounts(_ fraction: Double, isFinished: Bool, total: Int?) {
    let units = Self.foundationUnits
    let whole = total == nil && !isFinished ? -1 : units
    // Less than all of them before the end: a parent takes a child that is full for finished.
    let done = isFinished ? units : min(Int64(fraction * Double(units)), units - 1)
    if super.totalUnitCount != whole { super.totalUnitCount = whole }
    if super.completedUnitCount != done { super.completedUnitCount = done }
  }

  /// Tells Foundation whether the node is cancelled or paused.
  private func tellState() {
    let (isCancelled, isPaused) = (isCancelled, isPaused)
    if isCancelled, !super.isCancelled { super.cancel() }
    if isPaused != super.isPaused { if isPaused { super.pause() } else { super.resume() } }
  }

  /// The last that was known of a node that is gone.
  var last: ProgressSnapshot { memory.withLock { $0.last } }

  /// The completed units of the node; setting them sets the node's.
  public override var completedUnitCount: Int64 {
    get { Int64(node?.completed ?? last.completed) }
    set { node?.setCompleted(Int(clamping: newValue)) }
  }

  /// The units of the node's work, -1 while they are not known; setting them sets the node's.
  public override var totalUnitCount: Int64 {
    get { (node.map(\.total) ?? last.total).map(Int64.init) ?? -1 }
    set { node?.total = newValue < 0 ? nil : Int(clamping: newValue) }
  }

  /// Whether the total of the node is not known.
  public override var isIndeterminate: Bool { node?.isIndeterminate ?? false }

  /// Whether the node has finished, which its count alone does not decide.
  public override var isFinished: Bool { node?.isFinished ?? true }

  /// Whether a cancel reaches the node; setting it sets the node's.
  public override var isCancellable: Bool {
    get { node?.isCancellable ?? last.isCancellable }
    set { node?.isCancellable = newValue }
  }

  /// Whether a pause reaches the node; setting it sets the node's.
  public override var isPausable: Bool {
    get { node?.isPausable ?? last.isPausable }
    set { node?.isPausable = newValue }
  }

  /// Cancels the node and tells the handler of this progress.
  public override func cancel() {
    if !super.isCancelled { super.cancel() }
    node?.cancel()
  }

  /// Pauses the node and tells the handler of this progress.
  public override func pause() {
    if !super.isPaused { super.pause() }
    node?.pause()
  }

  /// Lets the node go on and tells the handler of this progress.
  public override func resume() {
    if super.isPaused { super.resume() }
    node?.resume()
  }

  /// What the actor does when the node or this progress is cancelled, nil for nothing.
  public override var cancellationHandler: (@Sendable () -> Void)? {
    get { super.cancellationHandler }
    set { super.cancellationHandler = calledOnActor(newValue) }
  }

  /// What the actor does when the node or this progress is paused, nil for nothing.
  public override var pausingHandler: (@Sendable () -> Void)? {
    get { super.pausingHandler }
    set { super.pausingHandler = calledOnActor(newValue) }
  }

  /// What the actor does when the node or this progress goes on after a pause, nil for nothing.
  public override var resumingHandler: (@Sendable () -> Void)? {
    get { super.resumingHandler }
    set { super.resumingHandler = calledOnActor(newValue) }
  }

  /// Has a handler called on the actor: Foundation on Linux calls what it is given on a queue of its own.
  private func calledOnActor(
    _ handler: (@Sendable () -> Void)?
  ) -> (@Sendable () -> Void)? {
    guard let handler, let actor else { return handler }
    return { [weak actor] in
      // Where the actor is gone, nothing is left that it could guard.
      guard let actor else { return handler() }
      Task { await Self.call(handler, isolation: actor) }
    }
  }

  /// Calls a handler on the actor.
  private static func call(_ handler: @Sendable () -> Void, isolation: isolated any Actor) {
    handler()
  }

  #if !canImport(Darwin)
    /// Whether the node is cancelled.
    public override var isCancelled: Bool {
      get { node?.isCancelled ?? last.isCancelled }
      set {
        super.isCancelled = newValue
        if newValue { node?.cancel() }
      }
    }

    /// Whether the node or one above it is paused; it is changed by `pause()` and `resume()`.
    public override var isPaused: Bool {
      get { node.map { $0.isPaused && !$0.isFinished } ?? false }
      // Only kept: Foundation sets it when it is told of the node's state, too.
      set { super.isPaused = newValue }
    }

    /// What is done, in words of the user's language.
    public override var localizedDescription: String? { snapshot.localizedDescription() }

    /// How far it is, in words of the user's language.
    public override var localizedAdditionalDescription: String? {
      snapshot.localizedAdditionalDescription()
    }
  #endif

  /// What sort of work it is; setting it sets the node's.
  public override var kind: Foundation.ProgressKind? {
    get { (node?.kind ?? last.kind) == .work ? nil : .file }
    set { setKind(isFile: newValue == .file, values: super.userInfo) }
  }

  /// The typed values of the node under Foundation's keys, and what else was set here.
  public override var userInfo: [ProgressUserInfoKey: Any] {
    super.userInfo.merging(snapshot.foundationValues) { _, nodes in nodes }
  }

  /// Sets a value; those that nodes know are set at the node.
  ///
  /// - Parameters:
  ///   - value: The value, nil to remove it.
  ///   - key: Its key.
  public override func setUserInfoObject(_ value: Any?, forKey key: ProgressUserInfoKey) {
    super.setUserInfoObject(value, forKey: key)
    setNode(key, from: super.userInfo)
  }

  /// Adds a Foundation progress below the node.
  ///
  /// One that cannot be added, as it stands for a node above or in another place, is left out. If it has
  /// finished its units are completed.
  ///
  /// - Parameters:
  ///   - child: The progress; see `ProgressNode.add(_:units:label:access:)`.
  ///   - units: The units of the node that it stands for.
  public override func addChild(_ child: Progress, withPendingUnitCount units: Int64) {
    guard let node else { return }
    let units = Int(clamping: units)
    do {
      try node.add(child, units: units)
    } catch {
      guard child.isFinished else { return }
      node.complete(units)
    }
    markJoined()
  }

  /// Lets what is created on this thread join the node, until `resignCurrent()`.
  ///
  /// - Parameter units: The units of the node that the scope stands for.
  @available(*, noasync)
  public override func becomeCurrent(withPendingUnitCount units: Int64) {
    super.becomeCurrent(withPendingUnitCount: units)
    enterScope(units: units)
  }

  /// Ends what `becomeCurrent(withPendingUnitCount:)` began: units that nobody has joined for are completed.
  @available(*, noasync)
  public override func resignCurrent() {
    super.resignCurrent()
    leaveScope()
  }

  /// What the node is now, or was at last.
  var snapshot: ProgressSnapshot { node?.snapshot(limit: 1) ?? last }

  /// The values that were set here, without those of the node.
  var ownValues: [ProgressUserInfoKey: Any] { super.userInfo }
}
