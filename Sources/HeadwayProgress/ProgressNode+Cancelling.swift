internal import HeadwayLock
public import Synchronization

extension ProgressNode {
  /// Whether the work is to end early; workers ask it as often as they like.
  ///
  /// - Complexity: O(1): one relaxed atomic load.
  @inlinable
  public var isCancelled: Bool { state.load(ordering: .relaxed) & NodeState.cancelled != 0 }

  /// Whether a cancel reaches the node and what is below it: true unless it is set otherwise.
  ///
  /// A step that must not be cut off says no. A cancel of the node itself then does nothing, and one from above
  /// passes it by; saying yes again makes up for a cancel from above.
  ///
  /// - Complexity: O(1), and that of ``cancel()`` where one is made up for.
  public var isCancellable: Bool {
    get { state.load(ordering: .relaxed) & NodeState.uncancellable == 0 }
    set {
      let isDue = withTreeChanging { _, _ in
        reference.setState(NodeState.uncancellable, !newValue)
        guard newValue, let parent = reference.parent else { return false }
        return parent.state & NodeState.cancelled != 0
      }
      if isDue { cancel() }
    }
  }

  /// Tells the work of this node, and all that is below it, to end early.
  ///
  /// Workers see ``isCancelled``, checkpoints throw, handlers are called once all nodes are marked. Children made
  /// later are cancelled from the start. It cannot be undone; a second call does nothing.
  ///
  /// - Complexity: O(nodes below), in holds of the tree's lock of at most 1,000 nodes.
  public func cancel() {
    var due = StateChange()
    walk { node, _ in
      let bits = node.state
      guard bits & (NodeState.cancelled | NodeState.uncancellable) == 0 else { return false }
      node.setState(NodeState.cancelled, true)
      due.take(from: node, .cancel)
      return true
    }
    tellChange(due)
  }

  /// Calls a function when the node is cancelled, on the thread that cancels.
  ///
  /// If the node is cancelled already, it is called at once. It may touch the tree, and cancel again, which does
  /// nothing. It should be short: handlers are called one after the other.
  ///
  /// - Parameter handler: What to do; called once at most.
  /// - Returns: What takes the handler away again.
  /// - Complexity: O(1).
  @discardableResult
  public func onCancel(_ handler: @escaping @Sendable () -> Void) -> ProgressHandler {
    addHandler(.cancel, handler)
  }

  /// Calls a function when the node is cancelled, on an actor.
  ///
  /// - Parameters:
  ///   - actor: Where to run, such as `MainActor.shared`.
  ///   - handler: What to do; called once at most.
  /// - Returns: What takes the handler away again.
  @discardableResult
  public func onCancel<A: Actor>(
    on actor: A, _ handler: @escaping @Sendable (isolated A) -> Void
  ) -> ProgressHandler {
    addHandler(.cancel) { Task { await handler(actor) } }
  }

  /// Calls a function when the node is cancelled, on an executor.
  ///
  /// - Parameters:
  ///   - executor: Where to run.
  ///   - handler: What to do; called once at most.
  /// - Returns: What takes the handler away again.
  @discardableResult
  public func onCancel(
    on executor: any TaskExecutor, _ handler: @escaping @Sendable () async -> Void
  ) -> ProgressHandler {
    addHandler(.cancel) { Task(executorPreference: executor) { await handler() } }
  }

  /// Adds a handler, and calls it at once when what it waits for holds already.
  func addHandler(
    _ event: HandlerList.Event, _ body: @escaping @Sendable () -> Void
  ) -> ProgressHandler {
    let list = withTree { _, _ -> HandlerList? in
      guard !isFinished else { return nil }
      let list = reference.extras.handlers ?? HandlerList()
      reference.extras.handlers = list
      return list
    }
    guard let list else {
      // Nothing happens to work that has ended, but for what has happened.
      if event == .cancel, isCancelled { body() }
      return ProgressHandler(list: nil, id: 0)
    }
    let id = list.add(event, body)
    // Looked at only now: a cancel from here on finds the handler. Whoever takes it out calls it.
    switch event {
    case .cancel: if isCancelled { list.take(id)?() }
    case .pause:
      // Of this and a pause at the same time, one calls the handler.
      let pause = withTree { _, _ in isPaused ? reference.existingExtras?.pauses : nil }
      if let pause { list.tell(id, of: pause)?() }
    case .resume: break
    }
    return ProgressHandler(list: list, id: id)
  }

  /// Does what a change of state has made due, outside all locks.
  func tellChange(_ change: StateChange) {
    guard !change.isEmpty else { return }
    withTreeChanging { _, _ in }
    change.tell()
  }
}

/// What takes a handler away again; dropping it does not.
public struct ProgressHandler: Sendable {
  /// The handlers of the node, nil when there was no more to wait for.
  let list: HandlerList?
  /// Which of them.
  let id: UInt64

  /// Takes the handler away, if it has not been called.
  ///
  /// A call that another thread has begun may still be under way.
  public func remove() { _ = list?.take(id) }
}

/// The functions that are called when the state of a node changes.
final class HandlerList: Sendable {
  /// What a handler waits for.
  enum Event: Sendable {
    /// The node is cancelled; the handler is called once.
    case cancel
    /// The node is paused.
    case pause
    /// The node goes on.
    case resume
  }

  /// A function and what it waits for.
  private struct Handler: Sendable {
    /// Its number.
    let id: UInt64
    /// What it waits for.
    let event: Event
    /// The function, nil once it was called for the only time.
    var body: (@Sendable () -> Void)?
    /// The number of the last pause that it was called for, nil before the first.
    var pause: UInt64?
  }

  /// The handlers in the order in which they were added.
  private let handlers = Guarded<(next: UInt64, gone: Int, list: [Handler])>((1, 0, []))

  /// Creates an empty list.
  init() {}

  /// Adds a handler.
  ///
  /// - Returns: Its number.
  func add(_ event: Event, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    handlers.withLock { handlers in
      defer { handlers.next += 1 }
      handlers.list.append(Handler(id: handlers.next, event: event, body: body))
      return handlers.next
    }
  }

  /// Takes a handler out, nil when it is gone.
  func take(_ id: UInt64) -> (@Sendable () -> Void)? {
    handlers.withLock { handlers in
      guard let place = Self.place(of: id, in: handlers.list),
        let body = handlers.list[place].body
      else { return nil }
      handlers.list[place].body = nil
      handlers.gone += 1
      // Not one by one, so that to take away many costs O(1) each.
      if handlers.gone * 2 >= handlers.list.count {
        handlers.list.removeAll { $0.body == nil }
        handlers.gone = 0
      }
      return body
    }
  }

  /// Reads a handler that is to be told of a pause, nil when it is gone or was told of it.
  func tell(_ id: UInt64, of pause: UInt64) -> (@Sendable () -> Void)? {
    handlers.withLock { handlers in
      guard let place = Self.place(of: id, in: handlers.list),
        handlers.list[place].pause.map({ $0 < pause }) ?? true
      else { return nil }
      handlers.list[place].pause = pause
      return handlers.list[place].body
    }
  }

  /// Reads a handler, nil when it is gone.
  private func copy(_ id: UInt64) -> (@Sendable () -> Void)? {
    handlers.withLock { handlers in
      Self.place(of: id, in: handlers.list).flatMap { handlers.list[$0].body }
    }
  }

  /// Calls the handlers of an event, in their order, but for those that are taken out in the meantime.
  ///
  /// - Parameters:
  ///   - event: What has happened.
  ///   - pause: The number of the last pause.
  func call(_ event: Event, pause: UInt64) {
    let due = handlers.withLock { handlers in
      handlers.list.filter { $0.event == event }.map(\.id)
    }
    for id in due {
      let body =
        switch event {
        case .cancel: take(id)
        case .pause: tell(id, of: pause)
        case .resume: copy(id)
        }
      body?()
    }
  }

  /// Finds a handler among others, whose numbers ascend.
  private static func place(of id: UInt64, in list: [Handler]) -> Int? {
    var (low, high) = (0, list.count)
    while low < high {
      let middle = (low + high) / 2
      if list[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < list.count && list[low].id == id ? low : nil
  }
}

/// What a change of state makes due outside the lock.
struct StateChange: Sendable {
  /// The handlers to call, in the order of the walk.
  private var handlers: [(list: HandlerList, event: HandlerList.Event, pause: UInt64)] = []
  /// Those who go on.
  private var waiting: [CheckpointWait] = []
  /// Whether no node has changed.
  private(set) var isEmpty = true

  /// Nothing is due.
  init() {}

  /// Notes what is due at a node whose state has changed, under the lock.
  @inline(__always)
  mutating func take(from node: NodeReference, _ event: HandlerList.Event) {
    isEmpty = false
    guard let extras = node.existingExtras else { return }
    if event == .pause { extras.pauses += 1 }
    if let list = extras.handlers { handlers.append((list, event, extras.pauses)) }
    guard event != .pause else { return }
    waiting += extras.waiting.takeAll()
  }

  /// Calls the handlers, and lets those go on who waited.
  func tell() {
    for (list, event, pause) in handlers { list.call(event, pause: pause) }
    for wait in waiting { wait.goOn() }
  }
}
