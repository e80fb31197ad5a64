internal import HeadwayLock
package import HeadwayRun

/// What tasks have found out about published work, and what the user asks for, on its way from one thread to another.
///
/// Work that changes again before it is read is passed on once. Safe from any thread.
package final class WatchInbox: Sendable {
  /// What has happened since the last look.
  struct News: Sendable {
    /// The latest state of what has changed, in the order of the first change.
    var works: [WatchedWork] = []
    /// What is shown for a while.
    var message: String?
    /// What is printed as lines.
    var lines: [String] = []
  }

  private struct State: Sendable {
    var news = News()
    /// The places of work in the news, by ID.
    var places: [String: Int] = [:]
    /// The takers of requests by ID, with a number that no other one has.
    var takers: [String: (number: Int, requests: AsyncStream<RunRequest>.Continuation)] = [:]
    var lastTaker = 0
    var nudge: (@Sendable () -> Void)?
  }

  private let state = Guarded(State())

  /// Creates an empty inbox.
  package init() {}

  /// Sets what is called after news, which must return at once.
  package func onNews(_ nudge: @escaping @Sendable () -> Void) {
    state.withLock { $0.nudge = nudge }
    nudge()
  }

  /// Passes on the state of work.
  package func update(_ work: WatchedWork) {
    change { state in
      if let place = state.places[work.id] {
        state.news.works[place] = work
      } else {
        state.places[work.id] = state.news.works.count
        state.news.works.append(work)
      }
    }
  }

  /// Passes on a message that is shown for a while.
  package func show(message: String) { change { $0.news.message = message } }

  /// Passes on a line that stays.
  package func print(_ line: String) { change { $0.news.lines.append(line) } }

  private func change(_ change: (inout State) -> Void) {
    let nudge = state.withLock { state in
      change(&state)
      return state.nudge
    }
    nudge?()
  }

  /// Takes what has happened.
  func take() -> News {
    state.withLock { state in
      defer { (state.news, state.places) = (News(), [:]) }
      return state.news
    }
  }

  // MARK: Requests

  /// The requests of the user for work, in order.
  ///
  /// - Parameter id: The ID of the publication; an earlier taker of its requests gets no more.
  /// - Returns: A sequence that ends when its task is cancelled.
  package func requests(for id: String) -> AsyncStream<RunRequest> {
    let (stream, continuation) = AsyncStream.makeStream(of: RunRequest.self)
    let number = state.withLock { state in
      state.lastTaker += 1
      state.takers[id] = (state.lastTaker, continuation)
      return state.lastTaker
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in
        if state.takers[id]?.number == number { state.takers[id] = nil }
      }
    }
    return stream
  }

  /// Passes on a request; without a taker it is lost.
  func ask(_ id: String, _ request: RunRequest) {
    let taker = state.withLock { $0.takers[id]?.requests }
    taker?.yield(request)
  }
}
