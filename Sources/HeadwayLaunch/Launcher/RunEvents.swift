internal import HeadwayLock
internal import HeadwayRun

/// The events of a run for one listener; see ``Launcher/events(keeping:beginningWithState:)``.
struct RunEvents: AsyncSequence, Sendable {
  typealias Element = RunEvent
  typealias Failure = Never

  /// The run, and the listener in it.
  private let listening: Listening

  /// Begins to listen.
  init(_ launcher: Launcher, limit: Int, beginsWithState: Bool) {
    listening = Listening(launcher, limit: limit, beginsWithState: beginsWithState)
  }

  /// Goes on with what has not been taken.
  func makeAsyncIterator() -> Iterator { Iterator(listening: listening) }

  /// One who listens.
  struct Iterator: AsyncIteratorProtocol {
    /// The run, and the listener in it.
    fileprivate let listening: Listening

    /// Waits for the next event.
    ///
    /// - Parameter actor: The actor to wait on: the caller's.
    /// - Returns: The event, nil after the last one and for a cancelled task.
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

/// A listener of a run, which leaves it when nobody holds the sequence any more.
final class Listening: Sendable {
  /// What there is to take.
  enum Offer {
    /// The next event.
    case event(RunEvent)
    /// Nothing yet.
    case nothing
    /// Nothing more.
    case end
  }

  /// The run.
  private let launcher: Launcher
  /// The number of the listener.
  private let number: Int

  /// Begins to listen.
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

  /// Takes the next event.
  func take() -> Offer {
    launcher.guarded.withLock { state in
      state.take(by: number) { launcher.now(&$0) }
    }
  }

  /// Waits until there is something to take.
  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    let isNow = launcher.guarded.withLock { $0.listeners.park(continuation, number) }
    if isNow { continuation.resume() }
  }

  /// Lets the waiting one look again.
  func wake() {
    let waiter = launcher.guarded.withLock { $0.listeners.wake(number) }
    waiter?.resume()
  }
}

/// Those who listen to a run, guarded by its lock.
struct Listeners: Sendable {
  /// One who listens.
  struct Listener: Sendable {
    /// The most events that are kept.
    let limit: Int
    /// What has not been taken, from `taken` on.
    var events: [RunEvent] = []
    /// How many of `events` were taken.
    var taken = 0
    /// How many were lost since the last one that was taken.
    var missed = 0
    /// How many of the next events it knows: from before it began to listen, or from the state that it has taken.
    var known = 0
    /// Whether the state of the run comes next: after a loss, or at the beginning.
    var needsState: Bool
    /// Whether nothing more comes.
    var hasEnded: Bool
    /// Whether a wait that has not begun is over.
    var isWoken = false
    /// Who waits.
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// The listeners, by number.
  private var listeners: [Int: Listener] = [:]
  /// The number that the next one gets.
  private var nextNumber = 0

  /// Creates a list in which nobody listens.
  init() {}

  /// Whether nobody listens.
  var isEmpty: Bool { listeners.isEmpty }

  /// Adds a listener.
  ///
  /// - Parameters:
  ///   - limit: The most events that are kept for it.
  ///   - needsState: Whether it begins with the state of the run.
  ///   - hasEnded: Whether the run has ended.
  ///   - pending: How many events were told before that nobody has received yet.
  /// - Returns: Its number.
  mutating func add(limit: Int, needsState: Bool, hasEnded: Bool, pending: Int) -> Int {
    defer { nextNumber += 1 }
    listeners[nextNumber] = Listener(
      limit: limit, known: pending, needsState: needsState, hasEnded: hasEnded)
    return nextNumber
  }

  /// Takes a listener out.
  mutating func remove(_ number: Int) { listeners[number] = nil }

  /// Gives all listeners what has happened.
  ///
  /// - Returns: Those who wait for it, in the order in which they began to listen.
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

  /// Takes the next event of a listener.
  ///
  /// - Parameters:
  ///   - number: The number of the listener.
  ///   - pending: How many events were told that nobody has received yet.
  /// - Returns: What there is; in place of it, where the state of the run comes next, how many events were lost.
  mutating func take(
    _ number: Int, pending: Int
  ) -> (offer: Listening.Offer, missed: Int?) {
    guard var listener = listeners.removeValue(forKey: number) else { return (.end, nil) }
    defer { listeners[number] = listener }
    return listener.take(pending: pending)
  }

  /// Lets somebody wait.
  ///
  /// - Returns: Whether there is nothing to wait for.
  mutating func park(_ continuation: CheckedContinuation<Void, Never>, _ number: Int) -> Bool {
    guard var listener = listeners.removeValue(forKey: number) else { return true }
    defer { listeners[number] = listener }
    return listener.park(continuation)
  }

  /// Lets the one who waits go on, or not wait at all.
  mutating func wake(_ number: Int) -> CheckedContinuation<Void, Never>? {
    listeners[number]?.isWoken = true
    return listeners[number]?.waiter.take()
  }
}

extension Listeners.Listener {
  /// Keeps events, or loses all that are kept where they are too many.
  mutating func receive(_ more: [RunEvent]) {
    if taken > 0, taken >= events.count - taken {
      // A listener that is always a little late never takes the last one.
      events.removeFirst(taken)
      taken = 0
    }
    if let last = more.last, case .runEnded = last.kind {
      hasEnded = true
      // The end comes last in any case.
      known = min(known, more.count - 1)
    }
    events += more.dropFirst(known)
    known = 0
    if events.count - taken > limit {
      lose()
      needsState = true
    }
  }

  /// Loses what is kept, but for the end of the run, which comes last in any case.
  private mutating func lose() {
    let last = hasEnded && taken < events.count ? events.last : nil
    missed += events.count - taken - (last == nil ? 0 : 1)
    events.removeAll()
    taken = 0
    if let last { events.append(last) }
  }

  /// Takes the next event.
  ///
  /// - Parameter pending: How many events were told that nobody has received yet.
  /// - Returns: What there is; in place of it, where the state of the run comes next, how many events were lost.
  mutating func take(pending: Int) -> (offer: Listening.Offer, missed: Int?) {
    isWoken = false
    if needsState {
      // The state that is read now holds what is kept, and what is about to come.
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

  /// Lets somebody wait.
  mutating func park(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
    if isWoken || hasEnded || needsState || taken < events.count { return true }
    waiter = continuation
    return false
  }
}
