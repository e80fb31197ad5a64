#if os(Linux)
  internal import CSystem
  internal import HeadwayLibc

  /// Waits until descriptors can be read from or written to, and for time to pass.
  ///
  /// Not thread safe: it belongs to one loop. A descriptor must be removed before it is closed: if another process has it as
  /// well, as after a fork, it would be reported on and on.
  package final class Poller {
    /// What a descriptor is watched for.
    package struct Interest: OptionSet, Sendable {
      package let rawValue: UInt32

      /// Creates an interest from the bits of `CSystem`.
      package init(rawValue: UInt32) { self.rawValue = rawValue }

      /// There is something to read, or the end.
      package static let read = Interest(rawValue: HW_READABLE.rawValue)
      /// There is room to write.
      package static let write = Interest(rawValue: HW_WRITABLE.rawValue)
    }

    /// A descriptor that can be read from or written to.
    package struct Event: Hashable, Sendable {
      /// The value that the descriptor was added with.
      package let token: UInt64
      /// Whether reading would not block: there are bytes, the end or an error.
      package let isReadable: Bool
      /// Whether writing would not block; it may fail.
      package let isWritable: Bool
      /// Whether the other end is closed or there is an error, which is also reported for what is watched for nothing.
      ///
      /// There may still be bytes to read.
      package let isHungUp: Bool
    }

    /// The descriptor of the epoll instance, -1 if the system had none left.
    private let descriptor: Int32

    /// The maximum number of events of one wait; the next wait reports the others.
    private static let capacity = 64

    /// Creates a poller without descriptors.
    ///
    /// If the system has no descriptors left, the poller is not open, and `errno` is the reason.
    package init() { descriptor = hw_poller_open() }

    /// Whether the system had a descriptor for it; otherwise it cannot be used.
    package var isOpen: Bool { descriptor >= 0 }

    deinit { if isOpen { close(descriptor) } }

    /// Adds a descriptor.
    ///
    /// - Parameters:
    ///   - watched: The descriptor, which must stay open until `remove(_:)`.
    ///   - token: The value that the events of `wait(for:)` have.
    ///   - interest: What it is watched for, for as long as it is true.
    /// - Returns: Whether there was room for it; otherwise `errno` is the reason.
    package func add(_ watched: Int32, token: UInt64, interest: Interest = .read) -> Bool {
      hw_poller_add(descriptor, watched, token, interest.rawValue) == 0
    }

    /// Changes what a descriptor that was added is watched for.
    ///
    /// - Parameters:
    ///   - watched: The descriptor.
    ///   - token: The value that the events of `wait(for:)` have from now on.
    ///   - interest: What it is watched for; nothing, if only its end is of interest.
    /// - Returns: Whether it was changed; otherwise `errno` is the reason.
    package func change(_ watched: Int32, token: UInt64, interest: Interest) -> Bool {
      hw_poller_change(descriptor, watched, token, interest.rawValue) == 0
    }

    /// Removes a descriptor.
    package func remove(_ watched: Int32) {
      hw_poller_remove(descriptor, watched)
    }

    /// Waits until something can be done with a descriptor or a time has passed; never ends early for the time.
    ///
    /// - Parameter timeout: The maximum time to wait, nil for no limit.
    /// - Returns: The descriptors that are ready, at most 64; empty after the time-out or a signal.
    package func wait(for timeout: Duration?) -> [Event] {
      let nanoseconds = timeout.map { max(0, nanosecondsUp($0)) } ?? -1
      return unsafe withUnsafeTemporaryAllocation(
        of: hw_ready_descriptor.self, capacity: Self.capacity
      ) { room in
        let count = unsafe hw_poller_wait(
          descriptor, room.baseAddress, Self.capacity, nanoseconds)
        return unsafe room.prefix(count).map { ready in
          Event(
            token: ready.token, isReadable: ready.state & HW_READABLE.rawValue != 0,
            isWritable: ready.state & HW_WRITABLE.rawValue != 0,
            isHungUp: ready.state & HW_HUNG_UP.rawValue != 0)
        }
      }
    }

    /// A duration in nanoseconds, rounded up; at most 292 years.
    private func nanosecondsUp(_ duration: Duration) -> Int64 {
      let (nanoseconds, rest) = duration.attoseconds.quotientAndRemainder(
        dividingBy: 1_000_000_000)
      return Int64(clamping: nanoseconds + (rest > 0 ? 1 : 0))
    }
  }
#endif
