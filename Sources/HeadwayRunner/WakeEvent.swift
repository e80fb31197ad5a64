internal import CSpawn
internal import Glibc

/// Wakes the run loop from another thread, through a descriptor that is readable while the event is set.
///
/// Safe from any thread.
final class WakeEvent: Sendable {
  /// Readable while the event is set.
  let descriptor: Int32

  /// Creates an event that is not set.
  ///
  /// - Throws: `RunnerError.system` if no descriptor is left.
  init() throws(RunnerError) {
    descriptor = hw_event_open()
    if descriptor < 0 { throw .system("cannot wait for events", errno) }
  }

  deinit { close(descriptor) }

  func set() { hw_event_set(descriptor) }

  func clear() { hw_event_clear(descriptor) }
}
