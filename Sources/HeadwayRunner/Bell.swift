internal import CSpawn
internal import Glibc

/// Wakes the run loop from another thread, through a descriptor that can be read while it rings.
///
/// Safe from any thread.
final class Bell: Sendable {
  /// Can be read while it rings.
  let descriptor: Int32

  /// Creates a bell that is silent.
  ///
  /// - Parameter reason: What it is for, for the error.
  /// - Throws: `RunnerError.system` when the machine has no descriptor left.
  init(for reason: String) throws(RunnerError) {
    descriptor = hw_bell_open()
    if descriptor < 0 { throw .system("cannot wait for \(reason)", errno) }
  }

  deinit { close(descriptor) }

  /// Lets it ring.
  func ring() { hw_bell_ring(descriptor) }

  /// Lets it be silent.
  func silence() { hw_bell_silence(descriptor) }
}
