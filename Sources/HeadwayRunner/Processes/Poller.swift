internal import CSpawn
internal import Glibc

/// Waits for descriptors to become readable, and for time to pass.
///
/// Not thread safe: it belongs to the run loop.
final class Poller {
  /// The descriptor of the epoll instance.
  private let descriptor: Int32

  /// The maximum number of tokens of one wait; the next wait reports the others.
  private static let capacity = 64

  /// Creates a poller without descriptors.
  ///
  /// - Throws: `RunnerError.system` if no descriptor is left.
  init() throws(RunnerError) {
    descriptor = hw_poller_open()
    if descriptor < 0 { throw .system("cannot wait for events", errno) }
  }

  deinit { close(descriptor) }

  /// Adds a descriptor.
  ///
  /// - Parameters:
  ///   - watched: The descriptor, which must stay open until `remove(_:)`.
  ///   - token: The value that `wait(for:)` returns while the descriptor is readable.
  /// - Returns: Whether there was room for it.
  func add(_ watched: Int32, token: UInt64) -> Bool {
    hw_poller_add(descriptor, watched, token) == 0
  }

  /// Removes a descriptor.
  func remove(_ watched: Int32) {
    hw_poller_remove(descriptor, watched)
  }

  /// Waits until a descriptor is readable or a time has passed; never ends early for the time.
  ///
  /// - Parameter timeout: The maximum time to wait, nil for no limit.
  /// - Returns: The tokens of readable descriptors; empty after the time-out or a signal.
  func wait(for timeout: Duration?) -> [UInt64] {
    let nanoseconds = timeout.map { max(0, nanosecondsUp($0)) } ?? -1
    return unsafe [UInt64](unsafeUninitializedCapacity: Self.capacity) { tokens, count in
      count = unsafe hw_poller_wait(descriptor, tokens.baseAddress, Self.capacity, nanoseconds)
    }
  }

  /// A duration in nanoseconds, rounded up; at most 292 years.
  private func nanosecondsUp(_ duration: Duration) -> Int64 {
    let (nanoseconds, rest) = duration.attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return Int64(clamping: nanoseconds + (rest > 0 ? 1 : 0))
  }
}
