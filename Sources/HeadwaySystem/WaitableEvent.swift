internal import HeadwayLibc

/// An event that one thread sets and another waits for, through a descriptor that can be polled with others.
///
/// Setting never blocks, and the event stays set until it is cleared. Safe from any thread.
package final class WaitableEvent: Sendable {
  /// Readable while the event is set; -1 if the system had no descriptor left.
  package let descriptor: Int32
  /// The other end of the pipe.
  private let writeEnd: Int32

  /// Creates an event that is not set.
  ///
  /// If the system has no descriptors left, the event is not open, and `errno` is the reason. Must be called before any
  /// child is started, because a child may inherit the descriptors.
  package init() {
    var ends: [Int32] = [-1, -1]
    if unsafe ends.withUnsafeMutableBufferPointer({ unsafe pipe($0.baseAddress) }) == 0 {
      for index in ends.indices {
        ends[index] = Self.aboveStandardStreams(ends[index])
        _ = fcntl(ends[index], F_SETFD, FD_CLOEXEC)
        _ = fcntl(ends[index], F_SETFL, O_NONBLOCK)
      }
    }
    (descriptor, writeEnd) = (ends[0], ends[1])
  }

  /// Whether the system had descriptors for it; otherwise it cannot be waited for.
  package var isOpen: Bool { descriptor >= 0 }

  deinit {
    guard isOpen else { return }
    close(descriptor)
    close(writeEnd)
  }

  /// Moves a descriptor away from 0, 1 and 2, which a program may have closed and still write to.
  private static func aboveStandardStreams(_ descriptor: Int32) -> Int32 {
    guard descriptor <= STDERR_FILENO else { return descriptor }
    let moved = fcntl(descriptor, F_DUPFD, STDERR_FILENO + 1)
    guard moved >= 0 else { return descriptor }
    close(descriptor)
    return moved
  }

  /// Sets the event.
  package func set() {
    // A full pipe is readable too.
    var byte: UInt8 = 1
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Clears the event.
  package func clear() {
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { room in
      // Less than was asked for means that nothing is left.
      while unsafe read(descriptor, room.baseAddress, room.count) == room.count {}
    }
  }
}
