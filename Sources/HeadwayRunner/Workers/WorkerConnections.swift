internal import CSpawn
internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTime

/// The connections of a run to its workers: each is an `ssh` that runs `headway worker` on a machine.
///
/// Not thread safe: it belongs to the run loop, whose thread has to start the programs.
final class WorkerConnections {
  /// A connection.
  private struct Connection {
    let host: WorkerHost
    /// The end of the socket that is the standard input and output of `ssh`; -1 once it is closed.
    var socket: Int32
    /// The reading end of its standard error, -1 once that has ended.
    var errorPipe: Int32
    /// The end of what came from there.
    var errors: [UInt8] = []
    /// What the worker has said first, nil before.
    var greeting: WorkerGreeting?
    /// What came before that.
    var noise: [UInt8] = []
    /// What has come since, until the run begins.
    var stream = WorkerStream()
    /// Whether the worker is prepared for the run.
    var hasBegun = false
    /// The bytes that were not sent.
    var pending: [UInt8] = []
    /// Whether the poller waits for room.
    var isWaitingForRoom = false
  }

  /// How long a machine may take to answer.
  private static let timeout = Duration.seconds(60)
  /// The most bytes that a login shell may print before the worker begins.
  private static let mostNoise = 1 << 16
  private static let readSize = 1 << 16
  /// The token of the first connection in a poller.
  private static let firstToken = UInt64.max - 1_000_000
  /// The token of its standard error.
  private static let firstErrorToken = firstToken + 500_000
  /// The most bytes of standard error that are kept.
  private static let mostErrors = 4_096

  private var connections: [Connection] = []
  /// What was wrong with connections, a line each.
  private(set) var warnings: [String] = []
  /// The executor of the run.
  let executor: WorkerExecutor
  /// The poller of the run, nil until the run has begun.
  private var poller: Poller?

  /// Connects to machines, and waits until each is prepared for the run.
  ///
  /// - Parameters:
  ///   - hosts: The machines.
  ///   - setup: What their workers have to know.
  ///   - environment: The environment of this program, for `ssh`.
  /// - Throws: `RunnerError.worker` if one of them cannot take part.
  init(
    _ hosts: [WorkerHost], _ setup: WorkerSetup, environment: EnvironmentBlock
  ) throws(RunnerError) {
    hw_block_signals()
    let spawner = try Spawner(environment: environment)
    executor = WorkerExecutor()
    let poller = try Poller.opened()
    for (index, host) in hosts.enumerated() {
      var first: [UInt8] = []
      WorkerRequest.begin(setup).write(to: &first)
      let (socket, errorPipe) = try Self.start(host, spawner)
      connections.append(
        Connection(host: host, socket: socket, errorPipe: errorPipe, pending: first))
      guard watch(index, in: poller) else { throw .system("cannot wait for \(host.name)", errno) }
    }
    let deadline = MonotonicTime.now + Self.timeout
    while let index = connections.firstIndex(where: { !$0.hasBegun }) {
      let now = MonotonicTime.now
      guard now < deadline else {
        throw .worker(connections[index].host.name, "it does not answer")
      }
      for event in poller.wait(for: deadline - now) {
        if !readErrors(event.token, poller) { try prepare(Int(event.token - Self.firstToken)) }
      }
    }
    for index in connections.indices {
      poller.remove(connections[index].socket)
      if connections[index].errorPipe >= 0 { poller.remove(connections[index].errorPipe) }
      let connection = connections[index]
      // Until now, writing waited for room.
      _ = fcntl(connection.socket, F_SETFL, fcntl(connection.socket, F_GETFL) | O_NONBLOCK)
      executor.addWorker(places: connection.host.places ?? connection.greeting?.cores ?? 1)
    }
  }

  /// Lets the poller of the run wait for the workers.
  ///
  /// - Returns: Whether there was room.
  func begin(in poller: Poller) -> Bool {
    self.poller = poller
    return connections.indices.allSatisfy { watch($0, in: poller) }
  }

  /// Lets a poller wait for what a connection brings.
  private func watch(_ index: Int, in poller: Poller) -> Bool {
    let connection = connections[index]
    let number = UInt64(index)
    return poller.add(connection.socket, token: Self.firstToken + number)
      && (connection.errorPipe < 0
        || poller.add(connection.errorPipe, token: Self.firstErrorToken + number))
  }

  /// Keeps what has come from standard error.
  ///
  /// - Returns: Whether the token is that of a standard error.
  private func readErrors(_ token: UInt64, _ poller: Poller) -> Bool {
    guard token >= Self.firstErrorToken else { return false }
    let index = Int(token - Self.firstErrorToken)
    guard connections[index].errorPipe >= 0 else { return true }
    if let bytes = readBytes(connections[index].errorPipe) {
      connections[index].errors = (connections[index].errors + bytes).suffix(Self.mostErrors)
    } else {
      poller.remove(connections[index].errorPipe)
      close(connections[index].errorPipe)
      connections[index].errorPipe = -1
    }
    return true
  }

  /// Whether a token of the poller is that of a connection.
  static func isToken(_ token: UInt64) -> Bool {
    let count = UInt64(WorkerHost.mostPlaces)
    return (firstToken..<firstToken + count) ~= token
      || (firstErrorToken..<firstErrorToken + count) ~= token
  }

  /// Sends what waits for the workers, as much as there is room for.
  func send() {
    for index in connections.indices {
      let waiting = executor.takePending(for: index)
      if connections[index].socket < 0 { continue }
      connections[index].pending += waiting
      flush(index)
    }
  }

  private func flush(_ index: Int) {
    let pending = connections[index].pending
    guard !pending.isEmpty else { return }
    var sent = 0
    var isBroken = false
    while sent < pending.count {
      let count = unsafe pending.withUnsafeBytes { bytes in
        unsafe write(
          connections[index].socket, bytes.baseAddress.map { unsafe $0 + sent }, bytes.count - sent)
      }
      if count > 0 {
        sent += count
      } else if count < 0, errno != EINTR {
        isBroken = errno != EAGAIN
        break
      }
    }
    // The end is also seen when reading.
    if isBroken { sent = pending.count }
    connections[index].pending.removeFirst(sent)
    let needsRoom = !connections[index].pending.isEmpty
    guard let poller, needsRoom != connections[index].isWaitingForRoom else { return }
    connections[index].isWaitingForRoom = needsRoom
    _ = poller.change(
      connections[index].socket, token: Self.firstToken + UInt64(index),
      interest: needsRoom ? [.read, .write] : .read)
  }

  /// Handles what has happened to a connection.
  ///
  /// - Returns: What the run loop has to know of it.
  func receive(_ token: UInt64) -> [HostEvent] {
    if let poller, readErrors(token, poller) { return [] }
    let index = Int(token - Self.firstToken)
    guard connections[index].socket >= 0 else { return [] }
    if connections[index].isWaitingForRoom { flush(index) }
    guard let bytes = readBytes(connections[index].socket) else {
      lose(index, nil)
      return [.exits]
    }
    do throws(WorkerMessageError) {
      let news = try executor.receive(bytes[...], from: index)
      return news.outputs.map { .output($0) } + (news.hasExits ? [.exits] : [])
    } catch {
      lose(index, error.description)
      return [.exits]
    }
  }

  /// Ends a connection.
  ///
  /// - Parameters:
  ///   - index: The connection.
  ///   - problem: What was wrong with the messages of the worker, nil if it ended by itself.
  private func lose(_ index: Int, _ problem: String?) {
    poller?.remove(connections[index].socket)
    close(connections[index].socket)
    connections[index].socket = -1
    let isExpected = executor.hasEnded(index)
    executor.lose(index)
    if isExpected { return }
    let name = connections[index].host.name
    warnings.append(
      problem.map { "the host '\(name)' was given up, because it says what no worker says: \($0)" }
        ?? "the connection to the host '\(name)' has ended (\(lastWords(index))); what ran there may still run for some seconds"
    )
  }

  deinit {
    for connection in connections {
      if connection.socket >= 0 { close(connection.socket) }
      if connection.errorPipe >= 0 { close(connection.errorPipe) }
    }
  }

  /// Starts `ssh` for a machine.
  ///
  /// - Returns: The end of the socket that belongs to this program, and the reading end of its standard error.
  private static func start(
    _ host: WorkerHost, _ spawner: borrowing Spawner
  ) throws(RunnerError) -> (socket: Int32, errorPipe: Int32) {
    var (readEnd, writeEnd): (Int32, Int32) = (-1, -1)
    let pipeError = unsafe hw_pipe(&readEnd, &writeEnd)
    if pipeError != 0 { throw .system("cannot start ssh", pipeError) }
    defer { close(writeEnd) }
    var ends: (Int32, Int32) = (-1, -1)
    let error = unsafe withUnsafeMutablePointer(to: &ends) { ends in
      unsafe ends.withMemoryRebound(to: Int32.self, capacity: 2) { ends in
        unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, ends)
          == 0 ? 0 : errno
      }
    }
    if error != 0 {
      close(readEnd)
      throw .system("cannot start ssh", error)
    }
    defer { close(ends.1) }
    // Keys of machines that are not known are refused, and nobody is asked for a password.
    var request = AttemptRequest(
      arguments: [
        "/bin/sh", "-c", "exec \"$@\" 2>&3 3>&-", "headway", "ssh", "-T", "-o", "BatchMode=yes",
        "-o", "ServerAliveInterval=15", "--", host.name,
        "headway", "worker",
      ], variables: [])
    request.progressPipe = writeEnd
    do throws(StartError) {
      _ = try spawner.start(request, input: ends.1, output: ends.1)
    } catch {
      close(ends.0)
      close(readEnd)
      throw .worker(host.name, error.reason)
    }
    return (ends.0, readEnd)
  }

  /// Handles what a worker says before the run.
  private func prepare(_ index: Int) throws(RunnerError) {
    let name = connections[index].host.name
    guard let bytes = readBytes(connections[index].socket) else {
      throw .worker(name, lastWords(index))
    }
    do throws(WorkerMessageError) {
      if connections[index].greeting == nil {
        guard try greet(index, bytes) else { return }
      } else {
        connections[index].stream.append(bytes[...])
      }
      guard let message = try connections[index].stream.next() else { return }
      switch try WorkerReply(message) {
      case .begun: connections[index].hasBegun = true
      case .refused(let reason): throw WorkerMessageError(description: reason)
      default: throw WorkerMessageError(description: "it speaks before it is asked")
      }
    } catch {
      throw .worker(name, error.description)
    }
  }

  /// Looks for the greeting of a worker, and then tells it about the run.
  ///
  /// - Returns: Whether it has come.
  private func greet(_ index: Int, _ bytes: [UInt8]) throws(WorkerMessageError) -> Bool {
    connections[index].noise += bytes
    let noise = connections[index].noise
    guard noise.count <= Self.mostNoise else {
      throw WorkerMessageError(description: "it says something else than a worker")
    }
    guard let start = Self.start(of: WorkerGreeting.mark, in: noise),
      noise[start...].contains(UInt8(ascii: "\n"))
    else { return false }
    connections[index].noise = []
    connections[index].stream.append(noise[start...])
    guard let message = try connections[index].stream.next() else { return false }
    let greeting = try WorkerGreeting(message)
    guard greeting.version == WorkerGreeting.version else {
      throw WorkerMessageError(description: "its headway has another version than this one")
    }
    connections[index].greeting = greeting
    flush(index)
    return true
  }

  /// Why a connection has ended: the last line that `ssh`, or what it started, has printed.
  private func lastWords(_ index: Int) -> String {
    if connections[index].errorPipe >= 0, let bytes = readBytes(connections[index].errorPipe) {
      connections[index].errors += bytes
    }
    for printed in [connections[index].errors, connections[index].noise] {
      let lines = String(decoding: printed, as: UTF8.self).split(whereSeparator: \.isNewline)
      if let last = lines.last { return String(last) }
    }
    return "ssh has ended"
  }

  /// Where a line begins with some bytes.
  private static func start(of mark: [UInt8], in bytes: [UInt8]) -> Int? {
    var line = 0
    while line + mark.count <= bytes.count {
      if bytes[line...].starts(with: mark) { return line }
      guard let end = bytes[line...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      line = end + 1
    }
    return nil
  }

  /// Reads what has arrived; nil at the end of the connection.
  private func readBytes(_ descriptor: Int32) -> [UInt8]? {
    var isOver = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.readSize) { buffer, count in
      repeat {
        count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
      } while count < 0 && errno == EINTR
      isOver = count == 0 || count < 0 && errno != EAGAIN
      count = max(count, 0)
    }
    return isOver ? nil : bytes
  }
}
