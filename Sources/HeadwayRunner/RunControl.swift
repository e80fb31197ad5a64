package import HeadwayRelay
internal import HeadwaySystem
internal import Synchronization

/// What wakes the loop of a run from outside of its tasks: requests, the view that leaves, and programs that begin to watch it.
///
/// Safe from any thread.
package final class RunControl: Sendable {
  /// What people and other programs ask for.
  package let requests: RequestQueue
  /// Wakes the run loop.
  let wake: WaitableEvent
  private let left = Atomic<Bool>(false)
  private let watchers = Atomic<Bool>(false)

  /// Creates the control of a run of which nothing was asked.
  init() throws(RunnerError) {
    wake = try .opened()
    requests = RequestQueue(wake: wake)
  }

  /// Lets the run know that the view that has started it is gone.
  func noteViewHasLeft() {
    left.store(true, ordering: .relaxed)
    wake.set()
  }

  /// Whether the view that has started the run is gone.
  var hasViewLeft: Bool { left.load(ordering: .relaxed) }

  /// Lets the run know that another program has begun or ended to watch it.
  func noteWatchers() {
    watchers.store(true, ordering: .releasing)
    wake.set()
  }

  /// Whether another program has begun or ended to watch the run since the last call.
  func takeWatcherChange() -> Bool { watchers.exchange(false, ordering: .acquiring) }
}
