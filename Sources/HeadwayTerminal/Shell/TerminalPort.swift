internal import HeadwaySystem
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A descriptor that is written to: usually a terminal, or a pipe whose reader may be slow or gone.
///
/// Errors do not matter to anyone: the first one ends the writing. Used by one thread, but for `abandon()`.
final class TerminalPort: Sendable {
  /// The descriptor.
  private let descriptor: Int32
  /// Tells whether the program is in the foreground, nil to ask the terminal.
  private let foreground: (@Sendable () -> Bool)?
  /// Whether nobody reads any more, or nobody is to wait for those who do.
  private let isClosed = Atomic<Bool>(false)

  /// The bytes written at once: fewer than fit where there is room at all, so that a write does not block.
  private static let chunk = 512
  /// The time after which a waiting write looks whether it is to give up.
  private static let patience: Int32 = 50

  /// Creates a port.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor that is written to.
  ///   - foreground: Tells whether the program is in the foreground, nil to ask the terminal.
  init(_ descriptor: Int32, foreground: (@Sendable () -> Bool)? = nil) {
    self.descriptor = descriptor
    self.foreground = foreground
  }

  /// Whether what is written still reaches somebody.
  var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

  /// Makes all writing end, from any thread.
  func abandon() { isClosed.store(true, ordering: .relaxed) }

  /// Writes bytes, as slowly as the reader takes them.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty, isOpen {
      guard hasRoom else { continue }
      let chunk = Array(rest.prefix(Self.chunk))
      let count = unsafe chunk.withUnsafeBytes { bytes in
        #if canImport(Glibc)
          unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
          unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR, errno != EAGAIN {
        // EPIPE, EIO, EBADF: nobody reads any more. Reporting ends, the run goes on.
        abandon()
      }
    }
  }

  /// Waits a moment for room, and says whether there is any.
  private var hasRoom: Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&wait, 1, Self.patience) > 0
  }

  /// Whether the program may draw: it is in the foreground of the terminal, or this is none.
  var isInForeground: Bool { foreground?() ?? TerminalPort.isInForeground(descriptor) }

  /// Whether the program is in the foreground of a terminal, or the descriptor is none of its terminals.
  static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    return group < 0 || group == getpgrp()
  }

  /// The size of the terminal, else what the environment says, else 80 x 24.
  var size: TerminalSize {
    var window = winsize()
    _ = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window)
    return TerminalSize(
      columns: window.ws_col > 0 ? Int(window.ws_col) : Self.number("COLUMNS") ?? 80,
      rows: window.ws_row > 0 ? Int(window.ws_row) : Self.number("LINES") ?? 24)
  }

  /// A positive number from the environment.
  private static func number(_ variable: String) -> Int? {
    environmentValue(variable).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
