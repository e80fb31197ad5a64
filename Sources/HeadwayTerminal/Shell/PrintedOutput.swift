internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwaySystem

/// What the program prints to its standard streams while there are rows at the bottom of the same terminal.
///
/// It comes above the rows: the streams of the C library, which `print` writes to, pass their bytes on to the thread that draws.
/// The descriptors stay as they are, so child processes and whatever writes to a descriptor itself are not affected.
enum PrintedOutput {
  /// The thread that draws, which may have ended, and the process that it belongs to.
  private struct Target: Sendable {
    weak let thread: TerminalThread?
    /// A fork of the process has no thread that draws.
    let process: Int32
  }

  private static let target = Guarded<Target?>(nil)
  /// Whether the streams pass their bytes on.
  private static let isInstalled = Guarded(false)

  /// Passes what is printed on to a thread, if it draws on the terminal of a standard stream.
  static func pass(to thread: TerminalThread) {
    guard let terminal = thread.terminal,
      [STDOUT_FILENO, STDERR_FILENO].contains(where: { TerminalDevice(of: $0) == terminal })
    else { return }
    target.withLock { $0 = Target(thread: thread, process: processNumber) }
    isInstalled.withLock { isInstalled in
      guard !isInstalled else { return }
      isInstalled = unsafe passOnOutput { descriptor, bytes, count in
        guard let bytes = unsafe bytes, count > 0 else { return 0 }
        return unsafe PrintedOutput.print(
          UnsafeRawBufferPointer(start: bytes, count: count), to: descriptor)
      }
    }
  }

  /// Prints bytes of a stream.
  ///
  /// - Returns: The number of bytes that were printed.
  private static func print(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    guard let thread = thread(of: descriptor) else {
      return unsafe write(bytes, to: descriptor)
    }
    var written = bytes.count
    unsafe thread.print(Array(bytes)) { written = unsafe write(bytes, to: descriptor) }
    return written
  }

  /// The thread that draws on the terminal of a descriptor.
  private static func thread(of descriptor: Int32) -> TerminalThread? {
    guard let target = target.withLock({ $0 }), target.process == processNumber,
      let thread = target.thread, TerminalDevice(of: descriptor) == thread.terminal
    else { return nil }
    return thread
  }

  /// Writes bytes to a descriptor.
  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
    var written = 0
    while written < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = unsafe HeadwayLibc.write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&room, 1, -1)
      } else if errno != EINTR {
        return written
      }
    }
    return written
  }
}
