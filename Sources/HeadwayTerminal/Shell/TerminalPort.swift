internal import HeadwayLibc
internal import HeadwaySystem
internal import Synchronization

/// An output: usually a terminal, or a pipe whose reader may be slow or gone.
///
/// The first error ends all writing. Used by one thread, except for `abandon()`, `fail(_:)` and `failure`.
final class TerminalPort: Sendable {
  private let descriptor: Int32
  private let foreground: (@Sendable () -> Bool)?
  /// Whether the program's `print` writes to the same place, through a buffer of its own.
  private let sharesBuffer: Bool
  /// Whether the reader is gone or was given up.
  private let isClosed = Atomic<Bool>(false)
  private let error = Atomic<Int32>(0)

  /// The maximum number of bytes in a write: less than fits if there is any room, so that the write does not block.
  private let chunk: Int
  /// That of a terminal.
  private static let terminalChunk = 512
  /// That of a pipe, which has room for this much once it has room.
  private static let pipeChunk = Int(PIPE_BUF)
  /// The milliseconds after which a waiting write checks whether it was given up.
  private static let pollTimeout: Int32 = 50

  /// Creates a port.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor to write to.
  ///   - foreground: Returns whether the program is in the foreground, nil to ask the terminal.
  init(_ descriptor: Int32, foreground: (@Sendable () -> Bool)? = nil) {
    self.descriptor = descriptor
    self.foreground = foreground
    let isTerminal = isTerminal(descriptor)
    chunk = isTerminal ? Self.terminalChunk : Self.pipeChunk
    // In a terminal each line is written at once.
    sharesBuffer = descriptor == STDOUT_FILENO && !isTerminal
    // A closed descriptor never has room, and neither has one that is open only for reading, because its number was reused.
    let flags = fcntl(descriptor, F_GETFL)
    if flags < 0 || flags & O_ACCMODE == O_RDONLY { fail(EBADF) }
  }

  /// Whether the reader is still there.
  var isOpen: Bool { !isClosed.load(ordering: .relaxed) }

  /// Ends all writing, from any thread.
  func abandon() { isClosed.store(true, ordering: .relaxed) }

  /// Ends all writing because of an error, from any thread.
  func fail(_ code: Int32) {
    error.store(code, ordering: .relaxed)
    abandon()
  }

  /// The errno because of which output is lost, 0 if there is none; a reader that is gone is not an error.
  var failure: Int32 { error.load(ordering: .relaxed) }

  /// Writes bytes, as slowly as the reader takes them.
  func write(_ bytes: [UInt8]) {
    // What the program has printed before comes before.
    var needsFlush = sharesBuffer
    var rest = bytes[...]
    while !rest.isEmpty, isOpen {
      guard hasRoom else { continue }
      if needsFlush {
        needsFlush = false
        flushStandardOutput()
        continue
      }
      let chunk = Array(rest.prefix(chunk))
      let count = unsafe chunk.withUnsafeBytes { bytes in
        unsafe HeadwayLibc.write(descriptor, bytes.baseAddress, bytes.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EPIPE || errno == EIO {
        // The reader or the terminal is gone. Nothing more is written, and the work continues.
        abandon()
      } else if errno != EINTR, errno != EAGAIN {
        fail(errno)
      }
    }
  }

  /// Waits briefly for room, and returns whether there is any.
  private var hasRoom: Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&wait, 1, Self.pollTimeout) > 0
  }

  /// Whether the program may draw: it is in the foreground, or the output is not a terminal.
  var isInForeground: Bool { foreground?() ?? TerminalPort.isInForeground(descriptor) }

  /// Whether the program is in the foreground of a terminal, or the descriptor is not its terminal.
  static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    return group < 0 || group == getpgrp()
  }

  /// The size of the terminal, otherwise that in the environment, otherwise 80 x 24.
  var size: TerminalSize { TerminalSize(of: descriptor) }
}

extension TerminalSize {
  /// The size of a terminal, otherwise that in the environment, otherwise 80 x 24.
  package init(of descriptor: Int32) {
    var window = winsize()
    _ = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window)
    self.init(
      columns: window.ws_col > 0 ? Int(window.ws_col) : Self.number("COLUMNS") ?? 80,
      rows: window.ws_row > 0 ? Int(window.ws_row) : Self.number("LINES") ?? 24)
  }

  /// A positive number from the environment.
  private static func number(_ variable: String) -> Int? {
    environmentValue(variable).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
