internal import Foundation
internal import HeadwayLock
internal import HeadwayProgress

/// The Foundation `Progress` of a node; see `ProgressNode.makeFoundationProgress(on:every:clock:)`.
final class NodeProgress: Progress, @unchecked Sendable {
  /// The last snapshot of the node and the scopes.
  struct Memory: Sendable {
    var last: ProgressSnapshot
    var scopes: [CurrentScope] = []
  }

  /// A scope in which a progress is current on a thread.
  struct CurrentScope: Sendable {
    let thread: ObjectIdentifier
    let units: Int
    /// Whether a child has joined.
    var isJoined = false
  }

  /// The total for Foundation, small enough that its sums do not overflow.
  static let foundationUnits: Int64 = 1_000_000

  weak let node: ProgressNode?
  /// The actor for handlers; not retained, as it may retain the progress.
  private weak let actor: (any Actor)?
  let memory: Guarded<Memory>
  private var handlers: [ProgressNode.HandlerRegistration] = []
  private var updating: OwnedTask?

  /// Creates the progress of a node, without a feed.
  init(withoutFeed node: ProgressNode, on actor: (any Actor)? = nil) {
    self.node = node
    self.actor = actor
    memory = Guarded(Memory(last: node.snapshot(limit: 1)))
    super.init(parent: nil, userInfo: nil)
    update()
  }

  convenience init<C: Clock>(
    of node: ProgressNode, on actor: (any Actor)? = MainActor.shared,
    every interval: Duration = .milliseconds(16), clock: C = ContinuousClock()
  ) where C.Duration == Duration {
    self.init(withoutFeed: node, on: actor)
    guard let actor else { return }
    let feed = node.feed(every: interval, limit: 1, clock: clock)
    let updateState: @Sendable () -> Void = { [weak self] in
      Task { await Self.updateState(of: self, isolation: actor) }
    }
    handlers = [
      node.onCancel(updateState), node.onPause(updateState), node.onResume(updateState),
    ]
    updating = OwnedTask(
      Task { [weak self] in await Self.follow(feed, isolation: actor) { self } })
  }

  deinit {
    for handler in handlers { handler.remove() }
  }

  /// Updates the progress with each snapshot of a feed, until the feed ends or the progress is deallocated.
  static func follow(
    _ feed: some AsyncSequence<ProgressSnapshot, Never>, isolation: isolated any Actor,
    _ progress: () -> NodeProgress?
  ) async {
    var snapshots = feed.makeAsyncIterator()
    while let snapshot = await snapshots.next(isolation: isolation) {
      guard let progress = progress() else { return }
      progress.update(with: snapshot)
    }
  }

  private static func updateState(of progress: NodeProgress?, isolation: isolated any Actor) {
    progress?.updateState()
  }

  /// Updates the fraction, the Foundation parent and the state at once.
  ///
  /// Call it only where the Foundation tree may be used.
  func update() {
    guard let node else { return finishAsLast() }
    update(with: node.snapshot(limit: 1))
  }

  /// Updates the progress with a snapshot of the node.
  func update(with snapshot: ProgressSnapshot) {
    memory.withLock { $0.last = snapshot }
    updateState()
    updateCounts(snapshot.shownFraction, isFinished: snapshot.isFinished, total: snapshot.total)
  }

  /// Finishes after the node was deallocated.
  private func finishAsLast() {
    updateCounts(1, isFinished: true, total: nil)
  }

  /// Sets Foundation's counts from a fraction.
  private func updateCounts(_ fraction: Double, isFinished: Bool, total: Int?) {
    let units = Self.foundationUnits
    let whole = total == nil && !isFinished ? -1 : units
    // Less than the total before the end, as a parent takes a child with full counts as finished.
    let done = isFinished ? units : min(Int64(fraction * Double(units)), units - 1)
    if super.totalUnitCount != whole { super.totalUnitCount = whole }
    if super.completedUnitCount != done { super.completedUnitCount = done }
  }

  /// Sets Foundation's state from the node.
  private func updateState() {
    let (isCancelled, isPaused) = (isCancelled, isPaused)
    if isCancelled, !super.isCancelled { super.cancel() }
    if isPaused != super.isPaused { if isPaused { super.pause() } else { super.resume() } }
  }

  /// The last snapshot, for after the node was deallocated.
  var last: ProgressSnapshot { memory.withLock { $0.last } }

  /// The completed units of the node.
  override var completedUnitCount: Int64 {
    get { Int64(node?.completed ?? last.completed) }
    set { node?.setCompleted(Int(clamping: newValue)) }
  }

  /// The total of the node, -1 while unknown.
  override var totalUnitCount: Int64 {
    get { (node.map(\.total) ?? last.total).map(Int64.init) ?? -1 }
    set { node?.total = newValue < 0 ? nil : Int(clamping: newValue) }
  }

  /// Whether the total of the node is unknown.
  override var isIndeterminate: Bool { node?.isIndeterminate ?? false }

  /// Whether the node has finished; a count that reaches the total does not finish it.
  override var isFinished: Bool { node?.isFinished ?? true }

  /// Whether the node can be cancelled.
  override var isCancellable: Bool {
    get { node?.isCancellable ?? last.isCancellable }
    set { node?.isCancellable = newValue }
  }

  /// Whether the node can be paused.
  override var isPausable: Bool {
    get { node?.isPausable ?? last.isPausable }
    set { node?.isPausable = newValue }
  }

  /// Cancels the node and calls the handler of this progress.
  override func cancel() {
    if !super.isCancelled { super.cancel() }
    node?.cancel()
  }

  /// Pauses the node and calls the handler of this progress.
  override func pause() {
    if !super.isPaused { super.pause() }
    node?.pause()
  }

  /// Resumes the node and calls the handler of this progress.
  override func resume() {
    if super.isPaused { super.resume() }
    node?.resume()
  }

  /// The function that is called on the actor when the node or this progress is cancelled.
  override var cancellationHandler: (@Sendable () -> Void)? {
    get { super.cancellationHandler }
    set { super.cancellationHandler = calledOnActor(newValue) }
  }

  /// The function that is called on the actor when the node or this progress is paused.
  override var pausingHandler: (@Sendable () -> Void)? {
    get { super.pausingHandler }
    set { super.pausingHandler = calledOnActor(newValue) }
  }

  /// The function that is called on the actor when the node or this progress resumes after a pause.
  override var resumingHandler: (@Sendable () -> Void)? {
    get { super.resumingHandler }
    set { super.resumingHandler = calledOnActor(newValue) }
  }

  /// Wraps a handler so that it runs on the actor; on Linux Foundation calls it on its own queue.
  private func calledOnActor(
    _ handler: (@Sendable () -> Void)?
  ) -> (@Sendable () -> Void)? {
    guard let handler, let actor else { return handler }
    return { [weak actor] in
      // If the actor was deallocated, there is nothing left to synchronize with.
      guard let actor else { return handler() }
      Task { await Self.call(handler, isolation: actor) }
    }
  }

  private static func call(_ handler: @Sendable () -> Void, isolation: isolated any Actor) {
    handler()
  }

  #if !canImport(Darwin)
    /// Whether the node is cancelled.
    override var isCancelled: Bool {
      get { node?.isCancelled ?? last.isCancelled }
      set {
        super.isCancelled = newValue
        if newValue { node?.cancel() }
      }
    }

    /// Whether the node or one of its ancestors is paused.
    override var isPaused: Bool {
      get { node.map { $0.isPaused && !$0.isFinished } ?? false }
      // Only stored, as Foundation also sets it in `updateState`.
      set { super.isPaused = newValue }
    }

    /// A description of the work in the user's language.
    override var localizedDescription: String? { snapshot.localizedDescription() }

    /// A description of the counts in the user's language.
    override var localizedAdditionalDescription: String? {
      snapshot.localizedAdditionalDescription()
    }
  #endif

  /// The kind of the node's work.
  override var kind: Foundation.ProgressKind? {
    get { (node?.kind ?? last.kind) == .work ? nil : .file }
    set { setKind(isFile: newValue == .file, values: super.userInfo) }
  }

  /// The typed values of the node under Foundation's keys, and all other values that were set here.
  override var userInfo: [ProgressUserInfoKey: Any] {
    super.userInfo.merging(snapshot.foundationValues) { _, nodes in nodes }
  }

  /// Sets a value, and that of the node if nodes have such a value.
  ///
  /// - Parameters:
  ///   - value: The value, nil to remove it.
  ///   - key: Its key.
  override func setUserInfoObject(_ value: Any?, forKey key: ProgressUserInfoKey) {
    super.setUserInfoObject(value, forKey: key)
    setNode(key, from: super.userInfo)
  }

  /// Adds a Foundation progress below the node.
  ///
  /// A child that `ProgressNode.add(_:units:label:access:)` refuses is ignored. If it has finished, its units are
  /// completed.
  ///
  /// - Parameters:
  ///   - child: The child.
  ///   - units: The units of the node that the child stands for.
  override func addChild(_ child: Progress, withPendingUnitCount units: Int64) {
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

  /// Makes progress that is created on this thread join the node, until `resignCurrent()`.
  ///
  /// - Parameter units: The units of the node that the scope stands for.
  @available(*, noasync)
  override func becomeCurrent(withPendingUnitCount units: Int64) {
    super.becomeCurrent(withPendingUnitCount: units)
    enterScope(units: units)
  }

  /// Ends the scope of `becomeCurrent(withPendingUnitCount:)` and completes its units if no child has joined.
  @available(*, noasync)
  override func resignCurrent() {
    super.resignCurrent()
    leaveScope()
  }

  /// A snapshot of the node, or its last one.
  var snapshot: ProgressSnapshot { node?.snapshot(limit: 1) ?? last }

  /// The values that were set here.
  var ownValues: [ProgressUserInfoKey: Any] { super.userInfo }
}
