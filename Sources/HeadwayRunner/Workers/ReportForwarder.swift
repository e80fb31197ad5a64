internal import HeadwayRelay
internal import HeadwaySystem

/// Carries what programs on other machines report to the socket of this process to which those on this machine report, and the
/// answers back.
///
/// Not thread safe.
struct ReportForwarder {
  private var connections: ForwardedConnections

  /// Creates a forwarder without connections.
  ///
  /// - Parameter lastToken: The highest of the tokens that its connections have in a poller.
  init(lastToken: UInt64) { connections = ForwardedConnections(lastToken: lastToken) }

  /// Whether a token of the poller is that of a connection.
  func contains(token: UInt64) -> Bool { connections.contains(token: token) }

  /// Carries what has come from workers.
  mutating func carryReports(of executor: WorkerExecutor, in poller: Poller) {
    for (worker, reply) in executor.takeReports() {
      switch reply {
      case .connected(let number):
        let key = ForwardedConnections.Key(worker: worker, number: number)
        guard let socket = executor.progress?.connect(),
          connections.add(socket, as: key, in: poller)
        else {
          executor.send(.close(number), to: worker)
          continue
        }
      case .forwarded(let number, let bytes):
        let key = ForwardedConnections.Key(worker: worker, number: number)
        if !connections.send(bytes, to: key, in: poller) {
          executor.send(.close(number), to: worker)
        }
      case .disconnected(let number):
        let key = ForwardedConnections.Key(worker: worker, number: number)
        connections.close(key, in: poller)
      default: break
      }
    }
  }

  /// Handles an event of the poller.
  mutating func handle(_ token: UInt64, for executor: WorkerExecutor, in poller: Poller) {
    switch connections.handle(token, in: poller) {
    case .received(let key, let bytes):
      executor.send(.forward(key.number, bytes), to: key.worker)
    case .closed(let key): executor.send(.close(key.number), to: key.worker)
    case nil: break
    }
  }

  /// Closes the connections of a worker to which there is no connection any more.
  mutating func closeAll(of worker: Int, in poller: Poller) {
    connections.closeAll(of: worker, in: poller)
  }
}
