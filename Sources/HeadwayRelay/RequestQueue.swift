internal import HeadwayLock
package import HeadwayRun
package import HeadwaySystem

/// What people and other programs ask of a run, until its loop takes it.
///
/// The view that has started the run asks by its stream, and all others by the publication of the run. Safe from any thread.
package final class RequestQueue: Sendable {
  /// A request that waits to be carried out.
  package struct Entry: Sendable {
    /// What is asked for.
    package let request: RunRequest
    /// Takes the answer, once: why it was not done, nil if it was.
    package let answer: @Sendable (String?) -> Void
  }

  private struct State: Sendable {
    var waiting: [Entry] = []
    var isClosed = false
  }

  /// Why nothing is done after the end.
  static let refusalAtEnd = "the run has ended"

  /// Set after each request.
  private let wake: WaitableEvent
  private let state = Guarded(State())

  /// Creates an empty queue.
  ///
  /// - Parameter wake: Set after each request.
  package init(wake: WaitableEvent) { self.wake = wake }

  /// Asks for something, without waiting for it.
  ///
  /// - Parameters:
  ///   - request: What to do.
  ///   - answer: Called once, by any thread: with the reason why it was not done, or with nil if it was.
  package func ask(_ request: RunRequest, answer: @escaping @Sendable (String?) -> Void) {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.waiting.append(Entry(request: request, answer: answer)) }
      return state.isClosed
    }
    if isClosed { answer(Self.refusalAtEnd) } else { wake.set() }
  }

  /// The requests since the last call, in their order; the caller answers each.
  package func take() -> [Entry] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  /// Refuses what was not taken, and all that follows, because the run has ended.
  package func close() {
    let waiting = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for entry in waiting { entry.answer(Self.refusalAtEnd) }
  }
}
