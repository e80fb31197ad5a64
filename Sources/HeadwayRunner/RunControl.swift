internal import Synchronization

/// What a person asks of a run while it goes on.
///
/// Safe from any thread.
package final class RunControl: Sendable {
  /// Tells the run loop that something was asked.
  let bell: Bell
  /// Whether the run is to be paused.
  private let pause = Atomic<Bool>(false)

  /// Creates a control of a run that goes on.
  init() throws(RunnerError) { bell = try Bell(for: "the keyboard") }

  /// Pauses a run that goes on, or lets a paused one go on.
  package func togglePause() {
    pause.logicalXor(true, ordering: .relaxed)
    bell.ring()
  }

  /// Whether the run is to be paused; written by who asks alone, so that no press of a key is lost.
  var wantsPause: Bool { pause.load(ordering: .relaxed) }
}
