package import HeadwayRelay
internal import HeadwaySystem
internal import Synchronization

/// What wakes the loop of a run from outside of its tasks: requests, the user who leaves, and news for the listeners.
///
/// Safe from any thread.
package final class RunControl: Sendable {
  /// What people and other programs ask for.
  package let requests: RequestQueue
  /// Wakes the run loop.
  let wake: WaitableEvent
  private let detach = Atomic<Bool>(false)
  private let news = Atomic<Bool>(false)

  /// Creates the control of a run of which nothing was asked.
  init() throws(RunnerError) {
    wake = try .opened()
    requests = RequestQueue(wake: wake)
  }

  /// Lets the run go on in the background.
  package func requestDetach() {
    detach.store(true, ordering: .relaxed)
    wake.set()
  }

  /// Whether the run is to go on in the background.
  var wantsDetach: Bool { detach.load(ordering: .relaxed) }

  /// Lets the listeners know that programs of tasks have reported something.
  func noteNews() {
    news.store(true, ordering: .relaxed)
    wake.set()
  }

  /// Whether programs of tasks have reported something since the last call.
  func takeNews() -> Bool { news.exchange(false, ordering: .relaxed) }
}
