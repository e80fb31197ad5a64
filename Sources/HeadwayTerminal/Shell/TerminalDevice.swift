internal import HeadwayLibc
internal import HeadwaySystem

/// The terminal of a descriptor; descriptors of the same terminal are equal, however they were opened.
struct TerminalDevice: Hashable, Sendable {
  private let number: UInt64

  /// Finds the terminal, nil if the descriptor is no terminal.
  init?(of descriptor: Int32) {
    guard isTerminal(descriptor) else { return nil }
    #if os(Linux)
      // `/dev/tty` has a number of its own; this is that of the terminal behind it: TIOCGDEV, whose macro Swift does not import.
      var device: UInt32 = 0
      if unsafe ioctl(descriptor, 0x8004_5432, &device) == 0 {
        number = UInt64(device)
        return
      }
    #endif
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    number = UInt64(status.st_rdev)
  }
}
