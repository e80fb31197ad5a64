internal import HeadwayLock
internal import HeadwaySystem

/// A thread that runs what it is given, one after the other; it starts with the first and ends with its
/// owner.
///
/// What was given before the end is still run.
final class CompletionThread: Sendable {
  /// What the thread and those who give it work share, so that the thread does not hold the owner.
  private final class Line: Sendable {
    /// What is to be done.
    struct State {
      /// The work in its order.
      var works: [@Sendable () -> Void] = []
      /// Whether there is a thread.
      var isStarted = false
      /// Whether the thread is to end when nothing is left.
      var isClosed = false
    }

    /// What is to be done.
    let state = Guarded(State())
    /// What the thread waits for.
    let signal = Gate()

    /// Does what there is until there is no more and no more will come.
    func work() {
      while true {
        signal.wait()
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

  /// The work.
  private let line = Line()

  deinit {
    let isStarted = line.state.withLock { state in
      state.isClosed = true
      return state.isStarted
    }
    if isStarted { line.signal.post(1) }
  }

  /// Runs a piece of work on the thread.
  ///
  /// If the system has no thread for it, it is run on the caller's, rather than not at all.
  func run(_ work: @escaping @Sendable () -> Void) {
    let (isStarting, isWaking) = line.state.withLock { state in
      defer { state.isStarted = true }
      state.works.append(work)
      return (!state.isStarted, state.works.count == 1)
    }
    if isWaking { line.signal.post(1) }
    guard isStarting else { return }
    if SystemThread.start(named: "headway-answers", { [line] in line.work() }) != 0 {
      let works = line.state.withLock { state in
        state.isStarted = false
        defer { state.works = [] }
        return state.works
      }
      for work in works { work() }
    }
  }
}
