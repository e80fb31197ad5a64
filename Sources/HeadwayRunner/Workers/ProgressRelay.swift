internal import HeadwayLibc
internal import HeadwaySystem

/// Writes what programs of an attempt on another machine report to the pipe that the attempt would have here.
///
/// Closes the pipe when it is released. Not thread safe.
final class ProgressRelay {
  private let writer: Int32
  /// The bytes for which there was no room.
  private var pending: [UInt8] = []

  /// The maximum number of such bytes: whoever reads has stopped then.
  private static let mostPending = 1 << 20

  /// Creates a relay to a copy of a descriptor; nil if the system refuses one.
  ///
  /// - Parameter writer: The writing end of a pipe that does not block.
  init?(to writer: Int32) {
    let copy = fcntl(writer, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return nil }
    self.writer = copy
  }

  deinit { close(writer) }

  /// Writes bytes, as many as there is room for, and the others with the next ones.
  ///
  /// - Returns: Whether more are wanted.
  func write(_ bytes: [UInt8]) -> Bool {
    pending += bytes
    if case .failed = writeSome(writer, &pending) { return false }
    return pending.count <= Self.mostPending
  }
}
