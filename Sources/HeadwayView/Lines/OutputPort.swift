internal import HeadwayLibc
internal import HeadwaySystem
internal import HeadwayText
internal import HeadwayTime

/// A descriptor for the output of tasks whose reader may be slow, or stop reading, without holding up anything else.
///
/// What the reader does not take at once waits here, and is written first the next time. Used by one thread.
final class OutputPort: Sendable {
  /// Where the bytes go.
  private let descriptor: Int32
  /// The same pipe, opened again so that writing to it never blocks; -1 if that is not possible.
  ///
  /// The mode of the descriptor itself belongs to whoever has opened it.
  private let nonblocking: Int32
  /// Whether a write may take long, because somebody reads: a file or a device takes everything.
  private let mayBlock: Bool
  /// The maximum number of bytes of a write that does not block once there is room.
  private let chunk: Int

  /// The bytes for which a terminal has room once it has room.
  private static let terminalChunk = 512

  /// Creates a port; the descriptor stays open.
  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    let kind = FileStatus(descriptor: descriptor)?.kind
    let isTerminal = isTerminal(descriptor)
    mayBlock = kind == .pipe || kind == .socket || isTerminal
    nonblocking =
      kind == .pipe
      ? unsafe open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1
    chunk = nonblocking >= 0 ? .max : isTerminal ? Self.terminalChunk : Int(PIPE_BUF)
  }

  deinit { if nonblocking >= 0 { close(nonblocking) } }

  /// Writes bytes from a position on.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - start: The position of the first one that was not written; changed to the next one.
  ///   - patience: How long to wait for the reader in all.
  /// - Returns: What was done.
  func write(_ bytes: [UInt8], from start: inout Int, patience: Duration) -> WriteResult {
    let end = MonotonicTime.now + patience
    while start < bytes.count {
      if mayBlock {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let left = max(end - MonotonicTime.now, .zero)
        if unsafe poll(&room, 1, Int32(left.wholeMilliseconds)) == 0 { return .waiting }
      }
      let count = unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(chunk))
        let file = nonblocking >= 0 ? nonblocking : descriptor
        return unsafe HeadwayLibc.write(file, rest.baseAddress, rest.count)
      }
      if count < 0, errno != EINTR, errno != EAGAIN { return .failed(errno) }
      start += max(count, 0)
    }
    return .done
  }
}
