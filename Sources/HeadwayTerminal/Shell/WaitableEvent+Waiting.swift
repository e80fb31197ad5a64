internal import HeadwayLibc
internal import HeadwaySystem
internal import HeadwayTime

extension WaitableEvent {
  /// Waits until the event is set; it stays set.
  ///
  /// - Parameters:
  ///   - limit: The maximum time to wait, nil for no limit.
  ///   - others: Descriptors that also end the wait when they become readable.
  /// - Returns: Whether the event is set, or another descriptor is readable.
  @discardableResult
  package func wait(for limit: Duration?, or others: [Int32] = []) -> Bool {
    let end = limit.map { MonotonicTime.now + $0 }
    while true {
      let left = end.map { max($0 - MonotonicTime.now, .zero) }
      var waits = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
      for other in others {
        waits.append(pollfd(fd: other, events: Int16(POLLIN), revents: 0))
      }
      let result = unsafe poll(&waits, nfds_t(waits.count), PollTimeout.milliseconds(left))
      if result > 0 { return true }
      // After an interruption by a signal, wait for the rest.
      if result == 0, let left, left <= PollTimeout.longest { return false }
      if result < 0, errno != EINTR { return false }
    }
  }

  /// Whether reading from a descriptor returns at once, possibly at the end of the file.
  static func isReadable(_ descriptor: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wait, 1, 0) > 0
  }
}
