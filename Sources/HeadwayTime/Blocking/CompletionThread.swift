internal import HeadwayLock
internal import HeadwaySystem

/// A serial thread that starts with its first work item and ends when its owner is released.
///
/// Work that was enqueued before the owner's release still runs.
final class CompletionThread: Sendable {
  /// The part that the thread retains, so that it does not retain the owner.
  private final class Queue: Sendable {
    struct State {
      var works: [@Sendable () -> Void] = []
      var isStarted = false
      /// Whether the owner was released.
      var isClosed = false
    }

    let state = Guarded(State())
    let semaphore = Semaphore()

    /// The body of the thread.
    func run() {
      while true {
        semaphore.wait()
        let (works, isClosed) = state.withLock { state in
          var works: [@Sendable () -> Void] = []
          swap(&works, &state.works)
          return (works, state.isClosed)
        }
        for work in works { work() }
        if works.isEmpty && isClosed { return }
      }
    }
  }

  private let queue = Queue()

  deinit {
    let isStarted = queue.state.withLock { state in
      state.isClosed = true
      return state.isStarted
    }
    if isStarted { queue.semaphore.post() }
  }

  /// Enqueues work; if the system cannot create the thread, runs it on the calling thread.
  func run(_ work: @escaping @Sendable () -> Void) {
    let (isStarting, isWaking) = queue.state.withLock { state in
      defer { state.isStarted = true }
      state.works.append(work)
      return (!state.isStarted, state.works.count == 1)
    }
    if isWaking { queue.semaphore.post() }
    guard isStarting else { return }
    if SystemThread.start(named: "headway-answers", { [queue] in queue.run() }) != 0 {
      let works = queue.state.withLock { state in
        state.isStarted = false
        defer { state.works = [] }
        return state.works
      }
      for work in works { work() }
    }
  }
}
