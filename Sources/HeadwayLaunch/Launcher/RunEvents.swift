internal import HeadwayLock
internal import HeadwayRun

/// The events of a run for one listener; see ``Launcher/events(keeping:beginningWithState:)``.
struct RunEvents: AsyncSequence, Sendable {
  typealias Element = RunEvent
  typealias Failure = Never

  private let listening: Listening

  init(_ launcher: Launcher, limit: Int, beginsWithState: Bool) {
    listening = Listening(launcher, limit: limit, beginsWithState: beginsWithState)
  }

  /// Continues after the events that were received before.
  func makeAsyncIterator() -> Iterator { Iterator(listening: listening) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let listening: Listening

    /// Waits for the next event.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The event; nil after the last one, or if the task is cancelled.
    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> RunEvent? {
      let listening = listening
      while !Task.isCancelled {
        switch listening.take() {
        case .event(let event): return event
        case .end: return nil
        case .nothing:
          await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: actor) { listening.wait($0) }
          } onCancel: {
            listening.wake()
          }
        }
      }
      return nil
    }

    /// Waits for the next event.
    mutating func next() async -> RunEvent? { await next(isolation: nil) }
  }
}

/// A listener of a run, which is removed when the last reference to it is released.
final class Listening: Sendable {
  /// The result of asking for the next event.
  enum Offer {
    /// The next event.
    case event(RunEvent)
    /// There is no event yet.
    case nothing
    /// There are no more events.
    case end
  }

  private let launcher: Launcher
  /// The key in `Listeners`.
  private let number: Int

  init(_ launcher: Launcher, limit: Int, beginsWithState: Bool) {
    self.launcher = launcher
    number = launcher.guarded.withLock { state in
      state.core.isListening = true
      return state.listeners.add(
        limit: max(limit, 1), needsState: beginsWithState, hasEnded: state.end != nil,
        pending: state.core.events.count)
    }
  }

  deinit {
    launcher.guarded.withLock { state in
      state.listeners.remove(number)
      if state.listeners.isEmpty { state.core.isListening = false }
    }
  }

  func take() -> Offer {
    launcher.guarded.withLock { state in
      state.take(by: number) { launcher.now(&$0) }
    }
  }

  /// Waits until there is an event.
  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    let isNow = launcher.guarded.withLock { $0.listeners.park(continuation, number) }
    if isNow { continuation.resume() }
  }

  /// Resumes the waiting task.
  func wake() {
    let waiter = launcher.guarded.withLock { $0.listeners.wake(number) }
    waiter?.resume()
  }
}

/// The listeners of a run, protected by its lock.
struct Listeners: Sendable {
  struct Listener: Sendable {
    /// The maximum number of events that are kept.
    let limit: Int
    /// The events; those before `taken` were received.
    var events: [RunEvent] = []
    var taken = 0
    /// The number of events lost since the last one that was received.
    var missed = 0
    /// The number of next events to skip, because they are older than the listener or included in the state that it
    /// received.
    var known = 0
    /// Whether the state of the run comes next: after a loss, or at the beginning.
    var needsState: Bool
    var hasEnded: Bool
    /// Whether the next wait ends at once.
    var isWoken = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// The listeners, by key.
  private var listeners: [Int: Listener] = [:]
  private var nextNumber = 0

  init() {}

  var isEmpty: Bool { listeners.isEmpty }

  /// Adds a listener.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of events that are kept for it.
  ///   - needsState: Whether it begins with the state of the run.
  ///   - hasEnded: Whether the run has ended.
  ///   - pending: The number of events that were emitted and not delivered yet.
  /// - Returns: Its key.
  mutating func add(limit: Int, needsState: Bool, hasEnded: Bool, pending: Int) -> Int {
    defer { nextNumber += 1 }
    listeners[nextNumber] = Listener(
      limit: limit, known: pending, needsState: needsState, hasEnded: hasEnded)
    return nextNumber
  }

  mutating func remove(_ number: Int) { listeners[number] = nil }

  /// Delivers events to all listeners.
  ///
  /// - Returns: The listeners to wake, in the order in which they were added.
  mutating func receive(_ events: [RunEvent]) -> [CheckedContinuation<Void, Never>] {
    var waiters: [CheckedContinuation<Void, Never>] = []
    for number in listeners.keys.sorted() {
      guard var listener = listeners.removeValue(forKey: number) else { continue }
      listener.receive(events)
      if let waiter = listener.waiter.take() { waiters.append(waiter) }
      listeners[number] = listener
    }
    return waiters
  }

  /// Returns the next event of a listener.
  ///
  /// - Parameters:
  ///   - number: The key of the listener.
  ///   - pending: The number of events that were emitted and not delivered yet.
  /// - Returns: The event; or, if the state of the run comes next, the number of lost events.
  mutating func take(
    _ number: Int, pending: Int
  ) -> (offer: Listening.Offer, missed: Int?) {
    guard var listener = listeners.removeValue(forKey: number) else { return (.end, nil) }
    defer { listeners[number] = listener }
    return listener.take(pending: pending)
  }

  /// Stores the continuation of a listener that waits.
  ///
  /// - Returns: Whether there is nothing to wait for.
  mutating func park(_ continuation: CheckedContinuation<Void, Never>, _ number: Int) -> Bool {
    guard var listener = listeners.removeValue(forKey: number) else { return true }
    defer { listeners[number] = listener }
    return listener.park(continuation)
  }

  /// Ends the wait of a listener, or its next one.
  mutating func wake(_ number: Int) -> CheckedContinuation<Void, Never>? {
    listeners[number]?.isWoken = true
    return listeners[number]?.waiter.take()
  }
}

extension Listeners.Listener {
  /// Keeps events, or discards all of them if there are too many.
  mutating func receive(_ more: [RunEvent]) {
    if taken > 0, taken >= events.count - taken {
      // A listener that is always slightly behind never receives the last one.
      events.removeFirst(taken)
      taken = 0
    }
    if let last = more.last, case .runEnded = last.kind {
      hasEnded = true
      // The end of the run is never skipped.
      known = min(known, more.count - 1)
    }
    events += more.dropFirst(known)
    known = 0
    if events.count - taken > limit {
      lose()
      needsState = true
    }
  }

  /// Discards the kept events except for the end of the run.
  private mutating func lose() {
    let last = hasEnded && taken < events.count ? events.last : nil
    missed += events.count - taken - (last == nil ? 0 : 1)
    events.removeAll()
    taken = 0
    if let last { events.append(last) }
  }

  /// Returns the next event.
  ///
  /// - Parameter pending: The number of events that were emitted and not delivered yet.
  /// - Returns: The event; or, if the state of the run comes next, the number of lost events.
  mutating func take(pending: Int) -> (offer: Listening.Offer, missed: Int?) {
    isWoken = false
    if needsState {
      // The state that is read now includes the kept and the pending events.
      lose()
      known = pending
      defer { (missed, needsState) = (0, false) }
      return (.nothing, missed)
    }
    guard taken < events.count else { return (hasEnded ? .end : .nothing, nil) }
    defer {
      taken += 1
      if taken == events.count {
        events.removeAll(keepingCapacity: true)
        taken = 0
      }
    }
    return (.event(events[taken]), nil)
  }

  /// Stores the continuation of a listener that waits.
  mutating func park(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
    if isWoken || hasEnded || needsState || taken < events.count { return true }
    waiter = continuation
    return false
  }
}
