internal import HeadwayLock
internal import Synchronization

extension ProgressNode {
  /// A handler that was added to a node; dropping this does not remove it.
  ///
  /// ```swift
  /// let registration: ProgressNode.HandlerRegistration = job.onCancel { show("cancelled") }
  /// registration.remove()
  /// job.cancel()  // shows nothing
  /// ```
  public struct HandlerRegistration: Sendable {
    /// The handlers of the node, nil if the node had finished.
    fileprivate let list: HandlerList?
    fileprivate let id: UInt64

    /// Removes the handler, so that no new call begins.
    ///
    /// A call that has begun on another thread may still be running.
    public func remove() { list?.remove(id) }
  }

  /// Adds a handler, and calls it at once if its event has already happened.
  func addHandler(
    _ event: HandlerList.Event, _ body: @escaping @Sendable () -> Void
  ) -> HandlerRegistration {
    let list = withTree { _, _ -> HandlerList? in
      guard !isFinished else { return nil }
      let list = reference.extras.handlers ?? HandlerList()
      reference.extras.handlers = list
      return list
    }
    guard let list else {
      // Work that has ended cannot be cancelled or paused any more, but it may have been.
      if event == .cancel, isCancelled { body() }
      return HandlerRegistration(list: nil, id: 0)
    }
    let id = list.add(event, body)
    // Checked only now: a later cancel or pause finds the handler.
    switch event {
    case .cancel: if isCancelled { list.takeCancelHandler(id)?() }
    case .pause:
      // Either this or a concurrent pause calls the handler.
      let pause = withTree { _, _ in isPaused ? reference.existingExtras?.pauseCount : nil }
      if let pause { list.takePauseCall(id, of: pause)?() }
    case .resume: break
    }
    return HandlerRegistration(list: list, id: id)
  }

  /// Performs the actions of a change of state, outside of all locks.
  func perform(_ change: StateChange) {
    guard !change.isEmpty else { return }
    withTreeChanging { _, _ in }
    change.perform()
  }
}

/// The functions that are called when the state of a node changes.
final class HandlerList: Sendable {
  enum Event: Sendable {
    /// The node is cancelled; each handler is called once.
    case cancel
    case pause
    case resume
  }

  private struct Handler: Sendable {
    let event: Event
    let body: @Sendable () -> Void
    /// The number of the last pause for which the handler was called, nil before the first.
    var lastPause: UInt64?
  }

  private let handlers = Guarded(Registry<Handler>())

  /// Adds a handler.
  ///
  /// - Returns: Its number.
  func add(_ event: Event, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    handlers.withLock { $0.insert(Handler(event: event, body: body)) }
  }

  /// Removes a handler.
  func remove(_ id: UInt64) {
    // Dropped outside of the lock: its captures may be the last references to nodes.
    let handler = handlers.withLock { $0.remove(id) }
    withExtendedLifetime(handler) {}
  }

  /// Removes a handler of a cancel and returns it to be called; nil if it was removed.
  func takeCancelHandler(_ id: UInt64) -> (@Sendable () -> Void)? {
    handlers.withLock { $0.remove(id)?.body }
  }

  /// Returns a handler to be called for a pause; nil if it was removed or called for that pause.
  func takePauseCall(_ id: UInt64, of pause: UInt64) -> (@Sendable () -> Void)? {
    handlers.withLock { handlers in
      guard let handler = handlers[id], handler.lastPause.map({ $0 < pause }) ?? true else {
        return nil
      }
      handlers[id]?.lastPause = pause
      return handler.body
    }
  }

  /// Calls the handlers of an event in the order in which they were added, except those that are removed meanwhile.
  ///
  /// - Parameters:
  ///   - event: What has happened.
  ///   - pause: The number of the last pause.
  func call(_ event: Event, pause: UInt64) {
    for id in handlers.withLock({ $0.ids { $0.event == event } }) {
      let body =
        switch event {
        case .cancel: takeCancelHandler(id)
        case .pause: takePauseCall(id, of: pause)
        case .resume: handlers.withLock { $0[id]?.body }
        }
      body?()
    }
  }
}

/// The actions that a change of state leaves to be done outside of the lock.
struct StateChange: Sendable {
  /// The handlers to call, in the order of the walk.
  private var handlers: [(list: HandlerList, event: HandlerList.Event, pause: UInt64)] = []
  private var waiters: [CheckpointWaiter] = []
  /// The mirrors that have requests to pass on, with their first nodes.
  private var mirrors: [(requests: MirrorRequests, first: ProgressNode)] = []
  /// Whether there is nothing to do.
  private(set) var isEmpty = true

  /// Adds the actions of a node whose state has changed, under the lock.
  @inline(__always)
  mutating func record(_ event: HandlerList.Event, at node: NodeReference) {
    isEmpty = false
    guard let extras = node.existingExtras else { return }
    if event == .pause { extras.pauseCount += 1 }
    if let list = extras.handlers { handlers.append((list, event, extras.pauseCount)) }
    guard event != .pause else { return }
    waiters += extras.checkpointWaiters.removeAll()
  }

  /// Adds a request for a mirrored node, under the lock.
  ///
  /// - Parameters:
  ///   - request: What the node is asked for.
  ///   - node: Any node; one that does not belong to a mirror is ignored.
  ///   - isInherited: Whether the request comes from above. Then only the first node of a mirror passes it on, as the
  ///     mirrored tree does the rest itself.
  @inline(__always)
  mutating func request(
    _ request: ProgressMirror.Request, at node: NodeReference, isInherited: Bool
  ) {
    if node.has(LinkFlags.mirrored) { add(request, at: node, isInherited: isInherited) }
  }

  private mutating func add(
    _ request: ProgressMirror.Request, at node: NodeReference, isInherited: Bool
  ) {
    if isInherited, !node.isFirstOfMirror { return }
    var first = node
    while !first.isFirstOfMirror {
      guard let parent = first.parent else { return }
      first = parent
    }
    guard let requests = first.existingExtras?.requests, requests.add(request, at: node) else {
      return
    }
    isEmpty = false
    mirrors.append((requests, first.strong))
  }

  /// Passes requests on, calls the handlers and wakes the waiters.
  func perform() {
    for (requests, first) in mirrors { requests.passOn(first) }
    for (list, event, pause) in handlers { list.call(event, pause: pause) }
    for waiter in waiters { waiter.resume() }
  }
}
