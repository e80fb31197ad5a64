internal import CSpawn
internal import HeadwayLibc
internal import HeadwaySystem

/// What a short command prints, which the caller waits for.
enum CommandOutput {
  /// Runs a command.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - environment: Its environment.
  /// - Returns: What it has printed.
  /// - Throws: `StartError` if it cannot be started or fails.
  static func text(
    of arguments: [String], _ environment: EnvironmentBlock
  ) throws(StartError) -> String {
    var (readEnd, writeEnd): (Int32, Int32) = (-1, -1)
    let error = unsafe hw_pipe(&readEnd, &writeEnd)
    if error != 0 { throw StartError(reason: errorDescription(error)) }
    defer { close(readEnd) }
    let process = try start(arguments, environment, output: writeEnd)
    var watched = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    var printed: [UInt8] = []
    var isOver = false
    while !isOver {
      // The pipe does not block.
      _ = unsafe poll(&watched, 1, -1)
      switch readSome(readEnd, most: 4_096) {
      case .bytes(let bytes): printed += bytes
      case .nothing: break
      case .end, .failed: isOver = true
      }
    }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    let text = String(decoding: printed, as: UTF8.self)
    guard status == 0 else {
      let last = text.split(whereSeparator: \.isNewline).last.map { String($0) }
      throw StartError(reason: last ?? "\(arguments[0]) has failed")
    }
    return text
  }

  /// Starts a command, and closes its output here.
  private static func start(
    _ arguments: [String], _ environment: EnvironmentBlock, output: Int32
  ) throws(StartError) -> pid_t {
    defer { close(output) }
    guard let spawner = try? Spawner(environment: environment) else {
      throw StartError(reason: errorDescription(errno))
    }
    return try spawner.start(AttemptRequest(arguments: arguments, variables: []), output: output)
  }
}
