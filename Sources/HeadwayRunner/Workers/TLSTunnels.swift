internal import CTLS
internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwaySystem
internal import HeadwayTime

/// A thread that carries the bytes of connections with TLS to and from sockets of this process, so that whoever has such a socket
/// need not know of TLS.
///
/// ```
///   run loop ◀── sockets ──▶ TLSTunnels ◀── TLS 1.3 over TCP ──▶ TLSTunnels ◀── socket ──▶ worker
/// ```
///
/// Safe from any thread.
final class TLSTunnels: Sendable {
  /// A connection that was accepted.
  struct Arrival: Sendable {
    /// The identity that the other end has sent.
    let name: String
    /// The socket of this process with its bytes, which does not block; whoever takes it closes it.
    let socket: Int32
  }

  /// Set when there are arrivals.
  let arrivalEvent: WaitableEvent
  private let arrivals = Guarded<[Arrival]>([])
  private let stopEvent: WaitableEvent
  private let hasEnded = Semaphore()

  private init() throws(RunnerError) {
    arrivalEvent = try WaitableEvent.opened()
    stopEvent = try WaitableEvent.opened()
  }

  /// Accepts connections from ends that have a key.
  ///
  /// - Parameters:
  ///   - listening: The socket, which is closed when the tunnels end.
  ///   - key: The key.
  /// - Throws: `RunnerError.system` if the system refuses something.
  convenience init(listening: Int32, key: [UInt8]) throws(RunnerError) {
    try self.init()
    let loop = try TLSTunnelLoop(for: self)
    try loop.listen(on: listening, key: key)
    try start(loop)
  }

  /// Connects to where a file says.
  ///
  /// - Parameters:
  ///   - file: Where to, and the key.
  ///   - name: The identity of this end.
  ///   - limit: How long that may take.
  /// - Returns: The tunnels with this connection, and the socket of this process with its bytes, which does not block.
  /// - Throws: `RunnerError.connection` if none of its addresses can be reached, or the other end does not have the key.
  static func connected(
    to file: ConnectionFile, as name: String, within limit: Duration
  ) throws(RunnerError) -> (TLSTunnels, Int32) {
    let tunnels = try TLSTunnels()
    let connection = try TLSConnection(to: file, as: name, within: limit)
    let loop = try TLSTunnelLoop(for: tunnels)
    let socket = try loop.carry(connection)
    try tunnels.start(loop)
    return (tunnels, socket)
  }

  /// Starts the thread.
  private func start(_ loop: TLSTunnelLoop) throws(RunnerError) {
    let error = SystemThread.start(named: "headway-tls", blocksSignals: true) { [hasEnded] in
      loop.run()
      hasEnded.post()
    }
    if error != 0 { throw .system("cannot start a thread", error) }
  }

  /// Takes the connections that were accepted since the last time.
  func takeArrivals() -> [Arrival] {
    arrivalEvent.clear()
    return arrivals.withLock { arrivals in
      defer { arrivals = [] }
      return arrivals
    }
  }

  /// Adds a connection that was accepted.
  fileprivate func add(_ arrival: Arrival) {
    arrivals.withLock { $0.append(arrival) }
    arrivalEvent.set()
  }

  /// The descriptor that becomes readable when the thread has to end.
  fileprivate var stopDescriptor: Int32 { stopEvent.descriptor }

  /// Accepts no more connections, sends what is on its way, for a few seconds at most, and waits until the thread has ended.
  ///
  /// The sockets of this process that were taken have to be closed before.
  func end() {
    for arrival in takeArrivals() { close(arrival.socket) }
    stopEvent.set()
    hasEnded.wait()
    for arrival in takeArrivals() { close(arrival.socket) }
  }
}

/// What the thread of the tunnels does.
///
/// Not thread safe: it belongs to that thread once it has started.
private final class TLSTunnelLoop: @unchecked Sendable {
  /// A connection with what the thread has to know of it.
  private struct Entry {
    var connection: TLSConnection
    /// When it is given up, nil if it is not.
    var deadline: Duration?
    /// What the poller waits for.
    var interests: (network: Poller.Interest, inner: Poller.Interest) = (.read, [])
  }

  /// The tokens of the poller that are no connection's.
  private enum Token {
    static let stop = UInt64.max
    static let listening = UInt64.max - 1
  }

  /// How long the other end may take to prove that it has the key.
  private static let handshakeTimeout = Duration.seconds(10)
  /// How long what is on its way may take once the process has ended its side.
  private static let endTimeout = Duration.seconds(5)
  /// How long nothing is accepted if the system has no descriptors left.
  private static let pause = Duration.milliseconds(100)
  /// How many connections are accepted before others get their turn.
  private static let mostAtOnce = 64

  private unowned let tunnels: TLSTunnels
  private let poller: Poller
  private var entries: [UInt64: Entry] = [:]
  private var lastToken: UInt64 = 0
  private var listening: Int32 = -1
  private var key: [UInt8] = []
  /// Until when nothing is accepted, nil if connections are.
  private var pauseEnd: Duration?
  private var isStopping = false
  /// The connections whose other end has not proved that it has the key.
  private var handshakes: HandshakeQueue

  init(for tunnels: TLSTunnels) throws(RunnerError) {
    self.tunnels = tunnels
    handshakes = HandshakeQueue(most: HandshakeQueue.fitting)
    poller = try Poller.opened()
    guard poller.add(tunnels.stopDescriptor, token: Token.stop) else {
      throw .system("cannot wait for events", errno)
    }
  }

  /// Accepts connections from ends that have a key.
  func listen(on socket: Int32, key: [UInt8]) throws(RunnerError) {
    guard poller.add(socket, token: Token.listening) else {
      throw .system("cannot wait for connections", errno)
    }
    (listening, self.key) = (socket, key)
  }

  /// Carries the bytes of a connection.
  ///
  /// - Returns: The socket of this process.
  func carry(_ connection: TLSConnection) throws(RunnerError) -> Int32 {
    guard let token = add(connection, deadline: nil), let socket = openInner(of: token) else {
      throw .system("cannot open a socket", errno)
    }
    return socket
  }

  /// Carries until it has to stop, and everything is sent.
  func run() {
    while !isStopping || !entries.isEmpty {
      let now = MonotonicTime.continuous
      let moment = earliest(pauseEnd, entries.values.lazy.compactMap(\.deadline).min())
      for event in poller.wait(for: moment.map { max($0 - now, .zero) }) {
        switch event.token {
        case Token.stop: stop()
        case Token.listening: acceptAll()
        default:
          handshakes.noteSpoken(event.token & ~1)
          advance(event.token)
          if event.isHungUp { noteHungUp(event.token) }
        }
      }
      endOverdue(at: MonotonicTime.continuous)
    }
    if listening >= 0 { close(listening) }
  }

  /// Accepts nothing more, and gives what is on its way a limit.
  private func stop() {
    poller.remove(tunnels.stopDescriptor)
    if listening >= 0, pauseEnd == nil { poller.remove(listening) }
    pauseEnd = nil
    isStopping = true
    let end = MonotonicTime.continuous + Self.endTimeout
    for (token, entry) in entries {
      if entry.connection.state == .handshaking {
        remove(token)
      } else {
        entries[token]?.deadline = end
      }
    }
  }

  private func acceptAll() {
    for _ in 0..<Self.mostAtOnce {
      let socket = hw_tcp_accept(listening)
      guard socket >= 0 else {
        if errno != EAGAIN {
          // It would stay readable.
          poller.remove(listening)
          pauseEnd = MonotonicTime.continuous + Self.pause
        }
        return
      }
      guard let connection = TLSConnection(server: socket, key: key) else {
        close(socket)
        continue
      }
      let deadline = MonotonicTime.continuous + Self.handshakeTimeout
      guard let token = add(connection, deadline: deadline) else { continue }
      // Waiting for those that say nothing would keep out the workers behind them.
      if let other = handshakes.add(token) { remove(other) }
      advance(token)
    }
  }

  /// Adds a connection; nil if there is no room in the poller, and then it is closed.
  private func add(_ connection: TLSConnection, deadline: Duration?) -> UInt64? {
    // Two tokens each, for its two sockets.
    lastToken += 2
    guard poller.add(connection.network, token: lastToken) else {
      connection.end()
      return nil
    }
    entries[lastToken] = Entry(connection: connection, deadline: deadline)
    return lastToken
  }

  /// Opens the sockets of this process for a connection.
  ///
  /// - Returns: The one for the process, nil if there is no descriptor left; then the connection is closed.
  private func openInner(of token: UInt64) -> Int32? {
    guard let ends = socketPair() else {
      remove(token)
      return nil
    }
    guard poller.add(ends.0, token: token + 1, interest: []) else {
      close(ends.0)
      close(ends.1)
      remove(token)
      return nil
    }
    makeNonblocking(ends.0)
    makeNonblocking(ends.1)
    entries[token]?.connection.carry(ends.0)
    watch(token)
    return ends.1
  }

  /// Goes on with a connection.
  private func advance(_ eventToken: UInt64) {
    let token = eventToken & ~1
    guard let before = entries[token]?.connection.state else { return }
    entries[token]?.connection.advance()
    guard let state = entries[token]?.connection.state else { return }
    if state == .over { return remove(token) }
    if before == .handshaking, state == .open {
      handshakes.remove(token)
      entries[token]?.deadline = nil
      let name = entries[token]?.connection.name ?? ""
      guard let socket = openInner(of: token) else { return }
      tunnels.add(TLSTunnels.Arrival(name: name, socket: socket))
      return advance(token)
    }
    if before != .ending, state == .ending {
      entries[token]?.deadline = MonotonicTime.continuous + Self.endTimeout
    }
    watch(token)
  }

  /// Notes that a side of a connection is closed, which the poller would say again and again.
  private func noteHungUp(_ eventToken: UInt64) {
    let token = eventToken & ~1
    guard let entry = entries[token] else { return }
    let connection = entry.connection
    if eventToken == token {
      // What has come is on its way to the process; then its end is read.
      if !connection.waitsForNetwork { poller.remove(connection.network) }
    } else if !connection.waitsForProcess {
      // What the process has sent is on its way to the network.
      poller.remove(connection.inner)
      let end = MonotonicTime.continuous + Self.endTimeout
      entries[token]?.deadline = min(end, entry.deadline ?? end)
    }
  }

  /// Lets the poller wait for what a connection waits for.
  private func watch(_ token: UInt64) {
    guard let entry = entries[token] else { return }
    let connection = entry.connection
    var network: Poller.Interest = connection.waitsForNetwork ? .read : []
    if connection.waitsForRoomInNetwork { network.insert(.write) }
    var inner: Poller.Interest = connection.waitsForProcess ? .read : []
    if connection.waitsForRoomInProcess { inner.insert(.write) }
    if network != entry.interests.network {
      _ = poller.change(connection.network, token: token, interest: network)
    }
    if connection.inner >= 0, inner != entry.interests.inner {
      _ = poller.change(connection.inner, token: token + 1, interest: inner)
    }
    entries[token]?.interests = (network, connection.inner >= 0 ? inner : [])
  }

  /// Ends what has taken too long, and accepts again.
  private func endOverdue(at now: Duration) {
    for (token, entry) in entries where entry.deadline.map({ $0 <= now }) ?? false { remove(token) }
    if let end = pauseEnd, end <= now {
      pauseEnd = poller.add(listening, token: Token.listening) ? nil : now + Self.pause
    }
  }

  private func remove(_ token: UInt64) {
    handshakes.remove(token)
    guard let connection = entries.removeValue(forKey: token)?.connection else { return }
    poller.remove(connection.network)
    if connection.inner >= 0 { poller.remove(connection.inner) }
    connection.end()
  }
}

extension TLSConnection {
  /// How long one address may take to answer.
  private static let addressTimeout = Duration.seconds(5)
  /// How long to wait before all addresses are tried again.
  private static let retryDelay = Duration.seconds(1)

  /// Connects, and waits until both ends have proved that they have the key.
  ///
  /// - Parameters:
  ///   - file: Where to, and the key.
  ///   - name: The identity of this end.
  ///   - limit: How long that may take.
  /// - Throws: `RunnerError.connection`.
  fileprivate init(
    to file: ConnectionFile, as name: String, within limit: Duration
  ) throws(RunnerError) {
    let end = MonotonicTime.continuous + limit
    var reason = "it names no address"
    var mayAnswer = false
    repeat {
      // Not at once again.
      if mayAnswer { usleep(UInt32(Self.retryDelay / .microseconds(1))) }
      mayAnswer = false
      for address in file.addresses {
        let left = max(min(end - MonotonicTime.continuous, Self.addressTimeout), .zero)
        let socket = unsafe hw_tcp_connect(address, file.port, PollTimeout.milliseconds(left))
        guard socket >= 0 else {
          reason = "\(address): \(errorDescription(errno))"
          mayAnswer = true
          continue
        }
        guard var connection = TLSConnection(client: socket, key: file.key, name: name) else {
          close(socket)
          reason = errorDescription(ENOMEM)
          continue
        }
        connection.handshake(until: end)
        if connection.state == .open {
          self = connection
          return
        }
        let isRefused = connection.isRefused
        let why = isRefused ? "it does not have the key of the run" : "it does not answer"
        reason = "\(address): \(why)"
        mayAnswer = mayAnswer || !isRefused
        connection.end()
      }
    } while mayAnswer && MonotonicTime.continuous < end
    throw .connection("\(file.addresses.first ?? ""):\(file.port)", reason)
  }

  /// Waits until both ends have proved that they have the key, the other one has refused this one, or the time is over.
  private mutating func handshake(until end: Duration) {
    while true {
      advance()
      let left = end - MonotonicTime.continuous
      guard state == .handshaking, left > .zero else { return }
      var watched = pollfd(
        fd: network, events: Int16(waitsForRoomInNetwork ? POLLOUT : POLLIN), revents: 0)
      _ = unsafe poll(&watched, 1, PollTimeout.milliseconds(left))
    }
  }
}
