internal import HeadwayText
internal import HeadwayTime

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Tells another thread that something happened: a pipe, so that it can wait for keys at the same time.
///
/// Sending never blocks; what is sent while nobody waits is kept, once. Safe from any thread.
final class Signal: Sendable {
  /// The descriptor that is readable once something was sent, -1 when the system gave none.
  private let readEnd: Int32
  /// The descriptor that is written to.
  private let writeEnd: Int32

  /// Creates a signal that was not sent; before any child is started, or the child may inherit its ends.
  init() {
    var ends: [Int32] = [-1, -1]
    _ = unsafe ends.withUnsafeMutableBufferPointer { unsafe pipe($0.baseAddress) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  /// Whether the machine had descriptors for it; nobody can wait for it otherwise.
  var isOpen: Bool { readEnd >= 0 }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Sends it.
  func send() {
    // A full pipe is as good: it is readable.
    var byte: UInt8 = 1
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Forgets what was sent.
  func clear() {
    var bytes: (UInt64, UInt64) = (0, 0)
    while unsafe read(readEnd, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
  }

  /// Waits until it was sent; what was sent stays sent until it is cleared.
  ///
  /// - Parameters:
  ///   - limit: The most time to wait, nil for no limit.
  ///   - other: A descriptor that ends the waiting too when it becomes readable, nil for none.
  /// - Returns: Whether it was sent, or the other descriptor is readable.
  @discardableResult
  func wait(for limit: Duration?, or other: Int32? = nil) -> Bool {
    let end = limit.map { MonotonicTime.now + $0 }
    while true {
      let left = end.map { max($0 - MonotonicTime.now, .zero) }
      var waits = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)]
      if let other { waits.append(pollfd(fd: other, events: Int16(POLLIN), revents: 0)) }
      let result = unsafe poll(&waits, nfds_t(waits.count), Self.milliseconds(left))
      if result > 0 { return true }
      // An interruption by a signal is no reason to return early.
      if result == 0, let left, left <= Self.longestPoll { return false }
      if result < 0, errno != EINTR { return false }
    }
  }

  /// Whether reading from a descriptor returns without waiting, be it with its end.
  static func isReadable(_ descriptor: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wait, 1, 0) > 0
  }

  /// The longest wait that the system is asked for at once.
  private static let longestPoll = Duration.seconds(86_400)

  /// A duration as `poll` takes it: rounded up, so that nothing is early; -1 for no limit.
  private static func milliseconds(_ limit: Duration?) -> Int32 {
    guard let limit else { return -1 }
    return Int32((min(limit, longestPoll) + .nanoseconds(999_999)).wholeMilliseconds)
  }
}
