#if os(Linux)
  internal import CRelay
  internal import HeadwayLibc

  /// A descriptor that becomes readable when another process ends, whatever else holds its sockets.
  ///
  /// The end of a connection is not enough, because a child of the process may have inherited it. Safe from any thread.
  package final class ProcessWatch: Sendable {
    /// The reason why a process cannot be watched.
    package enum Failure: Error, Hashable, Sendable {
      /// It has ended.
      case ended
      /// The system cannot do it, with an error number: it is too old, or the process is in another container.
      case unavailable(Int32)
    }

    /// Readable once the process has ended, for a `Poller`.
    package let descriptor: Int32

    /// Sends a signal to the process, if it has not ended.
    func send(_ signal: Int32) { hw_relay_signal(descriptor, signal) }

    /// Watches the process at the other end of a connection.
    ///
    /// That is the process that has connected, or that has begun to listen. Before Linux 6.5, a process that has ended can be
    /// mistaken for a later one with the same number; then only the end of the connection shows that it has ended.
    ///
    /// - Parameter connection: The connection.
    /// - Throws: `Failure`.
    package init(peerOf connection: RelaySocket) throws(Failure) {
      descriptor = hw_relay_watch_peer(connection.descriptor)
      try check(errno)
    }

    /// Watches a process.
    ///
    /// - Parameter process: Its number, which must not be used again in the meantime.
    /// - Throws: `Failure`.
    package init(process: Int32) throws(Failure) {
      descriptor = hw_relay_watch_process(process)
      try check(errno)
    }

    /// Checks that the system has found the process.
    private func check(_ error: Int32) throws(Failure) {
      if descriptor < 0 { throw error == ESRCH ? Failure.ended : .unavailable(error) }
    }

    deinit { hw_relay_close(descriptor) }
  }
#endif
