internal import CSpawn
internal import HeadwayLibc
internal import HeadwaySystem

/// The process that connects to a worker, such as `ssh`, with its streams; or the socket of a worker that has connected itself.
///
/// Not thread safe; it is to be ended with ``closeStreams()`` and ``end(_:)``, and its process to be reaped.
struct WorkerLink {
  /// The process, 0 once it was reaped.
  private(set) var process: pid_t
  /// The end of the socket that is its standard input and output, -1 once it is closed.
  private(set) var socket: Int32
  /// The reading end of its standard error, -1 once it is closed.
  private(set) var errors: Int32
  /// Readable once the process has ended, although what it has left may hold its streams; -1 if nobody waits for that.
  private(set) var exit: Int32 = -1
  /// How the process has ended, as `waitpid` tells, once it was reaped.
  private(set) var status: Int32 = 0
  /// The bytes that were not sent.
  private(set) var pending: [UInt8] = []

  private static let readSize = 1 << 16

  /// Starts the process.
  ///
  /// - Parameters:
  ///   - arguments: The command.
  ///   - spawner: Starts it.
  /// - Throws: `StartError`.
  init(_ arguments: [String], _ spawner: borrowing Spawner) throws(StartError) {
    var (readEnd, writeEnd): (Int32, Int32) = (-1, -1)
    let pipeError = unsafe hw_pipe(&readEnd, &writeEnd)
    if pipeError != 0 { throw StartError(reason: errorDescription(pipeError)) }
    defer { close(writeEnd) }
    guard let ends = socketPair() else {
      let error = errno
      close(readEnd)
      throw StartError(reason: errorDescription(error))
    }
    defer { close(ends.1) }
    var request = AttemptRequest(
      arguments: ["/bin/sh", "-c", "exec \"$@\" 2>&3 3>&-", "headway"] + arguments, variables: [])
    request.progressPipe = writeEnd
    do throws(StartError) {
      process = try spawner.start(request, input: ends.1, output: ends.1)
    } catch {
      close(ends.0)
      close(readEnd)
      throw error
    }
    (socket, errors) = (ends.0, readEnd)
    makeNonblocking(socket)
  }

  /// Takes a connection that another process has begun.
  ///
  /// - Parameter socket: The socket, which does not block.
  init(socket: Int32) { (process, self.socket, errors) = (0, socket, -1) }

  /// Sends bytes, as much as there is room for, and keeps the others in `pending`.
  mutating func send(_ bytes: [UInt8] = []) {
    pending += bytes
    guard !pending.isEmpty, socket >= 0 else { return }
    // The end of the connection is seen when reading.
    if case .failed = writeSome(socket, &pending) { pending = [] }
  }

  /// What has arrived; nil at the end of the connection.
  func receive() -> [UInt8]? { Self.bytes(from: socket) }

  /// What has come from standard error; nil at its end.
  func receiveErrors() -> [UInt8]? { Self.bytes(from: errors) }

  private static func bytes(from descriptor: Int32) -> [UInt8]? {
    guard descriptor >= 0 else { return nil }
    return switch readSome(descriptor, most: readSize) {
    case .bytes(let bytes): bytes
    case .nothing: []
    case .end, .failed: nil
    }
  }

  /// Closes the connection; standard error may still say something.
  mutating func disconnect() {
    if socket >= 0 { close(socket) }
    (socket, pending) = (-1, [])
  }

  /// Opens ``exit``, unless the system has no such descriptors.
  mutating func watchExit() {
    if process > 0, exit < 0 { exit = hw_process_open(process) }
  }

  /// Closes ``exit``.
  mutating func endExit() {
    if exit >= 0 { close(exit) }
    exit = -1
  }

  /// Whether something can be read from the connection, or its end.
  var hasArrived: Bool { Self.isReadable(socket) }

  /// Whether the process is known to have ended.
  var hasExited: Bool { Self.isReadable(exit) }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe descriptor >= 0 && poll(&watched, 1, 0) == 1
  }

  /// Closes standard error.
  mutating func endErrors() {
    if errors >= 0 { close(errors) }
    errors = -1
  }

  /// Closes all streams, for a program whose words are of no interest.
  mutating func closeStreams() {
    disconnect()
    endErrors()
    endExit()
  }

  /// Signals the process, unless it was reaped.
  func end(_ signal: Int32) {
    if process > 0 { kill(process, signal) }
  }

  /// Reaps the process if it has ended.
  ///
  /// - Returns: Whether it has.
  mutating func reap() -> Bool {
    if process > 0, unsafe waitpid(process, &status, WNOHANG) == process { process = 0 }
    return process == 0
  }
}
