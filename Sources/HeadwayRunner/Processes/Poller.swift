internal import CSpawn
internal import Glibc

/// Waits for descriptors to become readable.
///
/// Not thread safe: it belongs to the run loop.
final class Poller {
  /// The descriptor of the set.
  private let descriptor: Int32

  /// The most tokens that one wait answers with; more are answered by the next one.
  private static let mostReady = 64

  /// Creates a poller that waits for nothing yet.
  ///
  /// - Throws: `RunnerError.system` when the machine has no descriptor left.
  init() throws(RunnerError) {
    descriptor = hw_poller_open()
    if descriptor < 0 { throw .system("cannot wait for events", errno) }
  }

  deinit { close(descriptor) }

  /// Adds a descriptor.
  ///
  /// - Parameters:
  ///   - watched: The descriptor, which must stay open until `remove(_:)`.
  ///   - token: What `wait()` answers with while there is something to read.
  /// - Returns: Whether the machine had room for it.
  func add(_ watched: Int32, token: UInt64) -> Bool {
    hw_poller_add(descriptor, watched, token) == 0
  }

  /// Takes a descriptor away.
  func remove(_ watched: Int32) {
    hw_poller_remove(descriptor, watched)
  }

  /// Waits until something can be read.
  ///
  /// - Returns: The tokens of what can be read; empty when a signal interrupted the wait.
  func wait() -> [UInt64] {
    unsafe [UInt64](unsafeUninitializedCapacity: Self.mostReady) { tokens, count in
      count = unsafe hw_poller_wait(descriptor, tokens.baseAddress, Self.mostReady)
    }
  }
}
