#if os(Linux)
  internal import Glibc
  internal import HeadwayProgress
  internal import HeadwayRun
  internal import HeadwaySystem
  internal import HeadwayTime

  /// The socket of this process and its watchers; belongs to the thread of a ``RelayLoop``.
  final class RelayServer {
    /// A connection of a watcher.
    private struct Connection {
      let socket: RelaySocket
      let token: UInt64
      var isRead = true
      /// Whether the rest of a buffer waits for room.
      var isFull = false

      var interest: Poller.Interest {
        var interest: Poller.Interest = isRead ? .read : []
        if isFull { interest.insert(.write) }
        return interest
      }
    }

    /// A socket that others can connect to.
    private struct Listener {
      let socket: RelaySocket
      let directory: RuntimeDirectory
      let name: String
      var token: UInt64?
    }

    private unowned let thread: RelayThread
    private var core: PublisherCore
    private var spare = SpareDescriptor()
    private var listener: Listener?
    private var connections: [PublisherCore.Peer: Connection] = [:]
    private var lastPeer = 0
    private var published: [PublicationID: Published] = [:]
    /// What was reported, so that a hostile process cannot make anybody read the same sentence again and again.
    private var reported: Set<RelayError> = []

    /// The most different problems that are reported.
    private static let reportLimit = 64
    /// The most connections that are accepted at a time.
    private static let acceptLimit = 64
    /// How long connections wait when the process has no descriptor for them.
    private static let acceptPause: Duration = .milliseconds(100)
    /// How often a tree that reports no changes is read while it is watched.
    private static let pollInterval: Duration = .milliseconds(100)

    /// Creates a server that publishes nothing.
    init(thread: RelayThread) {
      self.thread = thread
      var limit = rlimit()
      let hasLimit = unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0
      let descriptors = hasLimit ? Int(clamping: limit.rlim_cur) : 1_024
      core = PublisherCore(
        program: programName(), pid: getpid(), watcherLimit: max(descriptors / 2, 1))
    }

    /// Whether nothing is published and nobody has to be told of an end.
    var isOver: Bool { core.isOver }

    /// Whether watchers have not got everything that is to be sent.
    var hasUnsent: Bool { core.hasUnsent }

    /// When to call ``settle()`` if nothing happens before.
    var nextDeadline: Duration? { core.nextDeadline }

    // MARK: What is published

    /// Publishes a tree; the socket is created with the first one.
    func publish(_ new: Published) {
      do throws(RelayError) {
        if listener == nil { try listen() }
        try core.publish(
          new.id, kind: new.kind, name: new.name, path: new.path, accepts: new.accepts,
          now: MonotonicTime.now)
        published[new.id] = new
      } catch {
        new.fail(error)
      }
    }

    private func listen() throws(RelayError) {
      let directory = try RuntimeDirectory.first(of: RuntimeDirectory.places)
      directory.removeLeftovers()
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: directory, name: name)
      guard let token = thread.add(socket.descriptor, .listener) else {
        let error = errno
        directory.remove(name)
        throw .system("cannot wait for watchers", reason: errorDescription(error))
      }
      listener = Listener(socket: socket, directory: directory, name: name, token: token)
    }

    /// Ends a publication.
    func unpublish(_ id: PublicationID, _ reason: PublicationEnd) {
      guard let entry = published.removeValue(forKey: id) else { return }
      entry.observer.disarm()
      let final = reason == .finished ? entry.observer.final : nil
      core.unpublish(id, reason, final: final, now: MonotonicTime.now)
      entry.isWatched = false
    }

    /// Notes that a tree has changed.
    func changed(_ id: PublicationID) { core.changed(id, now: MonotonicTime.now) }

    /// Takes the snapshot of a tree that another thread has read.
    func copied(_ id: PublicationID, _ snapshot: ProgressSnapshot?) {
      published[id]?.polled = snapshot
      changed(id)
    }

    /// Passes on a forecast.
    func forecast(_ forecast: RunForecast, of id: PublicationID) {
      core.forecast(forecast, of: id, now: MonotonicTime.now)
    }

    /// Lets the next frame be sent at once, whenever the last one was.
    func hurry() { core.hurry() }

    // MARK: Watchers

    /// Accepts those who wait.
    func accept() {
      guard let listener else { return }
      for _ in 0..<Self.acceptLimit {
        switch listener.socket.accept() {
        case .accepted(let socket):
          lastPeer += 1
          let peer = PublisherCore.Peer(lastPeer)
          guard let token = thread.add(socket.descriptor, .watcher(peer)) else { continue }
          connections[peer] = Connection(socket: socket, token: token)
          core.connected(peer, now: MonotonicTime.now)
          // In between, so that one that is refused is closed before the next one is accepted.
          settle()
        case .otherUser(let user):
          report(.otherUser(path: "a program that connected to \(listener.name)", uid: user))
        case .none: return
        case .noDescriptor:
          report(
            .system("a watcher was not accepted", reason: "the limit on open files is reached"))
          if !spare.refuseConnection(to: listener.socket) {
            pauseAccepting()
            return
          }
        case .failed(let error):
          report(.system("cannot accept watchers", reason: errorDescription(error)))
          pauseAccepting()
          return
        }
      }
    }

    /// Does not accept for a while.
    private func pauseAccepting() {
      guard let listener, let token = listener.token else { return }
      thread.remove(listener.socket.descriptor, token)
      self.listener?.token = nil
      thread.call(after: Self.acceptPause) { [weak self] in
        guard let self, let listener = self.listener, listener.token == nil else { return }
        self.listener?.token = self.thread.add(listener.socket.descriptor, .listener)
      }
    }

    /// Takes in what has become possible on a connection.
    func ready(_ peer: PublisherCore.Peer, isReadable: Bool, isWritable: Bool) {
      guard let connection = connections[peer] else { return }
      if isWritable, connection.isFull { core.writable(peer, now: MonotonicTime.now) }
      if isReadable {
        var bytes: [UInt8] = []
        switch connection.socket.receive(into: &bytes) {
        case .done: core.received(bytes[...], from: peer, now: MonotonicTime.now)
        case .wouldBlock: break
        case .ended, .failed: drop(peer)
        }
      }
      settle()
    }

    /// Forgets a connection that has ended.
    private func drop(_ peer: PublisherCore.Peer) {
      close(peer)
      core.closed(peer, now: MonotonicTime.now)
    }

    private func close(_ peer: PublisherCore.Peer) {
      guard let connection = connections.removeValue(forKey: peer) else { return }
      thread.remove(connection.socket.descriptor, connection.token)
    }

    // MARK: What the core decides

    /// Does all that can be done without waiting.
    func settle() {
      core.advance(to: MonotonicTime.now)
      while let action = core.nextAction() { perform(action) }
      for id in core.takeWatchChanges() {
        published[id]?.isWatched = core.watcherCount(of: id) > 0
      }
    }

    private func perform(_ action: PublisherCore.Action) {
      switch action {
      case .send(let peer, let bytes): send(bytes, to: peer)
      case .read(let peer, let isRead):
        connections[peer]?.isRead = isRead
        watch(peer)
      case .close(let peer, let error):
        close(peer)
        if let error { report(error) }
      case .arm(let id): arm(id)
      case .disarm(let id): published[id]?.observer.disarm()
      case .copy(let id): copy(id)
      case .carryOut(let command): carryOut(command)
      }
    }

    private func send(_ bytes: ArraySlice<UInt8>, to peer: PublisherCore.Peer) {
      guard let connection = connections[peer] else { return }
      var count = 0
      switch connection.socket.send(bytes) {
      case .done(let sent): count = sent
      case .wouldBlock: break
      case .ended, .failed:
        drop(peer)
        return
      }
      core.sent(count, to: peer, now: MonotonicTime.now)
      let isFull = count < bytes.count
      guard isFull != connection.isFull else { return }
      connections[peer]?.isFull = isFull
      watch(peer)
    }

    /// Watches a connection for what is of interest now.
    private func watch(_ peer: PublisherCore.Peer) {
      guard let connection = connections[peer] else { return }
      thread.change(
        connection.socket.descriptor, connection.token, interest: connection.interest)
    }

    /// Waits for the next change of a tree.
    private func arm(_ id: PublicationID) {
      guard let entry = published[id] else { return }
      if entry.observer.isPolled {
        thread.call(after: Self.pollInterval) { entry.readLater() }
      } else if entry.observer.arm() {
        core.changed(id, now: MonotonicTime.now)
      }
    }

    private func copy(_ id: PublicationID) {
      guard let entry = published[id] else {
        core.copied(id, nil, now: MonotonicTime.now)
        return
      }
      if let final = entry.observer.final {
        published[id] = nil
        core.unpublish(id, .finished, final: final, now: MonotonicTime.now)
        return
      }
      var snapshot: ProgressSnapshot?
      if entry.observer.isPolled {
        snapshot = entry.polled
        entry.polled = nil
        // Reading it may have to wait for a queue of the program, so another thread does that.
        if snapshot == nil { entry.readLater() }
      } else {
        snapshot = entry.observer.snapshot(limit: RelayLimits.nodes)
      }
      core.copied(id, snapshot, now: MonotonicTime.now)
    }

    private func carryOut(_ command: PublisherCore.Command) {
      let result =
        published[command.publication]?.observer.carryOut(command.request, onNode: command.node)
        ?? .finished
      let id = command.publication
      let refusal: RelayRefusal? =
        switch result {
        case .done: nil
        case .unknownNode:
          RelayRefusal(
            .unknownNode, "'\(id)' has no node \(command.node.map { String($0) } ?? "") any more")
        case .finished: RelayRefusal(.finished, "'\(id)' has ended")
        case .refused:
          RelayRefusal(
            .refused, "this work cannot be \(command.request == .cancel ? "cancelled" : "paused")")
        }
      core.carriedOut(command, refusal, now: MonotonicTime.now)
    }

    /// Tells the program of a problem, once.
    private func report(_ error: RelayError) {
      guard reported.count < Self.reportLimit, reported.insert(error).inserted else { return }
      for entry in published.values { entry.onProblem?(error) }
    }

    /// Closes all connections and removes the socket.
    func close() {
      for peer in Array(connections.keys) { close(peer) }
      guard let listener else { return }
      listener.directory.remove(listener.name)
      if let token = listener.token { thread.remove(listener.socket.descriptor, token) }
      self.listener = nil
    }
  }

  /// The name of the program, for people.
  private func programName() -> String {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map { String($0) } ?? "a program"
  }
#endif
