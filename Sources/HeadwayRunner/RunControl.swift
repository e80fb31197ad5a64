internal import HeadwaySystem
internal import Synchronization

/// Requests of the user to a run: pauses and resumes it.
///
/// Safe from any thread.
package final class RunControl: Sendable {
  /// Wakes the run loop after a request.
  let wake: WaitableEvent
  private let pause = Atomic<Bool>(false)

  /// Creates a control of a run that is not paused.
  init() throws(RunnerError) { wake = try .opened() }

  /// Pauses the run, or resumes it if it is paused.
  package func togglePause() {
    pause.logicalXor(true, ordering: .relaxed)
    wake.set()
  }

  /// Whether the run is to be paused; changed by requests only, so that no press of the key is lost.
  var wantsPause: Bool { pause.load(ordering: .relaxed) }
}
